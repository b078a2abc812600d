//! Ctrl-C works whatever the grader is doing, and leaves nothing behind.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;

use crate::class::{AMPLE, Class, Grader, decent, fixture, graded, wait_for};
use crate::support::{ended, interrupt, signal, wait_until_it_listens};

#[test]
fn ctrl_c_pressed_again_leaves_nothing_either() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        class.hand_in("one", fixture("hostile/fills_its_folder"));
        let child = class.start(&format!("in/one.py --time {AMPLE}"));
        wait_for(&class, "done");
        interrupt(&child);
        // Closer together they would count as one signal.
        thread::sleep(Duration::from_millis(250));
        interrupt(&child);
        assert_eq!(ended(child).code, Some(130));
        class.assert_nothing_left("Ctrl-C twice");
    }
}

/// Ctrl-\ ends most programs at once. A grader cleans up first.
#[test]
fn a_signal_to_quit_leaves_nothing() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        class.hand_in("one", "open('begun', 'w').close()\nwhile True:\n    pass\n");
        let child = class.start(&format!("in/one.py --time {AMPLE} --json"));
        wait_for(&class, "begun");
        signal(&child, "QUIT");
        let ran = ended(child);
        assert_eq!(ran.code, Some(131), "{grader:?}: {}", ran.err);
        let grade: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(grade["games"][0]["end"], "interrupted");
        class.assert_nothing_left("Ctrl-\\");
    }
}

#[test]
fn ctrl_c_shows_what_was_reached_and_leaves_nothing() {
    let class = Class::new();
    class.hand_in("one", fixture("hostile/loops"));
    let child = class.start(&format!("in/one.py --time {AMPLE} --json"));
    wait_until_it_listens(&child);
    // The submission may be running by then or not. The result must be the same.
    thread::sleep(Duration::from_millis(500));
    let pressed = Instant::now();
    interrupt(&child);
    let ran = ended(child);
    assert!(pressed.elapsed() < Duration::from_secs(120), "it waited for the submission");
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    let grade: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(grade["games"][0]["end"], "interrupted");
    class.assert_nothing_left("Ctrl-C");
}

/// Submissions that were not graded may be better. So an interrupted comparison gives no ranks and
/// no bonuses, and says that it was interrupted.
#[test]
fn an_interrupted_comparison_does_not_look_like_a_finished_one() {
    let class = Class::new();
    class.hand_in("alice", decent());
    class.hand_in("bob", "open('here', 'w').close()\nwhile True: pass\n");
    class.hand_in("carol", decent());
    for form in ["", " --json"] {
        let child = class.start(&format!("--compare in --jobs 1 --games 1 --time {AMPLE}{form}"));
        wait_for(&class, "here");
        interrupt(&child);
        let ran = graded(child);
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (Some(130), "lab2048: interrupted after 1 of 3 submissions; use -o FILE to be able to resume\n")
        );
        if form.is_empty() {
            let words: Vec<&str> =
                ran.out.lines().nth(1).expect("a row").split_whitespace().take(2).collect();
            assert_eq!(words, ["alice", "-"], "{}", ran.out);
            let note = "note  interrupted after 1 of 3 submissions, so there are no ranks or bonuses\n";
            assert!(ran.out.ends_with(note), "{}", ran.out);
            continue;
        }
        let board: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(board["interrupted"], serde_json::json!({ "graded": 1, "submissions": 3 }));
        let rows = board["submissions"].as_array().expect("rows");
        assert_eq!((rows.len(), &rows[0]["name"]), (1, &"alice".into()));
        for given in ["rank", "bonus", "total"] {
            assert_eq!(rows[0][given], Value::Null, "{given}");
        }
        assert!(rows[0]["mark"].as_f64().is_some_and(|mark| mark > 0.0));
    }
    class.assert_nothing_left("Ctrl-C");
}

/// A submission that answers at once never makes the grader wait. Ctrl-C must work all the same.
#[test]
fn ctrl_c_is_heard_between_quick_answers() {
    let class = Class::new();
    class.hand_in("one", fixture("first_legal"));
    for subject in ["in/one.py", "--player random"] {
        let child = class.start(&format!("{subject} --games 10000 --time {AMPLE} --json"));
        wait_until_it_listens(&child);
        thread::sleep(Duration::from_millis(500));
        interrupt(&child);
        let ran = ended(child);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        let grade: Value = serde_json::from_str(&ran.out).expect("JSON");
        let ends: Vec<&str> = grade["games"]
            .as_array()
            .expect("games")
            .iter()
            .filter_map(|game| game["end"].as_str())
            .collect();
        assert!(ends.contains(&"interrupted") && ends.last() == Some(&"not-played"), "{subject}");
        class.assert_nothing_left("Ctrl-C");
    }
}

/// Ctrl-C works although no submission gets as far as a game, and although Python does not answer.
#[test]
fn ctrl_c_is_heard_before_the_first_game() {
    let class = Class::new();
    for number in 0..300 {
        class.hand_in(&format!("{number}"), "syntax error");
    }
    class.place.write("slow", "#!/bin/sh\nsleep 98765\n");
    let may_run = fs::Permissions::from_mode(0o755);
    fs::set_permissions(class.place.path("slow"), may_run).expect("the file is ours");
    for python in ["", " --python ./slow"] {
        let child = class.start(&format!("--compare in --games 1{python}"));
        wait_until_it_listens(&child);
        thread::sleep(Duration::from_millis(500));
        interrupt(&child);
        let ran = ended(child);
        assert!(ran.code == Some(130) && ran.err.contains("lab2048: interrupted"), "{}", ran.err);
        // Processes that an unresponsive Python has started are killed with its group. They are not
        // our children, so we cannot wait for them. On a busy machine they take a moment to
        // disappear.
        let killed = Instant::now();
        while !class.processes_left().is_empty() && killed.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(10));
        }
        class.assert_nothing_left("Ctrl-C");
    }
}

/// The time limit and Ctrl-C interrupt a search. This player would need hours for a move.
#[test]
fn a_player_of_ours_is_stopped_in_the_middle_of_a_move() {
    let class = Class::new();
    let endless = "--player expectimax:depth=40 --games 2 --json";
    let late = class.json(&format!("{} --time 100ms", endless.trim_end_matches(" --json")));
    assert_eq!((&late["games"][0]["end"], &late["games"][1]["end"]), (&"time".into(), &"not-played".into()));
    assert_eq!((&late["game_score"], &late["games"][0]["moves"]), (&0.0.into(), &0.into()));
    let child = class.start(endless);
    wait_until_it_listens(&child);
    // It ends whether it is building the player, starting the game or thinking.
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(ended(child).code, Some(130));
}

/// A network that never finishes loading, because it is a pipe without a writer, does not block
/// Ctrl-C.
#[test]
fn ctrl_c_is_heard_while_a_network_is_loaded() {
    let class = Class::new();
    let made = class.command(&["mkfifo", "slow.net"]).status();
    assert!(made.expect("mkfifo runs").success());
    let watching = class.place.start("watch ntuple:net=slow.net");
    for child in [class.start("--player ntuple:net=slow.net --games 1"), watching] {
        wait_until_it_listens(&child);
        interrupt(&child);
        let ran = ended(child);
        assert_eq!((ran.code, ran.err.as_str()), (Some(130), "lab2048: interrupted\n"));
    }
}
