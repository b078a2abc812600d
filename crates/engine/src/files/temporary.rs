//! Temporary files next to their target file.
//!
//! The name of a temporary file identifies its target. A lock on it shows that its writer is alive.
//! A process ID shows neither: it can be reused, and it is only valid on one machine or in one
//! container.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A file with a temporary name. It is removed on drop unless it was renamed.
pub(super) struct Temporary {
    path: PathBuf,
    pub(super) file: File,
    renamed: bool,
}

impl Temporary {
    /// Creates `.lab2048-<target>-<process>-<number>.tmp` in the folder of `target`, and removes
    /// the files that killed processes left there for the same target. `<target>` is a checksum of
    /// the target's name, so the temporary name is never too long.
    pub(super) fn beside(target: &Path) -> io::Result<Temporary> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let prefix = prefix(name);
        let temporary = Temporary::create(target, &prefix)?;
        temporary.remove_leftovers(&prefix);
        Ok(temporary)
    }

    fn create(target: &Path, prefix: &str) -> io::Result<Temporary> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!("{prefix}{}-{number}{SUFFIX}", process::id()));
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => file,
                // A killed process with the same ID left this file: try the next name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // Before the lock, another process may take the file for a leftover and remove it. File
            // systems without locks are accepted: leftovers are never removed there.
            let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if !taken && is_at(&file, &path) {
                return Ok(Temporary { path, file, renamed: false });
            }
        }
    }

    /// Removes the temporary files of the same target and the same user whose writers are dead.
    /// Each folder is listed once per process, because listing it for every write would take
    /// quadratic time.
    fn remove_leftovers(&self, prefix: &str) {
        static LISTED: Mutex<BTreeMap<PathBuf, Vec<OsString>>> = Mutex::new(BTreeMap::new());
        let folder = folder_of(&self.path);
        let mut listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
        let names = listed.entry(folder.to_owned()).or_insert_with(|| self.others_in(folder));
        names.retain(|name| {
            let path = self.path.with_file_name(name);
            let is_tried = is_temporary(name, prefix);
            // Files that cannot be inspected or removed stay; they do not prevent the write.
            !is_tried || self.remove_if_dead(&path).is_err() || path.is_symlink() || path.exists()
        });
    }

    /// Removes the temporary files of all targets in the folder, under the same conditions. The
    /// folder is listed each time.
    pub(super) fn remove_all_leftovers(&self) {
        for name in self.others_in(folder_of(&self.path)) {
            if is_temporary_of_any(&name) {
                // Files that cannot be inspected or removed stay.
                let _ = self.remove_if_dead(&self.path.with_file_name(name));
            }
        }
    }

    /// The names of all other temporary files in a folder.
    fn others_in(&self, folder: &Path) -> Vec<OsString> {
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let is_ours = |name: &OsString| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        names.filter(|name| is_ours(name) && self.path.file_name() != Some(name)).collect()
    }

    fn remove_if_dead(&self, path: &Path) -> io::Result<()> {
        // Check before opening: opening a pipe would block until another process opens its other
        // end.
        if !fs::symlink_metadata(path)?.is_file() {
            return Ok(());
        }
        let file = OpenOptions::new().write(true).open(path)?;
        let is_dead = file.try_lock().is_ok() && is_at(&file, path) && have_one_owner(&file, &self.file)?;
        if is_dead { fs::remove_file(path) } else { Ok(()) }
    }

    /// Writes the content.
    pub(super) fn fill(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = BufWriter::new(&mut self.file);
        write(&mut out)?;
        out.flush()
    }

    pub(super) fn rename_to(self, target: &Path) -> io::Result<()> {
        self.rename_without_sync(target)?;
        sync_folder_of(target);
        Ok(())
    }

    /// Like [`Temporary::rename_to`], for files that may be lost if the system crashes.
    pub(super) fn rename_without_sync(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }

    /// Gives the file its final name; fails with `AlreadyExists` if the name is taken.
    pub(super) fn place_at(&mut self, target: &Path) -> io::Result<()> {
        // Unlike a rename, a hard link never replaces a file. The temporary name is removed on
        // drop.
        match fs::hard_link(&self.path, target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) => self.take_place_at(target)?,
        }
        sync_folder_of(target);
        Ok(())
    }

    /// Like [`Temporary::place_at`], for file systems without hard links: an empty file reserves
    /// the name and is then replaced.
    pub(super) fn take_place_at(&mut self, target: &Path) -> io::Result<()> {
        drop(OpenOptions::new().write(true).create_new(true).open(target)?);
        if let Err(error) = fs::rename(&self.path, target) {
            let _ = fs::remove_file(target);
            return Err(error);
        }
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Flushes a new name to disk by syncing its folder. Some systems cannot open a folder; the content
/// of the file is safe in any case.
fn sync_folder_of(target: &Path) {
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all();
    }
}

const PREFIX: &str = ".lab2048-";
const SUFFIX: &str = ".tmp";

/// The beginning of all temporary names of a target.
fn prefix(target: &OsStr) -> String {
    format!("{PREFIX}{:08x}-", crc32fast::hash(target.as_encoded_bytes()))
}

/// Whether a name is a temporary name with this prefix.
fn is_temporary(name: &OsStr, prefix: &str) -> bool {
    let numbers = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(SUFFIX));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Whether a name is a temporary name of any target.
fn is_temporary_of_any(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let target = rest.and_then(|rest| rest.split_once('-')).map_or("", |(target, _)| target);
    target.len() == 8
        && u32::from_str_radix(target, 16).is_ok()
        && is_temporary(name, &format!("{PREFIX}{target}-"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether `path` still names this open file.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let named = fs::symlink_metadata(path).map(place);
    named.is_ok_and(|named| file.metadata().is_ok_and(|open| place(open) == named))
}

/// Whether `path` still names this open file. Here it is enough that it exists: no other file gets
/// this name.
#[cfg(not(unix))]
pub(super) fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(unix)]
fn have_one_owner(one: &File, other: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(one.metadata()?.uid() == other.metadata()?.uid())
}

/// Whether two files belong to the same user. Here they do: another user could not have opened them
/// for writing.
#[cfg(not(unix))]
fn have_one_owner(_: &File, _: &File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(folder: &Path, target: &str, numbers: &str) -> PathBuf {
        folder.join(format!("{}{numbers}.tmp", prefix(OsStr::new(target))))
    }

    #[test]
    fn only_leftovers_of_the_same_target_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let named = |target, numbers| named(folder.path(), target, numbers);
        let dead = [named("a.txt", "1-0"), named("a.txt", "4000000000-12")];
        let alive = named("a.txt", "2-0");
        let foreign = [
            named("b.txt", "1-0"),
            named("a.txt", "1"),
            named("a.txt", "1-x"),
            named("a.txt", "1-0-0"),
            folder.path().join(".lab2048-1-0.tmp"),
            folder.path().join("a.txt.tmp"),
        ];
        for path in dead.iter().chain(&foreign) {
            fs::write(path, "torn").unwrap();
        }
        let writer = File::create(&alive).unwrap();
        writer.lock().unwrap();
        fs::create_dir(named("a.txt", "3-0")).unwrap();
        drop(Temporary::beside(&folder.path().join("a.txt")).unwrap());
        assert!(dead.iter().all(|path| !path.exists()));
        assert!(alive.exists() && foreign.iter().all(|path| path.exists()));
        assert!(named("a.txt", "3-0").exists());
        drop(writer);
        drop(Temporary::beside(&folder.path().join("a.txt")).unwrap());
        assert!(!alive.exists(), "its writer has ended");
    }

    #[test]
    fn two_writers_of_one_file_leave_each_other_alone() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.txt");
        let (one, two) = (Temporary::beside(&target).unwrap(), Temporary::beside(&target).unwrap());
        assert!(one.path.exists() && two.path.exists());
        one.rename_to(&target).unwrap();
        two.rename_to(&target).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_no_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let (link, pipe) = (named(folder.path(), "a.txt", "1-0"), named(folder.path(), "a.txt", "2-0"));
        fs::write(folder.path().join("mine"), "mine").unwrap();
        std::os::unix::fs::symlink(folder.path().join("mine"), &link).unwrap();
        assert!(process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        drop(Temporary::beside(&folder.path().join("a.txt")).unwrap());
        assert!(link.is_symlink() && pipe.exists());
        assert_eq!(fs::read_to_string(folder.path().join("mine")).unwrap(), "mine");
    }
}
