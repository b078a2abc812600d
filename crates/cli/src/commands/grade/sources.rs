//! Reads the submissions. All files are read before the first submission runs, so that no
//! submission can change another.

use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use lab2048::files::{FileError, read_limited};
use lab2048::text::{in_words, one_line};

use super::grading::LONGEST_NAME;
use crate::failure::{Failure, Outcome};

/// The file that the course's grader imports.
pub(super) const MODULE: &str = "search.py";

/// The maximum total size of a submission's files, in bytes.
const MOST_BYTES: u64 = 256 << 20;
/// The maximum number of files of a submission.
const MOST_FILES: usize = 1000;

/// The files of a submission with their paths in its folder.
pub(super) type Files = Vec<(PathBuf, Vec<u8>)>;

/// A submission.
pub(super) struct Source {
    /// The name of the submission.
    pub(super) name: String,
    /// Its files, or the reason why they cannot be read.
    pub(super) files: Result<Files, String>,
    /// For a submission that is a single file: its path.
    pub(super) single: Option<PathBuf>,
}

impl Source {
    /// What the student calls the file that the grader imports.
    pub(super) fn file_name(&self) -> &OsStr {
        self.single.as_deref().and_then(Path::file_name).unwrap_or(OsStr::new(MODULE))
    }

    /// A hint for a missing module: files beside a single-file submission are not copied.
    pub(super) fn hint(&self, reason: &str) -> Option<String> {
        let missing = reason.strip_prefix("it imports '")?;
        // The name comes from the submission and must not lead to another folder.
        let name: String =
            missing.chars().take_while(|&letter| letter.is_alphanumeric() || letter == '_').collect();
        let beside = self.single.as_ref()?.parent()?;
        let is_there = beside.join(format!("{name}.py")).is_file() || beside.join(&name).is_dir();
        let file = match one_line(&self.file_name().to_string_lossy(), LONGEST_NAME) {
            file if file == MODULE => file,
            file => format!("{file}, renamed to {MODULE},"),
        };
        (!name.is_empty() && is_there).then(|| {
            format!("; to grade a submission of several files, put {file} and {name} into one folder")
        })
    }
}

/// Reads one submission: a file, which becomes `search.py` whatever its name, or a folder that
/// contains `search.py`.
pub(super) fn read_one(path: &Path) -> Outcome<Source> {
    let metadata = fs::metadata(path).map_err(|error| {
        Failure::BadInput(format!("cannot read {}: {}", path.display(), in_words(&error)))
    })?;
    let (files, single) =
        if metadata.is_dir() { (read_folder(path), None) } else { (read_file(path), Some(path.to_owned())) };
    let files = files.map_err(|reason| {
        Failure::BadInput(format!("{}: {reason}{}", path.display(), hint_to_compare(path)))
    })?;
    Ok(Source { name: path.display().to_string(), files: Ok(files), single })
}

/// The end of an error about a folder that looks like one for `--compare`. No file is read.
fn hint_to_compare(folder: &Path) -> String {
    // One submission, whatever is wrong with it.
    if fs::symlink_metadata(folder.join(MODULE)).is_ok() || misnamed(folder).is_some() {
        return String::new();
    }
    let entries = entries(folder).unwrap_or_default();
    let shown = folder.display();
    let is_module = |path: &Path| fs::symlink_metadata(path).is_ok_and(|module| module.is_file());
    if entries.iter().any(|entry| entry.kind.is_dir() && is_module(&entry.path.join(MODULE))) {
        return format!("; to grade each submission in it, use --compare {shown}");
    }
    if entries.iter().filter(|entry| entry.kind.is_file() && entry.name.ends_with(".py")).count() > 1 {
        return format!("; if every .py file is a submission of its own, use --compare {shown}");
    }
    String::new()
}

/// The file of a folder that has the name of the module in other letters, such as `Search.py`.
fn misnamed(folder: &Path) -> Option<String> {
    let is_meant = |entry: &Entry| entry.kind.is_file() && entry.name.eq_ignore_ascii_case(MODULE);
    Some(entries(folder).ok()?.into_iter().find(is_meant)?.name)
}

/// An entry of a folder.
struct Entry {
    name: String,
    path: PathBuf,
    /// The type of the entry itself: a submitted link could lead to files that only the grader can
    /// read.
    kind: FileType,
}

/// The entries of a folder. Names that begin with a dot or `_`, such as `__pycache__`, are ignored.
fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with(['.', '_']) {
            entries.push(Entry { name, path: entry.path(), kind: entry.file_type()? });
        }
    }
    Ok(entries)
}

/// Reads all submissions of a folder, sorted by name: `NAME.py` or `NAME/search.py`. A submission
/// that cannot be read is returned with the reason, and the others are graded.
pub(super) fn read_all(folder: &Path) -> Outcome<Vec<Source>> {
    let cannot = |error| {
        Failure::BadInput(format!("cannot read the folder {}: {}", folder.display(), in_words(&error)))
    };
    let mut sources = Vec::new();
    for Entry { name: file_name, path, kind } in entries(folder).map_err(cannot)? {
        let is_link = || Err("it is a link, and links are not followed".to_owned());
        if kind.is_dir() {
            sources.push(Source { name: file_name, files: read_folder(&path), single: None });
        } else if let Some(name) = file_name.strip_suffix(".py") {
            let files = if kind.is_symlink() { is_link() } else { read_file(&path) };
            sources.push(Source { name: name.to_owned(), files, single: Some(path) });
        } else if kind.is_symlink() && path.is_dir() {
            sources.push(Source { name: file_name, files: is_link(), single: None });
        }
    }
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(pair) = sources.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let name = &pair[0].name;
        return Err(Failure::BadInput(format!(
            "{} has both {name}.py and a folder {name}; remove one of them",
            folder.display()
        )));
    }
    if sources.is_empty() {
        return Err(Failure::BadInput(format!(
            "there are no submissions in {}: neither NAME.py nor NAME/{MODULE}",
            folder.display()
        )));
    }
    Ok(sources)
}

fn read_file(path: &Path) -> Result<Files, String> {
    // Reading a pipe or a device could block forever.
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Err("it is not a plain file".to_owned());
    }
    let bytes = read_limited(path, MOST_BYTES).map_err(|error| error.to_string())?;
    Ok(vec![(PathBuf::from(MODULE), bytes)])
}

/// Reads a folder with everything in it. Links and special files are skipped.
fn read_folder(folder: &Path) -> Result<Files, String> {
    match fs::symlink_metadata(folder.join(MODULE)) {
        Ok(module) if module.is_file() => {}
        Ok(module) if module.is_symlink() => {
            return Err(format!("its {MODULE} is a link, and links are not followed"));
        }
        _ => {
            return Err(match misnamed(folder) {
                Some(name) => format!("it contains {name}, which must be named {MODULE}"),
                None => format!("it does not contain {MODULE}"),
            });
        }
    }
    let cannot = |error: io::Error| format!("it cannot be read: {}", in_words(&error));
    let (mut files, mut bytes) = (Vec::new(), 0);
    let mut places = vec![PathBuf::new()];
    while let Some(place) = places.pop() {
        for entry in fs::read_dir(folder.join(&place)).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let (kind, inside) = (entry.file_type().map_err(cannot)?, place.join(entry.file_name()));
            if kind.is_dir() {
                places.push(inside);
            } else if kind.is_file() {
                let left = MOST_BYTES - bytes;
                let content = read_limited(&entry.path(), left).map_err(|error| match error {
                    FileError::TooLarge { .. } => format!("it is larger than {} MiB", MOST_BYTES >> 20),
                    other => other.to_string(),
                })?;
                bytes += content.len() as u64;
                files.push((inside, content));
            }
            if files.len() + places.len() > MOST_FILES {
                return Err(format!("it has more than {MOST_FILES} files"));
            }
        }
    }
    Ok(files)
}

/// Writes the files of a submission into a folder.
pub(super) fn unpack(files: &[(PathBuf, Vec<u8>)], folder: &Path) -> io::Result<()> {
    for (place, bytes) in files {
        let path = folder.join(place);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}
