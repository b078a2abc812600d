//! Contests between players that are named by specs.

use std::fmt;
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

/// A player that wants to enter a contest.
pub enum Contender {
    /// A player of the registry, by its spec.
    Named(String),
    /// A player that the caller makes. Its spec stands in the records, and its name must not be
    /// that of a player of the registry.
    Own(Spec, MakePlayer<'static>),
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::Named(spec) => f.debug_tuple("Named").field(spec).finish(),
            Contender::Own(spec, _) => f.debug_tuple("Own").field(spec).finish_non_exhaustive(),
        }
    }
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
    /// A player of the caller has the name of a player of the registry.
    #[error("a player of your own cannot be called '{0}', because lab2048 has a player with this name")]
    Taken(String),
    /// A player of the caller cannot be made.
    #[error("{player}: {reason}")]
    Unable {
        /// Its spec.
        player: String,
        /// The reason.
        #[source]
        reason: MakeError,
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
        let named = specs.iter().cloned().map(Contender::Named).collect();
        self.contest_of(named, setup, seed, bot_files)
    }

    /// The same as [`Registry::contest`], also with players that the caller makes.
    pub fn contest_of(
        &self,
        contenders: Vec<Contender>,
        setup: GameSetup,
        seed: u64,
        bot_files: BotFiles,
    ) -> Result<ReadyContest, ContestError> {
        let contenders = self.different(contenders)?;
        let specs = contenders.iter().map(|(spec, _)| spec.to_string());
        let mut plan = ContestPlan::of_names(setup, seed, specs);
        let game = plan.setup.start(seed);
        let (mut entrants, mut makers) = (Vec::new(), Vec::new());
        for ((spec, own), planned) in contenders.into_iter().zip(&mut plan.players) {
            let unmade = |reason| ContestError::Unmade { player: planned.spec.clone(), reason };
            let unable = |reason| ContestError::Unable { player: planned.spec.clone(), reason };
            let mut player = match &own {
                Some(make) => make().map_err(unable)?,
                None => self.build(&spec).map_err(unmade)?,
            };
            let facts = player.facts();
            let (repeatable, needs_future) = (facts.repeatable, facts.needs_future);
            planned.network = facts.fingerprint.on(game.board());
            if let Some(program) = player.foreign().filter(|_| bot_files == BotFiles::Hashed) {
                planned.files = program.files().map_err(|error| unmade(error.into()))?;
            }
            let others = own.unwrap_or_else(|| self.maker_of(spec.clone()));
            makers.push(maker_after(player, others));
            entrants.push(Entrant { spec, repeatable, needs_future });
        }
        Ok(ReadyContest { arena: Arena::new(plan, makers).with_clock(self.clock), entrants })
    }

    /// Makes the player of a spec for each worker of an arena.
    pub fn maker<'a>(&'a self, spec: &'a Spec) -> MakePlayer<'a> {
        Box::new(|| self.build(spec).map_err(MakeError::because))
    }

    fn maker_of(&self, spec: Spec) -> MakePlayer<'static> {
        let registry = self.clone();
        Box::new(move || registry.build(&spec).map_err(MakeError::because))
    }

    /// The specs of the players, which must differ, and the makers of those that the caller makes.
    fn different(&self, contenders: Vec<Contender>) -> Result<Vec<Checked>, ContestError> {
        let mut different: Vec<Checked> = Vec::new();
        for contender in contenders {
            let (spec, own) = match contender {
                Contender::Named(text) => (self.parse(&text)?, None),
                Contender::Own(spec, _) if self.entry(spec.name()).is_some() => {
                    return Err(ContestError::Taken(spec.name().to_owned()));
                }
                Contender::Own(spec, make) => (spec, Some(make)),
            };
            if different.iter().any(|(other, _)| *other == spec) {
                return Err(ContestError::Twice(spec.to_string()));
            }
            different.push((spec, own));
        }
        if different.is_empty() { Err(ContestError::NoPlayers) } else { Ok(different) }
    }
}

/// The spec of a contender, and its maker if the caller makes it.
type Checked = (Spec, Option<MakePlayer<'static>>);

/// Hands out a player that is there, then makes others.
fn maker_after(first: Box<dyn Player>, others: MakePlayer<'static>) -> MakePlayer<'static> {
    let first = Mutex::new(Some(first));
    Box::new(move || match first.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(player) => Ok(player),
        None => others(),
    })
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

    /// A player of the caller plays beside those of the registry and keeps its own name.
    #[test]
    fn a_caller_can_bring_a_player() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let called = |name: &str, word: &str| {
            let make: MakePlayer<'static> = Box::new(|| {
                MADE.fetch_add(1, Ordering::Relaxed);
                Ok(Box::new(Random))
            });
            Contender::Own(Spec::named(name).with("name", word), make)
        };
        let own = |word: &str| called("mine", word);
        let contest = |players| registry().contest_of(players, GameSetup::default(), 1, BotFiles::Hashed);
        let arena = contest(vec![Contender::Named("random".to_owned()), own("a")]).unwrap().arena;
        assert!(arena.plan().specs().eq(["random", "mine:name=a"]));
        let mut scores = Vec::new();
        let work = Workload { games: 3, done: 0, threads: 1 };
        let finish = arena.run(&work, &AtomicBool::new(false), &mut |records| {
            scores.extend(records.iter().map(|record| record.result.score));
            Ok(())
        });
        assert_eq!((finish.unwrap(), scores.len()), (Completion::Complete, 6));
        assert!(scores.chunks(2).all(|pair| pair[0] == pair[1]), "both are random: {scores:?}");
        assert_eq!(MADE.load(Ordering::Relaxed), 1, "the first worker plays with the player made first");
        let twice = contest(vec![own("a"), own("b"), own("a")]).unwrap_err().to_string();
        assert_eq!(twice, "the player mine:name=a is given twice");
        let taken = contest(vec![own("a"), called("greedy", "b")]).unwrap_err().to_string();
        assert_eq!(
            taken,
            "a player of your own cannot be called 'greedy', because lab2048 has a player with this name"
        );
        let unable: MakePlayer<'static> = Box::new(|| Err(MakeError::new("no room")));
        let unable = contest(vec![Contender::Own(Spec::named("mine"), unable)]).unwrap_err().to_string();
        assert_eq!(unable, "mine: no room");
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
