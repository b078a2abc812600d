//! What keeps a submission in: files, memory, users, links, and the Python that runs it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;

use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use serde_json::Value;

use crate::class::{AMPLE, Class, Grader, decent, fixture};

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
