//! A layer of a table as bytes: which positions it holds, and their values.
//!
//! The numbers of a layer are divided into blocks of 4096, and each block into 64 words of 64
//! numbers. A layer begins with a directory:
//!
//! | bytes | for each block |
//! |---|---|
//! | 8 | which words have positions |
//! | 4 | where its data begins, in bytes after the directory |
//!
//! The data of a block:
//!
//! | bytes | content |
//! |---|---|
//! | 1 for each word with positions | which of its 8 bytes have positions |
//! | 1 for each such byte | which of its 8 numbers are positions |
//! | 2 or 4 for each position | its value |
//!
//! All integers are little-endian. A lookup reads one directory entry and a few hundred bytes.

use serde::{Deserialize, Serialize};

use super::Goal;
use super::positions::Positions;

/// How values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// A chance as a 16-bit integer: 65535 is certain, 1 is possible.
    Chance16,
    /// Points as a 32-bit floating-point number.
    Score32,
}

/// The layer has the wrong checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct DamagedLayer;

const WORDS: usize = 64;
const NUMBERS: u64 = 64 * WORDS as u64;
const ENTRY: usize = 12;
/// Chances above this are certain; the difference is due to rounding.
const CERTAIN: f64 = 1.0 - 1e-12;

impl ValueKind {
    /// The kind of values of a table for this goal.
    pub(super) const fn of(goal: Goal) -> ValueKind {
        match goal {
            Goal::Score => ValueKind::Score32,
            Goal::Tile { .. } => ValueKind::Chance16,
        }
    }

    const fn bytes(self) -> usize {
        match self {
            ValueKind::Chance16 => 2,
            ValueKind::Score32 => 4,
        }
    }

    /// The largest difference that rounding can make between two values up to this one.
    pub(super) fn rounding(self, value: f64) -> f64 {
        // Each is off by half a step. A quarter more allows for the rounding of the difference.
        1.25 * match self {
            ValueKind::Chance16 => 1.0 / 65535.0,
            ValueKind::Score32 => value * f64::from(f32::EPSILON),
        }
    }

    fn push(self, value: f64, out: &mut Vec<u8>) {
        match self {
            ValueKind::Chance16 => {
                let rounded = (value * 65535.0).round().clamp(1.0, 65534.0) as u16;
                out.extend((if value > CERTAIN { u16::MAX } else { rounded }).to_le_bytes());
            }
            ValueKind::Score32 => out.extend((value as f32).to_le_bytes()),
        }
    }

    fn read(self, bytes: &[u8]) -> Option<f64> {
        match self {
            ValueKind::Chance16 => {
                bytes.first_chunk().map(|&bytes| f64::from(u16::from_le_bytes(bytes)) / 65535.0)
            }
            ValueKind::Score32 => bytes.first_chunk().map(|&bytes| f32::from_le_bytes(bytes).into()),
        }
    }
}

/// Encodes a layer, without the values for which `keep` is false. Returns the bytes and the number
/// of positions in them.
pub(super) fn encode(
    positions: &Positions,
    values: &[f64],
    kind: ValueKind,
    keep: impl Fn(f64) -> bool,
) -> (Vec<u8>, u64) {
    let words: Vec<u64> = positions.bits().collect();
    let (mut directory, mut data) = (Vec::new(), Vec::new());
    let (mut stored, mut place) = (0, 0);
    let mut numbers = Vec::new();
    for block in words.chunks(WORDS) {
        let begin = data.len() as u32;
        let mut mask = 0u64;
        numbers.clear();
        let first = place;
        for (index, &word) in block.iter().enumerate() {
            let (mut kept, mut rest) = (0u64, word);
            while rest != 0 {
                if keep(values[place]) {
                    kept |= rest & rest.wrapping_neg();
                }
                place += 1;
                rest &= rest - 1;
            }
            if kept != 0 {
                mask |= 1 << index;
                let bytes = kept.to_le_bytes();
                data.push((0..8).map(|byte| u8::from(bytes[byte] != 0) << byte).sum());
                numbers.extend(bytes.into_iter().filter(|&byte| byte != 0));
            }
        }
        data.extend(&numbers);
        for &value in values[first..place].iter().filter(|&&value| keep(value)) {
            kind.push(value, &mut data);
            stored += 1;
        }
        directory.extend(mask.to_le_bytes());
        directory.extend(begin.to_le_bytes());
    }
    directory.extend(data);
    (directory, stored)
}

/// An encoded layer.
#[derive(Clone, Copy)]
pub(super) struct StoredLayer<'a> {
    directory: &'a [u8],
    data: &'a [u8],
    kind: ValueKind,
}

impl<'a> StoredLayer<'a> {
    /// Whether so many bytes have room for the directory of a layer of `count` possible positions.
    pub(super) fn fits(bytes: u64, count: u64) -> bool {
        bytes >= count.div_ceil(NUMBERS) * ENTRY as u64
    }

    /// A layer of `count` possible positions. See [`StoredLayer::fits`].
    pub(super) fn new(bytes: &'a [u8], kind: ValueKind, count: u64) -> StoredLayer<'a> {
        let (directory, data) = bytes.split_at(count.div_ceil(NUMBERS) as usize * ENTRY);
        StoredLayer { directory, data, kind }
    }

    /// The value of a number; `None` if it is not in the table.
    pub(super) fn value(&self, number: u32) -> Option<f64> {
        let (block, word) = (number as usize / 4096, number as usize / 64 % WORDS);
        let block = self.block(block)?;
        if block.mask >> word & 1 == 0 {
            return None;
        }
        let word = (block.mask & ((1 << word) - 1)).count_ones() as usize;
        let (byte, bit) = (number / 8 % 8, number % 8);
        let bytes = block.words[word];
        if bytes >> byte & 1 == 0 {
            return None;
        }
        let before: u32 = block.words[..word].iter().map(|bytes| bytes.count_ones()).sum();
        let index = (before + (bytes & ((1 << byte) - 1)).count_ones()) as usize;
        let numbers = block.numbers[index];
        if numbers >> bit & 1 == 0 {
            return None;
        }
        let place = count_ones(&block.numbers[..index]) + (numbers & ((1 << bit) - 1)).count_ones() as usize;
        self.kind.read(block.values.get(place * self.kind.bytes()..)?)
    }

    /// The number and the value of a position by its place among those of the table.
    pub(super) fn nth(&self, mut place: u64) -> Option<(u32, f64)> {
        for index in 0..self.directory.len() / ENTRY {
            let block = self.block(index)?;
            let count = count_ones(block.numbers) as u64;
            if place >= count {
                place -= count;
                continue;
            }
            let value = self.kind.read(block.values.get(place as usize * self.kind.bytes()..)?)?;
            let words = (0..WORDS as u32).filter(|word| block.mask >> word & 1 == 1);
            let bytes = words.zip(block.words).flat_map(|(word, &bytes)| {
                (0..8).filter(move |byte| bytes >> byte & 1 == 1).map(move |byte| 8 * word + byte)
            });
            let mut numbers = bytes.zip(block.numbers).flat_map(|(byte, &numbers)| {
                (0..8).filter(move |bit| numbers >> bit & 1 == 1).map(move |bit| 8 * byte + bit)
            });
            return numbers.nth(place as usize).map(|number| (4096 * index as u32 + number, value));
        }
        None
    }

    /// A block; `None` if it is not there or its data is cut.
    fn block(&self, index: usize) -> Option<Block<'a>> {
        let entry = self.directory.get(index * ENTRY..(index + 1) * ENTRY)?;
        let mask = u64::from_le_bytes(*entry.first_chunk()?);
        let begin = u32::from_le_bytes(*entry.last_chunk()?);
        let (words, rest) = self.data.get(begin as usize..)?.split_at_checked(mask.count_ones() as usize)?;
        let (numbers, values) = rest.split_at_checked(count_ones(words))?;
        Some(Block { mask, words, numbers, values })
    }
}

/// A block of 4096 numbers.
struct Block<'a> {
    /// Which words have positions.
    mask: u64,
    /// For each of them: which bytes have positions.
    words: &'a [u8],
    /// For each of those: which numbers are positions.
    numbers: &'a [u8],
    /// Their values, and what follows.
    values: &'a [u8],
}

fn count_ones(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let words: u32 = words.iter().map(|&word| u64::from_le_bytes(word).count_ones()).sum();
    (words + rest.iter().map(|byte| byte.count_ones()).sum::<u32>()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random positions, sparse and dense, are found again with their values.
    #[test]
    fn what_is_stored_is_found() {
        let mut state = 1u64;
        let mut draw = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for (count, one_in) in [(1, 1), (64, 1), (5000, 2), (20_000, 300), (8192, 8192), (4097, 3)] {
            let member: Vec<bool> = (0..count).map(|_| draw() % one_in == 0).collect();
            let word = |chunk: &[bool]| (0..chunk.len()).map(|bit| u64::from(chunk[bit]) << bit).sum();
            let positions = Positions::new(member.chunks(64).map(word));
            let values: Vec<f64> =
                (0..positions.len()).map(|_| draw() as f64 / (1u64 << 31) as f64).collect();
            for kind in [ValueKind::Chance16, ValueKind::Score32] {
                let (bytes, stored) = encode(&positions, &values, kind, |value| value > 0.25);
                assert!(StoredLayer::fits(bytes.len() as u64, count as u64));
                let layer = StoredLayer::new(&bytes, kind, count as u64);
                let mut place = 0;
                for number in 0..count {
                    let value = positions.find(number as u32).map(|place| values[place]);
                    let found = layer.value(number as u32);
                    match value.filter(|&value| value > 0.25) {
                        None => assert_eq!(found, None, "{number}"),
                        Some(value) => {
                            assert!((found.unwrap() - value).abs() < 1e-5);
                            assert_eq!(layer.nth(place), Some((number as u32, found.unwrap())));
                            place += 1;
                        }
                    }
                }
                assert_eq!((place, layer.nth(place)), (stored, None));
            }
        }
    }

    #[test]
    fn chances_keep_certain_and_possible_apart() {
        let read = |value| {
            let mut bytes = Vec::new();
            ValueKind::Chance16.push(value, &mut bytes);
            ValueKind::Chance16.read(&bytes).unwrap()
        };
        assert_eq!(read(1.0), 1.0);
        assert!(read(0.999_999_9) < 1.0 && read(1e-9) > 0.0);
        assert!((read(0.5) - 0.5).abs() < 1e-5);
    }
}
