//! The update rules: how one weight answers an error.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How a weight learns. A weight and what the rule remembers about it lie beside each other in memory, since every
/// update needs all of it; in arrays of their own each would be another cache miss.
pub trait Rule: Send + Sync + 'static {
    /// The words of one weight: the weight itself first.
    const WORDS: usize;

    /// The name in recipes and files.
    const NAME: &'static str;

    /// Answers an error (target minus value): `share` is the learning rate divided by the number of features. Returns
    /// by how much the weight changed.
    ///
    /// Threads may work on the same weight at once; then an update can be lost, which costs a little learning and
    /// nothing else.
    fn change(words: &[AtomicU32], error: f32, share: f32) -> f32;
}

#[inline(always)]
pub(crate) fn load(word: &AtomicU32) -> f32 {
    f32::from_bits(word.load(Relaxed))
}

#[inline(always)]
pub(crate) fn store(word: &AtomicU32, value: f32) {
    word.store(value.to_bits(), Relaxed);
}

/// Plain temporal-difference learning, TD(0): the weight moves by its share of the error.
#[derive(Clone, Copy, Debug)]
pub struct Td;

impl Rule for Td {
    const WORDS: usize = 1;
    const NAME: &'static str = "td";

    #[inline(always)]
    fn change(words: &[AtomicU32], error: f32, share: f32) -> f32 {
        let change = share * error;
        store(&words[0], load(&words[0]) + change);
        change
    }
}

/// Temporal coherence (Beal and Smith 1999; for 2048 Jaskowski 2017): each weight keeps the sum E of its errors and the sum A
/// of their absolute values, and its own rate |E| / A, which is 1 at first and falls as the errors begin to cancel out.
#[derive(Clone, Copy, Debug)]
pub struct Tc;

impl Rule for Tc {
    const WORDS: usize = 3;
    const NAME: &'static str = "tc";

    #[inline(always)]
    fn change(words: &[AtomicU32], error: f32, share: f32) -> f32 {
        let (weight, sum, absolute) = (load(&words[0]), load(&words[1]), load(&words[2]));
        let rate = if absolute == 0.0 { 1.0 } else { sum.abs() / absolute };
        let change = share * error * rate;
        store(&words[0], weight + change);
        store(&words[1], sum + error);
        store(&words[2], absolute + error.abs());
        change
    }
}
