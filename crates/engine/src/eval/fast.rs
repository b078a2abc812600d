//! Evaluators that are called millions of times a second. They evaluate packed 4x4 afterstates, and
//! searches are compiled for each of them instead of using dynamic dispatch.

use super::Evaluator;
use super::layer::{Layer, MOST_AFTERS};
use crate::board::{Packed, PackedAfter};
use crate::game::Unit;

/// An evaluator with a fast path for packed 4x4 afterstates.
///
/// It is also an ordinary [`Evaluator`], which must give the same values up to rounding and decides
/// which other sizes it accepts. [`Evaluator::judges`] is
/// [`Judges::Afterstates`](super::Judges::Afterstates). Searches are generic over this trait, so
/// [`Evaluator::unit`] should be a constant that the compiler can inline.
pub trait FastEvaluator: Evaluator {
    /// The value of a packed afterstate.
    fn evaluate_packed(&self, after: PackedAfter) -> f32;

    /// The values of several afterstates at once. An evaluator limited by memory latency can
    /// prefetch the data of all of them first. The values must equal those of
    /// [`FastEvaluator::evaluate_packed`] bit for bit.
    ///
    /// # Panics
    /// May panic if `values` is shorter than `afters`.
    fn evaluate_many(&self, afters: &[PackedAfter], values: &mut [f32]) {
        for (value, &after) in values[..afters.len()].iter_mut().zip(afters) {
            *value = self.evaluate_packed(after);
        }
    }

    /// The value of a packed board on which the game is lost.
    fn evaluate_lost_packed(&self, board: Packed) -> f32 {
        match self.unit() {
            Unit::Points | Unit::Chance => 0.0,
            Unit::Preference => {
                let value =
                    PackedAfter::from_bits(board.bits()).map_or(0.0, |cells| self.evaluate_packed(cells));
                self.lost(value.into()) as f32
            }
        }
    }

    /// The last layer of a search: a tile spawns on each empty cell in turn, and the best move on
    /// each of these boards is evaluated. `chances` are the probabilities of a 2 and of a 4. A tile
    /// with probability 0 is skipped.
    ///
    /// A search spends most of its time here, so an evaluator may override this. The value must be
    /// the same up to rounding, and the counts must be equal.
    fn best_replies(&self, after: PackedAfter, chances: [f32; 2]) -> Replies {
        replies_one_by_one(self, after, chances)
    }
}

/// The result of the last layer of a search below one afterstate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replies {
    /// The sum over the boards of their probability times the value of the best move. If the unit
    /// is points, the value of a move includes its reward. A board without moves counts as
    /// [`FastEvaluator::evaluate_lost_packed`].
    pub value: f32,
    /// The number of boards: one for each empty cell and each tile that can spawn.
    pub boards: u32,
    /// The total number of their legal moves.
    pub moves: u32,
}

/// [`FastEvaluator::best_replies`] for any evaluator.
pub fn replies_one_by_one<E: FastEvaluator + ?Sized>(
    evaluator: &E,
    after: PackedAfter,
    chances: [f32; 2],
) -> Replies {
    let mut replies = Replies { value: 0.0, boards: 0, moves: 0 };
    for (rank, chance) in (1..).zip(chances).filter(|&(_, chance)| chance > 0.0) {
        let layer = Layer::new(after, rank);
        let mut values = [0.0; MOST_AFTERS];
        evaluator.evaluate_many(layer.afters(), &mut values);
        let mean =
            layer.mean_of_best(&values, evaluator.unit(), |board| evaluator.evaluate_lost_packed(board));
        replies.value += chance * mean;
        replies.boards += layer.boards();
        replies.moves += layer.moves();
    }
    replies
}
