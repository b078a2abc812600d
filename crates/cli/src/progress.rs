//! Progress of long work. A terminal shows a bar with rate and remaining time; otherwise plain
//! lines are written. Nothing is shown for work that takes less than a second.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use lab2048::text::{grouped, one_line};

use crate::out;

const SILENT_FOR: Duration = Duration::from_secs(1);
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows the progress of some work.
pub(crate) struct Progress {
    started: Instant,
    total: Total,
    noun: &'static str,
    shown: Shown,
}

/// How much work there is.
#[derive(Clone, Copy)]
enum Total {
    Unknown,
    Pieces(u64),
    /// The share that is done is all that is known.
    Share,
}

/// The steps of a bar that shows a share.
const STEPS: u64 = 10_000;

enum Shown {
    /// A bar, in a terminal.
    Bar(ProgressBar),
    /// Occasional lines otherwise, and the time of the next one.
    Lines(Instant),
}

impl Progress {
    /// Work of `total` pieces, called by a plural noun, of which `done` are already done.
    pub(crate) fn resumed(done: u64, total: u64, noun: &'static str) -> Progress {
        let progress = Progress::new(total, noun);
        if let Shown::Bar(bar) = &progress.shown {
            bar.set_position(done);
            // Earlier work says nothing about the current speed.
            bar.reset_eta();
        }
        progress
    }

    /// Work of `total` pieces, called by a plural noun.
    pub(crate) fn new(total: u64, noun: &'static str) -> Progress {
        Progress::of(Total::Pieces(total), noun)
    }

    /// Work of which only the share that is done is known.
    pub(crate) fn in_percent(noun: &'static str) -> Progress {
        Progress::of(Total::Share, noun)
    }

    /// Work with an unknown number of pieces.
    pub(crate) fn open_ended(noun: &'static str) -> Progress {
        Progress::of(Total::Unknown, noun)
    }

    fn of(total: Total, noun: &'static str) -> Progress {
        let shown = if io::stderr().is_terminal() {
            let (len, template) = match total {
                Total::Pieces(total) => (Some(total), "{bar:16} {human_pos}/{human_len} {msg}{rate}{left}"),
                Total::Share => (Some(STEPS), "{bar:16} {percent}% {msg}{left}"),
                Total::Unknown => (None, "{spinner} {human_pos} {msg}{rate}"),
            };
            let bar = ProgressBar::with_draw_target(len, ProgressDrawTarget::hidden());
            let style = ProgressStyle::with_template(template).expect("a valid template");
            bar.set_style(style.with_key("rate", write_rate).with_key("left", write_left));
            bar.set_message(noun);
            Shown::Bar(bar)
        } else {
            Shown::Lines(Instant::now() + BETWEEN_LINES)
        };
        Progress { started: Instant::now(), total, noun, shown }
    }

    /// Shows that a share of the work is done, from 0 to 1, with a few words about it.
    pub(crate) fn set_share(&mut self, share: f64, words: &str) {
        self.set((share * STEPS as f64) as u64, words);
    }

    /// Shows that `done` pieces are done, with a few words about them.
    pub(crate) fn set(&mut self, done: u64, words: &str) {
        match &mut self.shown {
            Shown::Bar(bar) => {
                if bar.is_hidden() && self.started.elapsed() >= SILENT_FOR {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                if !words.is_empty() {
                    let columns =
                        crossterm::terminal::size().map_or(out::WIDTH, |(columns, _)| columns.into());
                    bar.set_message(message(self.noun, words, columns, self.total));
                }
                bar.set_position(done);
            }
            Shown::Lines(next) if Instant::now() >= *next => {
                *next = Instant::now() + BETWEEN_LINES;
                let comma = if words.is_empty() { "" } else { ", " };
                let (noun, speed) = (self.noun, done as f64 / self.started.elapsed().as_secs_f64());
                let done = match self.total {
                    Total::Pieces(total) => format!("{done} of {total} {noun}"),
                    Total::Share => format!("{}% {noun}", 100 * done / STEPS),
                    Total::Unknown => format!("{done} {noun}"),
                };
                let rate = match self.total {
                    Total::Unknown => rate_in_words(speed),
                    _ => String::new(),
                };
                // Progress is optional: if it cannot be written, the work continues.
                let _ = writeln!(io::stderr(), "{done}{comma}{words}{rate}");
            }
            Shown::Lines(_) => {}
        }
    }
}

/// The noun and the words of a bar, shortened so that the line does not wrap: a wrapped line cannot
/// be cleared.
fn message(noun: &str, words: &str, columns: usize, total: Total) -> String {
    const BAR: usize = 17;
    // "  12345/s  59m left", and room for the ^C of a terminal.
    const RATE_AND_TIME: usize = 22;
    let numbers = match total {
        Total::Pieces(total) => 2 * grouped(total).len() + 2,
        Total::Share => "100% ".len(),
        Total::Unknown => "1,000,000,000 ".len(),
    };
    let room = columns.saturating_sub(BAR + numbers + RATE_AND_TIME).max(noun.len());
    let whole = format!("{noun}, {words}");
    if whole.chars().count() <= room { whole } else { one_line(&whole, room.saturating_sub("...".len())) }
}

fn write_rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    // A part that cannot be written is left out.
    let _ = out.write_str(&rate_in_words(state.per_sec()));
}

fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = out.write_str(&left_in_words(state.per_sec(), state.eta()));
}

/// The speed, with two decimals below 10; empty while it is unknown.
fn rate_in_words(rate: f64) -> String {
    match rate {
        0.0 => String::new(),
        10.0.. => format!("  {rate:.0}/s"),
        _ => format!("  {rate:.2}/s"),
    }
}

/// The remaining time at this speed; empty while the speed is unknown.
fn left_in_words(rate: f64, left: Duration) -> String {
    if rate == 0.0 { String::new() } else { format!("  {:#} left", HumanDuration(left)) }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fits_on_a_line() {
        let words = "a submission with a long name, game 7 of 10, mean score 12345.6, mean 2345 moves";
        let shown = message("games", words, 80, Total::Pieces(1000));
        assert_eq!(shown, "games, a submission with a...");
        assert!(17 + "1,000/1,000 ".len() + shown.len() + "  12345/s  59m left".len() < 80);
        assert_eq!(message("games", "mean 12.5", 80, Total::Pieces(1000)), "games, mean 12.5");
        assert_eq!(message("moves", words, 20, Total::Unknown), "mo...");
    }

    #[test]
    fn nothing_is_estimated_before_there_is_a_speed() {
        let bar = ProgressBar::with_draw_target(Some(10), ProgressDrawTarget::hidden());
        bar.set_position(0);
        assert_eq!(
            (rate_in_words(bar.per_sec()), left_in_words(bar.per_sec(), bar.eta())),
            Default::default()
        );
        let left = left_in_words(0.5, Duration::from_secs(40));
        assert_eq!(
            (rate_in_words(0.5), rate_in_words(1234.5), left),
            ("  0.50/s".into(), "  1234/s".into(), "  40s left".into())
        );
    }
}
