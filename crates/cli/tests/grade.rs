//! The grader: marks, leaderboard, the course's rules as a submission sees them, and submissions that misbehave. Whatever
//! those do, nothing of them is left and the next one is graded as if alone.
#![cfg(target_os = "linux")]

mod support;

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, process, thread};

use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use serde_json::Value;
use support::{Place, Ran, ended, interrupt, wait_until_it_listens};

/// Long enough for everything that is not meant to run out of time, however busy the machine is.
const AMPLE: &str = "300s";

/// Who grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grader {
    /// Whoever runs the tests; submissions of root have users of their own.
    Tester,
    /// One who is not root: submissions run as the same user.
    Somebody,
}

/// A folder for one test in which another user can work too.
struct Class {
    place: Place,
    /// Who grades, if it is not the one who runs the tests.
    user: Option<u32>,
    /// A program that starts the grader, with its arguments.
    through: &'static [&'static str],
    /// The graders that were started.
    graders: Mutex<Vec<u32>>,
}

/// A grader that is root gives its submissions the user with its own number and this.
const FIRST_USER: u32 = 3_000_000_000;

impl Class {
    fn new() -> Class {
        Class::of(Grader::Tester)
    }

    /// A class of this grader.
    fn of(grader: Grader) -> Class {
        static USERS: AtomicU32 = AtomicU32::new(0);
        let place = Place::new();
        let is_root = fs::metadata(place.path(".")).expect("it is there").uid() == 0;
        // Nobody else is one of them, so that nobody else's processes count.
        let somebody = || 1_000_000_000 + 100 * process::id() + USERS.fetch_add(1, Ordering::Relaxed);
        let user = (is_root && grader == Grader::Somebody).then(somebody);
        let class = Class { place, user, through: &[], graders: Mutex::default() };
        for folder in [".", "tmp", "in"] {
            fs::create_dir_all(class.place.path(folder)).expect("the folder can be written");
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(class.place.path(folder), open).expect("the folder is ours");
        }
        if class.user.is_some() {
            chown(class.place.path("tmp"), class.user, class.user).expect("root may");
            // Others may not be able to reach the one that was built.
            fs::copy(env!("CARGO_BIN_EXE_lab2048"), class.place.path("lab2048")).expect("it can be copied");
        }
        class
    }

    fn program(&self) -> PathBuf {
        match self.user {
            Some(_) => self.place.path("lab2048"),
            None => env!("CARGO_BIN_EXE_lab2048").into(),
        }
    }

    /// A command as the one who grades.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.place.path("."));
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// Hands a submission in.
    fn hand_in(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.place.path(&format!("in/{name}.py")), text).expect("the folder can be written");
    }

    fn start(&self, line: &str) -> Child {
        let system = "/usr/bin/python3";
        // One that every user can reach, where there is one.
        let python = if Path::new(system).exists() { system } else { "python3" };
        let named = if line.contains("--python") { vec![] } else { vec!["--python", python] };
        // The same games in every grading, unless a test wants others.
        let seed = if line.contains("--seed") { vec![] } else { vec!["--seed", "1"] };
        let program = self.program();
        let words = [self.through, &[program.to_str().expect("a plain path"), "grade"]].concat();
        let started = self
            .command(&words)
            .args(line.split(' ').filter(|word| !word.is_empty()))
            .args(named)
            .args(seed)
            .env("TMPDIR", self.place.path("tmp"))
            .env("SECRET", "of the grader")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        self.graders.lock().expect("nobody panicked").push(started.id());
        started
    }

    fn run(&self, line: &str) -> Ran {
        ended(self.start(line))
    }

    fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("{line} --json"));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        serde_json::from_str(&ran.out).expect("JSON")
    }

    /// The processes of submissions and bots, however detached: they carry the path of their working folder in the environment
    /// with which they were started, or work in the folder of the test, or are of a user whom this class alone has.
    fn processes_left(&self) -> Vec<PathBuf> {
        let mark = self.place.path("tmp").into_os_string().into_encoded_bytes();
        let here = self.place.path("");
        let graders = self.graders.lock().expect("nobody panicked").clone();
        let users: Vec<u32> = graders.iter().map(|grader| FIRST_USER + grader).chain(self.user).collect();
        let is_ours = |path: &PathBuf| {
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            let is_marked = || {
                environment
                    .windows(mark.len() + 1)
                    .any(|part| part.starts_with(&mark) && part.ends_with(b"/"))
            };
            let works_here = || fs::read_link(path.join("cwd")).is_ok_and(|folder| folder.starts_with(&here));
            // As the process itself has it: the folder in /proc may belong to root.
            let status = fs::read_to_string(path.join("status")).unwrap_or_default();
            let user =
                status.lines().find_map(|line| line.strip_prefix("Uid:\t")?.split('\t').next()?.parse().ok());
            user.is_some_and(|user| users.contains(&user)) || is_marked() || works_here()
        };
        let is_grader = |path: &PathBuf| {
            let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
            number.is_some_and(|number| graders.contains(&number))
        };
        let processes = fs::read_dir("/proc").expect("Linux").flatten().map(|entry| entry.path());
        processes.filter(|path| is_ours(path) && !is_grader(path)).collect()
    }

    /// Checks that no process and no file of a submission is there.
    fn assert_nothing_left(&self, what: &str) {
        let left = self.processes_left();
        assert!(left.is_empty(), "{what}: {left:?} are still there");
        let files: Vec<_> = fs::read_dir(self.place.path("tmp")).expect("it is there").flatten().collect();
        assert!(files.is_empty(), "{what}: {files:?} are still there");
    }
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/submissions"));
    fs::read(folder.join(format!("{name}.py"))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A decent submission that soon has enough.
fn decent() -> String {
    let text = String::from_utf8(fixture("first_legal")).expect("text");
    format!(
        "{text}\n\nplay = NextMove\n\n\ndef NextMove(Grid, Step):\n    return 4 if Step == 20 else play(Grid, Step)\n"
    )
}

/// A submission that misbehaves, how its first game ends, and what its row says: one of these; nothing where it is harmless.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// Grades each with a decent one behind it.
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
        fs::remove_file(file).expect("it is still there");
    }
}

#[test]
fn answers_of_every_kind() {
    check(&[
        ("returns_none", "error", &["first in game 1: NextMove returned None, which is no integer"]),
        (
            "returns_a_float",
            "error",
            &["2 of 2 games, first in game 1: NextMove returned 1.0, which is no integer"],
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
        ("syntax_error", "not-played", &["search.py cannot be imported: SyntaxError: "]),
        (
            "no_next_move",
            "not-played",
            &["ImportError: cannot import name 'NextMove' from 'search' (search.py)"],
        ),
        ("empty", "not-played", &["ImportError: cannot import name 'NextMove'"]),
        ("no_text", "not-played", &["search.py cannot be imported: "]),
        ("exits_at_import", "not-played", &["search.py cannot be imported: SystemExit: 0"]),
        ("ends_at_import", "not-played", &["when it was imported: its process ended (exit status: 3)"]),
        ("next_move_is_no_function", "error", &["TypeError: 'int' object is not callable"]),
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
    ("closes_descriptors", "gone", &["it closed the descriptors to the grader"]),
    ("closes_descriptors_and_stays", "gone", &["it closed the descriptors to the grader"]),
    ("rubbish_on_the_protocol", "gone", &["rubbish' where its answer belongs"]),
    ("rubbish_without_end", "gone", &["it wrote a line that does not end"]),
    ("answers_before_it_is_asked", "gone", &["it answered a question that was not asked"]),
    ("forks", "quit", &[]),
    ("fork_both_answer", "gone", &["it answered a question that was not asked"]),
    ("double_fork", "quit", &[]),
    ("detached_program", "quit", &[]),
    ("detached_without_environment", "quit", &[]),
    ("changes_the_folders_above", "quit", &[]),
    ("child_takes_over", "gone", &["its process ended (exit status: 0) instead of answering"]),
    ("eats_memory_in_children", "gone", &["it took more than 1024 MiB of memory"]),
    ("kills_by_thread", "quit", &[]),
    ("owns_a_descriptor", "quit", &[]),
    ("reads_its_parent", "quit", &[]),
    ("leaves_memory", "quit", &[]),
    ("other_names_of_calls", "quit", &[]),
    ("asks_other_programs", "quit", &[]),
];

#[test]
fn processes_of_every_kind() {
    check(PROCESSES);
}

/// Where the submission's user is the grader's own, only the fence is between them.
#[test]
fn processes_of_every_kind_as_the_same_user() {
    check_by(Grader::Somebody, PROCESSES);
}

/// Whether the system has Landlock, without which a submission of the same user can write where that user can.
fn has_landlock() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::WriteFile).is_ok()
}

#[test]
fn no_file_stays_anywhere() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        class.hand_in("one", fixture("hostile/leaves_files"));
        let grade = class.json(&format!("in/one.py --games 1 --time {AMPLE}"));
        assert_eq!(
            (&grade["games"][0]["end"], &grade["reason"]),
            (&"quit".into(), &Value::Null),
            "{grade:#}"
        );
        if grader == Grader::Somebody && !has_landlock() {
            continue;
        }
        class.assert_nothing_left("leaves_files");
        for place in ["/tmp", "/var/tmp", "/dev/shm"] {
            for name in ["lab2048-hostile-file", "lab2048-hostile-folder"] {
                assert!(!Path::new(place).join(name).exists(), "{grader:?}: {name} is still in {place}");
            }
        }
    }
}

/// Shared memory, where it may be used, is memory.
#[test]
fn files_in_memory_count_as_memory() {
    let class = Class::new();
    if fs::metadata(class.place.path(".")).expect("it is there").uid() == 0 && Path::new("/dev/shm").exists()
    {
        class.hand_in("one", fixture("hostile/fills_shared_memory"));
        let grade = class.json(&format!("in/one.py --games 1 --memory 256 --time {AMPLE}"));
        class.assert_nothing_left("fills_shared_memory");
        let reason = grade["reason"].as_str().expect("it says what happened");
        // There may be less of it than that.
        let says = ["it took more than 256 MiB of memory", "No space left on device"];
        assert!(says.iter().any(|says| reason.contains(says)), "{reason}");
        let left = fs::read_dir("/dev/shm").expect("it is there").flatten();
        let ours = |name: String| name.starts_with("lab2048-hostile-") && !name.ends_with(['e', 'r']);
        assert!(!left.map(|entry| entry.file_name().to_string_lossy().into_owned()).any(ours));
    }
}

/// Nobody but the grader decides what lies where it will clear away.
#[test]
fn a_folder_cannot_be_replaced() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        let is_root = fs::metadata(class.place.path(".")).expect("it is there").uid() == 0;
        if has_landlock() || is_root && grader == Grader::Tester {
            class.hand_in("one", fixture("hostile/replaces_its_folder"));
            let grade = class.json(&format!("in/one.py --games 1 --time {AMPLE}"));
            class.assert_nothing_left("replaces_its_folder");
            assert_eq!(
                (&grade["games"][0]["end"], &grade["reason"]),
                (&"quit".into(), &Value::Null),
                "{grader:?}"
            );
        }
    }
}

/// What is not hostile stays possible where it can be cleared away.
#[test]
fn a_user_of_its_own_may_think_with_several_processes() {
    let class = Class::new();
    if fs::metadata(class.place.path(".")).expect("it is there").uid() == 0 {
        class.hand_in("one", fixture("uses_processes"));
        let grade = class.json(&format!("in/one.py --games 2 --time {AMPLE}"));
        assert_eq!(
            (&grade["games"][1]["end"], &grade["reason"]),
            (&"quit".into(), &Value::Null),
            "{grade:#}"
        );
        class.assert_nothing_left("uses_processes");
    }
}

/// Root of a container that is a user namespace: there are few users there, perhaps none but root.
#[test]
fn root_of_a_small_world_can_grade() {
    let mut class = Class::of(Grader::Somebody);
    let small = &["unshare", "--user", "--map-root-user"];
    let tried = class.command(small).arg("true").stderr(Stdio::null()).status();
    if tried.is_ok_and(|status| status.success()) {
        class.hand_in("one", decent());
        let outside = class.json("in/one.py --games 2 --seed 1");
        class.through = small;
        assert_eq!(class.json("in/one.py --games 2 --seed 1")["games"], outside["games"]);
        class.hand_in("one", fixture("hostile/fork_bomb"));
        let bomb = class.json(&format!("in/one.py --games 1 --time {AMPLE}"));
        class.assert_nothing_left("fork_bomb");
        assert_eq!(bomb["code"], 0.0, "{bomb:#}");
    }
}

/// Waits until a submission has made a file in its folder.
fn wait_for(class: &Class, name: &str) {
    let is_there = || {
        let folders = fs::read_dir(class.place.path("tmp")).expect("it is there").flatten();
        folders.map(|folder| folder.path().join("submission").join(name)).any(|path| path.exists())
    };
    while !is_there() {
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ctrl_c_pressed_again_leaves_nothing_either() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        class.hand_in("one", fixture("hostile/fills_its_folder"));
        let child = class.start(&format!("in/one.py --time {AMPLE}"));
        wait_for(&class, "done");
        interrupt(&child);
        // Closer together they would count as one.
        thread::sleep(Duration::from_millis(250));
        interrupt(&child);
        assert_eq!(ended(child).code, Some(130));
        class.assert_nothing_left("Ctrl-C twice");
    }
}

/// A grader that is killed cannot clear away, but its submission ends with it.
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
            assert!(killed.elapsed() < Duration::from_secs(60), "it goes on alone");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The ones that never end. They get little time each; the decent one must still find its own time untouched.
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
        assert_eq!(grade["reason"], "its games did not end within 1 s, so it gets 0", "{name}");
        let ends = [&grade["games"][0]["end"], &grade["games"][1]["end"]];
        assert_eq!(ends, ["time", "not-played"], "{name}");
        assert_eq!([&grade["game_score"], &grade["play"], &grade["code"]], [0.0, 0.0, 0.0], "{name}");
    }
    fs::remove_file(class.place.path("in/one.py")).expect("it is there");
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

/// Files may be called anything; a terminal is shown nothing that it would obey.
#[test]
fn names_are_shown_as_plain_text() {
    let class = Class::new();
    class.hand_in("one\u{1b}[2J\u{202e}\n", decent());
    let shown = class.run("--compare in --games 1").out;
    assert!(shown.contains("one?[2J??  "), "{shown:?}");
    fs::write(class.place.path("marks"), "\u{feff}one\u{1b}[2J\u{202e}\n,50\n")
        .expect("the folder can be written");
    assert_eq!(
        class.run("--compare in --games 1 --reports marks").code,
        Some(2),
        "a name with a line break has no line"
    );
    class.hand_in("two", decent());
    fs::remove_file(class.place.path("in/one\u{1b}[2J\u{202e}\n.py")).expect("the folder can be written");
    fs::write(class.place.path("marks"), "\u{feff}two,50\n").expect("the folder can be written");
    assert_eq!(class.json("--compare in --games 1 --reports marks")["submissions"][0]["report"], 50.0);
}

/// The grader asks Python a question before it grades: not in the folder of submissions, where a file could be taken for a module.
#[test]
fn nothing_runs_outside_the_fence() {
    let class = Class::new();
    class.hand_in("one", decent());
    fs::write(class.place.path("resource.py"), "open('harm', 'w')").expect("the folder can be written");
    class.json("in/one.py --games 1");
    assert!(!class.place.path("harm").exists());
}

/// A Python in a folder that is closed to other users: for a grader that is root they may read there, and nothing else changes.
#[test]
fn a_python_that_only_the_grader_can_reach() {
    let class = Class::new();
    class.hand_in("one", decent());
    let open = class.json("in/one.py --games 2");
    let closed = class.place.path("closed");
    fs::create_dir(&closed).expect("the folder can be written");
    std::os::unix::fs::symlink("/usr/bin/python3", closed.join("python3"))
        .expect("the folder can be written");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("the folder is ours");
    if Path::new("/usr/bin/python3").exists() {
        let graded = class.json("in/one.py --games 2 --python closed/python3");
        assert_eq!(graded["games"], open["games"]);
        class.hand_in("one", fixture("hostile/fork_bomb"));
        let bomb = class.json(&format!("in/one.py --games 1 --time {AMPLE} --python closed/python3"));
        class.assert_nothing_left("fork_bomb");
        assert_eq!(bomb["code"], 0.0, "{bomb:#}");
    }
}

/// A handler of a signal breaks in wherever it likes: into the game, or into the grader's side of the process. A deep
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
    let tests = include_str!("grade.rs");
    let entries = fs::read_dir(folder).expect("the folder is there").flatten();
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

#[test]
fn games_are_counted_as_their_tiles_say() {
    let class = Class::new();
    for name in ["random_player", "first_legal"] {
        class.hand_in("one", fixture(name));
        let grade = class.json(&format!("in/one.py --time {AMPLE}"));
        let games = grade["games"].as_array().expect("games");
        assert_eq!((games.len(), grade["code"].as_f64(), &grade["reason"]), (10, Some(100.0), &Value::Null));
        assert_eq!((&grade["seconds_allowed"], &grade["memory_allowed_mib"]), (&300.0.into(), &4096.into()));
        let sum: f64 = games.iter().filter_map(|game| game["largest"].as_f64()).sum();
        assert_eq!(grade["game_score"], sum / 10.0);
        let play = lab2048::course::play_percent(sum / 10.0);
        assert!((grade["play"].as_f64().expect("a number") - play).abs() < 1e-9);
        assert!(games.iter().all(|game| game["end"] == "no-moves" || game["end"] == "no-room"), "{games:?}");
        assert_eq!(class.json(&format!("in/one.py --time {AMPLE}"))["games"], grade["games"], "{name}");
    }
    let text = class.run(&format!("in/one.py --time {AMPLE}")).out;
    assert!(
        text.contains("game score (mean of the largest tiles)") && text.contains("no moves left"),
        "{text}"
    );
}

/// The rules as a submission sees them: steps from 1 on in each game, a fresh grid of two 2-tiles, one process for all
/// games, a code that does nothing leaves the grid and still brings a tile, and a full grid ends it.
#[test]
fn a_submission_sees_the_rules_of_the_course() {
    let class = Class::new();
    let text = "\
import copy
last, steps, starts, told = None, 0, [], 0

def NextMove(Grid, Step):
    global last, steps, told
    assert type(Grid) is list and [len(row) for row in Grid] == [4] * 4 and type(Step) is int
    cells = [cell for row in Grid for cell in row]
    if Step == 1:
        assert sorted(cells) == [0] * 14 + [2, 2] and Grid not in starts, Grid
        starts.append(copy.deepcopy(Grid))
    else:
        assert Step == steps + 1
        changed = [(old, new) for old, new in zip(last, cells) if old != new]
        assert changed in ([(0, 2)], [(0, 4)]), changed
    last, steps = cells, Step
    return [5, -1, 10 ** 30][Step % 3]
";
    class.hand_in("one", text);
    let grade = class.json(&format!("in/one.py --games 30 --time {AMPLE}"));
    assert_eq!(grade["reason"], Value::Null, "{grade:#}");
    let games = grade["games"].as_array().expect("games");
    for game in games {
        // 14 empty cells are filled; then the grid either has a move, which is not made, or it has none.
        let moves = game["moves"].as_u64().expect("a number");
        assert!(
            moves == 14 && game["end"] == "no-moves" || moves == 15 && game["end"] == "no-room",
            "{game}"
        );
    }
    assert!(games.iter().any(|game| game["end"] == "no-room"));
}

#[test]
fn a_class_is_ranked_with_weights_and_bonuses() {
    let class = Class::new();
    class.hand_in("alice", fixture("first_legal"));
    class.hand_in("bob", fixture("random_player"));
    class.hand_in("carol", "def NextMove(Grid, Step):\n    return 4\n");
    class.hand_in("dave", "NextMove = lambda Grid, Step: 4\n");
    // A name that would stand in the way of a module of Python, were the folder searched for modules.
    class.hand_in("random", "def NextMove(Grid, Step):\n    raise ValueError\n");
    fs::create_dir_all(class.place.path("in/erin/tools")).expect("it can be written");
    class.place.write("in/erin/search.py", "from tools.moves import NextMove\n");
    class
        .place
        .write("in/erin/tools/moves.py", "def NextMove(Grid, Step):\n    return 4 if Step > 1 else 3\n");
    fs::create_dir_all(class.place.path("in/frank")).expect("it can be written");
    class.place.write("in/notes.txt", "not a submission");
    class.place.write("in/_template.py", "not one either, by its name");
    class.place.write("in/.hidden.py", "nor this");
    class.place.write("marks.csv", "# of 100\nalice,80\nbob, 50.5\n");
    let result = class.json(&format!("--compare in --reports marks.csv --games 5 --time {AMPLE}"));
    let rows = result["submissions"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("the row is there");
    assert_eq!(rows.len(), 7);
    let number = |name: &str, field: &str| row(name)[field].as_f64().expect("a number");
    for name in ["alice", "bob", "carol", "dave", "erin", "frank", "random"] {
        let report = row(name)["report"].as_f64().unwrap_or(0.0);
        let mark = 0.2 * report + 0.2 * number(name, "code") + 0.6 * number(name, "play");
        assert!((number(name, "mark") - mark).abs() < 1e-9, "{name}");
        assert!((number(name, "total") - mark - number(name, "bonus")).abs() < 1e-9, "{name}");
    }
    assert_eq!(
        (number("alice", "rank"), number("alice", "bonus"), number("alice", "report")),
        (1.0, 50.0, 80.0)
    );
    assert_eq!((number("bob", "rank"), number("bob", "bonus"), number("bob", "report")), (2.0, 25.0, 50.5));
    // One move from the start may make a 4; who quits at once keeps the 2, and those who are equal are equal.
    assert_eq!(number("carol", "rank"), number("dave", "rank"));
    assert_eq!(number("carol", "bonus"), number("dave", "bonus"));
    assert_eq!((row("erin")["reason"].clone(), number("erin", "code")), (Value::Null, 100.0));
    assert_eq!(row("frank")["reason"], "there is no search.py in it");
    assert_eq!((number("frank", "game_score"), number("frank", "bonus")), (0.0, 0.0));
    let text = class.run(&format!("--compare in --reports marks.csv --games 5 --time {AMPLE}")).out;
    assert!(
        text.starts_with("submission") && text.lines().nth(1).is_some_and(|line| line.starts_with("alice"))
    );
}

#[test]
fn our_own_players_are_graded_by_the_same_rules() {
    let class = Class::new();
    let grade = class.json("--player greedy --games 10");
    assert_eq!((&grade["name"], &grade["code"]), (&"greedy".into(), &100.0.into()));
    assert_eq!(grade["games"], class.json("--player greedy --games 10")["games"]);
    let ran = class.run("--player clairvoyant --games 1");
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    let late = class.json("--player expectimax:depth=3 --games 10 --time 1us");
    assert_eq!((&late["games"][0]["end"], &late["game_score"]), (&"time".into(), &0.0.into()));
}

#[test]
fn ctrl_c_shows_what_was_reached_and_leaves_nothing() {
    let class = Class::new();
    class.hand_in("one", fixture("hostile/loops"));
    let child = class.start(&format!("in/one.py --time {AMPLE} --json"));
    wait_until_it_listens(&child);
    // Until the submission runs, or does not: either way the signal must do the same.
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

/// One that answers at once never keeps the grader waiting, which must look for Ctrl-C all the same.
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

/// Submissions that never come to a game are no reason not to hear Ctrl-C, and neither is a Python that does not answer.
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
        class.assert_nothing_left("Ctrl-C");
    }
}

/// A bot that notes the first words of what it hears, and answers this script.
fn bot(class: &Class, answer: &str) {
    let text = format!(
        "#!/bin/sh\nwhile read -r kind rest; do\n  printf '%s ' \"$kind\" >>heard\n  \
         [ \"$kind\" = move ] || continue\n  asked=$((asked + 1))\n  {answer}\ndone\n"
    );
    class.place.write("bot", &text);
    fs::set_permissions(class.place.path("bot"), fs::Permissions::from_mode(0o755))
        .expect("the file is ours");
}

/// Quick once is not quick for ever; and a program that is asked when the time is over does not stay.
#[test]
fn a_bot_that_is_quick_once_and_then_endless_is_stopped_by_the_clock() {
    let class = Class::new();
    bot(&class, "[ $asked = 2 ] && exec sleep 98765\n  echo up");
    let late = class.json("--player exec:cmd=./bot,time=none --games 2 --time 2s");
    class.assert_nothing_left("the bot");
    assert_eq!((&late["games"][0]["end"], &late["games"][1]["end"]), (&"time".into(), &"not-played".into()));
    assert_eq!((&late["game_score"], &late["games"][0]["moves"]), (&0.0.into(), &1.into()));
}

/// A bot is told when a game is over, and asked before the first one whether it plays at all.
#[test]
fn a_bot_hears_of_the_end_of_a_game() {
    let class = Class::new();
    bot(&class, "echo quit");
    class.json("--player exec:cmd=./bot --games 2");
    class.assert_nothing_left("the bot");
    assert_eq!(class.place.read("heard"), "new end new move end new move end ");
}

/// A thought is cut short by the clock and by Ctrl-C: this player would take hours for a move.
#[test]
fn a_player_of_ours_is_stopped_in_the_middle_of_a_move() {
    let class = Class::new();
    let endless = "--player expectimax:depth=40 --games 2 --json";
    let late = class.json(&format!("{} --time 100ms", endless.trim_end_matches(" --json")));
    assert_eq!((&late["games"][0]["end"], &late["games"][1]["end"]), (&"time".into(), &"not-played".into()));
    assert_eq!((&late["game_score"], &late["games"][0]["moves"]), (&0.0.into(), &0.into()));
    let child = class.start(endless);
    wait_until_it_listens(&child);
    // Whether it builds the player, starts the game or thinks: it ends.
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(ended(child).code, Some(130));
}

/// A network that takes for ever to load, because it is a pipe that nobody writes to, does not keep Ctrl-C waiting.
#[test]
fn ctrl_c_is_heard_while_a_network_is_loaded() {
    let class = Class::new();
    let made = class.command(&["mkfifo", "slow.net"]).status();
    assert!(made.expect("it can be made").success());
    let watching = class.place.start("watch ntuple:net=slow.net");
    for child in [class.start("--player ntuple:net=slow.net --games 1"), watching] {
        wait_until_it_listens(&child);
        interrupt(&child);
        let ran = ended(child);
        assert_eq!((ran.code, ran.err.as_str()), (Some(130), "lab2048: interrupted\n"));
    }
}

#[test]
fn a_seed_is_fresh_unless_it_is_given_and_always_told() {
    let class = Class::new();
    let program = class.program();
    let grade = |words: &[&str], input: &str| -> Value {
        let words =
            [&[program.to_str().expect("a plain path"), "grade", "--player", "greedy"], words].concat();
        let mut command = class.command(&words);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let typed = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
        // One that needs no input may be gone.
        drop(typed);
        let ran = ended(child);
        assert_eq!(ran.code, Some(0), "{words:?}");
        serde_json::from_str(&ran.out).expect("JSON")
    };
    let fresh = grade(&["--games", "2", "--json"], "");
    let seed = fresh["seed"].to_string();
    assert_ne!(fresh["seed"], grade(&["--games", "2", "--json"], "")["seed"]);
    let given = grade(&["--games", "2", "--json", "--seed", &seed], "");
    let typed = grade(&["--games", "2", "--json", "--seed", "-"], &format!("{seed}\n"));
    assert_eq!((&given["games"], &typed["games"]), (&fresh["games"], &fresh["games"]));
    let text = class.run("--player greedy --games 1 --seed 20480").out;
    assert!(text.ends_with("seed  20480\n"), "{text}");
    class.hand_in("one", decent());
    let text = class.run("--compare in --games 1 --seed 20480").out;
    assert!(text.ends_with("seed  20480\n"), "{text}");
}

/// What somebody hands in may be a link to what only the grader can read.
#[test]
fn links_are_not_followed() {
    let class = Class::new();
    class.hand_in("decent", decent());
    class.place.write("secret.py", &decent());
    fs::create_dir_all(class.place.path("elsewhere")).expect("it can be written");
    class.place.write("elsewhere/search.py", &decent());
    fs::create_dir_all(class.place.path("in/module")).expect("it can be written");
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(class.place.path(to), class.place.path(name)).expect("it can be written");
    };
    link("secret.py", "in/file.py");
    link("elsewhere", "in/folder");
    link("secret.py", "in/module/search.py");
    let result = class.json("--compare in --games 1");
    let rows = result["submissions"].as_array().expect("rows");
    let reason = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name).expect("the row is there");
        row["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(reason("decent"), "");
    for name in ["file", "folder"] {
        assert_eq!(reason(name), "it is a link, and links are not followed", "{name}");
    }
    assert_eq!(reason("module"), "its search.py is a link, and links are not followed");
    // The one who names a link knows where it leads.
    assert_eq!(class.json("in/file.py --games 1")["reason"], Value::Null);
}

/// A submission that cannot be started costs its row, not the leaderboard. Here it is because the path of a file, which can just
/// be read where it was handed in, is too long in the folder where it would run.
#[test]
fn one_that_cannot_be_started_is_a_row() {
    let class = Class::new();
    class.hand_in("decent", decent());
    fs::create_dir_all(class.place.path("in/long")).expect("it can be written");
    class.place.write("in/long/search.py", &decent());
    let dig = "cd in/long && for depth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do \
        mkdir $0 && cd -P $0 || exit 1; done; echo > $1";
    let made = class.command(&["sh", "-c", dig, &"x".repeat(200), &"y".repeat(60)]).status();
    assert!(made.expect("there is a shell").success());
    let ran = class.run("--compare in --games 1 --json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("1 of 2 submissions could not be graded, first long: "), "{}", ran.err);
    let result: Value = serde_json::from_str(&ran.out).expect("JSON");
    let row = |place: usize| &result["submissions"][place];
    assert_eq!((&row(0)["name"], &row(0)["reason"]), (&"decent".into(), &Value::Null));
    assert_eq!((&row(1)["name"], &row(1)["code"]), (&"long".into(), &0.0.into()));
    assert!(row(1)["reason"].is_string());
}

#[test]
fn bad_input_gets_one_sentence() {
    let place = Place::new();
    fs::create_dir_all(place.path("nothing")).expect("it can be written");
    fs::create_dir_all(place.path("class/twice")).expect("it can be written");
    fs::create_dir_all(place.path("good")).expect("it can be written");
    place.write("class/twice.py", "");
    place.write("class/twice/search.py", "");
    place.write("good/alice.py", "");
    place.write("good.csv", "alice,200\n");
    place.write("other.csv", "mallory,20\n");
    let cases = [
        ("grade", "<SUBMISSION|--player <PLAYER>|--compare <FOLDER>>"),
        ("grade good/alice.py --player greedy", "cannot be used with"),
        ("grade good/alice.py --reports good.csv", "--reports"),
        ("grade no-such-file.py", "cannot read no-such-file.py: No such file"),
        ("grade nothing", "nothing: there is no search.py in it"),
        ("grade /dev/null", "/dev/null: it is not a plain file"),
        ("grade --compare nothing", "there are no submissions in nothing"),
        ("grade --compare no-such-folder", "cannot read the folder no-such-folder"),
        ("grade --compare class", "which one is to be graded?"),
        (
            "grade --compare good --reports good.csv",
            "good.csv: line 1: the mark must be a number from 0 to 100",
        ),
        ("grade --compare good --reports other.csv", "there is no submission 'mallory'"),
        ("grade --compare good --reports missing.csv", "cannot read missing.csv"),
        ("grade good/alice.py --python /no/such/python", "cannot use /no/such/python as Python: "),
        ("grade good/alice.py --python true", "cannot use true as Python: it is no Python 3 that works"),
        ("grade good/alice.py --games 0", "it must be a whole number from 1 to 10000"),
        ("grade good/alice.py --time 40", "a time like 90s or 40min"),
        ("grade good/alice.py --time 0s", "a time like 90s or 40min"),
        ("grade good/alice.py --memory 1", "it must be a whole number from 64"),
        ("grade good/alice.py --seed 18446744073709551615", "are too many: seeds end at 2^64-1"),
        ("grade --player gredy", "did you mean 'greedy'?"),
        ("grade --player greedy --seed -1", "it must be a whole number from 0 to 2^64-1"),
        ("grade --player greedy --seed -", "the seed in the standard input: it must be a whole number"),
    ];
    for (line, says) in cases {
        let said = place.fails(line, "", 2);
        assert!(said.contains(says), "{line}: {said}");
    }
}
