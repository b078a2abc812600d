//! The fence around a submission: it cannot reach the grader, and nothing of it survives it.
//!
//! On Linux the grader is the reaper of its descendants: whoever detaches itself (by a second fork, a session of its own)
//! and loses its parent becomes the grader's child, so every process that a submission has started, and no other, is among the
//! grader's descendants. They are found in `/proc`, counted and weighed while the submission plays, and ended after it.
//!
//! Before a submission's Python starts, its process puts on what it cannot take off again and hands down to its children: a
//! filter of system calls, which refuses what would end, stop, trace or slow down the grader or outlive the submission, and
//! Landlock, by which it writes only into its folder and signals only its own kind. The grader itself is closed to
//! whoever would look into its memory.
//!
//! Looking comes too late for a process that doubles itself, so the system limits the number of processes. It counts them by user, and
//! not those of root: a grader that is root gives the submission a user of its own. Where only root can reach the Python or the
//! temporary folder, that user keeps one right of root: to read every file. Elsewhere than on Linux there is the process group, and
//! the limits that the submission's process sets itself.
//!
//! The grader runs one submission at a time and has no other children meanwhile.

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod rules;
#[cfg(target_os = "linux")]
mod users;

#[cfg(target_os = "linux")]
pub(super) use self::files::{files_in_memory, is_in_memory};
#[cfg(target_os = "linux")]
pub(super) use self::linux::{become_fenced, first_word, hand_over, place, prepare, program, sweep};
#[cfg(not(target_os = "linux"))]
pub(super) use self::portable::{
    census, end_descendants, files_in_memory, first_word, hand_over, is_in_memory, place, prepare,
    processes_of_user, program, sweep,
};
#[cfg(target_os = "linux")]
pub(super) use self::processes::{census, end_descendants, processes_of_user};

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
