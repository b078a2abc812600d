//! Checks of the files that a command is about to write, and what the name of a file promises.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use lab2048::files::check_writable;
use lab2048::text::in_words;

use crate::failure::{Failure, Outcome};

/// A kind of file that a command writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind<'a> {
    /// What it is called, with an article.
    pub(crate) name: &'a str,
    /// What an existing file of this kind contains.
    pub(crate) content: Content<'a>,
    /// How their names can end, the usual ending first.
    pub(crate) endings: &'a [&'a str],
}

/// How the content of an existing file is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<'a> {
    /// Not at all: the command itself reads or refuses an existing file.
    Any,
    /// The file begins in one of these ways, or is empty.
    Begins(&'a [&'a [u8]]),
}

/// An SVG picture. Only those of this program are replaced.
pub(crate) const SVG: Kind<'static> = Kind {
    name: "an SVG picture of lab2048",
    content: Content::Begins(&[lab2048_draw::svg::BEGINNING.as_bytes()]),
    endings: &["svg"],
};

/// The endings of HTML pages.
pub(crate) const HTML: &[&str] = &["html", "htm"];

/// What a file is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
    /// JSON.
    Json,
    /// An SVG picture.
    Svg,
    /// A page for a browser.
    Html,
    /// Records, one line of JSON each.
    Records,
    /// Another known kind: replays, programs, networks, pictures. No result has such a name.
    Foreign,
    /// The name does not say.
    Open,
}

impl FileKind {
    /// What the ending of a file's name says.
    pub(crate) fn of(path: &Path) -> FileKind {
        match FileKind::ending(path).as_str() {
            "csv" => FileKind::Csv,
            "md" | "markdown" => FileKind::Markdown,
            "json" => FileKind::Json,
            "txt" => FileKind::Text,
            "svg" => FileKind::Svg,
            "htm" | "html" => FileKind::Html,
            "jsonl" => FileKind::Records,
            "2048" | "gif" | "gp" | "jpeg" | "jpg" | "net" | "pdf" | "png" | "tsv" | "webp" | "xlsx" => {
                FileKind::Foreign
            }
            _ => FileKind::Open,
        }
    }

    /// The ending of a file's name in small letters, without the dot.
    fn ending(path: &Path) -> String {
        path.extension().and_then(OsStr::to_str).unwrap_or_default().to_lowercase()
    }
}

/// Reports before long work, not after it, that its result cannot be written: the folder is
/// missing or read-only, the file exists and is of another kind, or its name is misleading.
pub(crate) fn check(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
    check_kind(path, kind)?;
    check_writable(path).map_err(Failure::failed)
}

/// Refuses a name with the ending of another kind of file. Other names may have any ending or none.
fn check_name(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
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
    check_existing(path, kind)
}

/// The same as [`check_kind`] for a file that is continued if it exists. Such a file may keep any
/// name.
pub(crate) fn check_resumed(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
    if !path.exists() {
        check_name(path, kind)?;
    }
    check_existing(path, kind)
}

/// Refuses a file in a folder that does not exist.
pub(crate) fn check_folder(path: &Path) -> Outcome<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(Failure::BadInput(format!("cannot write {}: the folder does not exist", path.display())));
    }
    Ok(())
}

/// Refuses a missing folder, and an existing file of another kind.
fn check_existing(path: &Path, kind: &Kind<'_>) -> Outcome<()> {
    check_folder(path)?;
    if path.is_dir() {
        return Err(Failure::BadInput(format!("cannot write {}: it is a folder", path.display())));
    }
    let Content::Begins(beginnings) = kind.content else { return Ok(()) };
    let is_kind = |beginning: &&[u8]| begins_with(path, beginning);
    let found = beginnings.iter().map(is_kind);
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
            let says =
                format!("{name} is a misleading name for an SVG picture of lab2048; use the ending .svg");
            assert_eq!(said(name), Some(says));
        }
    }

    #[test]
    fn a_file_that_is_continued_keeps_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let refused = |kind: &Kind<'_>| check_resumed(&path, kind).err().map(|failure| failure.to_string());
        assert!(refused(&SVG).unwrap().contains("x.csv is a misleading name for an SVG picture"));
        std::fs::write(&path, "<svg></svg>").unwrap();
        assert!(refused(&SVG).unwrap().contains("x.csv already exists and is not an SVG picture of lab2048"));
        std::fs::write(&path, lab2048_draw::svg::Svg::new().finish(10.0, 10.0)).unwrap();
        assert_eq!(refused(&SVG), None);
        assert!(check_kind(&path, &SVG).is_err(), "other files need their name");
        std::fs::write(&path, "name,rank").unwrap();
        assert!(refused(&SVG).unwrap().contains("x.csv already exists and is not an SVG picture"));
        assert_eq!(refused(&Kind { content: Content::Any, ..SVG }), None);
        let inside = check_resumed(&folder.path().join("none/x.svg"), &SVG).unwrap_err();
        assert!(inside.to_string().ends_with("none/x.svg: the folder does not exist"), "{inside}");
    }

    #[test]
    fn names_say_what_a_file_is() {
        let kind = |name: &str| FileKind::of(Path::new(name));
        assert_eq!(kind("a/runs.jsonl"), FileKind::Records);
        assert_eq!(kind("runs"), FileKind::Open);
        assert_eq!((kind("x.CSV"), kind("x.md")), (FileKind::Csv, FileKind::Markdown));
        assert_eq!((kind("x.svg"), kind("x.png")), (FileKind::Svg, FileKind::Foreign));
        assert_eq!((kind("x.htm"), kind("x.HTML")), (FileKind::Html, FileKind::Html));
    }
}
