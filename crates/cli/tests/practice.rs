//! `lab2048 practice`, line by line: positions of small boards and endgames with exact answers.

mod support;

use std::fs;

use lab2048::solve::{Job, SubGame, solve_to_file};
use serde_json::Value;
use support::Place;

/// 16 on 2x2. Up and down make it at once, right loses it, left is not possible.
///
/// ```text
/// 8 4
/// 8 .
/// ```
const CERTAIN: &str = "practice 2x2 --tile 16 --seed 1 --board 8%204/8%200";

/// Solves a sub-game into the data folder.
fn solve(place: &Place, name: &str) {
    let game = SubGame::named(name).expect("the name of a sub-game");
    let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
    fs::create_dir_all(place.path("tables")).expect("a writable folder");
    let path = place.path(&format!("tables/{name}.table"));
    solve_to_file(&game, &path, &job).expect("it can be solved").expect("nobody cancels it");
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn without_arguments_the_user_chooses_from_a_list() {
    let place = Place::new();
    let said = place.ok("practice", "9\nblock\n3\nq\n");
    for part in [
        "  1  2x3-64  chance to make 64 on 2x3\n",
        "  4  2x2     expected score on 2x2\n",
        "what to practise [1]\n",
        "'9' is not a choice: type a number from 1 to 4, or the name of a table like block-512\n",
        "'block' is not a choice: ",
        "chance to make 16 on 2x2\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(!said.contains("mistakes"), "{said}");
    let chosen = place.ok("practice --seed 5 --games 1", "3x2\nq\n");
    assert!(chosen.contains("2x3, seed 5: expected score on 2x3\n"), "{chosen}");
    for input in ["q\n", ""] {
        assert!(place.ok("practice --plain", input).ends_with("what to practise [1]\n"));
    }
    // A range holds for the table that is chosen.
    let refused = place.run("practice --from 2", "1\n");
    assert_eq!(
        (refused.code, refused.err.as_str()),
        (Some(2), "lab2048: --from is a chance from 0 to 1, not 2\n")
    );
    // Mistakes come last.
    place.ok(CERTAIN, "right\n");
    let said = place.ok("practice", "5\nup\nq\n");
    assert!(said.contains("  5  mistakes  drill 1 mistake\n"), "{said}");
    assert!(said.contains("solved 1 of 3 times in a row\n"), "{said}");
    for range in ["--from 0.5", "--to 0.5"] {
        let said = place.ok(&format!("practice {range}"), "q\n");
        assert!(said.contains("  4  2x2 ") && !said.contains("mistakes"), "they have no range: {said}");
    }
    let said = place.fails("practice --tile 64", "", 2);
    assert!(said.starts_with("name a sub-game: "), "{said}");
}

/// On 2x2 an 8 is always in reach.
#[test]
fn positions_outside_the_default_range_are_announced_once() {
    let place = Place::new();
    let ran = place.run("practice 2x2 --tile 8 --seed 3", "n\nn\nq\n");
    let said = "lab2048: no position of the table 2x2-8 was found in the default range (chance 0.3 to \
                0.95): any is used\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), said));
    assert_eq!(place.run("practice 2x2 --tile 16 --seed 3", "q\n").err, "");
}

/// A file in the folder of tables may have any name. It is in the list, and the error is the same
/// everywhere.
#[test]
fn a_table_under_another_name_is_named_by_the_error() {
    let place = Place::new();
    solve(&place, "walls-0123456789-16");
    let from = place.path("tables/walls-0123456789-16.table");
    fs::rename(from, place.path("tables/old.table")).expect("renamed");
    let says = "old.table is that of walls-0123456789-16; rename or remove it\n";
    for input in ["1\nq\n", "old\nq\n"] {
        let said = place.ok("practice", input);
        assert!(said.contains("  1  old     cannot be used\n"), "{said}");
        assert!(said.ends_with(&format!("{says}what to practise [1]\n")), "it asks again: {said}");
    }
    let said = place.ok("--plain", "p\n1\nq\nq\n");
    assert!(said.contains(says), "{said}");
}

#[test]
fn every_move_is_answered_and_the_worst_are_drawn_at_the_end() {
    let place = Place::new();
    let said = place.ok(CERTAIN, "?\nleft\nright\nu\nw\n");
    for part in [
        "2x2-16, seed 1: chance to make 16 on 2x2\n",
        "chance 100.0%   kept so far 100.0%   moves 0\n",
        "makes 16: 100.0% (up 100.0%, right 0.0%, down 100.0%; table 2x2-16)\n",
        "left does not change the board\n",
        "right kept 0.0% of 100.0%; best: up 100.0%\n",
        "16 is out of reach; 1 move kept 0.0% of the chance\nworst move 1: right kept 0.0%",
        "undone; the move still counts\n",
        "up kept all of 100.0%\n",
        "you made 16; 2 moves kept 0.0% of the chance\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(said.ends_with("1 position   2 moves   1 mistake   kept 0.0%\n"), "{said}");
}

#[test]
fn the_same_seed_gives_the_same_positions_and_the_range_is_kept() {
    let place = Place::new();
    let line = "practice 2x3 --tile 64 --seed 5 --games 3 --from 0.4 --to 0.6 --json";
    let said = place.ok(line, "n\nn\n");
    assert_eq!(said, place.ok(line, "n\nn n\n"), "a line ends with a new position");
    let events = events(&said);
    let positions: Vec<&Value> = events.iter().filter(|event| event["event"] == "position").collect();
    assert_eq!(positions.len(), 3, "{said}");
    for position in positions {
        let chance = position["value"].as_f64().expect("a number");
        assert!((0.4..=0.6).contains(&chance), "{position}");
    }
    assert_eq!(events.last().expect("an end")["event"], "end");
    // Points, on the same board lying on its side.
    let said = place.ok("practice 3x2 --seed 5", "q\n");
    assert!(
        said.contains("2x3, seed 5: expected score on 2x3\n") && said.contains("points to come "),
        "{said}"
    );
}

#[test]
fn an_endgame_is_practised_with_its_table() {
    let place = Place::new();
    let name = "walls-0123765489-32";
    let said = place.fails(&format!("practice {name}"), "", 2);
    assert!(said.contains("there is no table") && said.contains("lab2048 solve"), "{said}");
    solve(&place, name);
    for line in [name, "--walls 0,1,2,3,7,6,5,4,8,9 --tile 32"] {
        let said = place.ok(&format!("practice {line} --seed 3 --json"), "?\nw\nd\ns\na\n");
        let events = events(&said);
        let chance = events[1]["value"].as_f64().expect("a number");
        assert!(events[1]["event"] == "position" && (0.3..=0.95).contains(&chance), "{said}");
        let played = events.iter().find(|event| event["event"] == "move").expect("a move");
        assert_eq!(played["judged"]["before"], chance, "{said}");
    }
    // Another order of the walls is another endgame.
    place.fails("practice --walls 8,9,0,1,2,3,7,6,5,4 --tile 32", "", 2);
    // A table with damaged layers, one under a wrong name, and a file that is no table.
    let path = place.path(&format!("tables/{name}.table"));
    let whole = fs::read(&path).expect("the table");
    let mut damaged = whole.clone();
    // The head is intact, and the header at the end.
    damaged[16..whole.len() / 3].iter_mut().for_each(|byte| *byte ^= 1);
    fs::write(&path, damaged).expect("a writable file");
    let said = place.fails(&format!("practice {name} --seed 3"), "", 2);
    assert!(said.starts_with(&format!("the table {name} cannot be used: it is damaged: ")), "{said}");
    fs::write(&path, whole).expect("a writable file");
    fs::rename(&path, place.path("tables/block-64.table")).expect("renamed");
    assert!(place.fails("practice block-64", "", 2).contains(&format!("is that of {name}")));
    place.write("tables/block-64.table", "noise");
    assert!(place.fails("practice block --tile 64", "", 2).contains("it is not a table of lab2048"));
}

#[test]
fn mistakes_are_collected_drilled_and_listed() {
    let place = Place::new();
    assert_eq!(place.fails("practice --mistakes", "", 2), "no mistakes are collected yet");
    assert_eq!(place.ok("practice --mistakes --list", ""), "no mistakes are collected yet\n");
    place.ok(CERTAIN, "right\nr\nright\n");
    let list = place.ok("practice --mistakes --list", "");
    let entry = "2x2-16: right kept 0.0%; best: up; played 2 times, solved 0 of 3 times in a row\n";
    assert!(list.starts_with(entry) && list.contains('8'), "{list}");
    assert_eq!(place.ok("practice --list", ""), list, "only mistakes can be listed");
    let listed = &events(&place.ok("practice --mistakes --list --json", ""))[0];
    assert_eq!((&listed["times"], &listed["judged"]["best"]), (&2.into(), &"up".into()), "{listed}");
    assert_eq!(place.ok("practice 2x3 --list", ""), "no mistakes of 2x3 are collected yet\n");
    assert_eq!(place.ok("practice 2x3 --mistakes --list", ""), "no mistakes of 2x3 are collected yet\n");

    let said = place.ok("practice --mistakes --seed 1", "up\nn\nup\nn\nright\nn\n? up\nq\n");
    for part in
        ["solved 1 of 3 times in a row\n", "solved 2 of 3 times in a row\n", "does not count as solved\n"]
    {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(said.ends_with("drilled 4 mistakes, solved 2\n"), "{said}");
    let said = place.ok("practice --mistakes", "up\nn\nup\nn\nup\nn\n");
    assert!(said.contains("solved 3 times in a row; removed from the list"), "{said}");
    assert!(said.contains("no mistakes are left to drill"), "{said}");
    assert_eq!(place.ok("practice --mistakes --list", ""), "no mistakes are collected yet\n");
}

#[test]
fn damaged_mistakes_are_skipped_with_a_warning() {
    let place = Place::new();
    place.ok(CERTAIN, "right\n");
    let kept = place.read("mistakes.jsonl");
    place.write("mistakes.jsonl", &format!("{kept}{{torn\n"));
    let ran = place.run("practice --mistakes --list", "");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(0), "lab2048: 1 damaged line of mistakes.jsonl skipped\n")
    );
    assert!(ran.out.starts_with("2x2-16: right"), "{}", ran.out);
    // A folder in its place prevents no practice.
    fs::remove_file(place.path("mistakes.jsonl")).expect("removed");
    fs::create_dir(place.path("mistakes.jsonl")).expect("a folder");
    let ran = place.run(CERTAIN, "right\n");
    assert!(ran.code == Some(0) && ran.err.contains("mistakes are not collected: "), "{}", ran.err);
    assert!(ran.out.contains("right kept 0.0%"), "{}", ran.out);
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_has_its_exit_code() {
    let place = Place::new();
    let mut child = place.start(CERTAIN);
    let input = child.stdin.take().expect("stdin is piped");
    support::wait_until_it_listens(&child);
    support::interrupt(&child);
    let ran = support::ended(child);
    drop(input);
    assert_eq!((ran.code, ran.err.as_str()), (Some(130), ""), "{}", ran.out);
}
