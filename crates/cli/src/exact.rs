//! What the user's tables say about a board, beside the answer of any player.

use std::cmp::Ordering;

use lab2048::board::{Board, Direction};
use lab2048::game::Probability;
use lab2048::solve::{Goal, Judgement, Tables};

use crate::report::{decimal, percent};

/// The judgements of all tables that know a board. The one with the largest tile comes first, and
/// of equal ones that with the best chance.
pub(crate) fn judgements(tables: &Tables, board: &Board, four: Probability) -> Vec<Judgement> {
    let tile = |judgement: &Judgement| judgement.exact.goal.tile();
    let mut all = tables.judge(board, four);
    all.sort_by(|one, other| {
        let by_value = || other.exact.best().partial_cmp(&one.exact.best()).unwrap_or(Ordering::Equal);
        tile(other).cmp(&tile(one)).then_with(by_value)
    });
    all
}

/// A value of a table: a chance, or points.
pub(crate) fn value_text(value: f64, goal: Goal) -> String {
    match goal {
        Goal::Score => decimal(value),
        Goal::Tile { .. } => percent(value),
    }
}

/// A value with all digits that mean something: points with 10 decimals, or a chance as a fraction
/// with 12.
pub(crate) fn value_in_full(value: f64, goal: Goal) -> String {
    match goal {
        Goal::Score => format!("{value:.10}"),
        Goal::Tile { .. } => format!("{value:.12}"),
    }
}

/// A judgement in a few words: `makes 512: 81.2%`.
pub(crate) fn summary(judgement: &Judgement) -> String {
    let best = judgement.exact.best();
    match judgement.exact.goal {
        Goal::Score => format!("perfect play: {} points", decimal(best)),
        Goal::Tile { tile, .. } => format!("makes {tile}: {}", percent(best)),
    }
}

/// A judgement with the value of each move: `makes 512: 81.2% (up 79.0%, right 81.2%, left 0.0%;
/// table block-512)`.
pub(crate) fn sentence(judgement: &Judgement) -> String {
    let value = |direction: Direction| {
        let value = judgement.exact.shown(direction)?;
        Some(format!("{direction} {}", value_text(value, judgement.exact.goal)))
    };
    let values: Vec<String> = Direction::ALL.into_iter().filter_map(value).collect();
    format!("{} ({}; table {})", summary(judgement), values.join(", "), judgement.name)
}

#[cfg(test)]
mod tests {
    use lab2048::board::Directions;
    use lab2048::game::MoveValue;
    use lab2048::solve::{Exact, Place};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_judgement_names_every_move() {
        let values =
            [MoveValue::Worth(0.79), MoveValue::Worth(0.812_345), MoveValue::Illegal, MoveValue::Unknown];
        let goal = Goal::Tile { tile: 512, place: Place::Beside };
        let exact = Exact { values, goal, makes: Directions::NONE.with(Direction::Right) };
        let judgement = Judgement { name: "block-512".to_owned(), exact };
        let words = "makes 512: 81.2% (up 79.0%, right 81.2%, left 0.0%; table block-512)";
        assert_eq!(sentence(&judgement), words);
        let json = json!(judgement);
        assert_eq!((&json["best"], &json["values"]["down"]), (&json!("right"), &Value::Null));
        assert_eq!((&json["values"]["left"], &json["tile"]), (&json!(0.0), &json!(512)));
        assert_eq!(json["makes"], json!(["right"]));
    }
}
