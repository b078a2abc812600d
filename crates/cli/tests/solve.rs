//! `lab2048 solve`: small boards and endgames, tables in the data folder, comparison with perfect
//! play.

mod support;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use support::Place;
#[cfg(unix)]
use support::{ended, interrupt, signal, wait_until_it_listens};

/// X X X X
/// X X X X     A small endgame: 32 in the lower half.
/// . . . .
/// . . . .
const HALF: &str = "solve --walls 0,1,2,3,7,6,5,4 --tile 32 --target anywhere";

fn table(place: &Place, name: &str) -> PathBuf {
    place.path(&format!("tables/{name}.table"))
}

fn json(place: &Place, line: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("{line} --json"), "")).expect("JSON")
}

#[test]
fn small_boards_are_solved_to_all_digits() {
    let place = Place::new();
    let text = place.ok("solve 2x3", "");
    let without_time = &text[..text.find("time").expect("it says how long it took")];
    assert_eq!(
        without_time,
        "expected score on 2x3\n\n\
         start        480.2582717760\n\
         boards       21,752\n\
         afterstates  14,883\n\
         terminal     4,484\n\
         table        none: boards of this size are solved when they are needed\n"
    );
    let tile = json(&place, "solve 3x2 --tile 128");
    let start = tile["start"].as_f64().expect("a number");
    assert!((start - 0.056_992_160_496).abs() < 1e-12, "{start}");
    assert_eq!((&tile["name"], &tile["unit"]), (&"2x3-128".into(), &"chance".into()));
    assert!(!place.path("tables").exists(), "no table is written");
}

#[test]
fn an_endgame_is_computed_once() {
    let place = Place::new();
    let first = json(&place, HALF);
    assert!(first["seconds"].is_number());
    let again = json(&place, HALF);
    assert_eq!((&again["start"], &again["seconds"]), (&first["start"], &Value::Null));
    assert_eq!(again["sha256"], first["sha256"]);
    let bytes = fs::metadata(table(&place, "walls-01237654-32-anywhere")).expect("a table").len();
    assert_eq!(first["bytes"], bytes);
    // Another threshold is another table under the same name.
    let kept = json(&place, &format!("{HALF} --keep 0.9"));
    assert_eq!(kept["start"], first["start"]);
    assert!(kept["stored"].as_u64() < first["stored"].as_u64(), "{kept}");
    assert_eq!(json(&place, HALF)["keep"], 0.9, "without --keep, any table will do");
    let again = json(&place, &format!("{HALF} --again"));
    assert!(again["seconds"].is_number() && again["keep"] == 0.9, "{again}");
}

#[test]
fn tables_are_listed_shown_and_removed() {
    let place = Place::new();
    assert!(place.ok("solve --list", "").starts_with("there are no tables yet"));
    place.ok(HALF, "");
    place.ok("solve 2x3 --tile 64", "");
    let list = place.ok("solve --list", "");
    assert!(list.contains("walls-01237654-32-anywhere  99."), "{list}");
    assert_eq!(list.lines().count(), 2, "{list}");
    let by_name = place.ok("solve --info walls-01237654-32-anywhere", "");
    assert!(by_name.ends_with("all checksums match\n"), "{by_name}");
    fs::copy(table(&place, "walls-01237654-32-anywhere"), place.path("copy")).expect("a copy");
    assert!(place.ok("solve --info copy", "").starts_with("chance to make 32 with the walls"));
    place.ok("solve --remove walls-01237654-32-anywhere", "");
    assert!(!table(&place, "walls-01237654-32-anywhere").exists());
    for (line, part) in [
        ("solve --remove walls-01237654-32-anywhere", "there is no table"),
        ("solve --remove ../copy", "there is no table"),
        ("solve --info walls-01-64", "compute it with: lab2048 solve walls-01-64"),
        ("solve --info nothing.table", "there is no file 'nothing.table'"),
    ] {
        assert!(place.fails(line, "", 2).contains(part), "{line}");
    }
    assert!(place.path("copy").exists());
}

#[test]
fn afterstates_can_be_asked_for() {
    let place = Place::new();
    // The walls, and one 2 or two of them.
    let walls = "4096%202048%201024%20512/32%2064%20128%20256";
    let line = format!(
        "{HALF} --start {walls}/2%200%200%200/0%200%200%200 --start {walls}/2%202%200%200/0%200%200%200"
    );
    let starts = json(&place, &line)["starts"].clone();
    let value = |index: usize| starts[index]["value"].as_f64().expect("a number");
    assert!(value(0) > 0.9 && value(1) > 0.9 && value(0) != value(1), "{starts}");
    // The table knows them now.
    let rounded = json(&place, &line);
    assert_eq!(rounded["seconds"], Value::Null);
    let again = rounded["starts"][0]["value"].as_f64().expect("a number");
    assert!((again - value(0)).abs() < 1e-5);
    // What the table does not hold is not computed without being told.
    json(&place, &format!("{HALF} --keep 0.999"));
    let sentence = place.fails(&format!("{HALF} --start {walls}/2%204%202%204/4%202%204%202"), "", 2);
    assert!(
        sentence.contains("does not hold") && sentence.ends_with("--again solves with it as a start"),
        "{sentence}"
    );
    for (board, part) in [
        ("2%204/8%200", "does not fit walls-01237654-32-anywhere: its walls must be different tiles"),
        (&*walls.replace("32", "64"), "does not fit"),
        ("2%20x", "not a board"),
    ] {
        let sentence = place.fails(&format!("{HALF} --start {board}"), "", 2);
        assert!(sentence.starts_with("--start: ") && sentence.contains(part), "{sentence}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let place = Place::new();
    for (line, code, part) in [
        ("solve 4x4", 2, "too many positions"),
        ("solve 3x4 --tile 4096", 2, "too many positions"),
        ("solve block", 2, "needs the tile to make"),
        (
            "solve block --tile 512 --memory 0.1",
            1,
            "GB of memory, but the limit is 0.100 GB; try a smaller --tile",
        ),
        ("solve", 2, "name a sub-game"),
        ("solve 3x3 --compare greedy", 2, "compute it with: lab2048 solve 3x3"),
        ("solve 2x4 --keep 0.5", 2, "--keep needs --tile"),
        ("solve 2x3 --max-sum 7", 2, "the largest sum must be at least 8, not 7"),
        ("solve 2x3 --compare human", 2, "a person cannot be compared"),
        ("solve 2x3 --compare nobody", 2, "nobody"),
        ("solve 2x3 --compare clairvoyant --exact", 2, "has no exact value"),
        ("solve 2x2 --compare random --games 2 --seed 18446744073709551614", 2, "there are no seeds left"),
    ] {
        let sentence = place.fails(line, "", code);
        assert!(sentence.contains(part), "{line}: {sentence}");
    }
    assert!(!place.path("tables").exists(), "nothing was written");
}

/// Its first bytes are a magic and the version.
#[test]
fn a_table_of_a_newer_program_is_left_alone() {
    let place = Place::new();
    place.ok(HALF, "");
    let path = table(&place, "walls-01237654-32-anywhere");
    let mut bytes = fs::read(&path).expect("a table");
    bytes[8] = 99;
    fs::write(&path, &bytes).expect("a writable file");
    let sentence = place.fails(HALF, "", 2);
    assert!(sentence.contains("it has the table format 99"), "{sentence}");
    assert!(fs::read(&path).expect("it is there") == bytes);
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let place = Place::new();
    for line in [
        "solve 2x3 --list",
        "solve --info x --tile 64",
        "solve --remove x --walls 0,1",
        "solve --list --compare greedy",
    ] {
        let ran = place.run(line, "");
        assert!(ran.code == Some(2) && ran.err.contains("cannot be used with"), "{line}: {}", ran.err);
    }
}

#[test]
fn a_damaged_table_is_computed_again() {
    let place = Place::new();
    let start = json(&place, HALF)["start"].clone();
    let path = table(&place, "walls-01237654-32-anywhere");
    let mut bytes = fs::read(&path).expect("a table");
    bytes.truncate(bytes.len() - 1);
    fs::write(&path, &bytes).expect("a writable file");
    let info = place.fails("solve --info walls-01237654-32-anywhere", "", 2);
    assert!(info.contains("it is damaged: its end is missing"), "{info}");
    let again = place.run(&format!("{HALF} --json"), "");
    assert!(again.err.contains("solving again"), "{}", again.err);
    let found: Value = serde_json::from_str(&again.out).expect("JSON");
    assert_eq!((again.code, &found["start"]), (Some(0), &start));
    place.ok("solve --info walls-01237654-32-anywhere", "");
}

#[test]
fn a_table_of_a_later_version_is_replaced_only_on_request() {
    let place = Place::new();
    let start = json(&place, HALF)["start"].clone();
    let path = table(&place, "walls-01237654-32-anywhere");
    let mut later = fs::read(&path).expect("a table");
    later[8] = 2;
    fs::write(&path, &later).expect("a writable file");
    let refused = place.fails(HALF, "", 2);
    assert!(refused.contains("it has the table format 2; this program reads format 1"), "{refused}");
    assert!(fs::read(&path).expect("a table") == later, "it is kept");
    let again = place.run(&format!("{HALF} --again --json"), "");
    assert!(again.err.contains("solving again"), "{}", again.err);
    let found: Value = serde_json::from_str(&again.out).expect("JSON");
    assert_eq!((again.code, &found["start"]), (Some(0), &start));
    place.ok("solve --info walls-01237654-32-anywhere", "");
}

/// X X X X
/// . X X X     Takes a few seconds.
/// . . . .
/// . . . .
#[cfg(unix)]
const NINE: &str = "solve --walls 0,1,2,3,7,6,5 --tile 256 --threads 1";
#[cfg(unix)]
const NINE_NAME: &str = "walls-0123765-256";

#[cfg(unix)]
#[test]
fn an_interrupted_run_continues_and_so_does_a_killed_one() {
    let (place, whole) = (Place::new(), Place::new());
    let work = table(&place, NINE_NAME).with_extension("work");
    // Killed before the first checkpoint.
    let mut child = place.start(NINE);
    wait_for(|| work.join("layers").exists());
    signal(&child, "KILL");
    child.wait().expect("it ends");
    // Interrupted: this writes a checkpoint.
    let child = place.start(NINE);
    wait_until_it_listens(&child);
    wait_for(|| fs::metadata(work.join("layers")).is_ok_and(|layers| layers.len() > 20_000));
    interrupt(&child);
    let ran = ended(child);
    let (code, said) = (ran.code, ran.err.lines().last().unwrap_or_default().to_owned());
    assert_eq!((code, &*said), (Some(130), "lab2048: interrupted; run the same command to continue"));
    assert!(place.ok("solve --list", "").contains(&format!("{NINE_NAME} is unfinished")), "it is listed");
    let other = place.fails(&format!("{NINE} --keep 0.5"), "", 1);
    assert!(other.contains("holds an unfinished table with other settings"), "{other}");
    // While one process works, no other one may.
    let mut child = place.start(NINE);
    wait_until_it_listens(&child);
    let remove = format!("solve --remove {NINE_NAME}");
    for line in [NINE, &*remove] {
        assert!(place.fails(line, "", 1).contains("another process is using it"), "{line}");
    }
    signal(&child, "KILL");
    child.wait().expect("it ends");
    // Killed after the checkpoint.
    let mut child = place.start(NINE);
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "KILL");
    child.wait().expect("it ends");
    assert_eq!(place.run(NINE, "").code, Some(0));
    assert!(!work.exists(), "nothing is left over");
    assert_eq!(whole.run(&NINE.replace("threads 1", "threads 2"), "").code, Some(0));
    let bytes = |place| fs::read(table(place, NINE_NAME)).expect("a table");
    assert!(bytes(&place) == bytes(&whole), "both tables are the same");
}

/// The options of an unfinished run are in its checkpoint.
#[cfg(unix)]
#[test]
fn an_unfinished_run_remembers_its_options() {
    let place = Place::new();
    let layers = table(&place, NINE_NAME).with_extension("work").join("layers");
    let child = place.start(&format!("{NINE} --keep 0.25"));
    wait_until_it_listens(&child);
    wait_for(|| fs::metadata(&layers).is_ok_and(|layers| layers.len() > 20_000));
    interrupt(&child);
    assert_eq!(ended(child).code, Some(130));
    let list = place.ok("solve --list", "");
    let command =
        list.lines().find_map(|line| line.split_once("to continue: lab2048 ")).expect("a command").1;
    // On a busy machine it says how far it is.
    let ran = place.run(&format!("{command} --json"), "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let solved: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(solved["keep"], 0.25);
}

#[cfg(unix)]
fn wait_for(mut ready: impl FnMut() -> bool) {
    while !ready() {
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_sentence_and_the_work_continues() {
    let place = Place::new();
    let ran = place.run_limited(40, HALF);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(json(&place, HALF)["start"].as_f64().is_some_and(|start| start > 0.9));
}

#[test]
fn players_are_compared_with_perfect_play() {
    let place = Place::new();
    let text = place.ok("solve 2x3 --compare random --worst 1", "");
    assert!(
        text.starts_with(
            "expected score on 2x3\n\n\
             perfect play  480.2582717760\n\
             random         61.1688802953\n\
             lost          419.0893914807 (87.3%)\n\n\
             exact, over 85,844 boards; 13.5 moves a game\n\n\
             where it loses most:\n\n"
        ),
        "{text}"
    );
    let perfect = json(&place, "solve 2x3 --compare optimal --worst 3");
    assert!((perfect["value"].as_f64().unwrap() - 480.258_271_776).abs() < 1e-9);
    assert_eq!(perfect["worst"].as_array().map(Vec::len), Some(0));
    // Sampled games agree with the exact value.
    let exact = json(&place, "solve 2x3 --compare greedy");
    let sampled = json(&place, "solve 2x3 --compare greedy --games 2000 --seed 5");
    let text = place.ok("solve 2x3 --compare greedy --games 200 --worst 1", "");
    assert!(text.contains("\nloses here 0.") && !text.contains("comes up"), "{text}");
    // A chance has its interval, what the moves lose a half-width.
    let text = place.ok("solve 2x3 --tile 64 --compare greedy --games 50 --worst 0", "");
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).expect("a line").to_owned();
    assert!(line("greedy ").contains("% (") && line("greedy ").contains(" to "), "{text}");
    assert!(line("lost by its moves ").contains("% ± "), "{text}");
    let (value, low, high) = (&exact["value"], &sampled["interval"][0], &sampled["interval"][1]);
    assert!(value.as_f64() > low.as_f64() && value.as_f64() < high.as_f64(), "{value} {sampled}");
    assert_eq!((&exact["method"], &sampled["method"]), (&"exact".into(), &"sampled".into()));
    // A player that knows the coming tiles is sampled, and this is said.
    let ran = place.run("solve 2x2 --compare clairvoyant:depth=2 --worst 0", "");
    assert!(ran.err.contains("depend on more than the board, so 10,000 games are sampled"), "{}", ran.err);
    assert!(ran.out.contains("knows the coming tiles, so it can exceed perfect play"), "{}", ran.out);
}

#[test]
fn a_table_that_leaves_out_chances_is_no_measure_of_players() {
    let place = Place::new();
    place.ok(&format!("{HALF} --keep 0.1"), "");
    let said = place.fails(&format!("{HALF} --compare greedy"), "", 2);
    assert!(
        said.contains(
            "walls-01237654-32-anywhere leaves out chances of at most 0.1; \
             solve it again with --keep 0 to compare players"
        ),
        "{said}"
    );
    // That helps.
    place.ok(&format!("{HALF} --keep 0"), "");
    let compared = json(&place, &format!("{HALF} --compare greedy --worst 0"));
    assert!(compared["value"].as_f64() < compared["optimal"].as_f64(), "{compared}");
}

/// The table of the endgame plays in `watch`, in `best` and in an arena.
#[test]
fn other_commands_use_the_table() {
    let place = Place::new();
    place.ok(HALF, "");
    let board = "4096%202048%201024%20512/32%2064%20128%20256/2%208%202%204/0%204%202%202";
    let best = json(&place, &format!("best {board} --player greedy"));
    assert_eq!(best["exact"][0]["table"], "walls-01237654-32-anywhere");
    let chance = best["exact"][0]["value"].as_f64().expect("a chance");
    let player = "endgame:table=walls-01237654-32-anywhere,else=greedy";
    let own = json(&place, &format!("best {board} --player {player}"));
    assert_eq!(own["unit"], "chance");
    let direction = own["action"].as_str().expect("a direction");
    assert_eq!(own["values"][direction].as_f64(), Some(chance));
    place.ok(&format!("arena {player} --board {board} --max-moves 3 --games 2 -o runs.jsonl"), "");
    assert!(place.read("runs.jsonl").contains("\"player\""));
    let missing = place.fails(&format!("best {board} --player endgame:table=block-512"), "", 2);
    assert!(missing.contains("compute it with: lab2048 solve block-512"), "{missing}");
}
