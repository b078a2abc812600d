//! The folder in which a submission works. It is inside an outer folder of the grader, so that a
//! submission with its own user cannot replace it.

#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use lab2048::text::in_words;
#[cfg(unix)]
use nix::fcntl::{AT_FDCWD, OFlag, openat};

use super::removal;
use crate::failure::warn;

/// The prefix of the names of the grader's folders.
const PREFIX: &str = "lab2048-grade-";
/// The permissions of the grader's folders: other users may only pass through.
#[cfg(unix)]
const PASSAGE: u32 = 0o711;

/// Opens a folder for reading. A symbolic link is not followed.
#[cfg(unix)]
pub(super) fn open(at: impl AsFd, name: &(impl nix::NixPath + ?Sized)) -> nix::Result<OwnedFd> {
    let how = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(at, name, how, nix::sys::stat::Mode::empty())
}

/// A new folder of the grader. A lock tells other graders that it is in use. The kernel releases
/// the lock when the grader ends, even if it is killed.
pub(super) struct LockedFolder {
    pub(super) path: PathBuf,
    #[cfg(unix)]
    _lock: File,
}

impl LockedFolder {
    /// Creates a folder with a unique name.
    pub(super) fn new_in(parent: &Path) -> io::Result<LockedFolder> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        #[cfg(unix)]
        let lock = {
            let lock = File::from(open(AT_FDCWD, folder.path())?);
            // A file system without locks is acceptable. Leftovers are then not removed.
            let _ = lock.try_lock();
            // The permissions are set after locking. A folder with other permissions never counts
            // as a leftover.
            fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(PASSAGE))?;
            lock
        };
        Ok(LockedFolder {
            path: folder.keep(),
            #[cfg(unix)]
            _lock: lock,
        })
    }
}

/// A temporary folder of several graders, which work for the same comparison. Dropping this value
/// removes it.
#[cfg(target_os = "linux")]
pub(super) struct SharedFolder(LockedFolder);

#[cfg(target_os = "linux")]
impl SharedFolder {
    /// Creates a folder in the temporary directory.
    pub(super) fn new() -> io::Result<SharedFolder> {
        // Links are resolved, as for work folders.
        LockedFolder::new_in(&fs::canonicalize(env::temp_dir())?).map(SharedFolder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }
}

#[cfg(target_os = "linux")]
impl Drop for SharedFolder {
    fn drop(&mut self) {
        if let Err(left) = removal::remove(self.path(), removal::PATIENCE) {
            warn(&left.to_string());
        }
    }
}

/// A fresh folder. Dropping this value removes it.
pub(super) struct WorkFolder {
    outer: LockedFolder,
    inner: PathBuf,
}

impl WorkFolder {
    /// Creates a folder in the temporary directory.
    pub(super) fn new() -> io::Result<WorkFolder> {
        WorkFolder::new_in(&env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<WorkFolder> {
        // Links are resolved: in `/proc/PID/root/PATH` a link would lead back to the grader's own
        // files.
        let parent = fs::canonicalize(parent).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {}", parent.display(), in_words(&error)))
        })?;
        let outer = LockedFolder::new_in(&parent)?;
        let inner = outer.path.join("submission");
        let folder = WorkFolder { outer, inner };
        fs::create_dir(&folder.inner)?;
        Ok(folder)
    }

    /// Where the submission works.
    pub(super) fn path(&self) -> &Path {
        &self.inner
    }

    /// The folder that must be removed afterwards.
    pub(super) fn outer(&self) -> &Path {
        &self.outer.path
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if let Err(left) = removal::remove(self.outer(), removal::PATIENCE) {
            warn(&left.to_string());
        }
    }
}

/// Removes the folders that killed graders of the same user left in the temporary directory.
pub(super) fn remove_leftovers() {
    #[cfg(unix)]
    remove_leftovers_in(&env::temp_dir());
}

/// Removes the folders that killed graders of the same user left in this folder.
#[cfg(unix)]
pub(super) fn remove_leftovers_in(parent: &Path) {
    // If the directory cannot be read, creating the first work folder reports it.
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_named_so = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        if is_named_so && let Err(left) = remove_if_dead(&entry.path()) {
            warn(&left.to_string());
        }
    }
}

/// Removes a folder whose grader is dead.
#[cfg(unix)]
fn remove_if_dead(path: &Path) -> Result<(), removal::Left> {
    use std::os::unix::fs::MetadataExt;

    let Ok(folder) = open(AT_FDCWD, path).map(File::from) else { return Ok(()) };
    let user = nix::unistd::geteuid().as_raw();
    let is_ours =
        folder.metadata().is_ok_and(|found| found.uid() == user && found.mode() & 0o7777 == PASSAGE);
    // The lock is held until the folder is removed, so that two graders do not warn about the same
    // folder.
    if is_ours && folder.try_lock().is_ok() { removal::remove(path, removal::HURRY) } else { Ok(()) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn others_pass_through_it_and_it_is_removed() {
        let folder = WorkFolder::new().unwrap();
        let outer = folder.outer().to_owned();
        assert_eq!(fs::metadata(&outer).unwrap().mode() & 0o777, 0o711);
        assert!(folder.path().is_dir());
        drop(folder);
        assert!(!outer.exists());
    }

    #[test]
    fn its_path_has_no_links() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("real"), place.path().join("link"));
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        let folder = WorkFolder::new_in(&link).unwrap();
        assert!(folder.outer().starts_with(fs::canonicalize(&real).unwrap()));
        let missing = WorkFolder::new_in(&place.path().join("missing")).map(drop).unwrap_err().to_string();
        assert!(missing.contains("missing: "), "{missing}");
    }

    #[test]
    fn only_folders_of_dead_graders_are_leftovers() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let alive = WorkFolder::new_in(place.path()).unwrap();
        for (name, mode) in
            [("lab2048-grade-dead", 0o711), ("lab2048-grade-notes", 0o755), ("another-grade-dead", 0o711)]
        {
            fs::create_dir_all(at(name).join("submission/inner")).unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(at("another-grade-dead"), at("lab2048-grade-link")).unwrap();
        fs::write(at("lab2048-grade-file"), "").unwrap();
        remove_leftovers_in(place.path());
        assert!(!at("lab2048-grade-dead").exists());
        assert!(alive.path().is_dir());
        for name in ["lab2048-grade-notes", "another-grade-dead", "lab2048-grade-link", "lab2048-grade-file"]
        {
            assert!(at(name).exists(), "{name}");
        }
    }
}
