//! The private files of a submission: a mount namespace with a size-limited tmpfs for the working
//! folder and for shared memory. No other process sees it. It disappears with the last process in
//! it, however its files are named, nested or hidden.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{env, fs, io};

use caps::CapSet;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use super::linux::hand_over;
use super::{Apart, MOST_FILES, SHARED_MEMORY, Who};

/// Moves this process, which must be single-threaded, into a new mount namespace. The files of its
/// working folder are copied there. All files together are limited to `size` bytes. An empty file
/// that cannot be read takes the place of each hidden file, and an empty folder that of the shared
/// one, which has the files of other submissions.
pub(super) fn enter(who: Who, size: u64, apart: &Apart) -> io::Result<()> {
    let folder = env::current_dir()?;
    let outer = folder.parent().ok_or(io::ErrorKind::InvalidInput)?;
    match who {
        Who::OwnUser { .. } => unshare(CloneFlags::CLONE_NEWNS)?,
        // Mounting needs root. A new user namespace grants that right. The user and group ids stay
        // the same in it.
        Who::SameUser => {
            let (user, group) = (geteuid(), getegid());
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        }
    }
    let none = None::<&str>;
    // Later mounts are not visible outside.
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    if let Some(shared) = &apart.shared {
        let options = Some("size=64k,nr_inodes=16,mode=0711");
        mount(Some("lab2048"), shared, Some("tmpfs"), flags, options)?;
        fs::create_dir(outer)?;
    }
    let options = format!("size={size},nr_inodes={MOST_FILES},mode=0711");
    mount(Some("lab2048"), outer, Some("tmpfs"), flags, Some(options.as_str()))?;
    // The path now leads to the tmpfs. The current directory is still the original folder below it.
    copy(Path::new("."), &folder)?;
    hand_over(&folder, who)?;
    if Path::new(SHARED_MEMORY).is_dir() {
        let shared = outer.join("shared-memory");
        fs::create_dir(&shared)?;
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o1777))?;
        mount(Some(&shared), SHARED_MEMORY, none, MsFlags::MS_BIND, none)?;
    }
    let nothing = outer.join("nothing");
    for secret in apart.hidden.iter().filter(|path| path.exists()) {
        fs::write(&nothing, "")?;
        fs::set_permissions(&nothing, fs::Permissions::from_mode(0o000))?;
        mount(Some(&nothing), secret, none, MsFlags::MS_BIND, none)?;
    }
    env::set_current_dir(&folder)?;
    if who == Who::SameUser {
        // The capabilities of the namespace are not needed any more.
        for set in [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
            caps::clear(None, set).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Copies a submitted folder. It is neither deep nor large.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}
