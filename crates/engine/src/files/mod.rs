//! Atomic file writing and limited reading for the whole project.
//!
//! A file is written under a temporary name in the same folder, flushed to disk and renamed. If the
//! program is killed at any moment, the old or the new file is there, never a part of one. The next
//! write of the same file removes leftovers of killed programs. Reading has a size limit, so that a
//! wrong file name cannot exhaust the memory. [`LineLog`] is the exception: it appends lines to a
//! file in place.

mod cache;
mod home;
mod lines;
mod locked;
mod temporary;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

pub(crate) use cache::CacheFolder;
pub use home::{network_cache_folder, table_folder, user_folder};
pub use lines::LineLog;
pub use locked::{LockError, LockedFile};
use temporary::Temporary;

use crate::hash::hex;
use crate::text::in_words;

/// A file that could not be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}: {}", path.display(), in_words(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It cannot be written; the old content is still there.
    #[error("cannot write {}: {}", path.display(), in_words(source))]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is larger than allowed for its kind.
    #[error("{} is larger than {limit} bytes, the limit for this kind of file", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The maximum size in bytes.
        limit: u64,
    },
}

/// Reads a whole file of at most `limit` bytes.
pub fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    // Reading one byte more than allowed distinguishes "at the limit" from "too large". This also
    // works if the length is not known beforehand, as with a pipe.
    let file = File::open(path).map_err(failed)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}

/// The SHA-256 of a file that may be too large for memory, in hexadecimal.
pub fn hash_of(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hash)?;
    Ok(hex(hash))
}

/// The name of file `number`, counted from 1, in a numbered series: `game.2048`, `game-2.2048`,
/// `game-3.2048`.
///
/// ```
/// use std::path::Path;
/// use lab2048::files::numbered;
///
/// assert_eq!(numbered(Path::new("a/game.2048"), 1), Path::new("a/game.2048"));
/// assert_eq!(numbered(Path::new("a/game.2048"), 2), Path::new("a/game-2.2048"));
/// assert_eq!(numbered(Path::new("game"), 12), Path::new("game-12"));
/// ```
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    let Some(stem) = path.file_stem().filter(|_| number > 1) else { return path.to_owned() };
    let mut name = stem.to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Renames a file to the first free numbered name, from 2 on (see [`numbered`]), and returns that
/// name. No file is replaced.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    rename_to_free(path, (2..).map(|number| numbered(path, number)))
}

/// Renames a file to the first of these names that is free, and returns it. No file is replaced.
pub(crate) fn rename_to_free(path: &Path, names: impl IntoIterator<Item = PathBuf>) -> io::Result<PathBuf> {
    for aside in names {
        // An empty file reserves the name. A rename alone would replace a file that appears in the
        // meantime.
        match OpenOptions::new().write(true).create_new(true).open(&aside) {
            Ok(_) => {
                return match fs::rename(path, &aside) {
                    Ok(()) => Ok(aside),
                    Err(error) => fs::remove_file(&aside).and(Err(error)),
                };
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Writes a file atomically: on success it has exactly what `write` wrote, on failure it is
/// unchanged.
///
/// A link is followed and stays a link. A pipe, a terminal or a device such as `/dev/null` cannot
/// be replaced and is written to directly.
///
/// ```no_run
/// use std::path::Path;
/// use lab2048::files::write_whole;
///
/// write_whole(Path::new("notes.txt"), |out| out.write_all(b"64 beats 32\n"))?;
/// # Ok::<(), lab2048::files::FileError>(())
/// ```
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    try_write_whole(path, write).map_err(|source| FileError::Write { path: path.to_owned(), source })
}

fn try_write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let found = find(path)?;
    let Some((target, mut temporary)) = prepare(path, &found)? else {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        write(&mut out)?;
        return out.flush();
    };
    temporary.fill(write)?;
    if let Some(metadata) = found {
        temporary.file.set_permissions(metadata.permissions())?;
    }
    temporary.file.sync_all()?;
    temporary.rename_to(&target)
}

/// Writes a new file atomically under the first of these names that is free, and returns the name.
///
/// No existing file is ever replaced, even if another program takes a name at the same moment. If
/// the first name is a pipe, a terminal or a device such as `/dev/null`, it is written to directly.
///
/// ```no_run
/// use std::path::PathBuf;
/// use lab2048::files::write_new;
///
/// let names = (1..).map(|number| PathBuf::from(format!("notes-{number}.txt")));
/// let name = write_new(names, |out| out.write_all(b"64 beats 32\n"))?;
/// # Ok::<(), lab2048::files::FileError>(())
/// ```
pub fn write_new(
    names: impl IntoIterator<Item = PathBuf>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, FileError> {
    let mut names = names.into_iter();
    let Some(mut path) = names.next() else {
        return Err(FileError::Write { path: PathBuf::new(), source: io::ErrorKind::InvalidFilename.into() });
    };
    let failed = |path: &Path, source| FileError::Write { path: path.to_owned(), source };
    if fs::metadata(&path).is_ok_and(|existing| !existing.is_file() && !existing.is_dir()) {
        write_whole(&path, write)?;
        return Ok(path);
    }
    let mut temporary = Temporary::beside(&path).map_err(|error| failed(&path, error))?;
    let filled = temporary.fill(write).and_then(|()| temporary.file.sync_all());
    filled.map_err(|error| failed(&path, error))?;
    loop {
        match temporary.place_at(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match names.next() {
                Some(next) => path = next,
                None => return Err(failed(&path, error)),
            },
            Err(error) => return Err(failed(&path, error)),
        }
    }
}

/// The metadata of a path, if it exists.
fn find(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file to replace and its temporary file; `None` if the path is written to directly.
fn prepare(path: &Path, found: &Option<Metadata>) -> io::Result<Option<(PathBuf, Temporary)>> {
    match found {
        Some(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Some(metadata) if !metadata.is_file() => return Ok(None),
        // A read-only file is not replaced either.
        Some(metadata) if metadata.permissions().readonly() => {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        _ => {}
    }
    let target = if found.is_some() { path.canonicalize()? } else { path.to_owned() };
    let temporary = Temporary::beside(&target)?;
    Ok(Some((target, temporary)))
}

/// Checks whether a file can be written, without changing it. Call it before long work whose result
/// goes to that file. Pipes and devices are not touched.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    match find(path).and_then(|found| prepare(path, &found)) {
        Ok(_) => Ok(()),
        Err(source) => Err(FileError::Write { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_and_a_replaced_one_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for text in ["first", "the second, longer", "3"] {
            write_whole(&path, |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names_in(folder.path()), ["a.txt"]);
        write_whole(&folder.path().join("n".repeat(250)), |_| Ok(())).unwrap();
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_whole(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_whole(&path, |out| {
            out.write_all(&[0; 100_000])?;
            Err(io::Error::other("no space"))
        });
        assert_eq!(failed.unwrap_err().to_string(), format!("cannot write {}: no space", path.display()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names_in(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_panic_in_the_middle_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let outcome = std::panic::catch_unwind(|| write_whole(&path, |_| panic!("in the middle")));
        assert!(outcome.is_err());
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_new_file_takes_the_first_free_name() {
        let folder = tempfile::tempdir().unwrap();
        let names = || (1..=3).map(|number| folder.path().join(format!("{number}.txt")));
        fs::create_dir(folder.path().join("2.txt")).unwrap();
        for (text, name) in [("first", "1.txt"), ("second", "3.txt")] {
            let written = write_new(names(), |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(written, folder.path().join(name));
        }
        assert!(write_new(names(), |out| out.write_all(b"third")).is_err(), "no name is free");
        assert_eq!(fs::read_to_string(folder.path().join("1.txt")).unwrap(), "first");
        assert_eq!(fs::read_to_string(folder.path().join("3.txt")).unwrap(), "second");
        assert_eq!(names_in(folder.path()), ["1.txt", "2.txt", "3.txt"]);
    }

    #[test]
    fn writers_at_the_same_moment_get_different_names() {
        const WRITERS: usize = 8;
        let folder = tempfile::tempdir().unwrap();
        let start = std::sync::Barrier::new(WRITERS);
        let written: Vec<(usize, PathBuf)> = std::thread::scope(|scope| {
            let write = |number: usize| {
                start.wait();
                let names = (0..).map(|name| folder.path().join(format!("{name}")));
                (number, write_new(names, |out| write!(out, "{number}")).unwrap())
            };
            let threads: Vec<_> = (0..WRITERS).map(|number| scope.spawn(move || write(number))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (number, path) in &written {
            assert_eq!(fs::read_to_string(path).unwrap(), number.to_string());
        }
        assert_eq!(names_in(folder.path()).len(), WRITERS);
    }

    #[test]
    fn a_name_can_be_reserved_where_there_are_no_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let place = |text: &str| {
            let mut temporary = Temporary::beside(&path).unwrap();
            temporary.fill(|out| out.write_all(text.as_bytes())).unwrap();
            temporary.take_place_at(&path)
        };
        place("first").unwrap();
        assert_eq!(place("second").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(names_in(folder.path()), ["a.txt"]);
    }

    #[test]
    fn checking_says_what_writing_would_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        check_writable(&path).unwrap();
        assert!(names_in(folder.path()).is_empty());
        write_whole(&path, |out| out.write_all(b"old")).unwrap();
        check_writable(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names_in(folder.path()), ["a.txt"]);
        for wrong in [folder.path().to_owned(), folder.path().join("none/a.txt")] {
            let said = |outcome: Result<(), FileError>| outcome.unwrap_err().to_string();
            assert_eq!(said(check_writable(&wrong)), said(write_whole(&wrong, |_| Ok(()))));
        }
    }

    #[test]
    fn folders_and_missing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_whole(folder.path(), |_| Ok(())).is_err());
        assert!(write_whole(&folder.path().join("none/a.txt"), |_| Ok(())).is_err());
        assert!(write_whole(Path::new(""), |_| Ok(())).is_err());
        assert!(names_in(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(write_whole(&link, |out| out.write_all(b"newer")).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let null = Path::new("/dev/null");
        write_whole(null, |out| out.write_all(b"gone")).unwrap();
        assert_eq!(write_new([null.to_owned()], |out| out.write_all(b"gone")).unwrap(), null);
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_file_that_is_set_aside_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for (text, name) in [("one", "a-2.txt"), ("two", "a-3.txt"), ("three", "a-4.txt")] {
            fs::write(&path, text).unwrap();
            assert_eq!(set_aside(&path).unwrap(), folder.path().join(name));
        }
        assert_eq!(names_in(folder.path()), ["a-2.txt", "a-3.txt", "a-4.txt"]);
        assert_eq!(fs::read_to_string(folder.path().join("a-3.txt")).unwrap(), "two");
        assert!(set_aside(&path).is_err(), "the file does not exist");
        assert_eq!(names_in(folder.path()).len(), 3);
    }

    #[test]
    fn a_hash_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "").unwrap();
        // printf '' | sha256sum
        assert_eq!(
            hash_of(&path).unwrap(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert!(hash_of(&folder.path().join("b")).is_err());
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_limited(&path, 5).unwrap(), b"12345");
        assert!(matches!(read_limited(&path, 4), Err(FileError::TooLarge { limit: 4, .. })));
        assert!(matches!(read_limited(&folder.path().join("b"), 4), Err(FileError::Read { .. })));
    }
}
