//! `lab2048 evolve`: the same result on any number of threads and after any interruption; programs that play and are drawn.

mod support;

use serde_json::Value;
use support::Place;

/// A small evolution of each genome.
const DIRECTIONS: &str =
    "evolve --genome directions --population 12 --tournament 3 --generations 3 --trial 20 --seed 4 --json";
const EVALUATOR: &str = "evolve --population 12 --tournament 3 --games 2 --tuning 3 --proof 5 --generations 3 --trial 20 --seed 4 --json";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn threads_make_no_difference() {
    let place = Place::new();
    for line in [DIRECTIONS, EVALUATOR] {
        let one = json(&place.ok(&format!("{line} --threads 1 --runs 2"), ""));
        assert_eq!(json(&place.ok(&format!("{line} --threads 3 --runs 2"), "")), one);
        assert_eq!(one["runs"].as_array().map(Vec::len), Some(2));
        assert_eq!(one["comparisons"][0]["baseline"], "random");
    }
}

#[test]
fn a_checkpoint_is_continued() {
    let place = Place::new();
    let whole = json(&place.ok(&format!("{EVALUATOR} --runs 2"), ""));
    place.ok(&format!("{EVALUATOR} --runs 1 --checkpoint run.json"), "");
    assert_eq!(json(&place.ok(&format!("{EVALUATOR} --runs 2 --checkpoint run.json"), "")), whole);
    let other = place.fails("evolve --population 13 --generations 1 --checkpoint run.json", "", 2);
    assert!(other.ends_with("it was made with other settings"), "{other}");
    place.write("run.json", "{}");
    let damaged = place.fails(&format!("{EVALUATOR} --checkpoint run.json"), "", 2);
    assert!(damaged.contains("is not the checkpoint of this evolution"), "{damaged}");
}

#[test]
fn the_champion_is_a_player_and_a_picture() {
    let place = Place::new();
    for line in [DIRECTIONS, EVALUATOR] {
        let result = json(&place.ok(&format!("{line} -o best.gp --curve curve.svg"), ""));
        assert!(place.read("curve.svg").contains("<polyline"));
        // The trial is the arena's own game of that player.
        let arena = json(&place.ok("arena program:file=best.gp --games 20 --seed 1 --json", ""));
        assert_eq!(arena["players"][0]["mean"], result["mean_score"], "{arena}");
        let shown = place.ok("evolve show best.gp --board 2%204%208%2016/0%202%204%208/0%200%202%204/0%200%200%202 -o best.svg", "");
        assert!(shown.contains(" = "), "{shown}");
        assert!(place.read("best.svg").starts_with("<svg"));
    }
}

#[test]
fn a_watched_program_says_which_terminals_fired() {
    let place = Place::new();
    place.write("left.gp", "(directions (move (max left (random up down))))");
    let seen = place.ok("watch program:file=left.gp --seed 1 --max-moves 3", "");
    assert!(seen.contains("terminals fired: "), "{seen}");
}

#[test]
fn a_sweep_has_a_row_for_every_combination() {
    let place = Place::new();
    let line = "evolve sweep --genome directions --population 8 --tournament 2 --generations 2 --runs 2 --trial 10 \
                --grid mutation=0,1 --grid max-depth=4,7 --markdown";
    let table = place.ok(line, "");
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 2 + 4, "{table}");
    assert!(
        rows[0].starts_with("| mutation | max-depth | runs |") && rows[3].starts_with("| 0 | 7 | 2 |"),
        "{table}"
    );
}

#[test]
fn the_reproduction_has_every_test_of_the_document() {
    let place = Place::new();
    let line = "evolve reproduce --populations 2 --generations 2 --again 10 --random-games 650 --json";
    let result = json(&place.ok(line, ""));
    let rows = result["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1 + 4 + 4);
    let figures: Vec<u64> = rows.iter().filter_map(|row| row["document"][0].as_u64()).collect();
    assert_eq!(figures, [1095, 3302, 2965, 3293, 2476]);
}

#[test]
fn what_cannot_be_evolved() {
    let place = Place::new();
    place.write("bad.gp", "(directions (move (add up)))");
    for (line, says) in [
        ("evolve --population 1", "from 2 to 100000"),
        ("evolve --tournament 500", "a tournament is from 1 to the whole population"),
        ("evolve --nodes add,up", "could say a value of the board"),
        ("evolve --with nothing", "there is no node 'nothing'"),
        ("evolve --min-depth 5 --max-depth 4", "depths are from 1 to 17"),
        ("evolve show bad.gp", "bad.gp is not a program: line 1: there is no node ')'"),
        ("evolve show none.gp", "cannot read none.gp"),
        ("evolve sweep --grid nothing=1", "--grid nothing=1: "),
        ("evolve sweep --grid mutation", "is not NAME=VALUE"),
        ("watch program", "file"),
    ] {
        let said = place.fails(line, "", 2);
        assert!(said.contains(says), "{line}: {said}");
    }
}
