//! `lab2048 best`: the move and all four values, for any player and board size, from any text
//! format.

mod support;

use serde_json::Value;
use support::Place;

/// No tile can move left.
const COLUMN: &str = "2%204/2%200";

/// The board of the first test as the web game keeps it, with the cells column by column.
const WEB_GAME: &str = r#"{"grid": {"size": 4, "cells": [
    [{"position": {"x": 0, "y": 0}, "value": 2}, null, null, null],
    [{"position": {"x": 1, "y": 0}, "value": 4}, {"position": {"x": 1, "y": 1}, "value": 2}, null, null],
    [{"position": {"x": 2, "y": 0}, "value": 8}, {"position": {"x": 2, "y": 1}, "value": 4},
     {"position": {"x": 2, "y": 2}, "value": 2}, null],
    [{"position": {"x": 3, "y": 0}, "value": 16}, {"position": {"x": 3, "y": 1}, "value": 8},
     {"position": {"x": 3, "y": 2}, "value": 4}, {"position": {"x": 3, "y": 3}, "value": 2}]
]}, "score": 52, "over": false, "won": false, "keepPlaying": false}"#;

fn json(line: &str) -> Value {
    serde_json::from_str(&Place::new().ok(line, "")).expect("JSON")
}

#[test]
fn the_same_board_in_every_form() {
    let place = Place::new();
    place.write("board.txt", "2 4 8 16\n0 2 4 8\n0 0 2 4\n0 0 0 2\n");
    place.write("state.json", WEB_GAME);
    let state = WEB_GAME.replace([' ', '\n'], "");
    let forms = [
        "2%204%208%2016/0%202%204%208/0%200%202%204/0%200%200%202",
        "2 4 8 16 0 2 4 8 0 0 2 4 0 0 0 2",
        "2 4 8 16 / - 2 4 8 / - - 2 4 / - - - 2",
        "2,4,8,16, 0,2,4,8, 0,0,2,4, 0,0,0,2",
        "2,4,8,16,0,2,4,8,0,0,2,4,0,0,0,2",
        "1234012300120001",
        "0x1234012300120001",
        "[[2,4,8,16],[0,2,4,8],[0,0,2,4],[0,0,0,2]]",
        "{\"grid\":[[2,4,8,16],[null,2,4,8],[null,null,2,4],[null,null,null,2]]}",
        state.as_str(),
        "@state.json",
        "@board.txt",
    ];
    let answers = forms.map(|form| {
        let text = place.ok(&format!("best {form} --player expectimax:depth=2 --json"), "");
        let mut answer: Value = serde_json::from_str(&text).expect("JSON");
        answer["seconds"].take();
        answer
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(answers[0]["depth"], 2);
    assert_eq!(answers[0]["unit"], "preference");
    assert!(answers[0]["nodes"].as_u64().is_some_and(|nodes| nodes > 10));
}

#[test]
fn every_size_and_player() {
    let answer = json(&format!("best {COLUMN} --player greedy --json"));
    assert_eq!(answer["board"], serde_json::json!([[2, 4], [2, 0]]));
    assert_eq!(answer["values"]["right"], 0.0, "the lower 2 can move");
    for player in ["expectimax", "random", "sum:depth=2", "minimax:depth=2", "expectimax:eval=corner,depth=1"]
    {
        let answer = json(&format!("best {COLUMN} --player {player} --json"));
        assert_eq!(answer["player"], player);
        let chosen = answer["action"].as_str().expect("a direction").to_owned();
        assert!(["up", "right", "down"].contains(&chosen.as_str()), "{player}: {chosen}");
    }
    let large = "[[3,3,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[2,0,0,0,0,0]]";
    assert!(json(&format!("best {large} --player expectimax:depth=1 --json"))["values"]["left"].is_number());
}

#[test]
fn the_answer_for_people() {
    let text = Place::new().ok(&format!("best {COLUMN} --player expectimax:depth=2"), "");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("left") && line.trim_end().ends_with('-')), "{text}");
    assert!(
        text.contains("(preference)") && text.contains("2 moves ahead, ") && text.contains(" nodes, "),
        "{text}"
    );
    assert!(text.contains("best: "), "{text}");
}

/// A mistyped board often has another size or another player, so both are named.
#[test]
fn the_player_that_answers_and_the_size_are_named() {
    let place = Place::new();
    for (board, size, player) in [
        ("2%204%208%2016/0%202%204%208/0%200%202%204/0%200%200%202", "4x4", "ntuple:depth=3"),
        ("2%204%208%2016/0%202%204%208/0%200%202%204", "3x4", "expectimax:depth=3"),
    ] {
        let text = place.ok(&format!("best {board}"), "");
        assert_eq!(text.lines().next(), Some(format!("{size}, player {player} (auto)").as_str()), "{text}");
        let answer = json(&format!("best {board} --json"));
        assert_eq!(
            (&answer["player"], &answer["asked"], &answer["size"], &answer["notes"]),
            (&player.into(), &"auto".into(), &size.into(), &serde_json::json!([]))
        );
    }
    let text = place.ok(&format!("best {COLUMN} --player greedy"), "");
    assert!(text.starts_with("2x2, player greedy\n"), "{text}");
}

#[test]
fn a_tile_that_is_not_a_power_of_two_is_noted() {
    let place = Place::new();
    let board = "2%204%208%2017/0%202%204%208/0%200%202%204/0%200%200%202";
    let ran = place.run(&format!("best {board}"), "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let note = "17 is not a tile of 2048 (2, 4, 8, ...); check the board";
    assert_eq!(ran.err, format!("lab2048: note: {note}\n"));
    assert!(ran.out.starts_with("4x4, player expectimax:depth=3 (auto)\n"), "{}", ran.out);
    let answer = json(&format!("best {board} --json"));
    assert_eq!(answer["notes"], serde_json::json!([note]));
    let answer = json("best 1%203/0%203 --json");
    let note = answer["notes"][0].as_str().expect("a note");
    assert!(note.starts_with("1, 3 are not tiles of 2048"), "{note}");
}

#[test]
fn a_text_that_is_not_a_board_is_one_plain_sentence() {
    let place = Place::new();
    for (board, says) in [
        ("[2,4,0,2", "not a board: the JSON ends too early"),
        ("[[2,4],[2]]", "not a board: row 2 has 1 cell, but row 1 has 2"),
        ("{\"a\":1}", "not a board: it has none of 'board', 'grid', 'cells' and 'gameState'"),
        ("[[2,4],[2,x]]", "not a board: the JSON is not valid: expected value at line 1 column 11"),
    ] {
        assert_eq!(place.fails(&format!("best {board}"), "", 2), says);
    }
    let said = place.fails("best 2%204/0%202 --player exec:cmd=", "", 2);
    assert_eq!(said, "exec: cmd needs a value: a command");
}

#[test]
fn an_empty_line_separates_boards() {
    let place = Place::new();
    let (first, second) = ("2 4 8 16\n0 2 4 8\n0 0 2 4\n0 0 0 2\n", "2 4 8\n0 2 4\n0 0 3\n");
    let both = format!("{first}\n \n{second}");
    let lines = place.ok("best - --player greedy --json", &both);
    let answers: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let sizes: Vec<&Value> = answers.iter().map(|answer| &answer["size"]).collect();
    assert_eq!(sizes, ["4x4", "3x3"]);
    for (answer, board) in answers.iter().zip([first, second]) {
        let mut alone: Value =
            serde_json::from_str(&place.ok("best - --player greedy --json", board)).expect("JSON");
        alone["seconds"] = answer["seconds"].clone();
        assert_eq!(*answer, alone);
    }
    place.write("boards.txt", &both);
    let ran = place.run("best @boards.txt --player greedy", "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("board 1 of 2: 4x4, player greedy\n"), "{}", ran.out);
    assert!(ran.out.contains("\n\nboard 2 of 2: 3x3, player greedy\n"), "{}", ran.out);
    assert!(ran.err.starts_with("lab2048: note: board 2 of 2: 3 is not"), "{}", ran.err);
    // If one board is wrong, no answer is printed.
    for (second, says) in [
        ("2 4\n4 2\n", "board 2 of 2: the game is over"),
        ("2 4\n4\n", "board 2: not a board: "),
        ("2 4\n0 0\n0 0\n0 0\n0 0\n0 0\n0 0\n0 0\n0 0\n", "board 2: not a board: "),
    ] {
        let ran = place.run("best - --player greedy", format!("{first}\n{second}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    // Consecutive rows are one board. Empty lines inside JSON do not end it.
    let answer = place.ok("best - --player greedy", &format!("{first}{first}"));
    assert!(answer.starts_with("8x4, "), "{answer}");
    assert!(place.ok("best - --player greedy", "[[2, 4],\n\n[0, 2]]\n").starts_with("2x2, "));
}

#[test]
fn options_may_stand_between_and_after_the_words_of_a_board() {
    let answer = json("best --player greedy 2 4 2 0 --json --score 8");
    assert_eq!((&answer["size"], &answer["player"]), (&"2x2".into(), &"greedy".into()));
    assert_eq!(json("best 2 4 8 0 0 2 --size 2x3 --json --player greedy")["size"], "2x3");
}

#[test]
fn a_batch_answers_every_line_in_order_and_says_which_are_wrong() {
    let place = Place::new();
    let lines = format!(
        "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\n\n0x1234012300120001\n2 4/8\n[[2,null],[null,2]]\r\n{}\n2 4/4 2\n2 2 0 0 0 0 0 0 0",
        WEB_GAME.replace('\n', "")
    );
    let batch = |line: &str, input: &str| {
        let ran = place.run(line, input);
        let answers: Vec<Value> =
            ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        (ran.code, ran.err, answers)
    };
    let (code, said, answers) = batch("best --batch --player greedy", &lines);
    assert_eq!(code, Some(2));
    assert_eq!(said, "lab2048: 2 of 7 boards got no answer, the first of them on line 4\n");
    let numbers: Vec<&Value> = answers.iter().map(|answer| &answer["line"]).collect();
    assert_eq!(numbers, [1, 3, 4, 5, 6, 7, 8], "empty lines count, but have no answer");
    let sizes: Vec<&str> = answers.iter().filter_map(|answer| answer["size"].as_str()).collect();
    assert_eq!(sizes, ["4x4", "4x4", "2x2", "4x4", "3x3"]);
    assert_eq!(
        answers[2],
        serde_json::json!({ "line": 4, "error": "not a board: row 2 has 1 cell, but row 1 has 2" })
    );
    let over = answers[5]["error"].as_str().expect("a sentence");
    assert!(over.starts_with("the game is over on this board"), "{over}");
    // The answers are those of single boards.
    for (answer, board) in
        [(&answers[0], "1234012300120001"), (&answers[4], "1234012300120001"), (&answers[3], "2,0/0,2")]
    {
        let mut alone = json(&format!("best {board} --player greedy --json"));
        for field in ["seconds", "line"] {
            alone[field] = answer[field].clone();
        }
        assert_eq!(*answer, alone);
    }
    place.write("boards.txt", "2 2/0 0\n2 0/2 0\n");
    for line in ["best --batch boards.txt", "best @boards.txt --batch", "best --batch --json -"] {
        let (code, said, answers) = batch(&format!("{line} --player greedy"), &place.read("boards.txt"));
        assert_eq!((code, said.as_str(), answers.len()), (Some(0), "", 2), "{line}");
        assert_eq!(
            (&answers[0]["values"]["up"], &answers[1]["values"]["left"]),
            (&Value::Null, &Value::Null)
        );
    }
    assert_eq!(batch("best --batch", ""), (Some(0), String::new(), Vec::new()));
    // A player that fails is not blamed on the boards, and a line is never too long to be refused.
    let (code, _, answers) = batch("best --batch --player clairvoyant", "2 2/0 0\n");
    assert!(code == Some(2) && answers[0]["error"].as_str().is_some_and(|said| said.contains("--seed N")));
    let (code, _, answers) =
        batch("best --batch --player greedy", &format!("{}\n2 2/0 0\n", "2 ".repeat(40_000)));
    assert_eq!(
        (code, &answers[0]["error"]),
        (Some(2), &"not a board: the line is longer than 65536 bytes".into())
    );
    assert_eq!(answers[1]["line"], 2);
}

/// A program can ask board by board: each answer comes before the next line is needed.
#[test]
fn a_batch_answers_each_line_at_once() {
    use std::io::{BufRead as _, BufReader, Write as _};

    let place = Place::new();
    let mut best = place.start("best --batch --player greedy");
    let mut input = best.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(best.stdout.take().expect("stdout is piped"));
    for (line, board) in (1..).zip(["2 2/0 0", "oops", "0 0/4 4"]) {
        writeln!(input, "{board}").expect("it still reads");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("an answer");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["line"], line);
    }
    drop(input);
    assert_eq!(support::ended(best).code, Some(2));
}

#[test]
fn a_player_that_knows_the_future_needs_a_seed() {
    let place = Place::new();
    let told = place.ok(&format!("best {COLUMN} --player clairvoyant:depth=2 --seed 3"), "");
    assert!(
        told.contains("best: ") && told.ends_with("clairvoyant:depth=2 knows the coming tiles\n"),
        "{told}"
    );
    let refused = place.run(&format!("best {COLUMN} --player clairvoyant:depth=2"), "");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("--seed N"), "{}", refused.err);
}

/// In the middle of a game, `best` with its seed and moves gives the decisions of the game, and
/// reads the boards that `watch` prints.
#[test]
fn a_position_of_a_game_is_judged_as_in_the_game() {
    let place = Place::new();
    let game = place.ok("watch clairvoyant:depth=3 --seed 7 --max-moves 12 --json", "");
    let events: Vec<Value> = game.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for pair in events.windows(2).filter(|pair| pair[1]["event"] == "move") {
        let (moves, score) = (pair[0]["move"].as_u64().unwrap_or(0), pair[0]["score"].as_u64().unwrap_or(0));
        place.write("position.json", &pair[0].to_string());
        let asked = format!(
            "best @position.json --player clairvoyant:depth=3 --seed 7 --moves {moves} --score {score} --json"
        );
        let answer: Value = serde_json::from_str(&place.ok(&asked, "")).expect("JSON");
        let decision = &pair[1]["decision"];
        assert_eq!(
            (&answer["action"], &answer["values"]),
            (&decision["action"], &decision["values"]),
            "move {moves}"
        );
        assert!(decision["cut_off"].is_array() && decision["lost"].is_array());
    }
}

#[test]
fn what_cannot_be_asked() {
    let place = Place::new();
    for (line, code, says) in [
        ("best 2%204/4%202", 2, "the game is over"),
        ("best 2%204/4", 2, "not a board"),
        ("best 2 4 8 16 32", 2, "a single row of 5 cells needs a board size"),
        ("best 2 4 x 8", 2, "not a board: row 2, column 1: 'x' is not a whole number"),
        ("best 0x12", 2, "not a board: the hex code '0x12' has 2 digits after 0x"),
        ("best {\"cells\":[[2,0],[0,4]]}", 2, "'cells' does not say whether its lists are rows or columns"),
        ("best", 2, "arguments were not provided: <BOARD>"),
        ("best 9223372036854775808%209223372036854775808/2%204", 2, "no move can be played on this board: "),
        ("best 2%200/0%202 --player clairvoyant:depth=11 --seed 1", 2, "needs beam=N"),
        ("best 2%200/0%202 --player human", 1, "human did not choose a move"),
        ("best 2%200/0%202 --player nobody", 2, "there is no player 'nobody'"),
    ] {
        let ran = place.run(line, "");
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_ctrl_c_ends_a_long_thought() {
    let place = Place::new();
    let best = place.start("best 1234012300120001 --player minimax:depth=60");
    support::wait_until_it_listens(&best);
    support::interrupt(&best);
    assert_eq!(support::ended(best).code, Some(130));
}

#[test]
fn the_large_network_differs_and_its_errors_name_the_file() {
    let place = Place::new();
    let line = "best 1234012300120001 --player ntuple:net=full --json";
    let values = |line: &str| {
        let told: Value = serde_json::from_str(&place.ok(line, "")).expect("JSON");
        assert_eq!(told["unit"], "points", "{told}");
        told["values"]["left"].as_f64().expect("a value")
    };
    assert_ne!(values(line), values(&line.replace(":net=full", "")));
    let refused = || {
        let elsewhere = std::process::Command::new(env!("CARGO_BIN_EXE_lab2048"))
            .args(line.split(' '))
            .env("LAB2048_NETS", place.path("nets"))
            .output()
            .expect("it runs");
        assert_eq!(elsewhere.status.code(), Some(2));
        let told = String::from_utf8(elsewhere.stderr).expect("it is text");
        assert_eq!(told.lines().count(), 1, "{told}");
        told
    };
    let file = place.path("nets").join("full.net");
    let told = refused();
    assert!(told.contains(&format!("cannot read the network {}: ", file.display())), "{told}");
    assert!(told.contains("put full.net next to the program"), "{told}");
    // The hint for a missing file is not shown for a damaged one.
    std::fs::create_dir(place.path("nets")).expect("a writable folder");
    place.write("nets/full.net", "a network");
    let told = refused();
    assert!(told.contains(&format!("cannot use {} as a network: ", file.display())), "{told}");
    assert!(!told.contains("put full.net"), "{told}");
}
