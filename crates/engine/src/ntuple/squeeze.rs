//! How the codes of one table are squeezed: a model of what they look like, for the range coder.
//!
//! Most weights of a table belong to combinations of tiles that no game ever showed; those that are known lie together,
//! and weights whose indices differ by one rank on one cell resemble each other. So empty planes (256 codes that share all
//! cells but the first two) and empty rows (16 codes that share all but the first) are skipped with one decision each,
//! and every other decision is coded with the neighbours of the weight as context: the weights with one cell's rank lower by one.

use super::coder::{Bits, Chance, Decoder, Encoder};

/// The codes of a row and of a plane.
const ROW: usize = 16;
const PLANE: usize = 256;
/// Level sizes are coded by their number of binary digits: 127 has seven.
const DIGITS: usize = 8;

/// A code as a level: 1, -1, 2, -2...
const fn level(code: u8) -> i32 {
    let size = (code as i32 + 1) / 2;
    if code % 2 == 1 { size } else { -size }
}

const fn code(level: i32) -> u8 {
    (if level > 0 { 2 * level - 1 } else { -2 * level }) as u8
}

struct Model {
    plane: Vec<Chance>,
    row: Vec<Chance>,
    known: Vec<Chance>,
    sign: Vec<Chance>,
    digits: Vec<Chance>,
    rest: Vec<Chance>,
}

/// What is known about the neighbours of the codes of a row, apart from the codes of the row itself.
struct Around {
    /// The part of the context for whether a code is known.
    known: [u8; ROW],
    /// The part of the context for its sign.
    sign: [u8; ROW],
    /// The sum of the sizes of the neighbours that are known, and how many those are.
    sum: [u16; ROW],
    count: [u8; ROW],
}

impl Around {
    /// Neighbours have the rank of one cell lower by one; where a rank is 0 already there is none.
    #[inline(always)]
    fn of(codes: &[u8], row: usize, cells: usize) -> Around {
        let mut around = Around { known: [0; ROW], sign: [12; ROW], sum: [0; ROW], count: [0; ROW] };
        for cell in 1..cells {
            if row >> (4 * cell) & 0xf == 0 {
                continue;
            }
            let start = row - (1 << (4 * cell));
            let near: &[u8; ROW] = codes[start..start + ROW].try_into().expect("a row has 16 codes");
            for (place, &code) in near.iter().enumerate() {
                let size = code.div_ceil(2);
                let some = u8::from(code != 0);
                around.sum[place] += u16::from(size);
                around.count[place] += some;
                if cell <= 2 {
                    let weight = if cell == 1 { 3 } else { 9 };
                    around.known[place] += weight * (some + u8::from(size > 3));
                    // 0 for below zero, 1 for nothing known, 2 for above.
                    around.sign[place] =
                        (around.sign[place] + weight * (code & 1)) - weight * (some & !code & 1);
                } else {
                    around.known[place] += 27 * some;
                }
            }
        }
        around
    }
}

/// Nothing known, small or large.
#[inline(always)]
fn coarse(level: i32) -> usize {
    usize::from(level != 0) + usize::from(level.abs() > 3)
}

/// The class of the usual size near by: twice the mean of the neighbours that are known.
#[inline(always)]
fn usual_class(sum: u32, count: usize) -> usize {
    /// 512 divided by the count.
    const SHARE: [u32; 8] = [0, 512, 256, 171, 128, 102, 85, 73];
    if count == 0 { 15 } else { size_class(((sum * SHARE[count & 7]) >> 8) as i32) }
}

#[inline(always)]
fn size_class(size: i32) -> usize {
    (32 - (size as u32).leading_zeros()) as usize
}

impl Model {
    fn new() -> Model {
        let chances = |count: usize| vec![Chance::EVEN; count];
        Model {
            plane: chances(8),
            row: chances(16 * 8),
            known: chances(16 * 3 * 3 * 3 * 5),
            sign: chances(27),
            digits: chances(16 * DIGITS),
            rest: chances(DIGITS * DIGITS * 2),
        }
    }

    /// Walks through a table of `16^cells` codes, telling or asking every decision.
    #[inline(always)]
    fn walk(&mut self, bits: &mut impl Bits, codes: &mut [u8], cells: usize) {
        let plane_len = PLANE.min(codes.len());
        for plane in (0..codes.len()).step_by(plane_len) {
            let is_used = |codes: &[u8], start: usize, len: usize| {
                codes[start..start + len].iter().any(|&code| code != 0)
            };
            // Which of the planes before, one step down on each cell, are used.
            let used = (2..cells).filter(|&cell| {
                plane >> (4 * cell) & 0xf != 0 && is_used(codes, plane - (1 << (4 * cell)), plane_len)
            });
            let context = used.count();
            if !bits.bit(&mut self.plane[context], is_used(codes, plane, plane_len)) {
                continue;
            }
            for row in (plane..plane + plane_len).step_by(ROW) {
                let used = (1..cells).filter(|&cell| {
                    row >> (4 * cell) & 0xf != 0 && is_used(codes, row - (1 << (4 * cell)), ROW)
                });
                let context = (row >> 4 & 0xf) * 8 + used.count();
                if bits.bit(&mut self.row[context], is_used(codes, row, ROW)) {
                    self.row(bits, codes, row, cells);
                }
            }
        }
    }

    #[inline(always)]
    fn row(&mut self, bits: &mut impl Bits, codes: &mut [u8], row: usize, cells: usize) {
        let around = Around::of(codes, row, cells);
        let mut before = 0;
        let own: &mut [u8; ROW] = (&mut codes[row..row + ROW]).try_into().expect("a row has 16 codes");
        for (place, own) in own.iter_mut().enumerate() {
            let known = place + 16 * (usize::from(around.known[place]) + coarse(before));
            let told = level(*own);
            if !bits.bit(&mut self.known[known], told != 0) {
                before = 0;
                continue;
            }
            let sign = usize::from(around.sign[place]) + (before.signum() + 1) as usize;
            let negative = bits.bit(&mut self.sign[sign], told < 0);
            let count = usize::from(around.count[place]) + usize::from(before != 0);
            let sum = u32::from(around.sum[place]) + before.unsigned_abs();
            let size = self.size(bits, usual_class(sum, count), told.abs());
            before = if negative { -size } else { size };
            *own = code(before);
        }
    }

    /// The size of a level: how many binary digits, then the digits after the first.
    #[inline(always)]
    fn size(&mut self, bits: &mut impl Bits, class: usize, size: i32) -> i32 {
        let wanted = size_class(size);
        let mut digits = 1;
        while digits < DIGITS - 1 && bits.bit(&mut self.digits[class * DIGITS + digits], digits < wanted) {
            digits += 1;
        }
        let mut result = 1;
        for digit in (0..digits - 1).rev() {
            let chance = &mut self.rest[(digits * DIGITS + digit) * 2 + (result & 1) as usize];
            result = result << 1 | i32::from(bits.bit(chance, size >> digit & 1 == 1));
        }
        result
    }
}

/// Squeezes the codes of a table.
pub(super) fn squeeze(mut codes: Vec<u8>, cells: usize) -> Vec<u8> {
    let mut encoder = Encoder::new();
    // The walk writes every code back as it is.
    Model::new().walk(&mut encoder, &mut codes, cells);
    encoder.finish()
}

/// Brings back what [`squeeze`] was given.
pub(super) fn unsqueeze(bytes: &[u8], cells: usize) -> Vec<u8> {
    let mut codes = vec![0; 16usize.pow(cells as u32)];
    Model::new().walk(&mut Decoder::new(bytes), &mut codes, cells);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    #[test]
    fn codes_and_levels_belong_together() {
        assert!((0..=254).all(|byte| code(level(byte)) == byte));
        assert_eq!([1, 2, 3, 253, 254].map(level), [1, -1, 2, 127, -127]);
    }

    #[test]
    fn tables_of_every_length_come_back() {
        for cells in 1..=5 {
            let len = 16usize.pow(cells as u32);
            let stream = Stream::with_purpose(cells as u64, 7);
            for fill in [0.0, 0.02, 0.5, 1.0] {
                let mut codes = vec![0; len];
                for (place, code) in codes.iter_mut().enumerate() {
                    // Some planes stay empty.
                    if place / PLANE % 3 != 1 && stream.unit(2 * place as u64) < fill {
                        *code = stream.below(2 * place as u64 + 1, 255) as u8;
                    }
                }
                let bytes = squeeze(codes.clone(), cells);
                assert!(unsqueeze(&bytes, cells) == codes, "{cells} cells, {fill} filled");
                assert!(fill > 0.0 || bytes.len() < 100, "an empty table takes {} bytes", bytes.len());
            }
        }
    }
}
