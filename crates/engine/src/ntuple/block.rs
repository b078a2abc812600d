//! The memory layout of the weights for play.
//!
//! Play is limited by memory latency, one cache line after the other. Two patterns that share all
//! cells but one are stored together: for the same tiles on the shared cells, one cache line holds
//! the 16 weights of each. So `4x6` needs half as many lines and `8x6` three quarters, and more of
//! the hot ones fit into the caches.

use super::memory::{PART, UsedPages};
use super::squeeze::Unsqueezed;
use super::{Gather, IMAGES, Machine, Pattern, Patterns, Short, prefetch};
use crate::board::Size;

/// The number of weights of a table that differ only in one cell.
pub(super) const RANKS: usize = 16;

/// The number of weights of two patterns that differ only in their own cells: one cache line on
/// most processors.
const LINE: u64 = 2 * RANKS as u64;

/// How one or two patterns share memory.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The cells that the patterns share, or all cells of a single pattern.
    shared: Gather,
    /// The part of each pattern that is not shared.
    own: [Own; 2],
    /// The number of patterns.
    count: usize,
    /// The number of weights.
    pub(super) len: usize,
}

/// The part of a pattern that is not shared with the other pattern of its block.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// The number of the pattern.
    pattern: usize,
    /// The cell that is not shared, or `None` for a single pattern.
    cell: Option<u8>,
    /// Gathers that cell.
    gather: Gather,
}

impl Block {
    /// Divides patterns into blocks. Each pattern shares a block with the first free pattern after
    /// it that fits.
    pub(super) fn divide(patterns: &Patterns) -> Vec<Block> {
        let (size, list) = (patterns.size(), patterns.list());
        let mut blocks = Vec::new();
        let mut placed = vec![false; list.len()];
        for first in 0..list.len() {
            if std::mem::replace(&mut placed[first], true) {
                continue;
            }
            let fits = |second: usize| {
                let shared = shared_cells(&list[first], &list[second]).filter(|_| !placed[second])?;
                Some((second, shared))
            };
            blocks.push(match (first + 1..list.len()).find_map(fits) {
                Some((second, shared)) => {
                    placed[second] = true;
                    Block::of_two(size, [(first, &list[first]), (second, &list[second])], &shared)
                }
                None => Block::of_one(size, first, &list[first]),
            });
        }
        blocks
    }

    fn of_one(size: Size, number: usize, pattern: &Pattern) -> Block {
        let own = Own { pattern: number, cell: None, gather: Gather::new(size, &[]) };
        let shared = Gather::new(size, pattern.cells());
        Block { shared, own: [own; 2], count: 1, len: pattern.table_len() }
    }

    fn of_two(size: Size, patterns: [(usize, &Pattern); 2], shared: &[u8]) -> Block {
        let own = patterns.map(|(number, pattern)| {
            let cell = pattern.cells().iter().copied().find(|cell| !shared.contains(cell));
            Own { pattern: number, cell, gather: Gather::new(size, cell.as_slice()) }
        });
        let len = patterns.iter().map(|(_, pattern)| pattern.table_len()).sum();
        Block { shared: Gather::new(size, shared), own, count: 2, len }
    }

    /// The distance between weights whose shared cells have consecutive indices.
    #[inline(always)]
    fn apart(&self) -> u64 {
        if self.count == 1 { 1 } else { LINE }
    }

    /// The numbers of the block's patterns.
    pub(super) fn patterns(&self) -> impl Iterator<Item = usize> {
        self.own[..self.count].iter().map(|own| own.pattern)
    }

    /// Adds the weights of a board to `sums`, which has one sum for each image.
    #[inline(always)]
    pub(super) fn add_up<M: Machine>(
        &self,
        machine: M,
        images: &[u64; IMAGES],
        weights: &[Short],
        sums: &mut [i32],
    ) {
        if M::ONE_BY_ONE {
            self.add_up_by::<1>(machine, images, weights, sums);
        } else {
            self.add_up_by::<IMAGES>(machine, images, weights, sums);
        }
    }

    /// Adds the weights of a board for `N` images at a time.
    #[inline(always)]
    fn add_up_by<const N: usize>(
        &self,
        machine: impl Machine,
        images: &[u64; IMAGES],
        weights: &[Short],
        sums: &mut [i32],
    ) {
        assert_eq!(weights.len(), self.len, "the weights must be those of the block");
        let (images, _) = images.as_chunks::<N>();
        for (images, sums) in images.iter().zip(sums.chunks_mut(N)) {
            // SAFETY: `Machine::indices` are below 16 to the power of the gather's cells. A shared
            // index is multiplied by 32, and at most 31 is added, so a place is below `len`. The
            // assertion above compares `len`. Without bounds checks, and with the shorter path for
            // one move, a move took 6% fewer instructions.
            #[allow(unsafe_code)]
            let weight = |place: u64| {
                debug_assert!((place as usize) < weights.len(), "every place must be within the block");
                i32::from(i16::from_le_bytes(unsafe { *weights.get_unchecked(place as usize) }))
            };
            let shared = machine.indices(&self.shared, images);
            if self.count == 1 {
                for (sum, &place) in sums.iter_mut().zip(&shared) {
                    *sum += weight(place);
                }
                continue;
            }
            let [first, second] = &self.own;
            let (first, second) =
                (machine.indices(&first.gather, images), machine.indices(&second.gather, images));
            for (lane, sum) in sums.iter_mut().enumerate() {
                let line = shared[lane] * LINE;
                *sum += weight(line + first[lane]) + weight(line + RANKS as u64 + second[lane]);
            }
        }
    }

    /// Prefetches the weights of a board that will be needed soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, machine: impl Machine, images: &[u64; IMAGES], weights: &[Short]) {
        for shared in machine.indices(&self.shared, images) {
            prefetch(weights.as_ptr().wrapping_add((shared * self.apart()) as usize));
        }
    }

    /// Puts the weights of the block's tables into the order of the block, part by part. `take`
    /// gets the place of a part, its weights and the used pages.
    pub(super) fn assemble<'a>(
        &self,
        patterns: &Patterns,
        tables: impl IntoIterator<Item = &'a Unsqueezed>,
        mut take: impl FnMut(usize, &[Short], &UsedPages),
    ) {
        let places = self.patterns().map(|number| self.places(number, &patterns.list()[number]));
        let tables: Vec<(Places, &Unsqueezed)> = places.zip(tables).collect();
        let mut part = vec![Short::default(); self.len.min(PART)];
        for place in (0..self.len).step_by(part.len()) {
            part.fill(Short::default());
            tables.iter().for_each(|(places, table)| places.fill_part(table, place, &mut part));
            take(place, &part, &UsedPages::of(&part));
        }
    }

    /// The places of the weights of a pattern, in file order.
    pub(super) fn places(&self, number: usize, pattern: &Pattern) -> Places {
        let side =
            self.patterns().position(|other| other == number).expect("the pattern belongs to this block");
        let mut digits = [[0; RANKS]; Pattern::MAX_CELLS];
        let mut shared_before = 0;
        for (digit, &cell) in digits.iter_mut().zip(pattern.cells()) {
            if self.own[side].cell == Some(cell) {
                *digit = std::array::from_fn(|rank| rank);
            } else {
                let place =
                    |rank: usize| self.shared.index_of(rank << (4 * shared_before)) * self.apart() as usize;
                *digit = std::array::from_fn(place);
                shared_before += 1;
            }
        }
        Places { digits, cells: pattern.cells().len(), add: RANKS * side }
    }
}

/// The cells that two patterns share, if each has exactly one more.
fn shared_cells(first: &Pattern, second: &Pattern) -> Option<Vec<u8>> {
    let shared: Vec<u8> =
        first.cells().iter().copied().filter(|cell| second.cells().contains(cell)).collect();
    let all_but_one = |pattern: &Pattern| shared.len() + 1 == pattern.cells().len();
    (all_but_one(first) && all_but_one(second)).then_some(shared)
}

/// The places of the weights of a pattern. Each cell contributes some bits of a place.
#[derive(Clone, Debug)]
pub(super) struct Places {
    digits: [[usize; RANKS]; Pattern::MAX_CELLS],
    cells: usize,
    add: usize,
}

impl Places {
    /// The place of a weight. The hex digits of `number` are the ranks of the cells, the lowest
    /// digit belonging to the first cell.
    #[inline(always)]
    pub(super) fn of(&self, number: usize) -> usize {
        let digits = self.digits[..self.cells].iter().enumerate();
        self.add + digits.fold(0, |place, (digit, places)| place | places[number >> (4 * digit) & 0xf])
    }

    /// Copies those weights of a table whose places are in one part of the block, which starts at
    /// this place. The lengths of parts are powers of two.
    fn fill_part(&self, table: &Unsqueezed, start: usize, part: &mut [Short]) {
        assert_eq!(table.weights.len(), 1 << (4 * self.cells), "the weights must be those of the table");
        let above = !(part.len() - 1);
        // A cell determines bits of its own of a place. The ranks that give the bits of this part:
        let ranks = self.digits.map(|digits| {
            let bits = digits.iter().fold(0, |bits, digit| bits | digit) & above;
            let here = (0..RANKS).filter(|&rank| digits[rank] & above == start & bits);
            here.collect::<Vec<usize>>()
        });
        // The ranks of the first cell with their bits.
        let first: Vec<(usize, usize)> = ranks[0].iter().map(|&rank| (rank, self.digits[0][rank])).collect();
        self.fill_rows(table, &ranks[1..self.cells], &first, 0, self.add, part);
    }

    /// [`Places::fill_part`] for the rows with these digits of the higher cells.
    fn fill_rows(
        &self,
        table: &Unsqueezed,
        ranks: &[Vec<usize>],
        first: &[(usize, usize)],
        row: usize,
        place: usize,
        part: &mut [Short],
    ) {
        if let Some((own, lower)) = ranks.split_last() {
            for &rank in own {
                let place = place | self.digits[ranks.len()][rank];
                self.fill_rows(table, lower, first, row << 4 | rank, place, part);
            }
        } else if table.rows[row] {
            let weights: &[i16; RANKS] = &table.weights.as_chunks().0[row];
            let mask = part.len() - 1;
            for &(rank, bits) in first {
                part[(place | bits) & mask] = weights[rank % RANKS].to_le_bytes();
            }
        }
    }

    /// The places of all weights, in file order.
    pub(super) fn all(self) -> impl Iterator<Item = usize> {
        (0..1usize << (4 * self.cells)).map(move |number| self.of(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(patterns: &str) -> Vec<Vec<usize>> {
        let patterns = Patterns::parse(Size::FOUR, patterns).unwrap();
        Block::divide(&patterns).iter().map(|block| block.patterns().collect()).collect()
    }

    #[test]
    fn patterns_that_share_all_cells_but_one_share_a_block() {
        // 012345 and 012456 share 0, 1, 2, 4, 5; 456789 and 45689a share 4, 5, 6, 8, 9.
        assert_eq!(blocks("4x6"), [vec![0, 2], vec![1, 3]]);
        assert_eq!(blocks("8x6"), [vec![0, 2], vec![1, 5], vec![3], vec![4], vec![6], vec![7]]);
        // 012 fits both others, but a block holds only two patterns. 0123 has another length.
        assert_eq!(blocks("012 013 015 0123"), [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(blocks("0 1 5"), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn every_weight_has_a_place_of_its_own() {
        for text in ["0123 0124", "0123 1235 4567", "0 5 12", "012 456"] {
            let patterns = Patterns::parse(Size::FOUR, text).unwrap();
            for block in Block::divide(&patterns) {
                let tables = block.patterns().map(|number| block.places(number, &patterns.list()[number]));
                let mut places: Vec<usize> = tables.flat_map(Places::all).collect();
                places.sort_unstable();
                assert!(places.into_iter().eq(0..block.len), "{text}");
            }
        }
    }
}
