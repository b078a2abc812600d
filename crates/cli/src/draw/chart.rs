//! Curves over time as a picture: two panels above each other with a common axis below, the parts that every such picture is
//! made of.

use std::fmt::Write;

pub(crate) const WIDTH: f64 = 860.0;
pub(crate) const LEFT: f64 = 70.0;
pub(crate) const RIGHT: f64 = 80.0;
pub(crate) const TOP: f64 = 40.0;
pub(crate) const UPPER: f64 = 300.0;
pub(crate) const GAP: f64 = 40.0;
pub(crate) const LOWER: f64 = 160.0;
/// The height of the whole picture.
pub(crate) const HEIGHT: f64 = TOP + UPPER + GAP + LOWER + 50.0;

/// The beginning of a picture with a title.
pub(crate) fn begin(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fffdf9\"/>\n<text x=\"{LEFT}\" y=\"24\" font-size=\"14\">{}</text>\n",
        escaped(title)
    )
}

/// Where a share of the common axis lies.
pub(crate) fn across(share: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * share
}

/// Where a share of the upper panel lies.
pub(crate) fn upper(share: f64) -> f64 {
    TOP + UPPER * (1.0 - share)
}

/// Where a share of the lower panel lies.
pub(crate) fn lower(share: f64) -> f64 {
    TOP + UPPER + GAP + LOWER * (1.0 - share)
}

/// A line across a panel with its label on the left.
pub(crate) fn grid(svg: &mut String, y: f64, label: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e5ddd3\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
        WIDTH - RIGHT,
        LEFT - 6.0,
        y + 4.0
    );
}

/// A label below the common axis.
pub(crate) fn tick(svg: &mut String, share: f64, label: &str) {
    let (x, y) = (across(share), HEIGHT - 28.0);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>");
}

/// The sentence at the foot that says what is shown.
pub(crate) fn caption(svg: &mut String, text: &str) {
    let (x, y) = (WIDTH / 2.0, HEIGHT - 8.0);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escaped(text));
}

/// The names of curves, each with its colour and where it ends, beside their ends and apart from each other.
pub(crate) fn names(svg: &mut String, mut ends: Vec<(&str, f64, &str)>) {
    const APART: f64 = 13.0;
    ends.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut lowest = f64::INFINITY;
    for (colour, end, text) in ends {
        lowest = end.min(lowest - APART);
        name(svg, colour, lowest, text);
    }
}

/// The name of a curve, beside its end.
pub(crate) fn name(svg: &mut String, colour: &str, y: f64, text: &str) {
    let (x, y) = (WIDTH - RIGHT + 6.0, y + 4.0);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>", escaped(text));
}

/// A curve.
pub(crate) fn line(svg: &mut String, colour: &str, places: impl Iterator<Item = (f64, f64)>) {
    let places: Vec<String> = places.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" points=\"{}\"/>",
        places.join(" ")
    );
}

/// The next round number: 1, 2, 2.5 or 5 times a power of ten.
pub(crate) fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    power * steps.into_iter().find(|step| step * power >= value).unwrap_or(10.0)
}

/// Round numbers from 0 up to a value, about five of them.
pub(crate) fn round_steps(most: f64) -> impl Iterator<Item = f64> {
    let step = nice(most / 6.0);
    (0..).map(move |number| f64::from(number) * step).take_while(move |&number| number <= most)
}

/// A number in a few letters.
pub(crate) fn short(number: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, letter) = units.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1.0, ""));
    let digits = format!("{:.1}", number / unit);
    format!("{}{letter}", digits.strip_suffix(".0").unwrap_or(&digits))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_round_numbers() {
        assert_eq!([1.0, 130_000.0, 220_000.0, 4e5].map(nice), [1.0, 200_000.0, 250_000.0, 500_000.0]);
        let labels: Vec<String> = round_steps(3.1e9).map(short).collect();
        assert_eq!(labels, ["0", "1G", "2G", "3G"]);
        assert_eq!([2.5e6, 999.0, 1.5e9].map(short), ["2.5M", "999", "1.5G"]);
    }

    #[test]
    fn names_do_not_cover_each_other() {
        let mut svg = String::new();
        names(&mut svg, vec![("red", 100.0, "a"), ("blue", 101.0, "b"), ("green", 50.0, "c")]);
        let heights: Vec<&str> =
            svg.split("y=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(heights, ["105.0", "92.0", "54.0"]);
    }
}
