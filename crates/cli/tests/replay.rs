//! `lab2048 replay` with the real binary.

mod support;

use serde_json::Value;
use support::{Place, forged};

/// A folder with a complete game.
fn place_with_a_game() -> Place {
    let place = Place::new();
    place.ok("watch greedy --seed 7 --every 0 --save game.2048", "");
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_saved_game_is_shown_and_valid() {
    let place = place_with_a_game();
    let shown = place.ok("replay game.2048", "");
    for piece in [
        "rules    4x4, chance of a 4 0.1",
        "seed     7",
        "player   greedy",
        "ending   no moves left",
        "the replay is valid: ",
    ] {
        assert!(shown.contains(piece), "{piece} is missing in\n{shown}");
    }
    let verified = place.ok("replay game.2048 --verify", "");
    assert!(verified.contains("every new tile comes from the seed"), "{verified}");
    let whole = json(&place.ok("replay game.2048 --json", ""));
    assert_eq!(whole["check"]["holds"], true);
    assert_eq!(whole["header"]["seed"], 7);
    assert_eq!(json(&place.ok("replay game.2048 --verify --json", ""))["seeded_start"], true);
}

#[test]
fn the_positions_agree_with_the_game_that_was_watched() {
    let place = Place::new();
    let watched = place.ok("watch random --seed 3 --max-moves 40 --json --save game.2048", "");
    let watched: Vec<Value> = watched.lines().map(json).filter(|event| event["event"] == "move").collect();
    let listed: Vec<Value> = place.ok("replay game.2048 --moves --json", "").lines().map(json).collect();
    assert_eq!((watched.len(), listed.len()), (40, 40));
    for (watched, listed) in watched.iter().zip(&listed) {
        for key in ["move", "turn", "score", "board"] {
            assert_eq!(watched[key], listed[key]);
        }
        let at = json(&place.ok(&format!("replay game.2048 --at {} --json", listed["move"]), ""));
        assert_eq!(at, *listed);
    }
    assert_eq!(place.ok("replay game.2048 --moves", "").lines().count(), 40);
    let said = place.fails("replay game.2048 --at 41", "", 2);
    assert_eq!(said, "there is no position 41: the replay has 40 moves");
}

#[test]
fn stepping_by_lines() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 4 --every 0 --save game.2048", "");
    let numbers = |input: &str| -> Vec<String> {
        let out = place.ok("replay game.2048 --step", input);
        let heads = out.lines().filter_map(|line| line.split("move ").nth(1)?.split(" of 4:").next());
        heads.filter(|head| head.len() == 1).map(str::to_owned).collect()
    };
    assert_eq!(numbers("\nn\n\np\n4\n0\nq\n3\n"), ["0", "1", "2", "3", "2", "4", "0"]);
    assert_eq!(numbers(""), ["0"], "the end of the input is the end");
    assert_eq!(numbers("p\n5\nwhat\n-1\n3\n"), ["0", "3"], "invalid input is refused and the position stays");
}

#[test]
fn an_invalid_replay_fails_the_check_but_is_shown() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 30 --every 0 --save game.2048", "");
    let text = place.read("game.2048");
    // With another seed, the first tile differs.
    place.write("forged.2048", &forged(&text.replacen("\"seed\":3", "\"seed\":4", 1)));
    let said = place.fails("replay forged.2048 --verify", "", 1);
    assert!(said.starts_with("forged.2048: the replay is not valid: step 1: a tile "), "{said}");
    assert!(place.ok("replay forged.2048", "").contains("is not valid: step 1"));
    assert_eq!(json(&place.ok("replay forged.2048 --json", ""))["check"]["holds"], false);
    let checked = place.run("replay forged.2048 --verify --json", "");
    assert_eq!((checked.code, json(&checked.out)["holds"].clone()), (Some(1), Value::Bool(false)));
}

/// 1: the game is not valid. 2: there is no game to verify.
#[test]
fn exit_codes_of_verify() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 30 --every 0 --save game.2048", "");
    let text = place.read("game.2048");
    let other = text.replacen("\"seed\":3", "\"seed\":4", 1);
    place.write("forged.2048", &forged(&other));
    // A game of 2048verse is played while it is read.
    place.write("verse.txt", "4x4-1_00000g000");
    for file in ["forged.2048", "verse.txt", "verse.txt --import 2048verse"] {
        let said = place.fails(&format!("replay {file} --verify"), "", 1);
        assert!(said.contains(": the replay is not valid: step 1: "), "{said}");
        let checked = place.run(&format!("replay {file} --verify --json"), "");
        assert_eq!((checked.code, json(&checked.out)["holds"].clone()), (Some(1), Value::Bool(false)));
    }
    place.write("damaged.2048", &other);
    place.write("text.2048", "hello");
    place.write("short.txt", "4x4-1_00");
    for file in ["damaged.2048", "text.2048", "short.txt", "missing.2048", "."] {
        place.fails(&format!("replay {file} --verify"), "", 2);
    }
    place.fails("replay game.2048 --verify --moves", "", 2);
}

#[test]
fn text_of_2048verse_becomes_a_replay() {
    let place = Place::new();
    place.write("verse.txt", "4x4-1_00000g005¾ôj");
    place.ok("replay verse.txt --import 2048verse -o game.2048", "");
    let shown = place.ok("replay game.2048", "");
    assert!(shown.contains("note     imported from 2048verse (4x4-1)"), "{shown}");
    assert!(shown.contains("every new tile is possible"), "{shown}");
    place.write("wrong.txt", "4x4-1_00000g000");
    let said = place.fails("replay wrong.txt --import 2048verse -o wrong.2048", "", 2);
    assert!(said.starts_with("wrong.txt: the game is impossible"), "{said}");
    assert!(!place.path("wrong.2048").exists());
}

#[test]
fn text_of_2048verse_is_opened_like_a_replay() {
    let place = Place::new();
    place.write("verse.txt", "4x4-1_00000g005¾ôj");
    let shown = place.ok("replay verse.txt", "");
    assert!(shown.contains("note     imported from 2048verse (4x4-1)"), "{shown}");
    place.ok("replay verse.txt --verify", "");
    place.ok("replay verse.txt -o game.2048", "");
    assert_eq!(
        json(&place.ok("replay game.2048 --json", "")),
        json(&place.ok("replay verse.txt --json", ""))
    );
    let review = json(&place.ok("review verse.txt --judge ntuple:depth=1 --json", ""));
    assert_eq!(review["moves"].as_array().map(Vec::len), Some(2), "{review}");
    place.ok("gif verse.txt -o verse.gif", "");
    assert!(place.path("verse.gif").exists());
    place.write("wrong.txt", "4x4-1_00000g000");
    for line in ["replay wrong.txt", "review wrong.txt", "gif wrong.txt -o wrong.gif"] {
        let said = place.fails(line, "", 2);
        assert!(said.starts_with("wrong.txt: the game is impossible"), "{line}: {said}");
    }
}

#[test]
fn a_copy_is_the_same_file() {
    let place = place_with_a_game();
    place.ok("replay game.2048 -o copy.2048", "");
    assert_eq!(place.read("copy.2048"), place.read("game.2048"));
}

#[test]
fn damaged_files_are_named_with_the_line() {
    let place = place_with_a_game();
    let text = place.read("game.2048");
    place.write("torn.2048", &text[..text.len() / 2]);
    place.write("changed.2048", &text.replacen("\"greedy\"", "\"gr33dy\"", 1));
    place.write("other.txt", "Dear diary\n");
    for (file, says) in [
        ("torn.2048", "it was cut off"),
        ("changed.2048", "the file was changed"),
        ("other.txt", "line 1: this is not a replay of lab2048"),
        ("missing.2048", "cannot read missing.2048"),
    ] {
        let said = place.fails(&format!("replay {file}"), "", 2);
        assert!(said.contains(file) && said.contains(says), "{said}");
    }
    let said = place.fails("replay game.2048 --at 3 --moves", "", 2);
    assert!(said.contains("cannot be used with"), "{said}");
    let said = place.fails("replay game.2048 -o no/such/folder.2048", "", 2);
    assert_eq!(said, "cannot write no/such/folder.2048: the folder does not exist");
    let said = place.fails("replay game.2048 -o other.txt", "", 2);
    assert_eq!(said, "other.txt already exists and is not a replay of lab2048; choose another name");
}

/// Notes come from a file and must not steer the terminal.
#[test]
fn control_characters_of_a_file_are_not_printed() {
    let place = place_with_a_game();
    let text = place.read("game.2048").replacen("\"note\":null", "\"note\":\"\\u001b[2J\"", 1);
    place.write("evil.2048", &forged(&text));
    let shown = place.ok("replay evil.2048", "");
    assert!(shown.contains("[2J") && !shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn a_still_picture_of_any_position() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 30 --board 131072%203/0%205 --every 0 --save game.2048", "");
    let moves = place.ok("replay game.2048 --moves", "").lines().count();
    let said = place.ok("replay game.2048 --svg board.svg", "");
    assert!(said.starts_with(&format!("board.svg: move {moves} of {moves}, score ")), "{said}");
    let last = place.read("board.svg");
    assert!(last.starts_with("<svg ") && last.ends_with("</svg>\n"), "{last}");
    let first = place.ok("replay game.2048 --at 0 --svg -", "");
    for piece in [">131072<", ">3<", ">5<", &format!(">move 0 of {moves}, score 0<")] {
        assert!(first.contains(piece), "{piece} is missing in {first}");
    }
    // The background, the board and four cells.
    assert_eq!(first.matches("<rect").count(), 6);
    let second = place.ok("replay game.2048 --at 1 --svg -", "");
    assert_eq!(second.matches("<rect").count(), 7, "the new tile is framed");
    place.write("notes", "mine");
    let said = place.fails("replay game.2048 --svg notes", "", 2);
    assert_eq!(said, "notes already exists and is not an SVG picture of lab2048; choose another name");
    assert_eq!(
        place
            .fails(&format!("replay game.2048 --at {} --svg x.svg", moves + 1), "", 2)
            .find("there is no position"),
        Some(0)
    );
    assert!(!place.path("x.svg").exists());
    assert!(place.fails("replay game.2048 --svg x.svg --json", "", 2).contains("cannot be used with"));
}

#[test]
fn saving_several_games_overwrites_no_other_file() {
    let place = Place::new();
    place.write("notes-2.txt", "precious");
    place.ok("play --seed 3 --save notes.txt", "a\ns\nn\na\ns\nq\n");
    place.ok("watch random --seed 3 --games 2 --every 0 --save notes.txt", "");
    for number in ["", "-3", "-4", "-5"] {
        place.ok(&format!("replay notes{number}.txt --verify"), "");
    }
    assert_eq!(place.read("notes-2.txt"), "precious");
    let said = place.fails("watch random --seed 3 --every 0 --save notes-2.txt", "", 2);
    assert!(said.starts_with("notes-2.txt already exists and is not a replay"), "{said}");
}

#[test]
fn a_converted_replay_overwrites_nothing() {
    let place = place_with_a_game();
    let game = place.read("game.2048");
    place.write("verse.txt", "4x4-1_00000g005¾ôj");
    let said = place.ok("replay verse.txt --import 2048verse -o game.2048", "");
    assert!(said.starts_with("saved as game-2.2048\n"), "{said}");
    assert_eq!(place.read("game.2048"), game);
    let ran = place.run("replay verse.txt --import 2048verse -o game.2048 --json", "");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "lab2048: saved as game-3.2048\n"));
    assert_eq!(json(&ran.out)["check"]["holds"], true);
    assert_eq!(place.read("game-2.2048"), place.read("game-3.2048"));
    place.write("notes.txt", "precious");
    place.fails("replay game.2048 -o notes.txt", "", 2);
    assert_eq!(place.read("notes.txt"), "precious");
}
