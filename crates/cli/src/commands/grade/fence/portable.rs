//! The fence where the system has none: the process group is ended by the one who started it, and the limits are those that
//! the submission's process sets itself.

use std::io;
use std::path::Path;
use std::process::Command;

use super::super::python::Silence;
use super::{Allowance, Census, Place, Who};

/// The grader's own user.
pub(in super::super) fn place(_: &Path) -> Result<Place, Silence> {
    Ok(Place { who: Who::SameUser, is_private: false })
}

/// Only Linux has it.
pub(in super::super) fn has_landlock() -> bool {
    false
}

/// Nobody counts them.
pub(in super::super) fn processes_of_user() -> io::Result<Option<u64>> {
    Ok(None)
}

/// The Python itself.
pub(in super::super) fn program(python: &Path, _: Place, _: Allowance) -> Command {
    Command::new(python)
}

/// The program needs to be told nothing.
pub(in super::super) fn first_word() -> io::Result<Option<String>> {
    Ok(None)
}

/// The folder belongs to the right one already.
pub(in super::super) fn hand_over(_: &Path, _: Who) -> io::Result<()> {
    Ok(())
}

/// Orphans go to the system.
pub(in super::super) fn prepare() -> io::Result<()> {
    Ok(())
}

/// Nothing is known about the children of a program.
pub(in super::super) fn census() -> io::Result<Census> {
    Ok(Census::default())
}

/// Nobody adds them up.
pub(in super::super) fn files(_: Place, _: u32, _: &Path) -> Result<u64, String> {
    Ok(0)
}

/// A group of processes whose memory the system limits: there is none.
pub(in super::super) enum Group {}

impl Group {
    /// It cannot be made.
    pub(in super::super) fn new(_: u64) -> Option<Group> {
        None
    }

    /// Nobody has one.
    pub(in super::super) fn take_in(&self, _: u32) -> io::Result<()> {
        match *self {}
    }

    /// Nobody has one.
    pub(in super::super) fn was_exceeded(&self) -> bool {
        match *self {}
    }

    /// Nobody has one.
    pub(in super::super) fn folder(&self) -> &Path {
        match *self {}
    }
}

/// There is none.
pub(in super::super) fn remove_group(_: &Path) {}

/// The process group, which is ended by the one who started it, is all there is.
pub(in super::super) fn end_descendants() -> io::Result<()> {
    Ok(())
}

/// Its files are the grader's user's.
pub(in super::super) fn sweep(_: Who) {}
