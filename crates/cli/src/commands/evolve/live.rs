//! Progress of an evolution: curves of the current run in a terminal, otherwise occasional lines.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab2048::evolve::Report;
use lab2048_draw::sparks::sparks;

/// Nothing is shown for work that ends sooner.
const SILENT_FOR: Duration = Duration::from_secs(1);
/// Without a terminal, the first line comes after this time, and then at most one per second.
/// Slower generations get one line each.
const BEFORE_THE_FIRST: Duration = Duration::from_secs(10);
const BETWEEN_LINES: Duration = Duration::from_secs(1);
/// The width of the curves.
const WIDTH: usize = 48;

pub(super) struct Live {
    bar: Option<ProgressBar>,
    next: Instant,
    started: Instant,
    /// The number of generations before the start, and the total of all runs.
    before: u64,
    total: u64,
}

impl Live {
    pub(super) fn new(before: u64, total: u64) -> Live {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            bar.set_style(ProgressStyle::with_template("{msg}").expect("a valid template"));
            bar
        });
        let started = Instant::now();
        let silent_for = if bar.is_some() { SILENT_FOR } else { BEFORE_THE_FIRST };
        Live { bar, next: started + silent_for, started, before, total }
    }

    /// Shows a run after a generation, under its name. `done` is the number of generations of all
    /// runs so far.
    pub(super) fn show(&mut self, name: &str, reports: &[Report], generations: u64, done: u64) {
        let now = Instant::now();
        let Some(report) = reports.last() else { return };
        if let Some(bar) = &self.bar {
            if bar.is_hidden() && now >= self.next {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            let each = self.started.elapsed().as_secs_f64() / done.saturating_sub(self.before).max(1) as f64;
            let left = each * self.total.saturating_sub(done) as f64;
            let left = HumanDuration(Duration::from_secs_f64(left.min(1e9)));
            let head = format!("{name}: generation {} of {generations}, {left} left", report.generation + 1);
            bar.set_message(format!("{head}\n{}", screen(reports)));
            bar.tick();
        } else if now >= self.next {
            self.next = now + BETWEEN_LINES;
            // Progress is optional: if it cannot be written, the work continues.
            let _ = writeln!(io::stderr(), "{name}: {}", line(report, generations));
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A generation in one line.
fn line(report: &Report, generations: u64) -> String {
    format!(
        "generation {} of {generations}, best {:.0}, mean {:.0}, champion {:.0}, different {:.0}%, nodes {:.1}",
        report.generation + 1,
        report.best_score,
        report.mean_score,
        report.champion_score,
        100.0 * report.diversity,
        report.size
    )
}

/// The latest figures of a run, each with the curve of all generations. Scores share one scale.
fn screen(reports: &[Report]) -> String {
    type Figure = fn(&Report) -> f64;
    let all = |figure: Figure| reports.iter().map(figure).collect::<Vec<f64>>();
    let most = |figure: Figure| reports.iter().map(figure).fold(0.0, f64::max);
    let scores = most(|report| report.best_score).max(most(|report| report.champion_score));
    let rows: [(&str, Figure, f64); 5] = [
        ("best", |report| report.best_score, scores),
        ("mean", |report| report.mean_score, scores),
        ("champion", |report| report.champion_score, scores),
        ("different", |report| 100.0 * report.diversity, 100.0),
        ("nodes", |report| report.size, most(|report| report.size)),
    ];
    let mut text = String::new();
    for (name, figure, highest) in rows {
        let values = all(figure);
        let now = values.last().copied().unwrap_or_default();
        let digits = usize::from(name == "nodes");
        let sign = if name == "different" { "%" } else { " " };
        text.push_str(&format!("{name:<9} {now:>8.digits$}{sign} {}\n", sparks(&values, highest, WIDTH)));
    }
    text
}

#[cfg(test)]
mod tests {
    use lab2048::evolve::Marks;

    use super::*;

    fn report(generation: u64, best_score: f64) -> Report {
        Report {
            generation,
            best: Marks { fitness: 1.0, score: best_score, largest: 64.0 },
            best_score,
            best_largest: 64.0,
            mean_score: best_score / 2.0,
            mean_largest: 32.0,
            diversity: 0.5,
            size: 20.0 + best_score / 100.0,
            champion_score: 500.0,
        }
    }

    #[test]
    fn a_line_has_every_figure() {
        assert_eq!(
            line(&report(4, 1234.4), 60),
            "generation 5 of 60, best 1234, mean 617, champion 500, different 50%, nodes 32.3"
        );
    }

    #[test]
    fn the_screen_has_a_curve_for_every_figure() {
        assert_eq!(
            screen(&[report(0, 0.0), report(1, 500.0), report(2, 1000.0)]),
            "best          1000  ▁▅█\n\
             mean           500  ▁▃▅\n\
             champion       500  ▅▅▅\n\
             different       50% ▅▅▅\n\
             nodes         30.0  ▆▇█\n"
        );
    }
}
