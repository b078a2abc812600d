//! One file of records.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lab2048::arena::{ContestPlan, ContestTally, Record, RecordsDigest, RecordsError, RecordsReader};
use lab2048::text::{SENTENCE, in_words, one_line};

use crate::failure::{Failure, Outcome, warn};

/// The standard input as a file.
const STDIN: &str = "-";

/// A file of records that has been read.
pub(super) struct Part {
    /// Its path, as given.
    pub(super) path: PathBuf,
    pub(super) plan: ContestPlan,
    /// The statistics, until they join those of other files.
    pub(super) tally: Option<ContestTally>,
    /// The games of each player.
    pub(super) games: Vec<u64>,
    /// The hash of the records without their times.
    pub(super) digest: String,
    /// Whether the last line is not cut off.
    pub(super) is_complete: bool,
}

impl Part {
    /// Reads and checks a file.
    pub(super) fn read(path: &Path) -> Outcome<Part> {
        let (mut digest, mut line) = (RecordsDigest::default(), Vec::new());
        let mut found: Option<(ContestTally, Vec<u64>)> = None;
        let (plan, is_complete) = scan(path, &mut |plan, record| {
            let (tally, games) =
                found.get_or_insert_with(|| (ContestTally::new(plan), vec![0; plan.players.len()]));
            tally.add(record);
            games[record.player] += 1;
            line.clear();
            digest.add(&record.write_line(&plan.players[record.player].spec, &mut line));
            ControlFlow::Continue(())
        })?;
        let (tally, games) = found.ok_or_else(|| no_games(path))?;
        let digest = digest.hex();
        Ok(Part { path: path.to_owned(), plan, tally: Some(tally), games, digest, is_complete })
    }
}

/// Calls `seen` with every record of a file, up to a break. Returns the plan, and whether the last
/// line is not cut off, which is only worth a warning: an interrupted arena leaves such files.
pub(super) fn scan(
    path: &Path,
    seen: &mut dyn FnMut(&ContestPlan, &Record) -> ControlFlow<()>,
) -> Outcome<(ContestPlan, bool)> {
    let refused = |error: RecordsError| {
        // All of these messages start with "it".
        let error = error.to_string();
        Failure::BadInput(format!("'{}' {}", shown(path), error.strip_prefix("it ").unwrap_or(&error)))
    };
    let reader: Box<dyn BufRead> = if path.as_os_str() == STDIN {
        Box::new(io::stdin().lock())
    } else {
        let cannot = |why: String| Failure::BadInput(format!("cannot read '{}': {why}", shown(path)));
        if path.is_dir() {
            return Err(cannot("it is a folder".to_owned()));
        }
        Box::new(BufReader::with_capacity(
            1 << 16,
            File::open(path).map_err(|error| cannot(in_words(&error)))?,
        ))
    };
    let reader = RecordsReader::new(reader).map_err(refused)?;
    let plan = reader.plan().clone();
    let mut records = 0u64;
    let mut stopped = false;
    let is_complete = reader
        .read_while(&mut |record| {
            records += 1;
            let flow = seen(&plan, record);
            stopped = flow.is_break();
            flow
        })
        .map_err(refused)?;
    if stopped {
        return Ok((plan, false));
    }
    if records == 0 {
        return Err(no_games(path));
    }
    if !is_complete {
        let line = records + 2;
        warn(&format!("'{}' line {line} is cut off; its game is left out", shown(path)));
    }
    Ok((plan, is_complete))
}

fn no_games(path: &Path) -> Failure {
    Failure::BadInput(format!("'{}' has no games: line 1 is the only whole line", shown(path)))
}

/// A path in messages.
pub(super) fn shown(path: &Path) -> String {
    if path.as_os_str() == STDIN {
        return "standard input".to_owned();
    }
    one_line(&path.display().to_string(), SENTENCE)
}

/// Refuses a file that is given twice: its games would count twice.
pub(super) fn check_different(paths: &[PathBuf]) -> Outcome<()> {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let all: Vec<PathBuf> = paths.iter().map(real).collect();
    for (place, path) in all.iter().enumerate() {
        if all[..place].contains(path) {
            return Err(Failure::BadInput(format!("'{}' is given twice", shown(&paths[place]))));
        }
    }
    Ok(())
}

/// Short names of files: the last part of each path, or as many parts as tell it from the others.
pub(super) fn short_names(paths: &[&Path]) -> Vec<String> {
    let ending = |path: &Path, parts: usize| -> PathBuf {
        let all: Vec<_> = path.components().collect();
        all[all.len().saturating_sub(parts)..].iter().collect()
    };
    let short = |path: &&Path| {
        let most = path.components().count().max(1);
        let is_known = |parts: &usize| {
            let mine = ending(path, *parts);
            paths.iter().filter(|other| ending(other, *parts) == mine).count() == 1
        };
        let parts = (1..=most).find(is_known).unwrap_or(most);
        shown(&ending(path, parts))
    };
    paths.iter().map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_what_tells_them_apart() {
        let paths = ["runs/a/one.jsonl", "runs/b/one.jsonl", "two.jsonl"].map(Path::new);
        assert_eq!(short_names(&paths), ["a/one.jsonl", "b/one.jsonl", "two.jsonl"]);
        assert_eq!(short_names(&["x.jsonl", "runs/x.jsonl"].map(Path::new)), ["x.jsonl", "runs/x.jsonl"]);
        assert_eq!(short_names(&[Path::new("-")]), ["standard input"]);
    }
}
