//! How a submission's Python is started on Linux: the grader starts its own program once more (`lab2048 fenced`), which takes
//! on the submission's user, puts on the rules and becomes the Python.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use caps::{CapSet, Capability};
use nix::sys::prctl::{set_child_subreaper, set_dumpable, set_keepcaps, set_pdeathsig};
use nix::sys::signal::Signal;
use nix::sys::statvfs::statvfs;
use nix::unistd::{Gid, Uid, geteuid, getpgid, getppid, read, setgroups, setresgid, setresuid, setsid};

use super::super::folder::{LockedFolder, WorkFolder};
use super::super::python::{Silence, interview};
use super::super::removal;
use super::users::{Free, free_user};
use super::{Allowance, Place, SHARED_MEMORY, Who, files as counting, rules, world};
use crate::failure::warn;

/// The longest line of thread numbers: a grader has a handful of threads.
const LONGEST_LINE: usize = 1 << 16;
/// What a Python that only says that it is there may use.
const TRIAL: Allowance = Allowance { files: 1 << 26, network: false };

/// Makes this process a grader: processes that lose their parent become ours, and nobody of our user can look into us.
pub(in super::super) fn prepare() -> io::Result<()> {
    set_child_subreaper(true)?;
    Ok(set_dumpable(false)?)
}

/// Finds out as whom a submission can run: with this Python, behind the fence, in a new folder of the temporary ones.
pub(in super::super) fn place(python: &Path) -> Result<Place, Silence> {
    let cannot = |error: io::Error| Silence::Failed(format!("cannot try it: {error}"));
    let own = |user| [false, true].map(|reads_all| Who::OwnUser { user, reads_all }).to_vec();
    let users = match geteuid().is_root() {
        false => vec![Who::SameUser],
        true => match free_user().map_err(cannot)? {
            Free::User(user) => own(user),
            Free::OnlyOurs => vec![Who::SameUser],
            Free::OnlyRoot => vec![],
        },
    };
    // Files of its own, where the system allows it.
    let places = users.into_iter().flat_map(|who| [true, false].map(|is_private| Place { who, is_private }));
    let mut reason = "only root is there".to_owned();
    for place in places {
        match try_out(python, place).map_err(cannot)? {
            Ok(_) => return Ok(place),
            Err(Silence::Failed(why)) => reason = why,
            Err(Silence::Interrupted) => return Err(Silence::Interrupted),
        }
    }
    Err(Silence::Failed(match geteuid().is_root() {
        false => format!("it does not start behind the fence: {reason}"),
        true => format!(
            "only root can reach it, and nothing limits the processes of root ({reason}); name one that everyone can reach"
        ),
    }))
}

/// Starts a Python that only says that it is there.
fn try_out(python: &Path, place: Place) -> io::Result<Result<Vec<String>, Silence>> {
    let folder = WorkFolder::new()?;
    hand_over(folder.path(), place.who)?;
    let mut trial = program(python, place, TRIAL);
    // The folder by its name: the way to it may be closed although the process is in it.
    let script = "import os, resource; os.listdir(os.getcwd()); print('ready')";
    trial.args(["-I", "-c", script]).current_dir(folder.path());
    Ok(interview(trial, Some(threads()?), 1))
}

/// The command that starts a Python at its place. It waits for the first word.
pub(in super::super) fn program(python: &Path, place: Place, allowance: Allowance) -> Command {
    // This very program, also if its file has been replaced meanwhile.
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
    command.arg(python);
    command
}

/// What a program behind the fence has to be told first: whom it must not reach. To be asked when all threads are there.
pub(in super::super) fn first_word() -> io::Result<Option<String>> {
    threads().map(Some)
}

/// The numbers of our threads in one line: each of them stands for the whole process when it comes to signals.
fn threads() -> io::Result<String> {
    let tasks = fs::read_dir("/proc/self/task")?.flatten();
    let names: Vec<String> = tasks.filter_map(|task| task.file_name().into_string().ok()).collect();
    Ok(format!("{}\n", names.join(" ")))
}

/// Becomes a program behind the fence, in its working folder. Returns only if that is impossible.
pub(in super::super) fn become_fenced(
    place: Place,
    allowance: Allowance,
    program: &Path,
    arguments: &[OsString],
) -> io::Error {
    match put_up(place, allowance) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

fn put_up(place: Place, allowance: Allowance) -> io::Result<()> {
    let parent = getppid();
    let group = getpgid(Some(parent))?;
    // A session of its own: no terminal, no Ctrl-C, and a process group that can be ended as a
    // whole. One that leads a group already has been given it for the same reason.
    let _ = setsid();
    let grader = listen()?;
    if place.is_private {
        world::enter(place.who, allowance.files)?;
    }
    if let Who::OwnUser { user, reads_all } = place.who {
        change_user(user, reads_all)?;
    }
    // After the change of the user, which takes it back. It is the end of the thread that started us, the grader's main one.
    set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != parent {
        return Err(io::Error::other("the grader is gone"));
    }
    stay_inside(place, allowance)?;
    rules::put_on(&grader, group, place.who, allowance.network)
}

/// Lets this process write into its working folder only, and into shared memory if that is its own,
/// or swept up afterwards and too small to hide much there.
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

/// Reads the first word. What follows it in the input is for the program, so it is read letter by letter.
fn listen() -> io::Result<Vec<i32>> {
    let (mut line, mut letter) = (Vec::new(), [0]);
    while line.len() < LONGEST_LINE && read(io::stdin(), &mut letter)? == 1 && letter != [b'\n'] {
        line.extend(letter);
    }
    let numbers: Option<Vec<i32>> =
        String::from_utf8_lossy(&line).split(' ').map(|word| word.parse().ok()).collect();
    numbers.ok_or_else(|| io::Error::other("the grader did not say whom to leave alone"))
}

/// Changes the user. One who reads all may read every file and pass through every folder, and has no other right of root: that
/// capability is kept for this program and the next (capabilities(7), ambient ones).
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

/// Gives a folder and everything in it to the one who will work there.
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

/// The bytes of the files of a submission: one of its processes, and the folder around its working
/// folder. An error says what is wrong with them.
pub(in super::super) fn files(place: Place, process: u32, outer: &Path) -> Result<u64, String> {
    if place.is_private {
        // A process that has ended says nothing, and the rest of its world ends with it.
        return Ok(counting::private(process, outer).ok().flatten().unwrap_or(0));
    }
    counting::all_below(outer)
}

/// Removes what a user of its own has left where everyone may write. A submission that runs as the
/// grader's user cannot be told from others of that user, and writes nowhere else.
pub(in super::super) fn sweep(who: Who) {
    let Who::OwnUser { user, .. } = who else { return };
    let mut folders = vec![SHARED_MEMORY.into(), "/tmp".into(), "/var/tmp".into(), env::temp_dir()];
    folders.sort();
    folders.dedup();
    for folder in folders {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            // Of the entry itself, not of what a link may lead to.
            let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
            if metadata.uid() != user {
                continue;
            }
            if metadata.is_dir() {
                if let Err(left) = remove_foreign(&folder, &entry.path()) {
                    warn(&left);
                }
            } else {
                // What cannot be removed stays; nobody else is this user.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Removes a folder of a submission's user, which it could replace, by way of one that is ours.
fn remove_foreign(parent: &Path, folder: &Path) -> Result<(), String> {
    let ours = LockedFolder::new_in(parent)
        .map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    // This fails if the folder is already gone.
    let _ = fs::rename(folder, ours.path.join("left"));
    removal::remove(&ours.path, removal::HURRY).map_err(|left| left.to_string())
}
