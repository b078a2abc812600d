//! What minimax needs from an evaluator, with a fast path for `smooth` on packed boards.

use super::super::walk::{NewTile, Walk, worth};
use crate::board::{Packed, PackedAfter};
use crate::eval::{Evaluator, Smooth};
use crate::game::{MoveValue, Probability};

// Alpha-beta compares plain numbers, for evaluated boards and for lost games alike. `lost` makes
// the numbers of lost games. `move_value` converts every number that leaves the search.

/// The largest absolute value of an evaluator. Larger values are clamped, so that a lost game is
/// worse than any other. NaN becomes the smallest value.
const MOST: f64 = 1e100;

/// The number of a position in which the player is stuck on the last board of the search. It is far
/// below `-MOST`, so no evaluator reaches it.
const STUCK: f64 = -1e120;

/// The number of a position in which the player is stuck with this many turns left. It is worse
/// than any evaluation, and an earlier loss is worse than a later one.
pub(super) fn lost(turns_left: u32) -> f64 {
    STUCK * f64::from(turns_left + 1)
}

/// The meaning of a number that a search of `turns` turns found for a move.
pub(super) fn move_value(number: f64, turns: u32) -> MoveValue {
    if number <= STUCK {
        let turns_left = (number / STUCK).round() as u32 - 1;
        return MoveValue::Lost { turns: turns - turns_left };
    }
    MoveValue::Worth(number)
}

/// Evaluates the boards and afterstates of one search.
pub(super) trait Judge<B: Walk> {
    /// The number of nodes between two readings of the clock: about ten microseconds.
    const CLOCK_INTERVAL: u64;

    /// The value of a board that has moves.
    fn value(&self, board: &B, score: u64) -> f64;

    /// The smallest value after a spawn on an afterstate with at least two empty cells. `None` if
    /// it cannot be computed without making the boards one by one.
    fn worst_spawn(&self, after: &B::After, score: u64) -> Option<f64>;

    /// A rough value of an afterstate, for move ordering.
    fn glance(&self, after: &B::After, score: u64) -> f64;
}

/// `smooth` on packed boards.
pub(super) struct PackedSmooth {
    twos: bool,
    fours: bool,
}

impl PackedSmooth {
    /// For a game in which a 4 has this probability.
    pub(super) fn new(four: Probability) -> PackedSmooth {
        let possible = NewTile::possible(four);
        PackedSmooth { twos: possible.contains(&NewTile::Two), fours: possible.contains(&NewTile::Four) }
    }
}

impl Judge<Packed> for PackedSmooth {
    const CLOCK_INTERVAL: u64 = 256;

    #[inline]
    fn value(&self, board: &Packed, _: u64) -> f64 {
        Smooth.evaluate_packed(*board)
    }

    #[inline]
    fn worst_spawn(&self, after: &PackedAfter, _: u64) -> Option<f64> {
        Some(Smooth.worst_spawn_packed(*after, self.twos, self.fours))
    }

    #[inline]
    fn glance(&self, after: &PackedAfter, _: u64) -> f64 {
        Smooth.worst_spawn_packed(*after, self.twos, self.fours)
    }
}

/// Any evaluator on any board.
pub(super) struct AnyJudge<'a> {
    /// The evaluator.
    pub(super) evaluator: &'a dyn Evaluator,
    /// The score at the root of the search.
    pub(super) before: u64,
}

impl<B: Walk> Judge<B> for AnyJudge<'_> {
    const CLOCK_INTERVAL: u64 = 16;

    fn value(&self, board: &B, score: u64) -> f64 {
        let value = worth(self.evaluator, board, score, self.before);
        if value.is_nan() { -MOST } else { value.clamp(-MOST, MOST) }
    }

    fn worst_spawn(&self, _: &B::After, _: u64) -> Option<f64> {
        None
    }

    fn glance(&self, after: &B::After, score: u64) -> f64 {
        self.evaluator.evaluate(&B::view_after(after, score))
    }
}
