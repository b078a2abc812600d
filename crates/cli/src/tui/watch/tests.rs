//! Watching without a terminal.

use super::super::events::{Mail, Queue};
use super::super::runner::tests::job;
use super::super::testing::{golden, press, pressed, shared, text, type_in};
use super::*;

/// A player at work, and the events that come from it.
fn watch(spec: &str, games: u64, pace: Duration, shared: &mut Shared) -> (Watch, Queue) {
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let job = job(spec, games);
    let setup = crate::game_options::GameSetup { seed: Some(job.first_seed), ..job.setup };
    let watching = Watching { spec: job.spec, setup, games, pace: Some(pace), save: None };
    (Watch::open(watching, shared), queue)
}

fn until(watch: &mut Watch, queue: &Queue, shared: &mut Shared, wanted: impl Fn(&Watch) -> bool) {
    while !wanted(watch) {
        let event = queue.next(watch.tick());
        watch.handle(&event, shared);
    }
}

fn turns(watch: &Watch) -> u64 {
    watch.picture.as_ref().map_or(0, |picture| picture.game.turns())
}

#[test]
fn a_player_at_work_looks_like_this() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("greedy", 10, Duration::from_secs(3600), shared);
    press(&mut watch, shared, &[KeyCode::Char(' ')]);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    for moves in 2..40 {
        press(&mut watch, shared, &[KeyCode::Right]);
        until(&mut watch, &queue, shared, |watch| turns(watch) == moves);
    }
    watch.moving = None;
    let mut picture = watch.picture.clone().unwrap();
    picture.time = Duration::from_millis(12_340);
    picture.thinking = Duration::from_millis(1_000);
    picture.done.add(&picture.game, Duration::from_secs(1));
    watch.picture = Some(picture);
    let shown = text(&watch, shared, 80, 24);
    golden("watch", &shown);
    assert!(watch.tick().is_none(), "a paused screen sleeps");
}

#[test]
fn turbo_shows_the_totals_at_the_end() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 5, Duration::ZERO, shared);
    until(&mut watch, &queue, shared, Watch::is_over);
    let shown = text(&watch, shared, 80, 24);
    for words in ["total score", "total time", "total moves", "mean score", "again", "replay of the best"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    assert!(watch.tick().is_none());
    assert_eq!(shared.store.kept().watched["random on 4x4"].games, 5);
    assert!(matches!(pressed(&mut watch, shared, KeyCode::Char('p')), Next::Push(_)));
    assert!(matches!(pressed(&mut watch, shared, KeyCode::Char('m')), Next::Menu));
    let said = watch.leave(shared).unwrap();
    assert!(said.starts_with("random: 5 games: total score "), "{said}");
    assert_eq!(shared.store.kept().watched["random on 4x4"].games, 5, "games are counted once");
    let Next::Swap(_) = pressed(&mut watch, shared, KeyCode::Char('n')) else { panic!("again") };
}

#[test]
fn faster_slower_and_turbo() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 1, Duration::from_secs(3600), shared);
    until(&mut watch, &queue, shared, |watch| watch.picture.is_some());
    type_in(&mut watch, shared, "t");
    assert!(watch.pace.is_zero());
    until(&mut watch, &queue, shared, Watch::is_over);
    press(&mut watch, shared, &[KeyCode::Char('-'), KeyCode::Up, KeyCode::Down]);
    assert_eq!(watch.pace, Duration::from_millis(20));
}

#[test]
fn a_player_that_cannot_play_says_why() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("program:file=no-such-file", 1, Duration::ZERO, shared);
    until(&mut watch, &queue, shared, Watch::is_over);
    assert!(text(&watch, shared, 100, 24).contains("no-such-file"));
}

#[test]
fn a_game_that_is_left_is_saved_as_far_as_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let job = job("random", 1);
    let save = Some(folder.path().join("w.2048"));
    let pace = Some(Duration::from_secs(3600));
    let watching = Watching { spec: job.spec, setup: job.setup, games: 1, pace, save };
    let mut watch = Watch::open(watching, shared);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    watch.leave(shared);
    let replay = Replay::from_text(&std::fs::read(folder.path().join("w.2048")).unwrap()).unwrap();
    assert_eq!(replay.verify().unwrap().turns, 1);
}
