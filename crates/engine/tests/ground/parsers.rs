//! Tests of all parsers: written text is read back, and other input is rejected with a one-line
//! message.

use std::fmt::Display;

use lab2048::board::{Board, BoardForm, Direction, Grid, Size, parse_board, tile_of};
use lab2048::game::{IdleMove, Probability, Replay, Rules, StartTiles};
use lab2048::ntuple::{Patterns, Stages};
use lab2048::players::{Registry, Spec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{all_sizes, size};

/// Checks that an error message fits one line of a terminal log, for any input.
fn assert_one_line(error: impl Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.chars().count() <= 400, "too long or empty: {text:?}");
    assert!(!text.contains(|letter: char| letter.is_control()), "control characters: {text:?}");
}

fn any_size() -> impl Strategy<Value = Size> {
    (2..=8usize, 2..=8usize).prop_map(|(rows, cols)| size(rows, cols))
}

/// Boards of one size: powers of two as in games, and arbitrary numbers.
fn any_board_of(size: Size) -> impl Strategy<Value = Board> {
    let tile = prop_oneof![3 => Just(0), 4 => (1..=17u8).prop_map(tile_of), 1 => any::<u64>()];
    let cells = proptest::collection::vec(tile, size.cells());
    cells.prop_filter_map("no tiles", move |cells| Board::from_grid(Grid::from_cells(size, cells)).ok())
}

fn any_board() -> impl Strategy<Value = Board> {
    any_size().prop_flat_map(any_board_of)
}

/// 4x4 boards that the hex code can hold.
fn hex_board() -> impl Strategy<Value = Board> {
    let cells = proptest::collection::vec((0..=15u8).prop_map(tile_of), 16);
    cells.prop_filter_map("no tiles", |cells| Board::from_grid(Grid::from_cells(Size::FOUR, cells)).ok())
}

/// Any text, short or long, including control characters. Most texts consist of the letters of the
/// parsed language, so that they get further.
fn text_of(letters: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![1 => "(?s).{0,60}", 1 => "[a-z0-9 \n\t]{300,600}", 4 => letters]
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let start = prop_oneof![Just(StartTiles::TwoSpawns), Just(StartTiles::TwoTwos)];
    let idle = prop_oneof![Just(IdleMove::Refused), Just(IdleMove::Spawns)];
    (any_size(), 0.0..=1.0f64, start, idle, any::<u64>()).prop_map(|(size, four, start, idle, goal)| Rules {
        size,
        four: Probability::new(four).unwrap(),
        start,
        idle,
        goal,
    })
}

/// A board as the web game saves it: `cells[x][y]`, with the position of every tile.
fn web_game(board: &Board) -> String {
    let grid = board.to_grid();
    let rows: Vec<&[u64]> = grid.rows().collect();
    let cell = |x: usize, y: usize| match rows[y][x] {
        0 => Value::Null,
        tile => json!({ "position": { "x": x, "y": y }, "value": tile }),
    };
    let (height, width) = (board.size().rows(), board.size().cols());
    let cells: Vec<Vec<Value>> = (0..width).map(|x| (0..height).map(|y| cell(x, y)).collect()).collect();
    json!({ "grid": { "size": width, "cells": cells }, "score": 8, "over": false, "won": false }).to_string()
}

/// JSON that looks like a board, well formed or not.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (0..6u8).prop_map(|rank| json!(tile_of(rank))),
        any::<i64>().prop_map(|number| json!(number)),
        "[0-9\\[\\],]{0,12}".prop_map(Value::String),
        (0..3u8, 0..3u8, 1..4u8)
            .prop_map(|(x, y, rank)| json!({ "position": { "x": x, "y": y }, "value": tile_of(rank) })),
        Just(json!({ "position": 3, "value": [] })),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let name = proptest::sample::select(vec!["board", "grid", "cells", "gameState", "size", "value", "score"]);
        prop_oneof![
            3 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            2 => proptest::collection::vec((name, inner.clone()), 0..3)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
            1 => inner.prop_map(|value| Value::String(value.to_string())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_and_json_hold_every_board(board in any_board()) {
        let rows = board.to_text(BoardForm::Rows).unwrap();
        let json = board.to_text(BoardForm::Json).unwrap();
        let (marked, object) = (format!("\u{feff}{rows}"), format!("{{\"score\":4,\"board\":{json}}}"));
        for text in [&rows, &json, &marked, &object] {
            prop_assert_eq!(&parse_board(text, None).unwrap(), &board);
            prop_assert_eq!(&parse_board(text, Some(board.size())).unwrap(), &board);
            prop_assert_eq!(&text.parse::<Board>().unwrap(), &board);
        }
        prop_assert_eq!(&serde_json::to_string(&board).unwrap(), &json);
        prop_assert_eq!(&serde_json::from_str::<Board>(&json).unwrap(), &board);
        prop_assert_eq!(&parse_board(&board.to_string(), None).unwrap(), &board, "the displayed board can be parsed");
    }

    #[test]
    fn rows_may_be_separated_in_many_ways(board in any_board(), row in "[/;\n]", cell in "[ ,|\t]", empty in "[0._-]") {
        let tile = |tile: &u64| if *tile == 0 { empty.clone() } else { tile.to_string() };
        let line = |cells: &[u64]| cells.iter().map(tile).collect::<Vec<_>>().join(&cell);
        let text = board.to_grid().rows().map(line).collect::<Vec<_>>().join(&row);
        prop_assert_eq!(&parse_board(&text, None).unwrap(), &board);
    }

    #[test]
    fn a_bare_list_is_a_board_where_the_size_is_known(board in any_board()) {
        let tiles: Vec<String> = board.tiles().map(|tile| tile.to_string()).collect();
        let side = (2..=8).find(|side| side * side == tiles.len());
        for text in [tiles.join(" "), tiles.join(", "), tiles.join("\n"), format!("[{}]", tiles.join(","))] {
            prop_assert_eq!(&parse_board(&text, Some(board.size())).unwrap(), &board);
            match (parse_board(&text, None), side) {
                (Ok(square), Some(side)) => {
                    prop_assert_eq!(square.size(), size(side, side));
                    prop_assert!(square.tiles().eq(board.tiles()));
                }
                (read, side) => {
                    prop_assert_eq!(side, None, "a square number of cells is a board");
                    assert_one_line(read.unwrap_err());
                }
            }
        }
    }

    #[test]
    fn the_saved_game_of_the_web_game_is_the_board(board in any_board()) {
        let text = web_game(&board);
        for text in [text.clone(), format!("'{text}'"), serde_json::to_string(&text).unwrap()] {
            prop_assert_eq!(&parse_board(&text, None).unwrap(), &board);
            prop_assert_eq!(&parse_board(&text, Some(board.size())).unwrap(), &board);
        }
    }

    #[test]
    fn an_array_as_numpy_prints_it_is_the_board(board in any_board()) {
        let row = |cells: &[u64]| format!("[{}]", cells.iter().map(|tile| format!("{tile:5}")).collect::<Vec<_>>().join(" "));
        let rows: Vec<String> = board.to_grid().rows().map(row).collect();
        prop_assert_eq!(&parse_board(&format!("[{}]", rows.join("\n ")), None).unwrap(), &board);
    }

    #[test]
    fn whatever_json_is_given_as_a_board_is_read_or_refused(value in any_json(), size in proptest::option::of(any_size())) {
        match parse_board(&value.to_string(), size) {
            Ok(board) => prop_assert!(size.is_none_or(|size| size == board.size())),
            Err(error) => assert_one_line(error),
        }
    }

    #[test]
    fn the_hex_code_holds_4x4_boards_up_to_32768(board in hex_board()) {
        let code = board.to_text(BoardForm::Hex).unwrap();
        prop_assert_eq!(code.len(), 16);
        prop_assert_eq!(&parse_board(&code, None).unwrap(), &board);
        prop_assert_eq!(&parse_board(&code.to_uppercase(), Some(Size::FOUR)).unwrap(), &board);
        for prefix in ["0x", "0X"] {
            prop_assert_eq!(&parse_board(&format!("{prefix}{code}"), None).unwrap(), &board);
        }
    }

    #[test]
    fn the_hex_code_refuses_the_rest(board in any_board()) {
        let holds = board.size() == Size::FOUR && board.tiles().all(|tile| (0..=15).any(|rank| tile_of(rank) == tile));
        prop_assert_eq!(board.to_text(BoardForm::Hex).is_ok(), holds);
    }

    #[test]
    fn whatever_is_typed_as_a_board_is_read_or_refused(
        text in text_of("(0x)?[0-9 ./;,|_'x\\[\\]{}\"\n-]{0,60}|[0-9a-fA-F]{15,17}|\\[\\[[0-9,\\]\\[. -]{0,40}"),
        size in proptest::option::of(any_size()),
    ) {
        match parse_board(&text, size) {
            Ok(board) => {
                prop_assert!(size.is_none_or(|size| size == board.size()));
                let again = board.to_text(BoardForm::Rows).unwrap();
                prop_assert_eq!(parse_board(&again, size).unwrap(), board);
            }
            Err(error) => assert_one_line(error),
        }
        if let Err(error) = serde_json::from_str::<Board>(&text) {
            assert_one_line(error);
        }
    }

    #[test]
    fn whatever_is_typed_as_a_size_a_direction_or_a_chance_is_read_or_refused(
        text in text_of("[0-9]{0,3}[xX]?[0-9]{0,30}|[UuRrDdLl][a-z]{0,4}|[-+0-9.eE]{0,9}|nan|inf"),
    ) {
        match text.parse::<Size>() {
            Ok(size) => prop_assert_eq!(size.to_string().parse(), Ok(size)),
            Err(error) => assert_one_line(error),
        }
        match text.parse::<Direction>() {
            Ok(direction) => prop_assert_eq!(direction.to_string().parse(), Ok(direction)),
            Err(error) => assert_one_line(error),
        }
        match text.parse::<Probability>() {
            Ok(chance) => {
                prop_assert!((0.0..=1.0).contains(&chance.get()) && chance.get().is_sign_positive());
                prop_assert_eq!(chance.to_string().parse(), Ok(chance));
            }
            Err(error) => assert_one_line(error),
        }
        if let Err(error) = Rules::named(&text) {
            assert_one_line(error);
        }
    }

    #[test]
    fn a_chance_is_written_so_that_it_is_read_back(chance in 0.0..=1.0f64) {
        let chance = Probability::new(chance).unwrap();
        prop_assert_eq!(chance.to_string().parse(), Ok(chance));
        let json = serde_json::to_string(&chance).unwrap();
        prop_assert_eq!(serde_json::from_str::<Probability>(&json).unwrap(), chance);
    }

    #[test]
    fn rules_are_written_so_that_they_are_read_back(rules in any_rules()) {
        let json = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rules>(&json).unwrap(), rules);
    }

    #[test]
    fn whatever_stands_for_rules_is_read_or_refused(
        text in text_of("\\{\"size\":\"[0-9x]{0,4}\",\"four\":[0-9.-]{1,5},\"start\":\"[a-z-]{0,9}\",\"idle\":\"spawns\",\"goal\":[0-9]{1,9}\\}"),
    ) {
        if let Err(error) = serde_json::from_str::<Rules>(&text) {
            assert_one_line(error);
        }
    }

    #[test]
    fn a_spec_is_written_so_that_it_is_read_back(
        name in "[a-z][a-z0-9-]{0,8}",
        given in proptest::collection::vec(("[a-z][a-z0-9_-]{0,6}", any::<String>()), 0..4),
    ) {
        let spec = given.iter().fold(Spec::named(name), |spec, (param, value)| spec.with(param, value));
        prop_assert_eq!(Spec::split(&spec.to_string()), Ok(spec));
    }

    #[test]
    fn whatever_is_typed_as_a_player_is_read_or_refused(
        text in text_of("[a-z]{0,6}:?[a-z=,:\"\\\\ ]{0,30}|(random|greedy|expectimax|ntuple):[a-z]{1,5}=[0-9a-z\".,\\\\]{0,6}"),
    ) {
        match Spec::split(&text) {
            Ok(spec) => prop_assert_eq!(Spec::split(&spec.to_string()), Ok(spec)),
            Err(error) => assert_one_line(error),
        }
        match Registry::built_in().parse(&text) {
            Ok(spec) => prop_assert_eq!(Registry::built_in().parse(&spec.to_string()), Ok(spec)),
            Err(error) => assert_one_line(error),
        }
    }

    #[test]
    fn whatever_is_given_as_a_replay_is_read_or_refused(
        text in text_of("lab2048 replay [01]\n\\{.{0,30}\\}\n([URDLPQ][0-9a-f-]{2}[ \n]){0,9}crc32 [0-9a-f]{8}\n|[2-4]x[2-4]-[A-Z]{0,3}_[ -~]{0,40}"),
    ) {
        if let Err(error) = Replay::from_text(text.as_bytes()) {
            assert_one_line(error);
        }
        match Replay::from_verse(text.as_bytes()) {
            Ok(replay) => drop(replay.verify().map_err(assert_one_line)),
            Err(error) => assert_one_line(error),
        }
    }

    #[test]
    fn whatever_is_typed_as_patterns_or_stages_is_read_or_refused(
        text in text_of("[0-9a-fx ,/|-]{0,40}"),
        size in any_size(),
    ) {
        if let Err(error) = Patterns::parse(size, &text) {
            assert_one_line(error);
        }
        if let Err(error) = text.parse::<Stages>() {
            assert_one_line(error);
        }
    }
}

#[test]
fn all_sizes_and_directions_are_read_back() {
    for size in all_sizes() {
        assert_eq!(size.to_string().parse(), Ok(size));
    }
    assert_eq!("4".parse(), Ok(Size::FOUR));
    assert_eq!("3X5".parse(), Ok(size(3, 5)));
    for direction in Direction::ALL {
        let word = direction.to_string();
        for text in [word.clone(), word.to_uppercase(), word[..1].to_owned()] {
            assert_eq!(text.parse(), Ok(direction));
        }
        assert_eq!(serde_json::to_string(&direction).unwrap(), format!("\"{word}\""));
        assert_eq!(Direction::from_index(direction.index()), Some(direction));
    }
    assert_eq!(Direction::from_index(4), None);
}

/// The messages that users read. The first column is the typed board, with a `size:` prefix if a
/// size is required.
#[test]
fn a_rejected_board_names_the_cell_and_the_reason() {
    let said = [
        ("", "the board is empty: it has no rows"),
        ("\n \n", "the board is empty: it has no rows"),
        ("[]", "the board is empty: it has no rows"),
        ("/", "a board of 2x0 is not possible: both sides must be from 2 to 8"),
        (
            "7",
            "'7' is not a board: a hex code has 16 digits, one for each cell of 4x4, and rows are separated by '/'",
        ),
        (
            "0x123401230012000",
            "the hex code '0x123401230012000' has 15 digits after 0x, but a board has 16, one for each cell of 4x4, zeros included",
        ),
        (
            "0x12340123001200g1",
            "'0x12340123001200g1' is not a board: a hex code has 16 digits, one for each cell of 4x4, and rows are separated by '/'",
        ),
        ("2x2:0x1234012300120001", "the board is 4x4, but it must be 2x2"),
        (
            "1234 0123 0012 0001",
            "'0123' in a single row may be a number or a part of a hex code; separate the rows with '/', or give 16 digits without blanks",
        ),
        ("2,,4/2,4,8", "row 1, column 2: nothing is written here; write 0 for an empty cell"),
        (",2/4,8", "row 1, column 1: nothing is written here; write 0 for an empty cell"),
        (
            "| 2 |   | 4 |\n| 2 | 4 | 8 |",
            "row 1, column 2: nothing is written here; write 0 for an empty cell",
        ),
        ("2/4/8/16", "a board of 4x1 is not possible: both sides must be from 2 to 8"),
        ("2 4", "a single row of 2 cells needs a board size; give a size or separate the rows with '/'"),
        ("3x3:2 4", "a 3x3 board has 9 cells, but 2 are given"),
        ("2 4 8/2 4", "row 2 has 2 cells, but row 1 has 3"),
        ("2 4/2 4/", "row 3 has 0 cells, but row 1 has 2"),
        ("4x4:2 4/2 4", "the board is 2x2, but it must be 4x4"),
        ("2x2:1234567890123456", "the board is 4x4, but it must be 2x2"),
        ("0 0/0 0", "the board has no tiles"),
        ("0000000000000000", "the board has no tiles"),
        ("2 x/4 2", "row 1, column 2: 'x' is not a whole number"),
        ("2 4/4 2.5", "row 2, column 2: '2.5' is not a whole number"),
        ("2 4/-4 2", "row 2, column 1: -4 is negative"),
        (
            "2 4/4 18446744073709551616",
            "row 2, column 2: 18446744073709551616 is too large: the largest tile is 18446744073709551615",
        ),
        ("[[2,4],[4,1e30]]", "row 2, column 2: 1e+30 is too large: the largest tile is 18446744073709551615"),
        ("[[2,4],[\"4\",2]]", "row 2, column 1: '\"4\"' is not a whole number"),
        ("[[2,4],[4,-1]]", "row 2, column 2: -1 is negative"),
        ("[[2,4],4]", "row 2 is not an array"),
        ("{\"a\":1}", "it has none of 'board', 'grid', 'cells' and 'gameState'"),
        ("[[2,4", "the JSON ends too early"),
    ];
    for (typed, expected) in said {
        let (size, text) = match typed.split_once(':') {
            Some((size, text)) if size.len() == 3 => (Some(size.parse().unwrap()), text),
            _ => (None, typed),
        };
        assert_eq!(parse_board(text, size).unwrap_err().to_string(), expected, "{typed}");
    }
    let long = parse_board(&format!("2 {}/2 4", "z".repeat(5000)), None).unwrap_err();
    assert_one_line(&long);
    let digits = parse_board(&format!("2 {}/2 4", "9".repeat(5000)), None).unwrap_err();
    assert!(digits.to_string().contains("is too large"), "{digits}");
    let below = parse_board(&format!("2 -{}/2 4", "9".repeat(5000)), None).unwrap_err();
    assert!(below.to_string().ends_with("is negative"), "{below}");
}

#[test]
fn a_board_of_many_rows_or_deep_json_is_refused_at_once() {
    let many = "2 2\n".repeat(100_000);
    assert_one_line(parse_board(&many, None).unwrap_err());
    assert_one_line(parse_board(&"[".repeat(100_000), None).unwrap_err());
    assert_one_line(Registry::built_in().parse(&"x".repeat(2_000)).unwrap_err());
}

#[test]
fn incomplete_or_unknown_rules_are_refused() {
    let full = serde_json::to_value(Rules::COURSE).unwrap();
    assert_eq!(full["size"], "4x4");
    assert_eq!(full["start"], "two-twos");
    assert_eq!(full["idle"], "spawns");
    for key in ["size", "four", "start", "idle", "goal"] {
        let mut less = full.clone();
        less.as_object_mut().unwrap().remove(key);
        let error = serde_json::from_value::<Rules>(less).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
    let mut more = full.clone();
    more["gaol"] = 4096.into();
    assert!(serde_json::from_value::<Rules>(more).unwrap_err().to_string().contains("gaol"));
    for (key, wrong) in
        [("four", "1.5"), ("four", "-0.1"), ("size", "\"9x9\""), ("goal", "-1"), ("start", "\"x\"")]
    {
        let mut other = full.clone();
        other[key] = serde_json::from_str(wrong).unwrap();
        assert!(serde_json::from_value::<Rules>(other).is_err(), "{key}={wrong}");
    }
}
