//! The restrictions on a submission. A process applies these rules to itself before it executes the
//! submission's Python. It cannot remove them, and its children inherit them.

use std::collections::BTreeMap;
use std::io;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use nix::libc;
use nix::unistd::Pid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::Who;

/// The newest Landlock version that we use. An older kernel applies the parts that it supports.
const NEWEST: ABI = ABI::V6;
/// System call numbers from here on belong to x32, a second set of numbers for the same calls
/// (syscall(2), "x32").
const X32: u32 = 0x4000_0000;
/// The numbers of `FIOSETOWN` and `SIOCSPGRP`, the same on all supported machines
/// (linux/sockios.h).
const SET_OWNER: [i32; 2] = [0x8901, 0x8902];
/// The number of `F_SETOWN_EX` (linux/fcntl.h).
const F_SETOWN_EX: i32 = 15;
/// The number of `F_SETSIG` (linux/fcntl.h).
const F_SETSIG: i32 = 10;

/// The socket families that a program with network access needs: IPv4, IPv6, and netlink, which it
/// uses to look up its own addresses.
const FAMILIES: [libc::c_int; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// The bits of a socket's type. The other bits are flags (socket(2)).
const KINDS: u64 = 0xf;
/// The flags of `clone` that create a namespace (clone(2)).
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The calls that change the metadata of a file. Newer architectures have fewer of them.
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
/// Calls by number. From 424 on, the numbers are the same on all architectures (linux/unistd.h).
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// Applies the filters to this thread. It can no longer signal the grader's threads or process
/// group, nor use the network unless `network` is set, nor change the processors it runs on if
/// `is_pinned`.
pub(super) fn put_on(grader: &[i32], group: Pid, who: Who, network: bool, is_pinned: bool) -> io::Result<()> {
    let filters = [Ok(no_second_names()), no_hidden_flags(), filter(grader, group, who, network)];
    for filter in filters.into_iter().chain(is_pinned.then(same_processors)) {
        apply_filter(&filter.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Applies Landlock: this thread can write only into its working folder and, if given, into shared
/// memory. It applies as much as the kernel supports, which may be nothing (landlock(7); signals
/// from Linux 6.12 on).
pub(super) fn stay_inside(shared_memory: Option<&str>) -> Result<(), RulesetError> {
    let writing = AccessFs::from_write(NEWEST);
    let mut rules = Ruleset::default().handle_access(writing)?.scope(Scope::from_all(NEWEST))?.create()?;
    for folder in [Some("."), shared_memory].into_iter().flatten() {
        // A missing folder needs no rule.
        if let Ok(place) = PathFd::new(folder) {
            rules = rules.add_rule(PathBeneath::new(place, writing))?;
        }
    }
    if let Ok(place) = PathFd::new("/dev/null") {
        rules = rules.add_rule(PathBeneath::new(place, writing & AccessFs::from_file(NEWEST)))?;
    }
    rules.restrict_self().map(drop)
}

/// Whether the kernel has Landlock.
pub(in super::super) fn has_landlock() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::WriteFile).is_ok()
}

/// Whether the kernel can keep a submission from signalling processes that are not its own (from
/// Linux 6.12 on).
pub(in super::super) fn separates_signals() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.scope(Scope::Signal).is_ok()
}

/// Blocks the x32 numbers of the calls. The other filters know only the normal numbers.
fn no_second_names() -> BpfProgram {
    let step = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    vec![
        // The call number is the first field of the data that a filter sees (seccomp(2),
        // `seccomp_data`).
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

/// Makes `clone3` fail as if it did not exist, as on systems before Linux 5.3. Its flags are in
/// memory, where no filter sees them. Libraries then fall back to `clone`.
fn no_hidden_flags() -> Result<BpfProgram, BackendError> {
    let missing = SeccompAction::Errno(libc::ENOSYS as u32);
    let rules = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    SeccompFilter::new(rules, SeccompAction::Allow, missing, machine()?)?.try_into()
}

/// Makes a change of the own processors succeed without any effect. A program that chooses its
/// processors runs as it does alone, but cannot take those of another submission.
fn same_processors() -> Result<BpfProgram, BackendError> {
    let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
    let rules = BTreeMap::from([(libc::SYS_sched_setaffinity, vec![SeccompRule::new(vec![own])?])]);
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(0), machine()?)?.try_into()
}

fn machine() -> Result<TargetArch, BackendError> {
    std::env::consts::ARCH.try_into()
}

/// Blocks these calls:
///
/// - Signals to any thread of the grader, to its process group and to all processes, including
///   signals that a file descriptor sends to its owner. Signals by thread id or pidfd could hide
///   their target, so they are blocked altogether. Programs signal themselves and their children by
///   `kill` and `tgkill`.
/// - Changes to the limits and priorities of other processes.
/// - Inspecting other processes.
/// - Objects that outlive their creator.
/// - Namespaces, which would allow new file systems.
/// - Sockets, which could ask other programs of the same user to do any of this. With `network`,
///   internet sockets are allowed. Socket pairs are allowed, except datagrams, which can be sent to
///   other sockets too.
/// - If the submission runs as the grader's user: changes to the permissions, owner, times and
///   extended attributes of files. Landlock does not cover them, and a filter cannot see which file
///   a call changes.
fn filter(grader: &[i32], group: Pid, who: Who, network: bool) -> Result<BpfProgram, BackendError> {
    let is = |argument: u8, operator: SeccompCmpOp, number: i32| {
        // The kernel reads process ids and commands as 32 bits.
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
    let signals = [to_grader.clone(), one_of(0, &[-group.as_raw(), everyone])?].concat();
    let unlike = |family| {
        SeccompCondition::new(
            0,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Ne,
            u64::from(libc::c_int::cast_unsigned(family)),
        )
    };
    let sockets = match network {
        true => vec![SeccompRule::new(FAMILIES.map(unlike).into_iter().collect::<Result<_, _>>()?)?],
        false => Vec::new(),
    };
    let datagrams: Vec<SeccompRule> = [libc::SOCK_DGRAM, libc::SOCK_RAW]
        .map(|kind| is(1, SeccompCmpOp::MaskedEq(KINDS), kind))
        .into_iter()
        .collect::<Result<_, _>>()?;
    let namespaces: Vec<SeccompRule> = NAMESPACES
        .map(|flag| is(0, SeccompCmpOp::MaskedEq(u64::from(flag.cast_unsigned())), flag))
        .into_iter()
        .collect::<Result<_, _>>()?;
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
        (libc::SYS_socket, sockets),
        (libc::SYS_socketpair, [vec![is(0, SeccompCmpOp::Ne, libc::AF_UNIX)?], datagrams].concat()),
        (libc::SYS_clone, namespaces),
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
        // Memory that is not charged to any process.
        libc::SYS_memfd_create,
        libc::SYS_memfd_secret,
        libc::SYS_shmget,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_mq_open,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        // Other views of the file system.
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_chroot,
        libc::SYS_pivot_root,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsmount,
        libc::SYS_mount_setattr,
        // It runs operations that no filter sees.
        libc::SYS_io_uring_setup,
    ];
    rules.extend(always.map(|call| (call, Vec::new())));
    if who == Who::SameUser {
        rules.extend(ATTRIBUTES.iter().map(|&call| (call, Vec::new())));
    }
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refused, machine()?)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_filter_for_this_machine() {
        for who in [Who::SameUser, Who::OwnUser { user: 1, reads_all: false }] {
            for network in [false, true] {
                assert!(filter(&[1, 2, 3], Pid::from_raw(4), who, network).is_ok(), "{who:?}");
            }
        }
        assert!(no_hidden_flags().is_ok() && same_processors().is_ok());
    }
}
