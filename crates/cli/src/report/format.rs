//! Output formats, and the files that hold a result.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use clap::ValueEnum;
use lab2048::files::write_whole;

use super::results::FIGURES;
use super::table::csv_line;
use crate::failure::{Failure, Outcome};
use crate::place::{self, Kind};

/// The output format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for a terminal
    Table,
    /// Markdown tables
    Markdown,
    /// One line for each figure of each player
    Csv,
    /// Everything, unrounded
    Json,
}

/// What a file is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A result in this format.
    Result(Format),
    /// An SVG picture.
    Svg,
    /// A page for a browser.
    Html,
    /// Records, one line of JSON each.
    Records,
    /// Something that no command writes as text.
    Foreign,
    /// The name does not say.
    Open,
}

impl FileKind {
    /// What the ending of a file's name says.
    pub(crate) fn of(path: &Path) -> FileKind {
        match FileKind::ending(path).as_str() {
            "csv" => FileKind::Result(Format::Csv),
            "md" | "markdown" => FileKind::Result(Format::Markdown),
            "json" => FileKind::Result(Format::Json),
            "txt" => FileKind::Result(Format::Table),
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
    pub(crate) fn ending(path: &Path) -> String {
        path.extension().and_then(OsStr::to_str).unwrap_or_default().to_lowercase()
    }
}

impl Format {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Markdown => "markdown",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }

    /// How the names of files in this format end, the usual ending first.
    pub(crate) const fn endings(self) -> &'static [&'static str] {
        match self {
            Format::Table => &["txt"],
            Format::Markdown => &["md", "markdown"],
            Format::Csv => &["csv"],
            Format::Json => &["json"],
        }
    }

    /// Checks before long work that a file can take the result of an arena in this format.
    pub(crate) fn check_place(self, path: &Path) -> Outcome<()> {
        let csv = csv_line(FIGURES);
        let (beginnings, name): (&[&[u8]], _) = match self {
            Format::Table => (&[b"player ", b"   player\n"], "a table of the arena"),
            Format::Markdown => (&[b"| player |", b"|  | player |"], "a Markdown table of the arena"),
            Format::Csv => (&[csv.as_bytes()], "a CSV file of the arena"),
            Format::Json => (&[b"{\n  \"plan\": {"], "a JSON result of the arena"),
        };
        place::check(path, &Kind { name, beginnings, endings: self.endings() })
    }
}

/// Writes a result whole and returns a line that says so.
pub(crate) fn write_file(path: &Path, kind: &str, text: &str) -> Outcome<String> {
    write_whole(path, |file| file.write_all(text.as_bytes())).map_err(Failure::failed)?;
    let bytes = fs::metadata(path).map_or(text.len() as u64, |file| file.len());
    Ok(format!("{}: {kind}, {} KB\n", path.display(), super::whole(bytes.div_ceil(1000))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_is() {
        let kind = |name: &str| FileKind::of(Path::new(name));
        assert_eq!(kind("a/runs.jsonl"), FileKind::Records);
        assert_eq!(kind("runs"), FileKind::Open);
        assert_eq!(kind("x.CSV"), FileKind::Result(Format::Csv));
        assert_eq!(kind("x.md"), FileKind::Result(Format::Markdown));
        assert_eq!((kind("x.svg"), kind("x.png")), (FileKind::Svg, FileKind::Foreign));
        assert_eq!((kind("x.htm"), kind("x.HTML")), (FileKind::Html, FileKind::Html));
    }
}
