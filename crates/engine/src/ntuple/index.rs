//! From an afterstate to the places of its weights, by shifts and masks.
//!
//! The eight images of a board under the symmetries are made first; then a pattern is the same cells of every image.
//! The cells of a pattern that lie beside each other form a run, so that a run of nibbles goes to its place in the
//! index by one mask and one shift, for all images alike. That loop has no branch and no table, and the compiler turns
//! it into vector instructions where the machine has them.

use super::{Pattern, Patterns};
use crate::board::{PackedAfter, Size, Symmetry};

/// How many images a board has at most.
pub(crate) const IMAGES: usize = 8;

/// Neighbouring cells of a pattern, which stay together in the index.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    mask: u64,
    shift: u32,
}

/// How to gather the cells of one pattern out of a packed board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gather {
    runs: [Run; Pattern::MAX_CELLS],
    count: usize,
}

impl Gather {
    pub(crate) fn new(size: Size, pattern: &Pattern) -> Gather {
        let mut gather = Gather { runs: [Run::default(); Pattern::MAX_CELLS], count: 0 };
        for (digit, &cell) in pattern.cells().iter().enumerate() {
            let (row, col) = (cell as usize / size.cols(), cell as usize % size.cols());
            let place = 4 * (4 * row + col) as u32;
            let shift = place - 4 * digit as u32;
            if gather.count == 0 || gather.runs[gather.count - 1].shift != shift {
                gather.runs[gather.count] = Run { mask: 0, shift };
                gather.count += 1;
            }
            gather.runs[gather.count - 1].mask |= 0xf << place;
        }
        gather
    }

    /// The index of every image; the places beyond the size's number of images repeat the first ones.
    #[inline(always)]
    pub(crate) fn indices(&self, images: &[u64; IMAGES]) -> [u32; IMAGES] {
        let mut indices = [0u64; IMAGES];
        for run in &self.runs[..self.count] {
            for (index, image) in indices.iter_mut().zip(images) {
                *index |= (image & run.mask) >> run.shift;
            }
        }
        indices.map(|index| index as u32)
    }
}

/// The images of an afterstate in the order of [`Symmetry::ALL`]. A rectangle has four; they are given twice.
#[inline(always)]
pub(crate) fn images<const R: usize, const C: usize>(after: PackedAfter<R, C>) -> [u64; IMAGES] {
    let flips = |after: PackedAfter<R, C>| {
        let (cols, rows) = (after.flipped_cols(), after.flipped_rows());
        [after.bits(), cols.bits(), rows.bits(), cols.flipped_rows().bits()]
    };
    let [a, b, c, d] = flips(after);
    if R != C {
        return [a, b, c, d, a, b, c, d];
    }
    let turned = PackedAfter::from_bits(after.transposed().bits());
    let [e, f, g, h] = flips(turned.expect("a square's transposed board has the same cells"));
    [a, b, c, d, e, f, g, h]
}

/// The sum over the images, always in the same order, so that every way to a value comes to the same one.
#[inline(always)]
pub(crate) fn add_up(sums: &[f32; IMAGES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = *sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// How many different images a board of this size has.
#[inline(always)]
pub(crate) const fn lanes<const R: usize, const C: usize>() -> usize {
    if R == C { IMAGES } else { IMAGES / 2 }
}

/// The slow twin: the index of a pattern in the image of a board under a symmetry, digit by digit from the ranks.
pub fn index_slowly(
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

/// All patterns of a network, ready to gather.
#[derive(Clone, Debug)]
pub(crate) struct Gathers {
    /// One for each pattern, with the place where its table starts.
    pub(crate) list: Vec<(Gather, usize)>,
    /// The weights of one stage.
    pub(crate) weights: usize,
}

impl Gathers {
    pub(crate) fn new(patterns: &Patterns) -> Gathers {
        let mut weights = 0;
        let mut list = Vec::new();
        for pattern in patterns.list() {
            list.push((Gather::new(patterns.size(), pattern), weights));
            weights += pattern.table_len();
        }
        Gathers { list, weights }
    }

    /// Adds up the weights of packed cells: `weight` is given the place of the pattern, where its table starts, and the
    /// index in it.
    #[inline(always)]
    pub(crate) fn sum<const R: usize, const C: usize>(
        &self,
        cells: u64,
        weight: impl Fn(usize, usize, usize) -> f32,
    ) -> f32 {
        let images = images::<R, C>(PackedAfter::from_bits(cells).expect("the cells are those of the size"));
        // One sum for each image: eight short chains of additions instead of a long one.
        let mut sums = [0f32; IMAGES];
        for (place, (gather, start)) in self.list.iter().enumerate() {
            let indices = gather.indices(&images);
            for lane in 0..lanes::<R, C>() {
                sums[lane] += weight(place, *start, indices[lane] as usize);
            }
        }
        add_up(&sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    fn compare<const R: usize, const C: usize>(patterns: &str) {
        let size = Size::new(R, C).unwrap();
        let patterns = Patterns::parse(size, patterns).unwrap();
        let stream = Stream::with_purpose(1, 2);
        for number in 0..2000 {
            let ranks: Vec<u8> =
                (0..R * C).map(|cell| stream.below(16 * number + cell as u64, 16) as u8).collect();
            let after = PackedAfter::<R, C>::from_ranks(&ranks);
            let images = images(after);
            for pattern in patterns.list() {
                let fast = Gather::new(size, pattern).indices(&images);
                for (place, &symmetry) in Symmetry::of(size).iter().enumerate() {
                    let slow = index_slowly(size, pattern, symmetry, |row, col| after.rank(row, col));
                    assert_eq!(fast[place] as usize, slow, "{pattern} {symmetry:?} {after:?}");
                }
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
}
