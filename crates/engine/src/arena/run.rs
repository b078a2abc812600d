//! Many seeded games in parallel, with their records in order.
//!
//! Every thread has its own players, and spawns are a pure function of the seed. The records
//! therefore do not depend on the number of threads.

use std::any::Any;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::plan::{Task, TooManyGames};
use super::play::play_started;
use super::{ContestPlan, PlannedPlayer, PlayedGame, Record, StopReason};
use crate::clock::Clock;
use crate::game::{Future, GameStart, MakeError, Player, Refusal};
use crate::parallel::{self, ItemResult, Stop};
use crate::text::in_words;

/// Creates a player. It is called at most once per worker.
pub type MakePlayer<'a> = Box<dyn Fn() -> Result<Box<dyn Player>, MakeError> + Send + Sync + 'a>;

/// A contest with its players.
pub struct Arena<'a> {
    plan: ContestPlan,
    makers: Vec<MakePlayer<'a>>,
    clock: Clock,
}

/// How much of a contest to play, and on how many threads.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The total number of games per player, counted from the first.
    pub games: u64,
    /// The number of records that already exist.
    pub done: u64,
    /// The threads to play on.
    pub threads: usize,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// All games are played.
    Complete,
    /// It was cancelled. The delivered records are the first ones.
    Cancelled,
}

/// Why a run failed. The records delivered before are the first ones.
#[derive(Debug, Error)]
pub enum RunError {
    /// A player could not be created.
    #[error("{player}: {reason}")]
    Unmade {
        /// Its spec.
        player: String,
        /// The reason.
        #[source]
        reason: MakeError,
    },
    /// A player refuses these games.
    #[error("{player} cannot play this game: {reason}")]
    Refused {
        /// Its spec.
        player: String,
        /// The reason.
        #[source]
        reason: Refusal,
    },
    /// The files of a bot have changed since the plan was made.
    #[error("{player} changed during the run: {change}; the games played before are kept")]
    Changed {
        /// Its spec.
        player: String,
        /// The changed file, and how it changed.
        change: String,
    },
    /// The seeds or the records exceed 64 bits.
    #[error(transparent)]
    TooMany(#[from] TooManyGames),
    /// A player panicked, which is a bug.
    #[error("{player} broke down in the game with seed {seed}: {message}")]
    Panicked {
        /// Its spec.
        player: String,
        /// The game's seed.
        seed: u64,
        /// The panic message.
        message: String,
    },
    /// The sink failed.
    #[error("{}", in_words(.0))]
    Sink(#[source] io::Error),
}

impl fmt::Debug for Arena<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl<'a> Arena<'a> {
    /// A contest. The makers are in the order of the plan's players.
    ///
    /// # Panics
    /// If the numbers of makers and players differ.
    pub fn new(plan: ContestPlan, makers: Vec<MakePlayer<'a>>) -> Arena<'a> {
        assert_eq!(plan.players.len(), makers.len(), "every player needs a maker");
        Arena { plan, makers, clock: Clock::system() }
    }

    /// The same contest with another clock for the times of its games.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Arena<'a> {
        Arena { clock, ..self }
    }

    /// The contest.
    pub fn plan(&self) -> &ContestPlan {
        &self.plan
    }

    /// Plays the missing games and passes the records to `sink` on the calling thread, in batches,
    /// ordered by seed, then by player. If `cancel` is set, running games are stopped and left out.
    ///
    /// If a player cannot be created or refuses the first game, the run fails before anything is
    /// played. If it refuses a later game, only that game fails.
    pub fn run(
        &self,
        work: &Workload,
        cancel: &AtomicBool,
        sink: &mut dyn FnMut(&[Record]) -> io::Result<()>,
    ) -> Result<Completion, RunError> {
        let end = self.plan.records(work.games)?;
        if work.done >= end {
            return Ok(Completion::Complete);
        }
        let mut first_crew = Some(self.first_crew(self.plan.task(work.done).seed)?);
        let make = || {
            let nobody = || self.makers.iter().map(|_| None).collect();
            let mut worker = Worker { arena: self, crew: first_crew.take().unwrap_or_else(nobody) };
            move |place, stop: Stop<'_>| worker.play_caught(self.plan.task(place), stop)
        };
        let delivered = parallel::in_order(work.done..end, work.threads, cancel, make, &mut |records| {
            sink(&records).map_err(RunError::Sink)
        })?;
        Ok(if delivered < end { Completion::Cancelled } else { Completion::Complete })
    }

    /// The players of the first worker, after each has accepted the game.
    fn first_crew(&self, seed: u64) -> Result<Crew, RunError> {
        let game = self.plan.setup.start(seed);
        let start = GameStart::of(&game, Future::Told);
        let mut crew = Vec::new();
        for (index, planned) in self.plan.players.iter().enumerate() {
            let refused = |reason| RunError::Refused { player: planned.spec.clone(), reason };
            let mut player = self.make(index)?;
            let started = player.start(&start);
            check_unchanged(planned, &mut *player)?;
            started.map_err(refused)?;
            player.end(&game);
            crew.push(Some(player));
        }
        Ok(crew)
    }

    /// Makes a player that only starts its program from the files of the plan.
    fn make(&self, index: usize) -> Result<Box<dyn Player>, RunError> {
        let planned = &self.plan.players[index];
        let unmade = |reason| RunError::Unmade { player: planned.spec.clone(), reason };
        let mut player = self.makers[index]().map_err(unmade)?;
        if let Some(program) = player.foreign().filter(|_| !planned.files.is_empty()) {
            program.pin(&planned.files);
        }
        Ok(player)
    }
}

/// Fails if the player's files have changed.
fn check_unchanged(planned: &PlannedPlayer, player: &mut dyn Player) -> Result<(), RunError> {
    match player.foreign().and_then(|program| program.change()) {
        Some(change) => Err(RunError::Changed { player: planned.spec.clone(), change }),
        None => Ok(()),
    }
}

/// A worker's players, in the order of the plan; `None` for those not needed yet.
type Crew = Vec<Option<Box<dyn Player>>>;

struct Worker<'a, 'p> {
    arena: &'a Arena<'p>,
    crew: Crew,
}

impl Worker<'_, '_> {
    /// Plays one game. A panic becomes an error, so that nothing waits for a dead worker.
    fn play_caught(&mut self, task: Task, stop: Stop<'_>) -> ItemResult<Record, RunError> {
        let arena = self.arena;
        // After a panic the run ends, and the players are dropped in whatever state they are.
        let played = catch_unwind(AssertUnwindSafe(|| self.play(task, stop)));
        played.unwrap_or_else(|panic| {
            let player = arena.plan.players[task.player].spec.clone();
            Err(RunError::Panicked { player, seed: task.seed, message: panic_message(&*panic) })
        })
    }

    fn play(&mut self, task: Task, stop: Stop<'_>) -> ItemResult<Record, RunError> {
        let Worker { arena, crew } = self;
        let Arena { plan, clock, .. } = arena;
        let player = match &mut crew[task.player] {
            Some(player) => player,
            place => place.insert(arena.make(task.player)?),
        };
        let mut game = plan.setup.start(task.seed);
        let unless = || if stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let begun = player.start(&GameStart::of(&game, Future::Told));
        let has_begun = begun.is_ok();
        // Loading is not thinking: a player may read a network or start a program in `start`. Nor
        // is what it does after the game.
        let started = clock.now();
        let flow = match begun {
            Ok(()) => play_started(&mut game, &mut **player, &plan.setup.limits, unless),
            Err(reason) => {
                ControlFlow::Continue(PlayedGame::of(&game, StopReason::Failed(reason.to_string())))
            }
        };
        let time = clock.since(started);
        if has_begun {
            player.end(&game);
        }
        let ControlFlow::Continue(PlayedGame { result, end }) = flow else {
            return Ok(ControlFlow::Break(()));
        };
        // A player can fail because of the signal that stops the run: it may have ended the
        // player's program too.
        if matches!(end, StopReason::Failed(_)) && stop.is_raised() {
            return Ok(ControlFlow::Break(()));
        }
        check_unchanged(&plan.players[task.player], &mut **player)?;
        let record = Record { seed: task.seed, player: task.player, result, end, time };
        Ok(ControlFlow::Continue(record))
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").to_owned()
}

#[cfg(test)]
mod tests;
