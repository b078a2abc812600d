//! Finds, counts and ends the processes of a submission: all descendants of the grader in `/proc`.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};
use std::{fs, io, process, thread};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, geteuid};

use super::Census;

/// How long killed processes may take to disappear. The kernel may still be writing their memory to
/// disk.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process as listed in `/proc`.
struct Process {
    id: i32,
    parent: i32,
    /// It has ended, but its parent has not collected it yet.
    is_over: bool,
    pages: u64,
}

/// Parses `/proc/ID/stat`: `ID (NAME) STATE PARENT ...`. The name can contain anything, so it ends
/// at the last bracket. The number of pages in memory is field 24 (proc_pid_stat(5)).
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

/// All descendants of a process, parents before their children.
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

/// The ids of all processes.
fn numbers() -> io::Result<impl Iterator<Item = String>> {
    let names = fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.filter(|name| name.bytes().all(|letter| letter.is_ascii_digit())))
}

/// The descendants of this process, without these children and their descendants.
fn own_descendants(without: &[u32]) -> io::Result<Vec<Process>> {
    // A process that has ended meanwhile is skipped.
    let stats = numbers()?.filter_map(|name| fs::read(format!("/proc/{name}/stat")).ok());
    let processes = stats.filter_map(|stat| read_stat(&String::from_utf8_lossy(&stat)));
    let processes = processes.filter(|process| !without.contains(&process.id.cast_unsigned())).collect();
    Ok(descendants(process::id() as i32, processes))
}

/// The number of processes and threads of the grader's user, as the kernel counts them against a
/// limit. `None` if they cannot be counted.
pub(in super::super) fn processes_of_user() -> io::Result<Option<u64>> {
    let user = geteuid().as_raw();
    let owned =
        |name: &str| fs::metadata(format!("/proc/{name}")).is_ok_and(|metadata| metadata.uid() == user);
    let threads = numbers()?
        .filter(|name| owned(name))
        .filter_map(|name| Some(fs::read_dir(format!("/proc/{name}/task")).ok()?.count() as u64));
    Ok(Some(threads.sum()))
}

/// Counts the processes of the submission and their memory.
pub(in super::super) fn census() -> io::Result<Census> {
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE)?.unwrap_or(4096) as u64;
    let alive = own_descendants(&[])?.into_iter().filter(|process| !process.is_over);
    Ok(alive.fold(Census::default(), |sum, process| Census {
        processes: sum.processes + 1,
        memory: sum.memory + process.pages * page,
    }))
}

/// Ends all processes of the submission: all descendants but these children and their descendants.
/// All are stopped first, so that they cannot start new ones faster than we kill. The killing
/// begins when a scan finds no additional process.
pub(in super::super) fn end_descendants(but: &[u32]) -> io::Result<()> {
    let started = Instant::now();
    let signal = |process: &Process, signal| {
        // A process that is already gone needs no signal.
        let _ = kill(Pid::from_raw(process.id), signal);
    };
    let mut stopped = 0;
    loop {
        let left = own_descendants(but)?;
        let alive = left.iter().filter(|process| !process.is_over).count();
        for process in &left {
            if process.is_over {
                // We can collect only our own children. The others become ours when their parents
                // end.
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
        // The kernel needs time to deliver the signals.
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
}
