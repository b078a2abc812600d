//! What the training loop needs of a network that learns, whatever its architecture.

use crate::board::PackedAfter;
use crate::ntuple::Machine;

/// A network that learns values of afterstates, on any number of threads at once. An afterstate has
/// *active features*; its value is made of their weights, and learning changes these weights.
///
/// Implementations are `#[inline(always)]`, so that the training loop is compiled for each of them
/// and for the instructions of the processor.
pub(crate) trait ValueFunction<const R: usize, const C: usize>: Sync {
    /// The active features of an afterstate.
    type Active;

    /// Those of the empty board, as a placeholder.
    const NONE: Self::Active;

    /// Finds the active features of several afterstates and asks the memory for their weights,
    /// since they will be needed soon. Only as many places as are given are filled.
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

    /// Makes active features the same as others.
    fn copy_active(&self, from: &Self::Active, to: &mut Self::Active);

    /// The value of an afterstate: points to come.
    fn value(&self, active: &Self::Active) -> f32;

    /// Moves the value of an afterstate towards a target: by `rate` times the error, as far as the
    /// update rule lets it. Returns the new value.
    fn learn(&self, active: &Self::Active, target: f32, rate: f32) -> f32;

    /// An afterstate as the network sees it, if that differs: with larger tiles than it knows
    /// downgraded.
    fn beyond(&self, after: PackedAfter<R, C>) -> Option<PackedAfter<R, C>>;

    /// The stage of the game that an afterstate belongs to, counted from 0.
    fn stage(&self, after: PackedAfter<R, C>) -> usize;
}
