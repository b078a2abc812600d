//! Checks of the files that a command is about to write.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use lab2048::files::check_writable;
use lab2048::text::in_words;

use crate::failure::{Failure, Outcome};
use crate::report::FileKind;

/// A kind of file that a command writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind<'a> {
    /// What it is called, with an article.
    pub(crate) name: &'a str,
    /// The ways in which such files can begin.
    pub(crate) beginnings: &'a [&'a [u8]],
    /// How their names can end, the usual ending first.
    pub(crate) endings: &'a [&'a str],
}

/// An SVG picture.
pub(crate) const SVG: Kind<'static> =
    Kind { name: "an SVG picture", beginnings: &[b"<svg"], endings: &["svg"] };

/// The endings of HTML pages.
pub(crate) const HTML: &[&str] = &["html", "htm"];

/// Reports before long work, not after it, that its result cannot be written: the folder is
/// missing or read-only, the file exists and is of another kind, or its name is misleading.
pub(crate) fn check(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
    check_kind(path, kind)?;
    check_writable(path).map_err(Failure::failed)
}

/// Refuses a name with the ending of another kind of file. Other names may have any ending or none.
pub(crate) fn check_name(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
    let ending = FileKind::ending(path);
    if FileKind::of(path) == FileKind::Open || kind.endings.contains(&ending.as_str()) {
        return Ok(());
    }
    let usual = kind.endings.first().copied().unwrap_or_default();
    Err(Failure::BadInput(format!(
        "{} is a misleading name for {}; use the ending .{usual}",
        path.display(),
        kind.name
    )))
}

/// The same as [`check`] for a file that is not replaced: it may be read-only.
pub(crate) fn check_kind(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
    check_name(path, kind)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        return Err(Failure::Failed(format!("cannot write {}: it is a folder", path.display())));
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::Failed(format!("cannot write {}: the folder does not exist", path.display())));
    }
    let is_kind = |beginning: &&[u8]| begins_with(path, beginning);
    let found = kind.beginnings.iter().map(is_kind);
    if path.is_file() && !found.collect::<Outcome<Vec<bool>>>()?.contains(&true) {
        let (path, name) = (path.display(), kind.name);
        let sentence = format!("{path} already exists and is not {name}; choose another name");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ending_of_another_kind_is_refused() {
        let said = |name: &str| check_name(Path::new(name), &SVG).err().map(|failure| failure.to_string());
        for name in ["x.svg", "a.b/x.SVG", "x", "x.1", "x.svg.old", ".svg"] {
            assert_eq!(said(name), None, "{name}");
        }
        for name in ["x.png", "x.svg.txt", "x.2048", "x.jsonl", "x.HTML"] {
            let says = format!("{name} is a misleading name for an SVG picture; use the ending .svg");
            assert_eq!(said(name), Some(says));
        }
    }
}
