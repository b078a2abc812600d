//! How the weights of one table are squeezed: a model of what they look like, for the range coder.
//!
//! Most weights of a table belong to combinations of tiles that no game ever showed; those that are known lie together,
//! and weights whose indices differ by one rank on one cell resemble each other. So empty planes (256 weights that share all
//! cells but the first two) and empty rows (16 weights that share all but the first) are skipped with one decision each,
//! and every other decision is made with the neighbours of the weight as context: the weights with one cell's rank lower by one.
//!
//! Weights that are rarely used need not be exact: whoever made them round left their lowest bits 0. A row tells how many of
//! these all its weights have, and leaves them out.

use super::coder::{Bits, Chance, Decoder, Encoder};

/// The weights of a row and of a plane.
const ROW: usize = 16;
const PLANE: usize = 256;
/// Sizes are told by their number of binary digits: that of an `i16` has at most 15.
const DIGITS: usize = 16;

struct Model {
    plane: Vec<Chance>,
    row: Vec<Chance>,
    shift: Vec<Chance>,
    known: Vec<Chance>,
    sign: Vec<Chance>,
    digits: Vec<Chance>,
    rest: Vec<Chance>,
}

/// What is known about the neighbours of the weights of a row, apart from those of the row itself. Sizes are without the
/// bits that the row leaves out.
struct Around {
    /// The part of the context for whether a weight is known.
    known: [u8; ROW],
    /// The part of the context for its sign.
    sign: [u8; ROW],
    /// The sum of the sizes of the neighbours that are known, and how many those are.
    sum: [u32; ROW],
    count: [u8; ROW],
}

impl Around {
    /// Neighbours have the rank of one cell lower by one; where a rank is 0 already there is none.
    #[inline(always)]
    fn of(weights: &[i16], row: usize, cells: usize, shift: u32) -> Around {
        let mut around = Around { known: [0; ROW], sign: [12; ROW], sum: [0; ROW], count: [0; ROW] };
        for cell in 1..cells {
            if row >> (4 * cell) & 0xf == 0 {
                continue;
            }
            let start = row - (1 << (4 * cell));
            let near: &[i16; ROW] = weights[start..start + ROW].try_into().expect("a row has 16 weights");
            for (place, &weight) in near.iter().enumerate() {
                let size = weight.unsigned_abs() >> shift;
                let some = u8::from(weight != 0);
                around.sum[place] += u32::from(size);
                around.count[place] += some;
                if cell <= 2 {
                    let share = if cell == 1 { 3 } else { 9 };
                    around.known[place] += share * (some + u8::from(size > 3));
                    // 0 for below zero, 1 for nothing known, 2 for above.
                    let (above, below) = (u8::from(weight > 0), u8::from(weight < 0));
                    around.sign[place] = around.sign[place] + share * above - share * below;
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
fn coarse(weight: i32) -> usize {
    usize::from(weight != 0) + usize::from(weight.abs() > 3)
}

/// The class of the usual size near by: twice the mean of the neighbours that are known.
#[inline(always)]
fn usual_class(sum: u32, count: usize) -> usize {
    /// 512 divided by the count.
    const SHARE: [u32; 8] = [0, 512, 256, 171, 128, 102, 85, 73];
    if count == 0 { DIGITS + 1 } else { size_class((sum * SHARE[count & 7]) >> 8) }
}

/// The number of binary digits.
#[inline(always)]
fn size_class(size: u32) -> usize {
    (32 - size.leading_zeros()) as usize
}

/// The lowest bits that are 0 in all weights of a row that are known.
#[inline(always)]
fn shift_of(row: &[i16]) -> u32 {
    row.iter().filter(|&&weight| weight != 0).map(|weight| weight.trailing_zeros()).min().unwrap_or(0)
}

/// The shifts of the rows that are used, and the last one told.
struct Shifts {
    rows: Vec<u8>,
    last: u8,
}

impl Shifts {
    const UNUSED: u8 = u8::MAX;

    /// What the shift of a row will be like: the mean of those of its neighbours, or the last one.
    #[inline(always)]
    fn usual(&self, row: usize, cells: usize) -> usize {
        let (mut sum, mut count) = (0, 0);
        for cell in 1..cells {
            if row >> (4 * cell) & 0xf != 0 {
                let near = self.rows[(row - (1 << (4 * cell))) / ROW];
                if near != Self::UNUSED {
                    (sum, count) = (sum + usize::from(near), count + 1);
                }
            }
        }
        if count == 0 { usize::from(self.last) } else { (2 * sum + count) / (2 * count) }
    }
}

impl Model {
    fn new() -> Model {
        let chances = |count: usize| vec![Chance::EVEN; count];
        Model {
            plane: chances(8),
            row: chances(16 * 8),
            shift: chances(16 * 16),
            known: chances(16 * 3 * 3 * 3 * 5),
            sign: chances(27),
            digits: chances((DIGITS + 2) * DIGITS),
            rest: chances(DIGITS * DIGITS * 2),
        }
    }

    /// Walks through a table of `16^cells` weights, telling or asking every decision.
    #[inline(always)]
    fn walk(&mut self, bits: &mut impl Bits, weights: &mut [i16], cells: usize) {
        let mut shifts = Shifts { rows: vec![Shifts::UNUSED; weights.len() / ROW], last: 0 };
        let plane_len = PLANE.min(weights.len());
        for plane in (0..weights.len()).step_by(plane_len) {
            let is_used = |weights: &[i16], start: usize, len: usize| {
                weights[start..start + len].iter().any(|&weight| weight != 0)
            };
            // Which of the planes before, one step down on each cell, are used.
            let used = (2..cells).filter(|&cell| {
                plane >> (4 * cell) & 0xf != 0 && is_used(weights, plane - (1 << (4 * cell)), plane_len)
            });
            let context = used.count();
            if !bits.bit(&mut self.plane[context], is_used(weights, plane, plane_len)) {
                continue;
            }
            for row in (plane..plane + plane_len).step_by(ROW) {
                let used = (1..cells).filter(|&cell| {
                    row >> (4 * cell) & 0xf != 0 && is_used(weights, row - (1 << (4 * cell)), ROW)
                });
                let context = (row >> 4 & 0xf) * 8 + used.count();
                if bits.bit(&mut self.row[context], is_used(weights, row, ROW)) {
                    let shift =
                        self.shift(bits, shifts.usual(row, cells), shift_of(&weights[row..row + ROW]));
                    (shifts.rows[row / ROW], shifts.last) = (shift as u8, shift as u8);
                    self.row(bits, weights, row, cells, shift);
                }
            }
        }
    }

    /// The shift of a row, by its four binary digits from the top.
    #[inline(always)]
    fn shift(&mut self, bits: &mut impl Bits, usual: usize, told: u32) -> u32 {
        let mut node = 1;
        for digit in (0..4).rev() {
            let bit = bits.bit(&mut self.shift[16 * usual + node], told >> digit & 1 == 1);
            node = node << 1 | usize::from(bit);
        }
        node as u32 & 0xf
    }

    #[inline(always)]
    fn row(&mut self, bits: &mut impl Bits, weights: &mut [i16], row: usize, cells: usize, shift: u32) {
        let around = Around::of(weights, row, cells, shift);
        let mut before = 0;
        let own: &mut [i16; ROW] = (&mut weights[row..row + ROW]).try_into().expect("a row has 16 weights");
        for (place, own) in own.iter_mut().enumerate() {
            let known = place + 16 * (usize::from(around.known[place]) + coarse(before));
            let told = i32::from(*own) >> shift;
            if !bits.bit(&mut self.known[known], told != 0) {
                before = 0;
                continue;
            }
            let sign = usize::from(around.sign[place]) + (before.signum() + 1) as usize;
            let negative = bits.bit(&mut self.sign[sign], told < 0);
            let count = usize::from(around.count[place]) + usize::from(before != 0);
            let sum = around.sum[place] + before.unsigned_abs();
            let size = self.size(bits, usual_class(sum, count), told.unsigned_abs()) as i32;
            before = if negative { -size } else { size };
            *own = (before << shift) as i16;
        }
    }

    /// A size: how many binary digits, then the digits after the first.
    #[inline(always)]
    fn size(&mut self, bits: &mut impl Bits, class: usize, size: u32) -> u32 {
        let wanted = size_class(size);
        let mut digits = 1;
        while digits < DIGITS - 1 && bits.bit(&mut self.digits[class * DIGITS + digits], digits < wanted) {
            digits += 1;
        }
        let mut result = 1;
        for digit in (0..digits - 1).rev() {
            let chance = &mut self.rest[(digits * DIGITS + digit) * 2 + (result & 1) as usize];
            result = result << 1 | u32::from(bits.bit(chance, size >> digit & 1 == 1));
        }
        result
    }
}

/// Squeezes the weights of a table, all above -32768.
pub(super) fn squeeze(mut weights: Vec<i16>, cells: usize) -> Vec<u8> {
    let mut encoder = Encoder::new();
    // The walk writes every weight back as it is.
    Model::new().walk(&mut encoder, &mut weights, cells);
    encoder.finish()
}

/// Brings back what [`squeeze`] was given.
pub(super) fn unsqueeze(bytes: &[u8], cells: usize) -> Vec<i16> {
    let mut weights = vec![0; 16usize.pow(cells as u32)];
    Model::new().walk(&mut Decoder::new(bytes), &mut weights, cells);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    #[test]
    fn tables_of_every_length_come_back() {
        for cells in 1..=5 {
            let len = 16usize.pow(cells as u32);
            let stream = Stream::with_purpose(cells as u64, 7);
            for fill in [0.0, 0.02, 0.5, 1.0] {
                let mut weights = vec![0; len];
                for (place, weight) in weights.iter_mut().enumerate() {
                    // Some planes stay empty; rows have sizes and bits that are left out of their own.
                    if place / PLANE % 3 != 1 && stream.unit(2 * place as u64) < fill {
                        let row = (place / ROW) as u64;
                        let drawn = stream.draw(2 * place as u64 + 1) as i16 >> (row % 16);
                        *weight = (drawn.max(-i16::MAX) >> (row % 5)) << (row % 5);
                    }
                }
                let bytes = squeeze(weights.clone(), cells);
                assert!(unsqueeze(&bytes, cells) == weights, "{cells} cells, {fill} filled");
                assert!(fill > 0.0 || bytes.len() < 100, "an empty table takes {} bytes", bytes.len());
            }
        }
    }

    #[test]
    fn bits_that_are_left_out_take_little_room() {
        let stream = Stream::with_purpose(1, 8);
        let weights = |shift: u32| -> Vec<i16> {
            (0..1 << 16).map(|place| (stream.draw(place) as i16 >> 8) << shift).collect()
        };
        let [plain, shifted] = [0, 6].map(|shift| squeeze(weights(shift), 4).len());
        assert!(shifted < plain + plain / 50, "{shifted} and {plain} bytes");
    }
}
