//! `lab2048 tune`: the result does not depend on threads or interruptions.

mod support;

use serde_json::Value;
use support::Place;

/// A small tuning on a small board.
const TUNE: &str =
    "tune expectimax:eval=rows,depth=1 --weights empty,merge,mono --size 3x3 --games 6 --population 4 --json";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn threads_make_no_difference_and_the_result_is_a_player() {
    let place = Place::new();
    let one = json(&place.ok(&format!("{TUNE} --generations 2 --threads 1"), ""));
    let three = json(&place.ok(&format!("{TUNE} --generations 2 --threads 3"), ""));
    assert_eq!(one, three);
    let player = one["player"].as_str().expect("a spec");
    assert!(player.starts_with("expectimax:eval=rows,depth=1,empty="), "{player}");
    place.ok(&format!("watch {player} --size 3x3 --max-moves 3 --seed 1 --delay 0ms"), "");
}

#[test]
fn a_file_is_continued_and_an_incomplete_line_dropped() {
    let place = Place::new();
    let whole = json(&place.ok(&format!("{TUNE} --generations 3"), ""));
    place.ok(&format!("{TUNE} --generations 2 -o tune.jsonl"), "");
    let text = place.read("tune.jsonl");
    assert_eq!(text.lines().count(), 1 + 2 * 4);
    // Killed while writing the sixth judgement.
    let torn: String = text.split_inclusive('\n').take(6).collect();
    place.write("tune.jsonl", &format!("{torn}{{\"generation\":1,\"val"));
    assert_eq!(json(&place.ok(&format!("{TUNE} --generations 3 -o tune.jsonl"), "")), whole);
    assert!(place.read("tune.jsonl").starts_with(&text), "the same candidates get the same results");
}

/// Another name is only refused for a new file.
#[test]
fn a_file_is_continued_under_any_name() {
    let place = Place::new();
    let line = format!("{TUNE} --generations 1 -o x.csv");
    let said = place.fails(&line, "", 2);
    assert_eq!(said, "x.csv is a misleading name for the results of tune; use the ending .jsonl");
    place.ok(&format!("{TUNE} --generations 1 -o tune.jsonl"), "");
    std::fs::rename(place.path("tune.jsonl"), place.path("x.csv")).expect("it can be renamed");
    place.ok(&line, "");
    let said = place.fails(&format!("{TUNE} -o none/x.jsonl"), "", 2);
    assert_eq!(said, "cannot write none/x.jsonl: the folder does not exist");
}

/// The limit on file sizes stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_a_file_that_can_be_continued() {
    let place = Place::new();
    let tune = format!("{TUNE} --generations 8 -o tune.jsonl");
    let ran = place.run_limited(0, &tune);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.starts_with("lab2048: cannot write tune.jsonl: "), "{}", ran.err);
    assert!(!place.path("tune.jsonl").exists());
    let ran = place.run_limited(4, &tune);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let kept = place.read("tune.jsonl");
    assert!(kept.lines().count() > 1 && kept.ends_with('\n'), "whole lines stay: {kept}");
    place.ok(&tune, "");
    assert!(place.read("tune.jsonl").starts_with(&kept));
}

#[test]
fn a_torn_first_line_is_written_again() {
    let place = Place::new();
    place.ok(&format!("{TUNE} --generations 1 -o tune.jsonl"), "");
    let whole = place.read("tune.jsonl");
    for length in [0, 1, 30] {
        place.write("tune.jsonl", &whole[..length]);
        place.ok(&format!("{TUNE} --generations 1 -o tune.jsonl"), "");
        assert_eq!(place.read("tune.jsonl"), whole);
    }
    place.write("tune.jsonl", "{\"else");
    let told = place.fails(&format!("{TUNE} --generations 1 -o tune.jsonl"), "", 2);
    assert!(told.ends_with("its first line is not complete"), "{told}");
}

#[test]
fn two_tunings_do_not_share_a_file() {
    let place = Place::new();
    place.ok(&format!("{TUNE} --generations 1 -o tune.jsonl"), "");
    let before = place.read("tune.jsonl");
    let file = std::fs::File::open(place.path("tune.jsonl")).expect("the file exists");
    file.lock().expect("the lock is free");
    let said = place.fails(&format!("{TUNE} --generations 2 -o tune.jsonl"), "", 1);
    assert!(said.contains("is in use by another tuning"), "{said}");
    assert_eq!(place.read("tune.jsonl"), before);
}

#[test]
fn what_cannot_be_tuned() {
    let place = Place::new();
    place.write("other.jsonl", "{}\n");
    for (line, says) in [
        ("tune greedy", "has no weights that could be tuned"),
        ("tune expectimax --weights emty", "'emty' is not a weight"),
        ("tune expectimax --weights empty,lost,empty", "the weight 'empty' is given twice"),
        ("tune expectimax --spread 0", "a number from 0.001 to 10"),
        ("tune expectimax -o other.jsonl", "is not the file of this tuning"),
    ] {
        let ran = place.run(line, "");
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
}
