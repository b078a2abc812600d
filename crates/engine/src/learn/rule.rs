//! The update rules: how one weight answers an error.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::ntuple::{IMAGES, add_up};

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

    /// The same for the eight different weights that the images of a board find in one table. Returns the sum of the
    /// changes.
    #[inline(always)]
    fn change_all(table: &[AtomicU32], indices: &[u32; IMAGES], error: f32, share: f32) -> f32 {
        let change = |&index: &u32| {
            let place = index as usize * Self::WORDS;
            Self::change(&table[place..place + Self::WORDS], error, share)
        };
        indices.iter().map(change).sum()
    }
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

    /// The eight divisions are done at once, by vector instructions where the machine has them.
    #[inline(always)]
    fn change_all(table: &[AtomicU32], indices: &[u32; IMAGES], error: f32, share: f32) -> f32 {
        let words = indices.map(|index| &table[index as usize * Self::WORDS..][..Self::WORDS]);
        let sums = words.map(|words| load(&words[1]));
        let absolutes = words.map(|words| load(&words[2]));
        let step = share * error;
        let mut changes = [step; IMAGES];
        for lane in 0..IMAGES {
            let rate = sums[lane].abs() / absolutes[lane];
            changes[lane] *= if absolutes[lane] == 0.0 { 1.0 } else { rate };
        }
        let size = error.abs();
        for lane in 0..IMAGES {
            let words = words[lane];
            store(&words[0], load(&words[0]) + changes[lane]);
            store(&words[1], sums[lane] + error);
            store(&words[2], absolutes[lane] + size);
        }
        add_up(&changes)
    }
}
