//! The fence around a submission: it cannot signal the grader, and nothing of it survives it.
//!
//! On Linux the grader is the reaper of its descendants: whoever detaches itself (by a second fork, a session of its own)
//! and loses its parent becomes the grader's child, so every process that a submission has started, and no other, is among the
//! grader's descendants. They are found in `/proc`, counted and weighed while the submission plays, and ended after it.
//! A filter of system calls, which a process cannot take off again and hands down to its children, refuses
//! what would end, stop, trace or slow down the grader.
//!
//! Looking comes too late for a process that doubles itself, so the system limits the number of processes. It counts them by user, and
//! not those of root: a grader that is root gives the submission a user of its own. Where only root can reach the Python or the
//! temporary folder, that user keeps one right of root: to read every file. Elsewhere than on Linux there is the process group, and
//! the limits that the submission's process sets itself.
//!
//! The grader runs one submission at a time and has no other children meanwhile.

#[cfg(target_os = "linux")]
pub(super) use linux::{
    become_reader, census, end_descendants, hand_over, place, processes_of_user, program, reap_orphans, spawn,
};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{
    census, end_descendants, hand_over, place, processes_of_user, program, reap_orphans, spawn,
};

/// As whom a submission runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// As the user of the grader.
    SameUser,
    /// As a user that nobody else is.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there the user stays the same"))]
    OwnUser {
        /// The user's number.
        user: u32,
        /// Whether the user may read every file, as root may.
        reads_all: bool,
    },
}

/// What runs of a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Its processes.
    pub(super) processes: usize,
    /// The bytes of memory that they hold, shared ones counted for each.
    pub(super) memory: u64,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, HashMap, HashSet};
    use std::ffi::OsString;
    use std::io;
    use std::os::unix::fs::{MetadataExt, chown};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};
    use std::{fs, process, thread};

    use caps::{CapSet, Capability};
    use nix::libc;
    use nix::sys::prctl::{set_child_subreaper, set_keepcaps};
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, waitpid};
    use nix::unistd::{Gid, Pid, Uid, geteuid, getpgrp, setgroups, setresgid, setresuid};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch, apply_filter,
    };

    use super::{Census, Place};

    /// Users have numbers up to 2^32 - 2; those from here on are given to nobody by any system we know.
    const FIRST_FREE_USER: u32 = 3_000_000_000;
    /// How long processes that were killed may take to disappear: the system may be writing their memory to a disk.
    const PATIENCE: Duration = Duration::from_secs(20);

    /// From now on processes that lose their parent become ours.
    pub(in super::super) fn reap_orphans() -> io::Result<()> {
        Ok(set_child_subreaper(true)?)
    }

    /// Finds out as whom a submission can run: with this Python, in a new folder of the temporary ones. `None` if only root
    /// can, whose processes the system does not limit.
    pub(in super::super) fn place(python: &Path) -> io::Result<Option<Place>> {
        if !geteuid().is_root() {
            return Ok(Some(Place::SameUser));
        }
        let user = FIRST_FREE_USER + process::id();
        for reads_all in [false, true] {
            let place = Place::OwnUser { user, reads_all };
            let folder = tempfile::tempdir()?;
            hand_over(folder.path(), place)?;
            let mut trial = program(python, place);
            trial.args(["-I", "-c", "import resource"]).current_dir(folder.path());
            trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if trial.status().is_ok_and(|status| status.success()) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// The command that starts a Python at its place.
    pub(in super::super) fn program(python: &Path, place: Place) -> Command {
        match place {
            Place::SameUser => Command::new(python),
            Place::OwnUser { user, reads_all: false } => {
                let mut command = Command::new(python);
                command.uid(user).gid(user);
                command
            }
            Place::OwnUser { user, reads_all: true } => {
                // This very program, also if its file has been replaced meanwhile: see `become_reader`.
                let mut command = Command::new("/proc/self/exe");
                command.args(["fenced", &user.to_string()]).arg(python);
                command
            }
        }
    }

    /// Becomes a program of a user who may read every file and pass through every folder, and has no other right of root. Returns
    /// only if that is impossible.
    pub(in super::super) fn become_reader(user: u32, program: &Path, arguments: &[OsString]) -> io::Error {
        if let Err(error) = keep_reading_only(user) {
            return error;
        }
        Command::new(program).args(arguments).exec()
    }

    /// Changes the user, and keeps one capability for this program and the next (capabilities(7), ambient ones).
    fn keep_reading_only(user: u32) -> io::Result<()> {
        let permitted = caps::read(None, CapSet::Permitted).map_err(io::Error::other)?;
        let right = Capability::CAP_DAC_READ_SEARCH;
        if !permitted.contains(&right) {
            return Err(io::Error::other("root may not read every file here"));
        }
        set_keepcaps(true)?;
        setgroups(&[])?;
        let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
        setresgid(group, group, group)?;
        setresuid(user, user, user)?;
        let only = HashSet::from([right]);
        for set in [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable, CapSet::Ambient] {
            caps::set(None, set, &only).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// The processes and threads of the grader's user, as the system counts them against a limit; `None` if they cannot be counted.
    pub(in super::super) fn processes_of_user() -> io::Result<Option<u64>> {
        let user = geteuid().as_raw();
        let owned =
            |name: &str| fs::metadata(format!("/proc/{name}")).is_ok_and(|metadata| metadata.uid() == user);
        let threads = numbers()?
            .filter(|name| owned(name))
            .filter_map(|name| Some(fs::read_dir(format!("/proc/{name}/task")).ok()?.count() as u64));
        Ok(Some(threads.sum()))
    }

    /// Gives a folder and everything in it to the one who will work there.
    pub(in super::super) fn hand_over(folder: &Path, place: Place) -> io::Result<()> {
        let Place::OwnUser { user, .. } = place else { return Ok(()) };
        chown(folder, Some(user), Some(user))?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                hand_over(&entry.path(), place)?;
            } else {
                chown(entry.path(), Some(user), Some(user))?;
            }
        }
        Ok(())
    }

    /// Starts a program behind the fence. A filter belongs to a thread and is inherited, so a thread that does nothing
    /// else puts it on and starts the program.
    pub(in super::super) fn spawn(command: &mut Command) -> io::Result<Child> {
        let filter = filter().map_err(io::Error::other)?;
        let fenced = || {
            apply_filter(&filter).map_err(io::Error::other)?;
            command.spawn()
        };
        let broke_down = |_| Err(io::Error::other("the thread that starts it broke down"));
        thread::scope(|scope| scope.spawn(fenced).join().unwrap_or_else(broke_down))
    }

    /// What is refused: signals to the grader, to its process group and to everyone; limits and priorities of others; looking
    /// into others. Signals by thread or by a descriptor of a process could hide whom they are for and are refused
    /// altogether; a process's signals to itself and to its children come as `kill` and `tgkill`.
    fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
        let grader = process::id() as i32;
        let everyone = -1;
        let is = |argument: u8, operator: SeccompCmpOp, number: i32| {
            // The kernel takes process numbers as 32 bits.
            let condition = SeccompCondition::new(
                argument,
                SeccompCmpArgLen::Dword,
                operator,
                u64::from(number.cast_unsigned()),
            )?;
            SeccompRule::new(vec![condition])
        };
        let to = |number: i32| is(0, SeccompCmpOp::Eq, number);
        let not_own = |argument: u8| is(argument, SeccompCmpOp::Ne, 0);
        let signals = vec![to(grader)?, to(-getpgrp().as_raw())?, to(everyone)?];
        let rules = BTreeMap::from([
            (libc::SYS_kill, signals.clone()),
            (libc::SYS_rt_sigqueueinfo, signals),
            (libc::SYS_tgkill, vec![to(grader)?]),
            (libc::SYS_rt_tgsigqueueinfo, vec![to(grader)?]),
            (libc::SYS_pidfd_open, vec![to(grader)?]),
            (libc::SYS_pidfd_send_signal, vec![]),
            (libc::SYS_tkill, vec![]),
            (libc::SYS_ptrace, vec![]),
            (libc::SYS_process_vm_writev, vec![]),
            (libc::SYS_prlimit64, vec![to(grader)?]),
            (libc::SYS_setpriority, vec![not_own(0)?, not_own(1)?]),
            (libc::SYS_ioprio_set, vec![not_own(1)?]),
            (libc::SYS_sched_setaffinity, vec![to(grader)?]),
            (libc::SYS_sched_setscheduler, vec![not_own(0)?]),
            (libc::SYS_sched_setparam, vec![not_own(0)?]),
            (libc::SYS_sched_setattr, vec![not_own(0)?]),
        ]);
        let refused = SeccompAction::Errno(libc::EPERM as u32);
        let machine: TargetArch = std::env::consts::ARCH.try_into()?;
        SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()
    }

    /// A process as `/proc` tells of it.
    struct Process {
        id: i32,
        parent: i32,
        /// It has ended, and only its parent has not heard of it yet.
        is_over: bool,
        pages: u64,
    }

    /// Reads `/proc/ID/stat`, in which the name, whatever it contains, stands in the first and the last bracket:
    /// `ID (NAME) STATE PARENT ...`, the pages in memory being field 24 (proc_pid_stat(5)).
    fn read_stat(stat: &str) -> Option<Process> {
        let (id, rest) = stat.split_once(" (")?;
        let (_, fields) = rest.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        Some(Process {
            id: id.parse().ok()?,
            is_over: matches!(*fields.first()?, "Z" | "X"),
            parent: fields.get(1)?.parse().ok()?,
            pages: fields.get(21)?.parse().ok()?,
        })
    }

    /// The processes that descend from a process, parents before their children.
    fn descendants(of: i32, processes: Vec<Process>) -> Vec<Process> {
        let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
        for process in processes {
            children.entry(process.parent).or_default().push(process);
        }
        let mut found = children.remove(&of).unwrap_or_default();
        let mut next = 0;
        while let Some(process) = found.get(next) {
            let more = children.remove(&process.id).unwrap_or_default();
            found.extend(more);
            next += 1;
        }
        found
    }

    /// The numbers of all processes.
    fn numbers() -> io::Result<impl Iterator<Item = String>> {
        let names = fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter(|name| name.bytes().all(|letter| letter.is_ascii_digit())))
    }

    fn own_descendants() -> io::Result<Vec<Process>> {
        // A process that is gone by now has nothing to tell.
        let stats = numbers()?.filter_map(|name| fs::read(format!("/proc/{name}/stat")).ok());
        let processes = stats.filter_map(|stat| read_stat(&String::from_utf8_lossy(&stat))).collect();
        Ok(descendants(process::id() as i32, processes))
    }

    /// Counts what runs of the submission.
    pub(in super::super) fn census() -> io::Result<Census> {
        let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE)?.unwrap_or(4096) as u64;
        let alive = own_descendants()?.into_iter().filter(|process| !process.is_over);
        Ok(alive.fold(Census::default(), |sum, process| Census {
            processes: sum.processes + 1,
            memory: sum.memory + process.pages * page,
        }))
    }

    /// Ends all that is left of the submission. First everyone is stopped, so that nobody makes more of them than we
    /// end; a look that finds nobody new is the sign.
    pub(in super::super) fn end_descendants() -> io::Result<()> {
        let started = Instant::now();
        let signal = |process: &Process, signal| {
            // One that is gone by now needs no signal.
            let _ = kill(Pid::from_raw(process.id), signal);
        };
        let mut stopped = 0;
        loop {
            let left = own_descendants()?;
            let alive = left.iter().filter(|process| !process.is_over).count();
            for process in &left {
                if process.is_over {
                    // Only our own children can be collected by us; the others become ours when their parents end.
                    let _ = waitpid(Pid::from_raw(process.id), Some(WaitPidFlag::WNOHANG));
                } else if alive > stopped {
                    signal(process, Signal::SIGSTOP);
                } else {
                    signal(process, Signal::SIGKILL);
                }
            }
            stopped = alive;
            if left.is_empty() {
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                return Err(io::Error::other(format!("{} of its processes cannot be ended", left.len())));
            }
            // Time for the system to carry it out.
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn process(id: i32, parent: i32) -> Process {
            Process { id, parent, is_over: false, pages: 1 }
        }

        #[test]
        fn a_process_may_have_any_name() {
            let fields = "S 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1000 321 18446744073709551615";
            for name in ["sh", "a b", ") Z 1 (", "((", ""] {
                let process = read_stat(&format!("42 ({name}) {fields}\n")).unwrap();
                assert_eq!(
                    (process.id, process.parent, process.is_over, process.pages),
                    (42, 7, false, 321),
                    "{name}"
                );
            }
            assert!(read_stat("42 (sh) Z 7").is_none());
            assert!(read_stat("").is_none());
        }

        #[test]
        fn descendants_of_all_degrees_and_no_others() {
            let family = vec![process(9, 4), process(2, 1), process(3, 1), process(4, 2), process(8, 7)];
            let found: Vec<i32> = descendants(1, family).iter().map(|process| process.id).collect();
            assert_eq!(found, [2, 3, 4, 9]);
            assert!(descendants(5, vec![process(6, 1)]).is_empty());
        }

        #[test]
        fn there_is_a_filter_for_this_machine() {
            assert!(filter().is_ok());
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::io;
    use std::process::{Child, Command};

    use super::{Census, Place};

    /// The grader's own user.
    pub(in super::super) fn place(_: &std::path::Path) -> io::Result<Option<Place>> {
        Ok(Some(Place::SameUser))
    }

    /// Nobody counts them.
    pub(in super::super) fn processes_of_user() -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// The Python itself.
    pub(in super::super) fn program(python: &std::path::Path, _: Place) -> Command {
        Command::new(python)
    }

    /// The folder belongs to the right one already.
    pub(in super::super) fn hand_over(_: &std::path::Path, _: Place) -> io::Result<()> {
        Ok(())
    }

    /// Orphans go to the system.
    pub(in super::super) fn reap_orphans() -> io::Result<()> {
        Ok(())
    }

    /// Starts a program.
    pub(in super::super) fn spawn(command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }

    /// Nothing is known about the children of a program.
    pub(in super::super) fn census() -> io::Result<Census> {
        Ok(Census::default())
    }

    /// The process group, which is ended by the one who started it, is all there is.
    pub(in super::super) fn end_descendants() -> io::Result<()> {
        Ok(())
    }
}
