//! Progress of long work: a bar with rate and remaining time when a person is looking, plain lines when not, nothing
//! for work that is over within a second.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

const SILENT_FOR: Duration = Duration::from_secs(1);
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows how far a piece of work has come.
pub(crate) struct Progress {
    started: Instant,
    /// Nothing where nobody knows how much there will be.
    total: Option<u64>,
    noun: &'static str,
    shown: Shown,
}

enum Shown {
    /// A person is looking.
    Bar(ProgressBar),
    /// Nobody is: lines now and then; the moment of the next one.
    Lines(Instant),
}

impl Progress {
    /// Work of `total` pieces, called by a plural noun, of which `done` were done before.
    pub(crate) fn resumed(done: u64, total: u64, noun: &'static str) -> Progress {
        let progress = Progress::new(total, noun);
        if let Shown::Bar(bar) = &progress.shown {
            bar.set_position(done);
            // What was done before says nothing about the speed now.
            bar.reset_eta();
        }
        progress
    }

    /// Work of `total` pieces, called by a plural noun.
    pub(crate) fn new(total: u64, noun: &'static str) -> Progress {
        Progress::of(Some(total), noun)
    }

    /// Work of nobody knows how many pieces.
    pub(crate) fn open_ended(noun: &'static str) -> Progress {
        Progress::of(None, noun)
    }

    fn of(total: Option<u64>, noun: &'static str) -> Progress {
        let shown = if io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
            let template = match total {
                Some(_) => "{bar:16} {human_pos}/{human_len} {msg}  {rate}  {eta} left",
                None => "{spinner} {human_pos} {msg}  {rate}",
            };
            let style = ProgressStyle::with_template(template).expect("the template is right");
            bar.set_style(style.with_key("rate", write_rate));
            bar.set_message(noun);
            Shown::Bar(bar)
        } else {
            Shown::Lines(Instant::now() + BETWEEN_LINES)
        };
        Progress { started: Instant::now(), total, noun, shown }
    }

    /// Says that `done` pieces are done, and a few words about them.
    pub(crate) fn set(&mut self, done: u64, words: &str) {
        match &mut self.shown {
            Shown::Bar(bar) => {
                if bar.is_hidden() && self.started.elapsed() >= SILENT_FOR {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                if !words.is_empty() {
                    bar.set_message(format!("{}, {words}", self.noun));
                }
                bar.set_position(done);
            }
            Shown::Lines(next) if Instant::now() >= *next => {
                *next = Instant::now() + BETWEEN_LINES;
                let comma = if words.is_empty() { "" } else { ", " };
                let of = self.total.map_or_else(String::new, |total| format!(" of {total}"));
                // Progress is a courtesy: if nobody can read it, the work goes on.
                let _ = writeln!(io::stderr(), "{done}{of} {}{comma}{words}", self.noun);
            }
            Shown::Lines(_) => {}
        }
    }
}

/// The speed in as many digits as a person reads.
fn write_rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    // A speed that cannot be written is left out.
    let _ = if rate >= 10.0 { write!(out, "{rate:.0}/s") } else { write!(out, "{rate:.2}/s") };
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
