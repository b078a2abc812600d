//! Contests: many seeded games by several players.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use lab2048::arena::{
    Arena, Completion, ContestPlan, ContestTally, GameLimits, GameSetup, Log, LogError, Record as GameRecord,
    RecordsDigest, RunError, Workload,
};
use lab2048::players::{BotFiles, Contender, ContestError, ReadyContest, Spec};
use pyo3::exceptions::{PyOSError, PyUserWarning};
use pyo3::prelude::*;
use serde::Serialize;

use crate::bot::{Bot, Question, is_unversioned};
use crate::convert::{
    BoardArg, Entered, PlayersArg, Restored, SizeArg, Threads, Whole, check_size, restored,
    rules as rules_named, whole,
};
use crate::errors::{failed, invalid, of_system, run};
use crate::registry;
use crate::waiting::{elsewhere, listen};

/// The error if the thread of a contest ended without a result.
const BROKE_DOWN: &str = "the contest crashed";

/// The name of the player that runs a program.
const EXEC: &str = "exec";

/// The games of a contest and their statistics.
#[pyclass(frozen, eq, module = "lab2048")]
pub(crate) struct ArenaResult {
    plan: ContestPlan,
    records: Vec<GameRecord>,
    tally: ContestTally,
    digest: String,
}

/// Results are equal if the games went the same way. Times do not count.
impl PartialEq for ArenaResult {
    fn eq(&self, other: &ArenaResult) -> bool {
        (&self.plan, &self.digest) == (&other.plan, &other.digest)
    }
}

/// One game of a contest.
#[pyclass(frozen, eq, get_all, module = "lab2048")]
#[derive(Clone)]
pub(crate) struct Record {
    /// The seed of the game.
    seed: u64,
    /// The spec of the player.
    player: String,
    /// The sum of all merged tiles.
    score: u64,
    /// The largest tile at the end.
    largest: u64,
    /// The sum of all tiles at the end.
    tile_sum: u128,
    /// The number of moves.
    moves: u64,
    /// How the game ended: 'no-moves', 'no-room', 'quit', 'until', 'max-moves' or 'failed'.
    end: String,
    /// The error message, if the player failed.
    error: Option<String>,
    /// How long the game took, in seconds.
    seconds: f64,
}

type RecordState = (u64, String, u64, u64, u128, u64, String, Option<String>, f64);

impl Record {
    fn state(&self) -> RecordState {
        let Record { seed, player, score, largest, tile_sum, moves, end, error, seconds } = self.clone();
        (seed, player, score, largest, tile_sum, moves, end, error, seconds)
    }
}

/// Records are equal if the games went the same way. Times do not count.
impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        Record { seconds: other.seconds, ..self.clone() }.state() == other.state()
    }
}

/// Messages of the playing threads.
enum News {
    Games(Vec<GameRecord>),
    /// A Python function is to move.
    Question(Question),
    End(Result<Completion, RunError>, Box<Log>),
}

impl From<Question> for News {
    fn from(question: Question) -> News {
        News::Question(question)
    }
}

fn log_error(error: LogError) -> PyErr {
    match &error {
        LogError::Io { source, .. } => of_system(source.kind(), &error),
        LogError::Busy(_) => PyOSError::new_err(error.to_string()),
        _ => invalid(error),
    }
}

fn contest_error(error: ContestError) -> PyErr {
    match &error {
        ContestError::Unmade { .. } | ContestError::Unable { .. } => failed(error),
        _ => invalid(error),
    }
}

/// Starts playing in a separate thread. After Ctrl-C a player may still be thinking, and the caller
/// should not wait for it.
fn begin(
    arena: Arena<'static>,
    work: Workload,
    mut log: Log,
    cancelled: Arc<AtomicBool>,
    news: Sender<News>,
) -> PyResult<()> {
    let playing = move || {
        let finish = arena.run(&work, &cancelled, &mut |batch| {
            log.append(batch)?;
            // Sending fails if nobody waits any more.
            let _ = news.send(News::Games(batch.to_vec()));
            Ok(())
        });
        let _ = news.send(News::End(finish, Box::new(log)));
    };
    let started = thread::Builder::new().name("arena".to_owned()).spawn(playing);
    let none = |error| PyOSError::new_err(format!("cannot start a thread: {error}"));
    started.map(drop).map_err(none)
}

/// Splits the players of a contest: what the arena needs, and the functions that are called here.
fn contenders(players: PlayersArg, ask: &Sender<News>) -> (Vec<Contender>, Vec<Bot>) {
    let mut bots: Vec<Bot> = Vec::new();
    let contender = |player| match player {
        Entered::Spec(spec) => Contender::Named(spec),
        Entered::Bot(bot) => {
            let contender = Contender::Own(bot.as_spec(), bot.maker(bots.len(), ask.clone()));
            bots.push(bot);
            contender
        }
    };
    (players.0.into_iter().map(contender).collect(), bots)
}

/// Says that a file of records cannot notice that these functions have changed.
fn warn_unverified(py: Python<'_>, specs: &[&str]) -> PyResult<()> {
    if specs.is_empty() {
        return Ok(());
    }
    let sentence = format!(
        "the file of records cannot tell whether {} has changed: give each Bot a version, and a new one \
         after every change",
        specs.join(" or ")
    );
    let warning = (sentence, py.get_type::<PyUserWarning>());
    py.import("warnings")?.call_method1("warn", warning).map(drop)
}

/// Plays a contest. Game number i, from 0, has the seed `seed + i` for every player.
/// `progress(done, total)` is called from time to time; if it raises, the contest ends. With
/// `output` the records are written to a file, and games that are already in the file are not
/// played again. Python functions are called only in the thread of the caller, one call after
/// another; an exception in one ends the contest.
#[pyo3::pyfunction]
#[pyo3(signature = (players, games=100, *, seed=1, size=None, rules="original", four=None, board=None, until=None, max_moves=None,
    threads=None, output=None, progress=None))]
#[allow(clippy::too_many_arguments)] // each is a keyword of the Python function
pub(crate) fn arena(
    py: Python<'_>,
    players: PlayersArg,
    #[pyo3(from_py_with = whole)] games: u64,
    #[pyo3(from_py_with = whole)] seed: u64,
    size: Option<SizeArg>,
    rules: &str,
    four: Option<f64>,
    board: Option<BoardArg>,
    until: Option<Whole>,
    max_moves: Option<Whole>,
    threads: Option<Threads>,
    output: Option<PathBuf>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<ArenaResult> {
    let rules = rules_named(rules, size, four)?;
    let setup = match board {
        Some(BoardArg(board)) => {
            check_size(size, &board)?;
            GameSetup::from_board(rules, board)
        }
        None => GameSetup::new(rules),
    };
    let limits = GameLimits { until: until.map(|tile| tile.0), max_moves: max_moves.map(|moves| moves.0) };
    let setup = GameSetup { limits, ..setup };
    let bot_files = if output.is_some() { BotFiles::Hashed } else { BotFiles::Ignored };
    let (news, waiting) = mpsc::channel();
    let (contenders, bots) = contenders(players, &news);
    let prepare = move || registry().contest_of(contenders, setup, seed, bot_files);
    let ready = elsewhere(py, BROKE_DOWN, prepare)?;
    let ReadyContest { arena, .. } = ready.map_err(contest_error)?;
    let plan = arena.plan().clone();
    let total = plan.records(games).map_err(|error| run(error.into()))?;
    let mut tally = ContestTally::new(&plan);
    let mut records = Vec::new();
    let mut keep = |record: &GameRecord| {
        tally.add(record);
        records.push(record.clone());
    };
    let log = match &output {
        Some(path) => py.detach(|| Log::open(path, &plan, games, &mut keep)).map_err(log_error)?,
        None => Log::without_file(&plan),
    };
    if !log.checks_bots() {
        let warning = c"the file has version 1 of the arena records, which does not name the files of bots";
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), warning, 1)?;
    }
    if output.is_some() {
        let unverified: Vec<&str> = plan.specs().filter(|spec| is_unversioned(spec)).collect();
        warn_unverified(py, &unverified)?;
    }
    // By default a function sees one game after another.
    let threads = if bots.is_empty() || threads.is_some() { Threads::or_all(threads) } else { 1 };
    let work = Workload { games, done: log.records(), threads };
    let mut done = work.done;
    let cancel = Arc::new(AtomicBool::new(false));
    begin(arena, work, log, Arc::clone(&cancel), news)?;
    let take = |news| match news {
        News::Games(batch) => {
            batch.iter().for_each(&mut keep);
            done += batch.len() as u64;
            if let Some(progress) = &progress {
                progress.call1((done, total))?;
            }
            Ok(None)
        }
        News::Question(question) => {
            if let Some(bot) = bots.get(question.index) {
                // A game that loses its question must see that it is cancelled, or it would count
                // as failed.
                bot.answer(py, &question).inspect_err(|_| cancel.store(true, Ordering::Relaxed))?;
            }
            Ok(None)
        }
        News::End(finish, log) => Ok(Some((finish, log))),
    };
    let is_last = |news: &News| matches!(news, News::End(..));
    let (finish, log) = listen(py, waiting, &cancel, BROKE_DOWN, is_last, take).0?;
    finish.map_err(run)?;
    Ok(ArenaResult { plan, records, tally, digest: log.digest() })
}

/// Converts a value to Python dictionaries and lists through JSON.
fn as_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).expect("valid JSON");
    py.import("json")?.call_method1("loads", (text,))
}

#[pymethods]
impl ArenaResult {
    /// The specs of the players.
    #[getter]
    fn players(&self) -> Vec<&str> {
        self.plan.specs().collect()
    }

    /// One record per game, ordered by seed, then by player.
    #[getter]
    fn records(&self) -> Vec<Record> {
        let record = |record: &GameRecord| Record {
            seed: record.seed,
            player: self.plan.players[record.player].spec.clone(),
            score: record.result.score,
            largest: record.result.largest,
            tile_sum: record.result.sum,
            moves: record.result.moves,
            end: record.end.word().to_owned(),
            error: record.end.error().map(str::to_owned),
            seconds: record.time.as_secs_f64(),
        };
        self.records.iter().map(record).collect()
    }

    /// The statistics of each player: mean, interval, best score, how often each tile was reached,
    /// and more.
    #[getter]
    fn summaries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.tally.summaries())
    }

    /// The differences between players, paired by seed.
    #[getter]
    fn differences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.tally.differences())
    }

    /// The players whose moves no hash and no version identifies, so that nobody can tell from the
    /// records whether they have changed: functions without a version, and `exec` without a version
    /// in a contest without a file.
    #[getter]
    fn unverified(&self) -> Vec<&str> {
        let is_unmarked_bot = |spec: &str| {
            Spec::split(spec).is_ok_and(|spec| spec.name() == EXEC && spec.value("version").is_none())
        };
        let unverified = self.plan.players.iter().filter(|player| {
            is_unversioned(&player.spec) || (player.files.is_empty() && is_unmarked_bot(&player.spec))
        });
        unverified.map(|player| player.spec.as_str()).collect()
    }

    /// A hash of all records without their times, the same as that of the command `lab2048 arena`.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    fn __len__(&self) -> usize {
        self.records.len()
    }

    /// Pickles the plan as JSON and the records as lines.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, (String, Vec<u8>)>> {
        let plan = serde_json::to_string(&self.plan).expect("valid JSON");
        let mut lines = Vec::new();
        for record in &self.records {
            record.write_line(&self.plan.players[record.player].spec, &mut lines);
        }
        restored::<ArenaResult, _>(py, (plan, lines))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(plan: &str, lines: &[u8]) -> PyResult<ArenaResult> {
        let plan: ContestPlan = serde_json::from_str(plan).map_err(invalid)?;
        let (mut tally, mut digest, mut records) =
            (ContestTally::new(&plan), RecordsDigest::default(), Vec::new());
        let mut again = Vec::new();
        for (number, line) in (1..).zip(lines.split_inclusive(|&byte| byte == b'\n')) {
            let record = GameRecord::read_line(line, &plan.players).map_err(invalid)?;
            plan.check(&record)
                .map_err(|why| invalid(format!("line {number} of the records is not possible: {why}")))?;
            again.clear();
            digest.add(&record.write_line(&plan.players[record.player].spec, &mut again));
            tally.add(&record);
            records.push(record);
        }
        Ok(ArenaResult { plan, records, tally, digest: digest.hex() })
    }

    fn __repr__(&self) -> String {
        format!("<ArenaResult of {} games by {}>", self.records.len(), self.players().join(", "))
    }
}

#[pymethods]
impl Record {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, (RecordState,)>> {
        restored::<Record, _>(py, (self.state(),))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(state: RecordState) -> Record {
        let (seed, player, score, largest, tile_sum, moves, end, error, seconds) = state;
        Record { seed, player, score, largest, tile_sum, moves, end, error, seconds }
    }

    fn __repr__(&self) -> String {
        format!(
            "<Record: {}, seed {}: score {}, largest tile {}>",
            self.player, self.seed, self.score, self.largest
        )
    }
}
