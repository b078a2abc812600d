//! Expectimax: the best move against the average spawn.
//!
//! Depth 1 evaluates the afterstates of the four moves. Each further move looked ahead takes the
//! exact expectation over all spawns and the best move after each. If the evaluator's unit is
//! points, the rewards along the way are added.
//!
//! With a node or time limit the search deepens step by step: depth 1, 2, 3 and so on. The last
//! completed depth decides. Depth 1 always completes. With a node limit a depth is not started if
//! the forecast says that it will not complete, so a part of the limit may stay unused. With only a
//! time limit a depth is started even if it may take twice the remaining time.

mod exact;
mod fast;
mod packing;
mod pausing;
#[cfg(test)]
mod tests;

pub use exact::Expectimax;
pub use fast::FastExpectimax;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::limits::{Meter, SearchLimits};
use crate::board::{Board, Size};
use crate::game::{Decision, MoveValue, PlayerError, Unit};

/// The maximal depth.
const MAX_DEPTH: u32 = 100;

/// The depth and thoroughness of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectimaxOptions {
    /// The limits. Without any limit the depth is [`ExpectimaxOptions::default_depth`].
    pub limits: SearchLimits,
    /// If given, the depth is at least the number of different tiles on the board minus this.
    /// Mistakes cost most on boards with many different tiles. Ignored if nodes or time limit the
    /// search.
    pub adapt: Option<u32>,
    /// Spawns with a path probability below this are not searched further. The afterstates of the
    /// moves after them are evaluated directly. 0 searches every spawn.
    pub cut: f64,
    /// The number of moves of the depth that a spawned 4 uses up. A 2 uses up one. With 2, the
    /// search after a 4 is one move shallower. That saves most of the time and costs little
    /// strength, since nine of ten spawns are 2s.
    pub fours: u32,
    /// The maximal memory for cached values, in bytes. 0 disables the cache. Without a cut it never
    /// changes a value.
    pub table_bytes: usize,
}

impl ExpectimaxOptions {
    /// The depth of a search without limits, fast enough for interactive use.
    pub const fn default_depth(size: Size) -> u32 {
        if size.cells() <= 36 { 3 } else { 2 }
    }

    /// A full search of this depth with a small table.
    pub fn with_depth(depth: u32) -> ExpectimaxOptions {
        let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
        ExpectimaxOptions { limits, adapt: None, cut: 0.0, fours: 1, table_bytes: 1 << 20 }
    }

    /// Whether nodes or time determine the depth.
    fn deepens(&self) -> bool {
        self.limits.nodes.is_some() || self.limits.time.is_some()
    }

    /// Whether nothing limits the depth.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.limits == SearchLimits::default() && self.adapt.is_none()
    }

    /// Whether the depth is 1 on every board.
    fn is_one_move(&self) -> bool {
        self.limits.depth == Some(1) && self.adapt.is_none()
    }

    /// The depths to search on a board.
    fn depths(&self, board: &Board) -> RangeInclusive<u32> {
        let depth = match self.limits.depth {
            Some(depth) => depth,
            None if self.deepens() => MAX_DEPTH,
            None => ExpectimaxOptions::default_depth(board.size()),
        };
        let adapted = match self.adapt {
            Some(less) if !self.deepens() => different_tiles(board).saturating_sub(less),
            _ => 0,
        };
        let last = depth.max(adapted).clamp(1, MAX_DEPTH);
        if self.deepens() { 1..=last } else { last..=last }
    }

    /// Whether decisions depend only on the position.
    fn is_repeatable(&self) -> bool {
        self.limits.time.is_none()
    }
}

/// The number of different tiles on a board.
fn different_tiles(board: &Board) -> u32 {
    board.tiles().filter(|&tile| tile != 0).collect::<BTreeSet<_>>().len() as u32
}

/// A search of one position, one depth at a time.
trait Deepening {
    /// The values of all four directions at a depth. Invalid if the meter has stopped. `None` if
    /// the search paused; the next call with the same depth continues.
    fn values_at(&mut self, depth: u32) -> Option<[MoveValue; 4]>;

    /// The meter of the search.
    fn meter(&mut self) -> &mut Meter;

    /// Prepares for a larger depth. Returns false if the values would be the same there, or if the
    /// depth cannot be searched.
    fn can_deepen(&mut self, depth: u32) -> bool;
}

/// How far a search has deepened. It ends when a limit is reached. The last completed depth
/// decides.
struct Progress {
    /// The depth to search now, and those after it.
    depth: u32,
    further: RangeInclusive<u32>,
    /// The values of the last completed depth.
    completed: Option<([MoveValue; 4], u32)>,
    steps: Steps,
}

impl Progress {
    fn new(mut depths: RangeInclusive<u32>) -> Progress {
        let depth = depths.next().unwrap_or(1);
        Progress { depth, further: depths, completed: None, steps: Steps::default() }
    }

    /// Deepens until the search ends. Returns false if it paused before that.
    fn advance(&mut self, search: &mut impl Deepening) -> bool {
        loop {
            let Some(values) = search.values_at(self.depth) else { return false };
            if self.completed.is_some() && search.meter().stopped() {
                return true;
            }
            if self.completed.is_none() {
                search.meter().arm();
            }
            self.completed = Some((values, self.depth));
            let Some(next) = self.further.next() else { return true };
            if !search.can_deepen(next) {
                return true;
            }
            self.steps.take(search.meter());
            if search.meter().stopped() || !search.meter().allows(self.steps.next()) {
                return true;
            }
            self.depth = next;
        }
    }

    /// The decision of the last completed depth, if there is one.
    fn decision(&self, unit: Unit, nodes: u64) -> Option<Decision> {
        let (values, depth) = self.completed?;
        Decision::best_of(values, unit, depth, nodes)
    }
}

/// Deepens to the end.
fn decide(
    search: &mut impl Deepening,
    depths: RangeInclusive<u32>,
    unit: Unit,
) -> Result<Decision, PlayerError> {
    let mut progress = Progress::new(depths);
    let ended = progress.advance(search);
    debug_assert!(ended, "nobody asked for a pause");
    progress.decision(unit, search.meter().counts().nodes).ok_or_else(PlayerError::no_move)
}

/// The cost of each depth, to forecast the next one. A depth that will not complete should not be
/// started.
#[derive(Default)]
struct Steps {
    /// The used share of the limit.
    spent: f64,
    /// The number of visited nodes.
    nodes: u64,
    /// The share that the last depth took.
    last: f64,
    /// The nodes of the last depth and of the one before.
    last_nodes: [u64; 2],
}

impl Steps {
    /// Updates the record after a depth.
    fn take(&mut self, meter: &Meter) {
        let (spent, nodes) = (meter.spent(), meter.counts().nodes);
        self.last = spent - self.spent;
        self.last_nodes = [nodes - self.nodes, self.last_nodes[0]];
        (self.spent, self.nodes) = (spent, nodes);
    }

    /// The share that the next depth will take if its nodes grow by the same factor as those of the
    /// last one. Times would be less accurate: small searches fit into the processor's cache and
    /// take much less time for each node.
    fn next(&self) -> f64 {
        match self.last_nodes {
            [_, 0] => self.last,
            [last, before] => self.last * (last as f64 / before as f64),
        }
    }
}
