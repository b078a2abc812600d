//! The course of an evolution as a picture: scores above, diversity and size below.

use lab2048::evolve::Report;

use crate::draw::chart::{across, begin, caption, grid, line, lower, name, nice, tick, upper};

/// Draws the generations of a run as SVG.
pub(super) fn draw(title: &str, reports: &[Report]) -> String {
    let mut svg = begin(title);
    let last = reports.len().saturating_sub(1).max(1) as f64;
    let most_score = nice(reports.iter().map(|report| report.best_score).fold(1.0, f64::max));
    let most_size = nice(reports.iter().map(|report| report.size).fold(1.0, f64::max));
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        grid(&mut svg, upper(share), &format!("{:.0}", share * most_score));
        grid(&mut svg, lower(share), &format!("{:.0}%", 100.0 * share));
        tick(&mut svg, share, &format!("{:.0}", share * last));
    }
    caption(
        &mut svg,
        &format!(
            "generations; above the score, below how many programs differ, and their mean size as a part of {most_size:.0} nodes"
        ),
    );
    type Curve<'a> = (&'a str, &'a str, Box<dyn Fn(&Report) -> f64>);
    let curves: [Curve<'_>; 5] = [
        ("best", "#f65e3b", Box::new(move |report| upper(report.best_score / most_score))),
        ("mean", "#8f7a66", Box::new(move |report| upper(report.mean_score / most_score))),
        ("champion", "#6c5ce7", Box::new(move |report| upper(report.champion_score / most_score))),
        ("different", "#f2b179", Box::new(|report| lower(report.diversity))),
        ("size", "#222222", Box::new(move |report| lower(report.size / most_size))),
    ];
    for (words, colour, y) in &curves {
        let x = |report: &Report| across(report.generation as f64 / last);
        line(&mut svg, colour, reports.iter().map(|report| (x(report), y(report).max(0.0))));
        if let Some(report) = reports.last() {
            name(&mut svg, colour, y(report).max(0.0), words);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use lab2048::evolve::Marks;

    use super::*;

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
        assert!(draw("nothing yet", &[]).ends_with("</svg>\n"));
    }
}
