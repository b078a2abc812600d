//! Contests between players that are named by specs.

use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::{BuildError, Registry, Spec, SpecError};
use crate::arena::{Arena, ContestPlan, GameSetup, MakePlayer};
use crate::game::{MakeError, Player};

/// A contest that can be played: its plan is complete, and each player has been built once.
#[derive(Debug)]
pub struct ReadyContest {
    /// Plays it. The first worker gets the players that were built for the plan.
    pub arena: Arena<'static>,
    /// The players, in the order of the plan.
    pub entrants: Vec<Entrant>,
}

/// A player of a contest.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Its spec.
    pub spec: Spec,
    /// Whether the same seed always gives the same moves.
    pub repeatable: bool,
    /// Whether it needs to know the coming spawns.
    pub needs_future: bool,
}

/// Whether the plan of a contest contains the hashes of the files of bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotFiles {
    /// The hashes are in the plan, so a log is continued only with the same files.
    Hashed,
    /// No hashes: without a log, a program whose files cannot be read can still play.
    Ignored,
}

/// Why a contest cannot be played.
#[derive(Debug, Error)]
pub enum ContestError {
    /// A spec is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A player is named twice; it would play the same games twice.
    #[error("the player {0} is given twice")]
    Twice(String),
    /// There are no players.
    #[error("a contest needs at least one player")]
    NoPlayers,
    /// A player cannot be built.
    #[error("{player}: {reason}")]
    Unmade {
        /// Its spec.
        player: String,
        /// The reason.
        #[source]
        reason: BuildError,
    },
}

impl Registry {
    /// Prepares a contest: reads the specs, builds each player once and notes in the plan the
    /// networks that the players ask on the first board. Building may take a while.
    ///
    /// ```
    /// use lab2048::arena::GameSetup;
    /// use lab2048::players::{BotFiles, Registry};
    ///
    /// let specs = ["random", "greedy"].map(str::to_owned);
    /// let registry = Registry::built_in();
    /// let contest = registry.contest(&specs, GameSetup::default(), 1, BotFiles::Ignored)?;
    /// assert!(contest.arena.plan().specs().eq(&specs));
    /// assert!(contest.entrants.iter().all(|entrant| entrant.repeatable));
    /// # Ok::<(), lab2048::players::ContestError>(())
    /// ```
    pub fn contest(
        &self,
        specs: &[String],
        setup: GameSetup,
        seed: u64,
        bot_files: BotFiles,
    ) -> Result<ReadyContest, ContestError> {
        let specs = self.different_specs(specs)?;
        let mut plan = ContestPlan::of_names(setup, seed, specs.iter().map(Spec::to_string));
        let game = plan.setup.start(seed);
        let (mut entrants, mut makers) = (Vec::new(), Vec::new());
        for (spec, planned) in specs.into_iter().zip(&mut plan.players) {
            let unmade = |reason| ContestError::Unmade { player: planned.spec.clone(), reason };
            let mut player = self.build(&spec).map_err(unmade)?;
            let facts = player.facts();
            let (repeatable, needs_future) = (facts.repeatable, facts.needs_future);
            planned.network = facts.fingerprint.on(game.board());
            if let Some(program) = player.foreign().filter(|_| bot_files == BotFiles::Hashed) {
                planned.files = program.files().map_err(|error| unmade(error.into()))?;
            }
            makers.push(self.maker_after(player, spec.clone()));
            entrants.push(Entrant { spec, repeatable, needs_future });
        }
        Ok(ReadyContest { arena: Arena::new(plan, makers).with_clock(self.clock), entrants })
    }

    /// Makes the player of a spec for each worker of an arena.
    pub fn maker<'a>(&'a self, spec: &'a Spec) -> MakePlayer<'a> {
        Box::new(|| self.build(spec).map_err(MakeError::because))
    }

    /// Hands out a player that is there, then builds others.
    fn maker_after(&self, first: Box<dyn Player>, spec: Spec) -> MakePlayer<'static> {
        let registry = self.clone();
        let first = Mutex::new(Some(first));
        Box::new(move || match first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(player) => Ok(player),
            None => registry.build(&spec).map_err(MakeError::because),
        })
    }

    fn different_specs(&self, texts: &[String]) -> Result<Vec<Spec>, ContestError> {
        let mut specs: Vec<Spec> = Vec::new();
        for text in texts {
            let spec = self.parse(text)?;
            if specs.contains(&spec) {
                return Err(ContestError::Twice(spec.to_string()));
            }
            specs.push(spec);
        }
        if specs.is_empty() { Err(ContestError::NoPlayers) } else { Ok(specs) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::arena::{Completion, Workload};
    use crate::clock::Clock;
    use crate::players::{Entry, Random};

    static BUILT: AtomicUsize = AtomicUsize::new(0);

    fn registry() -> Registry {
        let mut registry = Registry::built_in();
        registry.add(Entry::new("counted", "counts how often it is built", &[], |_| {
            BUILT.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Random))
        }));
        registry
    }

    fn contest(specs: &[&str]) -> Result<ReadyContest, ContestError> {
        let specs: Vec<String> = specs.iter().map(|&spec| spec.to_owned()).collect();
        registry().contest(&specs, GameSetup::default(), 1, BotFiles::Hashed)
    }

    #[test]
    fn a_player_is_built_once_before_its_first_game() {
        let arena = contest(&["counted"]).unwrap().arena;
        assert_eq!(BUILT.load(Ordering::Relaxed), 1);
        let work = Workload { games: 3, done: 0, threads: 1 };
        let mut games = 0;
        let finish = arena.run(&work, &AtomicBool::new(false), &mut |records| {
            games += records.len();
            Ok(())
        });
        assert_eq!((finish.unwrap(), games), (Completion::Complete, 3));
        assert_eq!(BUILT.load(Ordering::Relaxed), 1);
        arena.run(&work, &AtomicBool::new(false), &mut |_| Ok(())).unwrap();
        assert_eq!(BUILT.load(Ordering::Relaxed), 2, "a second run needs players of its own");
    }

    #[test]
    fn games_are_timed_by_the_clock_of_the_registry() {
        static TICKS: AtomicU64 = AtomicU64::new(0);
        let ticking = Clock::new(|| Duration::from_secs(TICKS.fetch_add(1, Ordering::Relaxed)));
        let specs = ["random".to_owned()];
        let ready =
            registry().with_clock(ticking).contest(&specs, GameSetup::default(), 1, BotFiles::Ignored);
        let mut times = Vec::new();
        let work = Workload { games: 2, done: 0, threads: 1 };
        let finish = ready.unwrap().arena.run(&work, &AtomicBool::new(false), &mut |records| {
            times.extend(records.iter().map(|record| record.time));
            Ok(())
        });
        assert_eq!(finish.unwrap(), Completion::Complete);
        assert_eq!(times, [Duration::from_secs(1); 2], "the clock is read twice for each game");
    }

    /// Here a minute passes while a registry loads its network.
    #[cfg(feature = "files")]
    #[test]
    fn loading_a_network_is_not_counted_as_thinking() {
        use std::path::PathBuf;
        use std::sync::OnceLock;

        use crate::game::{Future, Game, GameStart, Situation, choose_timed};
        use crate::ntuple::NetworkCache;
        use crate::players::networks::testing;
        use crate::players::{ShippedFile, ShippedNetwork};

        static MINUTES: AtomicU64 = AtomicU64::new(0);
        static LOADED: AtomicBool = AtomicBool::new(false);
        static FILE: OnceLock<PathBuf> = OnceLock::new();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow.net");
        std::fs::write(&path, testing::shipped()[0].bytes().unwrap()).unwrap();
        FILE.set(path).unwrap();
        let path = || {
            let is_first = !LOADED.swap(true, Ordering::Relaxed);
            MINUTES.fetch_add(u64::from(is_first), Ordering::Relaxed);
            FILE.get().unwrap().clone()
        };
        let slow = [ShippedNetwork { name: "slow", file: ShippedFile::Beside { path, hint: "" } }];
        let slow: &'static [ShippedNetwork] = slow.to_vec().leak();
        let clock = Clock::new(|| Duration::from_secs(60 * MINUTES.load(Ordering::Relaxed)));
        let cache = NetworkCache::in_folder(folder.path().join("cache"));
        let fresh = |cache: &Option<NetworkCache>| {
            LOADED.store(false, Ordering::Relaxed);
            let registry = Registry::built_in().with_networks(slow).with_clock(clock);
            match cache {
                Some(cache) => registry.with_network_cache(cache.clone()),
                None => registry,
            }
        };
        for cache in [None, Some(cache.clone()), Some(cache.for_few_moves())] {
            for spec in ["auto", "ntuple"] {
                let before = clock.now();
                let ready =
                    fresh(&cache).contest(&[spec.to_owned()], GameSetup::default(), 1, BotFiles::Ignored);
                let mut times = Vec::new();
                let work = Workload { games: 2, done: 0, threads: 2 };
                let finish = ready.unwrap().arena.run(&work, &AtomicBool::new(false), &mut |records| {
                    times.extend(records.iter().map(|record| record.time));
                    Ok(())
                });
                assert_eq!(finish.unwrap(), Completion::Complete);
                assert_eq!(times, [Duration::ZERO; 2], "{spec}");
                assert_eq!(clock.since(before), Duration::from_secs(60), "{spec}");

                let registry = fresh(&cache);
                let mut player = registry.build(&registry.parse(spec).unwrap()).unwrap();
                let game = Game::new(Default::default(), 1);
                player.start(&GameStart::of(&game, Future::Hidden)).unwrap();
                let situation = Situation::of(&game, &player, Future::Hidden);
                let decision = choose_timed(&mut player, &situation, clock).unwrap();
                assert_eq!(decision.time, Duration::ZERO, "{spec}");
                assert_eq!(clock.since(before), Duration::from_secs(120), "{spec}");
            }
        }
    }

    #[test]
    fn the_facts_of_the_players_are_told() {
        let ready = contest(&["expectimax:time=1ms", "clairvoyant"]).unwrap();
        assert!(ready.arena.plan().specs().eq(["expectimax:time=1ms", "clairvoyant"]));
        let facts: Vec<(bool, bool)> =
            ready.entrants.iter().map(|entrant| (entrant.repeatable, entrant.needs_future)).collect();
        assert_eq!(facts, [(false, false), (true, true)]);
    }

    #[test]
    fn contests_that_make_no_sense_are_refused() {
        let error = |specs: &[&str]| contest(specs).unwrap_err().to_string();
        assert_eq!(error(&[]), "a contest needs at least one player");
        assert_eq!(
            error(&["sum:depth=2", "random", "sum: depth=2"]),
            "the player sum:depth=2 is given twice"
        );
        assert!(error(&["nobody"]).starts_with("there is no player 'nobody'"));
        let unmade = error(&["random", "program:file=/none.lab"]);
        assert!(unmade.starts_with("program:file=/none.lab: "), "{unmade}");
    }
}
