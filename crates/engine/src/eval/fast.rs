//! Evaluators that are called millions of times a second: they judge packed 4x4 afterstates, and searches are compiled
//! for each of them instead of calling through a table of functions.

use super::Evaluator;
use crate::board::PackedAfter;

/// An evaluator with a fast path for packed 4x4 afterstates.
///
/// It is also an ordinary [`Evaluator`], which must give the same values up to rounding and says which other sizes it
/// accepts; [`Evaluator::judges`] is [`Judges::Afterstates`](super::Judges::Afterstates). Searches are generic over this
/// trait, so [`Evaluator::unit`] and [`Evaluator::game_over`] should be plain constants that the compiler can see through.
pub trait FastEvaluator: Evaluator {
    /// The value of a packed afterstate.
    fn evaluate_packed(&self, after: PackedAfter) -> f32;

    /// The values of several afterstates at once. An evaluator that waits for memory can ask for the cells of all of
    /// them before it reads the first; the values must be those of [`FastEvaluator::evaluate_packed`], bit for bit.
    ///
    /// # Panics
    /// May panic if there are fewer places than afterstates.
    fn evaluate_many(&self, afters: &[PackedAfter], values: &mut [f32]) {
        for (value, &after) in values[..afters.len()].iter_mut().zip(afters) {
            *value = self.evaluate_packed(after);
        }
    }
}
