//! Submissions that misbehave. Each harms only itself, its row says what happened, and the next
//! submission is graded as if it were alone.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

use crate::class::{AMPLE, Class, Grader, decent, fixture, wait_for};

/// A submission that misbehaves, how its first game ends, and the possible reasons in its row. The
/// list is empty if the submission is harmless.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// Grades each submission with a well-behaved one after it.
fn check(cases: &[Case]) {
    check_by(Grader::Tester, cases);
}

fn check_by(grader: Grader, cases: &[Case]) {
    let class = Class::of(grader);
    class.hand_in("2-decent", decent());
    let conditions = format!("--compare in --games 2 --memory 1024 --time {AMPLE}");
    let alone = class.json(&conditions)["submissions"][0].clone();
    assert_eq!((&alone["reason"], &alone["games"][1]["end"]), (&Value::Null, &"quit".into()));
    for &(name, end, says) in cases {
        let file = class.place.path("in/1-hostile.py");
        class.hand_in("1-hostile", fixture(&format!("hostile/{name}")));
        let result = class.json(&conditions);
        class.assert_nothing_left(name);
        let rows = result["submissions"].as_array().expect("rows");
        let row = |wanted: &str| rows.iter().find(|row| row["name"] == wanted).expect("the row is there");
        let (hostile, next) = (row("1-hostile"), row("2-decent"));
        let first = &hostile["games"][0];
        assert_eq!(first["end"], end, "{name}: {hostile:#}");
        match hostile["reason"].as_str() {
            Some(reason) => {
                assert!(says.iter().any(|says| reason.contains(says)), "{name}: {reason}");
                assert!(!reason.contains('\n') && reason.chars().count() < 400, "{name}: {reason}");
                assert_eq!(hostile["code"], 0.0, "{name}");
            }
            None => assert!(says.is_empty(), "{name}: its row says nothing"),
        }
        assert_eq!((&next["games"], &next["reason"]), (&alone["games"], &alone["reason"]), "after {name}");
        fs::remove_file(file).expect("the file still exists");
    }
}

#[test]
fn answers_of_every_kind() {
    check(&[
        ("returns_none", "error", &["first in game 1: NextMove returned None, which is not an integer"]),
        (
            "returns_a_float",
            "error",
            &["2 of 2 games, first in game 1: NextMove returned 1.0, which is not an integer"],
        ),
        ("returns_a_string", "error", &["NextMove returned '0000000000"]),
        ("returns_a_huge_integer", "quit", &[]),
        ("returns_true", "quit", &[]),
        ("returns_something_like_an_integer", "quit", &[]),
        ("returns_a_false_integer", "quit", &[]),
        ("index_raises", "error", &["KeyError: 'nothing here'"]),
        ("raises", "error", &["ZeroDivisionError: "]),
        ("raises_something_unspeakable", "error", &["an exception that cannot be shown"]),
        ("raises_a_novel", "error", &["ValueError: many words"]),
        ("calls_sys_exit", "error", &["SystemExit: enough"]),
        ("recursion", "error", &["RecursionError"]),
        ("changes_the_grid", "quit", &[]),
        ("replaces_builtins", "quit", &[]),
        ("replaces_stdout", "quit", &[]),
        ("reads_its_input", "quit", &[]),
        ("looks_around", "quit", &[]),
    ]);
}

#[test]
fn modules_of_every_kind() {
    check(&[
        ("syntax_error", "not-played", &["1-hostile.py has a syntax error in line 1: "]),
        (
            "no_next_move",
            "not-played",
            &["1-hostile.py defines no NextMove, but nextmove; the name must be exactly NextMove"],
        ),
        ("empty", "not-played", &["1-hostile.py defines no NextMove"]),
        ("no_text", "not-played", &["1-hostile.py has a syntax error", "1-hostile.py cannot be imported: "]),
        (
            "exits_at_import",
            "not-played",
            &["it ends the program while it is imported (1-hostile.py, line 3)"],
        ),
        ("ends_at_import", "not-played", &["during import: its process ended (exit status: 3)"]),
        ("next_move_is_no_function", "error", &["NextMove is not a function, but an object of type int"]),
        ("deletes_files", "quit", &[]),
        ("locks_its_folder", "quit", &[]),
        ("prints_a_gigabyte", "quit", &[]),
        ("threads_that_never_end", "quit", &[]),
        ("eats_memory", "error", &["MemoryError"]),
    ]);
}

const PROCESSES: &[Case] = &[
    ("os_exit", "gone", &["in game 1: its process ended (exit status: 0) instead of answering"]),
    ("kills_itself", "gone", &["its process ended (signal: 9 (SIGKILL)) instead of answering"]),
    ("kills_its_parent", "error", &["PermissionError"]),
    ("probes_everyone", "quit", &[]),
    ("signals_its_children", "quit", &[]),
    ("closes_descriptors", "gone", &["it closed its connection to the grader"]),
    ("closes_descriptors_and_stays", "gone", &["it closed its connection to the grader"]),
    ("rubbish_on_the_protocol", "gone", &["rubbish' instead of an answer"]),
    ("rubbish_without_end", "gone", &["it wrote a line that is too long"]),
    ("answers_before_it_is_asked", "gone", &["it answered a question that was not asked"]),
    ("forks", "quit", &[]),
    ("fork_both_answer", "gone", &["it answered a question that was not asked"]),
    ("double_fork", "quit", &[]),
    ("detached_program", "quit", &[]),
    ("detached_without_environment", "quit", &[]),
    ("changes_the_folders_above", "quit", &[]),
    ("child_takes_over", "gone", &["its process ended (exit status: 0) instead of answering"]),
    ("eats_memory_in_children", "gone", &["it used more than 1024 MiB of memory"]),
    ("kills_by_thread", "quit", &[]),
    ("owns_a_descriptor", "quit", &[]),
    ("reads_its_parent", "quit", &[]),
    ("leaves_memory", "quit", &[]),
    ("other_names_of_calls", "quit", &[]),
    ("asks_other_programs", "quit", &[]),
    ("uses_the_network", "quit", &[]),
    ("makes_namespaces", "quit", &[]),
];

#[test]
fn processes_of_every_kind() {
    check(PROCESSES);
}

/// If the submission runs as the grader's user, only the fence separates them.
#[test]
fn processes_of_every_kind_as_the_same_user() {
    check_by(Grader::Somebody, PROCESSES);
}

/// A grader that is killed cannot clean up. Its submission ends with it, and the next grader
/// removes the files.
#[test]
fn a_submission_does_not_outlive_a_grader_that_is_killed() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        class.hand_in("one", "open('begun', 'w').close()\nwhile True:\n    pass\n");
        let mut child = class.start(&format!("in/one.py --time {AMPLE}"));
        wait_for(&class, "begun");
        assert_eq!(class.processes_left().len(), 1);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let killed = Instant::now();
        while !class.processes_left().is_empty() {
            assert!(killed.elapsed() < Duration::from_secs(60), "the submission is still running");
            thread::sleep(Duration::from_millis(10));
        }
        class.hand_in("one", decent());
        class.json(&format!("in/one.py --games 1 --time {AMPLE}"));
        class.assert_nothing_left("a grader that was killed");
    }
}

/// Submissions that never end. Each gets little time, and the well-behaved one still gets its full
/// time.
#[test]
fn loops_of_every_kind() {
    let class = Class::new();
    let names = [
        "loops",
        "loops_at_import",
        "sleeps",
        "infinite_generator",
        "stops_itself",
        "ignores_signals_and_loops",
    ];
    for name in names {
        class.hand_in("one", fixture(&format!("hostile/{name}")));
        let grade = class.json("in/one.py --games 2 --time 1s");
        class.assert_nothing_left(name);
        let what = if name == "loops_at_import" { "its import" } else { "its games" };
        assert_eq!(grade["reason"], format!("{what} did not end within 1 s, so it gets 0"), "{name}");
        let ends = [&grade["games"][0]["end"], &grade["games"][1]["end"]];
        assert_eq!(ends, ["time", "not-played"], "{name}");
        assert_eq!([&grade["game_score"], &grade["play"], &grade["code"]], [0.0, 0.0, 0.0], "{name}");
    }
    fs::remove_file(class.place.path("in/one.py")).expect("the file exists");
    class.hand_in("9-decent", decent());
    let alone = class.json("--compare in --games 2");
    class.hand_in("0-loops", fixture("hostile/loops"));
    class.hand_in("1-stops", fixture("hostile/stops_itself"));
    let result = class.json("--compare in --games 2 --time 6s");
    class.assert_nothing_left("loops");
    let rows = result["submissions"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0]["name"], &rows[0]["rank"]), (&"9-decent".into(), &1.into()));
    assert_eq!(rows[0]["games"], alone["submissions"][0]["games"]);
    assert!(rows[1..].iter().all(|row| row["game_score"] == 0.0 && row["bonus"] == 0.0 && row["rank"] == 2));
}

#[test]
fn bombs_of_every_kind() {
    bombs(Grader::Tester);
}

#[test]
fn bombs_of_every_kind_as_the_same_user() {
    bombs(Grader::Somebody);
}

fn bombs(grader: Grader) {
    let class = Class::of(grader);
    class.hand_in("one", decent());
    let alone = class.json(&format!("in/one.py --games 2 --time {AMPLE}"));
    for (name, time) in
        [("fork_bomb", AMPLE), ("fork_bomb_of_sessions", AMPLE), ("fork_bomb_that_insists", "1s")]
    {
        class.hand_in("one", fixture(&format!("hostile/{name}")));
        let grade = class.json(&format!("in/one.py --games 2 --time {time}"));
        class.assert_nothing_left(name);
        assert!(grade["reason"].is_string() && grade["code"] == 0.0, "{name}: {grade:#}");
        class.hand_in("one", decent());
        let next = class.json(&format!("in/one.py --games 2 --time {AMPLE}"));
        assert_eq!(next["games"], alone["games"], "after {name}");
    }
}

/// A signal handler can interrupt anything: the game, or the grader's part of the process. A deep
/// recursion is an exception in some versions of Python and a crash in others.
#[test]
fn what_may_end_in_several_ways_costs_only_the_one_who_did_it() {
    let class = Class::new();
    for name in ["alarms", "recursion_without_limit"] {
        class.hand_in("one", fixture(&format!("hostile/{name}")));
        let grade = class.json(&format!("in/one.py --games 2 --memory 1024 --time {AMPLE}"));
        class.assert_nothing_left(name);
        assert!(grade["code"] == 0.0 && grade["reason"].is_string(), "{name}: {grade:#}");
        assert!(
            grade["games"][0]["end"] == "error" || grade["games"][0]["end"] == "gone",
            "{name}: {grade:#}"
        );
    }
}

#[test]
fn every_hostile_submission_has_its_test() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/submissions/hostile"));
    let tests = [
        include_str!("hostile.rs"),
        include_str!("fence.rs"),
        include_str!("interrupted.rs"),
        include_str!("together.rs"),
    ]
    .concat();
    let entries = fs::read_dir(folder).expect("the folder exists").flatten();
    let names: Vec<String> = entries
        .map(|entry| entry.path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(names.len() >= 25);
    for name in names.iter().filter(|name| *name != "__pycache__") {
        assert!(
            tests.contains(&format!("\"{name}\"")) || tests.contains(&format!("hostile/{name}\"")),
            "{name}"
        );
    }
}

#[test]
fn a_process_that_is_gone_costs_the_games_to_come() {
    let class = Class::new();
    class.hand_in("one", fixture("hostile/os_exit"));
    let grade = class.json(&format!("in/one.py --games 4 --time {AMPLE}"));
    let games = grade["games"].as_array().expect("games");
    assert_eq!((&games[0]["moves"], &games[0]["end"]), (&3.into(), &"gone".into()));
    let largest = games[0]["largest"].as_f64().expect("a tile");
    assert!(games[1..].iter().all(|game| game["end"] == "not-played" && game["largest"] == 0));
    assert_eq!(grade["game_score"], largest / 4.0);
}
