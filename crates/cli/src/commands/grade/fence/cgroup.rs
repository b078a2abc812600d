//! A control group: the system itself limits the memory of all processes of a submission together,
//! with their files in memory and the buffers of their pipes and sockets. It is used where one can
//! be made.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, process, thread};

/// A group has this name, followed by the number of its grader.
const PREFIX: &str = "lab2048-grade-";
/// Where control groups are.
const ROOT: &str = "/sys/fs/cgroup";
/// The limits of a group of the second version. A file that is missing or says `max` first sets none.
const LIMITS: [&str; 5] = ["memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max"];
/// How often, and with which pause, a group is removed that the system does not consider empty yet.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(5);

/// A group for one submission, removed with this value.
#[derive(Debug)]
pub(in super::super) struct Group {
    folder: PathBuf,
}

/// The two versions of control groups (cgroups(7)).
struct Version {
    /// The file that has the limit.
    limit: &'static str,
    /// The file that tells how often a process had to be killed.
    events: &'static str,
    /// Further settings, for systems that have them: no swap beyond the limit, and all are killed
    /// together.
    further: &'static [(&'static str, &'static str)],
}

const SECOND: Version = Version {
    limit: "memory.max",
    events: "memory.events",
    further: &[("memory.swap.max", "0"), ("memory.oom.group", "1")],
};
const FIRST: Version = Version { limit: "memory.limit_in_bytes", events: "memory.oom_control", further: &[] };

impl Group {
    /// A group with a limit in bytes, if this process may make one.
    pub(in super::super) fn new(limit: u64) -> Option<Group> {
        let ours = fs::read_to_string("/proc/self/cgroup").ok()?;
        parents(&ours, Path::new(ROOT)).into_iter().find_map(|(parent, version)| {
            sweep(&parent);
            let folder = parent.join(format!("{PREFIX}{}", process::id()));
            fs::create_dir(&folder).ok()?;
            let group = Group { folder };
            // Not made if it is not there: without the controller the file system has no such file.
            let set = |name, value: &str| {
                let path = group.folder.join(name);
                if path.exists() { fs::write(path, value) } else { Err(io::ErrorKind::NotFound.into()) }
            };
            set(version.limit, &limit.to_string()).ok()?;
            for (name, value) in version.further {
                let _ = set(name, value);
            }
            Some(group)
        })
    }

    /// Takes a process in, with all that it will start.
    pub(in super::super) fn take_in(&self, process: u32) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.procs"), process.to_string())
    }

    /// Whether processes had to be killed because there was no memory left.
    pub(in super::super) fn was_exceeded(&self) -> bool {
        let events = [SECOND, FIRST].map(|version| fs::read_to_string(self.folder.join(version.events)));
        events.iter().flatten().any(|events| killed(events) > 0)
    }

    /// Where it is, for those who have to remove it in its place.
    pub(in super::super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes the groups of graders that were killed, and one of our own number, which cannot be
/// another's. The system keeps those that have processes.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let grader = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        let is_over = |number: u32| !Path::new(&format!("/proc/{number}")).exists();
        if grader.is_some_and(|number| number == process::id() || is_over(number)) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Removes a group whose processes have ended.
pub(in super::super) fn remove(folder: &Path) {
    for _ in 0..ATTEMPTS {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => thread::sleep(PAUSE),
            // An empty group that stays takes no memory.
            _ => return,
        }
    }
}

fn killed(events: &str) -> u64 {
    let count = events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
    count.unwrap_or(0)
}

/// The groups in which one of ours could be made, by `/proc/self/cgroup`: lines of
/// `ID:CONTROLLERS:PATH`. A submission never leaves the limits of its grader. In the first version,
/// its group lies in the grader's. In the second, a group with processes cannot hold groups with
/// limits, so its group lies beside the grader's, and only if the grader's group has no limits.
fn parents(ours: &str, root: &Path) -> Vec<(PathBuf, Version)> {
    let lines = ours.lines().filter_map(|line| {
        let mut words = line.splitn(3, ':').skip(1);
        let (controllers, path) = (words.next()?, Path::new(words.next()?).strip_prefix("/").ok()?);
        if controllers.is_empty() {
            // The root itself may have both processes and groups.
            let Some(beside) = path.parent() else { return Some((root.to_owned(), SECOND)) };
            return (!is_limited(&root.join(path))).then(|| (root.join(beside), SECOND));
        }
        let has_memory = controllers.split(',').any(|controller| controller == "memory");
        has_memory.then(|| (root.join("memory").join(path), FIRST))
    });
    lines.collect()
}

/// Whether a group of the second version has a limit of its own.
fn is_limited(group: &Path) -> bool {
    let limits = LIMITS.iter().filter_map(|name| fs::read_to_string(group.join(name)).ok());
    limits.into_iter().any(|limit| limit.split_whitespace().next() != Some("max"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_where_the_limits_of_ours_hold() {
        let places = |ours: &str| -> Vec<(String, &str)> {
            let places = parents(ours, Path::new(ROOT)).into_iter();
            places.map(|(place, version)| (place.display().to_string(), version.limit)).collect()
        };
        assert_eq!(places("0::/\n"), [("/sys/fs/cgroup".to_owned(), "memory.max")]);
        assert_eq!(
            places("5:devices:/a\n4:cpu,memory:/one/two\n"),
            [("/sys/fs/cgroup/memory/one/two".to_owned(), "memory.limit_in_bytes")]
        );
        assert!(places("rubbish\n3:memory\n").is_empty());
    }

    #[test]
    fn a_submission_does_not_leave_the_limits_of_its_grader() {
        let root = tempfile::tempdir().unwrap();
        let ours = root.path().join("user.slice/grader.scope");
        fs::create_dir_all(&ours).unwrap();
        let places = || -> Vec<PathBuf> {
            parents("0::/user.slice/grader.scope\n", root.path()).into_iter().map(|place| place.0).collect()
        };
        let beside = [root.path().join("user.slice")];
        assert_eq!(places(), beside, "without controllers there are no limits");
        for (name, unlimited, limit) in [
            ("memory.max", "max\n", "1073741824\n"),
            ("pids.max", "max\n", "100\n"),
            ("cpu.max", "max 100000\n", "50000 100000\n"),
        ] {
            fs::write(ours.join(name), limit).unwrap();
            assert!(places().is_empty(), "{name}");
            fs::write(ours.join(name), unlimited).unwrap();
            assert_eq!(places(), beside, "{name}");
        }
    }

    #[test]
    fn groups_of_graders_that_are_gone_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        // A process cannot have the second number: it is beyond the largest (proc_sys_kernel(5),
        // pid_max).
        for name in ["lab2048-grade-1", "lab2048-grade-4294967295", "another-4294967295"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        sweep(parent.path());
        assert!(parent.path().join("lab2048-grade-1").exists());
        assert!(!parent.path().join("lab2048-grade-4294967295").exists());
        assert!(parent.path().join("another-4294967295").exists());
    }

    #[test]
    fn killed_processes_are_counted() {
        assert_eq!(killed("low 0\noom 3\noom_kill 2\noom_group_kill 1\n"), 2);
        assert_eq!(killed("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n"), 0);
        assert_eq!(killed(""), 0);
    }
}
