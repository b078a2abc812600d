//! The folder in which a submission works. It lies in one of the grader's own, so that a submission
//! with a user of its own cannot put something else in its place.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::removal;
use crate::failure::warn;

/// A fresh folder, removed with this value.
pub(super) struct WorkFolder {
    outer: PathBuf,
    inner: PathBuf,
}

impl WorkFolder {
    /// A new one among the temporary folders.
    pub(super) fn new() -> io::Result<WorkFolder> {
        let outer = tempfile::Builder::new().prefix("lab2048-grade-").tempdir()?.keep();
        let inner = outer.join("submission");
        let folder = WorkFolder { outer, inner };
        // Others may pass through it and do nothing else there.
        #[cfg(unix)]
        fs::set_permissions(&folder.outer, std::os::unix::fs::PermissionsExt::from_mode(0o711))?;
        fs::create_dir(&folder.inner)?;
        Ok(folder)
    }

    /// Where the submission works.
    pub(super) fn path(&self) -> &Path {
        &self.inner
    }

    /// What has to be removed afterwards.
    pub(super) fn outer(&self) -> &Path {
        &self.outer
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if let Err(left) = removal::remove(&self.outer, removal::PATIENCE) {
            warn(&left.to_string());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn others_pass_through_it_and_it_is_removed() {
        let folder = WorkFolder::new().unwrap();
        let outer = folder.outer().to_owned();
        assert_eq!(fs::metadata(&outer).unwrap().mode() & 0o777, 0o711);
        assert!(folder.path().is_dir());
        drop(folder);
        assert!(!outer.exists());
    }
}
