//! The update rules: how one weight answers an error.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::UpdateRule;
use crate::ntuple::IMAGES;

/// How a weight learns. A weight and what the rule remembers about it lie beside each other in memory, since every
/// update needs all of it; in arrays of their own each would be another cache miss.
pub(crate) trait Rule: Send + Sync + 'static {
    /// A weight with what is remembered about it.
    type Record: Send + Sync;

    /// The words of one record: the weight itself first.
    const WORDS: usize;

    /// Its name in recipes.
    const RULE: UpdateRule;

    /// Words as records.
    fn records(words: &[AtomicU32]) -> &[Self::Record];

    /// The weight itself.
    fn weight(record: &Self::Record) -> &AtomicU32;

    /// Answers an error (target minus value): `share` is the learning rate divided by the number of features. Returns
    /// by how much the weight changed.
    ///
    /// Threads may work on the same weight at once; then an update can be lost, which costs a little learning and
    /// nothing else.
    fn change(record: &Self::Record, error: f32, share: f32) -> f32;

    /// The same for the eight different weights that the images of a board find in one table. Adds the changes to those of
    /// the images.
    #[inline(always)]
    fn change_all(records: [&Self::Record; IMAGES], error: f32, share: f32, changes: &mut [f32; IMAGES]) {
        for (record, change) in records.into_iter().zip(changes) {
            *change += Self::change(record, error, share);
        }
    }

    /// Gives a new record a weight that was learned before, in another run, and about how much it was used there: the sum of its absolute
    /// errors.
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

/// Temporal coherence (Beal and Smith 1999; for 2048 Jaskowski 2017): each weight keeps the sum E of its errors and the sum A
/// of their absolute values, and its own rate |E| / A, which is 1 at first and falls as the errors begin to cancel out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tc;

impl Tc {
    /// With a rate of 1 the next games would undo what is known. So the sum E of the errors of a weight that was learned before is taken
    /// to be what it would be if they had all been of this size, in points, and their signs thrown by a coin. The size makes the rate of a
    /// weight with A = 30,000 a tenth, which is what the network that ships went on with once (docs/notebook/training.md); others were not
    /// tried. E is positive, so that at first a value that is too low is corrected a little sooner than one that is too high.
    pub(super) const ERROR: f32 = 300.0;
}

/// A weight's own rate: |E| / A, and 1 where both are 0. What is added to both makes it 1 there without a question asked, and is
/// lost in the rounding of every other sum.
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

    /// The eight divisions are done at once, by vector instructions where the machine has them.
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
