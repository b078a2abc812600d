//! `lab2048 --plain` with the real binary: the menu line by line, and what plain `play` keeps.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use support::{Place, ended, interrupt};

/// At least two of these moves can be played at the start of any game.
const KEYS: &str = "w\na\ns\nd\n";

/// The menu with these lines typed.
fn menu(place: &Place, lines: &str) -> String {
    place.ok("--plain", lines)
}

#[test]
fn without_lines_it_ends_and_without_plain_there_is_help() {
    let place = Place::new();
    let shown = menu(&place, "");
    for words in
        ["m      play 4x4 yourself", "a      let a player play: auto", "speed  speed of players: 300 ms"]
    {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    assert!(shown.ends_with("your choice\n"), "{shown}");
    assert!(menu(&place, "q\n").ends_with("your choice\n"));
    let bare = Command::new(env!("CARGO_BIN_EXE_lab2048")).stdin(Stdio::piped()).output();
    let bare = bare.expect("the binary starts");
    assert_eq!((bare.status.code(), bare.stderr), (Some(0), Vec::new()));
    assert_eq!(String::from_utf8_lossy(&bare.stdout), place.ok("--help", ""));
    let said = menu(&place, "hello\n\u{1b}[2J\n\n\nh\n");
    assert!(said.contains("'hello' is not a choice; h lists them"), "{said}");
    assert!(said.contains("'\\u{1b}[2J' is not a choice") && said.contains("The rules"), "{said}");
    menu(&place, &"x".repeat(100_000));
    menu(&place, "no line end");
    let ran = place.run("--plain", b"\xff\xfe\nc\n\xff 1 2 3\n");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(ran.out.contains("row 1, column 1: '"), "{}", ran.out);
}

#[test]
fn a_player_plays_and_the_menu_asks_to_play_again() {
    let place = Place::new();
    let shown = menu(&place, "speed\nb 2x2\na greedy\ny\nn\nq\n");
    assert!(shown.contains("speed of players: turbo, as fast as they can"), "{shown}");
    assert_eq!(shown.matches("lab2048 watch greedy --delay 0ms --size 2x2\n").count(), 2, "{shown}");
    assert_eq!(shown.matches("1 game: total score ").count(), 2, "{shown}");
    assert_eq!(shown.matches("play again? y the same again, n the menu [n]").count(), 2, "{shown}");
    let lines: Vec<&str> = shown.lines().filter(|line| line.starts_with("score ")).collect();
    assert!(
        lines.len() > 4 && lines.iter().all(|line| line.contains("   moves ") && line.ends_with(" s")),
        "{shown}"
    );
    // The player is remembered; a wrong one is asked for again.
    let shown = menu(&place, "speed 0ms\nb 2x2\na gredy\nhuman\n\nn\n");
    assert!(
        shown.contains("did you mean 'greedy'?") && shown.contains("that is you: m lets you play"),
        "{shown}"
    );
    assert!(shown.contains("which player, like greedy or expectimax:depth=3 [greedy]"), "{shown}");
    assert_eq!(shown.matches("1 game: total score ").count(), 1, "{shown}");
    let shown = menu(&place, "speed 61s\nspeed x\nspeed\nspeed\n");
    assert_eq!(shown.matches("it must be a time like 200ms").count(), 2, "{shown}");
    assert!(shown.contains("turbo") && shown.contains("300 ms after each move\nyour choice"), "{shown}");
}

#[test]
fn a_wrong_row_is_asked_for_again_and_not_the_whole_board() {
    let place = Place::new();
    let rows = "2 4 x 8\n2,4,8\n2, 4, 8, -16\n2, 4, 8, 16\n0 0 0 0\n. . 3 3\n0 0 0 0\n";
    let shown = menu(&place, &format!("c\n{rows}m\nq\nq\n"));
    for words in [
        "row 1, column 3: 'x' is not a whole number\nrow 1 of 4\n",
        "row 1 has 3 numbers, but 4 are needed\nrow 1 of 4\n",
        "row 1, column 4: -16 is negative\nrow 1 of 4\nrow 2 of 4\nrow 3 of 4\nrow 4 of 4\n",
        "who plays? m you, a a player [a]\nlab2048 play --board '2 4 8 16/0 0 0 0/0 0 3 3/0 0 0 0'\n",
    ] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
    // Boards that cannot be played: only the last row is asked for again.
    let shown = menu(&place, "b 2x2\nc\n0 0\n0 0\n2 2\nm\nq\nc\n2 4\n8 16\n8 4\n\u{7f}\nq\nq\n");
    assert!(shown.contains("the board has no tiles\nrow 2 of 2\n    .    .\n"), "{shown}");
    assert!(shown.contains("no move is possible on this board\nrow 2 of 2\n"), "{shown}");
    let shown = menu(&place, "speed\nc\n2 2/4 0\na\nrandom\nn\nq\n");
    assert!(shown.contains("watch random --delay 0ms --board '2 2/4 0'"), "{shown}");
    // Back, and the end in the middle of a board.
    assert!(menu(&place, "c\n2 4 8 16\nq\nq\n").ends_with("your choice\n"));
    assert!(menu(&place, "c\n2 4 8 16\n").ends_with("row 2 of 4\n"));
}

#[test]
fn positions_practice_replays_and_statistics() {
    let place = Place::new();
    let shown = menu(&place, "d\n99\nalmost 2048\nm\nq\nd\n\nq\nq\n");
    assert!(shown.contains("  1  debug        the middle of a game"), "{shown}");
    assert!(shown.contains("there are positions 1 to 8\n"), "{shown}");
    assert!(shown.contains("play --board '0 0 2 0/0 4 2 0/8 16 32 4/1024 512 256 256'"), "{shown}");
    assert_eq!(shown.matches("who plays?").count(), 2, "{shown}");
    let shown = menu(&place, "p\n4\nq\np\n5\nq\nq\n");
    assert!(shown.contains("  4  2x2     expected score on 2x2\n"), "{shown}");
    assert!(shown.contains("\nlab2048 practice 2x2\n"), "{shown}");
    assert!(shown.contains("'5' is not a choice: type a number from 1 to 4"), "{shown}");
    let shown = menu(&place, "p\n\nq\np no-such-table\nt\nq\n");
    assert!(
        shown.contains("chance to make 64 on 2x3") && shown.contains("lab2048 practice no-such-table"),
        "{shown}"
    );
    assert!(shown.contains("Your games"), "an error does not end the menu:\n{shown}");
    place.ok("watch greedy --seed 7 --max-moves 5 --every 0 --save game.2048", "");
    let shown = menu(&place, "r\n\n2\nq\nr nothing.2048\nq\n");
    assert!(shown.contains("which file [game.2048]\n") && shown.contains("move 2"), "{shown}");
    assert!(shown.contains("cannot read nothing.2048"), "{shown}");
    let shown = menu(&place, "w\nnowhere\nhttp://localhost/\nclairvoyant\ngreedy\n0\nq\nq\n");
    for words in ["is not an address", "coming tiles", "it must be a whole number from 1"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
}

#[test]
fn plain_play_keeps_the_game_and_the_best_score() {
    let place = Place::new();
    let first = place.ok("play", &format!("{KEYS}{KEYS}{KEYS}u\nq\n"));
    assert!(first.contains("`lab2048 play` continues this game"), "{first}");
    let points = first.lines().find(|line| line.starts_with("points ")).expect("the result").to_owned();
    // Nothing is typed: the same game, as it was left.
    let again = place.ok("play", "");
    assert!(again.contains("this is your unfinished game; n starts a new one"), "{again}");
    assert!(again.contains(&points), "with the best score before the undo: {points}\n{again}");
    assert!(menu(&place, "m\nq\nq\n").contains("continue your 4x4 game of "), "the menu knows it");
    // Another size has its own game. Special games and programs change neither.
    let other = place.ok("play --size 3x3", KEYS);
    assert!(!other.contains("unfinished game; n") && other.contains("continues this game"), "{other}");
    place.ok("play --json", "wasd\n");
    place.ok("play --seed 7", "wasd\n");
    assert!(place.ok("play", "").contains("game 1, 3x3"), "the game that was open last");
    assert!(place.ok("play --size 4x4", "").contains(&points));
    assert!(place.ok("play", "").contains("game 1, 4x4"), "the game that was open last");
    // Giving it up needs a second n. The best score stays.
    let best: u64 = points
        .split("best ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect("the best")
        .parse()
        .expect("a number");
    assert!(best > 0);
    let given_up = place.ok("play --size 4x4", &format!("n\n{KEYS}n\nn\n"));
    assert!(given_up.contains("n again abandons this game and starts a new one"), "{given_up}");
    assert!(given_up.contains("game 2, 4x4"), "{given_up}");
    let after = place.ok("play --size 4x4", "");
    assert!(!after.contains("unfinished game; n"), "a game without moves is not kept:\n{after}");
    let kept = after.split("best ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("the best");
    assert!(kept.parse::<u64>().expect("a number") >= best, "{after}");
}

#[test]
fn a_plain_game_that_ends_is_counted_and_asks_to_play_again() {
    let place = Place::new();
    let out = place.ok("play --size 2x2", &KEYS.repeat(60));
    assert!(
        out.contains("The game is over: no moves left.\nPlay again? n new game, u undo, q quit\n"),
        "{out}"
    );
    let statistics = place.ok("statistics", "");
    assert!(statistics.contains("2x2") && statistics.contains("games"), "{statistics}");
    let again = place.ok("play --size 2x2", "");
    assert!(!again.contains("unfinished game; n"), "{again}");
}

#[test]
fn damaged_statistics_are_a_warning() {
    let place = Place::new();
    for line in ["statistics", "statistics --json"] {
        place.write("state.json", "{\"version\": 2, \"played\": ");
        let ran = place.run(line, "");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let says = "lab2048: state.json could not be used and is now state.json.bad";
        assert!(ran.err.starts_with(says) && ran.err.lines().count() == 1, "{}", ran.err);
        assert!(ran.out.contains("none yet") || ran.out.contains("\"played\": {}"), "{}", ran.out);
    }
    let help = place.ok("statistics --help", "");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("line by line") && help.contains("warning"), "{help}");
    assert!(help.contains("for another reason, the exit code is 1"), "{help}");
}

/// A script must not take them for empty ones.
#[test]
fn statistics_that_cannot_be_read_are_an_error() {
    let place = Place::new();
    for line in ["statistics", "statistics --json"] {
        place.write("state.json", "{\"version\": 99}");
        let ran = place.run(line, "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
        assert!(ran.err.starts_with("lab2048: the statistics cannot be read: "), "{}", ran.err);
        assert!(ran.err.contains("newer lab2048") && ran.err.lines().count() == 1, "{}", ran.err);
        assert_eq!(place.read("state.json"), "{\"version\": 99}");
        // A data folder that cannot exist, and none at all.
        let mut under_a_file = place.command(line);
        under_a_file.env("LAB2048_HOME", place.path("state.json").join("under"));
        let mut homeless = place.command(line);
        homeless.env_clear();
        for (mut command, says) in [(under_a_file, "cannot create "), (homeless, "there is no home folder")] {
            let ran = ended(command.spawn().expect("the binary starts"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{}", ran.err);
            assert!(ran.err.contains(says), "{}", ran.err);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_statistics_that_leads_nowhere_is_an_error() {
    let place = Place::new();
    std::os::unix::fs::symlink("state.json", place.path("state.json")).expect("a writable folder");
    let said = place.fails("statistics --json", "", 1);
    assert!(said.starts_with("the statistics cannot be read: cannot read "), "{said}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_game() {
    let place = Place::new();
    let mut child = place.start("--plain");
    let mut input = child.stdin.take().expect("stdin is piped");
    input.write_all(format!("m\n{KEYS}{KEYS}").as_bytes()).expect("stdin is open");
    support::wait_for(&mut child, "moves 2");
    interrupt(&child);
    let ran = ended(child);
    drop(input);
    assert_eq!((ran.code, ran.err.as_str()), (Some(130), ""), "{}", ran.out);
    assert!(ran.out.contains("continues this game"), "{}", ran.out);
    assert!(place.ok("play", "").contains("unfinished game; n"));
}

#[test]
fn a_folder_that_cannot_be_used_prevents_only_keeping() {
    let place = Place::new();
    place.write("state.json", "{\"version\": 99}");
    let out = place.ok("play", KEYS);
    assert!(
        out.contains("games and best scores cannot be saved: ") && out.contains("newer lab2048"),
        "{out}"
    );
    assert!(out.contains("this game was not kept: ") && !out.contains("continues this game"), "{out}");
    assert_eq!(place.read("state.json"), "{\"version\": 99}");
}
