//! Tests of the play screen without a terminal.

mod keeping;

use lab2048::board::{Size, parse_board};
use lab2048::game::{Decision, Replay};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::events::Mail;

use super::super::testing::{golden, press, pressed, shared, text, type_in};
use super::super::theme::{Colours, Theme};
use super::super::thinker::Thinker;
use super::coach::{AUTO_PACE, Auto};
use super::*;
use crate::store::{Store, Wanted};

fn on(board: &str, shared: &Shared) -> Play {
    let board = parse_board(board, None).unwrap();
    let setup = GameRequest { seed: Some(1), ..GameRequest::of_board(board) };
    Play::fresh(setup, shared)
}

fn seeded(seed: u64, shared: &Shared) -> Play {
    let setup = GameRequest { seed: Some(seed), ..GameRequest::of_size(Size::FOUR) };
    let mut play = Play { message: None, ..Play::fresh(setup, shared) };
    play.own.keeping = Keeping::Kept;
    play
}

/// `lab2048 play`, with this size.
fn usual(size: Size) -> Playing {
    let setup = GameRequest::of_size(size);
    let wanted = if size == Size::FOUR { Wanted::AnySize } else { Wanted::ThisSize };
    Playing { setup, wanted, hint: None, save: None }
}

/// Waits until the coach has answered.
fn think(play: &mut Play, shared: &mut Shared) {
    while play.coach.thinker.as_ref().is_some_and(Thinker::is_thinking) {
        std::thread::sleep(Duration::from_millis(1));
        play.handle(&Event::Wake, shared);
    }
}

#[test]
fn a_game_with_a_hint_looks_like_this() {
    let shared = &mut shared();
    shared.store.update(|kept| kept.animation = false);
    let mut play = on("2 4 8 16/2048 128 64 2/0 0 4 4/2 0 0 0", shared);
    play.coach.spec = shared.registry.parse("greedy").unwrap();
    press(&mut play, shared, &[KeyCode::Char('?')]);
    think(&mut play, shared);
    golden("play", &text(&play, shared, 80, 24));
    golden("play-narrow", &text(&play, shared, 40, 16));
}

#[test]
fn moves_undo_and_redo() {
    let shared = &mut shared();
    let mut play = on("2 2 0/4 0 0/0 0 0", shared);
    press(&mut play, shared, &[KeyCode::Left]);
    assert_eq!((play.game().turns(), play.game().score()), (1, 4));
    assert!(text(&play, shared, 80, 24).contains("+4"));
    let after = play.game().clone();
    type_in(&mut play, shared, "u");
    assert_eq!(play.game().turns(), 0);
    type_in(&mut play, shared, "u");
    assert!(text(&play, shared, 80, 24).contains("nothing to undo"));
    type_in(&mut play, shared, "r");
    assert_eq!(play.game(), &after);
    type_in(&mut play, shared, "r");
    assert!(text(&play, shared, 80, 24).contains("nothing to redo"));
}

#[test]
fn an_idle_move_is_refused_with_the_reason() {
    let shared = &mut shared();
    let mut play = on("2 4 0/0 0 0/0 0 0", shared);
    press(&mut play, shared, &[KeyCode::Up]);
    assert!(text(&play, shared, 80, 24).contains("up does not change the board"));
    assert_eq!(play.game().turns(), 0);
}

#[test]
fn the_winning_tile_is_celebrated_for_some_moves_and_the_game_goes_on() {
    let shared = &mut shared();
    for colours in [Colours::None, Colours::Sixteen, Colours::True] {
        shared.theme = Theme { colours };
        let mut play = on("1024 1024 0 0/0 0 0 0/0 0 2 0/0 0 0 0", shared);
        let said = |play: &Play, shared: &Shared| {
            text(play, shared, 80, 24).contains("You made 2048! You can continue.")
        };
        type_in(&mut play, shared, "a");
        assert!(said(&play, shared) && text(&play, shared, 30, 16).contains("You made 2048!"));
        // The message is a bar across the window, not just a line of text.
        let mut window = Terminal::new(TestBackend::new(80, 24)).unwrap();
        window.draw(|frame| play.draw(frame, shared)).unwrap();
        let style = |x| window.backend().buffer()[(x, 22)].style();
        assert_eq!(style(0), style(40));
        assert_ne!(style(0), window.backend().buffer()[(0, 23)].style());
        // Undone and played again, it is a victory again.
        type_in(&mut play, shared, "u");
        assert!(!said(&play, shared));
        for key in ["r", "u", "a"] {
            type_in(&mut play, shared, key);
            assert_eq!(said(&play, shared), key != "u");
        }
        for moves in 1..=VICTORY {
            let direction = play.game().board().legal_moves().nth(0).unwrap();
            play.move_alone(direction, shared);
            assert_eq!(said(&play, shared), moves < VICTORY, "after {moves} moves");
        }
        assert!(!play.is_over());
    }
    let mut play = on("2048 0 2/0 0 0/0 0 2", shared);
    type_in(&mut play, shared, "s");
    assert!(!text(&play, shared, 80, 24).contains("You made"), "the tile was there from the start");
}

#[test]
fn the_end_shows_points_time_and_moves_and_what_can_be_done() {
    let shared = &mut shared();
    shared.store.update(|kept| kept.animation = false);
    let mut play = on("4 4/2 8", shared);
    while !play.is_over() {
        let direction = play.game().board().legal_moves().nth(0).unwrap();
        play.act(Action::Move(direction), shared);
    }
    let shown = text(&play, shared, 80, 24);
    for words in ["the game is over", "points", "time", "moves", "watch the replay", "save it", "menu"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    press(&mut play, shared, &[KeyCode::Left]);
    assert!(text(&play, shared, 80, 24).contains("the game is over: n starts a new one"));
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('p')), Next::Push(_)));
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('m')), Next::Menu));
    type_in(&mut play, shared, "u");
    assert!(!play.is_over());
}

#[test]
fn a_game_is_saved_under_a_typed_name() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let mut play = on("2 2 0/4 0 0/0 0 0", shared);
    press(&mut play, shared, &[KeyCode::Left]);
    let save = |play: &mut Play, shared: &mut Shared, name: &str| {
        press(play, shared, &[KeyCode::Char('v'), KeyCode::Delete]);
        play.handle(&Event::Paste(folder.path().join(name).display().to_string()), shared);
        press(play, shared, &[KeyCode::Enter]);
        play.message.clone().unwrap_or_default()
    };
    assert!(save(&mut play, shared, "a.2048").0.starts_with("saved as "));
    let replay = Replay::from_text(&std::fs::read(folder.path().join("a.2048")).unwrap()).unwrap();
    assert_eq!(replay.verify().unwrap().turns, 1);
    let earlier = std::fs::read(folder.path().join("a.2048")).unwrap();
    let direction = play.game().board().legal_moves().nth(0).unwrap();
    play.act(Action::Move(direction), shared);
    let second = folder.path().join("a-2.2048");
    assert_eq!(save(&mut play, shared, "a.2048").0, format!("saved as {}", second.display()));
    assert!(play.saving.is_none());
    assert_eq!(std::fs::read(folder.path().join("a.2048")).unwrap(), earlier);
    let replay = Replay::from_text(&std::fs::read(second).unwrap()).unwrap();
    assert_eq!(replay.verify().unwrap().turns, 2);
    std::fs::write(folder.path().join("precious"), "not a replay").unwrap();
    save(&mut play, shared, "precious");
    assert!(text(&play, shared, 200, 24).contains("is not a replay"));
    assert_eq!(std::fs::read_to_string(folder.path().join("precious")).unwrap(), "not a replay");
    // Text typed after an error still belongs to the name.
    let turns = play.game().turns();
    type_in(&mut play, shared, ".was");
    press(
        &mut play,
        shared,
        &[KeyCode::Backspace, KeyCode::Backspace, KeyCode::Backspace, KeyCode::Backspace],
    );
    assert!(!text(&play, shared, 200, 24).contains("is not a replay"));
    type_in(&mut play, shared, "/a");
    press(&mut play, shared, &[KeyCode::Enter]);
    let shown = text(&play, shared, 80, 24);
    assert!(
        play.saving.is_some() && shown.contains("the folder does not exist") && shown.contains("precious/a")
    );
    assert_eq!(play.game().turns(), turns, "no letter was taken as a move");
    press(&mut play, shared, &[KeyCode::Backspace, KeyCode::Backspace]);
    type_in(&mut play, shared, ".2048");
    press(&mut play, shared, &[KeyCode::Enter]);
    assert!(play.saving.is_none() && folder.path().join("precious.2048").exists());
}

#[test]
fn games_are_saved_where_the_command_line_says() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    play.save = Some(SaveFile::new(folder.path().join("g.2048")).unwrap());
    type_in(&mut play, shared, "wasdwasd");
    type_in(&mut play, shared, "nn");
    type_in(&mut play, shared, "wasdwasd");
    assert!(play.leave(shared).unwrap().contains("saved as "));
    for name in ["g.2048", "g-2.2048"] {
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        assert!(Replay::from_text(&bytes).unwrap().verify().unwrap().turns > 0, "{name}");
    }
}

#[test]
fn the_coach_plays_on_and_hands_back() {
    let shared = &mut shared();
    let (mail, queue) = Mail::new();
    shared.mail = mail;
    shared.turbo = true;
    let mut play = seeded(7, shared);
    play.coach.spec = shared.registry.parse("greedy").unwrap();
    assert!(!play.own.is_aided());
    press(&mut play, shared, &[KeyCode::Char(' ')]);
    while play.game().turns() < 20 {
        let event = queue.next(play.tick());
        play.handle(&event, shared);
    }
    assert!(play.own.is_aided());
    assert!(text(&play, shared, 80, 24).contains("playing, turbo"));
    press(&mut play, shared, &[KeyCode::Char(' ')]);
    let turns = play.game().turns();
    while let Some(event) = queue.waiting() {
        play.handle(&event, shared);
    }
    assert_eq!(play.game().turns(), turns);
    play.keep(shared);
    assert!(play.tick().is_none(), "nothing moves any more");
    press(&mut play, shared, &[KeyCode::Char(' '), KeyCode::Up]);
    assert!(play.coach.auto.is_none(), "a move key takes the turn back from the coach");
}

#[test]
fn turbo_and_animation_have_the_same_keys_on_every_board() {
    let shared = &mut shared();
    let mut play = on("2 2 0/4 0 0/0 0 0", shared);
    press(&mut play, shared, &[KeyCode::Left]);
    let mut replay = ReplayScreen::new(play.replay().unwrap());
    press(&mut replay, shared, &[KeyCode::Char(' ')]);
    for screen in [&mut play as &mut dyn Screen, &mut replay] {
        for said in ["animation off", "animation on"] {
            press(screen, shared, &[KeyCode::Char('o')]);
            assert_eq!(shared.store.kept().animation, said.ends_with("on"));
            assert!(text(screen, shared, 80, 24).contains(said));
        }
    }
    press(&mut play, shared, &[KeyCode::Char('T')]);
    assert!(shared.turbo && text(&play, shared, 80, 24).contains("as fast as it can"));
    press(&mut replay, shared, &[KeyCode::Char('t')]);
    assert!(text(&replay, shared, 80, 24).contains("as fast as possible"));
    let due = Instant::now() + Duration::from_secs(3600);
    play.coach.auto = Some(Auto { pace: Duration::ZERO, due, ready: None });
    press(&mut play, shared, &[KeyCode::Char('t')]);
    assert!(!shared.turbo && play.coach.auto.unwrap().pace == AUTO_PACE);
}

#[test]
fn keys_are_taken_while_the_coach_thinks() {
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    // This bot reads to the end of its input before it answers.
    play.coach.spec = shared.registry.parse("exec:cmd=wc,time=none").unwrap();
    press(&mut play, shared, &[KeyCode::Char('?')]);
    while play.coach.gets_ready() {
        std::thread::sleep(Duration::from_millis(1));
        // If it cannot start at all, this reports it.
        play.handle(&Event::Wake, shared);
    }
    assert!(text(&play, shared, 80, 24).contains("thinks…"));
    let direction = play.game().board().legal_moves().nth(0).unwrap();
    play.act(Action::Move(direction), shared);
    assert_eq!(play.game().turns(), 1);
    assert!(!text(&play, shared, 80, 24).contains("thinks…"), "the question before the move is dropped");
}

#[test]
fn every_size_of_board_and_window() {
    let shared = &mut shared();
    for side in Size::MIN_SIDE..=Size::MAX_SIDE {
        let size = Size::new(side, side).unwrap();
        let play = Play::fresh(GameRequest::of_size(size), shared);
        for (width, height) in [(1, 1), (20, 8), (30, 14), (80, 24), (120, 40), (300, 100)] {
            text(&play, shared, width, height);
        }
    }
    let play = Play::fresh(GameRequest::of_size(Size::new(8, 8).unwrap()), shared);
    let shown = text(&play, shared, 50, 12);
    assert!(shown.contains("a board of 8x8 needs a window of 57 columns and 21"), "{shown}");
    // The whole message is shown in smaller windows too, including how to leave.
    for (width, height) in [(50, 12), (40, 12), (20, 8)] {
        let shown = text(&play, shared, width, height).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.ends_with(&format!("this one has {width} and {height}; q leaves")), "{shown}");
    }
}

#[test]
fn nothing_is_played_while_a_name_is_typed() {
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    let ready = Decision::of(Action::Move(play.game().board().legal_moves().nth(0).unwrap()));
    let due = Instant::now() + Duration::from_millis(1);
    play.coach.auto = Some(Auto { pace: AUTO_PACE, due, ready: Some(ready) });
    play.saving = None;
    press(&mut play, shared, &[KeyCode::Char('v')]);
    let turns = play.game().turns();
    std::thread::sleep(Duration::from_millis(2));
    assert!(play.tick().is_none_or(|tick| tick > Instant::now()), "the screen sleeps");
    type_in(&mut play, shared, "name");
    assert_eq!(play.game().turns(), turns);
}

#[test]
fn a_player_that_plays_on_takes_its_time() {
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    let Some(long_ago) = Instant::now().checked_sub(Duration::from_secs(100)) else { return };
    play.own.touched = long_ago;
    play.pass_time();
    assert_eq!(play.own.time, LONGEST_THOUGHT, "a person's pause is cut short");
    let ready = Decision::of(Action::Move(play.game().board().legal_moves().nth(0).unwrap()));
    play.coach.auto = Some(Auto { pace: AUTO_PACE, due: Instant::now(), ready: Some(ready) });
    play.own.touched = long_ago;
    play.handle(&Event::Tick, shared);
    assert_eq!(play.game().turns(), 1);
    assert!(play.own.time >= LONGEST_THOUGHT + Duration::from_secs(100), "{:?}", play.own.time);
}

#[test]
fn the_time_in_which_the_program_is_stopped_is_no_playing_time() {
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    let Some(before) = Instant::now().checked_sub(Duration::from_secs(10)) else { return };
    play.own.touched = before;
    play.handle(&Event::Suspend, shared);
    play.own.touched = before;
    play.handle(&Event::Continue, shared);
    play.pass_time();
    assert!((10..20).contains(&play.own.time.as_secs()), "{:?}", play.own.time);
}

#[test]
fn nobody_plays_on_behind_the_help() {
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    let due = Instant::now() + Duration::from_secs(3600);
    play.coach.auto = Some(Auto { pace: AUTO_PACE, due, ready: None });
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('i')), Next::Push(_)));
    assert!(play.coach.auto.is_none());
}

#[test]
fn a_replay_names_who_helped() {
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    let player = |play: &Play| play.replay().unwrap().header().player.clone().unwrap();
    assert_eq!(player(&play), "human");
    play.coach.spec = shared.registry.parse("greedy").unwrap();
    let ready = Decision::of(Action::Move(play.game().board().legal_moves().nth(0).unwrap()));
    play.coach.auto = Some(Auto { pace: AUTO_PACE, due: Instant::now(), ready: Some(ready) });
    play.handle(&Event::Tick, shared);
    // A coach chosen afterwards has not played.
    play.coach.spec = shared.registry.parse("random").unwrap();
    assert_eq!(player(&play), "human and greedy");
}

#[test]
fn nothing_is_played_on_a_board_that_is_not_shown() {
    let shared = &mut shared();
    let mut play = on("2 2 0/4 0 0/0 0 0", shared);
    assert!(!text(&play, shared, 20, 8).contains("score"));
    press(&mut play, shared, &[KeyCode::Left]);
    type_in(&mut play, shared, "wasd ?");
    assert!(play.game().turns() == 0 && play.coach.auto.is_none());
    text(&play, shared, 80, 24);
    press(&mut play, shared, &[KeyCode::Left]);
    assert_eq!(play.game().turns(), 1);
    text(&play, shared, 20, 8);
    press(&mut play, shared, &[KeyCode::Char('u'), KeyCode::Char('q')]);
    assert_eq!(play.game().turns(), 1);
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('q')), Next::Back), "it can be left");
}

#[test]
fn long_messages_are_read_to_their_end_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let mut play = seeded(7, shared);
    for width in [50, 60, 80] {
        play.refuse("the first word of a long sentence that is about nothing and goes on to its omega");
        let shown = text(&play, shared, width, 24);
        assert!(shown.contains("the first word") && shown.contains("omega"), "{width}:\n{shown}");
        play.message = None;
        assert!(text(&play, shared, width, 24).contains("? hint"), "the keys are there again");
    }
    for name in ["state.json", "unfinished-4x4.2048"] {
        std::fs::write(folder.path().join(name), "damaged").unwrap();
    }
    shared.store = Store::at(folder.path());
    let shown = text(&Play::open(usual(Size::FOUR), shared), shared, 80, 24);
    for words in ["is now state.json.bad", "is now unfinished-4x4.2048.bad"] {
        assert!(
            shown.replace('\n', " ").split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "{shown}"
        );
    }
}
