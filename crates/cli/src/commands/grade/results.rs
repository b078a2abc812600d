//! The results file of a comparison: the grades so far, so that an interrupted comparison can
//! continue and only changed submissions are graded again.
//!
//! The first line is the header, `{"lab2048":"grades","version":1,...}`, with everything that
//! determines the grades. Every other line is the grade of one submission with a hash of its files.
//! A later line of the same submission replaces an earlier one. If the grader is killed, the last
//! line may be cut off. Opening the file again removes it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab2048::files::{self, LineLog, LockError, LockedFile};
use lab2048::game::GameResult;
use lab2048::hash::{hex, hex_of};
use lab2048::text::{in_words, shortened};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::grading::{Grade, GradedEnd, GradedGame, GradingPlan, time_in_words};
use super::sources::{Files, Source};
use crate::failure::{Failure, Outcome, warn};

const KIND: &str = "grades";
const VERSION: u32 = 1;
/// How the names of results files end.
pub(super) const ENDING: &str = "results";

/// The results file that belongs to a gradebook: `grades.csv` and `grades.html` share
/// `grades.results`.
pub(super) fn path_beside(gradebook: &Path) -> PathBuf {
    gradebook.with_extension(ENDING)
}

/// A grade without what the plan of the grading says anyway. In particular, it does not contain the
/// seeds of the games.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct BareGrade {
    seconds: f64,
    reason: Option<String>,
    games: Vec<BareGame>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct BareGame {
    largest: u64,
    moves: u64,
    points: u64,
    sum: u64,
    end: GradedEnd,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl BareGrade {
    pub(super) fn of(grade: &Grade) -> BareGrade {
        let game = |game: &GradedGame| {
            let GameResult { score, largest, sum, moves } = game.result;
            // The sum of a 4x4 board always fits.
            let sum = u64::try_from(sum).unwrap_or(u64::MAX);
            BareGame { largest, moves, points: score, sum, end: game.end, reason: game.reason.clone() }
        };
        let games = grade.games.iter().map(game).collect();
        BareGrade { seconds: grade.seconds, reason: grade.reason.clone(), games }
    }

    /// The grade of a submission. `None` if it is not a grade of this plan.
    pub(super) fn grade(self, name: &str, plan: &GradingPlan) -> Option<Grade> {
        let time = Duration::try_from_secs_f64(self.seconds).ok()?;
        if self.games.len() as u64 != plan.games {
            return None;
        }
        let game = |((number, game), bare): ((u64, lab2048::game::Game), BareGame)| {
            let BareGame { largest, moves, points, sum, end, reason } = bare;
            let result = GameResult { score: points, largest, sum: sum.into(), moves };
            GradedGame { game: number, seed: game.seed(), result, end, reason }
        };
        let games = plan.all_games().zip(self.games).map(game).collect();
        Some(Grade::new(name, plan, time, games, self.reason))
    }
}

/// The conditions that determine the grades, except the seed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Conditions {
    /// The version of this program.
    pub(super) grader: String,
    pub(super) rules: String,
    pub(super) games: u64,
    pub(super) seconds: f64,
    pub(super) memory_mib: u64,
    pub(super) network: bool,
    pub(super) python: String,
    /// The processors of each submission.
    pub(super) processors: usize,
}

#[derive(Deserialize, Serialize)]
struct Header {
    lab2048: String,
    version: u32,
    #[serde(flatten)]
    conditions: Conditions,
    /// A hash of the seed, which tells whether another one is the same.
    seed_sha256: String,
    /// The seed, if the grader picked it and no submission can read it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

#[derive(Deserialize, Serialize)]
struct Row {
    name: String,
    /// See [`fingerprint`].
    files_sha256: String,
    grade: BareGrade,
}

/// A results file, or none.
pub(super) struct Results {
    /// The file to append to, its path, and the header until it is written.
    file: Option<(LineLog, PathBuf, Option<Vec<u8>>)>,
    kept: BTreeMap<String, (String, BareGrade)>,
    /// Whether grades could not be written.
    has_failed: bool,
    /// Whether the user has to give the seed to continue.
    needs_seed: bool,
}

/// The seed of a comparison.
#[derive(Clone, Copy)]
pub(super) enum Seed {
    /// The user gave it.
    Given(u64),
    /// The grader picks it. If `is_secret`, no submission can read the results file.
    Picked { seed: u64, is_secret: bool },
}

impl Results {
    /// Grades that are not kept.
    pub(super) fn none() -> Results {
        Results { file: None, kept: BTreeMap::new(), has_failed: false, needs_seed: false }
    }

    /// Opens or creates the file and returns the seed of the grading, which the file may determine.
    /// With `fresh`, an existing file is renamed.
    pub(super) fn open(
        path: &Path,
        conditions: Conditions,
        seed: Seed,
        fresh: bool,
    ) -> Outcome<(Results, u64)> {
        let mut locked = open_locked(path)?;
        if fresh && !locked.is_new() {
            let old = locked.path().to_owned();
            let aside = files::set_aside(&old).map_err(|error| cannot("rename", path, &error))?;
            warn(&format!("the old results were renamed to '{}'", aside.display()));
            locked = open_locked(&old)?;
        }
        let mut bytes = Vec::new();
        locked.file().read_to_end(&mut bytes).map_err(|error| cannot("read", path, &error))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n');
        let first = lines.next();
        // A header that was cut off has no grades after it. Any other text is not ours.
        if first.is_none() && !bytes.is_empty() && !bytes.starts_with(br#"{"lab2048":"grades","#) {
            return Err(foreign(path));
        }
        let found = first.map(|line| Header::read(line, path)).transpose()?;
        let (number, header) = match found {
            Some(header) => (header.agree(path, &conditions, seed)?, None),
            None => {
                let (number, is_kept) = match seed {
                    Seed::Given(number) => (number, false),
                    Seed::Picked { seed, is_secret } => (seed, is_secret),
                };
                let header = Header {
                    lab2048: KIND.to_owned(),
                    version: VERSION,
                    conditions,
                    seed_sha256: digest_of(number),
                    seed: is_kept.then_some(number),
                };
                (number, Some(line_of(&header)?))
            }
        };
        let mut kept = BTreeMap::new();
        for (number, line) in (2..).zip(lines) {
            let row: Row = serde_json::from_slice(line).map_err(|error| {
                let why = shortened(&error.to_string());
                Failure::BadInput(format!(
                    "'{}' is damaged: line {number}: {why}; --fresh starts over",
                    path.display()
                ))
            })?;
            kept.insert(row.name, (row.files_sha256, row.grade));
        }
        only_ours(&locked).map_err(|error| cannot("protect", path, &error))?;
        let log = LineLog::after(locked, whole as u64).map_err(|error| cannot("write", path, &error))?;
        let file = Some((log, path.to_owned(), header));
        let needs_seed = matches!(seed, Seed::Picked { is_secret: false, .. });
        Ok((Results { file, kept, has_failed: false, needs_seed }, number))
    }

    /// The kept grade of a submission, if it has not changed since.
    pub(super) fn grade_of(&self, source: &Source, plan: &GradingPlan) -> Option<Grade> {
        let (hash, grade) = self.kept.get(&source.name)?;
        let files = source.files.as_ref().ok()?;
        if *hash != fingerprint(files) {
            return None;
        }
        grade.clone().grade(&source.name, plan)
    }

    /// Keeps a grade. If it cannot be written, a warning says so once, and the grading continues.
    pub(super) fn keep(&mut self, source: &Source, grade: &Grade) {
        let (Some((log, path, header)), Ok(files)) = (&mut self.file, &source.files) else { return };
        let (name, files_sha256) = (source.name.clone(), fingerprint(files));
        let row = Row { name, files_sha256, grade: BareGrade::of(grade) };
        let appended = line_of(&row).map(|line| [header.as_deref().unwrap_or_default(), &line].concat());
        let appended = appended.map_err(io::Error::other).and_then(|lines| log.append(&lines));
        match appended {
            Ok(()) => *header = None,
            Err(error) => {
                let why = in_words(&error);
                warn(&format!("cannot write '{}', so further grades are not kept: {why}", path.display()));
                self.has_failed = true;
                self.file = None;
            }
        }
    }

    /// Warns if the file was removed or replaced during the grading. Call it after the last grade.
    pub(super) fn check_in_place(&mut self) {
        let Some((log, path, _)) = &self.file else { return };
        if let Err(error) = log.check_in_place() {
            warn(&format!("cannot write '{}', so no grades are kept: {}", path.display(), in_words(&error)));
            self.has_failed = true;
            self.file = None;
        }
    }

    /// Whether the user has to give the seed to continue, because it is not in the file.
    pub(super) fn needs_seed(&self) -> bool {
        self.needs_seed
    }

    /// Whether grades could not be written.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }
}

impl Header {
    fn read(line: &[u8], path: &Path) -> Outcome<Header> {
        #[derive(Deserialize)]
        struct Kind {
            lab2048: String,
            version: u32,
        }
        let kind: Kind = serde_json::from_slice(line).map_err(|_| foreign(path))?;
        match (kind.lab2048.as_str(), kind.version) {
            (KIND, VERSION) => serde_json::from_slice(line).map_err(|_| foreign(path)),
            (KIND, version) => Err(Failure::BadInput(format!(
                "'{}' has version {version} of the results; this program knows version {VERSION}; --fresh starts over",
                path.display()
            ))),
            _ => Err(foreign(path)),
        }
    }

    /// The seed of the file, if the conditions are those of the file.
    fn agree(&self, path: &Path, asked: &Conditions, seed: Seed) -> Outcome<u64> {
        let there = &self.conditions;
        let time = |conditions: &Conditions| {
            Duration::try_from_secs_f64(conditions.seconds).map_or_else(|_| "?".to_owned(), time_in_words)
        };
        let facts: [(&str, String, String); 8] = [
            ("program version", there.grader.clone(), asked.grader.clone()),
            ("rules", there.rules.clone(), asked.rules.clone()),
            ("number of games", there.games.to_string(), asked.games.to_string()),
            ("time limit", time(there), time(asked)),
            ("memory limit in MiB", there.memory_mib.to_string(), asked.memory_mib.to_string()),
            ("use of the network", there.network.to_string(), asked.network.to_string()),
            ("Python", there.python.clone(), asked.python.clone()),
            (
                "number of processors per submission",
                there.processors.to_string(),
                asked.processors.to_string(),
            ),
        ];
        let path = path.display();
        if let Some((what, there, asked)) = facts.iter().find(|(_, there, asked)| there != asked) {
            let (there, asked) = (shortened(there), shortened(asked));
            return Err(Failure::BadInput(format!(
                "'{path}' was made under other conditions: its {what} is {there}, not {asked}; \
                 repeat that command, or start over with --fresh"
            )));
        }
        let number = match (seed, self.seed) {
            (Seed::Given(number), _) | (Seed::Picked { .. }, Some(number)) => number,
            (Seed::Picked { .. }, None) => {
                return Err(Failure::BadInput(format!(
                    "'{path}' does not contain its seed; repeat the command with --seed and the seed that was \
                     shown, or start over with --fresh"
                )));
            }
        };
        if digest_of(number) != self.seed_sha256 {
            return Err(Failure::BadInput(format!(
                "'{path}' has another seed; repeat the command with that seed, or start over with --fresh"
            )));
        }
        Ok(number)
    }
}

fn line_of(value: &impl Serialize) -> Outcome<Vec<u8>> {
    let mut line = serde_json::to_vec(value).map_err(Failure::failed)?;
    line.push(b'\n');
    Ok(line)
}

fn open_locked(path: &Path) -> Outcome<LockedFile> {
    LockedFile::open(path).map_err(|error| match error {
        LockError::Busy => {
            Failure::Failed(format!("'{}' is being written by another grader", path.display()))
        }
        LockError::NotAFile => Failure::BadInput(format!(
            "'{}' is not a plain file, so no results can be kept there",
            path.display()
        )),
        LockError::Io(error) => cannot("open", path, &error),
    })
}

fn cannot(doing: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot {doing} '{}': {}", path.display(), in_words(error)))
}

fn foreign(path: &Path) -> Failure {
    Failure::BadInput(format!(
        "'{}' is not a file of kept grades; choose another name with -o",
        path.display()
    ))
}

/// Makes the file readable by its owner only: it may contain the seed.
fn only_ours(file: &LockedFile) -> io::Result<()> {
    #[cfg(unix)]
    file.file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    let _ = file;
    Ok(())
}

fn digest_of(seed: u64) -> String {
    hex_of(format!("lab2048 grade {seed}"))
}

/// A hash of the files of a submission, their names and their contents.
fn fingerprint(files: &Files) -> String {
    let mut files: Vec<(&OsStr, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_os_str(), bytes.as_slice())).collect();
    files.sort_unstable();
    let mut hash = Sha256::new();
    for (path, bytes) in files {
        for part in [path.as_encoded_bytes(), bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hex(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_files_does_not_matter_and_everything_else_does() {
        let files = |list: &[(&str, &str)]| -> String {
            let files = list.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
            fingerprint(&files.collect())
        };
        let two = files(&[("search.py", "import a"), ("a.py", "b")]);
        assert_eq!(two, files(&[("a.py", "b"), ("search.py", "import a")]));
        for other in [
            files(&[("search.py", "import a")]),
            files(&[("search.py", "import b"), ("a.py", "b")]),
            files(&[("search.py", "import a"), ("c.py", "b")]),
            files(&[("search.py", "import ab"), ("a.py", "")]),
        ] {
            assert_ne!(two, other);
        }
    }

    #[test]
    fn gradebooks_of_one_name_share_their_results() {
        for name in ["a/grades.csv", "a/grades.html", "a/grades"] {
            assert_eq!(path_beside(Path::new(name)), Path::new("a/grades.results"));
        }
    }
}
