//! The fence on systems other than Linux. It has no protections: `BotProcess` ends the process
//! group, and the submission's process sets its own limits.

use std::io;
use std::path::Path;
use std::process::Command;

use super::super::python::Silence;
use super::{Allowance, Apart, Census, Place, Who};

/// The user of the grader.
pub(in super::super) fn place(_: &Path) -> Result<Place, Silence> {
    Ok(Place { who: Who::SameUser, is_private: false })
}

/// Landlock exists only on Linux.
pub(in super::super) fn has_landlock() -> bool {
    false
}

/// Nothing separates submissions.
pub(in super::super) fn separates_signals() -> bool {
    false
}

/// The processes are not counted.
pub(in super::super) fn processes_of_user() -> io::Result<Option<u64>> {
    Ok(None)
}

/// Python itself.
pub(in super::super) fn program(python: &Path, _: Place, _: &Apart, _: Allowance) -> Command {
    Command::new(python)
}

/// The program needs no first line.
pub(in super::super) fn first_word() -> io::Result<Option<String>> {
    Ok(None)
}

/// The user stays the same, so the owner does too.
pub(in super::super) fn hand_over(_: &Path, _: Who) -> io::Result<()> {
    Ok(())
}

/// Orphans become children of init.
pub(in super::super) fn prepare() -> io::Result<()> {
    Ok(())
}

/// The descendants of a program are not known.
pub(in super::super) fn census() -> io::Result<Census> {
    Ok(Census::default())
}

/// The files are not added up.
pub(in super::super) fn files(_: Place, _: u32, _: &Path) -> Result<u64, String> {
    Ok(0)
}

/// There are no control groups, so they set no limit.
pub(in super::super) fn memory_limit() -> Option<u64> {
    None
}

/// A control group: none exist here.
pub(in super::super) enum Group {}

impl Group {
    /// A group cannot be created.
    pub(in super::super) fn new(_: u64) -> Option<Group> {
        None
    }

    /// Unreachable: no group exists.
    pub(in super::super) fn take_in(&self, _: u32) -> io::Result<()> {
        match *self {}
    }

    /// Unreachable: no group exists.
    pub(in super::super) fn was_exceeded(&self) -> bool {
        match *self {}
    }

    /// Unreachable: no group exists.
    pub(in super::super) fn folder(&self) -> &Path {
        match *self {}
    }
}

/// There is no group to remove.
pub(in super::super) fn remove_group(_: &Path) {}

/// `BotProcess` ends the process group. Other descendants are not known.
pub(in super::super) fn end_descendants(_: &[u32]) -> io::Result<()> {
    Ok(())
}

/// The submission runs as the grader's user, so its other files cannot be recognised.
pub(in super::super) fn sweep(_: Who) {}
