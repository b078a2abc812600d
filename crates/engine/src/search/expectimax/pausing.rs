//! Pauses of a search. A step of a thought ends when it has visited enough nodes; the next step
//! walks down from the root again and takes what the steps before it have completed from a journal.
//! Values, counts and table are those of a search without pauses.
//!
//! Only the first plies have a journal. What lies below them is searched without a pause.

use crate::search::limits::{Counts, Meter};

/// A ply of the search, counted in afterstates from the root.
pub(super) trait Ply {
    /// The ply below.
    type Below: Ply;
    /// The number of the ply, if it has a journal.
    const JOURNAL: Option<usize>;
}

/// The afterstates of the root.
pub(super) struct First;
/// The afterstates after one spawn.
pub(super) struct Second;
/// All afterstates below, and all in a search without pauses.
pub(super) struct Deep;

impl Ply for First {
    type Below = Second;
    const JOURNAL: Option<usize> = Some(0);
}

impl Ply for Second {
    type Below = Deep;
    const JOURNAL: Option<usize> = Some(1);
}

impl Ply for Deep {
    type Below = Deep;
    const JOURNAL: Option<usize> = None;
}

/// The number of plies with a journal.
const PLIES: usize = 2;

/// A completed afterstate.
#[derive(Clone, Copy, Debug)]
struct Completed {
    value: f32,
    /// The work that it took.
    counts: Counts,
}

/// What the current depth has completed near the root.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The completed afterstates of each ply, in the order of the search. Those of a ply belong to
    /// the afterstate of the ply above that is not completed.
    completed: [Vec<Completed>; PLIES],
    /// How many of them this step has passed.
    passed: [usize; PLIES],
    /// The work before this depth.
    before: Counts,
    /// The number of nodes at which the step ends.
    end: u64,
    /// Whether the step has ended.
    is_paused: bool,
    /// Whether the depth has begun.
    has_begun: bool,
}

impl Journal {
    /// Begins a step that visits about `nodes` nodes.
    pub(super) fn begin_step(&mut self, counts: Counts, nodes: u64) {
        self.end = counts.nodes.saturating_add(nodes);
        self.is_paused = false;
        self.passed = [0; PLIES];
    }

    /// Begins or continues a depth. Returns whether it begins. A continued depth counts its work
    /// from its beginning, because the walk from the root is repeated.
    pub(super) fn enter_depth(&mut self, meter: &mut Meter) -> bool {
        let begins = !std::mem::replace(&mut self.has_begun, true);
        if begins {
            self.before = meter.counts();
        } else {
            meter.set_counts(self.before);
        }
        begins
    }

    /// Forgets a completed depth.
    pub(super) fn leave_depth(&mut self) {
        self.has_begun = false;
        self.passed = [0; PLIES];
        self.completed.iter_mut().for_each(Vec::clear);
    }

    /// Whether the step has ended.
    #[inline]
    pub(super) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// The value of the next afterstate of a ply, if an earlier step completed it.
    pub(super) fn next(&mut self, ply: usize, meter: &mut Meter) -> Option<f32> {
        let completed = self.completed[ply].get(self.passed[ply])?;
        self.passed[ply] += 1;
        meter.visit(completed.counts.nodes);
        meter.judge(completed.counts.evaluations);
        Some(completed.value)
    }

    /// Notes a completed afterstate of a ply, and ends the step if it has taken long enough.
    pub(super) fn complete(&mut self, ply: usize, value: f32, before: Counts, now: Counts) {
        let counts =
            Counts { nodes: now.nodes - before.nodes, evaluations: now.evaluations - before.evaluations };
        self.completed[ply].push(Completed { value, counts });
        self.passed[ply] += 1;
        if let Some(below) = self.completed.get_mut(ply + 1) {
            below.clear();
            self.passed[ply + 1] = 0;
        }
        self.is_paused = now.nodes >= self.end;
    }
}
