//! The file of a tuning: the task, then every judgement, one line of JSON each. If the program was
//! killed while writing the last line, that line is dropped.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use lab2048::evolve::Judged;
use lab2048::files::{LineLog, LockError, LockedFile};
use lab2048::text::in_words;

use super::Task;
use crate::failure::{Failure, Outcome};

/// The open file and its path, or `None` if nothing is written.
pub(super) struct Journal(Option<(LineLog, PathBuf)>);

impl Journal {
    /// A journal that writes nothing.
    pub(super) fn without_file() -> Journal {
        Journal(None)
    }

    /// Opens or starts the file of a task. Returns the judgements that it holds.
    pub(super) fn open(path: &Path, task: &Task) -> Outcome<(Journal, Vec<Judged>)> {
        let failed = |error: io::Error| {
            Failure::Failed(format!("cannot use {}: {}", path.display(), in_words(&error)))
        };
        let locked = LockedFile::open(path).map_err(|error| match error {
            LockError::NotAFile => Failure::BadInput(format!(
                "{} is not a plain file, so a tuning cannot be resumed from it",
                path.display()
            )),
            LockError::Busy => Failure::Failed(format!("{} is in use by another tuning", path.display())),
            LockError::Io(error) => failed(error),
        })?;
        let mut text = String::new();
        locked.file().read_to_string(&mut text).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => other(path, "it is not UTF-8 text"),
            _ => failed(error),
        })?;
        let mut first = serde_json::to_string(task).map_err(Failure::failed)?;
        first.push('\n');
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let mut known = Vec::new();
        let is_begun = match lines.next() {
            // The process was killed while it started the file, or the disk was full.
            None if first.starts_with(&text) => false,
            None => return Err(other(path, "its first line is not complete")),
            Some(line) => {
                let found: Task = serde_json::from_str(line)
                    .map_err(|_| other(path, "its first line does not say what is tuned"))?;
                if found != *task {
                    return Err(other(path, "it was made with other settings"));
                }
                true
            }
        };
        for (index, line) in lines.enumerate() {
            let wrong = |_| other(path, &format!("line {} is not a judgement", index + 2));
            known.push(serde_json::from_str(line).map_err(wrong)?);
        }
        let mut log = LineLog::after(locked, whole as u64).map_err(failed)?;
        if !is_begun {
            log.append(first.as_bytes()).map_err(|error| unwritten(path, &error))?;
        }
        Ok((Journal(Some((log, path.to_owned()))), known))
    }

    /// Writes a judgement.
    pub(super) fn append(&mut self, judged: &Judged) -> Outcome<()> {
        let Some((log, path)) = &mut self.0 else { return Ok(()) };
        let mut line = serde_json::to_string(judged).map_err(Failure::failed)?;
        line.push('\n');
        log.append(line.as_bytes()).map_err(|error| unwritten(path, &error))
    }

    /// Refuses a file that was removed or replaced during the tuning.
    pub(super) fn check_in_place(&self) -> Outcome<()> {
        let Some((log, path)) = &self.0 else { return Ok(()) };
        log.check_in_place().map_err(|error| unwritten(path, &error))
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot write {}: {}", path.display(), in_words(error)))
}

fn other(path: &Path, reason: &str) -> Failure {
    Failure::BadInput(format!("{} is not the file of this tuning: {reason}", path.display()))
}
