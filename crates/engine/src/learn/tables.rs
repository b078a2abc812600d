//! The weights while they learn.

use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::rule::{Rule, load};
use crate::board::PackedAfter;
use crate::ntuple::{Gathers, IMAGES, Shape, SharedWords, downgraded, images, lanes};

/// Weights that any number of threads read and change at once.
#[derive(Debug)]
pub(crate) struct Tables<K: Rule> {
    words: SharedWords,
    gathers: Gathers,
    shape: Shape,
    share: f32,
    rule: PhantomData<K>,
}

impl<K: Rule> Tables<K> {
    /// Tables of zeros.
    pub(crate) fn new(shape: Shape) -> io::Result<Tables<K>> {
        let gathers = Gathers::new(&shape.patterns);
        let words = SharedWords::zeroed(gathers.weights * shape.stages.len() * K::WORDS)?;
        let share = 1.0 / shape.patterns.features() as f32;
        Ok(Tables { words, gathers, shape, share, rule: PhantomData })
    }

    /// The same weights for a network with other stages: a stage that is new gets a copy of the last one there is.
    pub(crate) fn with_stages(&self, shape: Shape) -> io::Result<Tables<K>> {
        let tables = Tables::<K>::new(shape)?;
        let len = self.gathers.weights * K::WORDS;
        for stage in 0..tables.shape.stages.len() {
            let from = stage.min(self.shape.stages.len() - 1) * len;
            let old = &self.words.as_slice()[from..from + len];
            let new = &tables.words.as_slice()[stage * len..(stage + 1) * len];
            for (new, old) in new.iter().zip(old) {
                let word = old.load(Relaxed);
                // Untouched pages stay untouched.
                if word != 0 {
                    new.store(word, Relaxed);
                }
            }
        }
        Ok(tables)
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn words(&self) -> &SharedWords {
        &self.words
    }

    /// The cells as the network sees them.
    #[inline(always)]
    pub(crate) fn known(&self, bits: u64) -> u64 {
        downgraded(bits, self.shape.top)
    }

    /// The stage of packed cells.
    pub(crate) fn stage(&self, bits: u64) -> usize {
        self.shape.stages.of(self.known(bits)).0
    }

    /// The words of one pattern's table in one stage.
    #[inline(always)]
    fn table(&self, stage: usize, start: usize) -> &[AtomicU32] {
        &self.words.as_slice()[(stage * self.gathers.weights + start) * K::WORDS..]
    }

    /// The value of an afterstate: points to come.
    #[inline(always)]
    pub(crate) fn value<const R: usize, const C: usize>(&self, after: PackedAfter<R, C>) -> f32 {
        let (stage, seen) = self.shape.stages.of(self.known(after.bits()));
        let words = &self.words.as_slice()[stage * self.gathers.weights * K::WORDS..];
        let sum = self.gathers.sum::<R, C>(seen, |_, start, index| load(&words[(start + index) * K::WORDS]));
        self.shape.start_value + sum
    }

    /// Moves the value of an afterstate by `rate` times the error, as far as the rule lets it. Returns by how much the
    /// value changed.
    ///
    /// On a near-empty or symmetric board several images find the same weight. It is changed once, not once for each of
    /// them: the value then moves by the whole of `rate * error` and not beyond.
    #[inline(always)]
    pub(crate) fn learn<const R: usize, const C: usize>(
        &self,
        after: PackedAfter<R, C>,
        error: f32,
        rate: f32,
    ) -> f32 {
        let (stage, seen) = self.shape.stages.of(self.known(after.bits()));
        let images = images::<R, C>(PackedAfter::from_bits(seen).expect("the cells stay the same"));
        let lanes = lanes::<R, C>();
        let share = rate * self.share;
        let mut changed = 0.0;
        for (gather, start) in &self.gathers.list {
            let table = self.table(stage, *start);
            let indices = gather.indices(&images);
            let change = |index: u32| {
                let place = index as usize * K::WORDS;
                K::change(&table[place..place + K::WORDS], error, share)
            };
            if repeats(&indices, lanes) {
                for lane in 0..lanes {
                    if !indices[..lane].contains(&indices[lane]) {
                        let times =
                            indices[lane..lanes].iter().filter(|&&index| index == indices[lane]).count();
                        changed += times as f32 * change(indices[lane]);
                    }
                }
            } else {
                for &index in &indices[..lanes] {
                    changed += change(index);
                }
            }
        }
        changed
    }
}

/// Whether any two of the first 4 or 8 indices are equal. Every pair is met by comparing with the indices turned by 1 to
/// half their number, which vector instructions do at once.
#[inline(always)]
fn repeats(indices: &[u32; IMAGES], lanes: usize) -> bool {
    let mut equal = 0;
    for turn in 1..=lanes / 2 {
        for lane in 0..lanes {
            equal |= u32::from(indices[lane] == indices[(lane + turn) % lanes]);
        }
    }
    equal != 0
}
