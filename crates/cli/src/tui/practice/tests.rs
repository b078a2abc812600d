//! Tests of the practice screen without a terminal.

use std::path::Path;
use std::sync::Arc;

use lab2048::board::parse_board;
use lab2048::solve::{Job, SubGame, Tables, solve_in_memory, solve_to_file};

use super::super::testing::{golden, press, pressed, shared, text, type_in};
use super::*;
use crate::practice::{Mistakes, PositionOptions, Source};
use crate::store::Store;

/// An endgame with eight free cells.
const ENDGAME: &str = "walls-01237654-32";

fn job<'a>() -> Job<'a> {
    static NEVER: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    Job { threads: 2, keep: 0.0, asked: &[], cancel: &NEVER, progress: &|_| {} }
}

fn practice(source: Source, folder: &Path) -> PracticeScreen {
    let mistakes = Mistakes::in_folder(Some(folder.to_owned()));
    let session = Session::begin(source, Arc::new(Tables::default()), mistakes, 7, None);
    PracticeScreen::new(session.unwrap())
}

/// 16 on 2x2: up and down make it at once, right makes it uncertain.
fn small(folder: &Path) -> PracticeScreen {
    let table = Tables::default().of(&SubGame::named("2x2-16").unwrap()).unwrap();
    practice(Source::Board { table, board: parse_board("8 4/8 0", None).unwrap() }, folder)
}

#[test]
fn an_endgame_with_its_values_looks_like_this() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store.update(|kept| kept.animation = false);
    let (_, table) = solve_in_memory(&SubGame::named(ENDGAME).unwrap(), &job()).unwrap().unwrap();
    let source = Source::Drawn { table: Arc::new(table), values: Some(0.5..=0.9) };
    let mut screen = practice(source, folder.path());
    assert!(!text(&screen, shared, 92, 26).contains('▆'), "the values are not shown unasked");
    type_in(&mut screen, shared, "?");
    golden("practice", &text(&screen, shared, 92, 26));
    golden("practice-narrow", &text(&screen, shared, 40, 16));
    let exact = *screen.session.practice().exact();
    let legal = Direction::ALL.into_iter().filter(|direction| exact.shown(*direction).is_some());
    let worst = legal.min_by(|one, other| exact.value(*one).total_cmp(&exact.value(*other))).unwrap();
    let keys = [KeyCode::Up, KeyCode::Right, KeyCode::Down, KeyCode::Left];
    press(&mut screen, shared, &[keys[worst.index()]]);
    let shown = text(&screen, shared, 92, 26);
    assert!(shown.contains(&format!("{worst} kept ")) && shown.contains("; best: "), "{shown}");
    type_in(&mut screen, shared, "u");
    assert!(text(&screen, shared, 92, 26).contains("undone; the move still counts"));
    text(&screen, shared, 20, 5);
    text(&screen, shared, 1, 1);
}

#[test]
fn a_move_is_answered_and_the_worst_moves_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store.update(|kept| kept.animation = false);
    let mut screen = small(folder.path());
    press(&mut screen, shared, &[KeyCode::Right]);
    let shown = text(&screen, shared, 92, 26);
    assert!(shown.contains("right kept ") && shown.contains("of 100.0%; best: up 100.0%"), "{shown}");
    type_in(&mut screen, shared, "u");
    press(&mut screen, shared, &[KeyCode::Left]);
    assert!(text(&screen, shared, 92, 26).contains("left does not change the board"));
    press(&mut screen, shared, &[KeyCode::Up]);
    golden("practice-over", &text(&screen, shared, 92, 26));
    press(&mut screen, shared, &[KeyCode::Right]);
    assert!(text(&screen, shared, 92, 26).contains("this position is finished"));
    press(&mut screen, shared, &[KeyCode::Down]);
    golden("practice-worst", &text(&screen, shared, 92, 26));
    // Past the last of them is the end again.
    press(&mut screen, shared, &[KeyCode::Down]);
    assert!(screen.looked.is_none());
    press(&mut screen, shared, &[KeyCode::Up]);
    assert!(text(&screen, shared, 40, 16).contains("best: up"));
    type_in(&mut screen, shared, "r");
    assert!(text(&screen, shared, 92, 26).contains("other tiles to come"));
    assert_eq!(screen.leave(shared).unwrap(), "1 position   2 moves   1 mistake   kept 0.0%");
}

#[test]
fn after_the_last_position_nothing_offers_a_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    shared.store.update(|kept| kept.animation = false);
    let mut screen = small(folder.path());
    press(&mut screen, shared, &[KeyCode::Up]);
    let shown = text(&screen, shared, 92, 26);
    assert!(shown.contains("n      next position") && shown.contains("n next"), "{shown}");
    assert!(!shown.contains("worst moves"), "no move was bad:\n{shown}");
    let mistakes = Mistakes::in_folder(Some(folder.path().to_owned()));
    let table = Tables::default().of(&SubGame::named("2x2-16").unwrap()).unwrap();
    let source = Source::Board { table, board: parse_board("8 4/8 0", None).unwrap() };
    let session = Session::begin(source, Arc::new(Tables::default()), mistakes, 7, Some(1));
    let mut screen = PracticeScreen::new(session.unwrap());
    press(&mut screen, shared, &[KeyCode::Up, KeyCode::Right]);
    let shown = text(&screen, shared, 92, 26);
    assert!(shown.contains("this was the last position: r again, u undo, q leave"), "{shown}");
    assert!(!shown.contains("next") && shown.contains("r again"), "{shown}");
}

#[test]
fn mistakes_are_drilled_until_they_are_solved() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let mut screen = small(folder.path());
    type_in(&mut screen, shared, "x");
    assert!(text(&screen, shared, 92, 26).contains("no mistakes are collected yet"));
    press(&mut screen, shared, &[KeyCode::Right]);
    let Next::Push(mut drill) = pressed(&mut screen, shared, KeyCode::Char('x')) else {
        panic!("the drill opens")
    };
    let asked = text(drill.as_ref(), shared, 92, 26);
    assert!(asked.contains("find the best move") && !asked.contains('▆'), "{asked}");
    for told in ["solved 1 of 3", "solved 2 of 3", "removed from the list"] {
        press(drill.as_mut(), shared, &[KeyCode::Up]);
        let shown = text(drill.as_ref(), shared, 92, 26);
        // The position before the move, with the values of all moves.
        assert!(shown.contains(told) && shown.contains('▆') && !shown.contains("   16  "), "{shown}");
        press(drill.as_mut(), shared, &[KeyCode::Enter]);
    }
    assert!(text(drill.as_ref(), shared, 92, 26).contains("no mistakes are left to drill"));
    assert!(matches!(pressed(drill.as_mut(), shared, KeyCode::Char('q')), Next::Back));
}

#[test]
fn the_list_names_tables_small_boards_and_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let shared = &mut shared();
    let mut choice = ChoiceScreen::new(PositionOptions::default(), shared);
    golden("practice-choice", &text(&choice, shared, 92, 26));
    let Next::Push(screen) = pressed(&mut choice, shared, KeyCode::Enter) else { panic!("it begins") };
    assert!(text(screen.as_ref(), shared, 92, 26).contains("chance to make 64 on 2x3"));

    let tables = Tables::in_folder(folder.path().join("tables"));
    let tiny = SubGame::named("walls-0123456789-16").unwrap();
    std::fs::create_dir(folder.path().join("tables")).unwrap();
    solve_to_file(&tiny, &tables.path_of(&tiny.name()).unwrap(), &job()).unwrap().unwrap();
    std::fs::write(tables.path_of("damaged").unwrap(), "no table").unwrap();
    shared.registry = shared.registry.clone().with_tables(tables);
    shared.store = Store::at(folder.path());
    let mut mistaken = small(folder.path());
    press(&mut mistaken, shared, &[KeyCode::Right]);
    choice.handle(&Event::Wake, shared);
    let shown = text(&choice, shared, 92, 26);
    assert!(shown.contains("drill 1 mistake") && !shown.contains("lab2048 solve"), "{shown}");
    let damaged = text(&choice, shared, 92, 26);
    assert!(damaged.contains("damaged              cannot be used"), "{damaged}");
    press(&mut choice, shared, &[KeyCode::Enter]);
    assert!(text(&choice, shared, 92, 26).contains("it is not a table of lab2048"));
    press(&mut choice, shared, &[KeyCode::Down]);
    assert!(matches!(pressed(&mut choice, shared, KeyCode::Enter), Next::Push(_)));
    press(&mut choice, shared, &[KeyCode::Up, KeyCode::Up]);
    assert!(matches!(pressed(&mut choice, shared, KeyCode::Enter), Next::Push(_)), "the drill");
    // The options of the command hold for the choice. Mistakes have no range.
    let options = PositionOptions { from: Some(0.5), seed: Some(5), games: Some(1), ..Default::default() };
    shared.registry = shared.registry.clone().with_tables(Tables::default());
    let mut choice = ChoiceScreen::new(options, shared);
    assert!(!text(&choice, shared, 92, 26).contains("mistake"));
    let Next::Push(screen) = pressed(&mut choice, shared, KeyCode::Enter) else { panic!("it begins") };
    let shown = text(screen.as_ref(), shared, 92, 26);
    assert!(shown.contains("chance to make 64 on 2x3") && shown.contains("seed 5"), "{shown}");
    let impossible = PositionOptions { from: Some(2.0), ..Default::default() };
    let mut choice = ChoiceScreen::new(impossible, shared);
    press(&mut choice, shared, &[KeyCode::Enter]);
    assert!(text(&choice, shared, 92, 26).contains("--from is a chance from 0 to 1, not 2"));
}
