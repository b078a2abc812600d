//! A chart of an evolution: scores above, diversity and size below.

use lab2048::evolve::Report;
use lab2048_draw::chart::{Chart, CurveName, Panel, Scale};

/// Draws the generations of a run as SVG.
pub(super) fn draw(title: &str, reports: &[Report]) -> String {
    let mut chart = Chart::new(title);
    let most = |figure: fn(&Report) -> f64| reports.iter().map(figure).fold(1.0, f64::max);
    let largest_score = most(|report| report.best_score).max(most(|report| report.champion_score));
    let score = chart.values(Panel::Upper, largest_score, |score| format!("{score:.0}"));
    let share = chart.values(Panel::Lower, 1.0, |share| format!("{:.0}%", 100.0 * share));
    let size = Scale::new(Panel::Lower, most(|report| report.size));
    let generation = chart.counts(reports.len().saturating_sub(1).max(1) as f64);
    chart.caption(&format!(
        "generations; above: score; below: share of different programs, and mean size (100% = {:.0} nodes)",
        size.most()
    ));
    let now = reports.last();
    let nodes = format!("{:.0} nodes", now.map_or(0.0, |report| report.size));
    let differ = format!("{:.0}% differ", now.map_or(0.0, |report| 100.0 * report.diversity));
    type Curve<'a> = (&'a str, &'a str, Scale, fn(&Report) -> f64);
    let curves: [Curve<'_>; 5] = [
        ("best", "#f65e3b", score, |report| report.best_score),
        ("mean", "#8f7a66", score, |report| report.mean_score),
        ("champion", "#6c5ce7", score, |report| report.champion_score),
        (&differ, "#c0762b", share, |report| report.diversity),
        (&nodes, "#222222", size, |report| report.size),
    ];
    let mut ends = Vec::new();
    for (name, colour, scale, figure) in curves {
        let y = |report: &Report| scale.place(figure(report));
        chart.curve(
            colour,
            reports.iter().map(|report| (generation.place(report.generation as f64), y(report))),
        );
        ends.extend(now.map(|report| CurveName { name, colour, y: y(report) }));
    }
    chart.names(ends);
    chart.finish()
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
        assert!(svg.contains(">100% differ<") && svg.contains(">50 nodes<"), "{svg}");
        assert!(draw("nothing yet", &[]).ends_with("</svg>\n"));
    }
}
