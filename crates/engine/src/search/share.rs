//! Maps whose keys are boards: a quick hash, where nobody outside can choose the keys to make them collide, and the memory
//! they take.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::board::Size;

/// A map whose keys are boards.
pub(super) type BoardMap<K, V> = HashMap<K, V, BuildHasherDefault<BoardHasher>>;

/// The most bytes that one of the game's own boards or afterstates takes beside its own value: its cells, and what an
/// allocator adds to a piece of memory. (A 4x4 board needs them only for tiles that are no powers of two.)
pub(super) const fn cell_bytes(size: Size) -> usize {
    size.cells() * size_of::<u64>() + 16
}

/// How many entries maps can hold within so many bytes, if each entry takes `beside` bytes beside its own value.
///
/// A map doubles its places when seven of eight are taken, and has the old ones as well while it does: at the worst these
/// are 24/7 places for an entry, each with a byte of the map's own. What is left of the 4 counted here is for up to a
/// quarter as many entries in places kept from an earlier search.
pub(super) const fn map_room<K, V>(bytes: usize, beside: usize) -> usize {
    bytes / (4 * (size_of::<(K, V)>() + 1) + beside)
}

/// Multiplies and folds each word: the high half of the 128-bit product comes back into the low one, so that every bit of
/// a key reaches every bit of the hash.
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
        // 2^64 divided by the golden ratio, as in multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4).
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

    /// What a map takes, by its places and their number, with the cells of its boards.
    pub(in crate::search) fn map_bytes<K, V>(map: &BoardMap<K, V>, beside: usize) -> usize {
        places(map) * (size_of::<(K, V)>() + 1) + map.len() * beside
    }

    /// One eighth of the places always stays empty.
    fn places<K, V>(map: &BoardMap<K, V>) -> usize {
        (map.capacity() * 8).div_ceil(7)
    }

    /// The most that a map took while so many entries came into it.
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
            // The size of the entry decides, not what is in it.
            type AsLarge = [u64; size_of::<(Afterstate, u64, u32)>() / size_of::<u64>()];
            let large = peak::<AsLarge, f64>(room, beside, |number| [number; size_of::<AsLarge>() / 8]);
            assert!(large <= bytes && 3 * large > bytes, "{large} of {bytes}");
        }
    }
}
