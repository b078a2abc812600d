//! Tests of what is stored of games.

use lab2048::arena::{GameLimits, GameSetup};

use super::*;

/// Plays a game to its end.
fn play_out(play: &mut Play, shared: &mut Shared) {
    while !play.is_over() {
        let direction = play.game().board().legal_moves().nth(0).unwrap();
        play.act(Action::Move(direction), shared);
    }
}

/// Lets the coach make one move.
fn help(play: &mut Play, shared: &mut Shared) {
    let ready = Decision::of(Action::Move(play.game().board().legal_moves().nth(0).unwrap()));
    play.coach.auto = Some(Auto { pace: AUTO_PACE, due: Instant::now(), ready: Some(ready) });
    play.auto_move(shared);
    play.coach.auto = None;
}

#[test]
fn the_game_and_the_best_score_are_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store = Store::at(folder.path());
    let mut play = seeded(7, shared);
    type_in(&mut play, shared, "wasdwasdwasd");
    let game = play.game().clone();
    let said = play.leave(shared).unwrap();
    assert!(said.contains("continues it"), "{said}");
    shared.store = Store::at(folder.path());
    let usual = usual(Size::FOUR);
    let mut again = Play::open(usual, shared);
    assert_eq!(again.game(), &game);
    assert!(text(&again, shared, 80, 24).contains("continuing your game"));
    type_in(&mut again, shared, "n");
    assert!(text(&again, shared, 80, 24).contains("press n again to abandon this game"));
    type_in(&mut again, shared, "n");
    assert_eq!(again.game().turns(), 0);
    assert!(shared.store.unfinished(Size::FOUR).is_none());
    while !again.is_over() {
        let direction = again.game().board().legal_moves().nth(0).unwrap();
        again.act(Action::Move(direction), shared);
    }
    let best = again.game().score();
    assert_eq!(Store::at(folder.path()).best("4x4"), best);
    assert_eq!(Store::at(folder.path()).kept().played["4x4"].games, 1);
}

#[test]
fn a_game_without_moves_leaves_the_unfinished_one_alone() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store = Store::at(folder.path());
    let mut play = seeded(7, shared);
    type_in(&mut play, shared, "wasdwasd");
    play.leave(shared);
    let game = play.game().clone();
    seeded(8, shared).leave(shared);
    assert_eq!(shared.store.unfinished(Size::FOUR).unwrap().history.game(), &game);
    // After all moves are undone, the game is no longer stored.
    while play.own.history.undo().is_some() {}
    play.leave(shared);
    assert!(shared.store.unfinished(Size::FOUR).is_none());
}

#[test]
fn the_best_score_is_kept_of_every_game_and_no_game_is_counted_twice() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store = Store::at(folder.path());
    let mut play = seeded(7, shared);
    type_in(&mut play, shared, "wasdwasdwasd");
    let given_up = play.game().score();
    assert!(given_up > 0);
    type_in(&mut play, shared, "NN");
    assert_eq!(play.game().turns(), 0, "with Caps Lock too");
    assert_eq!(Store::at(folder.path()).best("4x4"), given_up);
    play_out(&mut play, shared);
    type_in(&mut play, shared, "u");
    play.leave(shared);
    shared.store = Store::at(folder.path());
    let usual = usual(Size::FOUR);
    let mut again = Play::open(usual, shared);
    assert!(again.game().turns() > 0);
    play_out(&mut again, shared);
    let kept = Store::at(folder.path());
    assert_eq!(kept.kept().played["4x4"].games, 1);
    assert!(kept.best("4x4") >= again.game().score());
}

#[test]
fn games_that_are_cut_short_are_no_records() {
    let shared = &mut shared();
    let limits = GameLimits { until: None, max_moves: Some(3) };
    let setup = GameRequest { game: GameSetup { limits, ..GameSetup::default() }, seed: Some(7) };
    let mut play = Play::fresh(setup, shared);
    play_out(&mut play, shared);
    play.leave(shared);
    assert!(shared.store.kept().played.is_empty());
}

#[test]
fn a_second_window_has_a_game_of_its_own_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (&mut shared(), &mut shared());
    one.store = Store::at(folder.path());
    two.store = Store::at(folder.path());
    let usual = || usual(Size::FOUR);
    let mut first = Play::open(usual(), one);
    type_in(&mut first, one, "wasdwasd");
    let mut second = Play::open(usual(), two);
    assert!(text(&second, two, 100, 24).contains("open in another window"));
    type_in(&mut second, two, "wasdwasd");
    second.leave(two);
    let mut third = Play::fresh_kept(GameRequest::of_size(Size::FOUR), two);
    assert!(text(&third, two, 100, 24).contains("open in another window"));
    type_in(&mut third, two, "wasdwasd");
    third.leave(two);
    first.leave(one);
    assert_eq!(Play::open(usual(), two).game(), first.game());
}

/// The window asks once. If the other one closes after that, its game stays.
#[test]
fn a_busy_game_of_another_size_is_not_passed_over_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let five = Size::new(5, 5).unwrap();
    let (one, two) = (&mut shared(), &mut shared());
    one.store = Store::at(folder.path());
    two.store = Store::at(folder.path());
    let mut small = Play::open(usual(Size::FOUR), two);
    type_in(&mut small, two, "wasdwasd");
    small.leave(two);
    let mut first = Play::open(usual(five), one);
    type_in(&mut first, one, "wasdwasd");
    first.keep(one);
    let played = |size: Size, seconds: u64| {
        let file =
            std::fs::File::options().write(true).open(folder.path().join(format!("unfinished-{size}.2048")));
        file.unwrap().set_modified(std::time::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    played(Size::FOUR, 1);
    played(five, 2);
    // This is `lab2048 play`: the game that was played last.
    let mut second = Play::open(usual(Size::FOUR), two);
    assert_eq!((second.game().rules().size, second.game().turns()), (five, 0));
    let shown = text(&second, two, 120, 24);
    assert!(shown.contains("your 5x5 game is open in another window"), "{shown}");
    first.leave(one);
    one.store.release_game();
    type_in(&mut second, two, "wasdwasd");
    second.leave(two);
    assert_eq!(Play::open(usual(five), one).game(), first.game());
}

#[test]
fn a_game_that_cannot_be_kept_says_so_and_never_the_contrary() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for store in [Store::without_a_home(), Store::at(&folder.path().join("file"))] {
        let shared = &mut shared();
        shared.store = store;
        let mut play = Play::open(usual(Size::FOUR), shared);
        let shown = text(&play, shared, 200, 24);
        assert!(shown.contains("games and best scores cannot be saved: "), "{shown}");
        type_in(&mut play, shared, "wasdwasd");
        let said = play.leave(shared).unwrap();
        assert!(said.contains("this game was not saved: ") && !said.contains("continues"), "{said}");
        // A game from the menu, where the notice has been shown already.
        let again = Play::fresh_kept(GameRequest::of_size(Size::FOUR), shared);
        assert!(text(&again, shared, 200, 24).contains("this game will not be saved: "));
    }
    // The folder becomes unusable during a game.
    let home = folder.path().join("home");
    let shared = &mut shared();
    shared.store = Store::at(&home);
    let mut play = Play::open(usual(Size::FOUR), shared);
    assert!(!text(&play, shared, 200, 24).contains("saved"));
    type_in(&mut play, shared, "wasdwasd");
    std::fs::create_dir(home.join("unfinished-4x4.2048")).unwrap();
    play.keep(shared);
    assert!(text(&play, shared, 200, 24).contains("this game could not be saved: cannot write"));
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('q')), Next::Stay), "it asks first");
    std::fs::remove_dir(home.join("unfinished-4x4.2048")).unwrap();
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('m')), Next::Menu), "it can be saved again");
    assert!(play.leave(shared).unwrap().contains("`lab2048 play` continues it"));
}

#[test]
fn one_game_of_each_size_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (three, five) = (Size::new(3, 3).unwrap(), Size::new(5, 5).unwrap());
    let shared = &mut shared();
    shared.store = Store::at(folder.path());
    let mut large = Play::open(usual(five), shared);
    type_in(&mut large, shared, "wasdwasd");
    assert!(large.leave(shared).unwrap().contains("continues it"));
    let mut small = Play::open(usual(three), shared);
    assert_eq!(small.game().turns(), 0, "a game of another size begins");
    assert!(!text(&small, shared, 100, 24).contains("not be saved"));
    type_in(&mut small, shared, "wasdwasd");
    assert!(small.leave(shared).unwrap().contains("continues it"));
    assert_eq!(Play::open(usual(five), shared).game(), large.game());
    assert_eq!(Play::open(usual(three), shared).game(), small.game());
    // `lab2048 play` continues the game that was played last.
    let played = |size: Size, seconds: u64| {
        let file =
            std::fs::File::options().write(true).open(folder.path().join(format!("unfinished-{size}.2048")));
        file.unwrap().set_modified(std::time::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    for last in [three, five, three] {
        played(three, if last == three { 2 } else { 1 });
        played(five, if last == five { 2 } else { 1 });
        assert_eq!(Play::open(usual(Size::FOUR), shared).game().rules().size, last);
    }
    // A game that is given up takes no other one with it.
    let mut small = Play::open(usual(three), shared);
    type_in(&mut small, shared, "nn");
    small.leave(shared);
    assert_eq!(shared.store.unfinished_sizes(), [five]);
}

#[test]
fn leaving_a_game_that_is_not_kept_asks_first() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let board = "2 2 0/4 0 0/0 0 0";
    assert!(
        text(&on(board, shared), shared, 100, 24)
            .contains("this game will not be saved: it has its own seed")
    );
    for (key, menu) in [(KeyCode::Char('q'), false), (KeyCode::Esc, false), (KeyCode::Char('m'), true)] {
        let mut play = on(board, shared);
        assert!(!matches!(pressed(&mut play, shared, key), Next::Stay), "a game without moves is no loss");
        press(&mut play, shared, &[KeyCode::Left, key]);
        assert!(
            text(&play, shared, 80, 24).contains("this game will not be saved: press the same key again")
        );
        press(&mut play, shared, &[KeyCode::Char('u'), KeyCode::Char('r'), key]);
        let next = pressed(&mut play, shared, key);
        assert_eq!((matches!(next, Next::Menu), matches!(next, Next::Back)), (menu, !menu));
    }
    let mut play = on(board, shared);
    press(&mut play, shared, &[KeyCode::Left, KeyCode::Char('v'), KeyCode::Delete]);
    play.handle(&Event::Paste(folder.path().join("a.2048").display().to_string()), shared);
    press(&mut play, shared, &[KeyCode::Enter]);
    assert!(matches!(pressed(&mut play, shared, KeyCode::Char('q')), Next::Back), "it is saved");
}

#[test]
fn help_costs_nothing_that_was_reached_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store = Store::at(folder.path());
    shared.store.update(|kept| kept.animation = false);
    let mut play = seeded(7, shared);
    play.own.setup = GameRequest::of_size(Size::FOUR);
    type_in(&mut play, shared, "wasdwasdwasd");
    let (own, turns) = (play.game().score(), play.game().turns());
    assert!(own > 0);
    (0..20).for_each(|_| help(&mut play, shared));
    assert!(play.own.is_aided() && play.game().score() > own);
    assert_eq!(play.own.best(&shared.store), own, "the score before the help counts, and help adds nothing");
    let shown = text(&play, shared, 80, 24);
    assert!(shown.contains(&format!("alone   {own} before the help")), "{shown}");
    // It is known after a restart too.
    play.leave(shared);
    shared.store = Store::at(folder.path());
    assert_eq!(shared.store.best("4x4"), own);
    let mut again = Play::open(usual(Size::FOUR), shared);
    assert!(again.own.is_aided() && again.own.own_score() == own);
    type_in(&mut again, shared, &"u".repeat(20));
    assert!(!again.own.is_aided() && again.game().turns() == turns, "all help is undone");
    type_in(&mut again, shared, "r");
    assert!(again.own.is_aided(), "the help is redone");
    type_in(&mut again, shared, "u");
    let direction = again.game().board().legal_moves().nth(0).unwrap();
    again.move_alone(direction, shared);
    assert!(
        !again.own.is_aided() && again.own.own_score() == again.game().score(),
        "the user's own move discards the help"
    );
    // A game with help is counted as such.
    help(&mut again, shared);
    play_out(&mut again, shared);
    let kept = Store::at(folder.path());
    assert_eq!(kept.kept().played["4x4 with help"].games, 1);
    assert_eq!(kept.kept().played["4x4"].games, 0);
    assert!(text(&again, shared, 80, 24).contains("points were your own"));
}

/// The game is saved even if no key follows.
#[test]
fn a_game_is_kept_soon_after_its_last_change() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store = Store::at(folder.path());
    let mut play = seeded(7, shared);
    type_in(&mut play, shared, "wasd");
    play.moving = None;
    assert!(Store::at(folder.path()).unfinished(Size::FOUR).is_none(), "not at every move");
    assert_eq!(play.tick(), Some(play.kept + BETWEEN_KEEPS));
    play.kept -= BETWEEN_KEEPS;
    play.handle(&Event::Tick, shared);
    assert_eq!(Store::at(folder.path()).unfinished(Size::FOUR).unwrap().history.game(), play.game());
    assert!(play.tick().is_none(), "after that the screen sleeps");
    play_out(&mut play, shared);
    assert!(Store::at(folder.path()).unfinished(Size::FOUR).is_none());
    type_in(&mut play, shared, "u");
    assert_eq!(
        Store::at(folder.path()).unfinished(Size::FOUR).unwrap().history.game(),
        play.game(),
        "it is saved at once"
    );
}
