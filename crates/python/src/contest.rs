//! Contests: many seeded games by several players.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use lab2048::arena::{
    Arena, Finish, Log, LogError, MakePlayer, Plan, Record as Played, RunError, Tally, Workload,
};
use lab2048::game::Cannot;
use lab2048::players::Spec;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::convert::{BoardArg, SizeArg, check_size, rules as rules_named};
use crate::errors::{failed, invalid, run};
use crate::registry;

/// How often a waiting call looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// The games of a contest and what they show.
#[pyclass(frozen, module = "lab2048")]
pub(crate) struct ArenaResult {
    plan: Plan,
    records: Vec<Played>,
    tally: Tally,
    digest: String,
}

/// One game of a contest.
#[pyclass(frozen, get_all, module = "lab2048")]
pub(crate) struct Record {
    seed: u64,
    player: String,
    score: u64,
    largest: u64,
    tile_sum: u128,
    moves: u64,
    end: &'static str,
    error: Option<String>,
    seconds: f64,
}

/// How long after Ctrl-C the games under way may take to be broken off before they are left behind.
const GRACE: Duration = Duration::from_millis(500);

/// What the thread that plays tells the one that waits.
enum News {
    Games(Vec<Played>),
    End(Result<Finish, RunError>, Box<Log>),
}

fn maker(spec: Spec) -> MakePlayer<'static> {
    Box::new(move || registry().build(&spec).map_err(|error| Cannot(error.to_string())))
}

fn read_specs(texts: &[String]) -> PyResult<Vec<Spec>> {
    let registry = registry();
    let mut specs: Vec<Spec> = Vec::new();
    for text in texts {
        let spec = registry.parse(text).map_err(invalid)?;
        if specs.contains(&spec) {
            return Err(invalid(format!("the player {spec} is given twice")));
        }
        specs.push(spec);
    }
    if specs.is_empty() {
        return Err(invalid("a contest needs at least one player"));
    }
    Ok(specs)
}

fn log_error(error: LogError) -> PyErr {
    match error {
        LogError::Io { .. } | LogError::Busy(_) => PyOSError::new_err(error.to_string()),
        _ => invalid(error),
    }
}

/// Plays a contest: game number i, counted from 0, has the seed `seed + i` for every player. `progress(done, total)` is called
/// now and then; if it raises, the contest ends. With `output` the records are kept in a file, and those that are there are
/// not played again.
#[pyo3::pyfunction]
#[pyo3(signature = (players, games=100, *, seed=1, size=None, rules="original", four=None, board=None, until=None, max_moves=None,
    threads=None, output=None, progress=None))]
#[allow(clippy::too_many_arguments)] // each is a keyword of the Python function
pub(crate) fn arena(
    py: Python<'_>,
    players: Vec<String>,
    games: u64,
    seed: u64,
    size: Option<SizeArg>,
    rules: &str,
    four: Option<f64>,
    board: Option<BoardArg>,
    until: Option<u64>,
    max_moves: Option<u64>,
    threads: Option<NonZero<usize>>,
    output: Option<PathBuf>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<ArenaResult> {
    let specs = read_specs(&players)?;
    let mut plan = Plan {
        rules: rules_named(rules, size, four)?,
        board: None,
        seed,
        players: specs.iter().map(Spec::to_string).collect(),
        networks: BTreeMap::new(),
        until,
        max_moves,
    };
    if let Some(BoardArg(board)) = board {
        check_size(size, &board)?;
        plan = plan.from_board(board);
    }
    let total = plan.records(games).ok_or_else(|| run(RunError::TooMany { games, seed }))?;
    let first = plan.game(seed);
    for (spec, name) in specs.iter().zip(&plan.players) {
        let player =
            py.detach(|| registry().build(spec)).map_err(|error| failed(format!("{spec}: {error}")))?;
        plan.networks.extend(player.network(first.board()).map(|hash| (name.clone(), hash)));
    }
    let mut tally = Tally::new(&plan);
    let mut records = Vec::new();
    let mut take = |record: &Played| {
        tally.add(record);
        records.push(record.clone());
    };
    let mut log = match &output {
        Some(path) => py.detach(|| Log::open(path, &plan, games, &mut take)).map_err(log_error)?,
        None => Log::without_file(&plan),
    };
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let work = Workload { games, done: log.records(), threads };
    let theirs = plan.clone();
    let cancel = Arc::new(AtomicBool::new(false));
    let (news, waiting) = mpsc::channel();
    let cancelled = Arc::clone(&cancel);
    // A thread of its own: after Ctrl-C a player may still be deep in thought, and nobody wants to wait for that.
    let playing = move || {
        let contest = Arena::new(theirs, specs.into_iter().map(maker).collect());
        let finish = contest.run(&work, &cancelled, &mut |batch| {
            log.append(batch)?;
            // Nobody may be waiting any more.
            let _ = news.send(News::Games(batch.to_vec()));
            Ok(())
        });
        let _ = news.send(News::End(finish, Box::new(log)));
    };
    thread::Builder::new()
        .name("arena".to_owned())
        .spawn(playing)
        .map_err(|error| run(RunError::Thread(error)))?;
    let called = |done| match &progress {
        Some(progress) => progress.call1((done, total)).map(drop),
        None => Ok(()),
    };
    let (finish, log) = wait(py, waiting, &cancel, &mut take, called, work.done)?;
    finish.map_err(run)?;
    Ok(ArenaResult { plan, records, tally, digest: log.digest() })
}

/// Takes in records until the end, calls back, and looks for Ctrl-C.
fn wait(
    py: Python<'_>,
    mut news: Receiver<News>,
    cancel: &AtomicBool,
    take: &mut impl FnMut(&Played),
    progress: impl Fn(u64) -> PyResult<()>,
    mut done: u64,
) -> PyResult<(Result<Finish, RunError>, Box<Log>)> {
    loop {
        let came;
        (news, came) = py.detach(move || {
            let came = news.recv_timeout(LOOK);
            (news, came)
        });
        let mut called = Ok(());
        match came {
            Ok(News::Games(batch)) => {
                batch.iter().for_each(&mut *take);
                done += batch.len() as u64;
                called = progress(done);
            }
            Ok(News::End(finish, log)) => return Ok((finish, log)),
            Err(RecvTimeoutError::Disconnected) => return Err(failed("the contest broke down")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(stop) = called.and_then(|()| py.check_signals()) {
            cancel.store(true, Ordering::Relaxed);
            py.detach(move || while let Ok(News::Games(_)) = news.recv_timeout(GRACE) {});
            return Err(stop);
        }
    }
}

/// What the engine writes as JSON, as Python's own dictionaries.
fn as_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).expect("numbers and texts can be written");
    py.import("json")?.call_method1("loads", (text,))
}

#[pymethods]
impl ArenaResult {
    /// The specs of the players.
    #[getter]
    fn players(&self) -> Vec<String> {
        self.plan.players.clone()
    }

    /// One record for every game, ordered by seed, then by player.
    #[getter]
    fn records(&self) -> Vec<Record> {
        let record = |record: &Played| Record {
            seed: record.seed,
            player: self.plan.players[record.player].clone(),
            score: record.result.score,
            largest: record.result.largest,
            tile_sum: record.result.sum,
            moves: record.result.moves,
            end: record.result.end.word(),
            error: record.result.end.error().map(str::to_owned),
            seconds: record.time.as_secs_f64(),
        };
        self.records.iter().map(record).collect()
    }

    /// The figures of each player: mean, interval, best, how often each tile was reached, and more.
    #[getter]
    fn summaries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.tally.summaries())
    }

    /// Who is better than whom, paired by the seeds.
    #[getter]
    fn differences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.tally.differences())
    }

    /// One number for all records, timing aside: the same as that of the command `lab2048 arena`.
    #[getter]
    fn digest(&self) -> &str {
        &self.digest
    }

    fn __len__(&self) -> usize {
        self.records.len()
    }

    fn __repr__(&self) -> String {
        format!("<ArenaResult of {} games by {}>", self.records.len(), self.plan.players.join(", "))
    }
}

#[pymethods]
impl Record {
    fn __repr__(&self) -> String {
        format!(
            "<Record: {}, seed {}: score {}, largest tile {}>",
            self.player, self.seed, self.score, self.largest
        )
    }
}
