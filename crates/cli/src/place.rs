//! Checks of the files that a command is about to write.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use lab2048::files::check_writable;
use lab2048::text::in_words;

use crate::failure::{Failure, Outcome};

/// The first bytes of an SVG picture.
pub(crate) const SVG: &[u8] = b"<svg";

/// Reports before long work, not after it, that its result cannot be written: the folder is
/// missing or read-only, or the file exists and is of another kind. `beginning` is how files of the
/// right kind start.
pub(crate) fn check(path: &Path, beginning: &[u8], kind: &str) -> Outcome<()> {
    check_any(path, &[beginning], kind)
}

/// The same for files that can start in several ways.
pub(crate) fn check_any(path: &Path, beginnings: &[&[u8]], kind: &str) -> Outcome<()> {
    check_kind(path, beginnings, kind)?;
    check_writable(path).map_err(Failure::failed)
}

/// The same for a file that is not replaced: it may be read-only, but not of another kind.
pub(crate) fn check_kind(path: &Path, beginnings: &[&[u8]], kind: &str) -> Outcome<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        return Err(Failure::Failed(format!("cannot write {}: it is a folder", path.display())));
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::Failed(format!("cannot write {}: the folder does not exist", path.display())));
    }
    let is_kind = |beginning: &&[u8]| begins_with(path, beginning);
    if path.is_file() && !beginnings.iter().map(is_kind).collect::<Outcome<Vec<bool>>>()?.contains(&true) {
        let sentence = format!("{} already exists and is not {kind}; choose another name", path.display());
        return Err(Failure::BadInput(sentence));
    }
    Ok(())
}

/// Whether a file starts with these bytes or is empty.
fn begins_with(path: &Path, beginning: &[u8]) -> Outcome<bool> {
    let cannot = |error| Failure::BadInput(format!("cannot read {}: {}", path.display(), in_words(&error)));
    let mut start = Vec::new();
    let file = File::open(path).map_err(cannot)?;
    file.take(beginning.len() as u64).read_to_end(&mut start).map_err(cannot)?;
    Ok(start.is_empty() || start == beginning)
}
