//! An adaptive binary range coder, for the tables of network files.
//!
//! This is the range coder of LZMA (Igor Pavlov; after Martin 1979): a 32-bit range, bytes shifted
//! out at the top, carries resolved by the encoder. The probability of every binary decision adapts
//! to the data. It is the mean of a fast and a slow estimate.

use std::hint::select_unpredictable;

/// An adaptive estimate of the probability that a decision is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    fast: u16,
    slow: u16,
}

impl Chance {
    pub(super) const EVEN: Chance = Chance { fast: 1 << 15, slow: 1 << 15 };

    /// The probability of 0 in units of 2^-12, kept away from 0 and 1.
    #[inline(always)]
    fn of_zero(self) -> u32 {
        ((u32::from(self.fast) + u32::from(self.slow)) >> 5).clamp(8, 4096 - 8)
    }

    /// No branch, because decisions are hard to predict.
    #[inline(always)]
    fn learn(&mut self, bit: bool) {
        let up = select_unpredictable(bit, 0, u16::MAX);
        // For a 0 upwards, for a 1 downwards: (x ^ up) is the distance to the end.
        self.fast ^= up;
        self.fast -= self.fast >> 4;
        self.fast ^= up;
        self.slow ^= up;
        self.slow -= self.slow >> 7;
        self.slow ^= up;
    }
}

/// Either direction. The model of the tables is one walk for both: an encoder is given each
/// decision, a decoder returns it.
pub(super) trait Bits {
    /// Encodes `bit`, or decodes and returns it.
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool;
}

#[derive(Debug)]
pub(super) struct Encoder {
    out: Vec<u8>,
    low: u64,
    range: u32,
    /// The last byte that a carry may still change, and the number of 0xff bytes after it.
    held: u8,
    full: u64,
    started: bool,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder { out: Vec::new(), low: 0, range: u32::MAX, held: 0, full: 0, started: false }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            if self.started {
                self.out.push(self.held.wrapping_add(carry));
            }
            for _ in 0..self.full {
                self.out.push(0xffu8.wrapping_add(carry));
            }
            (self.full, self.started) = (0, true);
            self.held = (self.low >> 24) as u8;
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.out
    }
}

impl Bits for Encoder {
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool {
        let bound = (self.range >> 12) * chance.of_zero();
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
        } else {
            self.range = bound;
        }
        chance.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

/// Decodes the output of an [`Encoder`]. Reads zeros after the end. Damage is detected by
/// checksums, not here.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    input: &'a [u8],
    range: u32,
    code: u32,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(input: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { input, range: u32::MAX, code: 0 };
        (0..4).for_each(|_| decoder.code = decoder.code << 8 | decoder.byte());
        decoder
    }

    #[inline(always)]
    fn byte(&mut self) -> u32 {
        match self.input.split_first() {
            Some((&first, rest)) => {
                self.input = rest;
                u32::from(first)
            }
            None => 0,
        }
    }
}

impl Bits for Decoder<'_> {
    #[inline(always)]
    fn bit(&mut self, chance: &mut Chance, _: bool) -> bool {
        let bound = (self.range >> 12) * chance.of_zero();
        let bit = self.code >= bound;
        self.code -= select_unpredictable(bit, bound, 0);
        self.range = select_unpredictable(bit, self.range - bound, bound);
        chance.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.byte();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    #[test]
    fn what_goes_in_comes_out_and_skewed_bits_take_little_room() {
        for (ones, at_most) in [(2, 101_500), (8, 56_000), (1000, 1_700)] {
            let stream = Stream::with_purpose(ones, 9);
            let bits: Vec<bool> = (0..800_000).map(|place| stream.below(place, ones as usize) == 0).collect();
            let mut encoder = Encoder::new();
            let mut chance = Chance::EVEN;
            bits.iter().for_each(|&bit| {
                encoder.bit(&mut chance, bit);
            });
            let bytes = encoder.finish();
            assert!(bytes.len() < at_most, "{} bytes for one in {ones}", bytes.len());
            let mut decoder = Decoder::new(&bytes);
            let mut chance = Chance::EVEN;
            assert!(bits.iter().all(|&bit| decoder.bit(&mut chance, false) == bit));
        }
    }
}
