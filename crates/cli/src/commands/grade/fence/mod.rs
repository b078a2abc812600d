//! The fence: the sandbox that keeps a submission away from the grader and ends everything it has
//! started.
//!
//! On Linux the grader is the subreaper of its descendants. A process that detaches itself (by a
//! double fork or a new session) and loses its parent becomes the grader's child. So the grader's
//! descendants are exactly the processes of the submission. The grader finds them in `/proc`,
//! counts them and their memory while the submission plays, and ends them afterwards.
//!
//! Before a submission's Python starts, its process applies restrictions that it cannot remove and
//! that its children inherit:
//!
//! - a mount namespace with private files of limited size (`world.rs`), if the system allows it;
//! - Landlock, which limits writing to its folder and signals to its own processes;
//! - system call filters (`rules.rs`), which block the network and anything that would end, stop,
//!   trace or slow down the grader, or outlive the submission.
//!
//! If the grader can create a control group (`cgroup.rs`), the kernel limits the memory of all
//! processes together. Other processes cannot read the memory of the grader.
//!
//! Counting is too slow to stop a fork bomb, so the kernel limits the number of processes. It
//! counts them per user and does not limit root, so a grader that runs as root gives each
//! submission its own user. If only root can reach the Python or the temporary folder, that user
//! keeps one right of root: to read every file. On other systems than Linux there are only the
//! process group and the limits that the submission's process sets itself.
//!
//! A grader runs one submission at a time and has no other children meanwhile. To run several at
//! once, it starts several graders (`team.rs`). Each of them has its own descendants, control group
//! and, if the grader is root, its own user. [`Place::why_alone`] says whether that is enough to
//! keep submissions apart that run at the same time.

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

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub(super) use self::cgroup::{Group, memory_limit, remove as remove_group};
#[cfg(target_os = "linux")]
pub(super) use self::linux::{become_fenced, files, first_word, hand_over, place, prepare, program, sweep};
#[cfg(not(target_os = "linux"))]
pub(super) use self::portable::{
    Group, census, end_descendants, files, first_word, hand_over, has_landlock, memory_limit, place, prepare,
    processes_of_user, program, remove_group, separates_signals, sweep,
};
#[cfg(target_os = "linux")]
pub(super) use self::processes::{census, end_descendants, processes_of_user};
#[cfg(target_os = "linux")]
pub(super) use self::rules::{has_landlock, separates_signals};

/// The maximum number of files and folders of a submission, including those that were handed in.
#[cfg(target_os = "linux")]
const MOST_FILES: usize = 1 << 16;
/// Where shared memory is mounted.
#[cfg(target_os = "linux")]
const SHARED_MEMORY: &str = "/dev/shm";

/// The user that a submission runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The user of the grader.
    SameUser,
    /// A user that nothing else runs as.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux changes the user"))]
    OwnUser {
        /// The user id.
        user: u32,
        /// Whether the user may read every file, as root may.
        reads_all: bool,
    },
}

/// How a submission runs: its user and its file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The user.
    pub(super) who: Who,
    /// Whether its files are in a private file system that no other process sees.
    pub(super) is_private: bool,
}

impl Place {
    /// Why submissions at this place could see or disturb each other if several ran at once. `None`
    /// if they could not.
    pub(super) fn why_alone(self) -> Option<&'static str> {
        match self.who {
            // Each could list and fill the folders of the others.
            _ if !self.is_private => Some("there are no private file systems"),
            Who::SameUser if !separates_signals() => {
                Some("they run as the same user, and the kernel cannot block signals between them")
            }
            _ => None,
        }
    }

    /// Whether submissions at this place cannot read a file that only the grader's user may read
    /// and that [`Apart::hidden`] names.
    pub(super) fn keeps_secrets(self) -> bool {
        match self.who {
            Who::OwnUser { reads_all: false, .. } => true,
            // The file is hidden in their own view of the file system. Landlock keeps them from
            // looking at it through the view of another process in `/proc`.
            _ => self.is_private && has_landlock(),
        }
    }
}

/// What else keeps a submission apart from others and from the grader's files.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux enforces this"))]
pub(super) struct Apart {
    /// The processors that it may use. Empty: all of them.
    pub(super) processors: Vec<usize>,
    /// Files that it does not see, if it has a private file system.
    pub(super) hidden: Vec<PathBuf>,
    /// The temporary folder of all graders of a comparison. The submission sees nothing in it but
    /// its own folder.
    pub(super) shared: Option<PathBuf>,
}

/// The protections that this system allows. The field names are the JSON keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Protections {
    /// Submissions run as their own user.
    own_user: bool,
    /// Their files are in a private file system that no other process sees.
    private_files: bool,
    /// They can write only into their folders.
    landlock: bool,
    /// The kernel limits the memory of all their processes together.
    control_group: bool,
}

impl Protections {
    /// The protections of submissions that run at this place.
    pub(super) fn of(place: Place) -> Protections {
        Protections {
            own_user: place.who != Who::SameUser,
            private_files: place.is_private,
            landlock: has_landlock(),
            // The limit does not matter: the group is removed at once.
            control_group: Group::new(1 << 30).is_some(),
        }
    }

    /// A sentence that lists the missing protections, if any. Only root can give submissions their
    /// own user, so a missing own user is not reported.
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

/// The limits of a submission that the fence enforces.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux enforces these limits"))]
pub(super) struct Allowance {
    /// The limit on the total bytes of its files.
    pub(super) files: u64,
    /// Whether it may use the network.
    pub(super) network: bool,
}

/// The running processes of a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// The number of processes.
    pub(super) processes: usize,
    /// The bytes of memory that they use. Shared memory counts once per process.
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
