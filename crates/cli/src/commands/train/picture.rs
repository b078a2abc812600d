//! A chart of the learning curve: the mean score over moves, and the rates of the large tiles below
//! it.

use lab2048_draw::chart::{Chart, CurveName, Panel};

use super::curve::{Point, TILES};

const COLOURS: [&str; TILES.len()] = ["#c9b8a4", "#f2b179", "#f59563", "#f65e3b", "#6c5ce7", "#222222"];

/// Draws the points as SVG. Points that are too close for the picture are averaged.
pub(super) fn draw(title: &str, points: &[Point]) -> String {
    let points = thinned(points, 240);
    let mut chart = Chart::new(title);
    let largest_mean = points.iter().map(|point| point.mean).fold(1.0, f64::max);
    let score = chart.values(Panel::Upper, largest_mean, |score| format!("{score:.0}"));
    let rate = chart.values(Panel::Lower, 1.0, |share| format!("{:.0}%", 100.0 * share));
    let moves = chart.counts(points.last().map_or(1.0, |point| point.moves as f64).max(1.0));
    chart.caption(
        "moves of training; above: mean score of the training games; below: share of them that made each tile",
    );
    let x = |point: &Point| moves.place(point.moves as f64);
    chart.curve("#8f7a66", points.iter().map(|point| (x(point), score.place(point.mean))));
    let mut ends = Vec::new();
    for (place, ((_, tile), colour)) in TILES.iter().zip(COLOURS).enumerate() {
        let y = |point: &Point| rate.place(point.rates[place]);
        let Some(last) = points.last().filter(|_| points.iter().any(|point| point.rates[place] > 0.0)) else {
            continue;
        };
        chart.curve(colour, points.iter().map(|point| (x(point), y(point))));
        ends.push(CurveName { name: tile, colour, y: y(last) });
    }
    chart.names(ends);
    chart.finish()
}

/// Divides all moves into about `most` equal parts and averages the points of each part, weighted
/// by their games. Points come at equal times, so that a slow period has few games.
fn thinned(points: &[Point], most: u64) -> Vec<Point> {
    let all = points.last().map_or(1, |point| point.moves).max(1);
    let part = |point: &Point| u128::from(point.moves) * u128::from(most) / u128::from(all);
    points.chunk_by(|one, next| part(one) == part(next)).map(mean_of).collect()
}

/// The mean of neighbouring points, at the position of the last one. There must be at least one.
fn mean_of(part: &[Point]) -> Point {
    let last = part.last().expect("at least one point");
    let over: u64 = part.iter().map(|point| point.over).sum();
    let mean = |of: &dyn Fn(&Point) -> f64| {
        part.iter().map(|point| of(point) * point.over as f64).sum::<f64>() / over.max(1) as f64
    };
    let rates = std::array::from_fn(|place| mean(&|point: &Point| point.rates[place]));
    Point { mean: mean(&|point: &Point| point.mean), over, rates, ..last.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(moves: u64, mean: f64) -> Point {
        Point { games: moves, moves, seconds: 1.0, mean, over: 10, rates: [1.0, 0.5, 0.0, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn the_curve_goes_from_corner_to_corner() {
        let svg = draw("4x6 <test>", &[point(0, 0.0), point(2_000_000, 50_000.0)]);
        assert!(svg.contains("points=\"70.0,340.0 780.0,40.0\""), "{svg}");
        assert!(svg.contains("4x6 &lt;test&gt;") && svg.contains(">2M<") && svg.contains(">50000<"));
        assert_eq!(svg.matches("<polyline").count(), 3, "the score and the two tiles that were made");
        assert!(draw("nothing yet", &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn many_points_are_averaged() {
        let many: Vec<Point> = (1..=1000).map(|moves| point(moves, moves as f64)).collect();
        let thin = thinned(&many, 100);
        assert_eq!((thin.len(), thin[1].mean, thin[1].over, thin[100].moves), (101, 14.5, 100, 1000));
    }
}
