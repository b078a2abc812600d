//! Practice in words.

use lab2048::solve::{Goal, Outcome, Practice, PracticeMove};

use super::{SOLVED, Tally};
use crate::exact::value_text;
use crate::report::percent;
use crate::show::count;

/// What a move kept: `left kept 81.2% of 83.0%; best: up 83.0%`.
pub(crate) fn judged(judged: &PracticeMove, goal: Goal) -> String {
    let PracticeMove { played, best, before, kept, .. } = judged;
    let unit = if goal == Goal::Score { " points" } else { "" };
    let before = value_text(*before, goal);
    if played == best || value_text(*kept, goal) == before {
        return format!("{played} kept all of {before}{unit}");
    }
    format!("{played} kept {} of {before}{unit}; best: {best} {before}", value_text(*kept, goal))
}

/// How often a mistake was solved.
pub(super) fn solved(times: u32) -> String {
    match times {
        // Another window has removed it.
        0 => "solved".to_owned(),
        SOLVED.. => format!("solved {SOLVED} times in a row; removed from the list"),
        _ => format!("solved {times} of {SOLVED} times in a row"),
    }
}

/// That there are no mistakes, of one table or at all.
pub(crate) fn no_mistakes(table: Option<&str>) -> String {
    let of = table.map_or_else(String::new, |table| format!(" of {table}"));
    format!("no mistakes{of} are collected yet")
}

/// What to do after the end.
pub(crate) const OVER: &str = "this position is finished: n next, r again, u undo";
/// The same after the last position.
pub(crate) const LAST_OVER: &str = "this was the last position: r again, u undo, q leave";

/// How a practice ended: `you made 512`.
pub(crate) fn ending(practice: &Practice) -> String {
    let target = practice.table().game().target().unwrap_or_default();
    match practice.outcome() {
        Outcome::Open => "the position is open".to_owned(),
        Outcome::Made => format!("you made {target}"),
        Outcome::Over if practice.table().counts_points() => "the game is over".to_owned(),
        Outcome::Over if practice.mistakes().is_empty() => {
            format!("{target} is out of reach; your moves were perfect")
        }
        Outcome::Over => format!("{target} is out of reach"),
    }
}

/// What the moves kept: `14 moves kept 93.4% of the chance`.
pub(crate) fn kept(practice: &Practice) -> String {
    let what = if practice.table().counts_points() { "points" } else { "chance" };
    let moves = count(practice.moves().len() as u64, "move");
    format!("{moves} kept {} of the {what}", percent(practice.kept_share()))
}

/// The whole session in one line; `None` before the first move.
pub(crate) fn summary(tally: &Tally) -> Option<String> {
    let kept = tally.mean()?;
    if tally.drilled > 0 {
        return Some(format!("drilled {}, solved {}", count(tally.drilled, "mistake"), tally.solved));
    }
    let positions = count(tally.positions, "position");
    let (moves, mistakes) = (count(tally.moves, "move"), count(tally.mistakes, "mistake"));
    let average = if tally.positions > 1 { " on average" } else { "" };
    Some(format!("{positions}   {moves}   {mistakes}   kept {}{average}", percent(kept)))
}
