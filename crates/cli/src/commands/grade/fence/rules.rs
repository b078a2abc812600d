//! What a submission is refused. A process puts these rules on itself, before it becomes the submission's Python; it cannot take
//! them off, and its children inherit them.

use std::collections::BTreeMap;
use std::io;

use landlock::{
    ABI, Access, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};
use nix::libc;
use nix::unistd::getpgrp;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::Place;

/// The newest rules that we use; of an older kernel we take what it has.
const NEWEST: ABI = ABI::V6;
/// Numbers of system calls from here on are those of x32, a second set of names for the same calls (syscall(2), "x32").
const X32: u32 = 0x4000_0000;
/// `FIOSETOWN` and `SIOCSPGRP` by their numbers, which are the same on all machines (linux/sockios.h).
const SET_OWNER: [i32; 2] = [0x8901, 0x8902];
/// `F_SETOWN_EX` by its number (linux/fcntl.h).
const F_SETOWN_EX: i32 = 15;
/// `F_SETSIG` by its number (linux/fcntl.h).
const F_SETSIG: i32 = 10;

/// The calls that change what is kept about a file beside its content. The machines of later years have fewer of them.
const ATTRIBUTES: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];
/// Calls by their numbers, which from 424 on are the same on all machines (linux/unistd.h).
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// Puts the rules on this thread: it writes only into its working folder, and shared memory if that is swept up
/// afterwards, and does not reach these threads, which are the grader's.
pub(super) fn put_on(grader: &[i32], place: Place) -> io::Result<()> {
    stay_inside(matches!(place, Place::OwnUser { .. })).map_err(io::Error::other)?;
    apply_filter(&no_second_names()).map_err(io::Error::other)?;
    apply_filter(&filter(grader, place).map_err(io::Error::other)?).map_err(io::Error::other)
}

/// Landlock: as much of it as the kernel has, which may be nothing (landlock(7); signals from Linux 6.12 on).
fn stay_inside(with_shared_memory: bool) -> Result<(), RulesetError> {
    let writing = AccessFs::from_write(NEWEST);
    let mut rules = Ruleset::default().handle_access(writing)?.scope(Scope::from_all(NEWEST))?.create()?;
    let shared_memory = with_shared_memory.then_some("/dev/shm");
    for folder in [Some("."), shared_memory].into_iter().flatten() {
        // What is not there needs no rule.
        if let Ok(place) = PathFd::new(folder) {
            rules = rules.add_rule(PathBeneath::new(place, writing))?;
        }
    }
    if let Ok(place) = PathFd::new("/dev/null") {
        rules = rules.add_rule(PathBeneath::new(place, writing & AccessFs::from_file(NEWEST)))?;
    }
    rules.restrict_self().map(drop)
}

/// Refuses the second names of the calls: the filter knows only the first ones.
fn no_second_names() -> BpfProgram {
    let step = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    vec![
        // The number of the call is the first field of what a filter sees (seccomp(2), `seccomp_data`).
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

/// What is refused: signals to the grader, whichever of its threads is named, to its process group and to everyone, also by way
/// of a descriptor that tells its owner; limits and priorities of others; looking into others; what stays when
/// its maker is gone; and sockets by which other programs of the same user could be asked to do all that. Signals by thread or by
/// a descriptor of a process could hide whom they are for and are refused altogether; a process's signals to itself and to its
/// children come as `kill` and `tgkill`. Where the user is the grader's own, also what changes the rights, the owner, the
/// times and the further attributes of files, which Landlock leaves alone, and a filter cannot see whose file it is.
fn filter(grader: &[i32], place: Place) -> Result<BpfProgram, BackendError> {
    let is = |argument: u8, operator: SeccompCmpOp, number: i32| {
        // The kernel takes process numbers and commands as 32 bits.
        let number = u64::from(number.cast_unsigned());
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, number)?;
        SeccompRule::new(vec![condition])
    };
    let one_of = |argument: u8, numbers: &[i32]| -> Result<Vec<SeccompRule>, BackendError> {
        numbers.iter().map(|&number| is(argument, SeccompCmpOp::Eq, number)).collect()
    };
    let not_own = |argument: u8| is(argument, SeccompCmpOp::Ne, 0);
    let to_grader = one_of(0, grader)?;
    let everyone = -1;
    let signals = [to_grader.clone(), one_of(0, &[-getpgrp().as_raw(), everyone])?].concat();
    let mut rules = BTreeMap::from([
        (libc::SYS_kill, signals.clone()),
        (libc::SYS_rt_sigqueueinfo, signals),
        (libc::SYS_tgkill, to_grader.clone()),
        (libc::SYS_rt_tgsigqueueinfo, to_grader.clone()),
        (libc::SYS_pidfd_open, to_grader),
        (libc::SYS_fcntl, one_of(1, &[libc::F_SETOWN, F_SETOWN_EX, F_SETSIG])?),
        (libc::SYS_ioctl, one_of(1, &SET_OWNER)?),
        (libc::SYS_prlimit64, vec![not_own(0)?]),
        (libc::SYS_setpriority, vec![not_own(0)?, not_own(1)?]),
        (libc::SYS_ioprio_set, vec![not_own(1)?]),
        (libc::SYS_sched_setaffinity, vec![not_own(0)?]),
        (libc::SYS_sched_setscheduler, vec![not_own(0)?]),
        (libc::SYS_sched_setparam, vec![not_own(0)?]),
        (libc::SYS_sched_setattr, vec![not_own(0)?]),
        (libc::SYS_migrate_pages, vec![not_own(0)?]),
        (libc::SYS_move_pages, vec![not_own(0)?]),
        (libc::SYS_socket, one_of(0, &[libc::AF_UNIX])?),
    ]);
    let always = [
        libc::SYS_tkill,
        libc::SYS_pidfd_send_signal,
        libc::SYS_pidfd_getfd,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_process_madvise,
        libc::SYS_kcmp,
        // Memory of nobody: it counts for no process.
        libc::SYS_memfd_create,
        libc::SYS_memfd_secret,
        libc::SYS_shmget,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_mq_open,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        // It carries out calls that no filter sees.
        libc::SYS_io_uring_setup,
    ];
    rules.extend(always.map(|call| (call, Vec::new())));
    if place == Place::SameUser {
        rules.extend(ATTRIBUTES.iter().map(|&call| (call, Vec::new())));
    }
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let machine: TargetArch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_filter_for_this_machine() {
        for place in [Place::SameUser, Place::OwnUser { user: 1, reads_all: false }] {
            assert!(filter(&[1, 2, 3], place).is_ok(), "{place:?}");
        }
    }
}
