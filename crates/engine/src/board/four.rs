//! The exact 4x4 board of powers of two: as fast as the packed board, but with 5 bits a cell.
//!
//! Four bits of every rank lie in `low`, packed as in [`super::Packed`]; the fifth bit of cell `i` is bit `i` of
//! `high`. As long as no tile beyond 32768 is there or about to be made, which is nearly always, a slide is the
//! packed one; otherwise it goes through the slow [`Grid`].

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

    /// The packed cells if no rank is above 15 and at most one is 15, so that packed slides are exact.
    #[inline]
    pub(super) fn packed_bits(self) -> Option<u64> {
        (self.high == 0 && slides_exactly(self.low)).then_some(self.low)
    }

    /// One bit for each empty cell, at 4 times its number.
    #[inline]
    pub(super) fn empty_mask(self) -> u64 {
        let mask = !occupied(self.low) & 0x1111_1111_1111_1111;
        // Rank 16 has all low bits zero.
        if self.high == 0 { mask } else { mask & !self.high_mask() }
    }

    /// One bit for each cell with a rank above 15, at 4 times its number.
    #[cold]
    fn high_mask(self) -> u64 {
        let high = (0..16).filter(|cell| self.high >> cell & 1 == 1);
        high.fold(0, |mask, cell| mask | 1 << (4 * cell))
    }

    /// The cells after a slide and the sum of the merges; `None` if it must be done by the grid.
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

    /// Whether any move is possible; `None` if the grid must be asked.
    #[inline]
    pub(super) fn has_moves(self) -> Option<bool> {
        let bits = self.packed_bits()?;
        Some((self.empty_mask() != 0 && bits != 0) || has_pair(bits))
    }

    pub(super) fn largest(self) -> u8 {
        (0..16).map(|cell| self.rank(cell)).max().unwrap_or(0)
    }
}
