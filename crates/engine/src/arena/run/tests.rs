use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::arena::GameSetup;
use crate::arena::stand_ins::{First, Random, Refusing};
use crate::game::{Action, Decision, Game, PlayerError, Situation};

fn maker<P: Player + 'static>(make: impl Fn() -> P + Send + Sync + 'static) -> MakePlayer<'static> {
    Box::new(move || Ok(Box::new(make())))
}

fn plan(players: &[&str]) -> ContestPlan {
    ContestPlan::of_names(GameSetup::default(), 11, players.iter().copied())
}

fn two_players() -> Arena<'static> {
    Arena::new(plan(&["random", "first"]), vec![maker(|| Random), maker(|| First)])
}

/// Runs a contest and returns its result and records.
fn run(
    arena: &Arena<'_>,
    games: u64,
    done: u64,
    threads: usize,
) -> (Result<Completion, RunError>, Vec<Record>) {
    let mut records = Vec::new();
    let finish = arena.run(&Workload { games, done, threads }, &AtomicBool::new(false), &mut |batch| {
        records.extend_from_slice(batch);
        Ok(())
    });
    (finish, records)
}

fn plain(records: &[Record]) -> Vec<(u64, usize, PlayedGame)> {
    records.iter().map(|r| (r.seed, r.player, PlayedGame { result: r.result, end: r.end.clone() })).collect()
}

#[test]
fn records_come_in_order_and_do_not_depend_on_threads() {
    let arena = two_players();
    let slow_twin: Vec<_> = (0..600)
        .map(|place| arena.plan().task(place))
        .map(|task| {
            let mut game = arena.plan().setup.start(task.seed);
            let limits = arena.plan().setup.limits;
            let result = match task.player {
                0 => crate::arena::play_game(&mut game, &mut Random, &limits),
                _ => crate::arena::play_game(&mut game, &mut First, &limits),
            };
            (task.seed, task.player, result.unwrap())
        })
        .collect();
    for threads in [0, 1, 2, 3, 8] {
        let (finish, records) = run(&arena, 300, 0, threads);
        assert_eq!(finish.unwrap(), Completion::Complete);
        assert_eq!(plain(&records), slow_twin, "{threads} threads");
    }
}

#[test]
fn a_run_goes_on_where_another_stopped() {
    let arena = two_players();
    let (_, whole) = run(&arena, 50, 0, 2);
    for done in [1, 2, 33, 99] {
        let (finish, rest) = run(&arena, 50, done, 2);
        assert_eq!(finish.unwrap(), Completion::Complete);
        assert_eq!(plain(&rest), plain(&whole[done as usize..]));
    }
    let (finish, rest) = run(&arena, 50, 100, 2);
    assert_eq!((finish.unwrap(), rest), (Completion::Complete, Vec::new()));
}

#[test]
fn a_cancelled_run_delivers_a_beginning() {
    let arena = two_players();
    let (_, whole) = run(&arena, 400, 0, 2);
    let cancel = AtomicBool::new(false);
    let mut records = Vec::new();
    let work = Workload { games: 1_000_000_000, done: 0, threads: 3 };
    let finish = arena.run(&work, &cancel, &mut |batch| {
        records.extend_from_slice(batch);
        cancel.store(records.len() >= 100, Ordering::Relaxed);
        Ok(())
    });
    assert_eq!(finish.unwrap(), Completion::Cancelled);
    let shown = records.len().min(whole.len());
    assert!(shown >= 100);
    assert_eq!(plain(&records[..shown]), plain(&whole[..shown]));
}

#[test]
fn a_run_that_is_cancelled_before_it_begins_delivers_nothing() {
    let work = Workload { games: 10, done: 0, threads: 2 };
    let finish = two_players().run(&work, &AtomicBool::new(true), &mut |_| panic!("a record after the end"));
    assert_eq!(finish.unwrap(), Completion::Cancelled);
}

#[test]
fn a_player_that_refuses_fails_the_run_before_it_begins() {
    let arena = Arena::new(plan(&["random", "refusing"]), vec![maker(|| Random), maker(|| Refusing)]);
    let (finish, records) = run(&arena, 10, 0, 2);
    assert_eq!(finish.unwrap_err().to_string(), "refusing cannot play this game: not on 4x4");
    assert!(records.is_empty());
}

#[test]
fn a_player_that_cannot_be_made_fails_the_run() {
    let broken: MakePlayer<'_> = Box::new(|| Err(MakeError::new("its file is missing")));
    let arena = Arena::new(plan(&["random", "broken"]), vec![maker(|| Random), broken]);
    let (finish, records) = run(&arena, 10, 0, 2);
    assert_eq!(finish.unwrap_err().to_string(), "broken: its file is missing");
    assert!(records.is_empty());
}

#[test]
fn every_worker_makes_each_player_once() {
    let made = AtomicUsize::new(0);
    let make: MakePlayer<'_> = Box::new(|| {
        made.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Random))
    });
    let (finish, _) = run(&Arena::new(plan(&["random"]), vec![make]), 500, 0, 3);
    finish.unwrap();
    assert!((1..=3).contains(&made.load(Ordering::Relaxed)));
}

/// Plays by a function.
struct Moody<F>(F);

impl<F: Fn(&Situation<'_>) -> Result<Decision, PlayerError> + Send> Player for Moody<F> {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        (self.0)(situation)
    }
}

fn first_move(situation: &Situation<'_>) -> Result<Decision, PlayerError> {
    First.choose(situation)
}

#[test]
fn a_failing_player_loses_only_its_game() {
    let moody = || {
        Moody(|situation: &Situation<'_>| match situation.turns {
            20 => Ok(Decision::of(Action::Pass)),
            _ => first_move(situation),
        })
    };
    let (finish, records) = run(&Arena::new(plan(&["moody"]), vec![maker(moody)]), 40, 0, 2);
    assert_eq!(finish.unwrap(), Completion::Complete);
    assert_eq!(records.len(), 40);
    let failed = StopReason::Failed("these rules do not allow a pass".to_owned());
    assert!(records.iter().all(|r| r.end == failed && r.result.moves == 20));
}

#[test]
fn a_player_that_fails_because_the_run_is_cancelled_leaves_no_record() {
    static CANCEL: AtomicBool = AtomicBool::new(false);
    let torn_down = || {
        Moody(|situation: &Situation<'_>| {
            if situation.turns < 20 {
                return first_move(situation);
            }
            CANCEL.store(true, Ordering::Relaxed);
            Err(PlayerError::new("its program has ended"))
        })
    };
    let arena = Arena::new(plan(&["moody"]), vec![maker(torn_down)]);
    let work = Workload { games: 10, done: 0, threads: 1 };
    let finish = arena.run(&work, &CANCEL, &mut |_| panic!("a record of a game that was broken off"));
    assert_eq!(finish.unwrap(), Completion::Cancelled);
}

#[test]
fn a_panic_ends_the_run_with_an_error_and_does_not_hang_it() {
    // `resume_unwind` keeps the message of the expected panic out of the test output.
    let quiet = || {
        Moody(|situation: &Situation<'_>| {
            if situation.score > 300 {
                std::panic::resume_unwind(Box::new("out of its depth"));
            }
            first_move(situation)
        })
    };
    let arena = Arena::new(plan(&["random", "moody"]), vec![maker(|| Random), maker(quiet)]);
    for threads in [1, 2, 4] {
        let (finish, _) = run(&arena, 100_000_000, 0, threads);
        let error = finish.unwrap_err().to_string();
        assert!(error.starts_with("moody broke down in the game with seed "), "{error}");
        assert!(error.ends_with(": out of its depth"), "{error}");
    }
}

#[test]
fn a_sink_that_fails_ends_the_run() {
    let work = Workload { games: 100_000_000, done: 0, threads: 2 };
    let mut calls = 0;
    let finish = two_players().run(&work, &AtomicBool::new(false), &mut |_| {
        calls += 1;
        if calls == 3 { Err(io::Error::other("the disk is full")) } else { Ok(()) }
    });
    assert_eq!(finish.unwrap_err().to_string(), "the disk is full");
    assert_eq!(calls, 3, "nothing is written after an error");
}

#[test]
fn a_sink_that_panics_does_not_hang_the_run() {
    let work = Workload { games: 100_000_000, done: 0, threads: 2 };
    let ran = catch_unwind(|| {
        two_players().run(&work, &AtomicBool::new(false), &mut |_| std::panic::resume_unwind(Box::new("no")))
    });
    assert_eq!(ran.unwrap_err().downcast_ref::<&str>(), Some(&"no"));
}

#[test]
fn seeds_beyond_64_bits_are_refused() {
    let arena = Arena::new(ContestPlan { seed: u64::MAX, ..plan(&["first"]) }, vec![maker(|| First)]);
    assert_eq!(run(&arena, 1, 0, 1).1.len(), 1);
    let error = run(&arena, 2, 0, 1).0.unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 games from seed 18446744073709551615 on are too many: seeds end at 2^64-1"
    );
}

/// A clock that only the player below moves.
static LOADED: AtomicUsize = AtomicUsize::new(0);

/// Takes a second to load at the start of every game, a millisecond for every move, and a second to
/// tidy up.
struct Loading;

impl Player for Loading {
    fn start(&mut self, _: &GameStart<'_>) -> Result<(), Refusal> {
        LOADED.fetch_add(1000, Ordering::Relaxed);
        Ok(())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        LOADED.fetch_add(1, Ordering::Relaxed);
        First.choose(situation)
    }

    fn end(&mut self, _: &Game) {
        LOADED.fetch_add(1000, Ordering::Relaxed);
    }
}

#[test]
fn loading_and_tidying_up_are_not_thinking() {
    let clock = Clock::new(|| Duration::from_millis(LOADED.load(Ordering::Relaxed) as u64));
    let arena = Arena::new(plan(&["loading"]), vec![maker(|| Loading)]).with_clock(clock);
    let (finish, records) = run(&arena, 3, 0, 1);
    assert_eq!((finish.unwrap(), records.len()), (Completion::Complete, 3));
    for record in &records {
        assert_eq!(record.time, Duration::from_millis(record.result.moves));
    }
    let moves: u64 = records.iter().map(|record| record.result.moves).sum();
    // The first player also starts and ends a game to show that it accepts it.
    assert_eq!(LOADED.load(Ordering::Relaxed) as u64, moves + 4 * 2000, "every start has its end");
}
