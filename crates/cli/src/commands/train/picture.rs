//! The learning curve as a picture: mean score over moves, and the rates of the big tiles below it.

use std::fmt::Write;

use super::curve::{Point, TILES};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 80.0;
const TOP: f64 = 40.0;
const UPPER: f64 = 300.0;
const GAP: f64 = 40.0;
const LOWER: f64 = 160.0;
const COLOURS: [&str; TILES.len()] = ["#c9b8a4", "#f2b179", "#f59563", "#f65e3b", "#6c5ce7", "#222222"];

/// Draws the points as SVG. Neighbouring points are averaged where there are more than the picture shows.
pub(super) fn draw(title: &str, points: &[Point]) -> String {
    let points = thinned(points, 240);
    let height = TOP + UPPER + GAP + LOWER + 50.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fffdf9\"/>\n<text x=\"{LEFT}\" y=\"24\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    let most_moves = points.last().map_or(1.0, |point| point.moves as f64).max(1.0);
    let most_score = nice(points.iter().map(|point| point.mean).fold(1.0, f64::max));
    let x = |moves: u64| LEFT + (WIDTH - LEFT - RIGHT) * moves as f64 / most_moves;
    let upper = |score: f64| TOP + UPPER * (1.0 - score / most_score);
    let lower = |rate: f64| TOP + UPPER + GAP + LOWER * (1.0 - rate);
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        grid(&mut svg, upper(share * most_score), &format!("{:.0}", share * most_score));
        grid(&mut svg, lower(share), &format!("{:.0}%", 100.0 * share));
        let moves = share * most_moves;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(moves as u64),
            height - 28.0,
            short(moves)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">moves of training; above the mean score of the training games, \
         below how many of them made each tile</text>",
        WIDTH / 2.0,
        height - 8.0
    );
    line(&mut svg, "#8f7a66", points.iter().map(|point| (x(point.moves), upper(point.mean))));
    for (place, (_, name)) in TILES.iter().enumerate() {
        if points.iter().all(|point| point.rates[place] == 0.0) {
            continue;
        }
        line(
            &mut svg,
            COLOURS[place],
            points.iter().map(|point| (x(point.moves), lower(point.rates[place]))),
        );
        let y = points.last().map_or(0.0, |point| lower(point.rates[place]));
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{name}</text>",
            WIDTH - RIGHT + 6.0,
            y + 4.0,
            COLOURS[place]
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn grid(svg: &mut String, y: f64, label: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e5ddd3\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
        WIDTH - RIGHT,
        LEFT - 6.0,
        y + 4.0
    );
}

fn line(svg: &mut String, colour: &str, places: impl Iterator<Item = (f64, f64)>) {
    let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" points=\"{}\"/>",
        places.join(" ")
    );
}

/// At most `most` points, each the mean of neighbouring ones, weighted by their games.
fn thinned(points: &[Point], most: usize) -> Vec<Point> {
    let size = points.len().div_ceil(most).max(1);
    let merged = |part: &[Point]| {
        let last = part.last().expect("chunks are not empty");
        let over: u64 = part.iter().map(|point| point.over).sum();
        let mean = |of: &dyn Fn(&Point) -> f64| {
            part.iter().map(|point| of(point) * point.over as f64).sum::<f64>() / over.max(1) as f64
        };
        let rates = std::array::from_fn(|place| mean(&|point: &Point| point.rates[place]));
        Point { mean: mean(&|point: &Point| point.mean), over, rates, ..last.clone() }
    };
    points.chunks(size).map(merged).collect()
}

/// The next round number: 1, 2, 2.5 or 5 times a power of ten.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    power * steps.into_iter().find(|step| step * power >= value).unwrap_or(10.0)
}

/// A number of moves in a few letters.
fn short(moves: f64) -> String {
    match moves {
        moves if moves >= 1e9 => format!("{:.1}G", moves / 1e9),
        moves if moves >= 1e6 => format!("{:.0}M", moves / 1e6),
        moves if moves >= 1e3 => format!("{:.0}k", moves / 1e3),
        moves => format!("{moves:.0}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
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
        assert!(svg.contains("4x6 &lt;test>") && svg.contains(">2M<") && svg.contains(">50000<"));
        assert_eq!(svg.matches("<polyline").count(), 3, "the score and the two tiles that were made");
        assert!(draw("nothing yet", &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn many_points_are_averaged() {
        let many: Vec<Point> = (1..=1000).map(|moves| point(moves, moves as f64)).collect();
        let thin = thinned(&many, 100);
        assert_eq!((thin.len(), thin[0].mean, thin[0].over, thin[99].moves), (100, 5.5, 100, 1000));
    }

    #[test]
    fn scales_end_at_round_numbers() {
        assert_eq!([1.0, 130_000.0, 220_000.0, 4e5].map(nice), [1.0, 200_000.0, 250_000.0, 500_000.0]);
    }
}
