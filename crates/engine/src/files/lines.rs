//! Append-only logs of lines.

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};

use super::LockedFile;

/// A file to which whole lines are appended. If the process is killed, the last line may be
/// incomplete.
#[derive(Debug)]
pub struct LineLog {
    locked: LockedFile,
    /// The length of the complete lines in bytes.
    whole: u64,
}

impl LineLog {
    /// Continues a file after its first `whole` bytes and truncates the rest. A new file is removed
    /// again if nothing is ever appended.
    pub fn after(locked: LockedFile, whole: u64) -> io::Result<LineLog> {
        let mut log = LineLog { locked, whole };
        log.cut()?;
        Ok(log)
    }

    /// Appends whole lines. On failure, the lines that were written completely stay.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.locked.file.write_all(lines);
        let kept = match written {
            Ok(()) => lines.len(),
            Err(_) => {
                let end = self.locked.file.stream_position().unwrap_or(self.whole);
                let reached = usize::try_from(end.saturating_sub(self.whole)).unwrap_or(0);
                let reached = &lines[..reached.min(lines.len())];
                reached.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
            }
        };
        self.whole += kept as u64;
        if written.is_err() {
            // If an incomplete line stays, the next reader drops it.
            let _ = self.cut();
        }
        written
    }

    /// An error if the path no longer leads to this file, so that its lines are lost.
    pub fn check_in_place(&self) -> io::Result<()> {
        if self.locked.is_in_place() {
            return Ok(());
        }
        Err(io::Error::other("the file was removed or replaced during the run"))
    }

    fn cut(&mut self) -> io::Result<()> {
        if self.locked.file.metadata()?.len() != self.whole {
            self.locked.file.set_len(self.whole)?;
        }
        self.locked.file.seek(SeekFrom::Start(self.whole)).map(drop)
    }
}

impl Drop for LineLog {
    fn drop(&mut self) {
        if self.locked.is_new && self.whole == 0 && self.locked.is_in_place() {
            // It does no harm if an empty file stays.
            let _ = fs::remove_file(&self.locked.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::Path;

    fn open(path: &Path) -> LockedFile {
        LockedFile::open(path).unwrap()
    }

    #[test]
    fn a_log_continues_after_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\ntwo\ntor").unwrap();
        let mut log = LineLog::after(open(&path), 8).unwrap();
        log.append(b"three\n").unwrap();
        log.append(b"four\nfive\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\nfour\nfive\n");
    }

    #[test]
    fn a_new_log_without_lines_is_removed_and_an_old_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (folder.path().join("new"), folder.path().join("old"));
        fs::write(&old, "").unwrap();
        drop(LineLog::after(open(&new), 0).unwrap());
        drop(LineLog::after(open(&old), 0).unwrap());
        assert!(!new.exists() && old.exists());
    }

    #[test]
    fn a_log_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "").unwrap();
        let file = File::open(&path).unwrap();
        let locked = LockedFile { path: path.clone(), file, is_new: true };
        let mut log = LineLog::after(locked, 0).unwrap();
        assert!(log.append(b"one\n").is_err());
        drop(log);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_replaced_the_log_is_noticed_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = LineLog::after(open(&path), 0).unwrap();
        log.check_in_place().unwrap();
        fs::remove_file(&path).unwrap();
        let said = log.check_in_place().unwrap_err().to_string();
        assert_eq!(said, "the file was removed or replaced during the run");
        fs::write(&path, "other").unwrap();
        assert!(log.check_in_place().is_err());
        drop(log);
        assert_eq!(fs::read_to_string(&path).unwrap(), "other");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_when_the_log_behind_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        drop(LineLog::after(open(&link), 0).unwrap());
        assert!(link.is_symlink() && !file.exists());
    }
}
