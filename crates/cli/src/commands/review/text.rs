//! A review in plain text.

use std::fmt::Write as _;

use lab2048::board::Direction;
use lab2048::game::Action;
use lab2048::review::Grade;
use lab2048::text::{SENTENCE, one_line};

use super::{Mistake, Report};
use crate::report::{Table, decimal, percent, whole};
use crate::show;

/// The whole report.
pub(super) fn text(report: &Report<'_>) -> String {
    let summary = &report.summary;
    let mut text = format!(
        "{}: {}, score {}\njudge: {}\n\n",
        report.file,
        one_line(&report.title(), SENTENCE),
        whole(report.score()),
        report.judge
    );
    text.push_str(&grades(report).to_text());
    text.push('\n');
    for line in sentences(report) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    if !report.worst.is_empty() {
        text.push_str("\nthe moves that lost most:\n");
    }
    for mistake in &report.worst {
        let _ = write!(text, "\n{}", mistake_text(mistake));
    }
    if summary.unjudged > 0 {
        let moves = show::count(summary.unjudged, "move");
        let _ = writeln!(text, "\nthe judge has no value for {moves}");
    }
    text
}

/// The number of moves with each grade.
pub(super) fn grades(report: &Report<'_>) -> Table {
    let summary = &report.summary;
    let mut table = Table::new(["grade", "from", "moves", "%", "points lost"]);
    for grade in Grade::ALL {
        let tally = summary.with(grade);
        table.push(vec![
            grade.to_string(),
            grade.least().to_string(),
            whole(tally.moves as u64),
            decimal(100.0 * tally.moves as f64 / summary.graded().max(1) as f64),
            decimal(tally.loss),
        ]);
    }
    if summary.forced > 0 {
        let (forced, none) = (whole(summary.forced as u64), String::new);
        table.push(vec!["forced".to_owned(), none(), forced, none(), none()]);
    }
    table
}

/// The summary of all moves, as sentences.
pub(super) fn sentences(report: &Report<'_>) -> Vec<String> {
    let summary = &report.summary;
    let mut lines = Vec::new();
    if let (Some(agreement), Some(kept)) = (summary.agreement(), summary.kept()) {
        let accuracy = match summary.accuracy() {
            Some(accuracy) => {
                format!("{}: 100% loses nothing, 0% loses like random moves", percent(accuracy))
            }
            None => "-: no move could lose anything".to_owned(),
        };
        lines.push(format!(
            "accuracy {accuracy}; {} of {} graded moves ({:.1}%) were the judge's best",
            whole(summary.best as u64),
            whole(summary.graded() as u64),
            100.0 * agreement
        ));
        lines.push(format!(
            "the judge counts {} lost points in total; the product of all kept shares is {}",
            decimal(summary.loss()),
            kept_text(kept)
        ));
    }
    if let Some(quit) = report.review.moves.last().filter(|judged| judged.played == Action::Quit) {
        lines.push(format!("the player quit with {} points to come", decimal(quit.best_value)));
    }
    if !report.review.complete {
        let (judged, all) = (report.review.moves.len(), report.replay.steps().len());
        lines.push(format!(
            "only the first {} of {} steps were judged",
            whole(judged as u64),
            whole(all as u64)
        ));
    }
    lines
}

/// A kept share as a percentage, with more decimals near 0% and 100%.
fn kept_text(share: f64) -> String {
    let percent = 100.0 * share;
    if (1.0..99.0).contains(&percent) { format!("{percent:.1}%") } else { format!("{percent:.3}%") }
}

/// One mistake as a sentence, without its number.
pub(super) fn sentence(mistake: &Mistake<'_>) -> String {
    let judged = mistake.judged;
    format!(
        "{} instead of {} lost {} points: expected final score {} instead of {} ({})",
        show::action_name(judged.played),
        show::action_name(judged.best),
        decimal(judged.loss().unwrap_or_default()),
        decimal(judged.expected_after().unwrap_or_default()),
        decimal(judged.expected()),
        judged.verdict().name(),
    )
}

fn mistake_text(mistake: &Mistake<'_>) -> String {
    let judged = mistake.judged;
    let value = |direction: Direction| match judged.values[direction.index()].worth() {
        Some(value) => format!("{direction} {}", decimal(value)),
        None => format!("{direction} -"),
    };
    format!(
        "move {}: {}\n{}\nscore {}; points to come: {}\n",
        whole(judged.number as u64),
        sentence(mistake),
        mistake.position.board,
        whole(judged.score),
        Direction::ALL.map(value).join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_near_the_ends_have_more_digits() {
        assert_eq!([1.0, 0.99871, 0.5, 0.0001].map(kept_text), ["100.000%", "99.871%", "50.0%", "0.010%"]);
    }
}
