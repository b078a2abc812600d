//! The fence where the system has none: the process group is ended by the one who started it, and the limits are those that
//! the submission's process sets itself.

use std::io;
use std::path::Path;
use std::process::Command;

use super::super::python::Silence;
use super::{Census, Place};

/// The grader's own user.
pub(in super::super) fn place(_: &Path) -> Result<Place, Silence> {
    Ok(Place::SameUser)
}

/// Nobody counts them.
pub(in super::super) fn processes_of_user() -> io::Result<Option<u64>> {
    Ok(None)
}

/// The Python itself.
pub(in super::super) fn program(python: &Path, _: Place) -> Command {
    Command::new(python)
}

/// The program needs to be told nothing.
pub(in super::super) fn first_word() -> io::Result<Option<String>> {
    Ok(None)
}

/// The folder belongs to the right one already.
pub(in super::super) fn hand_over(_: &Path, _: Place) -> io::Result<()> {
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

/// Nothing is known about it.
pub(in super::super) fn is_in_memory(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Nobody knows which.
pub(in super::super) fn files_in_memory(_: Option<&Path>, _: Place) -> u64 {
    0
}

/// The process group, which is ended by the one who started it, is all there is.
pub(in super::super) fn end_descendants() -> io::Result<()> {
    Ok(())
}

/// Its files are the grader's user's.
pub(in super::super) fn sweep(_: Place) {}
