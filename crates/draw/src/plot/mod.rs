//! Plots of samples of scores as SVG: histograms, cumulative curves, rates of tiles and
//! differences, one below the other.

mod axis;

use lab2048::arena::Interval;

use crate::chart::short;
use crate::palette::{INK, Rgb};
use crate::svg::{Anchor, Font, Svg, TEXT};
use axis::Axis;

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 24.0;
/// The left end of all axes. The labels of values stand before it.
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - MARGIN;
/// The distance between two sections.
const GAP: f64 = 34.0;
const LINE: f64 = 18.0;
/// The height of the plot of a histogram.
const LOW: f64 = 84.0;
/// The height of the other plots.
const HIGH: f64 = 230.0;
/// The maximum number of points of a cumulative curve.
const POINTS: usize = 500;
/// The characters of a name that fit into a line of the key.
const NAME: usize = 112;

const GRID: Rgb = Rgb(0xe5, 0xdd, 0xd3);
const QUIET: Rgb = Rgb(0x9a, 0x8f, 0x84);

/// The colours of players, which can be told apart on paper and with the usual colour blindness
/// (M. Okabe and K. Ito, Color Universal Design, 2008, without their black and yellow).
const COLOURS: [Rgb; 6] = [
    Rgb(0x00, 0x72, 0xb2),
    Rgb(0xd5, 0x5e, 0x00),
    Rgb(0x00, 0x9e, 0x73),
    Rgb(0xcc, 0x79, 0xa7),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x56, 0xb4, 0xe9),
];

/// The scores of a player.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its scores, in any order; at least one.
    pub scores: &'a [u64],
    /// Their mean.
    pub mean: f64,
    /// What is written beside the name, such as the mean in words.
    pub words: &'a str,
}

/// How often a tile was reached by each player.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The tile.
    pub tile: u64,
    /// The rate of each player and its interval.
    pub rates: Vec<(f64, Interval)>,
}

/// A difference with its interval.
#[derive(Clone, Copy, Debug)]
pub struct Gap<'a> {
    /// What is compared, such as `a minus b`.
    pub name: &'a str,
    /// The difference.
    pub mean: f64,
    /// Its interval, if it is known.
    pub interval: Option<Interval>,
    /// Whether the interval shows a difference.
    pub is_shown: bool,
    /// What is written beside the name, such as the difference in words.
    pub words: &'a str,
}

/// A picture under construction: a heading and plots below it.
pub struct Page {
    svg: Svg,
    y: f64,
}

/// The colour of a player by its place. Every second round of colours is darker.
fn colour(place: usize) -> Rgb {
    let Rgb(red, green, blue) = COLOURS[place % COLOURS.len()];
    let darker = |part: u8| (u16::from(part) * 11 / 20) as u8;
    match place / COLOURS.len() % 2 {
        0 => Rgb(red, green, blue),
        _ => Rgb(darker(red), darker(green), darker(blue)),
    }
}

fn font(anchor: Anchor) -> Font {
    Font { size: TEXT, bold: false, ink: INK, anchor }
}

impl Page {
    /// A picture with a heading: a title and lines below it. Lines that are too long continue
    /// below.
    pub fn new(title: &str, lines: &[String]) -> Page {
        let mut svg = Svg::new();
        let lines: Vec<String> = lines.iter().flat_map(|line| folded(line, NAME)).collect();
        let (_, bottom) = svg.heading(MARGIN, title, &lines);
        Page { svg, y: bottom + GAP - 10.0 }
    }

    /// Draws a histogram for each player over a common axis. A line marks the mean.
    pub fn histograms(&mut self, samples: &[Sample<'_>]) {
        self.title("Scores");
        let axis = Axis::of(samples, LEFT, RIGHT);
        let most = samples.iter().map(|sample| sample.scores.len()).max().unwrap_or(0);
        let edges = axis.edges(most);
        for (place, sample) in samples.iter().enumerate() {
            self.key(place, sample.name, Some(sample.words));
            let (top, bottom) = (self.y + 4.0, self.y + 4.0 + LOW);
            self.ticks(&axis, top, bottom, place + 1 == samples.len());
            let mut games = vec![0u64; edges.len().saturating_sub(1).max(1)];
            for &score in sample.scores {
                let bin = edges.partition_point(|&edge| edge <= score as f64).saturating_sub(1);
                let last = games.len() - 1;
                games[bin.min(last)] += 1;
            }
            let highest = games.iter().copied().max().unwrap_or(1).max(1) as f64;
            let share = 100.0 * highest / sample.scores.len().max(1) as f64;
            let label = if share < 10.0 { format!("{share:.1}%") } else { format!("{share:.0}%") };
            self.svg.text(LEFT - 6.0, top + 4.0, font(Anchor::End), &label);
            for (ends, &games) in edges.windows(2).zip(&games) {
                let (from, to) = (axis.place(ends[0]), axis.place(ends[1]));
                let height = LOW * games as f64 / highest;
                let width = (to - from - 1.0).max(0.5);
                self.bar("bin", (from, bottom - height), (width, height), colour(place));
            }
            self.rule((LEFT, bottom), (RIGHT, bottom), QUIET, "");
            let mean = axis.place(sample.mean);
            // A light edge makes the line visible on a bar.
            self.rule((mean, top), (mean, bottom), crate::palette::PAGE, " stroke-width=\"3\"");
            self.rule((mean, top), (mean, bottom), INK, " stroke-dasharray=\"3 3\"");
            self.y = bottom + 16.0;
        }
        self.y += 14.0;
        self.caption("score; the height is the share of games; dashed: mean");
    }

    /// Draws the share of games that had at least a score, for each player.
    pub fn cumulative(&mut self, samples: &[Sample<'_>]) {
        self.title("Games with at least this score");
        for (place, sample) in samples.iter().enumerate() {
            self.key(place, sample.name, Some(sample.words));
        }
        let axis = Axis::of(samples, LEFT, RIGHT);
        let (top, bottom) = (self.y + 6.0, self.y + 6.0 + HIGH);
        self.ticks(&axis, top, bottom, true);
        self.shares(top, bottom);
        for (place, sample) in samples.iter().enumerate() {
            let mut scores = sample.scores.to_vec();
            scores.sort_unstable();
            let y = |share: f64| bottom - (bottom - top) * share;
            let mut path = format!("M{:.1} {:.1}", LEFT, y(1.0));
            let count = scores.len();
            let shown = count.min(POINTS);
            for point in 0..shown {
                let index = point * count / shown;
                let above = (count - (point + 1) * count / shown) as f64 / count as f64;
                path += &format!("H{:.1}V{:.1}", axis.place(scores[index] as f64), y(above));
            }
            let stroke = colour(place);
            let dashes = if place < COLOURS.len() { "" } else { " stroke-dasharray=\"6 2\"" };
            self.svg.line(format_args!(
                "<path class=\"curve\" d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.8\"{dashes}/>"
            ));
        }
        self.y = bottom + 32.0;
        self.caption("score");
    }

    /// Draws how often each player reached each tile, with intervals. The names are those of the
    /// players of each rate.
    pub fn tiles(&mut self, names: &[&str], tiles: &[Reached]) {
        self.title("Games that reached a tile");
        for (place, name) in names.iter().enumerate() {
            self.key(place, name, None);
        }
        let (top, bottom) = (self.y + 18.0, self.y + 18.0 + HIGH);
        self.shares(top, bottom);
        let slot = (RIGHT - LEFT) / tiles.len().max(1) as f64;
        let width = (0.76 * slot / names.len().max(1) as f64).min(64.0);
        for (index, reached) in tiles.iter().enumerate() {
            let middle = LEFT + slot * (index as f64 + 0.5);
            self.svg.text(
                middle,
                bottom + 14.0,
                font(Anchor::Middle),
                &crate::number::number(reached.tile, 9),
            );
            for (place, (rate, interval)) in reached.rates.iter().enumerate() {
                let x = middle + width * (place as f64 - reached.rates.len() as f64 / 2.0);
                let y = |share: f64| bottom - (bottom - top) * share;
                self.bar("rate", (x, y(*rate)), (width - 1.0, bottom - y(*rate)), colour(place));
                let centre = x + (width - 1.0) / 2.0;
                self.whisker((centre, y(interval.low)), (centre, y(interval.high)), INK);
                if width >= 30.0 {
                    let digits = usize::from(*rate > 0.0 && *rate < 1.0);
                    let label = format!("{:.digits$}%", 100.0 * rate);
                    let small = Font { size: 10.5, ..font(Anchor::Middle) };
                    self.svg.text(centre, y(interval.high) - 8.0, small, &label);
                }
            }
        }
        self.rule((LEFT, bottom), (RIGHT, bottom), QUIET, "");
        self.y = bottom + 34.0;
        self.caption("largest tile at the end is at least this; the lines are 95% intervals");
    }

    /// Draws differences as points with their intervals over a common axis.
    pub fn differences(&mut self, gaps: &[Gap<'_>]) {
        const ROW: f64 = 22.0;
        self.title("Differences of the mean score");
        let ends = gaps.iter().flat_map(|gap| {
            let interval = gap.interval.unwrap_or(Interval { low: gap.mean, high: gap.mean });
            [interval.low, interval.high]
        });
        let axis = Axis::around_zero(ends, LEFT, RIGHT);
        let top = self.y;
        let names: Vec<Vec<String>> = gaps.iter().map(|gap| folded(gap.name, NAME * 6 / 10)).collect();
        let height: f64 = names.iter().map(|lines| lines.len() as f64 * LINE + ROW).sum();
        let bottom = top + height;
        self.ticks(&axis, top, bottom, true);
        let zero = axis.place(0.0);
        self.rule((zero, top), (zero, bottom), INK, "");
        for (gap, lines) in gaps.iter().zip(&names) {
            let ink = if gap.is_shown { colour(0) } else { QUIET };
            for (number, line) in lines.iter().enumerate() {
                if number == 0 {
                    self.plate(gap.words, Anchor::End);
                    self.svg.text(RIGHT, self.y + 8.0, font(Anchor::End), gap.words);
                }
                self.plate(line, Anchor::Start);
                self.svg.text(LEFT, self.y + 8.0, font(Anchor::Start), line);
                self.y += LINE;
            }
            let y = self.y + 6.0;
            if let Some(interval) = gap.interval {
                self.whisker((axis.place(interval.low), y), (axis.place(interval.high), y), ink);
            }
            let x = axis.place(gap.mean);
            self.svg.line(format_args!(
                "<circle class=\"difference\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{ink}\"/>"
            ));
            self.y += ROW;
        }
        self.y = bottom + 32.0;
        self.caption(
            "points; right of 0 the first player is better; lines are 95% intervals; grey ones contain 0",
        );
    }

    /// The finished picture as an SVG document.
    pub fn finish(self) -> String {
        self.svg.finish(WIDTH, self.y.ceil())
    }

    /// The heading of a section.
    fn title(&mut self, text: &str) {
        self.svg.text(MARGIN, self.y, Font { size: 14.0, bold: true, ..font(Anchor::Start) }, text);
        self.y += 24.0;
    }

    /// What the axis shows, and the distance to the next section.
    fn caption(&mut self, text: &str) {
        let middle = f64::midpoint(LEFT, RIGHT);
        self.svg.text(middle, self.y, Font { ink: QUIET, ..font(Anchor::Middle) }, text);
        self.y += GAP;
    }

    /// A player with its colour.
    fn key(&mut self, place: usize, name: &str, words: Option<&str>) {
        self.svg.rect(LEFT, self.y - 5.0, 10.0, 10.0, 2.0, colour(place));
        let room = words.map_or(NAME, |words| NAME.saturating_sub(words.chars().count() + 8));
        if let Some(words) = words {
            self.svg.text(RIGHT, self.y, font(Anchor::End), words);
        }
        for line in folded(name, room) {
            self.svg.text(LEFT + 16.0, self.y, font(Anchor::Start), &line);
            self.y += LINE;
        }
        self.y -= 2.0;
    }

    /// Vertical grid lines, with their labels below if wanted.
    fn ticks(&mut self, axis: &Axis, top: f64, bottom: f64, labels: bool) {
        for value in axis.ticks() {
            let x = axis.place(value);
            self.rule((x, top), (x, bottom), GRID, "");
            if labels {
                let sign = if value < 0.0 { "-" } else { "" };
                let label = format!("{sign}{}", short(value.abs()));
                self.svg.text(x, bottom + 14.0, font(Anchor::Middle), &label);
            }
        }
    }

    /// Horizontal grid lines from 0% to 100%.
    fn shares(&mut self, top: f64, bottom: f64) {
        for step in 0..=4 {
            let y = bottom - (bottom - top) * f64::from(step) / 4.0;
            self.rule((LEFT, y), (RIGHT, y), GRID, "");
            self.svg.text(LEFT - 6.0, y, font(Anchor::End), &format!("{}%", 25 * step));
        }
    }

    fn bar(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), fill: Rgb) {
        self.svg.line(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    /// Covers the grid behind a text of a difference.
    fn plate(&mut self, text: &str, anchor: Anchor) {
        let width = 6.3 * text.chars().count() as f64;
        let x = if anchor == Anchor::End { RIGHT - width } else { LEFT };
        self.svg.rect(x - 2.0, self.y, width + 4.0, 16.0, 0.0, crate::palette::PAGE);
    }

    fn rule(&mut self, (x, y): (f64, f64), (u, v): (f64, f64), ink: Rgb, more: &str) {
        self.svg.line(format_args!("<path d=\"M{x:.1} {y:.1}L{u:.1} {v:.1}\" stroke=\"{ink}\"{more}/>"));
    }

    /// An interval: a line with short ends across it.
    fn whisker(&mut self, from: (f64, f64), to: (f64, f64), ink: Rgb) {
        let ((x, y), (u, v)) = (from, to);
        let (across, along) = if x == u { (3.5, 0.0) } else { (0.0, 4.5) };
        self.svg.line(format_args!(
            "<path class=\"interval\" d=\"M{x:.1} {y:.1}L{u:.1} {v:.1}M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}\" \
             fill=\"none\" stroke=\"{ink}\" stroke-width=\"1.4\"/>",
            x - across,
            y - along,
            x + across,
            y + along,
            u - across,
            v - along,
            u + across,
            v + along
        ));
    }
}

/// A text in lines of at most `most` characters, broken after blanks and commas if possible.
fn folded(text: &str, most: usize) -> Vec<String> {
    let most = most.max(8);
    let letters: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut rest = &letters[..];
    while rest.len() > most {
        let part = &rest[..most];
        let cut = part.iter().rposition(|letter| " ,".contains(*letter)).map_or(most, |at| at + 1);
        lines.push(rest[..cut].iter().collect::<String>().trim_end().to_owned());
        rest = &rest[cut..];
    }
    lines.push(rest.iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample<'a>(name: &'a str, scores: &'a [u64]) -> Sample<'a> {
        let mean = scores.iter().sum::<u64>() as f64 / scores.len() as f64;
        Sample { name, scores, mean, words: "mean" }
    }

    /// The heights of all rectangles of a class.
    fn heights(svg: &str, class: &str) -> Vec<f64> {
        let class = format!("<rect class=\"{class}\"");
        let bars = svg.lines().filter(|line| line.starts_with(&class));
        let height = |line: &str| line.split("height=\"").nth(1)?.split('"').next()?.parse().ok();
        bars.filter_map(height).collect()
    }

    #[test]
    fn bars_are_as_high_as_their_share_of_games() {
        let scores: Vec<u64> = [vec![100; 6], vec![500; 3], vec![900; 1]].concat();
        let mut page = Page::new("A <title>", &[]);
        page.histograms(&[sample("a", &scores), sample("b", &[100, 900])]);
        let svg = page.finish();
        let found = heights(&svg, "bin");
        let filled: Vec<f64> = found.iter().copied().filter(|&height| height > 0.0).collect();
        assert_eq!(filled, [84.0, 42.0, 14.0, 84.0, 84.0], "{svg}");
        assert_eq!(found.len() % 2, 0, "both players have the same bins");
        assert!(svg.contains(">60%<") && svg.contains("A &lt;title&gt;"), "{svg}");
    }

    #[test]
    fn a_curve_falls_from_all_games_to_none() {
        let mut page = Page::new("", &[]);
        page.cumulative(&[sample("a", &[4, 8, 8, 12])]);
        let svg = page.finish();
        let curve = svg.lines().find(|line| line.contains("class=\"curve\"")).expect("a curve");
        let steps: Vec<f64> =
            curve.split('V').skip(1).filter_map(|part| part.split(['H', '"']).next()?.parse().ok()).collect();
        let bottom = steps[3];
        let shares: Vec<f64> = steps.iter().map(|y| ((bottom - y) / HIGH * 100.0).round()).collect();
        assert_eq!(shares, [75.0, 50.0, 25.0, 0.0], "{curve}");
    }

    #[test]
    fn every_player_has_a_bar_and_an_interval_for_each_tile() {
        let rate = |rate: f64| (rate, Interval { low: rate / 2.0, high: f64::midpoint(rate, 1.0) });
        let tiles = [
            Reached { tile: 1024, rates: vec![rate(1.0), rate(0.5)] },
            Reached { tile: 2048, rates: vec![rate(0.25), rate(0.0)] },
        ];
        let mut page = Page::new("", &[]);
        page.tiles(&["a", "b"], &tiles);
        let svg = page.finish();
        assert_eq!(heights(&svg, "rate"), [230.0, 115.0, 57.5, 0.0]);
        assert_eq!(svg.matches("class=\"interval\"").count(), 4);
        for label in [">1024<", ">2048<", ">25.0%<", ">100%<"] {
            assert!(svg.contains(label), "{label}\n{svg}");
        }
    }

    #[test]
    fn differences_stand_on_their_side_of_zero() {
        let gap = |mean: f64, half: f64| Gap {
            name: "a minus b",
            mean,
            interval: Some(Interval { low: mean - half, high: mean + half }),
            is_shown: half < mean.abs(),
            words: "so much",
        };
        let mut page = Page::new("", &[]);
        page.differences(&[gap(100.0, 50.0), gap(-20.0, 60.0), Gap { interval: None, ..gap(0.0, 1.0) }]);
        let svg = page.finish();
        let points: Vec<f64> =
            svg.split("cx=\"").skip(1).filter_map(|part| part.split('"').next()?.parse().ok()).collect();
        assert!(points[1] < points[2] && points[2] < points[0], "{points:?}");
        assert_eq!(svg.matches("class=\"interval\"").count(), 2);
        assert_eq!(svg.matches(&format!("fill=\"{QUIET}\"/>")).count(), 2, "two are not shown");
    }

    #[test]
    fn twelve_players_have_different_colours() {
        let colours: std::collections::HashSet<Rgb> = (0..12).map(colour).collect();
        assert_eq!(colours.len(), 12);
    }

    #[test]
    fn long_names_are_folded_after_a_comma() {
        assert_eq!(folded("a:b=1,c=2,d=3", 10), ["a:b=1,c=2,", "d=3"]);
        assert_eq!(folded("abcdefghijkl", 8), ["abcdefgh", "ijkl"]);
        assert_eq!(folded("", 8), [""]);
    }
}
