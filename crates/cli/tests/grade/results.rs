//! A comparison that is kept: it continues after an interruption and grades only what has changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::Value;

use crate::class::{AMPLE, Class, Grader, decent, graded, wait_for};
use crate::support::{Ran, ended, interrupt};

/// A submission that plays at random. Played again, its games would not be the same.
const RANDOM: &str = "\
import os
def NextMove(Grid, Step):
    return os.urandom(1)[0] % 4
";

/// A submission that waits in its first game until the test has written a file.
fn patient(class: &Class) -> String {
    let go = class.place.path("go");
    format!(
        "import os, time\ndef NextMove(Grid, Step):\n    open('here', 'w').close()\n    \
         while not os.path.exists({go:?}):\n        time.sleep(0.01)\n    return 4 if Step == 9 else Step % 4\n"
    )
}

fn lines(class: &Class, name: &str) -> Vec<String> {
    class.place.read(name).lines().map(str::to_owned).collect()
}

/// The names of the submissions in a results file, in the order in which they were graded.
fn names(class: &Class, name: &str) -> Vec<String> {
    let rows = lines(class, name).into_iter().skip(1);
    let row = |line: String| serde_json::from_str::<Value>(&line).expect("JSON");
    rows.map(|line| row(line)["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn interrupted_and_continued_it_gives_the_same_file() {
    for jobs in [1, 2] {
        let class = Class::new();
        if jobs > std::thread::available_parallelism().map_or(1, usize::from) {
            continue;
        }
        for name in ["a", "b", "d"] {
            class.hand_in(name, decent());
        }
        class.hand_in("c", patient(&class));
        class.hand_in("e", "raise ValueError");
        let line = format!("--compare in --games 3 --memory 512 --time {AMPLE} --jobs {jobs} -o");
        let child = class.start(&format!("{line} book.csv"));
        wait_for(&class, "here");
        // With two jobs, the others are graded meanwhile.
        let graded_first = if jobs == 1 { 2 } else { 4 };
        while lines(&class, "book.results").len() < 1 + graded_first {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        interrupt(&child);
        let ran = graded(child);
        let says = format!(
            "lab2048: interrupted after {graded_first} of 5 submissions; run the same command to resume\n"
        );
        assert_eq!((ran.code, ran.err.as_str()), (Some(130), says.as_str()));
        class.assert_nothing_left("Ctrl-C");
        assert!(!class.place.path("book.csv").exists(), "no gradebook without ranks");
        let before = lines(&class, "book.results");
        assert_eq!(before.len(), 1 + graded_first);

        class.place.write("go", "");
        let ran = class.run(&format!("{line} book.csv"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let note = format!("note  {graded_first} of them were graded before and kept in book.results\n");
        assert!(ran.out.ends_with(&note), "{}", ran.out);
        let after = lines(&class, "book.results");
        assert_eq!((after.len(), &after[..before.len()]), (6, &before[..]), "nothing is graded twice");
        class.run(&format!("{line} whole.csv"));
        assert_eq!(names(&class, "whole.results").len(), 5);
        assert_eq!(class.place.read("book.csv"), class.place.read("whole.csv"), "{jobs} jobs");
        // The page comes from the same results.
        assert_eq!(class.run(&format!("{line} book.html")).code, Some(0));
        assert_eq!(lines(&class, "book.results"), after);
        class.assert_nothing_left("the end");
    }
}

#[test]
fn only_what_has_changed_is_graded_anew() {
    let class = Class::new();
    for name in ["a", "b", "c"] {
        class.hand_in(name, RANDOM);
    }
    let line = format!("--compare in --games 3 --memory 512 --time {AMPLE} -o book.json");
    let games = || -> Vec<Value> {
        let ran = class.run(&line);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let book: Value = serde_json::from_str(&class.place.read("book.json")).expect("JSON");
        let rows = book["submissions"].as_array().expect("rows");
        let of = |name: &str| {
            rows.iter().find(|row| row["name"] == name).map_or(Value::Null, |row| row["games"].clone())
        };
        ["a", "b", "c", "d"].map(of).to_vec()
    };
    let first = games();
    assert_eq!((games(), lines(&class, "book.results").len()), (first.clone(), 4));
    // A comment is a change too: what runs is not known to be the same.
    class.hand_in("b", format!("# changed\n{RANDOM}"));
    class.hand_in("d", RANDOM);
    let second = games();
    assert_eq!(names(&class, "book.results")[3..], ["b", "d"]);
    assert_eq!((&second[0], &second[2]), (&first[0], &first[2]));
    assert!(second[1] != first[1] && second[3].is_array());
    // A submission that is withdrawn is not in the book.
    fs::remove_file(class.place.path("in/a.py")).expect("the file exists");
    let third = games();
    assert_eq!((&third[0], &third[1..]), (&Value::Null, &second[1..]));
    assert_eq!(names(&class, "book.results").len(), 5);
}

/// Runs the grader without the seed that the tests use otherwise.
fn with_any_seed(class: &Class, words: &str) -> Ran {
    let program = class.program();
    let start = [class.through, &[program.to_str().expect("a plain path"), "grade"]].concat();
    let mut command = class.command(&start);
    command.args(words.split(' ')).env("TMPDIR", class.place.path("tmp"));
    command.args(["--python", "/usr/bin/python3"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().expect("the binary starts"))
}

/// The seed that the table shows.
fn seed_in(ran: &Ran) -> u64 {
    let seed = ran.out.lines().find_map(|line| line.strip_prefix("seed  ")?.parse().ok());
    seed.unwrap_or_else(|| panic!("{}{}", ran.out, ran.err))
}

/// Where a submission could read the file, the file does not contain the seed that the grader
/// picked. The user has to give it to resume.
#[test]
fn a_seed_that_could_be_read_is_not_kept() {
    for class in Class::of_every_kind() {
        class.hand_in("one", decent());
        class.open_folder("out");
        let fence = class.json("in/one.py --games 1")["fence"].clone();
        let is_secret =
            fence["own_user"] == true || fence["private_files"] == true && fence["landlock"] == true;
        let line = "--compare in --games 2 -o out/book.csv";
        let first = with_any_seed(&class, line);
        assert_eq!(first.code, Some(0), "{}: {}", class.name, first.err);
        let seed = seed_in(&first);
        let results = class.place.read("out/book.results");
        assert_eq!(results.contains(&seed.to_string()), is_secret, "{}", class.name);
        let second = with_any_seed(&class, line);
        assert_eq!(second.code, Some(if is_secret { 0 } else { 2 }), "{}: {}", class.name, second.err);
        assert_eq!(second.err.contains("does not contain its seed"), !is_secret, "{}", class.name);
        assert_eq!(seed_in(&with_any_seed(&class, &format!("{line} --seed {seed}"))), seed);
        assert_eq!(class.place.read("out/book.results"), results);
    }
}

/// The file remembers the seed that the grader picked. --fresh picks another and keeps the old
/// file.
#[test]
fn the_seed_stays_until_the_grading_begins_anew() {
    let class = Class::new();
    class.hand_in("one", decent());
    let run = |words: &str| -> (Ran, u64) {
        let ran = with_any_seed(&class, words);
        let seed = seed_in(&ran);
        (ran, seed)
    };
    let line = "--compare in --games 2 -o book.csv";
    let (_, first) = run(line);
    assert_eq!((run(line).1, run(&format!("{line} --seed {first}")).1), (first, first));
    let mode = fs::metadata(class.place.path("book.results")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only the grader may read the seed");
    let old = class.place.read("book.results");
    let (ran, second) = run(&format!("{line} --fresh"));
    assert!(ran.err.contains("lab2048: the old results were renamed to 'book-2.results'\n"), "{}", ran.err);
    assert_ne!(first, second);
    assert_eq!(class.place.read("book-2.results"), old);
    assert_eq!(run("--compare in --games 2 -o book-2.html").1, first, "the old results are usable");
}

#[test]
fn other_conditions_and_other_files_are_refused() {
    let class = Class::new();
    class.hand_in("one", decent());
    let line = "--compare in --games 2 --time 300s --memory 512 --jobs 1 -o book.csv";
    assert_eq!(class.run(line).code, Some(0));
    let results = class.place.read("book.results");
    let fails = |line: &str, says: &str| {
        let ran = class.run(line);
        let err: String =
            ran.err.lines().filter(|line| !line.starts_with("lab2048: submissions run")).collect();
        assert_eq!(ran.code, Some(2), "{line}: {err}");
        assert!(err.contains(says) && err.matches("lab2048: ").count() == 1, "{line}: {err}");
    };
    for (from, to, says) in [
        (
            "--games 2",
            "--games 3",
            "its number of games is 2, not 3; repeat that command, or start over with --fresh",
        ),
        ("--time 300s", "--time 301s", "its time limit is 5 min, not 301 s"),
        ("--memory 512", "--memory 513", "its memory limit in MiB is 512, not 513"),
        ("--jobs 1", "--network", "its use of the network is false, not true"),
        ("--jobs 1", "--seed 2", "has another seed"),
    ] {
        fails(&line.replace(from, to), says);
    }
    assert_eq!(class.place.read("book.results"), results, "the file is unchanged");

    // A last line that was cut off is graded again.
    let cut = &results[..results.len() - 20];
    class.place.write("book.results", cut);
    assert_eq!(class.run(line).code, Some(0));
    let again = class.place.read("book.results");
    assert_eq!((again.lines().next(), again.lines().count()), (results.lines().next(), 2));
    class.place.write("book.results", &results.replace("\"largest\"", "\"smallest\""));
    fails(line, "'book.results' is damaged: line 2");
    for text in ["my own results\n", "no line", "{\"lab2048\":\"arena\",\"version\":1}\n"] {
        class.place.write("book.results", text);
        fails(line, "'book.results' is not a file of kept grades");
        assert_eq!(class.place.read("book.results"), text);
    }
    class.place.write("book.results", "{\"lab2048\":\"grades\",\"version\":7}\n");
    fails(line, "has version 7 of the results");
    class.place.write("book.results", "");
    assert_eq!(class.run(line).code, Some(0), "an empty file is as good as none");
}

/// Two graders do not write the same file.
#[test]
fn one_grader_at_a_time_has_a_results_file() {
    let class = Class::new();
    class.hand_in("one", patient(&class));
    let line = "--compare in --games 1 -o book.csv";
    let child = class.start(line);
    wait_for(&class, "here");
    let ran = class.run(line);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("'book.results' is being written by another grader"), "{}", ran.err);
    class.place.write("go", "");
    assert_eq!(ended(child).code, Some(0));
}

/// The results file has the seed, which tells all future tiles. No submission can read it.
#[test]
fn a_file_that_appears_during_the_grading_is_not_replaced() {
    let class = Class::new();
    class.hand_in("a", patient(&class));
    let line = format!("--compare in --games 1 --memory 512 --time {AMPLE} -o book.csv");
    let child = class.start(&line);
    wait_for(&class, "here");
    class.place.write("book.csv", "mine");
    class.place.write("go", "");
    let ran = graded(child);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("book.csv already exists and is not a gradebook in CSV"), "{}", ran.err);
    assert_eq!(class.place.read("book.csv"), "mine");
}

#[test]
fn a_submission_cannot_read_the_results() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        let out = class.place.path("out");
        class.open_folder("out");
        let text = format!(
            "\
FOLDER = {out:?}

def NextMove(Grid, Step):
    for name in ['book.results', 'book.csv']:
        try:
            text = open(FOLDER + '/' + name).read()
        except (PermissionError, FileNotFoundError):
            continue
        if text:
            raise RuntimeError('I see ' + name)
    return 4
"
        );
        class.hand_in("1", decent());
        class.hand_in("2", &text);
        let line = "--compare in --games 1 --memory 512 -o out/book.csv";
        let ran = class.run(line);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        // The gradebook of the first run is there in the second one.
        class.hand_in("3", format!("{text}\n"));
        assert_eq!(class.run(line).code, Some(0));
        let book = class.place.read("out/book.csv");
        // A folder on disk, not in memory: a plain user who may not mount cannot hide a file.
        let fence = class.json("in/1.py --games 1")["fence"].clone();
        if fence["own_user"] == true || fence["private_files"] == true && fence["landlock"] == true {
            let results = fs::metadata(class.place.path("out/book.results")).expect("it is there");
            assert_eq!(results.permissions().mode() & 0o777, 0o600);
            assert!(!book.contains("I see"), "{grader:?}: {book}");
        }
        class.assert_nothing_left("the results");
    }
}
