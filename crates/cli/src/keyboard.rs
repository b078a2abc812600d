//! Lines typed by a person or read from a file or pipe.
//!
//! A thread reads the standard input, so that waiting for a line can also notice Ctrl-C.

use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::interrupt;

/// The longest line. A longer one is split.
const LONGEST_LINE: u64 = 4096;
const GLANCE: Duration = Duration::from_millis(50);

/// What was read.
pub(crate) enum Typed {
    /// A line, without its line end.
    Line(String),
    /// The end of the input.
    End,
    /// Ctrl-C or a signal.
    Interrupted,
}

/// Whether the input is a terminal: a person needs a prompt, and typing Enter ends the line on the
/// screen.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Waits for the next line.
pub(crate) fn next_line() -> Typed {
    static LINES: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();
    let lines = LINES.get_or_init(|| Mutex::new(start_reading()));
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if interrupt::raised() {
            return Typed::Interrupted;
        }
        match lines.recv_timeout(GLANCE) {
            Ok(line) => return Typed::Line(line),
            Err(RecvTimeoutError::Disconnected) => return Typed::End,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn start_reading() -> Receiver<String> {
    // Reads at most one line ahead. The rest stays in the pipe.
    let (sender, lines) = mpsc::sync_channel(1);
    // If the thread cannot start, the channel closes and the input looks empty.
    let _ = thread::Builder::new().name("keyboard".to_owned()).spawn(move || read_lines(&sender));
    lines
}

fn read_lines(sender: &SyncSender<String>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if read.is_err() || line.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        if sender.send(text.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
            return;
        }
    }
}
