//! The packed board: 4 bits per cell in one `u64`, for search, learning and fast games.
//!
//! Cell (row, col) is at bit `4 * (4 * row + col)` for every size. Boards smaller than 4x4 leave
//! gaps that are always zero, so one set of row tables serves all sizes.

use std::fmt;

use super::tables::{LEFT, REWARD, RIGHT};
use super::{Direction, Directions, Grid, Size, tile_of};

/// A packed board of `R` rows and `C` columns, with the player to move.
///
/// ```
/// use lab2048::board::{Direction, Packed};
///
/// let board = Packed::<4, 4>::from_ranks(&[1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/// let (after, reward) = board.slide(Direction::Left).expect("the two 2-tiles merge");
/// assert_eq!(reward, 4);
/// assert_eq!(after.rank(0, 0), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packed<const R: usize = 4, const C: usize = 4>(u64);

/// A packed afterstate: slid, before the spawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedAfter<const R: usize = 4, const C: usize = 4>(u64);

/// All four slides of a board, computed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slides<const R: usize = 4, const C: usize = 4> {
    /// The afterstate of each direction, in the order of [`Direction::ALL`]; `None` if nothing
    /// changes.
    pub afters: [Option<PackedAfter<R, C>>; 4],
    /// The sum of the merged tiles of a move up or down, and of a move left or right.
    pub rewards: [u32; 2],
}

impl<const R: usize, const C: usize> Slides<R, C> {
    /// Whether no move is legal.
    #[inline]
    pub fn is_stuck(&self) -> bool {
        self.afters == [None; 4]
    }

    /// The sum of the tiles that merge in a direction.
    #[inline]
    pub const fn reward(&self, direction: Direction) -> u32 {
        self.rewards[if direction.is_vertical() { 0 } else { 1 }]
    }
}

/// Swaps rows and columns. Works for every size, because the gaps are zero.
pub(super) const fn transpose(x: u64) -> u64 {
    // Swap the off-diagonal cells within 2x2 blocks, then the off-diagonal blocks.
    let t = (x ^ (x >> 12)) & 0x0000_f0f0_0000_f0f0;
    let x = x ^ t ^ (t << 12);
    let t = (x ^ (x >> 24)) & 0x0000_0000_ff00_ff00;
    x ^ t ^ (t << 24)
}

/// Packs ranks of at most 15, given row by row.
pub(super) fn pack_ranks(ranks: &[u8], cols: usize) -> u64 {
    let bit = |cell: usize| 4 * (4 * (cell / cols) + cell % cols);
    ranks.iter().enumerate().map(|(cell, &rank)| u64::from(rank) << bit(cell)).sum()
}

/// Slides the cells of each row towards the first cell.
pub(super) fn slide_left(x: u64) -> u64 {
    let row = |r: u32| u64::from(LEFT[(x >> (16 * r)) as u16 as usize]) << (16 * r);
    row(0) | row(1) | row(2) | row(3)
}

/// Slides the first `LEN` cells of each row towards the last of them.
pub(super) fn slide_right<const LEN: usize>(x: u64) -> u64 {
    let x = x << (4 * (4 - LEN));
    let row = |r: u32| u64::from(RIGHT[(x >> (16 * r)) as u16 as usize]) << (16 * r);
    (row(0) | row(1) | row(2) | row(3)) >> (4 * (4 - LEN))
}

/// The sum of the tiles that merge when the rows slide, in either direction.
pub(super) fn reward(x: u64) -> u32 {
    let row = |r: u32| REWARD[(x >> (16 * r)) as u16 as usize];
    row(0) + row(1) + row(2) + row(3)
}

/// The lowest bit of every cell that holds a tile.
pub(super) const fn occupied(x: u64) -> u64 {
    let x = x | x >> 2;
    (x | x >> 1) & 0x1111_1111_1111_1111
}

/// The lowest bit of every cell of rank 15.
const fn tops(x: u64) -> u64 {
    x & x >> 1 & x >> 2 & x >> 3 & 0x1111_1111_1111_1111
}

/// Whether packed slides are exact. They do not merge two tiles of 32768.
pub(super) const fn slides_exactly(x: u64) -> bool {
    tops(x) & tops(x).wrapping_sub(1) == 0
}

/// The cells that are not in the last column or row of a 4x4 board.
const NOT_LAST_COL: u64 = 0x0111_0111_0111_0111;
const NOT_LAST_ROW: u64 = 0x0000_1111_1111_1111;

/// The cells whose right neighbour is an equal tile that can merge, and the same for the neighbour
/// below.
const fn equal_pairs(x: u64) -> [u64; 2] {
    let mergeable = occupied(x) & !tops(x);
    let differs_from_right = occupied(x ^ (x >> 4));
    let differs_from_below = occupied(x ^ (x >> 16));
    [mergeable & !differs_from_right & NOT_LAST_COL, mergeable & !differs_from_below & NOT_LAST_ROW]
}

/// Whether two neighbours in a row or column are equal tiles that can merge.
pub(super) const fn has_pair(x: u64) -> bool {
    let [beside, below] = equal_pairs(x);
    beside | below != 0
}

/// The methods that board and afterstate share.
macro_rules! packed_cells {
    ($name:ident, $noun:literal) => {
        impl<const R: usize, const C: usize> $name<R, C> {
            /// The lowest bit of each cell of this size.
            const CELLS: u64 = {
                assert!(R >= 2 && R <= 4 && C >= 2 && C <= 4, "a packed board has sides of 2 to 4");
                let row = 0x1111u64 >> (4 * (4 - C));
                let (mut mask, mut r) = (0, 0);
                while r < R {
                    mask |= row << (16 * r);
                    r += 1;
                }
                mask
            };

            #[doc = concat!("The ", $noun, " with these bits; `None` if a cell outside the size is set.")]
            pub const fn from_bits(bits: u64) -> Option<Self> {
                if bits & !(Self::CELLS * 0xf) == 0 { Some($name(bits)) } else { None }
            }

            /// The cells as one number, cell (row, col) at bit `4 * (4 * row + col)`.
            pub const fn bits(self) -> u64 {
                self.0
            }

            #[doc = concat!("The ", $noun, " with these ranks, row by row.")]
            ///
            /// # Panics
            /// If there are not `R * C` ranks of at most 15.
            pub fn from_ranks(ranks: &[u8]) -> Self {
                assert_eq!(ranks.len(), R * C, "a {R}x{C} board has {} ranks", R * C);
                assert!(ranks.iter().all(|&rank| rank <= 15), "packed ranks are at most 15");
                $name(pack_ranks(ranks, C))
            }

            /// The rank at a cell.
            pub const fn rank(self, row: usize, col: usize) -> u8 {
                debug_assert!(row < R && col < C);
                (self.0 >> (4 * (4 * row + col)) & 0xf) as u8
            }

            /// The largest rank.
            pub fn max_rank(self) -> u8 {
                (0..16).map(|cell| (self.0 >> (4 * cell) & 0xf) as u8).max().unwrap_or(0)
            }

            /// The lowest bit of each empty cell.
            pub const fn empty_mask(self) -> u64 {
                !occupied(self.0) & Self::CELLS
            }

            /// The number of empty cells.
            pub const fn empty_count(self) -> u32 {
                self.empty_mask().count_ones()
            }

            #[doc = concat!("The ", $noun, " with rows and columns exchanged.")]
            pub const fn transposed(self) -> $name<C, R> {
                $name(transpose(self.0))
            }

            #[doc = concat!("The ", $noun, " with its columns in reverse order.")]
            #[must_use]
            pub const fn flipped_cols(self) -> Self {
                let x = self.0;
                let x = (x & 0x00ff_00ff_00ff_00ff) << 8 | (x & 0xff00_ff00_ff00_ff00) >> 8;
                let x = (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (x & 0xf0f0_f0f0_f0f0_f0f0) >> 4;
                $name(x >> (4 * (4 - C)))
            }

            #[doc = concat!("The ", $noun, " with its rows in reverse order.")]
            #[must_use]
            pub const fn flipped_rows(self) -> Self {
                let x = self.0;
                let x = x << 48 | (x & 0xffff_0000) << 16 | (x >> 16 & 0xffff_0000) | x >> 48;
                $name(x >> (16 * (4 - R)))
            }

            /// The image with the smallest bits of all images under the size's symmetries.
            #[must_use]
            pub fn canonical(self) -> Self {
                let flips = |x: Self| {
                    let (a, b) = (x.flipped_cols(), x.flipped_rows());
                    x.min(a).min(b).min(a.flipped_rows())
                };
                let least = flips(self);
                if R == C { least.min(flips($name(transpose(self.0)))) } else { least }
            }

            /// The same cells as a grid of tile values.
            pub fn to_grid(self) -> Grid {
                let size = Size::new(R, C).expect("packed sizes are valid");
                let tile = |cell: usize| tile_of(self.rank(cell / C, cell % C));
                Grid::from_cells(size, (0..R * C).map(tile).collect())
            }
        }

        impl<const R: usize, const C: usize> fmt::Debug for $name<R, C> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), " {}x{}\n{}"), R, C, self.to_grid())
            }
        }
    };
}

packed_cells!(Packed, "board");
packed_cells!(PackedAfter, "afterstate");

impl<const R: usize, const C: usize> Packed<R, C> {
    /// The bits after a slide, whether or not it changes anything.
    #[inline]
    fn slid_bits(self, direction: Direction) -> u64 {
        match direction {
            Direction::Left => slide_left(self.0),
            Direction::Right => slide_right::<C>(self.0),
            Direction::Up => transpose(slide_left(transpose(self.0))),
            Direction::Down => transpose(slide_right::<R>(transpose(self.0))),
        }
    }

    /// Slides the tiles; `None` if nothing changes, otherwise the afterstate and the sum of the
    /// merged tiles.
    #[inline]
    pub fn slide(self, direction: Direction) -> Option<(PackedAfter<R, C>, u32)> {
        let slid = self.slid_bits(direction);
        if slid == self.0 {
            return None;
        }
        let lines = if direction.is_vertical() { transpose(self.0) } else { self.0 };
        Some((PackedAfter(slid), reward(lines)))
    }

    /// All four slides. The board is transposed only once.
    #[inline]
    pub fn slide_all(self) -> Slides<R, C> {
        let (rows, cols) = (self.0, transpose(self.0));
        let slid = [
            transpose(slide_left(cols)),
            slide_right::<C>(rows),
            transpose(slide_right::<R>(cols)),
            slide_left(rows),
        ];
        let changed = |bits: u64| (bits != rows).then_some(PackedAfter(bits));
        Slides {
            // Not `map`, which the compiler does not always inline.
            afters: [changed(slid[0]), changed(slid[1]), changed(slid[2]), changed(slid[3])],
            rewards: [reward(cols), reward(rows)],
        }
    }

    /// The directions in which a slide changes something: a tile moves towards an empty cell, or
    /// two equal neighbours merge. This takes a few operations on all cells at once, without
    /// tables.
    #[inline]
    pub const fn legal_moves(self) -> Directions {
        let (tiles, [same_beside, same_below]) = (occupied(self.0), equal_pairs(self.0));
        // The cells that have a neighbour to the right, and below.
        let beside = Self::CELLS & Self::CELLS >> 4 & NOT_LAST_COL;
        let below = Self::CELLS & Self::CELLS >> 16;
        let changes = [
            (!tiles & tiles >> 16 & below) | same_below,
            (tiles & !(tiles >> 4) & beside) | same_beside,
            (tiles & !(tiles >> 16) & below) | same_below,
            (!tiles & tiles >> 4 & beside) | same_beside,
        ];
        let (mut legal, mut index) = (Directions::NONE, 0);
        while index < 4 {
            if changes[index] != 0 {
                legal = legal.with(Direction::ALL[index]);
            }
            index += 1;
        }
        legal
    }

    /// The unchanged board as an afterstate.
    #[inline]
    pub(crate) const fn pass(self) -> PackedAfter<R, C> {
        PackedAfter(self.0)
    }

    /// Whether any move is legal: there are a tile and an empty cell, or two equal neighbours.
    pub const fn has_moves(self) -> bool {
        (self.empty_mask() != 0 && self.0 != 0) || has_pair(self.0)
    }
}

impl<const R: usize, const C: usize> PackedAfter<R, C> {
    /// The afterstate without tiles, from which a game starts.
    pub const EMPTY: Self = PackedAfter(0);

    /// The board with a tile of `rank` at the empty cell whose lowest bit is `cell_bit` (a bit of
    /// [`Self::empty_mask`]).
    #[inline]
    #[must_use]
    pub const fn spawned(self, cell_bit: u64, rank: u8) -> Packed<R, C> {
        debug_assert!(
            cell_bit.is_power_of_two() && self.empty_mask() & cell_bit != 0 && matches!(rank, 1..=15)
        );
        Packed(self.0 | (cell_bit * rank as u64))
    }

    /// The lowest bits of the empty cells one by one, in cell order.
    #[inline]
    pub fn empty_bits(self) -> impl Iterator<Item = u64> {
        let mut rest = self.empty_mask();
        std::iter::from_fn(move || {
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            (bit != 0).then_some(bit)
        })
    }
}
