//! Many seeded games in parallel, their records in order.
//!
//! Every thread has players of its own, and the spawns are a pure function of the seed. So the
//! records do not depend on the number of threads.

use std::any::Any;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::plan::Task;
use super::{ContestPlan, End, PlayedGame, Record, play_unless};
use crate::clock::Clock;
use crate::game::{Cannot, GameStart, Player};
use crate::parallel::{self, Stop, Worked};

/// Makes a player: called at most once for each worker.
pub type MakePlayer<'a> = Box<dyn Fn() -> Result<Box<dyn Player>, Cannot> + Sync + 'a>;

/// A contest with its players.
pub struct Arena<'a> {
    plan: ContestPlan,
    makers: Vec<MakePlayer<'a>>,
    clock: Clock,
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
        #[source]
        reason: Cannot,
    },
    /// A player refuses these games.
    #[error("{player} cannot play this game: {reason}")]
    Refused {
        /// Its spec.
        player: String,
        /// What is in the way.
        #[source]
        reason: Cannot,
    },
    /// The files of a foreign program are not those of the plan any more.
    #[error("{player} changed during the run: {change}; the games played before are kept")]
    Changed {
        /// Its spec.
        player: String,
        /// Which of its files differs, and how.
        change: String,
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
    pub fn new(plan: ContestPlan, makers: Vec<MakePlayer<'a>>) -> Arena<'a> {
        assert_eq!(plan.players.len(), makers.len(), "every player needs its maker");
        Arena { plan, makers, clock: Clock::system() }
    }

    /// The same contest, its games timed by another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Arena<'a> {
        Arena { clock, ..self }
    }

    /// The contest.
    pub fn plan(&self) -> &ContestPlan {
        &self.plan
    }

    /// Plays what is still missing and hands the records to `sink` on the calling thread, a few at
    /// a time, ordered by seed, then by player. When `cancel` is raised, games under way are broken
    /// off and left out.
    ///
    /// A player that cannot be made or refuses the first game fails the run before anything is
    /// played; one that refuses a later game fails only that game.
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
        let mut first_crew = Some(self.first_crew(self.plan.task(work.done).seed)?);
        let make = || {
            let nobody = || self.makers.iter().map(|_| None).collect();
            let mut worker = Worker { arena: self, crew: first_crew.take().unwrap_or_else(nobody) };
            move |place, stop: Stop<'_>| worker.play_caught(self.plan.task(place), stop)
        };
        let delivered = parallel::in_order(work.done..end, work.threads, cancel, make, &mut |records| {
            sink(&records).map_err(RunError::Sink)
        })?;
        Ok(if delivered < end { Finish::Cancelled } else { Finish::Complete })
    }

    /// The players of the first worker, each asked whether it plays these games.
    fn first_crew(&self, seed: u64) -> Result<Crew, RunError> {
        let game = self.plan.setup.start(seed);
        let start = GameStart { rules: game.rules(), board: game.board(), knows_future: true };
        let mut crew = Vec::new();
        for (make, spec) in self.makers.iter().zip(&self.plan.players) {
            let unmade = |reason| RunError::Unmade { player: spec.clone(), reason };
            let refused = |reason| RunError::Refused { player: spec.clone(), reason };
            let mut player = self.pinned(spec, make().map_err(unmade)?);
            let started = player.start(&start);
            self.check_unchanged(spec, &*player)?;
            started.map_err(refused)?;
            player.end(&game);
            crew.push(Some(player));
        }
        Ok(crew)
    }

    /// A player that starts its program only from the files of the plan.
    fn pinned(&self, spec: &str, mut player: Box<dyn Player>) -> Box<dyn Player> {
        if let Some(files) = self.plan.bots.get(spec) {
            player.pin(files);
        }
        player
    }

    /// Fails if the player found other files than those of the plan.
    fn check_unchanged(&self, spec: &str, player: &dyn Player) -> Result<(), RunError> {
        match player.change() {
            Some(change) => Err(RunError::Changed { player: spec.to_owned(), change: change.to_owned() }),
            None => Ok(()),
        }
    }
}

/// A worker's players, in the order of the plan; those it has not needed yet are missing.
type Crew = Vec<Option<Box<dyn Player>>>;

struct Worker<'a, 'p> {
    arena: &'a Arena<'p>,
    crew: Crew,
}

impl Worker<'_, '_> {
    /// Plays one game; a panic in it becomes an error, so that nobody waits for a worker that is
    /// gone.
    fn play_caught(&mut self, task: Task, stop: Stop<'_>) -> Worked<Record, RunError> {
        let arena = self.arena;
        // After a panic the run ends, and the players, whatever state they are in, are dropped.
        let played = catch_unwind(AssertUnwindSafe(|| self.play(task, stop)));
        played.unwrap_or_else(|panic| {
            let player = arena.plan.players[task.player].clone();
            Err(RunError::Panicked { player, seed: task.seed, message: panic_message(&*panic) })
        })
    }

    fn play(&mut self, task: Task, stop: Stop<'_>) -> Worked<Record, RunError> {
        let Worker { arena, crew } = self;
        let Arena { plan, makers, clock } = arena;
        let spec = &plan.players[task.player];
        let unmade = |reason| RunError::Unmade { player: spec.clone(), reason };
        let player = match &mut crew[task.player] {
            Some(player) => player,
            place => place.insert(arena.pinned(spec, makers[task.player]().map_err(unmade)?)),
        };
        let started = clock.now();
        let mut game = plan.setup.start(task.seed);
        let unless = || if stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let PlayedGame { result, end } =
            match play_unless(&mut game, &mut **player, &plan.setup.limits, unless) {
                Ok(ControlFlow::Continue(played)) => played,
                Ok(ControlFlow::Break(())) => return Ok(ControlFlow::Break(())),
                Err(reason) => PlayedGame::of(&game, End::Failed(reason.to_string())),
            };
        // A player may fail because of what stops the run: its program was ended by the same
        // signal.
        if matches!(end, End::Failed(_)) && stop.is_raised() {
            return Ok(ControlFlow::Break(()));
        }
        arena.check_unchanged(spec, &**player)?;
        let record = Record { seed: task.seed, player: task.player, result, end, time: clock.since(started) };
        Ok(ControlFlow::Continue(record))
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason given").to_owned()
}

#[cfg(test)]
mod tests;
