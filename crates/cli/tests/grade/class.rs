//! A class of submissions, its grader, and checks that nothing of it is left behind.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{fs, process, thread};

use serde_json::Value;

use crate::support::{Place, Ran, ended};

/// Enough time for everything that is not meant to time out, however busy the machine is.
pub(crate) const AMPLE: &str = "300s";

/// The user that grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grader {
    /// The user that runs the tests. If that is root, submissions have their own users.
    Tester,
    /// A user that is not root. Submissions run as the same user.
    Somebody,
}

/// A folder for one test, in which another user can work too.
pub(crate) struct Class {
    pub(crate) place: Place,
    /// The user that grades, if it is not the one that runs the tests.
    user: Option<u32>,
    /// A program that starts the grader, with its arguments.
    pub(crate) through: &'static [&'static str],
    /// The temporary folder of the grader.
    pub(crate) temporary: &'static str,
    /// The name of the class in failure messages.
    pub(crate) name: &'static str,
    /// The process ids of the graders that were started.
    graders: Mutex<Vec<u32>>,
    /// The process ids of their workers, as far as a test has looked for them.
    workers: Mutex<Vec<u32>>,
}

/// A grader that runs as root gives its submissions this user id plus its own process id.
const FIRST_USER: u32 = 3_000_000_000;

/// Root in a user namespace that does not allow mount namespaces.
const WITHOUT_MOUNTING: &[&str] = &[
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    "echo 0 > /proc/sys/user/max_mnt_namespaces && exec \"$0\" \"$@\"",
];

/// A normal user without capabilities, where mount namespaces are not allowed.
const WITHOUT_NAMESPACES: &[&str] = &[
    "unshare",
    "--user",
    "--map-current-user",
    "--keep-caps",
    "sh",
    "-c",
    "echo 0 > /proc/sys/user/max_mnt_namespaces && \
    exec setpriv --ambient-caps=-all --inh-caps=-all \"$0\" \"$@\"",
];

impl Class {
    pub(crate) fn new() -> Class {
        Class::of(Grader::Tester)
    }

    /// A class that this user grades.
    pub(crate) fn of(grader: Grader) -> Class {
        static USERS: AtomicU32 = AtomicU32::new(0);
        let place = Place::new();
        let is_root = fs::metadata(place.path(".")).expect("the folder exists").uid() == 0;
        // Ids that no other user has, so that no other processes count.
        let somebody = || 1_000_000_000 + 100 * process::id() + USERS.fetch_add(1, Ordering::Relaxed);
        let user = (is_root && grader == Grader::Somebody).then(somebody);
        let name = if user.is_some() { "somebody" } else { "the tester" };
        let class = Class {
            place,
            user,
            through: &[],
            temporary: "tmp",
            name,
            graders: Mutex::default(),
            workers: Mutex::default(),
        };
        for folder in [".", "tmp", "in"] {
            fs::create_dir_all(class.place.path(folder)).expect("the folder can be written");
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(class.place.path(folder), open).expect("the folder is ours");
        }
        if class.user.is_some() {
            chown(class.place.path("tmp"), class.user, class.user).expect("root may change the owner");
            // Other users may not be able to reach the binary that was built.
            fs::copy(env!("CARGO_BIN_EXE_lab2048"), class.place.path("lab2048")).expect("it can be copied");
        }
        class
    }

    /// One class for each kind of file isolation that this system allows: root and a normal user,
    /// each with and without private file systems for submissions.
    pub(crate) fn of_every_kind() -> Vec<Class> {
        let kinds: [(&str, Grader, &[&str]); 5] = [
            ("the tester", Grader::Tester, &[]),
            ("somebody", Grader::Somebody, &[]),
            ("root that cannot mount", Grader::Tester, &["setpriv", "--bounding-set=-sys_admin"]),
            ("root of a namespace that cannot mount", Grader::Somebody, WITHOUT_MOUNTING),
            ("a plain user without namespaces", Grader::Somebody, WITHOUT_NAMESPACES),
        ];
        let class = |(name, grader, through)| Class { name, through, ..Class::of(grader) };
        let works = |class: &Class| {
            let words = [class.through, &["true"]].concat();
            class.command(&words).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        kinds.map(class).into_iter().filter(works).collect()
    }

    /// Whether the grader is root and gives its submissions their own users.
    pub(crate) fn is_root(&self) -> bool {
        self.user.is_none() && fs::metadata(self.place.path(".")).expect("the folder exists").uid() == 0
    }

    pub(crate) fn program(&self) -> PathBuf {
        match self.user {
            Some(_) => self.place.path("lab2048"),
            None => env!("CARGO_BIN_EXE_lab2048").into(),
        }
    }

    /// A command that runs as the grader.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.place.path("."));
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    /// Hands a submission in.
    pub(crate) fn hand_in(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.place.path(&format!("in/{name}.py")), text).expect("the folder can be written");
    }

    pub(crate) fn start(&self, line: &str) -> Child {
        let system = "/usr/bin/python3";
        // A Python that every user can reach, if there is one.
        let python = if Path::new(system).exists() { system } else { "python3" };
        let needs_none = line.contains("--python") || line.contains("--player");
        let named = if needs_none { vec![] } else { vec!["--python", python] };
        // The same games in every grading, unless a test chooses a seed.
        let seed = if line.contains("--seed") { vec![] } else { vec!["--seed", "1"] };
        let program = self.program();
        let words = [self.through, &[program.to_str().expect("a plain path"), "grade"]].concat();
        let started = self
            .command(&words)
            .args(line.split(' ').filter(|word| !word.is_empty()))
            .args(named)
            .args(seed)
            .env("TMPDIR", self.place.path(self.temporary))
            .env("SECRET", "of the grader")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        self.graders.lock().expect("nobody panicked").push(started.id());
        started
    }

    /// Makes a folder in which the user that grades may write.
    pub(crate) fn open_folder(&self, name: &str) {
        let folder = self.place.path(name);
        fs::create_dir(&folder).expect("the folder can be written");
        chown(&folder, self.user, self.user).expect("root may change the owner");
    }

    /// Watches the users of these workers of a grader too. Returns how many workers there are.
    pub(crate) fn watch_also(&self, workers: &[u32]) -> usize {
        self.workers.lock().expect("nobody panicked").extend(workers);
        workers.len()
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        graded(self.start(line))
    }

    pub(crate) fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("{line} --json"));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        serde_json::from_str(&ran.out).expect("JSON")
    }

    /// The processes of submissions and bots, even detached ones. They have the path of their
    /// working folder in their initial environment, work in the folder of the test, or run as a
    /// user of this class.
    pub(crate) fn processes_left(&self) -> Vec<PathBuf> {
        let mark = self.place.path("tmp").into_os_string().into_encoded_bytes();
        let here = self.place.path("");
        let graders = self.graders.lock().expect("nobody panicked").clone();
        let workers = self.workers.lock().expect("nobody panicked").clone();
        let all = graders.iter().chain(&workers);
        let users: Vec<u32> = all.map(|grader| FIRST_USER + grader).chain(self.user).collect();
        let is_ours = |path: &PathBuf| {
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            let is_marked = || {
                environment
                    .windows(mark.len() + 1)
                    .any(|part| part.starts_with(&mark) && part.ends_with(b"/"))
            };
            let works_here = || fs::read_link(path.join("cwd")).is_ok_and(|folder| folder.starts_with(&here));
            // The user from the status file: the folder in /proc may belong to root.
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

    /// Checks that no process and no file of a submission is left.
    pub(crate) fn assert_nothing_left(&self, what: &str) {
        let left = self.processes_left();
        assert!(left.is_empty(), "{what}: {left:?} are still there");
        let files: Vec<_> =
            fs::read_dir(self.place.path("tmp")).expect("the folder exists").flatten().collect();
        assert!(files.is_empty(), "{what}: {files:?} are still there");
    }
}

/// The beginning of the warning about missing protections.
pub(crate) const WARNING: &str = "lab2048: submissions run without ";

/// Waits for a grader. The warning depends on the system, so it is removed.
pub(crate) fn graded(grader: Child) -> Ran {
    let mut ran = ended(grader);
    ran.err = ran.err.split_inclusive('\n').filter(|line| !line.starts_with(WARNING)).collect();
    ran
}

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/submissions"));
    fs::read(folder.join(format!("{name}.py"))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether tests run at full size: `./test --long` sets the variable.
pub(crate) fn is_long() -> bool {
    std::env::var_os("LAB2048_LONG").is_some_and(|value| value == "1")
}

/// A hostile submission whose first line sets `SIZE`. The long tests use a larger value.
pub(crate) fn sized(name: &str, long: u64) -> String {
    let text = String::from_utf8(fixture(&format!("hostile/{name}"))).expect("text");
    let (first, rest) = text.split_once('\n').expect("lines");
    assert!(first.starts_with("SIZE = "), "{name}: {first}");
    if is_long() { format!("SIZE = {long}\n{rest}") } else { text }
}

/// A well-behaved submission that quits after 20 steps.
pub(crate) fn decent() -> String {
    let text = String::from_utf8(fixture("first_legal")).expect("text");
    format!(
        "{text}\n\nplay = NextMove\n\n\ndef NextMove(Grid, Step):\n    return 4 if Step == 20 else play(Grid, Step)\n"
    )
}

/// Waits until a submission has created a file in its folder. The folder may be private, so it is
/// reached through its processes.
pub(crate) fn wait_for(class: &Class, name: &str) {
    let is_there = || {
        let mut processes = class.processes_left().into_iter();
        processes.any(|process| process.join("cwd").join(name).exists())
    };
    while !is_there() {
        thread::sleep(Duration::from_millis(10));
    }
}
