//! Sets of positions of a layer: first marked by several threads, then counted and looked up.

use std::sync::atomic::{AtomicU64, Ordering};

use super::keys::{Keys, LayerKeys};

/// A set that threads add to. The order of additions does not matter.
#[derive(Debug)]
pub(super) struct Marks(Vec<AtomicU64>);

impl Marks {
    /// Nothing marked among so many numbers.
    pub(super) fn none(count: u32) -> Marks {
        Marks((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline(always)]
    pub(super) fn mark(&self, number: u32) {
        let (word, bit) = (&self.0[number as usize / 64], 1 << (number % 64));
        // Most positions are reached several times, and a plain read is much cheaper.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// The finished set.
    pub(super) fn finish(self) -> Positions {
        Positions::new(self.0.into_iter().map(AtomicU64::into_inner))
    }
}

/// A set of numbers. Each member has a *place*: how many smaller members there are.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions {
    words: Vec<Word>,
    len: usize,
}

/// 64 numbers, and the members before them.
#[derive(Clone, Copy, Debug)]
struct Word {
    bits: u64,
    before: u32,
}

impl Positions {
    /// The set with these bits.
    pub(super) fn new(bits: impl Iterator<Item = u64>) -> Positions {
        let mut len = 0;
        let words = bits.map(|bits| {
            let before = len as u32;
            len += bits.count_ones() as usize;
            Word { bits, before }
        });
        let words = words.collect();
        Positions { words, len }
    }

    /// The number of members.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The bits, 64 numbers a word.
    pub(super) fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().map(|word| word.bits)
    }

    /// The place of a member.
    #[inline(always)]
    pub(super) fn place(&self, number: u32) -> usize {
        let word = self.words[number as usize / 64];
        debug_assert!(word.bits >> (number % 64) & 1 == 1, "only members have a place");
        let below = word.bits & ((1 << (number % 64)) - 1);
        word.before as usize + below.count_ones() as usize
    }

    /// The place of a number, if it is a member.
    pub(super) fn find(&self, number: u32) -> Option<usize> {
        let word = self.words.get(number as usize / 64)?;
        (word.bits >> (number % 64) & 1 == 1).then(|| self.place(number))
    }

    /// Parts of about equal size for several threads.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> + Send {
        // Small enough to balance the load, and large enough for the cost of a part not to matter.
        const WORDS: usize = 1 << 10;
        let end = |word: usize| self.words.get(word).map_or(self.len, |word| word.before as usize);
        let part = |from: usize| {
            let to = (from + WORDS).min(self.words.len());
            Part { words: from..to, places: end(from)..end(to) }
        };
        let parts: Vec<Part> = (0..self.words.len()).step_by(WORDS).map(part).collect();
        parts.into_iter().filter(|part| !part.places.is_empty())
    }

    /// Calls back with the packed bits of every member of a part, in order of their places.
    #[inline(always)]
    pub(super) fn for_each(&self, part: &Part, keys: &Keys, layer: &LayerKeys, mut f: impl FnMut(u64)) {
        let mut reader = keys.reader(layer);
        for word in part.words.clone() {
            let mut rest = self.words[word].bits;
            while rest != 0 {
                f(reader.bits(64 * word as u32 + rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
    }
}

/// A part of a set of positions.
#[derive(Clone, Debug)]
pub(super) struct Part {
    words: std::ops::Range<usize>,
    /// The places of its members.
    pub(super) places: std::ops::Range<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_the_members_before() {
        let marks = Marks::none(200);
        let members = [3, 63, 64, 130, 199];
        members.iter().rev().for_each(|&number| marks.mark(number));
        let set = marks.finish();
        assert_eq!(set.len(), members.len());
        for (place, &number) in members.iter().enumerate() {
            assert_eq!((set.place(number), set.find(number)), (place, Some(place)));
        }
        assert_eq!((set.find(4), set.find(10_000)), (None, None));
    }
}
