//! A folder of files that can be made again at any time.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::LockedFile;
use super::temporary::Temporary;

/// The file that the one process that writes has locked.
const LOCK: &str = "lock";

/// A folder of files that can be made again at any time. Together they take at most a number of
/// bytes on the disk: a new file replaces the oldest ones. Only files with the extension are looked
/// at.
#[derive(Clone, Debug)]
pub(crate) struct CacheFolder {
    pub(crate) folder: PathBuf,
    pub(crate) extension: &'static str,
    pub(crate) limit: u64,
}

impl CacheFolder {
    /// The file with a name, which need not exist.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{}", self.extension))
    }

    /// Writes a file atomically. Unlike [`write_whole`](super::write_whole) it does not wait for
    /// the disk: after a crash of the system the file may have another content, so the reader must
    /// verify it. Only one process writes at a time; the others fail at once.
    pub(crate) fn write<E: From<io::Error>>(
        &self,
        name: &str,
        write: impl FnOnce(&File) -> Result<(), E>,
    ) -> Result<(), E> {
        fs::create_dir_all(&self.folder)?;
        let _lock = LockedFile::open(&self.folder.join(LOCK)).map_err(io::Error::other)?;
        let path = self.path(name);
        let temporary = Temporary::beside(&path)?;
        temporary.remove_all_leftovers();
        write(&temporary.file)?;
        self.make_room(size_on_disk(&temporary.file.metadata()?), &path)?;
        temporary.rename_without_sync(&path)?;
        Ok(())
    }

    /// Removes the oldest files until there is room for a new one, which replaces `path`.
    fn make_room(&self, size: u64, path: &Path) -> io::Result<()> {
        let room = self.limit.checked_sub(size).ok_or(io::ErrorKind::FileTooLarge)?;
        let mut files = self.files();
        files.retain(|file| file.path != path);
        // The newest is last.
        files.sort_by(|one, other| (one.written, &one.path).cmp(&(other.written, &other.path)));
        let mut total: u64 = files.iter().map(|file| file.size).sum();
        for file in files {
            if total <= room {
                break;
            }
            fs::remove_file(&file.path)?;
            total -= file.size;
        }
        Ok(())
    }

    fn files(&self) -> Vec<Cached> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| entry.path().extension().is_some_and(|own| own == self.extension));
        let known = ours.filter_map(|entry| {
            let found = entry.metadata().ok().filter(Metadata::is_file)?;
            Some(Cached { path: entry.path(), size: size_on_disk(&found), written: found.modified().ok() })
        });
        known.collect()
    }
}

/// A file of the folder.
struct Cached {
    path: PathBuf,
    size: u64,
    written: Option<SystemTime>,
}

/// The size of a file without its holes.
#[cfg(unix)]
fn size_on_disk(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    512 * metadata.blocks()
}

#[cfg(not(unix))]
fn size_on_disk(metadata: &Metadata) -> u64 {
    metadata.len()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use super::*;

    /// A folder with room for three files of 4096 bytes.
    fn cache(folder: &Path) -> CacheFolder {
        CacheFolder { folder: folder.join("new/cache"), extension: "thing", limit: 3 * 4096 }
    }

    fn put(cache: &CacheFolder, name: &str, bytes: usize) -> io::Result<()> {
        cache.write(name, |mut file| {
            file.write_all(&vec![7; bytes])?;
            file.sync_all()
        })
    }

    /// Dates a file back by so many seconds.
    fn age(cache: &CacheFolder, name: &str, seconds: u64) {
        let file = fs::OpenOptions::new().write(true).open(cache.path(name)).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written - Duration::from_secs(seconds)).unwrap();
    }

    fn names(cache: &CacheFolder) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&cache.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_oldest_files_make_room_and_foreign_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        for (name, seconds) in [("b", 20), ("a", 30), ("c", 10)] {
            put(&cache, name, 4096).unwrap();
            age(&cache, name, seconds);
        }
        fs::write(cache.folder.join("mine.txt"), vec![0; 100_000]).unwrap();
        assert_eq!(names(&cache), ["a.thing", "b.thing", "c.thing", "lock", "mine.txt"]);
        put(&cache, "d", 4096).unwrap();
        assert_eq!(names(&cache), ["b.thing", "c.thing", "d.thing", "lock", "mine.txt"]);
        put(&cache, "e", 2 * 4096).unwrap();
        assert_eq!(names(&cache), ["d.thing", "e.thing", "lock", "mine.txt"]);
        // A new version of a file takes the room of the old one.
        put(&cache, "e", 2 * 4096).unwrap();
        assert_eq!(names(&cache), ["d.thing", "e.thing", "lock", "mine.txt"]);
    }

    #[test]
    fn a_file_that_does_not_fit_or_fails_leaves_all_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        put(&cache, "a", 4096).unwrap();
        assert_eq!(put(&cache, "b", 4 * 4096).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let full = cache.write("a", |mut file| {
            file.write_all(b"half")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(names(&cache), ["a.thing", "lock"]);
        assert_eq!(fs::read(cache.path("a")).unwrap(), vec![7; 4096]);
    }

    #[test]
    fn one_process_writes_at_a_time_and_clears_what_killed_ones_left() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        put(&cache, "a", 10).unwrap();
        let [dead, alive, foreign] =
            [".lab2048-0123abcd-77-0.tmp", ".lab2048-0123abcd-77-1.tmp", ".lab2048-mine.tmp"];
        for name in [dead, alive, foreign] {
            fs::write(cache.folder.join(name), "half").unwrap();
        }
        // Someone else uses the folder too, and has not finished writing.
        let writer = File::options().write(true).open(cache.folder.join(alive)).unwrap();
        writer.lock().unwrap();
        cache
            .write("b", |_| {
                put(&cache, "c", 10).unwrap_err();
                Ok::<_, io::Error>(())
            })
            .unwrap();
        assert_eq!(names(&cache), [alive, foreign, "a.thing", "b.thing", "lock"]);
        drop(writer);
        put(&cache, "b", 10).unwrap();
        assert_eq!(names(&cache), [foreign, "a.thing", "b.thing", "lock"]);
    }
}
