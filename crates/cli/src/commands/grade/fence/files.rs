//! The total size of a submission's files. If the submission has its own file system, the kernel
//! reports how full it is. Otherwise the files are added up one by one.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::{fs, io};

use lab2048::text::in_words;
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::sys::stat::{SFlag, fstatat};
use nix::sys::statvfs::statvfs;

use super::super::folder::open;
use super::MOST_FILES;

/// The unit of a file's size on disk (stat(3type), `st_blocks`).
const BLOCK: u64 = 512;
/// The maximum depth of folders. Each level needs a file descriptor.
const DEEPEST: usize = 64;

/// The bytes used in a submission's own file system, as seen by one of its processes. `None` if it
/// is not mounted yet.
pub(super) fn private(process: u32, outer: &Path) -> io::Result<Option<u64>> {
    let inside = Path::new(&format!("/proc/{process}/root")).join(outer.strip_prefix("/").unwrap_or(outer));
    if fs::metadata(&inside)?.dev() == fs::metadata(outer)?.dev() {
        return Ok(None);
    }
    let system = statvfs(&inside)?;
    Ok(Some((system.blocks() - system.blocks_free()) * system.fragment_size()))
}

/// The total bytes of all files below a folder. An error describes a violation. Files that are
/// removed or replaced during the scan are not counted.
pub(super) fn all_below(folder: &Path) -> Result<u64, String> {
    let mut sum = Sum::default();
    let Some(top) = found(open(AT_FDCWD, folder))? else { return Ok(0) };
    let mut stack = vec![sum.look_into(top)?];
    while let Some((folder, inner)) = stack.last_mut() {
        let Some(name) = inner.pop() else {
            stack.pop();
            continue;
        };
        let Some(next) = found(open(folder, name.as_c_str()))? else { continue };
        if stack.len() == DEEPEST {
            return Err(format!("its folders were nested more than {DEEPEST} deep"));
        }
        stack.push(sum.look_into(next)?);
    }
    Ok(sum.bytes)
}

/// Interprets the result of a system call on a file. `None` if the file is gone, or is not a folder
/// any more. A folder that cannot be read is an error, because it could hide anything.
fn found<T>(answer: nix::Result<T>) -> Result<Option<T>, String> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP) => Ok(None),
        Err(Errno::EACCES) => Err("it made a folder unreadable for the grader".to_owned()),
        Err(error) => Err(format!("the grader cannot read its files: {}", error.desc())),
    }
}

/// A running total of files.
#[derive(Default)]
struct Sum {
    bytes: u64,
    files: usize,
}

impl Sum {
    /// Adds the files of one folder. Returns the folder and the names of its subfolders.
    fn look_into(&mut self, folder: OwnedFd) -> Result<(Dir, Vec<CString>), String> {
        let mut folder = Dir::from_fd(folder).map_err(|error| in_words(&error.into()))?;
        let names: Vec<CString> = folder
            .iter()
            .flatten()
            .map(|entry| entry.file_name().to_owned())
            .filter(|name| name.as_c_str() != c"." && name.as_c_str() != c"..")
            .take(MOST_FILES + 1)
            .collect();
        self.files += names.len();
        if self.files > MOST_FILES {
            return Err(format!("it had more than {MOST_FILES} files"));
        }
        let mut inner = Vec::new();
        for name in names {
            let stat = fstatat(&folder, name.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW);
            let Some(stat) = found(stat)? else { continue };
            self.bytes += stat.st_blocks.unsigned_abs() * BLOCK;
            if SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFDIR {
                inner.push(name);
            }
        }
        Ok((folder, inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_added_up() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        for name in ["one", "inner/two"] {
            fs::write(folder.path().join(name), vec![1; 1 << 16]).unwrap();
            // A file system may allocate blocks only when the data is flushed.
            fs::File::open(folder.path().join(name)).unwrap().sync_all().unwrap();
        }
        let bytes = all_below(folder.path()).unwrap();
        assert!((2 << 16..3 << 16).contains(&bytes), "{bytes}");
        assert_eq!(all_below(&folder.path().join("nothing")), Ok(0));
    }

    #[test]
    fn what_is_too_deep_or_too_much_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/".repeat(DEEPEST - 1))).unwrap();
        assert!(all_below(folder.path()).is_ok());
        fs::create_dir_all(folder.path().join("a/".repeat(DEEPEST))).unwrap();
        assert_eq!(all_below(folder.path()).unwrap_err(), "its folders were nested more than 64 deep");
    }

    #[test]
    fn what_cannot_be_looked_at_is_told() {
        assert_eq!(found(Ok(1)), Ok(Some(1)));
        for gone in [Errno::ENOENT, Errno::ENOTDIR, Errno::ELOOP] {
            assert_eq!(found::<()>(Err(gone)), Ok(None));
        }
        assert_eq!(
            found::<()>(Err(Errno::EACCES)).unwrap_err(),
            "it made a folder unreadable for the grader"
        );
        let error = found::<()>(Err(Errno::EMFILE)).unwrap_err();
        assert_eq!(error, "the grader cannot read its files: Too many open files");
    }
}
