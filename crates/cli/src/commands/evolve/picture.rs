//! The course of an evolution as a picture: scores above, diversity and size below.

use lab2048::evolve::Report;

use crate::draw::chart::{across, begin, caption, grid, line, lower, name, nice, tick, upper};

/// The least distance of two names of curves.
const LETTERS_APART: f64 = 15.0;
/// The lines across a panel.
const STEPS: u32 = 5;

/// A scale that ends at or above a value, with round numbers on all its steps.
fn scale(most: f64) -> f64 {
    f64::from(STEPS) * nice(most / f64::from(STEPS))
}

/// Draws the generations of a run as SVG.
pub(super) fn draw(title: &str, reports: &[Report]) -> String {
    let mut svg = begin(title);
    let most = |figure: fn(&Report) -> f64| reports.iter().map(figure).fold(1.0, f64::max);
    let most_score = scale(most(|report| report.best_score).max(most(|report| report.champion_score)));
    let most_size = scale(most(|report| report.size));
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        grid(&mut svg, upper(share), &format!("{:.0}", share * most_score));
        grid(&mut svg, lower(share), &format!("{:.0}%", 100.0 * share));
    }
    let last = reports.len().saturating_sub(1).max(1);
    let step = (nice(last as f64 / 10.0) as usize).max(1);
    for number in (0..=last).step_by(step) {
        tick(&mut svg, number as f64 / last as f64, &number.to_string());
    }
    caption(
        &mut svg,
        &format!(
            "generations; above the score, below how many programs differ, and their mean size (100% are {most_size:.0} nodes)"
        ),
    );
    let now = reports.last();
    let nodes = format!("{:.0} nodes", now.map_or(0.0, |report| report.size));
    let differ = format!("{:.0}% differ", now.map_or(0.0, |report| 100.0 * report.diversity));
    type Curve<'a> = (&'a str, &'a str, Box<dyn Fn(&Report) -> f64>);
    let curves: [Curve<'_>; 5] = [
        ("best", "#f65e3b", Box::new(move |report| upper(report.best_score / most_score))),
        ("mean", "#8f7a66", Box::new(move |report| upper(report.mean_score / most_score))),
        ("champion", "#6c5ce7", Box::new(move |report| upper(report.champion_score / most_score))),
        (&differ, "#c0762b", Box::new(|report| lower(report.diversity))),
        (&nodes, "#222222", Box::new(move |report| lower(report.size / most_size))),
    ];
    for (_, colour, y) in &curves {
        let x = |report: &Report| across(report.generation as f64 / last as f64);
        line(&mut svg, colour, reports.iter().map(|report| (x(report), y(report))));
    }
    if let Some(report) = now {
        let ends: Vec<f64> = curves.iter().map(|(_, _, y)| y(report)).collect();
        for ((words, colour, _), y) in curves.iter().zip(apart(&ends)) {
            name(&mut svg, colour, y, words);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Moves places down where they are too near to the one above them.
fn apart(places: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut moved = places.to_vec();
    for pair in order.windows(2) {
        moved[pair[1]] = moved[pair[1]].max(moved[pair[0]] + LETTERS_APART);
    }
    moved
}

#[cfg(test)]
mod tests {
    use lab2048::evolve::Marks;

    use super::*;

    #[test]
    fn names_keep_their_distance_and_scales_are_round() {
        assert_eq!(apart(&[100.0, 40.0, 101.0, 300.0]), [100.0, 40.0, 115.0, 300.0]);
        assert_eq!([1000.0, 12_369.0, 43.0].map(scale), [1000.0, 12_500.0, 50.0]);
    }

    #[test]
    fn five_curves_from_side_to_side() {
        let report = |generation, best_score| Report {
            generation,
            best: Marks { fitness: 1.0, score: best_score, largest: 64.0 },
            best_score,
            best_largest: 64.0,
            mean_score: 0.0,
            mean_largest: 32.0,
            diversity: 1.0,
            size: 50.0,
            champion_score: 500.0,
        };
        let svg = draw("a <run>", &[report(0, 0.0), report(1, 1000.0)]);
        assert_eq!(svg.matches("<polyline").count(), 5);
        assert!(svg.contains("points=\"70.0,340.0 780.0,40.0\""), "{svg}");
        assert!(svg.contains(">100% differ<") && svg.contains(">50 nodes<"), "{svg}");
        assert!(draw("nothing yet", &[]).ends_with("</svg>\n"));
    }
}
