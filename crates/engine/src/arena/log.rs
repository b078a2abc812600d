//! The log of a contest: a file with one line per game that can be continued after any
//! interruption.
//!
//! The first line is the header, `{"lab2048":"arena","version":2,...}`, with everything that
//! determines the records (see [`ContestPlan`]). Version 1 did not contain the files of bots. Every
//! other line is a [`Record`], ordered by seed, then by player. If the process is killed, the file
//! is incomplete and its last line may be cut off. Opening the file again removes an incomplete
//! line and reports the existing records, so that the contest can continue.

use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::scan::{Header, KIND, Scan, Version};
use super::{ContestPlan, Record, RecordsDigest, RecordsError};
use crate::files::{self, LineLog, LockError, LockedFile};
use crate::game::PlayerFile;
use crate::text::{SENTENCE, in_words, one_line, shortened};

/// Why a log cannot be opened. The file is unchanged.
#[derive(Debug, Error)]
pub enum LogError {
    /// An I/O error.
    #[error("cannot {doing} '{path}': {}", in_words(source))]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
    /// A directory, a device, a pipe.
    #[error("'{0}' is not a plain file; records can only be continued in a plain file")]
    NotAFile(String),
    /// Another process is writing it.
    #[error("'{0}' is being written by another run")]
    Busy(String),
    /// The file is not a log.
    #[error("'{0}' is not a file of arena records; name another file")]
    Foreign(String),
    /// The log has an unknown version.
    #[error(
        "'{path}' has version {} of the arena records; this program knows versions {} and {}",
        shortened(version),
        Version::WithoutBots.number(),
        Version::Current.number()
    )]
    Version {
        /// The file.
        path: String,
        /// Its version.
        version: String,
    },
    /// The log of another contest.
    #[error(
        "'{path}' was made by another command: its {what} is {there}, not {asked}; repeat that command or name another file"
    )]
    Other {
        /// The file.
        path: String,
        /// The first difference.
        what: &'static str,
        /// The value in the file.
        there: String,
        /// The requested value.
        asked: String,
    },
    /// The log was made with other versions of the bots.
    #[error(
        "'{path}' has games of another version of {}: {}; {}name another file",
        one_line(player, SENTENCE),
        one_line(change, SENTENCE),
        if *is_new { "" } else { "restore it or " }
    )]
    ChangedBot {
        /// The log.
        path: String,
        /// The spec of the bot.
        player: String,
        /// Which of its files differs, and how.
        change: String,
        /// Whether that file is new, so that it cannot be restored.
        is_new: bool,
    },
    /// The log has more games than requested.
    #[error(
        "'{path}' already holds {there} games, more than the {asked} requested; request at least {there}"
    )]
    MoreGames {
        /// The file.
        path: String,
        /// Its number of games per player.
        there: u64,
        /// The requested number of games.
        asked: u64,
    },
    /// A line is not the expected record.
    #[error("'{path}' is damaged: line {line} {why}")]
    Damaged {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
}

impl LogError {
    /// Why the file at `path` cannot be read as a log.
    fn of(path: &str, error: RecordsError) -> LogError {
        let path = path.to_owned();
        match error {
            RecordsError::Io(source) => LogError::Io { doing: "read", path, source },
            RecordsError::Empty | RecordsError::Foreign => LogError::Foreign(path),
            RecordsError::Version(version) => LogError::Version { path, version },
            RecordsError::Damaged { line, why } => LogError::Damaged { path, line, why },
        }
    }
}

/// Collects the records of a contest: counts them, hashes them and writes them to a file, if there
/// is one.
#[derive(Debug)]
pub struct Log {
    specs: Vec<String>,
    file: Option<LogFile>,
    records: u64,
    digest: RecordsDigest,
    lines: Vec<u8>,
    /// The new name of the log that was there before.
    set_aside: Option<PathBuf>,
}

#[derive(Debug)]
struct LogFile {
    path: PathBuf,
    output: Output,
    /// The header, until it is written. It is written together with the first records, so that a
    /// contest that fails before its first game leaves no file behind.
    header: Option<Vec<u8>>,
    version: Version,
}

/// The destination of records.
#[derive(Debug)]
enum Output {
    /// The end of the log.
    Lines(LineLog),
    /// A new log. The old one is locked, and renamed when the first records arrive.
    Anew { old: LockedFile },
}

impl LogFile {
    /// The error with the name of the file.
    fn unwritten(&self, error: &io::Error) -> io::Error {
        let why = in_words(error);
        io::Error::new(error.kind(), format!("cannot write to '{}': {why}", self.path.display()))
    }

    /// The log, ready for records. An old log is renamed first.
    fn ready(&mut self, set_aside: &mut Option<PathBuf>) -> io::Result<&mut LineLog> {
        if let Output::Anew { old } = &self.output {
            // A link stays; its target is renamed.
            *set_aside = Some(files::set_aside(old.path())?);
            let new = LockedFile::open(old.path()).map_err(io::Error::other)?;
            // Another run may have created its log here in the meantime.
            if !new.is_new() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            self.output = Output::Lines(LineLog::after(new, 0)?);
        }
        match &mut self.output {
            Output::Lines(lines) => Ok(lines),
            Output::Anew { .. } => unreachable!("the old log has just been renamed"),
        }
    }
}

impl Log {
    /// A log without a file.
    pub fn without_file(plan: &ContestPlan) -> Log {
        Log {
            specs: plan.specs().map(str::to_owned).collect(),
            file: None,
            records: 0,
            digest: RecordsDigest::default(),
            lines: Vec::new(),
            set_aside: None,
        }
    }

    /// Opens the log of a contest of `games` games per player, or creates it. `seen` is called with
    /// every existing record.
    pub fn open(
        path: &Path,
        plan: &ContestPlan,
        games: u64,
        seen: &mut dyn FnMut(&Record),
    ) -> Result<Log, LogError> {
        let shown = path.display().to_string();
        let io_error = |doing| {
            let path = shown.clone();
            move |source| LogError::Io { doing, path, source }
        };
        let locked = open_locked(path)?;
        let mut log = Log::without_file(plan);
        let mut scan = Scan::new(BufReader::new(locked.file()));
        let found = scan.header(&shown, plan)?;
        if found.is_some() {
            let read = scan.records(plan, &mut |record| {
                log.lines.clear();
                log.take_in(record);
                seen(record);
                ControlFlow::Continue(())
            });
            read.map_err(|error| LogError::of(&shown, error))?;
        }
        let whole = scan.whole;
        if plan.records(games).is_ok_and(|most| log.records > most) {
            let there = log.records.div_ceil(plan.players.len() as u64);
            return Err(LogError::MoreGames { path: shown, there, asked: games });
        }
        let lines = LineLog::after(locked, whole).map_err(io_error("truncate"))?;
        log.file = Some(LogFile {
            path: path.to_owned(),
            output: Output::Lines(lines),
            header: found.is_none().then(|| header_line(plan, Version::Current)),
            version: found.unwrap_or(Version::Current),
        });
        Ok(log)
    }

    /// Starts a new log. An existing file stays until the first records arrive. It is then renamed
    /// to a free numbered name; see [`Log::set_aside`].
    pub fn start_anew(path: &Path, plan: &ContestPlan) -> Result<Log, LogError> {
        let locked = open_locked(path)?;
        let output = if locked.is_new() {
            let failed = |source| LogError::Io { doing: "write", path: path.display().to_string(), source };
            Output::Lines(LineLog::after(locked, 0).map_err(failed)?)
        } else {
            Output::Anew { old: locked }
        };
        let header = Some(header_line(plan, Version::Current));
        let file = LogFile { path: path.to_owned(), output, header, version: Version::Current };
        Ok(Log { file: Some(file), ..Log::without_file(plan) })
    }

    /// Writes the next records. After an error the log must not be used any more.
    pub fn append(&mut self, records: &[Record]) -> io::Result<()> {
        self.lines.clear();
        if let Some(header) = self.file.as_mut().and_then(|file| file.header.take()) {
            self.lines = header;
        }
        records.iter().for_each(|record| self.take_in(record));
        let Some(log) = &mut self.file else { return Ok(()) };
        let written = log.ready(&mut self.set_aside).and_then(|lines| lines.append(&self.lines));
        written.map_err(|error| log.unwritten(&error))
    }

    /// An error if the file was removed or replaced while it was open, so that its records are
    /// lost. Call it after the last record.
    pub fn check_in_place(&self) -> io::Result<()> {
        let Some(log) = &self.file else { return Ok(()) };
        match &log.output {
            Output::Lines(lines) => lines.check_in_place().map_err(|error| log.unwritten(&error)),
            Output::Anew { .. } => Ok(()),
        }
    }

    /// Counts and hashes a record, and appends its line to `lines`.
    fn take_in(&mut self, record: &Record) {
        let plain = record.write_line(&self.specs[record.player], &mut self.lines);
        self.digest.add(&plain);
        self.records += 1;
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The new name of the old file after [`Log::start_anew`]; `None` before the first records.
    pub fn set_aside(&self) -> Option<&Path> {
        self.set_aside.as_deref()
    }

    /// Whether bots are checked for changes. A file of version 1 does not contain their files, so
    /// its bots are not checked.
    pub fn checks_bots(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.version != Version::WithoutBots)
    }

    /// A hash of all records without their timing; see [`RecordsDigest`].
    pub fn digest(&self) -> String {
        self.digest.hex()
    }
}

/// Opens and locks a log for this run.
fn open_locked(path: &Path) -> Result<LockedFile, LogError> {
    let shown = path.display().to_string();
    LockedFile::open(path).map_err(|error| match error {
        LockError::NotAFile => LogError::NotAFile(shown),
        LockError::Busy => LogError::Busy(shown),
        LockError::Io(source) => LogError::Io { doing: "open", path: shown, source },
    })
}

fn header_line(plan: &ContestPlan, version: Version) -> Vec<u8> {
    let mut plan = plan.clone();
    if version == Version::WithoutBots {
        plan.players.iter_mut().for_each(|player| player.files.clear());
    }
    let header = Header { lab2048: KIND.to_owned(), version: version.number(), plan };
    let mut line = serde_json::to_vec(&header).expect("a plan can be written into memory");
    line.push(b'\n');
    line
}

impl<R: BufRead> Scan<R> {
    /// Reads the first line of the log at `path` and returns its version. `None` if the log is
    /// empty or the header was cut off.
    fn header(&mut self, path: &str, plan: &ContestPlan) -> Result<Option<Version>, LogError> {
        self.next().map_err(|error| LogError::of(path, error.into()))?;
        for version in Version::ALL {
            let expected = header_line(plan, version);
            if self.line == expected {
                self.whole = expected.len() as u64;
                return Ok(Some(version));
            }
            if self.is_torn() && expected.starts_with(&self.line) {
                return Ok(None);
            }
        }
        Err(self.header_error(path, plan))
    }

    /// Why the first line is not the expected header.
    fn header_error(&self, path: &str, plan: &ContestPlan) -> LogError {
        let (version, there) = match self.plan() {
            Ok(found) => found,
            Err(error) => return LogError::of(path, error),
        };
        let path = path.to_owned();
        if let Some((what, there, asked)) = difference(&there, plan) {
            return LogError::Other { path, what, there, asked };
        }
        match changed_bot(&there, plan).filter(|_| version != Version::WithoutBots) {
            Some((player, change, is_new)) => LogError::ChangedBot { path, player, change, is_new },
            None => LogError::Damaged { path, line: 1, why: "is not a valid header".to_owned() },
        }
    }
}

/// The first difference between two contests: its name and both values.
fn difference(there: &ContestPlan, asked: &ContestPlan) -> Option<(&'static str, String, String)> {
    fn json(value: impl Serialize) -> String {
        serde_json::to_string(&value).unwrap_or_default()
    }
    fn or_none<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(|| "none".to_owned(), |value| value.to_string())
    }
    type Aspect = (&'static str, fn(&ContestPlan) -> String);
    let aspects: [Aspect; 11] = [
        ("board size", |plan| plan.setup.rules.size.to_string()),
        ("chance of a 4", |plan| plan.setup.rules.four.to_string()),
        ("kind of start tiles", |plan| json(plan.setup.rules.start)),
        ("rule for idle moves", |plan| json(plan.setup.rules.idle)),
        ("winning tile", |plan| plan.setup.rules.goal.to_string()),
        ("start board", |plan| or_none(plan.setup.board.as_ref().map(json))),
        ("first seed", |plan| plan.seed.to_string()),
        ("list of players", |plan| plan.specs().collect::<Vec<_>>().join(" ")),
        ("list of networks", |plan| {
            let networks = plan.networks();
            or_none((!networks.is_empty()).then(|| json(networks)))
        }),
        ("tile to stop at", |plan| or_none(plan.setup.limits.until)),
        ("limit of moves", |plan| or_none(plan.setup.limits.max_moves)),
    ];
    let differing = aspects.into_iter().find(|(_, show)| show(there) != show(asked));
    differing.map(|(what, show)| (what, one_line(&show(there), SENTENCE), one_line(&show(asked), SENTENCE)))
}

/// The first bot whose files differ between two contests of the same players, the difference, and
/// whether it is a new file.
fn changed_bot(there: &ContestPlan, asked: &ContestPlan) -> Option<(String, String, bool)> {
    there.players.iter().zip(&asked.players).find_map(|(there, asked)| {
        let change = PlayerFile::difference(&there.files, &asked.files)?;
        let is_there = |old: &PlayerFile| asked.files.iter().any(|new| new.file == old.file);
        let is_new = asked.files.len() > there.files.len() && there.files.iter().all(is_there);
        Some((asked.spec.clone(), change, is_new))
    })
}

#[cfg(test)]
mod tests;
