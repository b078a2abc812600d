//! The exact 4x4 board of powers of two: as fast as the packed board, but with 5 bits per cell.
//!
//! The low four bits of every rank are in `low`, packed as in [`super::Packed`]. The fifth bit of
//! cell `i` is bit `i` of `high`. A slide is the packed one if no tile is above 32768 and at most
//! one is 32768, which is nearly always true. Otherwise the slow [`Grid`] does it.

use super::packed::{has_pair, occupied, reward, slide_left, slide_right, slides_exactly, transpose};
use super::{Direction, Grid, Size, rank_of, tile_of};

/// Exact cells of a 4x4 board with ranks up to 31.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Four {
    low: u64,
    high: u16,
}

impl Four {
    pub(super) const EMPTY: Four = Four { low: 0, high: 0 };
    /// The largest rank that 5 bits hold.
    pub(super) const MAX_RANK: u8 = 31;

    /// The same cells, if they are a 4x4 grid of powers of two up to 2^31.
    pub(super) fn from_grid(grid: &Grid) -> Option<Four> {
        if grid.size() != Size::FOUR {
            return None;
        }
        let mut four = Four::EMPTY;
        for (cell, &tile) in grid.cells().iter().enumerate() {
            four.set(cell, rank_of(tile).filter(|&rank| rank <= Self::MAX_RANK)?);
        }
        Some(four)
    }

    /// The cells of a packed board.
    pub(super) const fn from_packed(bits: u64) -> Four {
        Four { low: bits, high: 0 }
    }

    pub(super) fn to_grid(self) -> Grid {
        Grid::from_cells(Size::FOUR, (0..16).map(|cell| tile_of(self.rank(cell))).collect())
    }

    /// Puts a rank into an empty cell.
    #[inline]
    pub(super) fn set(&mut self, cell: usize, rank: u8) {
        self.low |= u64::from(rank & 0xf) << (4 * cell);
        self.high |= u16::from(rank >> 4) << cell;
    }

    #[inline]
    pub(super) fn rank(self, cell: usize) -> u8 {
        (self.low >> (4 * cell) & 0xf) as u8 | ((self.high >> cell & 1) as u8) << 4
    }

    /// The packed cells if packed slides are exact: no rank is above 15 and at most one is 15.
    #[inline]
    pub(super) fn packed_bits(self) -> Option<u64> {
        (self.high == 0 && slides_exactly(self.low)).then_some(self.low)
    }

    /// One bit for each empty cell `i`, at bit `4 * i`.
    #[inline]
    pub(super) fn empty_mask(self) -> u64 {
        let mask = !occupied(self.low) & 0x1111_1111_1111_1111;
        // Rank 16 has all low bits zero.
        if self.high == 0 { mask } else { mask & !self.high_mask() }
    }

    /// One bit for each cell `i` with a rank above 15, at bit `4 * i`.
    #[cold]
    fn high_mask(self) -> u64 {
        let high = (0..16).filter(|cell| self.high >> cell & 1 == 1);
        high.fold(0, |mask, cell| mask | 1 << (4 * cell))
    }

    /// The cells after a slide and the sum of the merged tiles; `None` if the grid must do it.
    #[inline]
    pub(super) fn slide(self, direction: Direction) -> Option<(Four, u64)> {
        let bits = self.packed_bits()?;
        let lines = if direction.is_vertical() { transpose(bits) } else { bits };
        let slid = match direction {
            Direction::Up | Direction::Left => slide_left(lines),
            Direction::Down | Direction::Right => slide_right::<4>(lines),
        };
        let low = if direction.is_vertical() { transpose(slid) } else { slid };
        Some((Four { low, high: 0 }, u64::from(reward(lines))))
    }

    /// Whether any move is legal; `None` if the grid must decide.
    #[inline]
    pub(super) fn has_moves(self) -> Option<bool> {
        let bits = self.packed_bits()?;
        Some((self.empty_mask() != 0 && bits != 0) || has_pair(bits))
    }

    pub(super) fn largest(self) -> u8 {
        (0..16).map(|cell| self.rank(cell)).max().unwrap_or(0)
    }
}
