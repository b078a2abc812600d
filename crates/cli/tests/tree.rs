//! `lab2048 tree`: the picture is a well-formed SVG of the player's search tree.

use std::fs;
use std::process::{Command, Output};

fn lab2048(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lab2048")).args(arguments).output().expect("the command starts")
}

const BOARD: &str = "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2";

/// Every element is on its own line and closed there.
fn check_picture(svg: &str) {
    assert!(svg.starts_with("<svg xmlns="));
    for line in svg.lines().skip(1).take_while(|&line| line != "</svg>") {
        let closed = line.ends_with("/>") || (line.starts_with("<text ") && line.ends_with("</text>"));
        assert!(closed && line.starts_with('<') && !line.contains("NaN"), "{line}");
    }
    assert_eq!(svg.lines().last(), Some("</svg>"));
}

#[test]
fn a_file_of_another_kind_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "my data").unwrap();
    let output = lab2048(&["tree", BOARD, "-o", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&path).unwrap(), "my data");
}

#[test]
fn pictures_of_every_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.svg");
    for (player, label) in
        [("clairvoyant", "↓"), ("minimax", "4: 1.7%"), ("sum", "2: 15%"), ("expectimax", "2: 15%")]
    {
        let output = lab2048(&[
            "tree",
            BOARD,
            "--player",
            player,
            "--depth",
            "2",
            "--top",
            "2",
            "-o",
            path.to_str().unwrap(),
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(" boards, best "), "{said}");
        let svg = fs::read_to_string(&path).unwrap();
        check_picture(&svg);
        assert!(svg.contains(&format!(">{player}, 2 moves ahead")) && svg.contains(label), "{player}");
    }
}

#[test]
fn the_same_picture_every_time_and_on_the_standard_output() {
    let line = ["tree", "2 0 4/0 0 8", "--player", "clairvoyant", "--seed", "5", "-o", "-"];
    let (one, other) = (lab2048(&line), lab2048(&line));
    check_picture(&String::from_utf8(one.stdout.clone()).unwrap());
    assert_eq!(one.stdout, other.stdout);
    let words = "tree 2 0 4 / - - 8 --player clairvoyant --seed 5 -o -";
    assert_eq!(lab2048(&words.split(' ').collect::<Vec<_>>()).stdout, one.stdout, "without quotation marks");
    let changed = lab2048(&["tree", "2 0 4/0 0 8", "--player", "clairvoyant", "--seed", "7", "-o", "-"]);
    assert_ne!(one.stdout, changed.stdout, "other tiles come with another seed");
}

/// Without `--player`, the picture shows the move of `best` on the same board.
#[test]
fn the_default_player_is_that_of_best() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.svg");
    for (board, player) in [
        (BOARD, "ntuple"),
        ("2 4 8 16/16 2 0 8/4 0 2 4/2 8 4 2", "ntuple"),
        ("2 4 8/0 2 4/0 0 2", "expectimax"),
        ("17 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2", "expectimax"),
    ] {
        let output = lab2048(&["tree", board, "-o", path.to_str().unwrap()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let answer = lab2048(&["best", board, "--json"]).stdout;
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        let best = answer["action"].as_str().unwrap();
        assert!(said.ends_with(&format!(", best {best}\n")), "{board}: {said}");
        let title = format!("auto ({player}), 3 moves ahead, 2 drawn: {best}");
        let svg = fs::read_to_string(&path).unwrap();
        check_picture(&svg);
        assert!(svg.contains(&format!(">{title}<")), "{title}:\n{}", svg.lines().nth(2).unwrap());
        let drawn = format!("auto ({player}), 3 moves ahead, 2 drawn: ");
        let boards = said.split(&drawn).nth(1).and_then(|rest| rest.split(' ').next());
        let boards: usize = boards.and_then(|boards| boards.parse().ok()).unwrap_or_else(|| panic!("{said}"));
        // Three moves, three spawns after each, three moves again.
        assert!((10..=40).contains(&boards), "{said}");
    }
}

/// The title names the seed only if the coming tiles are known, and never more moves than are
/// possible.
#[test]
fn titles_are_true() {
    // With the tiles of seed 1, at most 8 moves are possible:
    //   2 4
    //   8 0
    let small = "2 4/8 0";
    for (board, player, says) in [
        (BOARD, "clairvoyant", "3 moves ahead, the tiles of seed 1 known: "),
        (BOARD, "clairvoyant:blind=true", "3 moves ahead: "),
        (small, "clairvoyant:depth=9", "8 moves ahead, the tiles of seed 1 known: "),
    ] {
        let output = lab2048(&["tree", board, "--player", player, "-o", "-"]);
        let svg = String::from_utf8(output.stdout).unwrap();
        let title = svg.lines().find(|line| line.contains(" ahead")).unwrap();
        assert!(title.contains(&format!("{player}, {says}")), "{title}");
    }
}

#[test]
fn what_cannot_be_drawn_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.svg");
    let path = path.to_str().unwrap();
    let cases: [(&[&str], &str); 10] = [
        (
            &["tree", BOARD, "-o", "tree.png"],
            "tree.png is a misleading name for an SVG picture of lab2048; use the ending .svg",
        ),
        (&["tree"], "BOARD"),
        (&["tree", BOARD], "--output"),
        (&["tree", "2 4/4 2", "-o", path], "the game is over"),
        (&["tree", "2 4/4 two", "-o", path], "'two' is not a whole number"),
        (&["tree", BOARD, "--player", "greedy", "-o", path], "has no search tree"),
        (&["tree", BOARD, "--player", "sum", "--depth", "99", "-o", path], "depth=99 is not possible"),
        (&["tree", BOARD, "--depth", "8", "-o", path], "too many boards"),
        (&["tree", BOARD, "--player", "clairvoyant", "--depth", "8", "-o", path], "too many boards"),
        (&["tree", "2 4/4 0\n\n2 4/4 0", "-o", path], "one board is needed, but 2 are given"),
    ];
    for (line, says) in cases {
        let output = lab2048(line);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line:?}: {error}");
        assert!(error.contains(says), "{line:?}: {error}");
    }
    assert!(!std::path::Path::new(path).exists());
}
