//! Progress of a training: one line that is updated in a terminal, otherwise occasional lines.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab2048::learn::{Finished, Progress};
use lab2048::ntuple::Shape;
use lab2048_draw::sparks::sparks;

use super::curve::Point;
use crate::failure::warn;

/// Without a terminal, the time between lines, and the shorter time before the first one.
const BETWEEN_LINES: Duration = Duration::from_secs(60);
const BEFORE_THE_FIRST: Duration = Duration::from_secs(10);
/// The width of the sparkline.
const SPARKS: usize = 24;
/// The tiles whose rates are shown.
const SHOWN: [(u8, &str); 4] = [(11, "2048"), (13, "8192"), (14, "16384"), (15, "32768")];

pub(super) struct Live {
    bar: Option<ProgressBar>,
    next_line: Instant,
    /// A description of the network, which is shown once before the first line.
    about: Option<String>,
}

/// The mean score; 0 without games.
pub(super) fn mean(games: &VecDeque<Finished>) -> f64 {
    games.iter().map(|game| f64::from(game.score)).sum::<f64>() / games.len().max(1) as f64
}

impl Live {
    pub(super) fn new(shape: &Shape, points: &[Point]) -> Live {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template("{msg}").expect("a valid template"));
            bar
        });
        let weights = shape.weights() as f64 / 1e6;
        let known =
            points.last().map_or(String::new(), |point| format!(", resumed after {} games", point.games));
        let about = format!("network {} with {weights:.1} million weights{known}", shape.patterns);
        Live { bar, next_line: Instant::now() + BEFORE_THE_FIRST, about: Some(about) }
    }

    pub(super) fn show(
        &mut self,
        now: Progress,
        speed: f64,
        recent: &VecDeque<Finished>,
        left: Option<f64>,
        points: &[Point],
    ) {
        let line = line(now, speed, recent, left);
        match &self.bar {
            Some(bar) => {
                if let Some(about) = self.about.take() {
                    bar.println(about);
                }
                bar.set_message(format!("{line}\n{}", sparkline(points)));
            }
            None if Instant::now() >= self.next_line => {
                self.next_line = Instant::now() + BETWEEN_LINES;
                // Progress is optional: if it cannot be written, the work continues.
                if let Some(about) = self.about.take() {
                    let _ = writeln!(io::stderr(), "{about}");
                }
                let _ = writeln!(io::stderr(), "{line}");
            }
            None => {}
        }
    }

    /// Prints a warning above the progress line.
    pub(super) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| warn(text)),
            None => warn(text),
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The figures in one line. Before the first whole game there is no mean.
fn line(now: Progress, speed: f64, recent: &VecDeque<Finished>, left: Option<f64>) -> String {
    let rate = |rank| recent.iter().filter(|game| game.largest >= rank).count() as f64 / recent.len() as f64;
    let rates: Vec<String> =
        SHOWN.iter().map(|(rank, name)| format!("{name} {:.1}%", 100.0 * rate(*rank))).collect();
    let recent = match recent.len() {
        0 => String::new(),
        count => format!(", mean of the last {count}: {:.0}, {}", mean(recent), rates.join(" ")),
    };
    let left = left.map_or(String::new(), |seconds| {
        format!(", {} left", HumanDuration(Duration::from_secs_f64(seconds.min(1e9))))
    });
    format!(
        "{} games, {:.1}M moves, {:.0}k moves/s{recent}{left}",
        now.games,
        now.moves as f64 / 1e6,
        speed / 1e3,
    )
}

/// The mean scores of the curve as a sparkline.
fn sparkline(points: &[Point]) -> String {
    let means: Vec<f64> = points.iter().map(|point| point.mean).collect();
    let highest = means.iter().copied().fold(0.0, f64::max);
    let blocks = sparks(&means, highest, SPARKS);
    if blocks.is_empty() { blocks } else { format!("{blocks} up to {highest:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(mean: f64) -> Point {
        Point { games: 1, moves: 1, seconds: 1.0, mean, over: 1, rates: [0.0; 6] }
    }

    #[test]
    fn the_sparkline_spans_the_run() {
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[point(0.0), point(50.0), point(100.0)]), "▁▅█ up to 100");
    }

    #[test]
    fn the_line_tells_rates_and_the_time_left() {
        let recent: VecDeque<Finished> =
            [(8, 11), (12, 14)].map(|(score, largest)| Finished { score, moves: 3, largest }).into();
        let now = Progress { episodes: 5, games: 2, moves: 3_000_000, seconds: 4.0 };
        assert_eq!(
            line(now, 812_345.0, &recent, Some(300.0)),
            "2 games, 3.0M moves, 812k moves/s, mean of the last 2: 10, 2048 100.0% 8192 50.0% 16384 50.0% 32768 0.0%, \
             5 minutes left"
        );
        assert_eq!(line(now, 812_345.0, &VecDeque::new(), None), "2 games, 3.0M moves, 812k moves/s");
    }
}
