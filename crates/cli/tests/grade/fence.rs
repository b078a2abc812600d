//! How submissions are contained: files, memory, users, links, and the Python that runs them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use serde_json::Value;

use crate::class::{AMPLE, Class, Grader, WARNING, decent, fixture, sized};
use crate::support::ended;

/// Whether the system has Landlock. Without it, a submission that runs as the grader's user can
/// write wherever that user can.
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

/// Files, wherever they are and however they are hidden, count as memory.
#[test]
fn files_count_as_memory() {
    for class in Class::of_every_kind() {
        let name = class.name;
        for (file, long) in [
            ("fills_shared_memory", 0),
            ("unlinked_shared_memory", 4_000),
            ("deep_shared_memory", 4_000),
            ("large_files", 4_000),
            ("closes_a_folder", 0),
        ] {
            let text =
                if long == 0 { fixture(&format!("hostile/{file}")) } else { sized(file, long).into_bytes() };
            class.hand_in("one", text);
            let grade = class.json(&format!("in/one.py --games 1 --memory 256 --time {AMPLE}"));
            class.assert_nothing_left(file);
            let reason = grade["reason"].as_str().unwrap_or("nothing happened");
            // If shared memory cannot be limited, it cannot be used.
            let says = [
                "it used more than 256 MiB of memory",
                "it made a folder unreadable for the grader",
                "No space left on device",
                "PermissionError",
            ];
            assert!(says.iter().any(|says| reason.contains(says)), "{file}, {name}: {reason}");
            let left = fs::read_dir("/dev/shm").expect("/dev/shm exists").flatten();
            let left = left.map(|entry| entry.file_name().to_string_lossy().into_owned());
            let ours = |name: String| name.starts_with("lab2048-hostile-") && !name.ends_with(['e', 'r']);
            assert!(!left.into_iter().any(ours), "{file}, {name}");
        }
    }
}

/// The path of the temporary folder may contain a link. The grader must not follow it into its own
/// file system when it looks for the submission's files.
#[test]
fn files_count_where_the_temporary_folder_is_a_link() {
    for mut class in Class::of_every_kind() {
        std::os::unix::fs::symlink(class.place.path("tmp"), class.place.path("link"))
            .expect("the folder is ours");
        class.temporary = "link";
        class.hand_in("one", fixture("hostile/shares_its_memory_with_files"));
        let grade = class.json("in/one.py --games 1 --memory 256 --time 60s");
        class.assert_nothing_left(class.name);
        let reason = grade["reason"].as_str().unwrap_or("nothing happened");
        assert!(reason.contains("it used more than 256 MiB of memory and files"), "{}: {reason}", class.name);
    }
}

/// File descriptors are limited, and with them the amount of data in socket buffers.
#[test]
fn socket_buffers_are_limited() {
    for class in Class::of_every_kind() {
        class.hand_in("one", fixture("hostile/fills_socket_buffers"));
        let grade = class.json(&format!("in/one.py --games 1 --memory 256 --time {AMPLE}"));
        class.assert_nothing_left("fills_socket_buffers");
        let reason = grade["reason"].as_str().unwrap_or("nothing happened");
        assert!(reason.contains("Too many open files"), "{}: {reason}", class.name);
    }
}

/// If the kernel limits the memory of all processes together, it also limits socket buffers.
#[test]
fn socket_buffers_of_many_processes_are_limited_by_the_system() {
    let class = Class::new();
    if class.is_root() && can_make_groups() {
        class.hand_in("one", sized("fills_socket_buffers_in_children", 50));
        let grade = class.json(&format!("in/one.py --games 1 --memory 256 --time {AMPLE}"));
        class.assert_nothing_left("fills_socket_buffers_in_children");
        let reason = grade["reason"].as_str().unwrap_or("nothing happened");
        assert!(reason.contains("it used more than 256 MiB of memory"), "{reason}");
        assert_eq!(groups(), [""; 0], "a group is left");
    }
}

/// The control groups in which a grader could create one, in cgroup v1 or v2.
fn groups_around() -> Vec<PathBuf> {
    let ours = fs::read_to_string("/proc/self/cgroup").expect("Linux");
    let lines = ours.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        match rest.split_once(":/")? {
            ("memory", path) => Some(Path::new("/sys/fs/cgroup/memory").join(path)),
            ("", path) => {
                // No group is created beside one that has limits.
                let group = Path::new("/sys/fs/cgroup").join(path);
                let limits = ["memory.max", "pids.max", "cpu.max"].map(|name| group.join(name));
                let limits = limits.into_iter().flat_map(fs::read_to_string);
                limits.into_iter().all(|limit| limit.starts_with("max")).then(|| group.join(".."))
            }
            _ => None,
        }
    });
    lines.collect()
}

fn can_make_groups() -> bool {
    groups_around().iter().any(|parent| {
        let group = parent.join(format!("lab2048-test-{}", process::id()));
        let made = fs::create_dir(&group).is_ok();
        let limits = ["memory.max", "memory.limit_in_bytes"].map(|name| group.join(name).exists());
        made && fs::remove_dir(&group).is_ok() && limits.contains(&true)
    })
}

/// The groups of graders that have ended.
fn groups() -> Vec<String> {
    let entries = groups_around().into_iter().flat_map(fs::read_dir).flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let ended = |name: &String| {
        let number = name.strip_prefix("lab2048-grade-");
        number.is_some_and(|number| !Path::new("/proc").join(number).exists())
    };
    names.filter(ended).collect()
}

/// Folders are removed however deep they are nested, and the grader survives it.
#[test]
fn nested_folders_are_removed() {
    for class in Class::of_every_kind() {
        class.hand_in("one", sized("nests_folders", 70_000));
        let ran = class.run(&format!("in/one.py --games 1 --json --time {AMPLE}"));
        assert!(ran.code == Some(0) && !ran.err.contains("lab2048: "), "{}: {}", class.name, ran.err);
        class.assert_nothing_left(class.name);
    }
}

/// The grader names the protections that the system does not allow.
#[test]
fn missing_protections_are_told() {
    for class in Class::of_every_kind() {
        class.hand_in("one", decent());
        let ran = ended(class.start("in/one.py --games 1 --json"));
        let graded: Value = serde_json::from_str(&ran.out).expect("JSON");
        let fence = &graded["fence"];
        let warnings: Vec<&str> = ran.err.lines().filter(|line| line.starts_with(WARNING)).collect();
        let all = [
            ("private_files", "private file systems"),
            ("landlock", "Landlock"),
            ("control_group", "control groups"),
        ];
        for (field, words) in all {
            let is_told = warnings.iter().any(|warning| warning.contains(words));
            assert_eq!(fence[field], !is_told, "{}, {field}: {}", class.name, ran.err);
        }
        assert!(warnings.len() < 2, "{}: {}", class.name, ran.err);
        assert_eq!(fence["own_user"], class.is_root(), "{}", class.name);
        assert!(class.through.is_empty() || fence["private_files"] == false, "{}", class.name);
    }
    assert_eq!(Class::new().json("--player random --games 1")["fence"], Value::Null);
}

/// The network works only with --network.
#[test]
fn the_network_has_to_be_allowed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("the loopback interface works");
    let port = listener.local_addr().expect("it is bound").port();
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        class.hand_in(
            "one",
            format!(
                "import socket\n\n\ndef NextMove(Grid, Step):\n    \
                socket.create_connection(('127.0.0.1', {port})).close()\n    return 4\n"
            ),
        );
        let refused = class.json(&format!("in/one.py --games 1 --time {AMPLE}"));
        let reason = refused["reason"].as_str().unwrap_or("nothing happened");
        assert!(reason.contains("PermissionError"), "{grader:?}: {reason}");
        let allowed = class.json(&format!("in/one.py --games 1 --network --time {AMPLE}"));
        assert_eq!(
            (&allowed["games"][0]["end"], &allowed["reason"]),
            (&"quit".into(), &Value::Null),
            "{grader:?}"
        );
    }
}

/// A submission cannot replace the folder that the grader will remove.
#[test]
fn a_folder_cannot_be_replaced() {
    for grader in [Grader::Tester, Grader::Somebody] {
        let class = Class::of(grader);
        let is_root = fs::metadata(class.place.path(".")).expect("the folder exists").uid() == 0;
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

/// Multiprocessing works if its files can be removed afterwards.
#[test]
fn a_submission_may_think_with_several_processes() {
    for class in Class::of_every_kind() {
        // A normal user needs a private file system for it. Root does not, if shared memory is
        // small.
        if class.is_root() || class.through.is_empty() && can_mount(&class) {
            class.hand_in("one", fixture("uses_processes"));
            let grade = class.json(&format!("in/one.py --games 2 --memory 65536 --time {AMPLE}"));
            assert_eq!(
                (&grade["games"][1]["end"], &grade["reason"]),
                (&"quit".into(), &Value::Null),
                "{}: {grade:#}",
                class.name
            );
            class.assert_nothing_left("uses_processes");
        }
    }
}

fn can_mount(class: &Class) -> bool {
    let tried = class.command(&["unshare", "--user", "--map-root-user", "--mount", "true"]);
    { tried }.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Root in a container that is a user namespace. Few users exist there, perhaps only root.
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

/// The grader asks Python a question before it grades. It does not do so in the folder of
/// submissions, where a file could be imported as a module.
#[test]
fn nothing_runs_outside_the_fence() {
    let class = Class::new();
    class.hand_in("one", decent());
    fs::write(class.place.path("resource.py"), "open('harm', 'w')").expect("the folder can be written");
    class.json("in/one.py --games 1");
    assert!(!class.place.path("harm").exists());
}

/// A Python in a folder that other users cannot enter. If the grader is root, submissions may read
/// there, and nothing else changes.
#[test]
fn a_python_that_only_the_grader_can_reach() {
    let class = Class::new();
    class.hand_in("one", decent());
    let ran = class.run("in/one.py --games 2 --json");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "everyone can reach it");
    let open: Value = serde_json::from_str(&ran.out).expect("JSON");
    let closed = class.place.path("closed");
    fs::create_dir(&closed).expect("the folder can be written");
    std::os::unix::fs::symlink("/usr/bin/python3", closed.join("python3"))
        .expect("the folder can be written");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("the folder is ours");
    if Path::new("/usr/bin/python3").exists() {
        let ran = class.run("in/one.py --games 2 --json --python closed/python3");
        let graded: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!((ran.code, &graded["games"]), (Some(0), &open["games"]));
        if class.is_root() {
            let said = format!(
                "lab2048: only root can reach the Python {}, so submissions run with root's right to read every \
                file; choose another one with --python\n",
                closed.join("python3").display()
            );
            assert_eq!(ran.err, said);
        }
        class.hand_in("one", fixture("hostile/fork_bomb"));
        let bomb = class.json(&format!("in/one.py --games 1 --time {AMPLE} --python closed/python3"));
        class.assert_nothing_left("fork_bomb");
        assert_eq!(bomb["code"], 0.0, "{bomb:#}");
    }
}

/// A submission may be a link to a file that only the grader can read.
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
    // A link that is named on the command line is followed.
    assert_eq!(class.json("in/file.py --games 1")["reason"], Value::Null);
}

/// A submission that cannot be started gets a row, and the others are graded. Here the path of a
/// file is short enough where it was handed in, but too long in the folder where it would run.
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
