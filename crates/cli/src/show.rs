//! Turns and decisions as text and as JSON, the same in every command that shows a game.

use std::fmt::Display;
use std::time::Duration;

use lab2048::board::{Direction, Size};
use lab2048::game::{Action, Decision, MoveValue, Spawn, Turn, Unit};
use serde_json::{Value, json};

use crate::report::{percent, whole};

/// A count with its noun: `1 move`, `2 moves`, `1,000 moves`.
pub(crate) fn count(number: impl TryInto<u64> + Display + Copy, noun: &str) -> String {
    match number.try_into() {
        Ok(1) => format!("1 {noun}"),
        Ok(number) => format!("{} {noun}s", whole(number)),
        Err(_) => format!("{number} {noun}s"),
    }
}

/// Why games failed, in one sentence: how many of them, and the first error.
pub(crate) fn failed_games(failed: u64, games: u64, first_error: &str) -> String {
    match (failed, games) {
        (1, 1) => first_error.to_owned(),
        (1, _) => format!("1 of {} games failed: {first_error}", whole(games)),
        _ => {
            format!("{} of {} games failed; the first error: {first_error}", whole(failed), whole(games))
        }
    }
}

/// How long something took: `12.3 s`, `4 min 10 s`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds < 100 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// A time like `0:07`, `12:34` or `1:02:03`.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// The name of an action.
pub(crate) fn action_name(action: Action) -> &'static str {
    match action {
        Action::Move(direction) => direction.name(),
        Action::Pass => "pass",
        Action::Quit => "quit",
    }
}

/// A turn as text: `left +8, a 2 in row 3, column 1`.
pub(crate) fn turn_text(turn: &Turn, size: Size) -> String {
    let mut text = action_name(turn.action).to_owned();
    if turn.reward > 0 {
        text.push_str(&format!(" +{}", turn.reward));
    }
    if let Some(Spawn { cell, tile }) = turn.spawn {
        let (row, col) = size.position(cell);
        text.push_str(&format!(", a {tile} in row {}, column {}", row + 1, col + 1));
    }
    text
}

/// A turn as JSON. Rows and columns count from 1, as in all messages.
pub(crate) fn turn_json(turn: &Turn, size: Size) -> Value {
    let spawn = turn.spawn.map(|Spawn { cell, tile }| {
        let (row, col) = size.position(cell);
        json!({ "row": row + 1, "column": col + 1, "tile": tile })
    });
    json!({ "action": action_name(turn.action), "reward": turn.reward, "spawn": spawn })
}

/// The values of the four directions, if there are any: `up 12.0, right -, ... (points to come)`.
pub(crate) fn values_text(decision: &Decision) -> Option<String> {
    if !decision.has_values() {
        return None;
    }
    let value = |direction: Direction| match decision.values[direction.index()] {
        MoveValue::Worth(value) if decision.unit == Unit::Chance => format!("{direction} {}", percent(value)),
        MoveValue::Worth(value) => format!("{direction} {value:.1}"),
        MoveValue::Lost { .. } => format!("{direction} lost"),
        MoveValue::Illegal | MoveValue::Unknown => format!("{direction} -"),
    };
    Some(format!("{} ({})", Direction::ALL.map(value).join(", "), decision.unit))
}

/// The lengths of the bars of the four values, from 0 to 1; the best has 1. Bars start at zero, so
/// that close values look close. If values are negative, the scale is as wide as the largest size
/// or as the distance between the best and the worst, so that nothing is exaggerated either. The
/// page has the same rule (`web/parts/bars.js`).
pub(crate) fn bar_lengths(values: &[MoveValue; 4], unit: Unit) -> [f64; 4] {
    let known = || values.iter().filter_map(|value| value.worth());
    let (low, high) =
        known().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let width = known().map(f64::abs).fold(high - low, f64::max);
    values.map(|value| match value.worth() {
        None => 0.0,
        Some(value) if width > 0.0 => 1.0 - (high - value) / width,
        // All are zero. Zero points or no chance have no bar; any preference has one.
        Some(_) => f64::from(u8::from(unit == Unit::Preference)),
    })
}

/// A decision as JSON: the action and what the player says about it.
pub(crate) fn decision_json(decision: &Decision) -> Value {
    let of = |direction: Direction| decision.values[direction.index()];
    let value = |direction: Direction| (direction.name().to_owned(), of(direction).worth().into());
    let names = |wanted: fn(MoveValue) -> bool| -> Vec<&str> {
        let all = Direction::ALL.into_iter();
        all.filter(|direction| wanted(of(*direction))).map(Direction::name).collect()
    };
    let has_values = decision.has_values();
    json!({
        "action": action_name(decision.action),
        "values": has_values.then(|| Direction::ALL.map(value).into_iter().collect::<serde_json::Map<_, Value>>()),
        "lost": has_values.then(|| names(|value| matches!(value, MoveValue::Lost { .. }))),
        "cut_off": has_values.then(|| names(|value| value == MoveValue::Unknown)),
        "unit": has_values.then_some(decision.unit),
        "depth": decision.depth,
        "nodes": decision.nodes,
        "seconds": decision.time.as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use lab2048::game::Unit;

    use super::*;

    #[test]
    fn counts_have_the_right_number() {
        let said = [0, 1, 2, 1000].map(|number: usize| count(number, "move"));
        assert_eq!(said, ["0 moves", "1 move", "2 moves", "1,000 moves"]);
    }

    #[test]
    fn times_like_a_clock() {
        let shown = [7, 83, 3723].map(|seconds| clock(Duration::from_secs(seconds)));
        assert_eq!(shown, ["0:07", "1:23", "1:02:03"]);
    }

    #[test]
    fn turns_in_words() {
        let spawn = Some(Spawn { cell: 9, tile: 4 });
        let turn = Turn { action: Action::Move(Direction::Left), reward: 8, spawn };
        assert_eq!(turn_text(&turn, Size::FOUR), "left +8, a 4 in row 3, column 2");
        let quit = Turn { action: Action::Quit, reward: 0, spawn: None };
        assert_eq!(turn_text(&quit, Size::FOUR), "quit");
        assert_eq!(turn_json(&quit, Size::FOUR), json!({"action": "quit", "reward": 0, "spawn": null}));
    }

    #[test]
    fn values_where_there_are_any() {
        assert_eq!(values_text(&Decision::of(Action::Pass)), None);
        let values =
            [MoveValue::Worth(1.0), MoveValue::Lost { turns: 2 }, MoveValue::Worth(2.25), MoveValue::Illegal];
        let decision = Decision::best_of(values, Unit::Points, 1, 2).unwrap();
        let said = values_text(&decision).unwrap();
        assert_eq!(said, "up 1.0, right lost, down 2.2, left - (points to come)");
        let answer = decision_json(&decision);
        assert_eq!(answer["values"], json!({"up": 1.0, "right": null, "down": 2.25, "left": null}));
        assert_eq!((&answer["lost"], &answer["cut_off"]), (&json!(["right"]), &json!([])));
        let values = [MoveValue::Illegal, MoveValue::Illegal, MoveValue::Unknown, MoveValue::Worth(1.0)];
        let cut = Decision::best_of(values, Unit::Preference, 1, 2).unwrap();
        assert_eq!(decision_json(&cut)["cut_off"], json!(["down"]), "illegal moves are not cut off");
        assert_eq!(decision_json(&Decision::of(Action::Pass))["cut_off"], json!(null));
    }
}
