//! Expectimax: the best move against the average spawn.
//!
//! A depth of 1 judges the afterstates of the four moves; every further move looked ahead takes the exact expectation
//! over all spawns and the best move after each. Where the evaluator's unit is points, the rewards along the way are added.
//!
//! Limits by nodes and time deepen step by step: depth 1, 2, 3 and so on, and what counts is the last depth that was
//! finished. Depth 1 is always finished.

mod exact;
mod fast;
#[cfg(test)]
mod tests;

pub use exact::Expectimax;
pub use fast::FastExpectimax;

use super::limits::{Limits, Meter};
use crate::game::{Decision, PlayerError, Unit};

/// The deepest search that can be asked for.
const MAX_DEPTH: u32 = 100;

/// How far and how thoroughly to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// When to stop. Without any limit the depth is [`Options::DEFAULT_DEPTH`].
    pub limits: Limits,
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
    /// The depth of a search that nothing else limits.
    pub const DEFAULT_DEPTH: u32 = 3;

    /// Looks so many moves ahead, at everything, with a small table.
    pub fn with_depth(depth: u32) -> Options {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        Options { limits, adapt: None, cut: 0.0, fours: 1, table_bytes: 1 << 20 }
    }

    /// Whether nodes or time decide how deep the search goes.
    fn deepens(&self) -> bool {
        self.limits.nodes.is_some() || self.limits.time.is_some()
    }

    /// The largest depth for a position with so many different tiles.
    fn most_depth(&self, different_tiles: u32) -> u32 {
        let depth = match self.limits.depth {
            Some(depth) => depth,
            None if self.deepens() => MAX_DEPTH,
            None => Options::DEFAULT_DEPTH,
        };
        let adapted = match self.adapt {
            Some(less) if !self.deepens() => different_tiles.saturating_sub(less),
            _ => 0,
        };
        depth.max(adapted).clamp(1, MAX_DEPTH)
    }

    /// Whether decisions depend on nothing but the position.
    fn is_repeatable(&self) -> bool {
        self.limits.time.is_none()
    }
}

/// A search of one position, one depth at a time.
trait Deepening {
    /// The values of all four directions at a depth; `None` where a direction is illegal. Worthless if the meter has
    /// stopped.
    fn values_at(&mut self, depth: u32) -> [Option<f64>; 4];

    /// The search's meter.
    fn meter(&mut self) -> &mut Meter;

    /// Whether the last values would be the same at any larger depth.
    fn is_exhausted(&self) -> bool;
}

/// Deepens until a limit strikes, and decides by the last depth that was finished.
fn decide(
    search: &mut impl Deepening,
    options: &Options,
    different_tiles: u32,
    unit: Unit,
) -> Result<Decision, PlayerError> {
    let most_depth = options.most_depth(different_tiles);
    let mut depth = if options.deepens() { 1 } else { most_depth };
    let mut values = search.values_at(depth);
    search.meter().arm();
    let mut steps = Steps::default();
    while options.deepens() && depth < most_depth && !search.is_exhausted() {
        steps.take(search.meter().spent());
        if search.meter().stopped() || steps.next() > search.meter().left() {
            break;
        }
        let deeper = search.values_at(depth + 1);
        if search.meter().stopped() {
            break;
        }
        values = deeper;
        depth += 1;
    }
    let nodes = search.meter().counts().nodes;
    Decision::best_of(values, unit, depth, nodes)
        .ok_or_else(|| PlayerError("there is no move to choose".to_owned()))
}

/// What each depth took, as a share of the limit: a depth that will not be finished is better not begun.
#[derive(Default)]
struct Steps {
    all: f64,
    last: f64,
    before_last: f64,
}

impl Steps {
    /// Hears of all that is spent after a depth.
    fn take(&mut self, spent: f64) {
        (self.before_last, self.last, self.all) = (self.last, spent - self.all, spent);
    }

    /// What the next depth will take, if it grows by as much as the last one did.
    fn next(&self) -> f64 {
        if self.before_last > 0.0 { self.last * self.last / self.before_last } else { self.last }
    }
}
