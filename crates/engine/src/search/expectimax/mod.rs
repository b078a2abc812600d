//! Expectimax: the best move against the average spawn.
//!
//! A depth of 1 judges the afterstates of the four moves; every further move looked ahead takes the exact expectation
//! over all spawns and the best move after each. Where the evaluator's unit is points, the rewards along the way are added.
//!
//! Limits by nodes and time deepen step by step: depth 1, 2, 3 and so on, and what counts is the last depth that was
//! finished. Depth 1 is always finished. Under a limit of nodes a depth that will not be finished, by its forecast, is not
//! begun: then a part of the limit is left over. Under a limit of time alone one is begun that may take twice what is left.

mod exact;
mod fast;
mod packing;
#[cfg(test)]
mod tests;

pub use exact::Expectimax;
pub use fast::FastExpectimax;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::limits::{Meter, SearchLimits};
use crate::board::{Board, Size};
use crate::game::{Decision, MoveValue, PlayerError, Unit};

/// The deepest search that can be asked for.
const MAX_DEPTH: u32 = 100;

/// How far and how thoroughly to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// When to stop. Without any limit the depth is [`Options::default_depth`].
    pub limits: SearchLimits,
    /// Where given, the depth is at least the number of different tiles on the board minus this: positions with many
    /// different tiles are the ones where a mistake costs most. Ignored where nodes or time limit the search.
    pub adapt: Option<u32>,
    /// A spawn less likely than this, the spawns before it included, is not looked behind: the afterstates of the moves
    /// that follow it are judged at once. 0 looks behind every spawn.
    pub cut: f64,
    /// How many moves of the depth a spawned 4 uses up; a 2 uses up one. With 2, what follows a 4 is looked into one move
    /// less: that saves most of the time and costs little, since nine of ten spawns are 2s.
    pub fours: u32,
    /// The most memory for values that were found already, in bytes; 0 for none. With no cut it never changes a value.
    pub table_bytes: usize,
}

impl Options {
    /// The depth of a search that nothing else limits: one that people like to wait for.
    pub const fn default_depth(size: Size) -> u32 {
        if size.cells() <= 36 { 3 } else { 2 }
    }

    /// Looks so many moves ahead, at everything, with a small table.
    pub fn with_depth(depth: u32) -> Options {
        let limits = SearchLimits { depth: Some(depth), ..SearchLimits::default() };
        Options { limits, adapt: None, cut: 0.0, fours: 1, table_bytes: 1 << 20 }
    }

    /// Whether nodes or time decide how deep the search goes.
    fn deepens(&self) -> bool {
        self.limits.nodes.is_some() || self.limits.time.is_some()
    }

    /// Whether one move ahead is all, on every board.
    fn is_one_move(&self) -> bool {
        self.limits.depth == Some(1) && self.adapt.is_none()
    }

    /// The depths to go through on a board.
    fn depths(&self, board: &Board) -> RangeInclusive<u32> {
        let depth = match self.limits.depth {
            Some(depth) => depth,
            None if self.deepens() => MAX_DEPTH,
            None => Options::default_depth(board.size()),
        };
        let adapted = match self.adapt {
            Some(less) if !self.deepens() => different_tiles(board).saturating_sub(less),
            _ => 0,
        };
        let last = depth.max(adapted).clamp(1, MAX_DEPTH);
        if self.deepens() { 1..=last } else { last..=last }
    }

    /// Whether decisions depend on nothing but the position.
    fn is_repeatable(&self) -> bool {
        self.limits.time.is_none()
    }
}

/// How many different tiles a board has.
fn different_tiles(board: &Board) -> u32 {
    board.tiles().filter(|&tile| tile != 0).collect::<BTreeSet<_>>().len() as u32
}

/// A search of one position, one depth at a time.
trait Deepening {
    /// The values of all four directions at a depth. Worthless if the meter has stopped.
    fn values_at(&mut self, depth: u32) -> [MoveValue; 4];

    /// The search's meter.
    fn meter(&mut self) -> &mut Meter;

    /// Gets ready for a larger depth, unless the values would be the same there or it cannot be searched.
    fn can_deepen(&mut self, depth: u32) -> bool;
}

/// Deepens until a limit strikes, and decides by the last depth that was finished.
fn decide(
    search: &mut impl Deepening,
    mut depths: RangeInclusive<u32>,
    unit: Unit,
) -> Result<Decision, PlayerError> {
    let mut depth = depths.next().unwrap_or(1);
    let mut values = search.values_at(depth);
    search.meter().arm();
    let mut steps = Steps::default();
    for next in depths {
        if !search.can_deepen(next) {
            break;
        }
        steps.take(search.meter());
        if search.meter().stopped() || !search.meter().allows(steps.next()) {
            break;
        }
        let deeper = search.values_at(next);
        if search.meter().stopped() {
            break;
        }
        (values, depth) = (deeper, next);
    }
    let nodes = search.meter().counts().nodes;
    Decision::best_of(values, unit, depth, nodes).ok_or_else(PlayerError::no_move)
}

/// What each depth took: a depth that will not be finished is better not begun.
#[derive(Default)]
struct Steps {
    /// All that is spent, as a share of the limit.
    spent: f64,
    /// All nodes visited.
    nodes: u64,
    /// The share that the last depth took.
    last: f64,
    /// The nodes of the last depth and of the one before it.
    last_nodes: [u64; 2],
}

impl Steps {
    /// Hears of all that is spent after a depth.
    fn take(&mut self, meter: &Meter) {
        let (spent, nodes) = (meter.spent(), meter.counts().nodes);
        self.last = spent - self.spent;
        self.last_nodes = [nodes - self.nodes, self.last_nodes[0]];
        (self.spent, self.nodes) = (spent, nodes);
    }

    /// What the next depth will take, if its nodes grow by as much as those of the last one did. The time would tell less:
    /// small searches fit into the processor's cache and take a fraction of the time for each node.
    fn next(&self) -> f64 {
        match self.last_nodes {
            [_, 0] => self.last,
            [last, before] => self.last * (last as f64 / before as f64),
        }
    }
}
