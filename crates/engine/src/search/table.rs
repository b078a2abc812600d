//! The transposition table of packed searches: values of afterstates, so that each is searched only
//! once. A value is returned only for the same afterstate, the same number of remaining moves and
//! the same search.

use thiserror::Error;

use crate::board::PackedAfter;

/// There is not enough memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is not enough memory for a table of {} MiB", .bytes >> 20)]
pub struct NoMemory {
    /// The size of the table.
    pub bytes: usize,
}

/// One stored value. An entry with search 0 is empty.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    bits: u64,
    value: f32,
    search: u16,
    moves_left: u8,
}

/// As many entries as fit into one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Entry; 4]);

/// The table has a fixed size. In a full bucket a new entry replaces an entry of an earlier search,
/// or else the one with the fewest remaining moves.
#[derive(Clone, Debug)]
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// The shift from a hash to the number of a bucket.
    shift: u32,
    /// The number of the current search.
    search: u16,
}

impl Table {
    /// A table of at most `bytes` bytes, with a power of two of buckets. `None` if fewer than two
    /// buckets fit.
    pub(super) fn with_bytes(bytes: usize) -> Result<Option<Table>, NoMemory> {
        let most = bytes / size_of::<Bucket>();
        let Some(log) = most.checked_ilog2().filter(|&log| log > 0) else { return Ok(None) };
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(1 << log).map_err(|_| NoMemory { bytes })?;
        buckets.resize(1 << log, Bucket::default());
        Ok(Some(Table { buckets, shift: 63, search: 0 }))
    }

    /// Invalidates all entries, usually by incrementing the search number, and prepares for a
    /// search of this depth.
    ///
    /// A shallow search uses only a part of the table, so that it stays in the processor's cache.
    /// Sixteen kilobytes are enough for depth 4 on most boards, and one more move needs up to
    /// sixteen times as much.
    pub(super) fn start_search(&mut self, depth: u32) {
        let log = (4 * depth).saturating_sub(8).clamp(1, self.buckets.len().ilog2());
        self.shift = 64 - log;
        if self.search == u16::MAX {
            self.buckets.fill(Bucket::default());
            self.search = 0;
        }
        self.search += 1;
    }

    /// Multiplicative hashing by 2^64 divided by the golden ratio (Knuth, The Art of Computer
    /// Programming 3, 6.4). The high bits of the product depend on all bits of the key.
    #[inline]
    fn bucket(&self, after: PackedAfter) -> usize {
        (after.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Loads the buckets of several afterstates into the cache. The loads are independent, so the
    /// processor waits for all of them at once instead of once for each lookup.
    #[inline]
    pub(super) fn touch(&self, afters: &[PackedAfter]) {
        let touched = afters.iter().fold(0, |bits, &after| bits ^ self.buckets[self.bucket(after)].0[0].bits);
        std::hint::black_box(touched);
    }

    /// The value of an afterstate with this many remaining moves, if it is stored.
    #[inline]
    pub(super) fn get(&self, after: PackedAfter, moves_left: u8) -> Option<f32> {
        let Bucket(entries) = &self.buckets[self.bucket(after)];
        let known = |entry: &&Entry| {
            entry.bits == after.bits() && entry.moves_left == moves_left && entry.search == self.search
        };
        entries.iter().find(known).map(|entry| entry.value)
    }

    /// Stores a value.
    #[inline]
    pub(super) fn put(&mut self, after: PackedAfter, moves_left: u8, value: f32) {
        let bucket = self.bucket(after);
        let search = self.search;
        let worth = |entry: &Entry| if entry.search == search { 1 + u32::from(entry.moves_left) } else { 0 };
        let Bucket(entries) = &mut self.buckets[bucket];
        let mut victim = 0;
        for index in 1..entries.len() {
            if worth(&entries[index]) < worth(&entries[victim]) {
                victim = index;
            }
        }
        entries[victim] = Entry { bits: after.bits(), value, search, moves_left };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(bits: u64) -> PackedAfter {
        PackedAfter::from_bits(bits).unwrap()
    }

    #[test]
    fn a_value_is_found_for_its_own_afterstate_depth_and_search_only() {
        let mut table = Table::with_bytes(1 << 12).unwrap().unwrap();
        table.start_search(20);
        table.put(after(0x12), 3, 1.5);
        assert_eq!(table.get(after(0x12), 3), Some(1.5));
        assert_eq!(table.get(after(0x12), 2), None);
        assert_eq!(table.get(after(0x21), 3), None);
        table.start_search(20);
        assert_eq!(table.get(after(0x12), 3), None);
    }

    #[test]
    fn nothing_comes_back_when_the_search_numbers_start_again() {
        let mut table = Table::with_bytes(1 << 12).unwrap().unwrap();
        table.start_search(20);
        table.put(after(0x12), 3, 1.5);
        for _ in 0..u16::MAX {
            table.start_search(20);
            assert_eq!(table.get(after(0x12), 3), None);
        }
    }

    #[test]
    fn a_full_bucket_keeps_the_deepest_entries() {
        let mut table = Table::with_bytes(2 * size_of::<Bucket>()).unwrap().unwrap();
        table.start_search(20);
        let same_bucket: Vec<u64> = (1..200).filter(|&bits| table.bucket(after(bits)) == 0).take(6).collect();
        for (index, &bits) in same_bucket.iter().enumerate() {
            table.put(after(bits), 10 - index as u8, index as f32);
        }
        let known = |index: usize| table.get(after(same_bucket[index]), 10 - index as u8);
        assert_eq!([known(0), known(1), known(2)], [Some(0.0), Some(1.0), Some(2.0)]);
        assert_eq!(known(5), Some(5.0), "the newest entry is always stored");
        assert_eq!([known(3), known(4)], [None, None]);
    }

    #[test]
    fn a_table_smaller_than_two_buckets_is_none_and_one_beyond_the_memory_an_error() {
        for (bytes, some) in [(0, false), (64, false), (128, true)] {
            assert_eq!(Table::with_bytes(bytes).map(|table| table.is_some()), Ok(some));
        }
        let refused = Table::with_bytes(1 << 62).map(|table| table.is_some());
        assert_eq!(refused, Err(NoMemory { bytes: 1 << 62 }));
    }
}
