//! Files of a submission that lie in memory, where they count for no process.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::{fs, io};

use super::Place;

/// The unit of the size that a file takes (stat(3type), `st_blocks`).
const BLOCK: u64 = 512;

/// Whether a folder lies in memory.
pub(in super::super) fn is_in_memory(folder: &Path) -> io::Result<bool> {
    let device = fs::metadata(folder)?.dev();
    Ok(is_memory(&fs::read_to_string("/proc/self/mountinfo")?, device))
}

/// Looks a device up among the mounted ones: `ID PARENT MAJOR:MINOR ROOT PLACE ... - KIND ...` (proc_pid_mountinfo(5)).
fn is_memory(mounts: &str, device: u64) -> bool {
    let number = format!("{}:{}", nix::libc::major(device), nix::libc::minor(device));
    mounts.lines().any(|mount| {
        let kind = mount.split_once(" - ").and_then(|(_, rest)| rest.split(' ').next());
        mount.split(' ').nth(2) == Some(&number) && matches!(kind, Some("tmpfs" | "ramfs"))
    })
}

/// The bytes that the files of a submission take in memory: those of its folder, if that lies there, and what its user has in
/// shared memory.
pub(in super::super) fn files_in_memory(folder: Option<&Path>, place: Place) -> u64 {
    let own = folder.map_or(0, |folder| size(folder, None));
    match place {
        Place::OwnUser { user, .. } => own + size(Path::new("/dev/shm"), Some(user)),
        Place::SameUser => own,
    }
}

/// The bytes of all files below a folder, of one user if that is said. What cannot be looked at is not counted.
fn size(folder: &Path, user: Option<u32>) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match fs::symlink_metadata(entry.path()) {
        Ok(metadata) if user.is_some_and(|user| metadata.uid() != user) => 0,
        Ok(metadata) if metadata.is_dir() => size(&entry.path(), user),
        Ok(metadata) => metadata.blocks() * BLOCK,
        Err(_) => 0,
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_in_memory_are_known_by_their_device() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
            30 22 0:27 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw,inode64\n\
            31 22 0:28 / /over rw - overlay tmpfs rw\n";
        let device = nix::libc::makedev;
        assert!(is_memory(mounts, device(0, 27)));
        for other in [device(8, 1), device(0, 28), device(0, 2)] {
            assert!(!is_memory(mounts, other));
        }
    }

    #[test]
    fn files_are_added_up() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        for name in ["one", "inner/two"] {
            fs::write(folder.path().join(name), vec![1; 1 << 16]).unwrap();
        }
        let owner = fs::metadata(folder.path()).unwrap().uid();
        // A disk may take a while to give blocks to what was written, memory does not.
        if is_in_memory(folder.path()).unwrap() {
            assert_eq!(size(folder.path(), None), 2 << 16);
            assert_eq!(size(folder.path(), Some(owner)), 2 << 16);
        }
        assert_eq!(size(folder.path(), Some(owner + 1)), 0);
    }
}
