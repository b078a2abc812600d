//! Files that only one process writes at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::temporary::is_at;
use crate::text::in_words;

/// A file that is open for reading and writing, and locked until it is dropped.
#[derive(Debug)]
pub struct LockedFile {
    /// The resolved path, if the file was opened through a link.
    pub(super) path: PathBuf,
    pub(super) file: File,
    pub(super) is_new: bool,
}

/// Why a file cannot be locked. The file is unchanged.
#[derive(Debug, Error)]
pub enum LockError {
    /// A folder, a device, a pipe.
    #[error("it is not a plain file")]
    NotAFile,
    /// Another process has locked it.
    #[error("another process is using it")]
    Busy,
    /// An I/O error.
    #[error("{}", in_words(.0))]
    Io(#[from] io::Error),
}

impl LockedFile {
    /// Opens or creates a file and locks it. The content stays. On file systems without locks the
    /// file is opened without one.
    pub fn open(path: &Path) -> Result<LockedFile, LockError> {
        loop {
            // Check before opening: opening a pipe would block until another process opens its
            // other end.
            if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
                return Err(LockError::NotAFile);
            }
            let Some((file, created)) = open_or_create(path)? else { continue };
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Err(LockError::Busy);
            }
            // Before the lock, another process may have written, renamed or removed the file.
            let is_new = created && file.metadata()?.len() == 0;
            let own = if path.is_symlink() { path.canonicalize() } else { Ok(path.to_owned()) };
            match own {
                Ok(path) if is_at(&file, &path) => return Ok(LockedFile { path, file, is_new }),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// The path of the file, with links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether the path still leads to this file: it was neither removed nor replaced.
    pub fn is_in_place(&self) -> bool {
        is_at(&self.file, &self.path)
    }

    /// Whether this call created the file.
    pub fn is_new(&self) -> bool {
        self.is_new
    }
}

/// The open file and whether it was created; `None` if it was removed in the meantime.
fn open_or_create(path: &Path) -> io::Result<Option<(File, bool)>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => return created.map(|file| Some((file, true))),
    }
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened.map(|file| Some((file, false))),
    }
    // A link to a file that does not exist.
    if path.is_symlink() {
        return options.create(true).open(path).map(|file| Some((file, true)));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_has_a_file_at_a_time_and_its_content_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let first = LockedFile::open(&path).unwrap();
        assert!(first.is_new());
        assert!(matches!(LockedFile::open(&path), Err(LockError::Busy)));
        drop(first);
        fs::write(&path, "mine").unwrap();
        assert!(!LockedFile::open(&path).unwrap().is_new());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert!(matches!(LockedFile::open(folder.path()), Err(LockError::NotAFile)));
        assert!(matches!(LockedFile::open(&folder.path().join("b/c")), Err(LockError::Io(_))));
    }

    #[test]
    fn a_lock_is_on_the_file_that_has_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for _ in 0..20 {
            // Every thread removes the file while it holds the lock, as a log without lines does.
            std::thread::scope(|scope| {
                let take = || match LockedFile::open(&path) {
                    Ok(locked) => {
                        assert!(is_at(&locked.file, &path));
                        fs::remove_file(&path).unwrap();
                    }
                    Err(LockError::Busy) => {}
                    Err(error) => panic!("{error}"),
                };
                (0..4).for_each(|_| drop(scope.spawn(take)));
            });
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_makes_the_file_that_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().canonicalize().unwrap().join("file"), folder.path().join("link"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let locked = LockedFile::open(&link).unwrap();
        assert!(locked.is_new() && locked.path() == file && link.is_symlink());
        let nowhere = folder.path().join("nowhere");
        std::os::unix::fs::symlink(folder.path().join("none/file"), &nowhere).unwrap();
        assert!(matches!(LockedFile::open(&nowhere), Err(LockError::Io(_))));
    }
}
