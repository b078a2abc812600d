//! Tables by name: found in a folder, shared, opened again when they change, solved on the fly.

use std::fs;
use std::sync::Arc;

use lab2048::board::Size;
use lab2048::solve::{Goal, Place, SubGame, Tables, TablesError};

use super::support::{TENTH, board, endgame, on_board, solved_into, tile};

/// Six free cells.
const WALLS: &str = "0,1,2,3,7,6,5,4,8,9";

fn size(text: &str) -> Size {
    text.parse().unwrap()
}

#[test]
fn tables_are_found_by_the_names_of_their_sub_games() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::in_folder(folder.path().to_owned());
    assert_eq!(tables.names().unwrap(), [""; 0]);
    let games =
        [on_board("2x2", Goal::Score), endgame(WALLS, 32, Place::Beside), endgame("t", 8, Place::Anywhere)];
    games.iter().for_each(|game| solved_into(folder.path(), game));
    // Other files and unfinished work are not tables.
    fs::write(folder.path().join("notes.txt"), "").unwrap();
    fs::write(folder.path().join(".hidden.table"), "").unwrap();
    fs::create_dir(folder.path().join("block-512.work")).unwrap();
    assert_eq!(tables.names().unwrap(), ["2x2", "t-8-anywhere", "walls-0123765489-32"]);
    for game in games {
        let table = tables.named(&game.name()).unwrap();
        assert_eq!(*table.game(), game);
        assert!(Arc::ptr_eq(&table, &tables.named(&game.name()).unwrap()), "it stays open");
    }
}

#[test]
fn a_folder_that_is_missing_has_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::in_folder(folder.path().join("none"));
    assert_eq!(tables.names().unwrap(), [""; 0]);
    assert!(tables.judge(&board("2 2/. ."), TENTH).is_empty());
    assert!(Tables::default().names().unwrap().is_empty());
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Tables::in_folder(folder.path().join("file")).names().unwrap_err();
    assert!(error.to_string().starts_with("cannot use "), "{error}");
}

#[test]
fn a_missing_table_names_the_command_that_computes_it() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::in_folder(folder.path().to_owned());
    let missing = |name: &str| format!("there is no table '{name}'; compute it with: lab2048 solve {name}");
    for name in ["block-512", "snake-256-anywhere", "3x3", "3x3-512", "walls-0f-64"] {
        for tables in [&tables, &Tables::default()] {
            assert_eq!(tables.named(name).unwrap_err().to_string(), missing(name));
        }
    }
    let wrong = "'tower' is not the name of a table: use one like block-512 or 3x3";
    assert_eq!(tables.named("tower").unwrap_err().to_string(), wrong);
    let whole = |size: &str, goal| tables.solved(size.parse().unwrap(), goal, TENTH).unwrap_err().to_string();
    assert_eq!(whole("3x3", Goal::Score), missing("3x3"));
    assert_eq!(whole("4x2", Goal::Score), missing("2x4"));
    assert_eq!(whole("3x3", tile(512)), missing("3x3-512"));
    assert!(whole("4x4", Goal::Score).contains("solve for a tile instead, like 4x4-16"));
    assert!(whole("5x5", tile(64)).contains("both sides must be from 2 to 4"));
    assert!(whole("3x3", tile(20)).contains("must be a power of two from 8 to 8192, not 20"));
}

#[test]
fn names_do_not_lead_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    solved_into(folder.path(), &on_board("2x2", Goal::Score));
    let tables = Tables::in_folder(inner);
    let absolute = folder.path().join("2x2").display().to_string();
    for name in ["../2x2", absolute.as_str(), "..", ".", "", "a/b", "a\\b", "2x2\0", "2x2 ", ".2x2", "é"] {
        let error = tables.named(name).unwrap_err();
        assert!(matches!(error, TablesError::Name(_)), "{name:?}: {error}");
        assert!(error.to_string().ends_with("is not the name of a table: use one like block-512 or 3x3"));
        assert_eq!(tables.path_of(name), None);
    }
}

#[test]
fn a_changed_file_is_opened_again() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tables = Tables::in_folder(folder.path().to_owned());
    let games = [endgame(WALLS, 16, Place::Beside), endgame(WALLS, 32, Place::Beside)];
    let names = games.each_ref().map(SubGame::name);
    solved_into(folder.path(), &games[0]);
    games.iter().for_each(|game| solved_into(other.path(), game));
    let path = |folder: &tempfile::TempDir, at: usize| folder.path().join(format!("{}.table", names[at]));
    let first = tables.named(&names[0]).unwrap();
    // A new file is renamed over the old one, as the solver does.
    fs::rename(path(&other, 0), path(&folder, 0)).unwrap();
    let second = tables.named(&names[0]).unwrap();
    assert!(!Arc::ptr_eq(&first, &second) && first.hash() == second.hash());
    assert!(first.verify().is_ok(), "the old one can still be used");
    // The table of another sub-game is refused.
    fs::rename(path(&other, 1), path(&folder, 0)).unwrap();
    let message = tables.named(&names[0]).unwrap_err().to_string();
    assert!(message.ends_with(&format!("is that of {}; rename or remove it", names[1])), "{message}");
    fs::remove_file(path(&folder, 0)).unwrap();
    assert!(matches!(tables.named(&names[0]), Err(TablesError::Missing { .. })));
}

#[test]
fn a_table_that_cannot_be_used_says_why_and_does_not_disturb_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::in_folder(folder.path().to_owned());
    let game = endgame(WALLS, 32, Place::Beside);
    solved_into(folder.path(), &game);
    fs::write(folder.path().join("block-512.table"), "nonsense").unwrap();
    let message = tables.named("block-512").unwrap_err().to_string();
    assert!(message.starts_with("cannot use the table ") && message.contains("block-512.table"), "{message}");
    assert!(message.ends_with("it is not a table of lab2048"), "{message}");
    let known = board("16384 8192 4096 2048/128 256 512 1024/64 32 . ./. 2 4 2");
    let judged = tables.judge(&known, TENTH);
    assert_eq!(judged.iter().map(|judged| judged.name.as_str()).collect::<Vec<_>>(), [game.name()]);
}

#[test]
fn small_boards_are_solved_once_and_shared() {
    let tables = Tables::default();
    let wide = tables.solved(size("2x3"), Goal::Score, TENTH).unwrap();
    let high = tables.solved(size("3x2"), Goal::Score, TENTH).unwrap();
    assert!(Arc::ptr_eq(&wide, &high), "a table of 2x3 also knows 3x2");
    let chance = tables.solved(size("2x3"), tile(64), TENTH).unwrap();
    assert!((chance.info().start - 0.939263692431).abs() < 1e-9);
}
