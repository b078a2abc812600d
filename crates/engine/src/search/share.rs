//! Maps whose keys are boards, and their memory use. The hash is fast. It needs no protection
//! against chosen keys, since nobody outside can choose them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::board::Size;

/// A map whose keys are boards.
pub(super) type BoardMap<K, V> = HashMap<K, V, BuildHasherDefault<BoardHasher>>;

/// The maximal heap memory of a board or afterstate in bytes: its cells, and the overhead of the
/// allocator. (A 4x4 board needs it only for tiles that are not powers of two.)
pub(super) const fn cell_bytes(size: Size) -> usize {
    size.cells() * size_of::<u64>() + 16
}

/// The number of entries that maps can hold within `bytes`, if each entry takes `beside` bytes on
/// the heap.
///
/// A map doubles its slots when seven of eight are taken, and keeps the old ones while it does so.
/// In the worst case that is 24/7 slots for each entry, with one control byte each. Counting 4
/// slots leaves room for slots kept from an earlier search, up to a quarter as many as the entries
/// need.
pub(super) const fn map_room<K, V>(bytes: usize, beside: usize) -> usize {
    bytes / (4 * (size_of::<(K, V)>() + 1) + beside)
}

/// Multiplies and folds each word. The high half of the 128-bit product is XORed into the low half,
/// so that every bit of a key affects every bit of the hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BoardHasher(u64);

impl Hasher for BoardHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // The multiplier is 2^64 divided by the golden ratio, as in multiplicative hashing (Knuth,
        // The Art of Computer Programming 3, 6.4).
        let product =
            u128::from(self.0.rotate_left(23) ^ word ^ 0x5851_f42d_4c95_7f2d) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::board::Afterstate;

    /// The memory of a map: its slots, and the heap memory of its boards.
    pub(in crate::search) fn map_bytes<K, V>(map: &BoardMap<K, V>, beside: usize) -> usize {
        places(map) * (size_of::<(K, V)>() + 1) + map.len() * beside
    }

    /// One eighth of the slots always stays empty.
    fn places<K, V>(map: &BoardMap<K, V>) -> usize {
        (map.capacity() * 8).div_ceil(7)
    }

    /// The peak memory of a map while `room` entries are inserted.
    fn peak<K: std::hash::Hash + Eq, V: Default>(
        room: usize,
        beside: usize,
        key: impl Fn(u64) -> K,
    ) -> usize {
        let mut map: BoardMap<K, V> = BoardMap::default();
        let mut most = 0;
        for number in 0..room as u64 {
            let before = places(&map);
            map.insert(key(number), V::default());
            let growing = if places(&map) > before { before * (size_of::<(K, V)>() + 1) } else { 0 };
            most = most.max(map_bytes(&map, beside) + growing);
        }
        most
    }

    #[test]
    fn the_entries_that_there_is_room_for_fit_at_any_time() {
        for bytes in (1000..300_000).step_by(7919) {
            let small = peak::<u64, f64>(map_room::<u64, f64>(bytes, 0), 0, |number| number);
            assert!(small <= bytes && 3 * small > bytes, "{small} of {bytes}");
            let beside = cell_bytes(Size::new(8, 8).unwrap());
            assert!(beside >= 64 * size_of::<u64>());
            let room = map_room::<(Afterstate, u64, u32), f64>(bytes, beside);
            // Only the size of an entry matters, not its content.
            type AsLarge = [u64; size_of::<(Afterstate, u64, u32)>() / size_of::<u64>()];
            let large = peak::<AsLarge, f64>(room, beside, |number| [number; size_of::<AsLarge>() / 8]);
            assert!(large <= bytes && 3 * large > bytes, "{large} of {bytes}");
        }
    }
}
