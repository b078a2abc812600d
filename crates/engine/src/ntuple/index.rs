//! From an afterstate to the indices of its weights.
//!
//! The bits of a board are first split into four *planes*: the lowest bits of all sixteen ranks,
//! the second bits, and so on. The eight images under the symmetries are made from the planes. The
//! index of a pattern in an image consists of the bits of the pattern's cells: first all the lowest
//! bits, last all the highest.
//!
//! A new tile or a growing small tile changes only low bits. So the weights of consecutive boards
//! lie close to each other in memory. With ranks as digits, a move needs weights from more than
//! twice as many pages.

use super::{Pattern, Patterns};
use crate::board::Size;
#[cfg(test)]
use crate::board::Symmetry;

/// The maximal number of images of a board.
pub(crate) const IMAGES: usize = 8;

/// The bits of one cell in all planes.
const CELL: u64 = 0x0001_0001_0001_0001;
const PLANE: u32 = 16;

/// Swaps the bits of `mask` with those `shift` positions higher.
#[inline(always)]
const fn exchanged(x: u64, shift: u32, mask: u64) -> u64 {
    let differs = (x ^ (x >> shift)) & mask;
    x ^ differs ^ (differs << shift)
}

/// Transposes the 4x4 bits of every plane.
#[inline(always)]
const fn transposed(x: u64) -> u64 {
    exchanged(exchanged(x, 3, 0x0a0a_0a0a_0a0a_0a0a), 6, 0x00cc_00cc_00cc_00cc)
}

/// The planes of packed cells: bit `b` of cell `c` at bit `16 * b + c`.
#[inline(always)]
const fn planes(cells: u64) -> u64 {
    // The swaps of a transposition, applied to bits and then to nibbles.
    exchanged(exchanged(transposed(cells), 12, 0x0000_f0f0_0000_f0f0), 24, 0x0000_0000_ff00_ff00)
}

#[inline(always)]
const fn flipped_cols<const C: usize>(x: u64) -> u64 {
    let x = (x & 0x3333_3333_3333_3333) << 2 | (x >> 2) & 0x3333_3333_3333_3333;
    let x = (x & 0x5555_5555_5555_5555) << 1 | (x >> 1) & 0x5555_5555_5555_5555;
    x >> (4 - C)
}

#[inline(always)]
const fn flipped_rows<const R: usize>(x: u64) -> u64 {
    let x = (x & 0x00ff_00ff_00ff_00ff) << 8 | (x >> 8) & 0x00ff_00ff_00ff_00ff;
    let x = (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (x >> 4) & 0x0f0f_0f0f_0f0f_0f0f;
    x >> (4 * (4 - R))
}

/// The planes of all images of packed cells, in the order of [`Symmetry::ALL`]. The four images of
/// a rectangle are returned twice.
#[inline(always)]
pub(crate) fn images<const R: usize, const C: usize>(cells: u64) -> [u64; IMAGES] {
    let [images] = images_of_all::<R, C, 1>([cells]);
    images
}

/// The images of several boards at once. With vector instructions this is as fast as for one board.
#[inline(always)]
pub(crate) fn images_of_all<const R: usize, const C: usize, const N: usize>(
    cells: [u64; N],
) -> [[u64; IMAGES]; N] {
    let mut all = [[0; IMAGES]; N];
    for (images, cells) in all.iter_mut().zip(cells) {
        let a = planes(cells);
        let b = flipped_cols::<C>(a);
        let (c, d) = (flipped_rows::<R>(a), flipped_rows::<R>(b));
        *images = if R == C {
            let e = transposed(a);
            let f = flipped_cols::<C>(e);
            [a, b, c, d, e, f, flipped_rows::<R>(e), flipped_rows::<R>(f)]
        } else {
            [a, b, c, d, a, b, c, d]
        };
    }
    all
}

/// The number of different images of a board of this size.
#[inline(always)]
pub(crate) const fn lanes<const R: usize, const C: usize>() -> usize {
    if R == C { IMAGES } else { IMAGES / 2 }
}

/// The sum over the images. The order is always the same, so that every code path returns the same
/// value.
#[inline(always)]
pub(crate) fn add_up(sums: &[f32; IMAGES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = *sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Consecutive cells of a pattern that have the same shift to the index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) mask: u64,
    pub(super) shift: u32,
}

/// How to gather the cells of one pattern from the planes of a board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gather {
    mask: u64,
    runs: [Run; Pattern::MAX_CELLS],
    run_count: usize,
    cells: u32,
}

impl Gather {
    /// A gather for cells, which must be in ascending order.
    pub(crate) fn new(size: Size, cells: &[u8]) -> Gather {
        let runs = [Run::default(); Pattern::MAX_CELLS];
        let mut gather = Gather { mask: 0, runs, run_count: 0, cells: cells.len() as u32 };
        for (digit, &cell) in cells.iter().enumerate() {
            let place = 4 * (cell as usize / size.cols()) + cell as usize % size.cols();
            let shift = (place - digit) as u32;
            if gather.run_count == 0 || gather.runs[gather.run_count - 1].shift != shift {
                gather.runs[gather.run_count] = Run { mask: 0, shift };
                gather.run_count += 1;
            }
            gather.runs[gather.run_count - 1].mask |= CELL << place;
            gather.mask |= CELL << place;
        }
        gather
    }

    /// The bits of the cells in all planes.
    #[inline(always)]
    pub(super) const fn mask(&self) -> u64 {
        self.mask
    }

    /// The runs of cells with equal shifts.
    #[inline(always)]
    pub(super) fn runs(&self) -> &[Run] {
        &self.runs[..self.run_count]
    }

    /// Removes the gaps between planes of which only the lowest `cells` bits are used.
    #[inline(always)]
    pub(super) const fn close_up(&self, planes: u64) -> u64 {
        let plane = (1u64 << self.cells) - 1;
        let gap = PLANE - self.cells;
        let two = planes & plane | planes >> gap & plane << self.cells;
        let four = two | planes >> (2 * gap) & plane << (2 * self.cells);
        four | planes >> (3 * gap) & plane << (3 * self.cells)
    }

    /// The index of a weight from its number in a file. The hex digits of the number are the ranks
    /// of the cells, the lowest digit belonging to the first cell.
    #[inline(always)]
    pub(crate) const fn index_of(&self, digits: usize) -> usize {
        self.close_up(planes(digits as u64)) as usize
    }

    /// [`Gather::index_of`] of all numbers of a table in ascending order, starting with `digits`.
    pub(crate) fn indices_from(&self, digits: usize) -> impl Iterator<Item = usize> + use<> {
        /// The part of the two lowest digits comes from a lookup table.
        const LOW: usize = 256;
        let gather = *self;
        let low: [usize; LOW] = std::array::from_fn(|digits| gather.index_of(digits));
        let len = 16usize.pow(self.cells);
        let high = move |digits: usize| {
            let high = gather.index_of(digits * LOW);
            low.into_iter().map(move |low| high | low)
        };
        (digits / LOW..len.div_ceil(LOW)).flat_map(high).skip(digits % LOW).take(len - digits)
    }
}

/// The slow twin: the number, in a file, of the weight that a pattern finds in the image of a board
/// under a symmetry. Computed digit by digit from the ranks.
#[cfg(test)]
pub(super) fn index_slowly(
    size: Size,
    pattern: &Pattern,
    symmetry: Symmetry,
    rank: impl Fn(usize, usize) -> u8,
) -> usize {
    let mut image = [0; 16];
    for row in 0..size.rows() {
        for col in 0..size.cols() {
            let (to_row, to_col) = symmetry.position(size, row, col);
            image[size.cols() * to_row + to_col] = rank(row, col);
        }
    }
    pattern.cells().iter().rev().fold(0, |index, &cell| 16 * index + image[cell as usize] as usize)
}

/// One pattern of a network, with the start of its table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) gather: Gather,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

/// The gathers of all patterns of a network.
#[derive(Clone, Debug)]
pub(crate) struct Gathers {
    /// One for each pattern.
    pub(crate) tables: Vec<Table>,
    /// The number of weights in one stage.
    pub(crate) weights: usize,
}

impl Gathers {
    pub(crate) fn new(patterns: &Patterns) -> Gathers {
        let mut weights = 0;
        let mut tables = Vec::new();
        for pattern in patterns.list() {
            let gather = Gather::new(patterns.size(), pattern.cells());
            tables.push(Table { gather, start: weights, len: pattern.table_len() });
            weights += pattern.table_len();
        }
        Gathers { tables, weights }
    }

    /// The places of the weights of all stages in file order, starting with this weight. The
    /// iterator is infinite.
    pub(crate) fn places_from(&self, number: usize) -> impl Iterator<Item = usize> {
        let first_stage = number / self.weights;
        let mut skip = number % self.weights;
        let tables = (first_stage..).flat_map(|stage| self.tables.iter().map(move |table| (stage, table)));
        tables.flat_map(move |(stage, table)| {
            let skipped = skip.min(table.len);
            skip -= skipped;
            let start = stage * self.weights + table.start;
            table.gather.indices_from(skipped).map(move |index| start + index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PackedAfter;
    use crate::game::Stream;
    use crate::ntuple::{Instructions, Machine, Portable, WithMachine};

    /// The indices and bits that the best available instructions compute.
    struct Probe {
        gather: Gather,
        images: [u64; IMAGES],
        mask: u64,
        bit: u32,
    }

    impl WithMachine for Probe {
        type Output = ([u64; IMAGES], u64);

        fn with_machine(self, machine: impl Machine) -> Self::Output {
            (machine.indices(&self.gather, &self.images), machine.nth_bit(self.mask, self.bit))
        }
    }

    fn compare<const R: usize, const C: usize>(patterns: &str) {
        let size = Size::new(R, C).unwrap();
        let patterns = Patterns::parse(size, patterns).unwrap();
        let stream = Stream::with_purpose(1, 2);
        for number in 0..2000 {
            let ranks: Vec<u8> =
                (0..R * C).map(|cell| stream.below(16 * number + cell as u64, 16) as u8).collect();
            let after = PackedAfter::<R, C>::from_ranks(&ranks);
            let images = images::<R, C>(after.bits());
            for pattern in patterns.list() {
                let gather = Gather::new(size, pattern.cells());
                let portable = Portable.indices(&gather, &images);
                for (place, &symmetry) in Symmetry::of(size).iter().enumerate() {
                    let slow = index_slowly(size, pattern, symmetry, |row, col| after.rank(row, col));
                    let fast = portable[place] as usize;
                    assert_eq!(fast, gather.index_of(slow), "{pattern} {symmetry:?} {after:?}");
                }
                let (mask, bit) = (after.bits(), number as u32 % 64);
                let found = Instructions::detect().dispatch(Probe { gather, images, mask, bit });
                assert_eq!(found, (portable, Portable.nth_bit(mask, bit)));
            }
        }
    }

    #[test]
    fn fast_indices_are_the_slow_ones_under_every_symmetry() {
        compare::<4, 4>("8x6");
        compare::<4, 4>("5x6");
        compare::<4, 4>("0123 05af 0124578 02468ac 1");
        compare::<2, 2>("0123 0 01");
        compare::<2, 3>("012345 0123 014 25");
        compare::<3, 3>("012345 0134 02468");
        compare::<4, 3>("012345 0369 2");
        compare::<3, 4>("012456 89ab");
    }

    #[test]
    fn an_index_is_the_bits_of_the_ranks_plane_by_plane() {
        // Ranks 1, 2, 15 on three cells: the lowest bits are 1 0 1, the next 0 1 1, then 0 0 1 and
        // 0 0 1. The bit of the first cell is the lowest of each three.
        let pattern = &Patterns::parse(Size::FOUR, "012").unwrap();
        let gather = Gather::new(Size::FOUR, pattern.list()[0].cells());
        assert_eq!(gather.index_of(0xf21), 0b100_100_110_101);
    }

    #[test]
    fn every_weight_has_one_place() {
        let gathers = Gathers::new(&Patterns::parse(Size::FOUR, "0 0123 015").unwrap());
        let places: Vec<usize> = gathers.places_from(0).take(2 * gathers.weights).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..2 * gathers.weights));
        for number in [1, 15, 16, 17, gathers.weights - 1, gathers.weights + 20] {
            assert!(gathers.places_from(number).take(100).eq(places[number..].iter().copied().take(100)));
        }
    }
}
