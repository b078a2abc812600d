//! Tests of running players without a screen.

use std::thread;

use super::super::events::{Event, Queue};
use super::*;

pub(in super::super) fn job(spec: &str, games: u64) -> Job {
    let spec = crate::players::registry().parse(spec).unwrap();
    Job { spec, setup: GameSetup::default(), first_seed: 1, games, save: None }
}

/// Makes a runner look as if its player were still being built.
pub(in super::super) fn unready(runner: &Runner) {
    runner.control.ready.store(false, Ordering::Relaxed);
}

/// Makes a runner look as if its thread had panicked.
pub(in super::super) fn break_down(runner: &Runner) {
    runner.control.broken.store(true, Ordering::Relaxed);
}

fn start(spec: &str, games: u64, pace: Duration) -> (Runner, Queue) {
    let (mail, queue) = Mail::new();
    (Runner::start(&crate::players::registry(), job(spec, games), pace, mail), queue)
}

/// Waits for the next snapshot that satisfies a condition.
fn until(runner: &Runner, queue: &Queue, wanted: impl Fn(&Picture) -> bool) -> Picture {
    loop {
        assert_eq!(queue.next(None), Event::Wake);
        if let Some(picture) = runner.take().filter(&wanted) {
            return picture;
        }
    }
}

#[test]
fn turbo_plays_all_games_to_their_end() {
    let (runner, queue) = start("random", 20, Duration::ZERO);
    let last = until(&runner, &queue, |picture| picture.end.is_some());
    assert_eq!((last.number, last.done.games, last.end.as_deref()), (20, 20, Some("no moves left")));
    let best = last.best.unwrap();
    assert_eq!(best.header().score, last.done.best);
    best.verify().unwrap();
    assert_eq!(last.done.largest.values().sum::<u64>(), 20);
    assert_eq!(last.thinking, last.time, "nothing slows the player down");
}

#[test]
fn paused_it_moves_step_by_step_and_the_pause_is_no_playing_time() {
    let started = Instant::now();
    let pause = Duration::from_millis(100);
    let (runner, queue) = start("greedy", 1, Duration::from_secs(3600));
    runner.set_paused(true);
    until(&runner, &queue, |picture| picture.game.turns() == 1);
    for moves in 2..5 {
        thread::sleep(pause);
        runner.step();
        let picture = until(&runner, &queue, |picture| picture.last.is_some());
        assert_eq!(picture.game.turns(), moves);
        // The thread may have started its pause a little later than this test.
        let paused = pause * (moves as u32 - 1);
        let (time, all) = (picture.time, started.elapsed());
        assert!(time + paused / 2 < all, "{time:?} of {all:?} with pauses of {paused:?}");
        let (before, decision, turn) = picture.last.unwrap();
        assert_eq!(decision.action, turn.action);
        assert_ne!(&before, picture.game.board());
    }
    runner.set_delay(Duration::ZERO);
    runner.set_paused(false);
    until(&runner, &queue, |picture| picture.end.is_some());
}

#[test]
fn a_player_that_cannot_be_had_is_the_end() {
    let (runner, queue) = start("program:file=no-such-file", 3, Duration::ZERO);
    let last = until(&runner, &queue, |picture| picture.end.is_some());
    assert!(last.end.unwrap().contains("no-such-file"));
    assert_eq!(last.done.games, 0);
}

#[test]
fn a_curve_of_any_length_has_few_points_in_order() {
    let mut curve = Curve::new();
    for moves in 1..=100_000 {
        curve.push(moves, moves * 10);
    }
    assert!(curve.points.len() < Curve::MOST);
    assert!(curve.points.windows(2).all(|pair| pair[1] - pair[0] == 10 * curve.stride));
    assert_eq!(curve.resampled(7).len(), 7);
    assert!(Curve::new().resampled(7).is_empty());
}

#[test]
fn a_foreign_program_stays_one_when_it_is_noted() {
    let (runner, _queue) = start("random", 1, Duration::ZERO);
    let (mail, _) = Mail::new();
    let mut player = crate::interruptible::tests::Foreign::default();
    let mut noting = Noting { player: &mut player, control: &runner.control, mail: &mail };
    assert!(noting.foreign().is_some());
}
