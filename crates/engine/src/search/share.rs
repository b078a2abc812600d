//! A quick hash for boards as keys, where nobody outside can choose the keys to make them collide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are boards.
pub(super) type BoardMap<K, V> = HashMap<K, V, BuildHasherDefault<BoardHasher>>;

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
