//! Several submissions at the same time. Each is graded as if it were alone.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};
use serde_json::Value;

use crate::class::{AMPLE, Class, Grader, decent, fixture, graded, wait_for};
use crate::support::{ended, interrupt};

/// Whether this machine can run two submissions at the same time.
fn has_two_processors() -> bool {
    thread::available_parallelism().is_ok_and(|count| count.get() > 1)
}

/// Whether the kernel can block signals between processes of one user.
fn separates_signals() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.scope(Scope::Signal).is_ok()
}

/// Classes whose submissions can run at the same time: those with private files and either a user
/// for each submission or blocked signals. The others are named on the standard error.
#[allow(clippy::print_stderr, reason = "a test that leaves something out should say so")]
fn classes() -> Vec<Class> {
    if !has_two_processors() {
        eprintln!("skipped: this machine has only one processor");
        return Vec::new();
    }
    let together = |class: &Class| {
        class.hand_in("one", decent());
        class.hand_in("two", decent());
        let fence = class.json("in/one.py --games 1")["fence"].clone();
        let can = fence["private_files"] == true && (fence["own_user"] == true || separates_signals());
        if can {
            let board = class.json("--compare in --games 1 --memory 512 --jobs 2");
            assert_eq!(board["jobs"], 2, "{}: {fence}", class.name);
        } else {
            eprintln!("skipped for {}: submissions cannot run at the same time here: {fence}", class.name);
        }
        fs::remove_file(class.place.path("in/one.py")).expect("the file exists");
        fs::remove_file(class.place.path("in/two.py")).expect("the file exists");
        can
    };
    [Grader::Tester, Grader::Somebody].map(Class::of).into_iter().filter(together).collect()
}

/// The workers of a grader.
fn workers(grader: &Child) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_worker = |number: &u32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        parent == Some(grader.id())
    };
    numbers.filter(is_worker).collect()
}

/// The processes of submissions that have created a file in their working folder.
fn with_file(class: &Class, name: &str) -> usize {
    class.processes_left().iter().filter(|process| process.join("cwd").join(name).exists()).count()
}

/// The rows of a board by name, without their times.
fn rows(board: &Value) -> Vec<Value> {
    let mut rows = board["submissions"].as_array().expect("rows").clone();
    rows.iter_mut().for_each(|row| row["seconds"] = Value::Null);
    rows
}

#[test]
fn grades_do_not_depend_on_the_number_of_jobs() {
    for class in classes() {
        class.hand_in("legal", fixture("first_legal"));
        class.hand_in("random", fixture("random_player"));
        class.hand_in("decent", decent());
        class.hand_in("exits", fixture("hostile/os_exit"));
        class.hand_in("raises", fixture("hostile/raises"));
        class.hand_in("syntax", fixture("hostile/syntax_error"));
        class.hand_in("bomb", fixture("hostile/double_fork"));
        class.hand_in("names \"'=é", decent());
        fs::create_dir(class.place.path("in/empty")).expect("the folder can be written");
        fs::create_dir_all(class.place.path("in/folder/inner")).expect("the folder can be written");
        class.place.write("in/folder/search.py", "from inner.moves import NextMove\n");
        class.place.write("in/folder/inner/moves.py", "def NextMove(Grid, Step):\n    return Step % 4\n");
        class.hand_in("beside", "import decent\n");
        let line = format!("--compare in --games 3 --memory 1024 --time {AMPLE}");
        let (one, two) = (class.json(&format!("{line} --jobs 1")), class.json(&format!("{line} --jobs 2")));
        class.assert_nothing_left(class.name);
        assert_eq!((&one["jobs"], &two["jobs"]), (&1.into(), &2.into()), "{}", class.name);
        assert_eq!(rows(&one), rows(&two), "{}", class.name);
        assert!(rows(&one).len() == 11 && one["fence"] == two["fence"]);
    }
}

/// Each has processors that no other can use, even if it asks for more.
#[test]
fn they_run_at_the_same_time_on_different_processors() {
    for class in classes() {
        let go = class.place.path("go");
        let text = format!(
            "\
import os, time
mine = os.sched_getaffinity(0)
os.sched_setaffinity(0, range(os.cpu_count()))
assert os.sched_getaffinity(0) == mine, os.sched_getaffinity(0)
if os.fork() == 0:
    assert os.sched_getaffinity(0) == mine
    os._exit(0)
assert os.wait()[1] == 0
open('on-%s' % '-'.join(map(str, sorted(mine))), 'w').close()
open('here', 'w').close()

def NextMove(Grid, Step):
    while not os.path.exists({go:?}):
        time.sleep(0.01)
    return 4
"
        );
        class.hand_in("one", &text);
        class.hand_in("two", &text);
        let child =
            class.start(&format!("--compare in --games 1 --memory 512 --jobs 2 --time {AMPLE} --json"));
        let started = Instant::now();
        while with_file(&class, "here") < 2 {
            assert!(started.elapsed() < Duration::from_secs(200), "{}: they do not run together", class.name);
            thread::sleep(Duration::from_millis(10));
        }
        let processors = |process: &std::path::PathBuf| -> Vec<String> {
            let names = fs::read_dir(process.join("cwd")).expect("it waits").flatten();
            let names = names.filter_map(|entry| entry.file_name().into_string().ok());
            names.filter_map(|name| name.strip_prefix("on-").map(str::to_owned)).collect()
        };
        let running = class.processes_left();
        let used: Vec<String> = running.iter().flat_map(processors).collect();
        let mut all: Vec<&str> = used.iter().flat_map(|used| used.split('-')).collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert!(used.len() == 2 && all.len() == count, "{}: {used:?}", class.name);
        class.place.write("go", "");
        let ran = ended(child);
        let board: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert!(rows(&board).iter().all(|row| row["reason"] == Value::Null), "{board:#}");
        assert_eq!(board["processors_each"], count / 2);
        class.assert_nothing_left(class.name);
    }
}

/// Each looks for the other one: at its files, its processes and its memory. It sees nothing and
/// harms nothing.
#[test]
fn none_sees_or_disturbs_another() {
    for class in classes() {
        for name in ["one", "two"] {
            class.hand_in(name, fixture("hostile/hunts_others"));
        }
        let child =
            class.start(&format!("--compare in --games 1 --memory 512 --jobs 2 --time {AMPLE} --json"));
        let started = Instant::now();
        while with_file(&class, "here") < 2 && started.elapsed() < Duration::from_secs(200) {
            thread::sleep(Duration::from_millis(10));
        }
        // They hunt until they find this file.
        thread::sleep(Duration::from_secs(1));
        class.place.write("hunted", "");
        let ran = ended(child);
        assert_eq!(ran.code, Some(0), "{}: {}", class.name, ran.err);
        let board: Value = serde_json::from_str(&ran.out).expect("JSON");
        for row in rows(&board) {
            assert_eq!(
                (&row["reason"], &row["games"][0]["end"]),
                (&Value::Null, &"quit".into()),
                "{}",
                class.name
            );
            assert_eq!(row["games"][0]["moves"], 0, "it hunted to the end");
        }
        class.assert_nothing_left(class.name);
    }
}

/// What a submission does to its limits costs only itself, although another one runs beside it.
#[test]
fn limits_hold_for_each() {
    for class in classes() {
        // The grader or the file system notices first that files are too large.
        let cases: [(&str, &[&str]); 5] = [
            ("eats_memory_in_children", &["it used more than 256 MiB of memory"]),
            ("large_files", &["it used more than 256 MiB of memory", "No space left on device"]),
            ("fork_bomb", &[""]),
            ("detached_without_environment", &[""]),
            ("double_fork", &[""]),
        ];
        for (name, says) in cases {
            class.hand_in("1", fixture(&format!("hostile/{name}")));
            class.hand_in("2", fixture("first_legal"));
            class.hand_in("3", fixture("first_legal"));
            let line = format!("--compare in --games 2 --memory 256 --time {AMPLE} --json --jobs 2");
            let mut child = class.start(&line);
            // Processes that have left everything behind are known by the user of their worker.
            while class.watch_also(&workers(&child)) < 2 {
                assert_eq!(child.try_wait().expect("it is ours"), None, "its workers were not seen");
                thread::sleep(Duration::from_millis(5));
            }
            let ran = ended(child);
            let board: Value = serde_json::from_str(&ran.out).expect("JSON");
            class.assert_nothing_left(name);
            let rows = rows(&board);
            let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("the row is there");
            let reason = row("1")["reason"].as_str().unwrap_or_default();
            assert!(says.iter().any(|says| reason.contains(says)), "{}, {name}: {reason}", class.name);
            for other in ["2", "3"] {
                assert_eq!(row(other)["reason"], Value::Null, "{}, beside {name}", class.name);
            }
            assert_eq!(row("2")["games"], row("3")["games"], "{}, beside {name}", class.name);
        }
    }
}

const ENDLESS: &str = "open('begun', 'w').close()\nwhile True:\n    pass\n";

#[test]
fn ctrl_c_ends_all_of_them_and_leaves_nothing() {
    for class in classes() {
        for times in [1, 2] {
            class.hand_in("one", fixture("hostile/fills_its_folder"));
            class.hand_in("two", ENDLESS);
            class.hand_in("three", ENDLESS);
            let child = class.start(&format!("--compare in --games 1 --jobs 2 --memory 512 --time {AMPLE}"));
            wait_for(&class, "begun");
            class.watch_also(&workers(&child));
            for _ in 0..times {
                interrupt(&child);
                // Closer together they would count as one signal.
                thread::sleep(Duration::from_millis(250));
            }
            let ran = graded(child);
            assert_eq!(ran.code, Some(130), "{}", ran.err);
            class.assert_nothing_left("Ctrl-C");
        }
    }
}

/// A grader that is killed cannot clean up, but its workers can.
#[test]
fn nothing_outlives_a_grader_that_is_killed() {
    for class in classes() {
        class.hand_in("one", ENDLESS);
        class.hand_in("two", ENDLESS);
        let mut child = class.start(&format!("--compare in --games 1 --jobs 2 --memory 512 --time {AMPLE}"));
        while with_file(&class, "begun") < 2 {
            thread::sleep(Duration::from_millis(10));
        }
        let workers = workers(&child);
        assert_eq!(workers.len(), 2);
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let killed = Instant::now();
        let is_there = |worker: &u32| Path::new(&format!("/proc/{worker}/exe")).read_link().is_ok();
        while !class.processes_left().is_empty() || workers.iter().any(is_there) {
            assert!(killed.elapsed() < Duration::from_secs(60), "something is still running");
            thread::sleep(Duration::from_millis(10));
        }
        // The folder of the killed grader is empty, and the next one removes it.
        class.hand_in("one", decent());
        class.hand_in("two", decent());
        class.json(&format!("--compare in --games 1 --memory 512 --time {AMPLE}"));
        class.assert_nothing_left("a grader that was killed");
    }
}

/// If a worker is killed, its submission gets a row that says so, and all others are graded.
#[test]
fn a_worker_that_is_killed_costs_one_submission() {
    for class in classes() {
        class.open_folder("out");
        class.hand_in("1", ENDLESS);
        for name in ["2", "3", "4"] {
            class.hand_in(name, decent());
        }
        let line = format!("--compare in --games 1 --jobs 2 --memory 512 --time {AMPLE} -o out/book.json");
        let child = class.start(&line);
        wait_for(&class, "begun");
        let endless = class.processes_left().into_iter().find(|process| process.join("cwd/begun").exists());
        let parent = fs::read_to_string(endless.expect("it runs").join("stat")).expect("it runs");
        let parent: u32 = parent
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok())
            .expect("a parent");
        let killed = std::process::Command::new("kill").args(["-KILL", &parent.to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let ran = graded(child);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let says = "lab2048: 1 of 4 submissions could not be graded, first 1: the process that graded it ended \
                    (signal: 9 (SIGKILL))\n";
        assert_eq!(ran.err, says);
        class.assert_nothing_left("a killed worker");
        let board: Value = serde_json::from_str(&class.place.read("out/book.json")).expect("JSON");
        let reasons: Vec<bool> = rows(&board).iter().map(|row| row["reason"].is_null()).collect();
        assert_eq!(reasons.iter().filter(|&&fine| fine).count(), 3, "{board:#}");
        // It is graded the next time: its row was not kept.
        class.hand_in("1", decent());
        assert_eq!(class.run(&line).code, Some(0));
    }
}

/// Where submissions could disturb each other, they are graded one at a time, with one sentence.
#[test]
fn they_are_graded_one_at_a_time_where_nothing_separates_them() {
    for class in Class::of_every_kind() {
        class.hand_in("one", decent());
        class.hand_in("two", decent());
        let is_private = class.json("in/one.py --games 1")["fence"]["private_files"] == true;
        if is_private || !has_two_processors() {
            continue;
        }
        let ran = graded(class.start("--compare in --games 1 --memory 512 --jobs 2 --json"));
        let board: Value = serde_json::from_str(&ran.out).expect("JSON");
        let says =
            "lab2048: submissions are graded one at a time, because here there are no private file systems\n";
        assert_eq!((ran.err.as_str(), &board["jobs"]), (says, &1.into()), "{}", class.name);
        assert!(rows(&board).iter().all(|row| row["reason"].is_null()));
        let ran = graded(class.start("--compare in --games 1 --memory 512 --json"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "nobody asked for more");
        class.assert_nothing_left(class.name);
    }
}

/// Memory that is promised to each must be there.
#[test]
fn jobs_that_do_not_fit_are_refused() {
    let class = Class::new();
    class.hand_in("one", decent());
    if has_two_processors() {
        let ran = graded(class.start("--compare in --jobs 2 --memory 16777216"));
        assert_eq!(ran.code, Some(2));
        let says = "lab2048: --jobs 2 is too many: with --memory 16777216 the memory of this machine is enough for 1 at a time\n";
        assert_eq!(ran.err, says);
    }
}
