//! The interface between the training loop and a network, independent of the network's
//! architecture.

use crate::board::PackedAfter;
use crate::ntuple::Machine;

/// A network that learns values of afterstates, on any number of threads at once. An afterstate has
/// *active features*. Its value is the sum of their weights, and learning changes these weights.
///
/// Implementations are `#[inline(always)]`, so that the training loop is compiled for each of them
/// and for each instruction set.
pub(crate) trait ValueFunction<const R: usize, const C: usize>: Sync {
    /// The active features of an afterstate.
    type Active;

    /// The active features of the empty board, as a placeholder.
    const NONE: Self::Active;

    /// Finds the active features of several afterstates and prefetches their weights. Fills only as
    /// many entries as `active` has.
    fn find_active<const N: usize>(
        &self,
        machine: impl Machine,
        afters: [PackedAfter<R, C>; N],
        active: &mut [Self::Active],
    );

    /// The active features of one afterstate.
    #[inline(always)]
    fn active(&self, machine: impl Machine, after: PackedAfter<R, C>) -> Self::Active {
        let mut active = Self::NONE;
        self.find_active(machine, [after], std::slice::from_mut(&mut active));
        active
    }

    /// Copies active features.
    fn copy_active(&self, from: &Self::Active, to: &mut Self::Active);

    /// The value of an afterstate: the expected points to come.
    fn value(&self, active: &Self::Active) -> f32;

    /// Moves the value of an afterstate towards a target, by `rate` times the error, scaled by the
    /// update rule. Returns the new value.
    fn learn(&self, active: &Self::Active, target: f32, rate: f32) -> f32;

    /// If an afterstate has tiles larger than the network knows: the afterstate with these tiles
    /// downgraded.
    fn beyond(&self, after: PackedAfter<R, C>) -> Option<PackedAfter<R, C>>;

    /// The stage of the game that an afterstate belongs to, counted from 0.
    fn stage(&self, after: PackedAfter<R, C>) -> usize;
}
