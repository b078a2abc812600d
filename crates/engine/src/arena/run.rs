//! Many seeded games in parallel, their records in order.
//!
//! Workers fetch pieces of the contest from a desk, play them and send the records to the calling thread, which puts
//! them in order and hands them to the sink. Every worker has players of its own, and the spawns are a pure function of
//! the seed: what is in the records does not depend on the number of threads.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::desk::Desk;
use super::plan::Task;
use super::{End, GameResult, Plan, Record, play_unless};
use crate::game::{Cannot, GameStart, Player};

/// Makes a player: called at most once for each worker.
pub type MakePlayer<'a> = Box<dyn Fn() -> Result<Box<dyn Player>, Cannot> + Sync + 'a>;

/// A contest with its players.
pub struct Arena<'a> {
    plan: Plan,
    makers: Vec<MakePlayer<'a>>,
}

/// How much of a contest is to be played, and by how many threads.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The games of each player, counted from the first.
    pub games: u64,
    /// The records that are there already.
    pub done: u64,
    /// The threads to play on.
    pub threads: usize,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// All games are played.
    Complete,
    /// It was cancelled; the records delivered are a beginning of the whole.
    Cancelled,
}

/// Why a run failed. The records delivered before are a beginning of the whole.
#[derive(Debug, Error)]
pub enum RunError {
    /// A player could not be made.
    #[error("{player}: {reason}")]
    Unmade {
        /// Its spec.
        player: String,
        /// What is in the way.
        reason: Cannot,
    },
    /// A player refuses these games.
    #[error("{player} cannot play this game: {reason}")]
    Refused {
        /// Its spec.
        player: String,
        /// What is in the way.
        reason: Cannot,
    },
    /// The seeds or the records cannot be counted in 64 bits.
    #[error("{games} games from seed {seed} on are too many: seeds end at 2^64-1")]
    TooMany {
        /// The games asked for.
        games: u64,
        /// The first seed.
        seed: u64,
    },
    /// A player broke down: a mistake in the program.
    #[error("{player} broke down in the game with seed {seed}: {message}")]
    Panicked {
        /// Its spec.
        player: String,
        /// The game's seed.
        seed: u64,
        /// What it said.
        message: String,
    },
    /// No thread could be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The sink could not take a record.
    #[error(transparent)]
    Sink(io::Error),
}

impl fmt::Debug for Arena<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl<'a> Arena<'a> {
    /// A contest; the makers are in the order of the plan's players.
    ///
    /// # Panics
    /// If there are not as many makers as players.
    pub fn new(plan: Plan, makers: Vec<MakePlayer<'a>>) -> Arena<'a> {
        assert_eq!(plan.players.len(), makers.len(), "every player needs its maker");
        Arena { plan, makers }
    }

    /// The contest.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Plays what is still missing and hands the records to `sink` on the calling thread, a few at a time, ordered by
    /// seed, then by player. When `cancel` is raised, games under way are broken off and left out.
    ///
    /// A player that cannot be made or refuses the first game fails the run before anything is played; one that
    /// refuses a later game fails only that game.
    pub fn run(
        &self,
        work: &Workload,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(&[Record]) -> io::Result<()>,
    ) -> Result<Finish, RunError> {
        let too_many = || RunError::TooMany { games: work.games, seed: self.plan.seed };
        let end = self.plan.records(work.games).ok_or_else(too_many)?;
        if work.done >= end {
            return Ok(Finish::Complete);
        }
        let first_crew = self.first_crew(self.plan.task(work.done).seed)?;
        let threads = (work.threads.max(1) as u64).min(end - work.done) as usize;
        let desk = Desk::new(work.done..end, threads);
        thread::scope(|scope| {
            let _closing = CloseAtEnd(&desk);
            let (sender, receiver) = mpsc::channel();
            let mut crew = Some(first_crew);
            for number in 0..threads {
                let worker = Worker {
                    arena: self,
                    desk: &desk,
                    cancel,
                    sender: sender.clone(),
                    crew: crew.take().unwrap_or_else(|| self.makers.iter().map(|_| None).collect()),
                };
                let spawned = thread::Builder::new()
                    .name(format!("arena-{number}"))
                    .spawn_scoped(scope, move || worker.work());
                match spawned {
                    // With fewer threads the same games are played, only later.
                    Err(_) if number > 0 => break,
                    other => drop(other.map_err(RunError::Thread)?),
                }
            }
            drop(sender);
            let mut counter = Counter { waiting: BTreeMap::new(), next: work.done };
            let mut outcome = Ok(Finish::Complete);
            // The loop ends when the last worker has gone.
            for message in receiver {
                if outcome.is_ok() {
                    outcome = message.and_then(|batch| counter.take(batch, sink)).map(|()| Finish::Complete);
                }
                match outcome {
                    Ok(_) => desk.delivered(counter.next),
                    Err(_) => desk.close(),
                }
            }
            match outcome {
                Ok(_) if counter.next < end => Ok(Finish::Cancelled),
                outcome => outcome,
            }
        })
    }

    /// The players of the first worker, each asked whether it plays these games.
    fn first_crew(&self, seed: u64) -> Result<Crew, RunError> {
        let game = self.plan.game(seed);
        let start = GameStart { rules: game.rules(), board: game.board(), knows_future: true };
        let mut crew = Vec::new();
        for (make, spec) in self.makers.iter().zip(&self.plan.players) {
            let unmade = |reason| RunError::Unmade { player: spec.clone(), reason };
            let refused = |reason| RunError::Refused { player: spec.clone(), reason };
            let mut player = make().map_err(unmade)?;
            player.start(&start).map_err(refused)?;
            player.end(&game);
            crew.push(Some(player));
        }
        Ok(crew)
    }
}

/// Sends the workers home even when the sink panics; they would wait for ever to get room for more records.
struct CloseAtEnd<'a>(&'a Desk);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A worker's players, in the order of the plan; those it has not needed yet are missing.
type Crew = Vec<Option<Box<dyn Player>>>;

/// Records of consecutive places, from the place of the first.
struct Batch {
    start: u64,
    records: Vec<Record>,
}

/// Puts batches in order.
struct Counter {
    waiting: BTreeMap<u64, Vec<Record>>,
    next: u64,
}

impl Counter {
    /// Takes a batch in and hands on everything that can be handed on.
    fn take(
        &mut self,
        batch: Batch,
        sink: &mut dyn FnMut(&[Record]) -> io::Result<()>,
    ) -> Result<(), RunError> {
        self.waiting.insert(batch.start, batch.records);
        while let Some(records) = self.waiting.remove(&self.next) {
            sink(&records).map_err(RunError::Sink)?;
            self.next += records.len() as u64;
        }
        Ok(())
    }
}

/// A batch is sent when it has taken that long: often enough for a progress bar and for a file that loses little when
/// the process is killed, seldom enough that sending costs nothing.
const BATCH_TIME: Duration = Duration::from_millis(20);
/// The most games that a worker fetches at once.
const MOST_AT_ONCE: u64 = 1024;

struct Worker<'a, 'p> {
    arena: &'a Arena<'p>,
    desk: &'a Desk,
    cancel: &'a AtomicBool,
    sender: Sender<Result<Batch, RunError>>,
    crew: Crew,
}

impl Worker<'_, '_> {
    /// Plays until nothing is left to do, or until the run is to end.
    fn work(mut self) {
        let mut wish = 1;
        while let Some(piece) = self.desk.take(wish) {
            let count = piece.end - piece.start;
            let started = Instant::now();
            if self.play_piece(piece).is_break() {
                self.desk.close();
                return;
            }
            wish = next_wish(count, started.elapsed());
        }
    }

    /// Plays the games of a piece and sends their records; breaks when the run is to end.
    fn play_piece(&mut self, piece: Range<u64>) -> ControlFlow<()> {
        let mut batch = Batch { start: piece.start, records: Vec::new() };
        let mut batch_time = Duration::ZERO;
        for place in piece {
            match self.play_caught(self.arena.plan.task(place)) {
                Ok(ControlFlow::Continue(record)) => {
                    batch_time += record.time;
                    batch.records.push(record);
                }
                Ok(ControlFlow::Break(())) => {
                    self.send(Ok(batch));
                    return ControlFlow::Break(());
                }
                Err(error) => {
                    self.send(Ok(batch));
                    self.send(Err(error));
                    return ControlFlow::Break(());
                }
            }
            if batch_time >= BATCH_TIME {
                let next = Batch { start: place + 1, records: Vec::new() };
                self.send(Ok(std::mem::replace(&mut batch, next)));
                batch_time = Duration::ZERO;
            }
        }
        self.send(Ok(batch));
        ControlFlow::Continue(())
    }

    fn send(&self, message: Result<Batch, RunError>) {
        if !matches!(&message, Ok(batch) if batch.records.is_empty()) {
            // The receiver waits for the last worker, so it is there.
            let _ = self.sender.send(message);
        }
    }

    /// Plays one game; a panic in it becomes an error, so that nobody waits for a worker that is gone.
    fn play_caught(&mut self, task: Task) -> Result<ControlFlow<(), Record>, RunError> {
        let arena = self.arena;
        // After a panic the run ends, and the players, whatever state they are in, are dropped.
        let played = catch_unwind(AssertUnwindSafe(|| self.play(task)));
        played.unwrap_or_else(|panic| {
            let player = arena.plan.players[task.player].clone();
            Err(RunError::Panicked { player, seed: task.seed, message: panic_message(&*panic) })
        })
    }

    fn play(&mut self, task: Task) -> Result<ControlFlow<(), Record>, RunError> {
        let Worker { arena: Arena { plan, makers }, desk, cancel, crew, .. } = self;
        let unmade = |reason| RunError::Unmade { player: plan.players[task.player].clone(), reason };
        let player = match &mut crew[task.player] {
            Some(player) => player,
            place => place.insert(makers[task.player]().map_err(unmade)?),
        };
        let should_stop = || cancel.load(Ordering::Relaxed) || desk.is_closed();
        if should_stop() {
            return Ok(ControlFlow::Break(()));
        }
        let started = Instant::now();
        let mut game = plan.game(task.seed);
        let stop = || if should_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let result = match play_unless(&mut game, &mut **player, &plan.limits(), stop) {
            Ok(ControlFlow::Continue(result)) => result,
            Ok(ControlFlow::Break(())) => return Ok(ControlFlow::Break(())),
            Err(reason) => GameResult::of(&game, End::Failed(reason.to_string())),
        };
        // A player may fail because of what stops the run: its program was ended by the same signal.
        if matches!(result.end, End::Failed(_)) && should_stop() {
            return Ok(ControlFlow::Break(()));
        }
        let record = Record { seed: task.seed, player: task.player, result, time: started.elapsed() };
        Ok(ControlFlow::Continue(record))
    }
}

/// How many games to fetch after `count` of them took `time`. The number grows step by step only, because the games of a
/// contest may be of very different length: half of them by a player that thinks.
fn next_wish(count: u64, time: Duration) -> u64 {
    let wish = if time * 2 <= BATCH_TIME {
        count * 2
    } else if time > BATCH_TIME * 2 {
        count / 2
    } else {
        count
    };
    wish.clamp(1, MOST_AT_ONCE)
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").to_owned()
}

#[cfg(test)]
mod tests;
