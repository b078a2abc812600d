//! Starts a submission's Python in the sandbox on Linux. The grader starts its own executable again
//! as `lab2048 fenced`. That process switches to the submission's user, applies the rules and then
//! executes Python.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use caps::{CapSet, Capability};
use lab2048::text::in_words;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl::{set_child_subreaper, set_dumpable, set_keepcaps, set_pdeathsig};
use nix::sys::signal::Signal;
use nix::sys::statvfs::statvfs;
use nix::unistd::{Gid, Pid, Uid, geteuid, getpgid, getppid, read, setgroups, setresgid, setresuid, setsid};

use super::super::folder::{LockedFolder, WorkFolder};
use super::super::python::{Silence, interview};
use super::super::removal;
use super::users::{Free, free_user};
use super::{Allowance, Apart, Place, SHARED_MEMORY, Who, files as counting, rules, world};
use crate::failure::warn;

/// The maximum length of the line with thread ids. A grader has only a few threads.
const LONGEST_LINE: usize = 1 << 16;
/// The limits for a Python that is only started to see whether it works.
const TRIAL: Allowance = Allowance { files: 1 << 26, network: false };

/// Prepares this process as a grader: it adopts orphaned descendants, and other processes of the
/// same user cannot inspect its memory.
pub(in super::super) fn prepare() -> io::Result<()> {
    set_child_subreaper(true)?;
    Ok(set_dumpable(false)?)
}

/// Determines the user and file system a submission can run with. Each candidate is tried by
/// starting this Python in the sandbox, in a new temporary folder.
pub(in super::super) fn place(python: &Path) -> Result<Place, Silence> {
    let cannot = |error: io::Error| Silence::Failed(format!("cannot try it: {}", in_words(&error)));
    let own = |user| [false, true].map(|reads_all| Who::OwnUser { user, reads_all }).to_vec();
    let users = match geteuid().is_root() {
        false => vec![Who::SameUser],
        true => match free_user().map_err(cannot)? {
            Free::User(user) => own(user),
            Free::OnlyOurs => vec![Who::SameUser],
            Free::OnlyRoot => vec![],
        },
    };
    // A private file system is preferred if the system allows it.
    let places = users.into_iter().flat_map(|who| [true, false].map(|is_private| Place { who, is_private }));
    let mut reason = "there is no other user".to_owned();
    for place in places {
        match try_out(python, place).map_err(cannot)? {
            Ok(_) => return Ok(place),
            Err(Silence::Failed(why)) => reason = why,
            Err(Silence::Interrupted) => return Err(Silence::Interrupted),
        }
    }
    Err(Silence::Failed(match geteuid().is_root() {
        false => format!("it does not start in the sandbox: {reason}"),
        true => format!(
            "only root can reach it, and nothing limits the processes of root ({reason}); choose a Python that all users can reach"
        ),
    }))
}

/// Starts a Python that only reports that it is ready.
fn try_out(python: &Path, place: Place) -> io::Result<Result<Vec<String>, Silence>> {
    let folder = WorkFolder::new()?;
    hand_over(folder.path(), place.who)?;
    let mut trial = program(python, place, &Apart::default(), TRIAL);
    // It lists the folder by name: the path may be inaccessible although the process is inside it.
    let script = "import os, resource; os.listdir(os.getcwd()); print('ready')";
    trial.args(["-I", "-c", script]).current_dir(folder.path());
    Ok(interview(trial, Some(threads()?), 1))
}

/// The command that starts Python in the sandbox. It waits for the first line of input.
pub(in super::super) fn program(python: &Path, place: Place, apart: &Apart, allowance: Allowance) -> Command {
    // This executable, even if its file has been replaced in the meantime.
    let mut command = Command::new("/proc/self/exe");
    command.arg("fenced");
    command.args(["--files", &allowance.files.to_string()]);
    if let Who::OwnUser { user, reads_all } = place.who {
        command.args(["--user", &user.to_string()]);
        if reads_all {
            command.arg("--reads-all");
        }
    }
    if place.is_private {
        command.arg("--private");
    }
    if allowance.network {
        command.arg("--network");
    }
    for processor in &apart.processors {
        command.args(["--processor", &processor.to_string()]);
    }
    for hidden in apart.hidden.iter().filter(|_| place.is_private) {
        command.arg("--hide").arg(hidden);
    }
    if let Some(shared) = apart.shared.as_ref().filter(|_| place.is_private) {
        command.arg("--shared").arg(shared);
    }
    command.arg("--").arg(python);
    command
}

/// The first input line of a sandboxed program: the threads it must not signal. Call this when all
/// threads are running.
pub(in super::super) fn first_word() -> io::Result<Option<String>> {
    threads().map(Some)
}

/// The ids of our threads in one line. A signal to any of them reaches the whole process.
fn threads() -> io::Result<String> {
    let tasks = fs::read_dir("/proc/self/task")?.flatten();
    let names: Vec<String> = tasks.filter_map(|task| task.file_name().into_string().ok()).collect();
    Ok(format!("{}\n", names.join(" ")))
}

/// Turns this process into a sandboxed program in its working folder. Returns only on failure.
pub(in super::super) fn become_fenced(
    place: Place,
    apart: &Apart,
    allowance: Allowance,
    program: &Path,
    arguments: &[OsString],
) -> io::Error {
    match put_up(place, apart, allowance) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

fn put_up(place: Place, apart: &Apart, allowance: Allowance) -> io::Result<()> {
    let parent = getppid();
    let group = getpgid(Some(parent))?;
    // A new session: no terminal, no Ctrl-C, and a process group that can be killed as a whole. The
    // call fails if the process already leads a group, which serves the same purpose.
    let _ = setsid();
    let grader = listen()?;
    let is_pinned = !apart.processors.is_empty();
    if is_pinned {
        stay_on(&apart.processors)?;
    }
    if place.is_private {
        world::enter(place.who, allowance.files, apart)?;
    }
    if let Who::OwnUser { user, reads_all } = place.who {
        change_user(user, reads_all)?;
    }
    // This must come after the change of user, which clears the setting. The signal is sent when
    // the thread that started us ends, which is the grader's main thread.
    set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != parent {
        return Err(io::Error::other("the grader is gone"));
    }
    stay_inside(place, allowance)?;
    rules::put_on(&grader, group, place.who, allowance.network, is_pinned)
}

/// Restricts this process and its later children to these processors.
fn stay_on(processors: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    processors.iter().try_for_each(|&processor| set.set(processor))?;
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// Restricts writing to the working folder. Shared memory is also allowed if it is private, or if
/// it is cleaned up afterwards and too small to hide much data.
fn stay_inside(place: Place, allowance: Allowance) -> io::Result<()> {
    let is_small = || {
        let system = statvfs(SHARED_MEMORY);
        system.is_ok_and(|system| {
            let size = system.blocks().saturating_mul(system.fragment_size());
            size > 0 && size <= allowance.files
        })
    };
    let may_share = place.is_private || place.who != Who::SameUser && is_small();
    rules::stay_inside(may_share.then_some(SHARED_MEMORY)).map_err(io::Error::other)
}

/// Reads the first input line. The rest of the input belongs to the program, so this reads byte by
/// byte.
fn listen() -> io::Result<Vec<i32>> {
    let (mut line, mut letter) = (Vec::new(), [0]);
    while line.len() < LONGEST_LINE && read(io::stdin(), &mut letter)? == 1 && letter != [b'\n'] {
        line.extend(letter);
    }
    let numbers: Option<Vec<i32>> =
        String::from_utf8_lossy(&line).split(' ').map(|word| word.parse().ok()).collect();
    numbers.ok_or_else(|| io::Error::other("the grader did not send its thread ids"))
}

/// Changes the user. With `reads_all`, the user may read every file and enter every folder, but has
/// no other rights of root. That capability is also kept for the next program (capabilities(7),
/// ambient set).
fn change_user(user: u32, reads_all: bool) -> io::Result<()> {
    let right = Capability::CAP_DAC_READ_SEARCH;
    let kept = if reads_all { HashSet::from([right]) } else { HashSet::new() };
    if !caps::read(None, CapSet::Permitted).map_err(io::Error::other)?.is_superset(&kept) {
        return Err(io::Error::other("root may not read every file here"));
    }
    set_keepcaps(reads_all)?;
    setgroups(&[])?;
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    setresgid(group, group, group)?;
    setresuid(user, user, user)?;
    if reads_all {
        for set in [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable, CapSet::Ambient] {
            caps::set(None, set, &kept).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Gives a folder and everything in it to the submission's user.
pub(in super::super) fn hand_over(folder: &Path, who: Who) -> io::Result<()> {
    let Who::OwnUser { user, .. } = who else { return Ok(()) };
    chown(folder, Some(user), Some(user))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            hand_over(&entry.path(), who)?;
        } else {
            chown(entry.path(), Some(user), Some(user))?;
        }
    }
    Ok(())
}

/// The total bytes of a submission's files, given one of its processes and the folder around its
/// working folder. An error describes a violation.
pub(in super::super) fn files(place: Place, process: u32, outer: &Path) -> Result<u64, String> {
    if place.is_private {
        // If the process has ended, its private file system is gone too.
        return Ok(counting::private(process, outer).ok().flatten().unwrap_or(0));
    }
    counting::all_below(outer)
}

/// Removes what a submission's own user has left in world-writable folders. A submission that runs
/// as the grader's user cannot be told apart from that user's other programs, but it can write only
/// into its working folder.
pub(in super::super) fn sweep(who: Who) {
    let Who::OwnUser { user, .. } = who else { return };
    let mut folders = vec![SHARED_MEMORY.into(), "/tmp".into(), "/var/tmp".into(), env::temp_dir()];
    folders.sort();
    folders.dedup();
    for folder in folders {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            // The metadata of the entry itself, not of the target of a link.
            let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
            if metadata.uid() != user {
                continue;
            }
            if metadata.is_dir() {
                if let Err(left) = remove_foreign(&folder, &entry.path()) {
                    warn(&left);
                }
            } else {
                // A file that cannot be removed stays. No other user has this id.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Removes a folder of a submission's user. The submission could replace the folder meanwhile, so
/// it is first moved into a locked folder of ours.
fn remove_foreign(parent: &Path, folder: &Path) -> Result<(), String> {
    let ours = LockedFolder::new_in(parent)
        .map_err(|error| format!("cannot remove {}: {}", folder.display(), in_words(&error)))?;
    // This fails if the folder is already gone.
    let _ = fs::rename(folder, ours.path.join("left"));
    removal::remove(&ours.path, removal::HURRY).map_err(|left| left.to_string())
}
