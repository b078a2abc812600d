//! The files of a submission, added up. Where they lie in a file system of their own, the system
//! says how full it is; otherwise they are looked at one by one.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::{fs, io};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::sys::stat::{SFlag, fstatat};
use nix::sys::statvfs::statvfs;

use super::super::folder::open;
use super::MOST_FILES;

/// The unit of the size that a file takes (stat(3type), `st_blocks`).
const BLOCK: u64 = 512;
/// The deepest folders that are looked into. Each level needs a descriptor.
const DEEPEST: usize = 64;

/// The bytes of the files of a submission that has a file system of its own, as one of its
/// processes sees it. `None` as long as it is not there.
pub(super) fn private(process: u32, outer: &Path) -> io::Result<Option<u64>> {
    let inside = Path::new(&format!("/proc/{process}/root")).join(outer.strip_prefix("/").unwrap_or(outer));
    if fs::metadata(&inside)?.dev() == fs::metadata(outer)?.dev() {
        return Ok(None);
    }
    let system = statvfs(&inside)?;
    Ok(Some((system.blocks() - system.blocks_free()) * system.fragment_size()))
}

/// The bytes of all files below a folder. An error says what is wrong with them. What is removed or
/// replaced meanwhile is not counted.
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

/// What was asked of the system about a file; `None` if the file is gone, or not a folder any more.
/// A folder that cannot be looked into could hide anything.
fn found<T>(answer: nix::Result<T>) -> Result<Option<T>, String> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP) => Ok(None),
        Err(Errno::EACCES) => Err("it closed a folder to the grader".to_owned()),
        Err(error) => Err(format!("the grader cannot look at its files: {}", error.desc())),
    }
}

/// The files that were counted.
#[derive(Default)]
struct Sum {
    bytes: u64,
    files: usize,
}

impl Sum {
    /// Adds the files of one folder and returns it with the names of the folders in it.
    fn look_into(&mut self, folder: OwnedFd) -> Result<(Dir, Vec<CString>), String> {
        let mut folder = Dir::from_fd(folder).map_err(|error| error.to_string())?;
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
            // A disk may take a while to give blocks to what was written.
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
        assert_eq!(found::<()>(Err(Errno::EACCES)).unwrap_err(), "it closed a folder to the grader");
        let error = found::<()>(Err(Errno::EMFILE)).unwrap_err();
        assert_eq!(error, "the grader cannot look at its files: Too many open files");
    }
}
