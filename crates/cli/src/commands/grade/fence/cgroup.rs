//! A control group (cgroup). The kernel limits the memory of all processes of a submission
//! together, including their in-memory files and the buffers of their pipes and sockets. It is
//! optional: the grader uses one if it is allowed to create it.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, process, thread};

/// The name of a group is this prefix, followed by the process id of its grader.
const PREFIX: &str = "lab2048-grade-";
/// Where control groups are mounted.
const ROOT: &str = "/sys/fs/cgroup";
/// The limit files of a cgroup v2 group. A file that is missing or starts with `max` sets no limit.
const LIMITS: [&str; 5] = ["memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max"];
/// How often removing a group is retried while the kernel still reports it as busy, and the pause
/// between two attempts.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(5);

/// A group for one submission. Dropping it removes the group.
#[derive(Debug)]
pub(in super::super) struct Group {
    folder: PathBuf,
}

/// The file names of cgroup v1 and v2 (cgroups(7)).
struct Version {
    /// The file that sets the memory limit.
    limit: &'static str,
    /// The file that counts processes killed for lack of memory.
    events: &'static str,
    /// Optional settings, for systems that support them: no swap beyond the limit, and all
    /// processes are killed together.
    further: &'static [(&'static str, &'static str)],
}

const SECOND: Version = Version {
    limit: "memory.max",
    events: "memory.events",
    further: &[("memory.swap.max", "0"), ("memory.oom.group", "1")],
};
const FIRST: Version = Version { limit: "memory.limit_in_bytes", events: "memory.oom_control", further: &[] };

impl Group {
    /// Creates a group with a memory limit in bytes, if this process is allowed to.
    pub(in super::super) fn new(limit: u64) -> Option<Group> {
        let ours = fs::read_to_string("/proc/self/cgroup").ok()?;
        parents(&ours, Path::new(ROOT)).into_iter().find_map(|(parent, version)| {
            sweep(&parent);
            let folder = parent.join(format!("{PREFIX}{}", process::id()));
            fs::create_dir(&folder).ok()?;
            let group = Group { folder };
            // The file is never created: without the memory controller, the file system does not
            // have it.
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

    /// Adds a process to the group. The processes it starts later belong to the group too.
    pub(in super::super) fn take_in(&self, process: u32) -> io::Result<()> {
        fs::write(self.folder.join("cgroup.procs"), process.to_string())
    }

    /// Whether the kernel killed processes because the memory limit was reached.
    pub(in super::super) fn was_exceeded(&self) -> bool {
        let events = [SECOND, FIRST].map(|version| fs::read_to_string(self.folder.join(version.events)));
        events.iter().flatten().any(|events| killed(events) > 0)
    }

    /// The folder of the group, for code that removes it instead of this value.
    pub(in super::super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes the groups of graders that are gone. A group with our own process id must be a leftover,
/// so it is removed too. The kernel does not remove groups that still have processes.
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
            // If an empty group stays behind, it uses no memory.
            _ => return,
        }
    }
}

/// The memory limit in bytes of the grader's own group and the groups around it, if they have one.
/// All submissions together get no more.
pub(in super::super) fn memory_limit() -> Option<u64> {
    lowest_limit(&fs::read_to_string("/proc/self/cgroup").ok()?, Path::new(ROOT))
}

/// The same for these lines of `/proc/self/cgroup`.
fn lowest_limit(ours: &str, root: &Path) -> Option<u64> {
    let groups = ours.lines().filter_map(|line| group_of(line, root));
    let limits = groups.flat_map(|(group, around, version)| {
        let folders = around.ancestors().map(|path| group.join(path)).collect::<Vec<_>>();
        folders.into_iter().filter_map(move |folder| {
            // A group without a limit has the word `max` in version 2.
            fs::read_to_string(folder.join(version.limit)).ok()?.trim().parse().ok()
        })
    });
    limits.min()
}

fn killed(events: &str) -> u64 {
    let count = events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok());
    count.unwrap_or(0)
}

/// The groups in which a group for a submission could be created, from `/proc/self/cgroup`, whose
/// lines are `ID:CONTROLLERS:PATH`. A submission never escapes the limits of its grader. In cgroup
/// v1, its group is inside the grader's. In v2, a group that has processes cannot contain groups
/// with limits, so its group is created beside the grader's, and only if the grader's group has no
/// limits.
fn parents(ours: &str, root: &Path) -> Vec<(PathBuf, Version)> {
    let lines = ours.lines().filter_map(|line| {
        let (mounted, path, version) = group_of(line, root)?;
        if version.limit == FIRST.limit {
            return Some((mounted.join(path), version));
        }
        // The root group may contain both processes and groups.
        let Some(beside) = path.parent() else { return Some((mounted, version)) };
        (!is_limited(&mounted.join(path))).then(|| (mounted.join(beside), version))
    });
    lines.collect()
}

/// The group of one line of `/proc/self/cgroup`, if it can limit memory: where its kind is mounted,
/// its path in there, and the version.
fn group_of<'a>(line: &'a str, root: &Path) -> Option<(PathBuf, &'a Path, Version)> {
    let mut words = line.splitn(3, ':').skip(1);
    let (controllers, path) = (words.next()?, Path::new(words.next()?).strip_prefix("/").ok()?);
    if controllers.is_empty() {
        return Some((root.to_owned(), path, SECOND));
    }
    let has_memory = controllers.split(',').any(|controller| controller == "memory");
    has_memory.then(|| (root.join("memory"), path, FIRST))
}

/// Whether a cgroup v2 group has a limit.
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
    fn the_lowest_limit_of_the_groups_around_holds() {
        let root = tempfile::tempdir().unwrap();
        let slice = root.path().join("user.slice");
        let limit = || lowest_limit("0::/user.slice/grader.scope\n", root.path());
        fs::create_dir_all(slice.join("grader.scope")).unwrap();
        assert_eq!(limit(), None, "without the controller there is no file");
        fs::write(slice.join("grader.scope/memory.max"), "max\n").unwrap();
        assert_eq!(limit(), None);
        fs::write(slice.join("memory.max"), "1073741824\n").unwrap();
        assert_eq!(limit(), Some(1 << 30));
        fs::write(slice.join("grader.scope/memory.max"), "536870912\n").unwrap();
        assert_eq!(limit(), Some(1 << 29));
        fs::write(root.path().join("memory.max"), "1000\n").unwrap();
        assert_eq!(limit(), Some(1000), "a container sees its own group as the root");
        fs::create_dir_all(root.path().join("memory/one")).unwrap();
        fs::write(root.path().join("memory/one/memory.limit_in_bytes"), "2000\n").unwrap();
        assert_eq!(lowest_limit("4:cpu,memory:/one/two\n", root.path()), Some(2000), "version 1");
    }

    #[test]
    fn groups_of_graders_that_are_gone_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        // No process can have the second id: it is above the maximum (proc_sys_kernel(5), pid_max).
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
