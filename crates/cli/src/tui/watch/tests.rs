//! Tests of the watch screen without a terminal.

use lab2048::arena::{GameLimits, GameSetup};
use lab2048::game::{Game, Rules};

use super::super::events::{Mail, Queue};
use super::super::runner::tests::{break_down, job, unready};
use super::super::testing::{golden, press, pressed, shared, text, type_in};
use super::*;
use crate::game_options::GameRequest;
use crate::replay_file::SaveFile;

/// A watched player, and the queue of its events.
fn watch(spec: &str, games: u64, pace: Duration, shared: &mut Shared) -> (Watch, Queue) {
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let job = job(spec, games);
    let setup = GameRequest { game: job.setup, seed: Some(job.first_seed) };
    let watching = Watching { spec: job.spec, setup, games, pace: Some(pace), save: None };
    (Watch::open(watching, shared), queue)
}

fn until(watch: &mut Watch, queue: &Queue, shared: &mut Shared, wanted: impl Fn(&Watch) -> bool) {
    while !wanted(watch) {
        let event = queue.next(watch.tick());
        watch.handle(&event, shared);
    }
}

/// A game with one move that is saved as w.2048 in a folder.
fn saved_after_a_move(folder: &std::path::Path, shared: &mut Shared) -> (Watch, Queue) {
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let job = job("random", 1);
    let (pace, save) = (Some(Duration::from_secs(3600)), Some(SaveFile::new(folder.join("w.2048")).unwrap()));
    let watching =
        Watching { spec: job.spec, setup: GameRequest { game: job.setup, seed: None }, games: 1, pace, save };
    let mut watch = Watch::open(watching, shared);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    (watch, queue)
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
fn a_player_that_knows_the_coming_tiles_is_marked() {
    let shared = &mut shared();
    for (spec, marked) in [("clairvoyant:depth=2", true), ("clairvoyant:depth=2,blind=true", false)] {
        let (mut watch, queue) = watch(spec, 1, Duration::from_secs(3600), shared);
        until(&mut watch, &queue, shared, |watch| watch.picture.is_some());
        let shown = text(&watch, shared, 80, 24);
        assert_eq!(shown.contains("knows the coming tiles"), marked, "{shown}");
    }
}

#[test]
fn the_keys_are_seen_at_the_end_in_every_window() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 5, Duration::ZERO, shared);
    until(&mut watch, &queue, shared, Watch::is_over);
    let mut picture = watch.picture.clone().unwrap();
    picture.failure = Some(Failure::Failed("a long reason ".repeat(40)));
    watch.picture = Some(picture);
    for (width, height) in [(34, 20), (29, 13), (80, 24)] {
        let shown = text(&watch, shared, width, height);
        for part in ["a long", "…", "n      again", "p      the best replay", "q      leave"] {
            let is_cut = part == "…" && (width, height) == (80, 24);
            assert!(is_cut || shown.contains(part), "{part}\n{shown}");
        }
        assert!(!shown.contains("pause") && !shown.contains("step"), "{shown}");
    }
    let mut picture = watch.picture.clone().unwrap();
    picture.best = None;
    watch.picture = Some(picture);
    let shown = text(&watch, shared, 80, 24);
    assert!(!shown.contains("replay") && !shown.contains("save"), "no game was played:\n{shown}");
}

#[test]
fn turbo_shows_the_totals_at_the_end() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 5, Duration::ZERO, shared);
    until(&mut watch, &queue, shared, Watch::is_over);
    let shown = text(&watch, shared, 80, 24);
    for words in ["total score", "total time", "total moves", "mean score", "again", "the best replay"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    assert!(watch.tick().is_none());
    assert_eq!(shared.store.kept().watched["random on 4x4"].games, 5);
    assert!(matches!(pressed(&mut watch, shared, KeyCode::Char('p')), Next::Push(_)));
    assert!(matches!(pressed(&mut watch, shared, KeyCode::Char('m')), Next::Menu));
    let said = watch.leave(shared).unwrap();
    assert!(said.starts_with("random: 5 games: total score "), "{said}");
    assert_eq!(shared.store.kept().watched["random on 4x4"].games, 5, "games are counted once");
    let Next::Swap(_) = pressed(&mut watch, shared, KeyCode::Char('n')) else { panic!("it plays again") };
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
    assert_eq!(watch.leave(shared), None, "nothing was played");
    let [Failure::BadInput(said)] = &shared.failures[..] else { panic!("{:?}", shared.failures) };
    assert!(said.contains("no-such-file"), "{said}");
    // A long reason is shown to its end.
    let reason = format!("{}theend", "a long reason ".repeat(12));
    watch.picture.as_mut().unwrap().failure = Some(Failure::Failed(reason));
    for width in [50, 80, 100] {
        let shown = text(&watch, shared, width, 30);
        assert!(shown.contains("theend") && shown.contains("leave"), "{shown}");
    }
    // A very long one does not hide the keys.
    let reason = "a very long reason ".repeat(50);
    watch.picture.as_mut().unwrap().failure = Some(Failure::Failed(reason));
    let shown = text(&watch, shared, 80, 24);
    assert!(shown.contains("reason") && shown.contains("leave"), "{shown}");
}

#[test]
fn a_game_that_is_left_is_saved_as_far_as_it_went() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let (mut watch, _queue) = saved_after_a_move(folder.path(), shared);
    assert!(watch.leave(shared).unwrap().contains("saved as "));
    let replay = Replay::from_text(&std::fs::read(folder.path().join("w.2048")).unwrap()).unwrap();
    assert_eq!(replay.verify().unwrap().turns, 1);
}

#[test]
fn a_player_that_breaks_down_leaves_its_game_behind() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let (mut watch, queue) = saved_after_a_move(folder.path(), shared);
    break_down(watch.runner.as_ref().unwrap());
    until(&mut watch, &queue, shared, |watch| watch.runner.is_none());
    let (said, _) = watch.message.as_ref().unwrap();
    assert!(said.starts_with("the player random crashed; saved as "), "{said}");
    assert_eq!(shared.failures.len(), 1);
    assert!(Replay::from_text(&std::fs::read(folder.path().join("w.2048")).unwrap()).is_ok());
}

#[test]
fn nothing_is_played_behind_the_help() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 1_000_000, Duration::ZERO, shared);
    until(&mut watch, &queue, shared, |watch| watch.picture.as_ref().is_some_and(|now| now.done.games > 0));
    assert!(matches!(pressed(&mut watch, shared, KeyCode::Char('i')), Next::Push(_)));
    assert!(watch.paused);
    // The player finishes its current move. The last message includes what it has done by then.
    std::thread::sleep(Duration::from_millis(50));
    let said = watch.leave(shared).unwrap();
    let picture = watch.picture.as_ref().unwrap();
    let games = picture.done.games + 1;
    assert!(said.starts_with(&format!("random: {} games: ", whole(games))), "{said}, {games}");
    assert_eq!(shared.store.kept().watched["random on 4x4"].games, picture.done.games);
}

#[test]
fn a_program_that_is_stopped_goes_on_where_it_was() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 1, Duration::from_secs(3600), shared);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    watch.handle(&Event::Suspend, shared);
    let time = watch.since.time();
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(watch.since.time(), time, "the clock has stopped");
    watch.handle(&Event::Continue, shared);
    assert!(!watch.paused);
    // A pause by the user stays one.
    press(&mut watch, shared, &[KeyCode::Char(' ')]);
    watch.handle(&Event::Suspend, shared);
    watch.handle(&Event::Continue, shared);
    assert!(watch.paused);
}

#[test]
fn games_that_are_cut_short_or_failed_are_no_results() {
    let shared = &mut shared();
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let job = job("random", 2);
    let limits = GameLimits { until: None, max_moves: Some(3) };
    let setup = GameRequest { game: GameSetup { limits, ..job.setup }, seed: None };
    let pace = Some(Duration::ZERO);
    let watching = Watching { spec: job.spec, setup, games: 2, pace, save: None };
    let mut cut = Watch::open(watching, shared);
    until(&mut cut, &queue, shared, Watch::is_over);
    // A bot that exits before its first move.
    let (mut failed, queue) = watch("exec:cmd=true", 2, Duration::ZERO, shared);
    until(&mut failed, &queue, shared, Watch::is_over);
    let shown = text(&failed, shared, 100, 30);
    assert_eq!(shown.matches("2 of 2 games failed; the first error:").count(), 1, "{shown}");
    assert!(failed.leave(shared).unwrap().starts_with("exec:cmd=true: 2 games: "));
    let [Failure::Failed(said)] = &shared.failures[..] else { panic!("{:?}", shared.failures) };
    let first = "exec (true): it ended (exit status: 0) instead of answering";
    assert_eq!(*said, format!("2 of 2 games failed; the first error: {first}"));
    // A program that does not start refuses the first game, and no other is begun.
    shared.failures.clear();
    let (mut refused, queue) = watch("exec:cmd=/no/such/bot", 2, Duration::ZERO, shared);
    until(&mut refused, &queue, shared, Watch::is_over);
    assert_eq!(refused.leave(shared), None);
    let [Failure::BadInput(said)] = &shared.failures[..] else { panic!("{:?}", shared.failures) };
    assert!(said.starts_with("exec (/no/such/bot): the program does not start"), "{said}");
    assert!(shared.store.kept().watched.is_empty(), "{:?}", shared.store.kept().watched);
}

#[test]
fn a_game_is_saved_also_while_its_player_thinks() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let setup = GameRequest { game: job("random", 1).setup, seed: Some(1) };
    let direction = setup.game.start(1).board().legal_moves().nth(0).unwrap();
    // The bot reads `new` and `move`, makes one move, and then only reads.
    let bot = folder.path().join("bot");
    std::fs::write(&bot, format!("read a\nread b\necho {}\ncat > /dev/null\n", direction.name())).unwrap();
    let spec = shared.registry.parse(&format!("exec:cmd=sh {},time=none", bot.display())).unwrap();
    let save = Some(SaveFile::new(folder.path().join("w.2048")).unwrap());
    let mut watch = Watch::open(Watching { spec, setup, games: 1, pace: Some(Duration::ZERO), save }, shared);
    until(&mut watch, &queue, shared, |watch| watch.is_over() || turns(watch) == 1);
    assert!(!watch.is_over(), "{:?}", watch.picture.as_ref().unwrap().end);
    let said = watch.leave(shared).unwrap();
    assert!(said.contains("saved as "), "{said}");
    let replay = Replay::from_text(&std::fs::read(folder.path().join("w.2048")).unwrap()).unwrap();
    assert_eq!(replay.verify().unwrap().turns, 1);
}

#[test]
fn games_played_again_are_saved_beside_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    let job = job("random", 2);
    let save = Some(SaveFile::new(folder.path().join("w.2048")).unwrap());
    std::fs::write(folder.path().join("w-4.2048"), "precious").unwrap();
    let pace = Some(Duration::ZERO);
    let watching =
        Watching { spec: job.spec, setup: GameRequest { game: job.setup, seed: None }, games: 2, pace, save };
    let mut watch = Watch::open(watching, shared);
    until(&mut watch, &queue, shared, Watch::is_over);
    let Next::Swap(mut again) = pressed(&mut watch, shared, KeyCode::Char('n')) else {
        panic!("it plays again")
    };
    while !text(again.as_ref(), shared, 80, 24).contains("finished") {
        let event = queue.next(again.tick());
        again.handle(&event, shared);
    }
    let last = folder.path().join("w-5.2048");
    let said = format!("2 games saved, the last one as {}", last.display());
    assert!(text(again.as_ref(), shared, 300, 24).contains(&said));
    assert!(again.leave(shared).unwrap().ends_with(&said));
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    for name in ["w.2048", "w-2.2048", "w-3.2048", "w-5.2048"] {
        Replay::from_text(&read(name)).unwrap().verify().unwrap();
    }
    assert_eq!(read("w-4.2048"), b"precious");
}

#[test]
fn turbo_shows_the_rate_of_all_games_and_the_whole_seed() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("random", 2_000_000, Duration::from_secs(3600), shared);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    let mut picture = watch.picture.clone().unwrap();
    picture.number = 1_010_828;
    picture.game = Game::new(Rules::default(), 18_446_744_073_709_551_000);
    picture.done.games = 1_010_827;
    (picture.done.moves, picture.done.seconds) = (1_000_000, 2.0);
    // A game that ended too quickly to be seen.
    picture.thinking = Duration::from_micros(10);
    watch.since = Stopwatch { before: FRAME, from: None };
    watch.picture = Some(picture);
    watch.pace = Duration::ZERO;
    let shown = text(&watch, shared, 80, 24);
    for line in ["moves/s 499,998", "game    1,010,828 of 2,000,000", "seed    18446744073709551000"] {
        assert!(shown.contains(line), "{line}:\n{shown}");
    }
}

#[test]
fn the_clock_stands_still_in_a_pause_and_never_runs_backwards() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("greedy", 1, Duration::from_secs(3600), shared);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    let time = |watch: &Watch| watch.times(watch.picture.as_ref().unwrap()).0;
    std::thread::sleep(Duration::from_millis(5));
    let mut last = time(&watch);
    for _ in 0..3 {
        press(&mut watch, shared, &[KeyCode::Char(' ')]);
        let paused = time(&watch);
        assert!(paused >= last, "{paused:?} after {last:?}");
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(time(&watch), paused);
        press(&mut watch, shared, &[KeyCode::Char(' ')]);
        std::thread::sleep(Duration::from_millis(5));
        last = time(&watch);
        assert!(last > paused, "the clock runs again");
    }
}

#[test]
fn faster_and_slower_leave_a_pause_alone() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("greedy", 1, Duration::from_secs(3600), shared);
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    press(&mut watch, shared, &[KeyCode::Char(' '), KeyCode::Char('+'), KeyCode::Char('+'), KeyCode::Up]);
    // The last move may still be animated.
    watch.moving = None;
    assert!(watch.paused && watch.tick().is_none());
    assert!(text(&watch, shared, 80, 24).contains("paused, 500 ms a move"));
    press(&mut watch, shared, &[KeyCode::Char('-')]);
    assert!(watch.paused && watch.pace == Duration::from_secs(1));
    assert_eq!(turns(&watch), 1);
}

#[test]
fn a_player_that_is_not_ready_yet_says_what_it_does() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("greedy", 1, Duration::from_secs(3600), shared);
    watch.job.spec = shared.registry.parse("ntuple").unwrap();
    assert!(text(&watch, shared, 80, 24).contains("ntuple loads its network…"), "before the first snapshot");
    until(&mut watch, &queue, shared, |watch| turns(watch) == 1);
    assert!(!text(&watch, shared, 80, 24).contains("loads"));
    // Between the first snapshot and the first decision.
    unready(watch.runner.as_ref().unwrap());
    for width in [80, 50] {
        let shown = text(&watch, shared, width, 24);
        assert!(shown.contains("score") && shown.contains("loads its network…"), "{shown}");
    }
}

#[test]
fn the_last_sentence_says_whose_time_it_is() {
    let shared = &mut shared();
    let (mut watch, queue) = watch("greedy", 3, Duration::ZERO, shared);
    until(&mut watch, &queue, shared, Watch::is_over);
    let picture = watch.picture.as_mut().unwrap();
    (picture.done.points, picture.done.moves) = (33_075_800.0, 2_776_065);
    (picture.done.seconds, picture.done_time) = (2.0, Duration::from_secs(40));
    let said = watch.leave(shared).unwrap();
    let expected = "greedy: 3 games: total score 33,075,800, 2,776,065 moves in 40.0 s (player time 2.00 s: 1,388,033 moves/s)";
    assert_eq!(said, expected);
}
