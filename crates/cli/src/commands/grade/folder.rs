//! The folder in which a submission works. It lies in one of the grader's own, so that a submission with a user of its own cannot
//! put something else in its place.

use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;

/// A fresh folder, removed with this value.
pub(super) struct WorkFolder {
    outer: TempDir,
    inner: PathBuf,
}

impl WorkFolder {
    /// A new one among the temporary folders.
    pub(super) fn new() -> io::Result<WorkFolder> {
        let outer = tempfile::Builder::new().prefix("lab2048-grade-").tempdir()?;
        // Others may pass through it and do nothing else there.
        #[cfg(unix)]
        set_mode(outer.path(), 0o711)?;
        let inner = outer.path().join("submission");
        fs::create_dir(&inner)?;
        Ok(WorkFolder { outer, inner })
    }

    /// Where the submission works.
    pub(super) fn path(&self) -> &Path {
        &self.inner
    }

    /// What has to be removed afterwards.
    pub(super) fn outer(&self) -> &Path {
        self.outer.path()
    }
}

#[cfg(unix)]
fn set_mode(folder: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}

/// Opens folders that a submission has closed to everyone: they would stay. Links are not followed, wherever they stand: they may
/// lead to what only the grader may change.
pub(super) fn make_removable(folder: &Path) {
    #[cfg(unix)]
    {
        if !fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
            return;
        }
        // What cannot be opened stays behind in the temporary folder of the system, which is cleaned by others.
        let _ = set_mode(folder, 0o700);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            make_removable(&entry.path());
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").mode() & 0o777
    }

    #[test]
    fn folders_are_opened_and_links_are_not_followed() {
        let (folder, elsewhere) = (WorkFolder::new().unwrap(), WorkFolder::new().unwrap());
        assert_eq!(mode(folder.outer()), 0o711);
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        symlink(elsewhere.outer(), closed.join("link")).unwrap();
        let in_its_place = folder.outer().join("in its place");
        symlink(elsewhere.outer(), &in_its_place).unwrap();
        set_mode(&closed, 0o500).unwrap();
        for place in [folder.outer(), &in_its_place] {
            make_removable(place);
        }
        assert_eq!((mode(&closed), mode(elsewhere.outer())), (0o700, 0o711));
    }
}
