//! Tests of the session, on small boards.

use std::path::Path;

use lab2048::board::parse_board;
use lab2048::solve::SubGame;

use super::*;

fn session(source: impl FnOnce(&Tables) -> Source, folder: &Path) -> Outcome<Session> {
    let tables = Arc::new(Tables::default());
    let source = source(&tables);
    Session::begin(source, tables, Mistakes::in_folder(Some(folder.to_owned())), 1, Some(3))
}

/// 16 on 2x2 from this board:
///
/// ```text
/// 8 4      up and down make it at once, right makes it uncertain
/// 8 .
/// ```
fn on_a_board(tables: &Tables) -> Source {
    let table = tables.of(&SubGame::named("2x2-16").unwrap()).unwrap();
    Source::Board { table, board: parse_board("8 4/8 0", None).unwrap() }
}

fn drill(_: &Tables) -> Source {
    Source::Drill { table: None, queue: Vec::new() }
}

#[test]
fn a_mistake_is_collected_even_if_it_is_undone_and_leaves_after_three_solutions() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(on_a_board, folder.path()).unwrap();
    assert!(session.drill().is_err_and(|failure| failure.to_string() == "no mistakes are collected yet"));
    let said = session.play(Direction::Right).unwrap();
    assert!(said.starts_with("right kept ") && said.ends_with("of 100.0%; best: up 100.0%"), "{said}");
    assert!(session.undo() && !session.is_over());
    assert_eq!(session.play(Direction::Up).unwrap(), "up kept all of 100.0%");
    assert!(session.is_over() && words::ending(session.practice()) == "you made 16");
    let tally = session.tally();
    assert_eq!((tally.positions, tally.moves, tally.mistakes), (1, 2, 1));
    assert!(tally.kept < 0.99, "the undone mistake counts");

    let mut drill = session.drill().unwrap();
    assert_eq!(drill.practice().game().board(), &parse_board("8 4/8 0", None).unwrap());
    drill.hint();
    drill.again().unwrap();
    assert!(!drill.undo());
    let said = drill.play(Direction::Up).unwrap();
    assert!(said.ends_with("the values were shown, so it does not count as solved"), "{said}");
    for ending in ["solved 1 of 3 times in a row", "solved 2 of 3 times in a row", "removed from the list"] {
        assert!(drill.next().unwrap());
        let said = drill.play(Direction::Down).unwrap();
        assert!(said.ends_with(ending) && drill.is_over(), "{said}");
        // Only the first answer counts.
        assert!(drill.undo() && !drill.is_over());
        drill.play(Direction::Right).unwrap();
        drill.again().unwrap();
        drill.play(Direction::Right).unwrap();
    }
    assert!(!drill.next().unwrap(), "no mistakes are left");
    assert_eq!(words::summary(&drill.tally()).unwrap(), "drilled 4 mistakes, solved 3");
}

#[test]
fn random_positions_follow_the_seed_and_end_after_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let small = |tables: &Tables| Source::Drawn {
        table: tables.of(&SubGame::named("2x2-16").unwrap()).unwrap(),
        values: None,
    };
    let mut one = session(small, folder.path()).unwrap();
    let mut other = session(small, folder.path()).unwrap();
    for more in [true, true, false] {
        assert_eq!(one.practice().game(), other.practice().game());
        let chance = one.practice().exact().best();
        assert!((0.3..=0.95).contains(&chance), "{chance}");
        assert_eq!((one.is_last(), one.next().unwrap(), other.next().unwrap()), (!more, more, more));
    }
}

#[test]
fn the_same_position_again_has_other_tiles_to_come() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(on_a_board, folder.path()).unwrap();
    session.play(Direction::Right).unwrap();
    session.again().unwrap();
    assert_eq!(session.practice().game().board(), &parse_board("8 4/8 0", None).unwrap());
    assert_eq!((session.seed(), session.practice().moves().len(), session.tally().positions), (2, 0, 1));
}

#[test]
fn mistakes_without_a_table_cost_only_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let mut played = session(on_a_board, folder.path()).unwrap();
    played.play(Direction::Right).unwrap();
    let wrong = played.practice().moves()[0].clone();
    let mistakes = Mistakes::in_folder(Some(folder.path().to_owned()));
    mistakes.add("block-512", &wrong).unwrap();
    mistakes.add("nonsense", &wrong).unwrap();
    let drilled = session(drill, folder.path()).unwrap();
    assert_eq!(drilled.table(), "2x2-16");
    let only = |name: &str| {
        let source = Source::Drill { table: Some(name.to_owned()), queue: Vec::new() };
        session(|_| source, folder.path()).map(|_| ()).unwrap_err().to_string()
    };
    assert!(only("block-512").ends_with("compute it with: lab2048 solve block-512"));
    assert_eq!(only("2x3"), "no mistakes of 2x3 are collected yet");
}

#[test]
fn a_list_that_cannot_be_written_is_mentioned_once() {
    let tables = Arc::new(Tables::default());
    let nowhere = Mistakes::in_folder(None);
    let mut session = Session::begin(on_a_board(&tables), tables, nowhere, 1, None).unwrap();
    assert!(session.take_notice().is_some_and(|notice| notice.contains("there is no home folder")));
    session.play(Direction::Right).unwrap();
    assert_eq!(session.take_notice(), None);
}
