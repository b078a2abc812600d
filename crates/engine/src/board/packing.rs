//! From exact boards to packed ones: what fits, what is downgraded, what is refused. Nothing saturates in silence.

use thiserror::Error;

use super::packed::slides_exactly;
use super::{Board, Grid, Packed, Size, rank_of};

/// The highest rank a packed cell can hold: 32768.
pub const TOP_PACKED_RANK: u8 = 15;

/// Why a board has no packed form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotPackable {
    /// The packed type has another size.
    #[error("a board of {found} does not fit a packed board of {wanted}")]
    Size {
        /// The packed size.
        wanted: Size,
        /// The board's size.
        found: Size,
    },
    /// A tile is no power of two.
    #[error("the tile {0} is not a power of two")]
    Tile(u64),
    /// A tile above 32768, or two tiles of 32768 that could merge.
    #[error("tiles beyond a single 32768 need more than 4 bits a cell")]
    TooLarge,
    /// Downgrading needs a missing rank below the largest, and there is none.
    #[error("no tile is missing below the largest, so the board cannot be downgraded")]
    NothingMissing,
}

impl<const R: usize, const C: usize> Packed<R, C> {
    /// The same board, packed; refused when a tile has no packed rank, or two 32768 tiles could meet (they would not
    /// merge as they should).
    #[inline]
    pub fn pack(board: &Board) -> Result<Self, NotPackable> {
        if R == 4
            && C == 4
            && let Some(packed) = board.packed_bits().and_then(Self::from_bits)
        {
            return Ok(packed);
        }
        Self::pack_slowly(board)
    }

    #[cold]
    fn pack_slowly(board: &Board) -> Result<Self, NotPackable> {
        let ranks = Self::ranks_of(&board.to_grid())?;
        let tops = ranks.iter().filter(|&&rank| rank >= TOP_PACKED_RANK).count();
        if tops > 1 || ranks.iter().any(|&rank| rank > TOP_PACKED_RANK) {
            return Err(NotPackable::TooLarge);
        }
        Ok(Self::from_ranks(&ranks))
    }

    /// Whether slides are exact: two tiles of 32768 would not merge as they should.
    pub const fn slides_exactly(self) -> bool {
        slides_exactly(self.bits())
    }

    /// The board packed after tile-downgrading to at most `top`: while a rank is above `top`, or 32768 occurs twice,
    /// the largest rank missing below the largest present is looked up and every rank above it is lowered by one.
    ///
    /// Merges stay the same (distinct ranks stay distinct); the values of the lowered tiles do not. The second value
    /// says how often the rule was applied. If no rank is missing, the board is refused.
    pub fn pack_downgraded(board: &Board, top: u8) -> Result<(Self, u32), NotPackable> {
        let mut ranks = Self::ranks_of(&board.to_grid())?;
        let mut steps = 0;
        loop {
            let largest = ranks.iter().copied().max().unwrap_or(0);
            let tops = ranks.iter().filter(|&&rank| rank == TOP_PACKED_RANK).count();
            if largest <= top.min(TOP_PACKED_RANK) && tops <= 1 {
                return Ok((Self::from_ranks(&ranks), steps));
            }
            let missing = (1..largest).rev().find(|rank| !ranks.contains(rank));
            let missing = missing.ok_or(NotPackable::NothingMissing)?;
            ranks.iter_mut().filter(|rank| **rank > missing).for_each(|rank| *rank -= 1);
            steps += 1;
        }
    }

    /// The ranks of a grid of this size.
    fn ranks_of(grid: &Grid) -> Result<Vec<u8>, NotPackable> {
        let wanted = Size::new(R, C).expect("packed sizes are valid");
        if grid.size() != wanted {
            return Err(NotPackable::Size { wanted, found: grid.size() });
        }
        grid.cells().iter().map(|&tile| rank_of(tile).ok_or(NotPackable::Tile(tile))).collect()
    }
}
