//! Logs that grow by lines.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that grows by whole lines. If the process is killed, the file is a beginning of the whole,
/// perhaps with a torn last line.
#[derive(Debug)]
pub struct LineLog {
    path: PathBuf,
    file: File,
    /// The length of its whole lines.
    whole: u64,
    /// Whether there was no such file before.
    is_new: bool,
}

impl LineLog {
    /// Continues a file after its first `whole` bytes and cuts off the rest. A new file is removed
    /// again if nothing is ever appended.
    pub fn after(path: &Path, file: File, whole: u64, is_new: bool) -> io::Result<LineLog> {
        let mut log = LineLog { path: path.to_owned(), file, whole, is_new };
        log.cut()?;
        Ok(log)
    }

    /// Appends whole lines. If that fails, the lines that were written completely stay.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(lines);
        let kept = match written {
            Ok(()) => lines.len(),
            Err(_) => {
                let end = self.file.stream_position().unwrap_or(self.whole);
                let reached = usize::try_from(end.saturating_sub(self.whole)).unwrap_or(0);
                let reached = &lines[..reached.min(lines.len())];
                reached.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
            }
        };
        self.whole += kept as u64;
        if written.is_err() {
            // A torn line that stays is dropped when the file is read again.
            let _ = self.cut();
        }
        written
    }

    fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.whole {
            self.file.set_len(self.whole)?;
        }
        self.file.seek(SeekFrom::Start(self.whole)).map(drop)
    }
}

impl Drop for LineLog {
    fn drop(&mut self) {
        if self.is_new && self.whole == 0 {
            // An empty file in the way is no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;

    fn open(path: &Path) -> File {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap()
    }

    #[test]
    fn a_log_continues_after_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\ntwo\ntor").unwrap();
        let mut log = LineLog::after(&path, open(&path), 8, false).unwrap();
        log.append(b"three\n").unwrap();
        log.append(b"four\nfive\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\nfour\nfive\n");
    }

    #[test]
    fn a_new_log_without_lines_is_removed_and_an_old_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new"), folder.path().join("old"));
        drop(LineLog::after(&new, open(&new), 0, true).unwrap());
        drop(LineLog::after(&old, open(&old), 0, false).unwrap());
        assert!(!new.exists() && old.exists());
    }

    #[test]
    fn a_log_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "").unwrap();
        let mut log = LineLog::after(&path, File::open(&path).unwrap(), 0, true).unwrap();
        assert!(log.append(b"one\n").is_err());
        drop(log);
        assert!(!path.exists());
    }
}
