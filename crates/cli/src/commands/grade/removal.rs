//! Removes folders, whatever a submission has built in them.
//!
//! Folders may be nested deeper than a path, a stack or the file descriptors of a process allow. So
//! nothing here descends: every folder that is found is first moved to the top.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fmt, io};

/// The time limit for one removal. A slow disk takes 4 ms per folder, and a submission has at most
/// 65,536.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);
/// The time limit if the user has interrupted twice.
pub(super) const HURRY: Duration = Duration::from_secs(60);

/// Files that could not be removed.
#[derive(Debug)]
pub(super) struct Left(String);

impl fmt::Display for Left {
    fn fmt(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.write_str(&self.0)
    }
}

/// Removes a folder within a time limit. Only the grader may be able to rename or replace it. Two
/// threads may remove the same folder.
pub(super) fn remove(folder: &Path, patience: Duration) -> Result<(), Left> {
    match carry_out(folder, Instant::now() + patience) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Left(format!(
            "files of a submission are left in {}; please remove them: {}",
            folder.display(),
            in_words(&error)
        ))),
    }
}

#[cfg(not(unix))]
fn carry_out(folder: &Path, _: Instant) -> io::Result<()> {
    std::fs::remove_dir_all(folder)
}

#[cfg(unix)]
fn carry_out(folder: &Path, until: Instant) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::fcntl::AT_FDCWD;
    use nix::unistd::{UnlinkatFlags, unlinkat};

    loop {
        Top::open(folder, until)?.clear()?;
        match unlinkat(AT_FDCWD, folder, UnlinkatFlags::RemoveDir) {
            // Another thread has just moved a folder into this one.
            Err(Errno::ENOTEMPTY | Errno::EEXIST) if Instant::now() < until => {}
            removed => return Ok(removed?),
        }
    }
}

#[cfg(unix)]
use self::unix::Top;
use lab2048::text::in_words;

#[cfg(unix)]
mod unix {
    use std::ffi::{CStr, CString};
    use std::io;
    use std::os::fd::AsFd;
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    use nix::dir::Dir;
    use nix::errno::Errno;
    use nix::fcntl::{AT_FDCWD, AtFlags, renameat};
    use nix::sys::stat::{SFlag, fstatat};
    use nix::unistd::{UnlinkatFlags, unlinkat};

    use super::super::folder;

    /// The maximum number of names of a folder in memory. The next pass reads the others.
    const MOST_NAMES: usize = 1 << 16;

    /// The folder to remove. The folders below it are moved into it.
    pub(super) struct Top {
        folder: Dir,
        until: Instant,
    }

    fn open(at: impl AsFd, name: &(impl nix::NixPath + ?Sized)) -> nix::Result<Dir> {
        folder::open(at, name).and_then(Dir::from_fd)
    }

    /// Gives the owner all permissions on a folder. Anything else with this name, such as a link
    /// that has just replaced the folder, is not changed.
    #[cfg(target_os = "linux")]
    fn unlock(at: &Dir, name: &CStr) -> io::Result<()> {
        use std::os::fd::AsRawFd;

        use nix::fcntl::{OFlag, openat};
        use nix::sys::stat::Mode;

        let how = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let folder = openat(at, name, how, Mode::empty())?;
        // fchmod does not accept a descriptor opened with O_PATH (open(2)).
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
    }

    #[cfg(not(target_os = "linux"))]
    fn unlock(at: &Dir, name: &CStr) -> io::Result<()> {
        use nix::sys::stat::{FchmodatFlags, Mode, fchmodat};

        Ok(fchmodat(at, name, Mode::S_IRWXU, FchmodatFlags::NoFollowSymlink)?)
    }

    impl Top {
        pub(super) fn open(folder: &Path, until: Instant) -> io::Result<Top> {
            Ok(Top { folder: open(AT_FDCWD, folder)?, until })
        }

        /// Removes all contents.
        pub(super) fn clear(&self) -> io::Result<()> {
            let mut trouble = None;
            loop {
                let mut waiting = Vec::new();
                let removed = self.empty(&mut open(&self.folder, c".")?, &mut waiting, &mut trouble)?;
                let mut goes_on = removed > 0;
                while let Some(name) = waiting.pop() {
                    goes_on |= self.clear_one(&name, &mut waiting, &mut trouble)?;
                }
                match trouble.take() {
                    _ if goes_on => {}
                    Some(error) => return Err(io::Error::from(error)),
                    None => return Ok(()),
                }
            }
        }

        /// Empties a folder at the top and removes it. Returns whether anything has changed.
        fn clear_one(
            &self,
            name: &CStr,
            waiting: &mut Vec<CString>,
            trouble: &mut Option<Errno>,
        ) -> io::Result<bool> {
            let opened = open(&self.folder, name);
            let emptied = match opened {
                Ok(mut folder) => self.empty(&mut folder, waiting, trouble)?,
                Err(Errno::ENOENT) => return Ok(false),
                Err(error) => {
                    trouble.get_or_insert(error);
                    0
                }
            };
            let removed = unlinkat(&self.folder, name, UnlinkatFlags::RemoveDir);
            match removed {
                // Another thread was faster.
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(error) => {
                    trouble.get_or_insert(error);
                }
            }
            Ok(emptied > 0 || removed.is_ok())
        }

        /// Removes the files of a folder and moves its subfolders to the top, where they wait.
        /// Returns how many entries were removed or moved.
        fn empty(
            &self,
            folder: &mut Dir,
            waiting: &mut Vec<CString>,
            trouble: &mut Option<Errno>,
        ) -> io::Result<usize> {
            let is_top = folder_is(folder, &self.folder)?;
            let mut went = 0;
            let names: Vec<CString> = folder
                .iter()
                .filter_map(|entry| Some(entry.ok()?.file_name().to_owned()))
                .filter(|name| name.as_c_str() != c"." && name.as_c_str() != c"..")
                .take(MOST_NAMES)
                .collect();
            for name in names {
                if Instant::now() >= self.until {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "it takes too long"));
                }
                let gone = match unlinkat(&*folder, name.as_c_str(), UnlinkatFlags::NoRemoveDir) {
                    // Linux reports EISDIR for a folder, other systems EPERM.
                    Err(error @ (Errno::EISDIR | Errno::EPERM)) => match is_folder(folder, &name) {
                        Ok(true) => {
                            // Its owner may have removed the permissions, without which it cannot
                            // be moved.
                            let _ = unlock(folder, &name);
                            if is_top {
                                waiting.push(name);
                                continue;
                            }
                            self.lift(folder, &name).map(|place| waiting.push(place))
                        }
                        Ok(false) => Err(error),
                        Err(why) => Err(why),
                    },
                    other => other,
                };
                match gone {
                    Ok(()) => went += 1,
                    // Another thread was faster.
                    Err(Errno::ENOENT) => {}
                    Err(error) => {
                        trouble.get_or_insert(error);
                    }
                }
            }
            Ok(went)
        }

        /// Moves a folder to the top and returns its name there.
        fn lift(&self, from: &Dir, name: &CStr) -> nix::Result<CString> {
            loop {
                let place = fresh_name();
                match renameat(from, name, &self.folder, place.as_c_str()) {
                    Err(Errno::EEXIST | Errno::ENOTEMPTY) => {}
                    moved => return moved.map(|()| place),
                }
            }
        }
    }

    fn is_folder(at: &Dir, name: &CStr) -> nix::Result<bool> {
        let stat = fstatat(at, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
        Ok(SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFDIR)
    }

    fn folder_is(one: &Dir, other: &Dir) -> nix::Result<bool> {
        let place = |folder: &Dir| nix::sys::stat::fstat(folder).map(|stat| (stat.st_dev, stat.st_ino));
        Ok(place(one)? == place(other)?)
    }

    /// A name that was not used before.
    fn fresh_name() -> CString {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        CString::new(format!("moved-{number}")).unwrap_or_default()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("the path exists").mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the path is ours");
    }

    #[test]
    fn closed_folders_go_and_links_are_not_followed() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("file"), "stays").unwrap();
        set_mode(elsewhere.path(), 0o711);
        let top = place.path().join("top");
        fs::create_dir_all(top.join("one/two/three")).unwrap();
        for name in ["link", "one/link", "one/two/link"] {
            symlink(elsewhere.path(), top.join(name)).unwrap();
        }
        // Names that the removal itself uses.
        fs::create_dir_all(top.join("moved-0/moved-1/moved-2")).unwrap();
        fs::write(top.join("moved-0/file"), "goes").unwrap();
        for name in ["one/two/three", "one/two", "one"] {
            set_mode(&top.join(name), 0);
        }
        remove(&top, PATIENCE).unwrap();
        assert!(!top.exists());
        assert_eq!(mode(elsewhere.path()), 0o711);
        assert_eq!(fs::read_to_string(elsewhere.path().join("file")).unwrap(), "stays");
        remove(&top, PATIENCE).expect("removing a missing folder succeeds");
    }

    /// The chain is built from the inside out, so that no path becomes too long.
    #[test]
    fn depth_does_not_matter() {
        // Folders on a disk take a hundred times as long.
        let memory = Path::new("/dev/shm");
        let place = match memory.is_dir() {
            true => tempfile::tempdir_in(memory).unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        let (top, next) = (place.path().join("top"), place.path().join("next"));
        fs::create_dir(&top).unwrap();
        for _ in 0..25_000 {
            fs::create_dir(&next).unwrap();
            fs::rename(&top, next.join("inner")).unwrap();
            fs::rename(&next, &top).unwrap();
        }
        remove(&top, PATIENCE).unwrap();
        assert!(!top.exists());
    }

    /// The grader and its cleanup after a second Ctrl-C may remove the same folder.
    #[test]
    fn two_threads_remove_one_folder() {
        let place = tempfile::tempdir().unwrap();
        for round in 0..50 {
            let top = place.path().join(round.to_string());
            for number in 0..20 {
                fs::create_dir_all(top.join(format!("{number}/a/b/c"))).unwrap();
            }
            std::thread::scope(|scope| {
                let both = [(); 2].map(|()| scope.spawn(|| remove(&top, PATIENCE)));
                for one in both {
                    one.join().expect("it does not panic").expect("the folder can be removed");
                }
            });
            assert!(!top.exists());
        }
    }

    #[test]
    fn what_is_left_is_told() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "").unwrap();
        let left = remove(place.path(), Duration::ZERO).unwrap_err().to_string();
        let path = place.path().display();
        assert_eq!(
            left,
            format!("files of a submission are left in {path}; please remove them: it takes too long")
        );
    }
}
