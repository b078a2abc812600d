//! The games of files as CSV, one line each. Nothing is kept in memory.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lab2048::arena::{ContestPlan, Record};
use lab2048::files::write_whole;

use super::part::{self, scan};
use crate::failure::{Failure, Outcome};
use crate::out;
use crate::report::{csv_line, whole};

/// The columns.
pub(super) const COLUMNS: [&str; 11] =
    ["file", "player", "seed", "score", "largest", "sum", "moves", "end", "error", "ms", "moves_per_second"];

/// Writes the games of files to another file or to the standard output.
pub(super) fn write(files: &[PathBuf], path: Option<&Path>) -> Outcome<()> {
    let Some(path) = path else {
        let mut out = out::stdout();
        return match copy(files, &mut out) {
            Ok(_) => Ok(out.flush()?),
            Err(Fault::Reading(failure)) => Err(failure),
            Err(Fault::Writing(error)) => Err(error.into()),
        };
    };
    // A failure to read is not a failure to write: it is reported in its own words.
    let mut unread = None;
    let mut games = 0;
    let written = write_whole(path, |file| match copy(files, file) {
        Ok(count) => {
            games = count;
            Ok(())
        }
        Err(Fault::Writing(error)) => Err(error),
        Err(Fault::Reading(failure)) => {
            unread = Some(failure);
            Err(io::Error::other("the records cannot be read"))
        }
    });
    match unread {
        Some(failure) => return Err(failure),
        None => written.map_err(Failure::failed)?,
    }
    out::print(&format!("{}: {} games as csv\n", path.display(), whole(games)))
}

/// Why games were not copied.
enum Fault {
    /// A file of records.
    Reading(Failure),
    /// The output. Whoever opened it knows its name.
    Writing(io::Error),
}

/// Writes the lines and returns the number of games. Nothing is read after a failure to write.
fn copy(files: &[PathBuf], out: &mut dyn Write) -> Result<u64, Fault> {
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let names = part::short_names(&paths);
    let mut games = 0;
    out.write_all(csv_line(COLUMNS).as_bytes()).map_err(Fault::Writing)?;
    for (path, name) in paths.iter().zip(&names) {
        let mut written = Ok(());
        let read = scan(path, &mut |plan, record| {
            games += 1;
            written = out.write_all(line(name, plan, record).as_bytes());
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written.map_err(Fault::Writing)?;
        read.map_err(Fault::Reading)?;
    }
    Ok(games)
}

/// The line of a game.
fn line(file: &str, plan: &ContestPlan, record: &Record) -> String {
    let result = &record.result;
    let seconds = record.time.as_secs_f64();
    let speed = if seconds > 0.0 { format!("{:.1}", result.moves as f64 / seconds) } else { String::new() };
    let nanos = record.time.as_nanos();
    csv_line([
        file,
        &plan.players[record.player].spec,
        &record.seed.to_string(),
        &result.score.to_string(),
        &result.largest.to_string(),
        &result.sum.to_string(),
        &result.moves.to_string(),
        record.end.word(),
        record.end.error().unwrap_or_default(),
        &format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000),
        &speed,
    ])
}
