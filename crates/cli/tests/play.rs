//! `lab2048 play` and `lab2048 watch` with the real binary.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::Child;

use serde_json::{Value, json};
use support::{Place, ended, interrupt, wait_for};

fn events(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

const BOARD: &str = "--board 2%202/4%200";

#[test]
fn a_game_with_all_kinds_of_keys_is_saved_and_valid() {
    let place = Place::new();
    let input = "w\nA\nleft\nDOWN\n\u{1b}[A\n\u{1b}OC\nasdw\n?\nu\nr\nq\n";
    let out = place.ok("play --seed 7 --save game.2048", input);
    assert!(out.contains("hint: "), "{out}");
    assert!(out.contains("saved as game.2048"), "{out}");
    let last = out.lines().rev().nth(1).expect("at least two lines");
    assert!(last.starts_with("points "), "{last}");
    assert!(place.ok("replay game.2048 --verify", "").starts_with("the replay is valid"));
    let shown = place.ok("replay game.2048", "");
    assert!(shown.contains("player   human") && shown.contains("ending   quit"), "{shown}");
}

#[test]
fn an_invalid_move_is_refused_with_the_reason_and_changes_nothing() {
    let place = Place::new();
    //  2 2 . .
    //  . . . .   nothing moves up; right merges the two
    let board = "--size 2x4 --board 2%202%200%200/0%200%200%200";
    let events = events(&place.ok(&format!("play --seed 1 {board} --json"), "w\nx\np\nu\nr\nwd\nd\n"));
    let reasons: Vec<_> = named(&events, "refused").iter().map(|event| event["reason"].as_str()).collect();
    assert_eq!(reasons[0], Some("up does not change the board"));
    assert!(reasons[1].is_some_and(|reason| reason.starts_with("'x' is not a key")), "{reasons:?}");
    assert_eq!(reasons[2], Some("these rules do not allow a pass"));
    assert_eq!(reasons[3], Some("nothing to undo"));
    assert_eq!(reasons[4], Some("nothing to redo"));
    assert_eq!(reasons[5], Some("up does not change the board"), "and the rest of that line is dropped");
    assert_eq!(reasons.len(), 6);
    let moves = named(&events, "move");
    assert_eq!((moves.len(), &moves[0]["turn"]["reward"]), (1, &json!(4)));
}

#[test]
fn undo_takes_back_and_redo_plays_the_same_again() {
    let place = Place::new();
    let events = events(&place.ok("play --seed 7 --json", "w\na\ns\nu\nu\nu\nr\nr\nr\n"));
    let boards: Vec<_> = named(&events, "position").iter().map(|event| event["board"].clone()).collect();
    assert_eq!(boards.len(), 10);
    assert_eq!(boards[4..7], [boards[2].clone(), boards[1].clone(), boards[0].clone()]);
    assert_eq!(boards[7..10], boards[1..4]);
}

#[test]
fn the_winning_tile_is_announced_once_and_the_game_continues() {
    let place = Place::new();
    let board = "--board 1024%201024%200/2%204%208/0%200%200";
    let out = place.ok(&format!("play --seed 1 {board} --json"), "a\nu\na\ns\nd\nw\n");
    let events = events(&out);
    assert_eq!(named(&events, "goal").len(), 1, "{out}");
    assert_eq!(named(&events, "goal")[0]["tile"], 2048);
    assert!(named(&events, "move").len() >= 4, "{out}");
    let there_already =
        place.ok(&format!("play --seed 1 {} --json", board.replace("1024%201024", "2048%201024")), "s\n");
    assert!(named(&self::events(&there_already), "goal").is_empty());
}

#[test]
fn best_score_and_points_over_several_games() {
    let place = Place::new();
    let input = "d\nn\nw\nq\n";
    let events = events(&place.ok(&format!("play --seed 1 {BOARD} --json --save g.2048"), input));
    let ends = named(&events, "end");
    assert_eq!(ends.len(), 2);
    assert_eq!((&ends[0]["points"], &ends[0]["best"]), (&json!(4), &json!(4)));
    assert_eq!((&ends[1]["points"], &ends[1]["best"]), (&json!(0), &json!(4)));
    let seeds: Vec<_> = named(&events, "start").iter().map(|event| event["seed"].clone()).collect();
    assert_eq!(seeds, [json!(1), json!(2)]);
    place.ok("replay g.2048 --verify", "");
    place.ok("replay g-2.2048 --verify", "");
}

#[test]
fn the_end_of_a_game_and_the_limits() {
    let place = Place::new();
    let full = "--board 2%204/4%208";
    let out = place.ok(&format!("play --seed 1 {full}"), "w\n");
    assert!(out.contains("The game is over: no moves left."), "{out}");
    assert!(out.contains("the game is over: no moves left\n"), "a move after the end is refused: {out}");
    let out = place.ok("play --seed 1 --max-moves 2", "wasdwasd\nwasd\nu\nwasd\n");
    assert!(out.contains("The game is over: it reached a limit."), "{out}");
    assert!(out.contains("the game is over: it reached a limit\n"), "{out}");
    let out = place.ok(&format!("play --seed 1 {BOARD} --until 4"), "w\n");
    assert!(out.contains("it reached a limit"), "{out}");
}

#[test]
fn the_course_rules_have_passes() {
    let place = Place::new();
    let out = place.ok("play --rules course --seed 5 --save g.2048 --json", "w\nw\nw\np\npass\nq\n");
    let actions: Vec<_> =
        named(&events(&out), "move").iter().map(|event| event["turn"]["action"].clone()).collect();
    assert!(actions.iter().filter(|action| **action == json!("pass")).count() >= 2, "{actions:?}");
    place.ok("replay g.2048 --verify", "");
}

#[test]
fn hints_come_from_any_player_and_a_wrong_one_is_refused_at_once() {
    let place = Place::new();
    let said = place.fails("play --hint gredy", "", 2);
    assert_eq!(said, "there is no player 'gredy'; did you mean 'greedy'?");
    let events = events(&place.ok(&format!("play --seed 1 {BOARD} --json --hint greedy"), "?\n"));
    let hint = &named(&events, "hint")[0]["decision"];
    assert_eq!(named(&events, "hint")[0]["knows_future"], false);
    assert!(hint["action"] == "left" || hint["action"] == "right", "both merge the two 2s: {hint}");
    assert_eq!(hint["values"]["up"], Value::Null, "up does not change the board");
    let out = place.ok("play --hint exec:cmd=false --seed 1", "?\nw\n");
    assert!(out.contains("no hint: exec (false): it ended"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_hint_player_hears_only_of_the_games_that_it_was_asked_about() {
    let place = Place::new();
    place.write(
        "bot.sh",
        "while read -r kind words; do\n  echo $kind >> log\n  case $kind in move) echo left;; esac\ndone\n",
    );
    place.ok(&format!("play --hint exec:cmd=sh%20bot.sh,time=60s --seed 1 {BOARD}"), "n\n?\nn\nn\n?\nq\n");
    assert_eq!(place.read("log").lines().collect::<Vec<_>>(), ["new", "move", "end", "new", "move", "end"]);
}

#[test]
fn no_input_is_a_clean_end() {
    let place = Place::new();
    let out = place.ok("play --seed 7 --save g.2048", "");
    assert!(out.contains("points 0"), "{out}");
    place.ok("replay g.2048 --verify", "");
    // A line without a line end, and an endless line.
    let out = place.ok("play --seed 7 --json", "w");
    assert_eq!(named(&events(&out), "move").len(), 1);
    place.ok("play --seed 7", &"x".repeat(1_000_000));
    let said = place.fails("play --seed 7 --save no/such/folder/g.2048", "w\n", 2);
    assert!(said.contains("the folder does not exist"), "{said}");
}

#[test]
fn watching_shows_every_move_or_every_kth_and_the_totals() {
    let place = Place::new();
    let shown = |options: &str| events(&place.ok(&format!("watch random --seed 1 --json {options}"), ""));
    let all = shown("--max-moves 20");
    assert_eq!(named(&all, "move").len(), 20);
    assert_eq!(named(&shown("--max-moves 20 --every 7"), "move").len(), 2);
    let last_only = shown("--max-moves 20 --every 0");
    assert!(named(&last_only, "move").is_empty());
    assert_eq!(named(&last_only, "end")[0]["board"], named(&all, "move")[19]["board"]);
    let several = shown("--every 0 --games 3");
    let scores: Vec<u64> =
        named(&several, "end").iter().map(|end| end["score"].as_u64().expect("a score")).collect();
    let total = named(&several, "total")[0];
    assert_eq!(total["score"].as_u64(), Some(scores.iter().sum()));
    assert_eq!(total["games"], 3);
    let until = shown("--every 0 --until 64 --games 3");
    assert!(named(&until, "end").iter().any(|end| end["end"] == "until" && end["largest"] == 64));
    let text = place.ok("watch greedy --seed 1 --delay 1ms --max-moves 3", "");
    assert!(text.contains("move 3: ") && text.contains("1 game: total score "), "{text}");
    assert!(text.contains("(preference)"), "{text}");
    for time in ["61s", "-1s", "5", "s"] {
        let said = place.fails(&format!("watch random --delay={time}"), "", 2);
        assert!(said.contains("a time like 200ms, 1.5s or 40min, from 0ms to 60s"), "{said}");
    }
}

#[test]
fn the_same_seed_is_the_same_game() {
    let place = Place::new();
    place.ok("watch greedy --seed 99 --every 0 --games 2 --save a.2048", "");
    place.ok("watch greedy --seed 99 --every 5 --games 2 --save b.2048 --json", "");
    place.ok("watch greedy --seed 100 --every 0 --save c.2048", "");
    assert_eq!(place.read("a.2048"), place.read("b.2048"));
    assert_eq!(place.read("a-2.2048"), place.read("b-2.2048"));
    assert_eq!(place.read("a-2.2048"), place.read("c.2048"));
    let said = place.fails("watch random --games 2 --seed 18446744073709551615", "", 2);
    assert!(said.contains("seeds end at 2^64-1"), "{said}");
}

#[test]
fn a_saved_game_is_never_overwritten() {
    let place = Place::new();
    let out = place.ok("play --seed 7 --save g.2048", "w\na\nq\n");
    assert!(out.ends_with("saved as g.2048\n"), "{out}");
    let first = place.read("g.2048");
    // One game in a second run, and two in a third one.
    let out = place.ok("play --seed 8 --save g.2048", "s\nd\nq\n");
    assert!(out.ends_with("saved as g-2.2048\n"), "{out}");
    let second = place.read("g-2.2048");
    let out = events(&place.ok("play --seed 9 --save g.2048 --json", "w\nn\na\nq\n"));
    let files: Vec<&Value> = named(&out, "saved").into_iter().map(|saved| &saved["file"]).collect();
    assert_eq!(files, ["g-3.2048", "g-4.2048"]);
    let out = place.ok("watch random --seed 1 --max-moves 5 --every 0 --games 2 --save g.2048", "");
    assert!(out.contains("saved as g-5.2048\n") && out.contains("saved as g-6.2048\n"), "{out}");
    let out = events(&place.ok("watch random --seed 1 --max-moves 5 --json --save g.2048", ""));
    assert_eq!(
        (&named(&out, "saved")[0]["game"], &named(&out, "saved")[0]["file"]),
        (&1.into(), &"g-7.2048".into())
    );
    assert_eq!((place.read("g.2048"), place.read("g-2.2048")), (first, second));
    for number in 2..=7 {
        place.ok(&format!("replay g-{number}.2048 --verify"), "");
    }
}

#[test]
fn help_says_that_games_are_never_overwritten() {
    for command in ["play", "watch"] {
        let help = Place::new().ok(&format!("{command} --help"), "");
        assert!(help.contains("never overwritten") && help.contains("game-2.2048"), "{help}");
    }
}

/// Runs that end at the same time do not overwrite each other's games.
#[test]
fn runs_side_by_side_save_all_their_games() {
    const RUNS: usize = 6;
    let place = Place::new();
    let line = "watch random --seed 1 --max-moves 3 --every 0 --games 5 --save g.2048";
    let runs: Vec<Child> = (0..RUNS).map(|_| place.start(line)).collect();
    for run in runs {
        let ran = support::ended(run);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let mut names: Vec<String> = (2..=5 * RUNS).map(|number| format!("g-{number}.2048")).collect();
    names.push("g.2048".to_owned());
    names.sort();
    let entries = std::fs::read_dir(place.path("")).expect("the folder exists");
    let mut found: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    found.sort();
    assert_eq!(found, names);
    for name in names {
        place.ok(&format!("replay {name} --verify"), "");
    }
}

#[test]
fn a_person_can_be_watched() {
    let place = Place::new();
    let ran = place.run("watch human --seed 7 --every 0 --json", "x\nw\nwasd\n?\nq\n");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let end = events(&ran.out);
    assert_eq!(named(&end, "end")[0]["end"], "quit");
    assert!(ran.err.contains("is not a key") && ran.err.contains("score 0"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_and_saves_the_game_so_far() {
    let place = Place::new();
    // During a delay.
    let mut watch = place.start("watch random --seed 1 --delay 60s --save w.2048");
    wait_for(&mut watch, "move 1: ");
    interrupt(&watch);
    let ran = ended(watch);
    assert_eq!((ran.code, ran.err.as_str()), (Some(130), ""));
    assert!(ran.out.contains("interrupted: score "), "{}", ran.out);
    assert!(place.ok("replay w.2048 --verify", "").contains("1 turn,"));
    // While a bot hangs.
    let mut watch = place.start("watch exec:cmd=sleep%201000,time=none --seed 1 --save e.2048");
    wait_for(&mut watch, "game 1: ");
    interrupt(&watch);
    assert_eq!(ended(watch).code, Some(130));
    // While a person thinks; the input stays open.
    let mut play = place.start("play --seed 7 --save p.2048");
    let mut input = play.stdin.take().expect("stdin is piped");
    input.write_all(b"w\n").expect("stdin is open");
    wait_for(&mut play, "moves 1\n");
    interrupt(&play);
    let ran = ended(play);
    assert_eq!(ran.code, Some(130));
    assert!(ran.out.contains("points 0"), "{}", ran.out);
    drop(input);
    assert!(place.ok("replay p.2048 --verify", "").contains("1 turn,"));
    // While a replay waits for the next step.
    let mut step = place.start("replay p.2048 --step");
    let input = step.stdin.take();
    wait_for(&mut step, "next up");
    interrupt(&step);
    assert_eq!(ended(step).code, Some(130));
    drop(input);
}

#[cfg(target_os = "linux")]
#[test]
fn one_ctrl_c_ends_a_long_thought_and_saves_the_game() {
    let place = Place::new();
    let watch = place.start("watch minimax:depth=60 --seed 1 --save g.2048");
    support::wait_until_it_listens(&watch);
    interrupt(&watch);
    let ran = ended(watch);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.out.contains("interrupted: score 0"), "{}", ran.out);
    assert!(place.ok("replay g.2048", "").contains("minimax:depth=60"));
}

#[test]
fn a_game_is_saved_even_if_the_output_is_closed() {
    let place = Place::new();
    let mut watch = place.start("watch random --seed 1 --delay 3ms --save w.2048");
    wait_for(&mut watch, "move 2: ");
    drop(watch.stdout.take());
    let ran = ended(watch);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let kept = place.ok("replay w.2048 --verify", "");
    assert!(kept.starts_with("the replay is valid"), "{kept}");
    let mut play = place.start("play --seed 7 --save p.2048");
    let mut input = play.stdin.take().expect("stdin is piped");
    input.write_all(b"w\n").expect("stdin is open");
    wait_for(&mut play, "moves 1\n");
    drop(play.stdout.take());
    input.write_all(b"a\n").expect("stdin is open");
    // A process that another test is just starting may hold the pipe open for a moment. Then the
    // end of the input ends the game.
    drop(input);
    let ran = ended(play);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let kept = place.ok("replay p.2048 --verify", "");
    assert!(kept.contains("2 turns,"), "{kept}");
}

/// A conversation with a program: each line of input is answered at once, and nothing stays in a
/// buffer.
#[test]
fn answers_come_before_the_next_question() {
    let place = Place::new();
    let mut play = place.start("play --seed 7 --json");
    let mut input = play.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(play.stdout.take().expect("stdout is piped"));
    let mut next = || {
        let mut line = String::new();
        output.read_line(&mut line).expect("readable output");
        events(&line).remove(0)
    };
    assert_eq!(next()["event"], "start");
    assert_eq!(next()["event"], "position");
    for (number, key) in ["w", "a", "s", "d"].iter().enumerate() {
        writeln!(input, "{key}").expect("stdin is open");
        let answer = next();
        if answer["event"] == "move" {
            assert_eq!(next()["event"], "position");
        } else {
            assert_eq!(answer["event"], "refused", "key {number}");
        }
    }
    drop(input);
    assert_eq!(next()["event"], "end");
    drop(output);
    assert_eq!(ended(play).code, Some(0));
}
