//! The files of a submission, added up. Where they lie in a file system of their own, the system
//! says how full it is; otherwise they are looked at one by one.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::{fs, io};

use nix::dir::Dir;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstatat};
use nix::sys::statvfs::statvfs;

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

/// The bytes of all files below a folder. An error says what is wrong with them. What cannot be
/// looked at is not counted.
pub(super) fn all_below(folder: &Path) -> Result<u64, String> {
    let Ok(top) = open(AT_FDCWD, folder) else { return Ok(0) };
    let (mut bytes, mut files) = (0, 0);
    let mut stack = vec![look_into(top, &mut bytes, &mut files)];
    while let Some((folder, inner)) = stack.last_mut() {
        let Some(name) = inner.pop() else {
            stack.pop();
            continue;
        };
        let Ok(next) = open(folder, name.as_c_str()) else { continue };
        if stack.len() == DEEPEST {
            return Err(format!("its folders were nested more than {DEEPEST} deep"));
        }
        stack.push(look_into(next, &mut bytes, &mut files));
        if files > MOST_FILES {
            return Err(format!("it had more than {MOST_FILES} files"));
        }
    }
    Ok(bytes)
}

fn open(at: impl AsFd, name: &(impl nix::NixPath + ?Sized)) -> nix::Result<OwnedFd> {
    let how = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(at, name, how, Mode::empty())
}

/// Adds up the files of one folder and returns it with the names of the folders in it.
fn look_into(folder: OwnedFd, bytes: &mut u64, files: &mut u64) -> (OwnedFd, Vec<CString>) {
    let mut inner = Vec::new();
    let Ok(mut entries) = open(&folder, c".").and_then(Dir::from_fd) else { return (folder, inner) };
    for entry in entries.iter().flatten() {
        let name = entry.file_name();
        if name == c".." || name == c"." {
            continue;
        }
        *files += 1;
        if *files > MOST_FILES {
            break;
        }
        let Ok(stat) = fstatat(&folder, name, AtFlags::AT_SYMLINK_NOFOLLOW) else { continue };
        *bytes += stat.st_blocks.unsigned_abs() * BLOCK;
        if SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFDIR {
            inner.push(name.to_owned());
        }
    }
    (folder, inner)
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
}
