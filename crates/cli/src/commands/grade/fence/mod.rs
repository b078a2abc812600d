//! The fence around a submission: it cannot reach the grader, and nothing of it survives it.
//!
//! On Linux the grader is the reaper of its descendants: whoever detaches itself (by a second fork,
//! a session of its own) and loses its parent becomes the grader's child. So every process that a
//! submission has started, and no other, is among the grader's descendants. They are found in
//! `/proc`, counted and weighed while the submission plays, and ended after it.
//!
//! Before a submission's Python starts, its process puts on what it cannot take off again and hands
//! down to its children:
//!
//! - a mount namespace with files of its own, limited in size (`world.rs`), where the system
//!   allows it;
//! - Landlock, by which it writes only into its folder and signals only its own kind;
//! - filters of system calls (`rules.rs`), which refuse the network, and what would end, stop,
//!   trace or slow down the grader or outlive the submission.
//!
//! Where the grader can make a control group (`cgroup.rs`), the system limits the memory of all
//! processes together. The grader itself is closed to whoever would look into its memory.
//!
//! Looking comes too late for a process that doubles itself, so the system limits the number of
//! processes. It counts them by user, and not those of root: a grader that is root gives the
//! submission a user of its own. Where only root can reach the Python or the temporary folder, that
//! user keeps one right of root: to read every file. Elsewhere than on Linux there is the process
//! group, and the limits that the submission's process sets itself.
//!
//! The grader runs one submission at a time and has no other children meanwhile.

#[cfg(target_os = "linux")]
mod cgroup;
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
mod world;

use serde::Serialize;

#[cfg(target_os = "linux")]
pub(super) use self::cgroup::{Group, remove as remove_group};
#[cfg(target_os = "linux")]
pub(super) use self::linux::{become_fenced, files, first_word, hand_over, place, prepare, program, sweep};
#[cfg(not(target_os = "linux"))]
pub(super) use self::portable::{
    Group, census, end_descendants, files, first_word, hand_over, has_landlock, place, prepare,
    processes_of_user, program, remove_group, sweep,
};
#[cfg(target_os = "linux")]
pub(super) use self::processes::{census, end_descendants, processes_of_user};
#[cfg(target_os = "linux")]
pub(super) use self::rules::has_landlock;

/// The most files and folders of a submission, those that it handed in included.
#[cfg(target_os = "linux")]
const MOST_FILES: usize = 1 << 16;
/// Where the system has its shared memory.
#[cfg(target_os = "linux")]
const SHARED_MEMORY: &str = "/dev/shm";

/// As whom a submission runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
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

/// As whom and where a submission runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// As whom.
    pub(super) who: Who,
    /// Whether its files lie in a file system of its own that nobody else sees.
    pub(super) is_private: bool,
}

/// The protections that this system allows. Their names are those of the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Protections {
    /// Submissions have a user of their own.
    own_user: bool,
    /// Their files lie in a file system of their own that nobody else sees.
    private_files: bool,
    /// They write only into their folders.
    landlock: bool,
    /// The system limits the memory of all their processes together.
    control_group: bool,
}

impl Protections {
    /// Those of submissions that run like this.
    pub(super) fn of(place: Place) -> Protections {
        Protections {
            own_user: place.who != Who::SameUser,
            private_files: place.is_private,
            landlock: has_landlock(),
            // The limit does not matter: the group is removed at once.
            control_group: Group::new(1 << 30).is_some(),
        }
    }

    /// A sentence that names the missing ones, if any. A plain user cannot have other users, so
    /// that is not worth a warning.
    pub(super) fn warning(self) -> Option<String> {
        let all = [
            (self.private_files, "private file systems"),
            (self.landlock, "Landlock"),
            (self.control_group, "control groups"),
        ];
        let missing: Vec<&str> =
            all.iter().filter(|(is_there, _)| !is_there).map(|(_, name)| *name).collect();
        (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            format!("submissions run without {missing}; docs/reference/grading.md says what that means")
        })
    }
}

/// What a submission may use, as far as the fence has to know it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there nobody limits it"))]
pub(super) struct Allowance {
    /// The bytes of all its files together.
    pub(super) files: u64,
    /// Whether it may use the network.
    pub(super) network: bool,
}

/// What runs of a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Its processes.
    pub(super) processes: usize,
    /// The bytes of memory that they hold, shared ones counted for each.
    pub(super) memory: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_protections_are_named_in_one_sentence() {
        let all = Protections { own_user: false, private_files: true, landlock: true, control_group: true };
        assert_eq!(all.warning(), None);
        let few = Protections { private_files: false, control_group: false, ..all };
        assert_eq!(
            few.warning().as_deref(),
            Some(
                "submissions run without private file systems, control groups; docs/reference/grading.md says \
                what that means"
            )
        );
    }
}
