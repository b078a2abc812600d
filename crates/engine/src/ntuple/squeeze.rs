//! Compression of the weights of one table.
//!
//! Most weights of a table belong to combinations of tiles that no game has shown. Known weights
//! lie together, and weights whose numbers differ by one rank on one cell are similar. The adaptive
//! [coder](super::coder) writes the outline of a table:
//!
//! - One decision each for empty planes (256 weights that differ only in the first two cells) and
//!   empty rows (16 weights that differ only in the first cell). Empty ones are left out.
//! - The shift of each row that is used. Rarely used weights are rounded, so their lowest bits are
//!   0. The shift is the number of low bits that are 0 in all weights of the row. These bits are
//!   left out.
//!
//! The weights of the used rows follow. The sign and the number of binary digits of a weight are
//! one [symbol](super::symbols). Its context comes from its neighbours: the weights with the rank
//! of one cell lower by one. The digits after the first are written as plain bits.

use super::coder::{Bits, Chance, Decoder, Encoder};
use super::symbols::{SYMBOLS, Unpacker, pack};
use super::{Instructions, Machine, WithMachine};

/// The number of weights in a row and in a plane.
const ROW: usize = 16;
const PLANE: usize = 256;

/// Which planes and rows are used, and the shifts of the rows.
struct Outline {
    planes: Vec<bool>,
    /// The shift of a row, or [`Outline::UNUSED`].
    rows: Vec<u8>,
    cells: usize,
    /// The shift of the last used row.
    last: u8,
}

impl Outline {
    const UNUSED: u8 = u8::MAX;

    fn empty(cells: usize) -> Outline {
        let weights = 16usize.pow(cells as u32);
        let rows = vec![Outline::UNUSED; weights / ROW];
        Outline { planes: vec![false; weights.div_ceil(PLANE)], rows, cells, last: 0 }
    }

    /// Walks through all planes and rows, encoding or decoding which are used. In encoding, `told`
    /// returns the shift of a row if it is used.
    fn walk(&mut self, bits: &mut impl Bits, told: impl Fn(usize) -> Option<u32>) {
        let mut plane_chances = [Chance::EVEN; 8];
        let mut row_chances = [Chance::EVEN; 16 * 8];
        let mut shift_chances = [Chance::EVEN; 16 * 16];
        let rows_of_plane = (PLANE / ROW).min(self.rows.len());
        for plane in 0..self.planes.len() {
            let rows = plane * rows_of_plane..(plane + 1) * rows_of_plane;
            let used = rows.clone().any(|row| told(row).is_some());
            if !bits.bit(&mut plane_chances[self.planes_near(plane)], used) {
                continue;
            }
            self.planes[plane] = true;
            for row in rows {
                let (near, usual) = self.rows_near(row);
                if bits.bit(&mut row_chances[row % 16 * 8 + near], told(row).is_some()) {
                    let chances = &mut shift_chances[16 * usual..16 * (usual + 1)];
                    self.last = number(bits, chances, told(row).unwrap_or(0));
                    self.rows[row] = self.last;
                }
            }
        }
    }

    /// How many of the neighbouring planes are used, those with one cell's rank lower by one. For a
    /// cell with rank 0 this looks at the plane itself, which still counts as unused.
    #[inline(always)]
    fn planes_near(&self, plane: usize) -> usize {
        (0..self.cells.saturating_sub(2)).filter(|&digit| self.planes[step_down(plane, digit)]).count()
    }

    /// How many of the neighbouring rows are used, and a prediction of the row's shift: the mean of
    /// theirs, or the last shift if none is used.
    #[inline(always)]
    fn rows_near(&self, row: usize) -> (usize, usize) {
        let (mut sum, mut count) = (0, 0);
        for digit in 0..self.cells - 1 {
            let near = self.rows[step_down(row, digit)];
            let used = near != Self::UNUSED;
            (sum, count) = (sum + if used { usize::from(near) } else { 0 }, count + usize::from(used));
        }
        (count, if count == 0 { usize::from(self.last) } else { (2 * sum + count) / (2 * count) })
    }

    /// The used rows with their shifts.
    fn used_rows(&self) -> impl Iterator<Item = (usize, u32)> {
        let rows = self.rows.iter().enumerate().filter(|&(_, &shift)| shift != Self::UNUSED);
        rows.map(|(row, &shift)| (row, u32::from(shift)))
    }
}

/// A number with one of its hex digits lower by one. Unchanged if that digit is 0.
#[inline(always)]
fn step_down(number: usize, digit: usize) -> usize {
    number - (usize::from(number >> (4 * digit) & 0xf != 0) << (4 * digit))
}

/// Codes a number below 16 by its four binary digits, the highest first.
#[inline(always)]
fn number(bits: &mut impl Bits, chances: &mut [Chance], told: u32) -> u8 {
    let mut node = 1;
    for digit in (0..4).rev() {
        node = node << 1 | usize::from(bits.bit(&mut chances[node], told >> digit & 1 == 1));
    }
    node as u8 & 0xf
}

/// Classes of the sum of the neighbours' absolute values, by its number of binary digits.
const SUMS: usize = 17;
/// Classes of the first cell's rank: 0, 1 to 3, 4 to 7, 8 and above.
const PLACES: usize = 4;
/// Classes of the neighbours' signs: more below 0, balanced, more above 0.
const LEANS: usize = 3;
/// Classes of the number of known neighbours: 0, 1, 2, 3, 4 or more.
const COUNTS: usize = 5;
const CONTEXTS: usize = SUMS * PLACES * LEANS * COUNTS;

/// The contexts of the weights of a row, from earlier rows. Vector instructions process all of them
/// at once.
#[inline(always)]
fn contexts(weights: &[i16], row: usize, cells: usize, shift: u32) -> [u16; ROW] {
    const PLACE: [u16; ROW] = [0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3];
    let (mut sums, mut leans, mut counts) = ([0u16; ROW], [0i16; ROW], [0u16; ROW]);
    for digit in (0..cells - 1).filter(|&digit| row >> (4 * digit) & 0xf != 0) {
        let start = ROW * (row - (1 << (4 * digit)));
        let near: &[i16; ROW] = weights[start..start + ROW].try_into().expect("a row has 16 weights");
        for place in 0..ROW {
            let weight = near[place];
            sums[place] = sums[place].saturating_add(weight.unsigned_abs() >> shift);
            leans[place] += i16::from(weight > 0) - i16::from(weight < 0);
            counts[place] += u16::from(weight != 0);
        }
    }
    let mut contexts = [0; ROW];
    for place in 0..ROW {
        // The exponent of a floating-point number gives the number of binary digits: 127 for 1.
        let digits = ((f32::from(sums[place]).to_bits() >> 23) as u16).saturating_sub(126);
        let lean = u16::from(leans[place] >= 0) + u16::from(leans[place] > 0);
        let known = counts[place].min(COUNTS as u16 - 1);
        contexts[place] =
            ((digits * LEANS as u16 + lean) * COUNTS as u16 + known) * PLACES as u16 + PLACE[place];
    }
    contexts
}

/// The sign and the number of binary digits as one symbol: 0 for 0, odd for positive, even for
/// negative.
const fn symbol(level: i32) -> u8 {
    let digits = 32 - level.unsigned_abs().leading_zeros();
    if level > 0 { (2 * digits - 1) as u8 } else { (2 * digits) as u8 }
}

/// Writes plain bits, the lowest first.
#[derive(Default)]
struct DigitWriter {
    bytes: Vec<u8>,
    bits: u64,
    count: u32,
}

impl DigitWriter {
    fn put(&mut self, number: u32, count: u32) {
        self.bits |= u64::from(number) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.count -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.push(self.bits as u8);
        self.bytes
    }
}

/// Reads the output of a [`DigitWriter`]. Zeros follow the end.
struct DigitReader {
    bytes: Vec<u8>,
    /// The number of bits read.
    taken: usize,
}

impl DigitReader {
    /// The maximal number of digits. Four numbers of this length fit into eight bytes at any bit
    /// offset.
    const MOST: u32 = 14;

    fn new(digits: &[u8]) -> DigitReader {
        let mut bytes = digits.to_vec();
        bytes.extend([0; 8]);
        DigitReader { bytes, taken: 0 }
    }

    /// The next four numbers with these numbers of digits, each at most [`DigitReader::MOST`].
    #[inline(always)]
    fn take(&mut self, counts: [u32; 4]) -> [u32; 4] {
        let bytes = self.bytes.get(self.taken / 8..).and_then(|bytes| bytes.first_chunk());
        let mut bits = bytes.map_or(0, |&bytes| u64::from_le_bytes(bytes)) >> (self.taken % 8);
        counts.map(|count| {
            let number = bits & ((1 << count) - 1);
            bits >>= count;
            self.taken += count as usize;
            number as u32
        })
    }
}

/// A decoded table.
#[derive(Debug, Default)]
pub(super) struct Unsqueezed {
    /// All weights, in file order.
    pub(super) weights: Vec<i16>,
    /// Whether each row is used. All weights of an unused row are 0. Unless the table is damaged, a
    /// used row has a weight that is not 0.
    pub(super) rows: Vec<bool>,
}

impl Unsqueezed {
    /// A table with these weights.
    pub(super) fn of(weights: Vec<i16>) -> Unsqueezed {
        let rows = weights.as_chunks::<ROW>().0.iter().map(|row| *row != [0; ROW]).collect();
        Unsqueezed { weights, rows }
    }

    /// Sets all weights to 0. Only memory of used rows is touched.
    fn clear(&mut self, cells: usize) {
        let len = 16usize.pow(cells as u32);
        if self.weights.len() == len {
            let (rows, _) = self.weights.as_chunks_mut::<ROW>();
            rows.iter_mut().zip(&self.rows).filter(|(_, used)| **used).for_each(|(row, _)| *row = [0; ROW]);
        } else {
            // The old memory goes before the new one comes.
            self.weights = Vec::new();
            self.weights = vec![0; len];
        }
    }
}

/// Compresses the weights of a table. All must be above -32768.
pub(super) fn squeeze(weights: &[i16], cells: usize) -> Vec<u8> {
    let shift = |row: usize| {
        let known = weights[ROW * row..ROW * (row + 1)].iter().filter(|&&weight| weight != 0);
        known.map(|weight| weight.trailing_zeros()).min()
    };
    let mut encoder = Encoder::new();
    let mut outline = Outline::empty(cells);
    outline.walk(&mut encoder, shift);
    let mut symbols = Vec::new();
    let mut digits = DigitWriter::default();
    for (row, shift) in outline.used_rows() {
        let own = &weights[ROW * row..ROW * (row + 1)];
        for (&weight, context) in own.iter().zip(contexts(weights, row, cells, shift)) {
            let level = i32::from(weight) >> shift;
            symbols.push((context, symbol(level)));
            if level != 0 {
                let count = level.unsigned_abs().ilog2();
                digits.put(level.unsigned_abs() & ((1 << count) - 1), count);
            }
        }
    }
    let mut bytes = Vec::new();
    for part in [encoder.finish(), pack(CONTEXTS, &symbols), digits.finish()] {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

/// Decodes the output of [`squeeze`] into `table`, whose memory is reused. Damaged bytes give wrong
/// weights, but nothing worse.
pub(super) fn unsqueeze(bytes: &[u8], cells: usize, table: &mut Unsqueezed) {
    Instructions::detect().dispatch(Unsqueeze { bytes, cells, table });
}

/// Decodes a table. Twice as fast with vector instructions.
struct Unsqueeze<'a> {
    bytes: &'a [u8],
    cells: usize,
    table: &'a mut Unsqueezed,
}

impl WithMachine for Unsqueeze<'_> {
    type Output = ();

    #[inline(always)]
    fn with_machine(self, _: impl Machine) {
        unsqueeze_here(self.bytes, self.cells, self.table);
    }
}

#[inline(always)]
fn unsqueeze_here(bytes: &[u8], cells: usize, table: &mut Unsqueezed) {
    let mut rest = bytes;
    let [outline_part, symbols_part, digits_part] = std::array::from_fn(|_| {
        let (len, others) = rest.split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
        let (part, others) = others.split_at((u32::from_le_bytes(*len) as usize).min(others.len()));
        rest = others;
        part
    });
    table.clear(cells);
    let Unsqueezed { weights, rows } = table;
    let mut outline = Outline::empty(cells);
    outline.walk(&mut Decoder::new(outline_part), |_| None);
    rows.clear();
    rows.extend(outline.rows.iter().map(|&shift| shift != Outline::UNUSED));
    let mut unpacker = Unpacker::new(CONTEXTS, symbols_part);
    let mut digits = DigitReader::new(digits_part);
    for (row, shift) in outline.used_rows() {
        let symbols = unpacker.symbols(&contexts(weights, row, cells, shift));
        let own = &mut weights[ROW * row..ROW * (row + 1)];
        let (fours, _) = own.as_chunks_mut::<4>();
        let (symbols, _) = symbols.as_chunks::<4>();
        for (weights, symbols) in fours.iter_mut().zip(symbols) {
            // No branch, because it is hard to predict which weights are 0. Only a damaged table
            // has weights that are too large.
            let counts = symbols.map(|symbol| (u32::from(symbol.max(1) - 1) / 2).min(DigitReader::MOST));
            let digits = digits.take(counts);
            for place in 0..4 {
                let size = ((1 << counts[place] | digits[place]) << shift).min(i16::MAX as u32) as i16;
                let size = if symbols[place] == 0 { 0 } else { size };
                weights[place] = if symbols[place] % 2 == 1 { size } else { -size };
            }
        }
    }
}

const _: () = assert!(symbol(i16::MAX as i32) < SYMBOLS as u8 && symbol(-(i16::MAX as i32)) < SYMBOLS as u8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    fn back(bytes: &[u8], cells: usize) -> Vec<i16> {
        // The old content is overwritten.
        let mut table = Unsqueezed { weights: vec![7], rows: vec![true; 8] };
        unsqueeze(bytes, cells, &mut table);
        let (rows, _) = table.weights.as_chunks::<ROW>();
        assert_eq!(rows.len(), table.rows.len());
        assert!(rows.iter().zip(&table.rows).all(|(row, &used)| used || *row == [0; ROW]));
        table.weights
    }

    /// Whether the used rows of an undamaged table are exactly those with weights.
    fn tells_its_rows(bytes: &[u8], cells: usize) -> bool {
        let mut table = Unsqueezed::default();
        unsqueeze(bytes, cells, &mut table);
        let (rows, _) = table.weights.as_chunks::<ROW>();
        rows.iter().map(|row| *row != [0; ROW]).eq(table.rows)
    }

    #[test]
    fn tables_of_every_length_come_back() {
        for cells in 1..=5 {
            let len = 16usize.pow(cells as u32);
            let stream = Stream::with_purpose(cells as u64, 7);
            for fill in [0.0, 0.02, 0.5, 1.0] {
                let mut weights = vec![0; len];
                for (place, weight) in weights.iter_mut().enumerate() {
                    // Some planes stay empty. Each row has its own magnitude and its own shift.
                    if place / PLANE % 3 != 1 && stream.unit(2 * place as u64) < fill {
                        let row = (place / ROW) as u64;
                        let drawn = stream.draw(2 * place as u64 + 1) as i16 >> (row % 16);
                        let step = 1 << (row % 5);
                        *weight = drawn.max(-i16::MAX) / step * step;
                    }
                }
                let bytes = squeeze(&weights, cells);
                assert!(back(&bytes, cells) == weights, "{cells} cells, {fill} filled");
                assert!(tells_its_rows(&bytes, cells), "{cells} cells, {fill} filled");
                let mut plainly = Unsqueezed::default();
                unsqueeze_here(&bytes, cells, &mut plainly);
                assert!(plainly.weights == weights, "without vector instructions");
            }
        }
    }

    #[test]
    fn bits_that_are_left_out_take_little_room() {
        let stream = Stream::with_purpose(1, 8);
        let weights = |shift: u32| -> Vec<i16> {
            (0..1 << 16).map(|place| (stream.draw(place) as i16 >> 8) << shift).collect()
        };
        let [plain, shifted] = [0, 6].map(|shift| squeeze(&weights(shift), 4).len());
        assert!(shifted < plain + plain / 50, "{shifted} and {plain} bytes");
    }

    #[test]
    fn damaged_bytes_do_no_harm() {
        let stream = Stream::with_purpose(2, 8);
        let weights: Vec<i16> = (0..1 << 12).map(|place| stream.draw(place) as i16 >> 9).collect();
        let whole = squeeze(&weights, 3);
        for number in 0..300 {
            let mut bytes = whole.clone();
            let place = stream.below(3 * number, bytes.len());
            bytes[place] ^= 1 + stream.below(3 * number + 1, 255) as u8;
            bytes.truncate(stream.below(3 * number + 2, 2 * bytes.len()));
            assert_eq!(back(&bytes, 3).len(), weights.len());
        }
    }
}
