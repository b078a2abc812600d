//! Captures what a submission prints, for `--show-output`. The pipe is read continuously and only
//! the beginning and the end are kept, so that a submission that prints a gigabyte neither blocks
//! nor fills the memory. The text is shown without control characters.

use lab2048::text::one_line;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The number of bytes kept from the beginning, and again from the end.
const MOST_BYTES: usize = 32 << 10;
/// How long to wait for the rest of the output after the submission has been ended. A surviving
/// process may still hold the pipe open.
const PATIENCE: Duration = Duration::from_secs(1);

/// The beginning and the end of a text of any length.
#[derive(Default)]
struct Kept {
    beginning: Vec<u8>,
    end: VecDeque<u8>,
    /// The number of bytes between them.
    left_out: u64,
}

impl Kept {
    fn add(&mut self, piece: &[u8]) {
        let room = (MOST_BYTES - self.beginning.len()).min(piece.len());
        let (first, rest) = piece.split_at(room);
        self.beginning.extend(first);
        self.end.extend(rest);
        let surplus = self.end.len().saturating_sub(MOST_BYTES);
        self.end.drain(..surplus);
        self.left_out += surplus as u64;
    }

    /// The text without control characters.
    fn text(&self) -> String {
        let end: Vec<u8> = self.end.iter().copied().collect();
        match self.left_out {
            0 => plain(&[self.beginning.as_slice(), &end].concat()),
            bytes => {
                format!("{}\n[{bytes} bytes omitted]\n{}", plain(&self.beginning), plain(&end))
            }
        }
    }
}

fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\t', "    ");
    let lines: Vec<String> = text.split('\n').map(|line| one_line(line, usize::MAX)).collect();
    lines.join("\n")
}

/// The output of a running submission.
pub(super) struct Output {
    kept: Arc<Mutex<Kept>>,
    /// Disconnected once everything has been read.
    reading: Receiver<()>,
}

impl Output {
    /// Starts a thread that reads the pipe.
    pub(super) fn of(mut pipe: impl Read + Send + 'static) -> io::Result<Output> {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let (until_here, reading) = mpsc::channel::<()>();
        let theirs = Arc::clone(&kept);
        let read = move || {
            let _until_here = until_here;
            let mut buffer = [0; 1 << 14];
            loop {
                match pipe.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => {
                        theirs.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..count]);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
            }
        };
        thread::Builder::new().name("output".to_owned()).spawn(read)?;
        Ok(Output { kept, reading })
    }

    /// The captured text. Call this after the submission has been ended.
    pub(super) fn text(&self) -> String {
        // Nothing is ever sent. The wait ends when reading ends, or after PATIENCE.
        let _ = self.reading.recv_timeout(PATIENCE);
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = Kept::default();
        kept.add(b"first\n");
        assert_eq!(kept.text(), "first\n");
        for _ in 0..100 {
            kept.add(&[b'.'; 10_000]);
        }
        kept.add(b"\nlast\n");
        let text = kept.text();
        assert!(text.starts_with("first\n...") && text.ends_with("...\nlast\n"));
        let left_out = 1_000_012 - 2 * MOST_BYTES;
        assert!(text.contains(&format!(".\n[{left_out} bytes omitted]\n.")));
        assert!(text.len() < 2 * MOST_BYTES + 100);
    }

    #[test]
    fn a_terminal_obeys_nothing_of_it() {
        assert_eq!(plain(b"a\x1b[2J\tb\r\nc\xffd\xe2\x80\xae"), "a?[2J    b\nc\u{fffd}d?");
    }

    #[test]
    fn all_that_was_written_is_read() {
        let output = Output::of(io::Cursor::new(b"some words".to_vec())).expect("a thread");
        assert_eq!(output.text(), "some words");
    }
}
