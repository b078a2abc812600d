//! Line charts as SVG: two panels, one above the other, with a common axis of counts at the bottom.

use std::fmt::Write as _;

use crate::svg::{BEGINNING, escaped};

const WIDTH: f64 = 860.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 80.0;
const TOP: f64 = 40.0;
const UPPER: f64 = 300.0;
const GAP: f64 = 40.0;
const LOWER: f64 = 160.0;
const HEIGHT: f64 = TOP + UPPER + GAP + LOWER + 50.0;
/// Grid lines divide a panel into this many parts.
const STEPS: u32 = 5;
/// The minimum distance between the names of two curves.
const NAMES_APART: f64 = 13.0;

/// A part of the chart with its own value axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The large one.
    Upper,
    /// The small one below it.
    Lower,
}

/// Maps values to coordinates in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The coordinate of 0.
    zero: f64,
    /// The distance from there to the coordinate of `most`.
    length: f64,
    most: f64,
}

impl Scale {
    /// The scale of a panel, from 0 to a round number at or above the largest value.
    pub fn new(panel: Panel, largest: f64) -> Scale {
        let most = f64::from(STEPS) * nice(largest / f64::from(STEPS));
        match panel {
            Panel::Upper => Scale { zero: TOP + UPPER, length: -UPPER, most },
            Panel::Lower => Scale { zero: TOP + UPPER + GAP + LOWER, length: -LOWER, most },
        }
    }

    /// The coordinate of a value.
    pub fn place(&self, value: f64) -> f64 {
        self.zero + self.length * value / self.most
    }

    /// The value at the end of the scale.
    pub fn most(&self) -> f64 {
        self.most
    }
}

/// The name of a curve, written beside its end.
#[derive(Clone, Copy, Debug)]
pub struct CurveName<'a> {
    /// The text.
    pub name: &'a str,
    /// The colour of the curve, as in CSS.
    pub colour: &'a str,
    /// Where the curve ends.
    pub y: f64,
}

/// A chart under construction.
pub struct Chart {
    svg: String,
}

impl Chart {
    /// An empty chart with a title.
    pub fn new(title: &str) -> Chart {
        let svg = format!(
            "{BEGINNING} viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fffdf9\"/>\n<text x=\"{LEFT}\" y=\"24\" font-size=\"14\">{}</text>\n",
            escaped(title)
        );
        Chart { svg }
    }

    /// Draws the grid of a panel with labels on the left. Returns its scale.
    pub fn values(&mut self, panel: Panel, largest: f64, label: impl Fn(f64) -> String) -> Scale {
        let scale = Scale::new(panel, largest);
        for step in 0..=STEPS {
            let value = f64::from(step) / f64::from(STEPS) * scale.most;
            let y = scale.place(value);
            self.line(format_args!(
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#e5ddd3\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                escaped(&label(value))
            ));
        }
        scale
    }

    /// Draws the labels of the common axis from 0 to the largest count. Returns its scale.
    pub fn counts(&mut self, largest: f64) -> Scale {
        let scale = Scale { zero: LEFT, length: WIDTH - LEFT - RIGHT, most: largest };
        for count in round_counts(largest) {
            self.centred(scale.place(count), HEIGHT - 28.0, &short(count));
        }
        scale
    }

    /// Writes the caption at the bottom.
    pub fn caption(&mut self, text: &str) {
        self.centred(WIDTH / 2.0, HEIGHT - 8.0, text);
    }

    /// Draws a curve through points.
    pub fn curve(&mut self, colour: &str, places: impl IntoIterator<Item = (f64, f64)>) {
        let places: Vec<String> = places.into_iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.line(format_args!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" points=\"{}\"/>",
            places.join(" ")
        ));
    }

    /// Draws a bar from one height to another.
    pub fn bar(&mut self, colour: &str, x: f64, from: f64, to: f64) {
        self.line(format_args!(
            "<path d=\"M{x:.1} {from:.1}V{to:.1}\" stroke=\"{colour}\" stroke-width=\"1.8\"/>"
        ));
    }

    /// Writes the names of curves beside their ends. A name that would overlap another moves up.
    pub fn names(&mut self, mut names: Vec<CurveName<'_>>) {
        names.sort_by(|one, other| other.y.total_cmp(&one.y));
        let mut lowest = f64::INFINITY;
        for CurveName { name, colour, y } in names {
            lowest = y.min(lowest - NAMES_APART);
            let (x, y) = (WIDTH - RIGHT + 6.0, lowest + 4.0);
            self.line(format_args!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>",
                escaped(name)
            ));
        }
    }

    /// The finished chart as an SVG document.
    pub fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }

    fn centred(&mut self, x: f64, y: f64, text: &str) {
        let text = escaped(text);
        self.line(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>"));
    }

    fn line(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.svg.write_fmt(arguments);
        self.svg.push('\n');
    }
}

/// The next round number at or above `value`: 1, 2, 2.5 or 5 times a power of ten.
pub(crate) fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    power * steps.into_iter().find(|step| step * power >= value).unwrap_or(10.0)
}

/// About five round whole numbers from 0 up to `largest`.
fn round_counts(largest: f64) -> impl Iterator<Item = f64> {
    let step = nice(largest / 6.0).ceil();
    (0..).map(move |number| f64::from(number) * step).take_while(move |&number| number <= largest)
}

/// A number in a few characters, such as `2.5M`.
pub fn short(number: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, letter) = units.into_iter().find(|(unit, _)| number >= *unit).unwrap_or((1.0, ""));
    let digits = format!("{:.1}", number / unit);
    format!("{}{letter}", digits.strip_suffix(".0").unwrap_or(&digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_round_numbers() {
        assert_eq!([1.0, 130_000.0, 220_000.0, 4e5].map(nice), [1.0, 200_000.0, 250_000.0, 500_000.0]);
        let ends = [1.0, 1000.0, 12_369.0, 43.0].map(|largest| Scale::new(Panel::Upper, largest).most());
        assert_eq!(ends, [1.0, 1000.0, 12_500.0, 50.0], "every grid line has a round number");
        assert_eq!([2.5e6, 999.0, 1.5e9].map(short), ["2.5M", "999", "1.5G"]);
    }

    #[test]
    fn counts_are_whole_numbers() {
        let labels = |largest| round_counts(largest).map(short).collect::<Vec<_>>();
        assert_eq!(labels(3.1e9), ["0", "1G", "2G", "3G"]);
        assert_eq!(labels(14.0), ["0", "3", "6", "9", "12"]);
        assert_eq!(labels(1.0), ["0", "1"]);
    }

    #[test]
    fn names_do_not_cover_each_other() {
        let mut chart = Chart { svg: String::new() };
        let named = |name, y| CurveName { name, colour: "red", y };
        chart.names(vec![named("a", 100.0), named("b", 101.0), named("c", 50.0)]);
        let heights: Vec<&str> =
            chart.svg.split("y=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(heights, ["105.0", "92.0", "54.0"]);
    }
}
