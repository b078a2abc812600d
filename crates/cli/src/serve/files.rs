//! The files of the folder that was given to `serve`. A client sees their names and gets them by
//! ids that the server made.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use lab2048::hash::hex_of;

use super::content::Content;

/// The largest file that is offered.
const MOST_BYTES: u64 = 64 << 20;

/// The largest number of files that are offered.
const MOST_FILES: usize = 1000;

/// The largest number of names that are looked at, in the folder and each of its folders.
const MOST_NAMES: usize = 10_000;

/// The folder.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its path without links.
    root: PathBuf,
}

/// A file of the folder.
#[derive(Debug)]
pub(super) struct FolderFile {
    /// What a client asks for.
    id: String,
    /// Its path from the folder, with `/`.
    pub(super) name: String,
    bytes: u64,
    kind: &'static str,
    path: PathBuf,
}

/// What a file may be, by its ending.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "2048" => "replay",
        "jsonl" => "records",
        "json" => "json",
        "csv" => "table",
        "gp" | "program" => "program",
        _ => return None,
    })
}

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        let root = path.canonicalize()?;
        fs::read_dir(&root)?;
        Ok(Folder { root })
    }

    /// Its files and those of its folders, sorted by name.
    pub(super) fn files(&self) -> Vec<FolderFile> {
        let mut files = Vec::new();
        for (name, path) in names(&self.root) {
            if path.is_dir() {
                let inner = names(&path).into_iter();
                files.extend(inner.filter_map(|(inner, path)| self.file(format!("{name}/{inner}"), &path)));
            } else {
                files.extend(self.file(name, &path));
            }
        }
        files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        files.truncate(MOST_FILES);
        files
    }

    /// The name of the folder itself.
    pub(super) fn name(&self) -> String {
        self.root.file_name().unwrap_or(self.root.as_os_str()).to_string_lossy().into_owned()
    }

    /// The list as JSON.
    pub(super) fn json(&self) -> Value {
        self.files().iter().map(FolderFile::json).collect()
    }

    /// The file with an id.
    pub(super) fn file_with(&self, id: &str) -> Option<FolderFile> {
        self.files().into_iter().find(|file| file.id == id)
    }

    /// A file, if it can be offered: of a known kind, not too large, and inside the folder even if
    /// it is a link.
    fn file(&self, name: String, path: &Path) -> Option<FolderFile> {
        let kind = kind(&name)?;
        let path = path.canonicalize().ok().filter(|path| path.starts_with(&self.root))?;
        let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let bytes = Some(found.len()).filter(|&bytes| bytes <= MOST_BYTES)?;
        let id = hex_of(name.as_bytes())[..16].to_owned();
        Some(FolderFile { id, name, bytes, kind, path })
    }
}

/// The names in a folder that are text and not hidden, with their paths.
fn names(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.take(MOST_NAMES).flatten();
    let named = entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    named.filter(|(name, _)| !name.starts_with('.')).collect()
}

impl FolderFile {
    fn json(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "bytes": self.bytes, "kind": self.kind })
    }

    /// Its content, and a tag of its version.
    pub(super) fn content(&self) -> io::Result<(Content, String)> {
        let file = File::open(&self.path)?;
        let found = file.metadata()?;
        if !found.is_file() || found.len() > MOST_BYTES {
            return Err(io::ErrorKind::NotFound.into());
        }
        let changed = found.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Ok((Content::file(file)?, format!("{}-{:x}-{changed:x}", self.id, found.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_files_of_known_kinds_inside_the_folder_are_offered() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir_all(root.join("runs/deep")).unwrap();
        for name in ["a.2048", "b.txt", ".c.json", "runs/d.jsonl", "runs/deep/e.csv", "runs/f.gp"] {
            fs::write(root.join(name), name).unwrap();
        }
        fs::write(place.path().join("secret.json"), "{}").unwrap();
        let large = File::create(root.join("large.csv")).unwrap();
        large.set_len(MOST_BYTES + 1).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(place.path().join("secret.json"), root.join("link.json")).unwrap();
            std::os::unix::fs::symlink(place.path(), root.join("up")).unwrap();
            std::os::unix::fs::symlink("a.2048", root.join("inside.2048")).unwrap();
        }
        let folder = Folder::open(&root).unwrap();
        let files = folder.files();
        let found: Vec<_> = files.iter().map(|file| (file.name.as_str(), file.kind)).collect();
        let mut expected = vec![("a.2048", "replay"), ("runs/d.jsonl", "records"), ("runs/f.gp", "program")];
        if cfg!(unix) {
            expected.insert(1, ("inside.2048", "replay"));
        }
        assert_eq!(found, expected);
        assert!(folder.file_with("../secret.json").is_none());
        assert_eq!(folder.file_with(&files[0].id).map(|file| file.name).as_deref(), Some("a.2048"));
        assert!(Folder::open(&root.join("a.2048")).is_err());
    }
}
