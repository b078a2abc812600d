//! A chart of a reviewed game: the final score that the judge expected, the score, and the loss of
//! each move.

use lab2048::review::{Grade, JudgedMove, Review};
use lab2048_draw::chart::{Chart, CurveName, Panel, Scale, short};

/// The number of columns in the picture. Longer games have several moves per column.
const COLUMNS: usize = 700;

/// The colours of the grades, best first. They are readable on light and dark backgrounds.
pub(super) const COLOURS: [&str; Grade::ALL.len()] =
    ["#4f9d69", "#8fae4b", "#d9a514", "#ef8a3d", "#e8543a", "#b03a8c"];
const EXPECTED: &str = "#3d7ea6";
const SCORE: &str = "#a08a74";

/// Draws the chart as SVG.
pub(super) fn draw(review: &Review) -> String {
    let moves = &review.moves;
    let mut chart = Chart::new("What the judge expected, and what each move lost");
    let largest = moves.iter().map(JudgedMove::expected).fold(1.0, f64::max);
    let points = chart.values(Panel::Upper, largest, short);
    let largest_loss = moves.iter().filter_map(JudgedMove::loss).fold(1.0, f64::max);
    let lost = chart.values(Panel::Lower, largest_loss, short);
    let numbers = chart.counts(moves.len().max(1) as f64);
    chart.caption("moves; above: expected final score and score; below: points lost by moves");
    let parts: Vec<&[JudgedMove]> = moves.chunks(moves.len().div_ceil(COLUMNS).max(1)).collect();
    let curve = |value: &dyn Fn(&JudgedMove) -> f64| -> Vec<(f64, f64)> {
        let of_part = |part: &&[JudgedMove]| {
            let last = part.last()?;
            let mean = part.iter().map(value).sum::<f64>() / part.len() as f64;
            Some((numbers.place(last.number as f64), points.place(mean)))
        };
        parts.iter().filter_map(of_part).collect()
    };
    let (expected, score) = (curve(&JudgedMove::expected), curve(&|judged| judged.score as f64));
    let end = |curve: &[(f64, f64)]| curve.last().map_or(points.place(0.0), |point| point.1);
    chart.names(vec![
        CurveName { name: "expected", colour: EXPECTED, y: end(&expected) },
        CurveName { name: "score", colour: SCORE, y: end(&score) },
    ]);
    chart.curve(SCORE, score);
    chart.curve(EXPECTED, expected);
    losses(&mut chart, &parts, numbers, lost);
    chart.finish()
}

/// The largest loss of each column, in the colour of its grade.
fn losses(chart: &mut Chart, parts: &[&[JudgedMove]], numbers: Scale, lost: Scale) {
    let loss = |judged: &JudgedMove| judged.loss().filter(|_| judged.grade().is_some()).unwrap_or(0.0);
    for part in parts {
        let Some(worst) = part.iter().max_by(|one, other| loss(one).total_cmp(&loss(other))) else {
            continue;
        };
        let Some(grade) = worst.grade().filter(|_| loss(worst) > 0.0) else { continue };
        let x = numbers.place(worst.number as f64);
        chart.bar(COLOURS[grade.index()], x, lost.place(0.0), lost.place(loss(worst)));
    }
}

#[cfg(test)]
mod tests {
    use lab2048::board::Direction;
    use lab2048::game::{Action, MoveValue};

    use super::*;

    fn judged(number: usize, best_value: f64, played_value: f64) -> JudgedMove {
        JudgedMove {
            number,
            score: 0,
            played: Action::Move(Direction::Up),
            best: Action::Move(Direction::Left),
            values: [
                MoveValue::Worth(played_value),
                MoveValue::Illegal,
                MoveValue::Illegal,
                MoveValue::Worth(best_value),
            ],
            played_value: Some(played_value),
            best_value,
            choices: 2,
        }
    }

    #[test]
    fn losses_stand_on_their_axis_in_the_colour_of_their_grade() {
        let moves = vec![judged(1, 1000.0, 1000.0), judged(2, 1000.0, 500.0)];
        let svg = draw(&Review { moves, complete: true });
        assert!(svg.contains(&format!("M780.0 540.0V380.0\" stroke=\"{}\"", COLOURS[5])), "{svg}");
        assert_eq!(svg.matches("<path").count(), 1, "the first move lost nothing");
        assert_eq!(svg.matches("<polyline").count(), 2);
    }

    #[test]
    fn long_games_have_no_more_lines_than_columns() {
        let moves = (1..=10_000).map(|number| judged(number, 100.0, 50.0)).collect();
        let svg = draw(&Review { moves, complete: true });
        assert!(svg.matches("<path").count() <= COLUMNS);
        assert!(draw(&Review { moves: Vec::new(), complete: true }).ends_with("</svg>\n"));
    }
}
