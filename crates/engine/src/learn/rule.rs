//! The update rules: how a weight changes after an error.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::UpdateRule;
use crate::ntuple::IMAGES;

/// An update rule. A weight and its statistics lie next to each other in memory, because every
/// update needs all of them. Separate arrays would cost a cache miss each.
pub(crate) trait Rule: Send + Sync + 'static {
    /// A weight with its statistics.
    type Record: Send + Sync;

    /// The words of one record. The first one is the weight.
    const WORDS: usize;

    /// The name of the rule in recipes.
    const RULE: UpdateRule;

    /// Views words as records.
    fn records(words: &[AtomicU32]) -> &[Self::Record];

    /// The weight itself.
    fn weight(record: &Self::Record) -> &AtomicU32;

    /// Updates a weight after an error (target minus value). `share` is the learning rate divided
    /// by the number of features. Returns the change of the weight.
    ///
    /// Threads may update the same weight at once. An update can then be lost, which only slows
    /// learning a little.
    fn change(record: &Self::Record, error: f32, share: f32) -> f32;

    /// Updates the eight different weights that the images of a board find in one table. Adds the
    /// change of each to `changes`.
    #[inline(always)]
    fn change_all(records: [&Self::Record; IMAGES], error: f32, share: f32, changes: &mut [f32; IMAGES]) {
        for (record, change) in records.into_iter().zip(changes) {
            *change += Self::change(record, error, share);
        }
    }

    /// Initialises a new record with a weight from an earlier run. `used` estimates how much the
    /// weight was used there: the sum of its absolute errors.
    fn begin_with(record: &Self::Record, weight: f32, used: f32);
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
pub(crate) struct Td;

impl Rule for Td {
    type Record = AtomicU32;
    const WORDS: usize = 1;
    const RULE: UpdateRule = UpdateRule::Td;

    fn records(words: &[AtomicU32]) -> &[AtomicU32] {
        words
    }

    #[inline(always)]
    fn weight(record: &AtomicU32) -> &AtomicU32 {
        record
    }

    fn begin_with(record: &AtomicU32, weight: f32, _used: f32) {
        store(record, weight);
    }

    #[inline(always)]
    fn change(record: &AtomicU32, error: f32, share: f32) -> f32 {
        let change = share * error;
        store(record, load(record) + change);
        change
    }
}

/// Temporal coherence (Beal and Smith 1999; for 2048 Jaskowski 2017). Each weight keeps the sum E
/// of its errors and the sum A of their absolute values. Its learning rate is |E| / A: 1 at first,
/// and falling as the errors begin to cancel out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tc;

impl Tc {
    /// The assumed size of one error, in points, of a weight from an earlier run. With a rate of 1
    /// the next games would undo what it has learned. So E is set to the root mean square of the
    /// sum of A / `ERROR` errors of this size with random signs, which is sqrt(`ERROR` * A). With
    /// this size a weight with A = 30,000 has a rate of 0.1. The shipped network was once resumed
    /// with that rate (docs/notebook/training.md). Other sizes were not tried. E is positive, so at
    /// first a value that is too low is corrected slightly faster than one that is too high.
    pub(super) const ERROR: f32 = 300.0;
}

/// The learning rate of a weight: |E| / A, or 1 if both are 0. Adding the smallest normal number to
/// both gives 1 in that case without a branch. It does not change any other result.
#[inline(always)]
fn coherence(errors: f32, sizes: f32) -> f32 {
    (errors.abs() + f32::MIN_POSITIVE) / (sizes + f32::MIN_POSITIVE)
}

impl Rule for Tc {
    type Record = [AtomicU32; 3];
    const WORDS: usize = 3;
    const RULE: UpdateRule = UpdateRule::Tc;

    fn records(words: &[AtomicU32]) -> &[[AtomicU32; 3]] {
        words.as_chunks().0
    }

    #[inline(always)]
    fn weight(record: &[AtomicU32; 3]) -> &AtomicU32 {
        &record[0]
    }

    fn begin_with([weight, sum, absolute]: &[AtomicU32; 3], value: f32, used: f32) {
        store(weight, value);
        store(sum, (Tc::ERROR * used).sqrt().min(used));
        store(absolute, used);
    }

    #[inline(always)]
    fn change([weight, sum, absolute]: &[AtomicU32; 3], error: f32, share: f32) -> f32 {
        let (errors, sizes) = (load(sum), load(absolute));
        let change = share * error * coherence(errors, sizes);
        store(weight, load(weight) + change);
        store(sum, errors + error);
        store(absolute, sizes + error.abs());
        change
    }

    /// Does the eight divisions at once, with vector instructions if the processor has them.
    #[inline(always)]
    fn change_all(records: [&[AtomicU32; 3]; IMAGES], error: f32, share: f32, changes: &mut [f32; IMAGES]) {
        let (mut errors, mut sizes, mut steps) = ([0f32; IMAGES], [0f32; IMAGES], [0f32; IMAGES]);
        for lane in 0..IMAGES {
            (errors[lane], sizes[lane]) = (load(&records[lane][1]), load(&records[lane][2]));
        }
        let step = share * error;
        for lane in 0..IMAGES {
            steps[lane] = step * coherence(errors[lane], sizes[lane]);
            changes[lane] += steps[lane];
        }
        let size = error.abs();
        for lane in 0..IMAGES {
            let [weight, sum, absolute] = records[lane];
            store(weight, load(weight) + steps[lane]);
            store(sum, errors[lane] + error);
            store(absolute, sizes[lane] + size);
        }
    }
}
