//! Output formats, and the files that hold a result.

use std::fs;
use std::path::Path;

use clap::ValueEnum;
use lab2048::files::write_whole;

use super::results::FIGURES;
use super::table::csv_line;
use crate::failure::{Failure, Outcome};
use crate::place::{self, Content, FileKind, Kind};

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

impl Format {
    /// The format of a result in a file of this kind, if the name says one.
    pub(crate) fn of(kind: FileKind) -> Option<Format> {
        match kind {
            FileKind::Text => Some(Format::Table),
            FileKind::Markdown => Some(Format::Markdown),
            FileKind::Csv => Some(Format::Csv),
            FileKind::Json => Some(Format::Json),
            FileKind::Svg | FileKind::Html | FileKind::Records | FileKind::Foreign | FileKind::Open => None,
        }
    }

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
        place::check(path, &Kind { name, content: Content::Begins(beginnings), endings: self.endings() })
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
    fn names_say_the_format() {
        for &format in Format::value_variants() {
            for ending in format.endings() {
                let name = format!("result.{ending}");
                assert_eq!(Format::of(FileKind::of(Path::new(&name))), Some(format), "{name}");
            }
        }
        assert_eq!(Format::of(FileKind::Svg), None);
    }
}
