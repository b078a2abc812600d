//! The exact boards of the game: any size from 2x2 to 8x8, any tile values.

use std::fmt;

use thiserror::Error;

use super::four::Four;
use super::{
    Direction, Directions, Grid, InvalidBoard, Motion, Overflow, Packed, Size, rank_of, tile_of, validate,
};

/// A position in which the player is to move. It holds at least one tile.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board(Cells);

/// A position after the slide, before the spawn. A legal move makes one. So do a pass, if the rules
/// allow it, and the start of a game, where it is empty.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Afterstate(Cells);

/// The result of a legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slid {
    /// The afterstate.
    pub after: Afterstate,
    /// The sum of the merged tiles, which the move adds to the score.
    pub reward: u64,
}

/// A spawn at an occupied or missing cell, or with the value 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("tile {tile} cannot appear at cell {cell}: the cell is occupied or missing, or the tile is 0")]
pub struct ImpossibleSpawn {
    /// The requested cell.
    pub cell: usize,
    /// The requested tile.
    pub tile: u64,
}

/// The cells in the fastest form that can hold them. Each content has exactly one form, so the
/// derived equality is right.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Cells {
    Four(Four),
    Any(Grid),
}

impl Cells {
    fn from_grid(grid: Grid) -> Cells {
        match Four::from_grid(&grid) {
            Some(four) => Cells::Four(four),
            None => Cells::Any(grid),
        }
    }

    fn to_grid(&self) -> Grid {
        match self {
            Cells::Four(four) => four.to_grid(),
            Cells::Any(grid) => grid.clone(),
        }
    }

    #[inline]
    fn size(&self) -> Size {
        match self {
            Cells::Four(_) => Size::FOUR,
            Cells::Any(grid) => grid.size(),
        }
    }

    #[inline]
    fn tile(&self, cell: usize) -> u64 {
        match self {
            Cells::Four(four) => tile_of(four.rank(cell)),
            Cells::Any(grid) => grid.get(cell),
        }
    }

    #[inline]
    fn empty_count(&self) -> usize {
        match self {
            Cells::Four(four) => four.empty_mask().count_ones() as usize,
            Cells::Any(grid) => grid.empty_cells().count(),
        }
    }

    #[inline]
    fn nth_empty(&self, n: usize) -> Option<usize> {
        match self {
            Cells::Four(four) => {
                let mut mask = four.empty_mask();
                (0..n.min(16)).for_each(|_| mask &= mask.wrapping_sub(1));
                (mask != 0).then(|| mask.trailing_zeros() as usize / 4)
            }
            Cells::Any(grid) => grid.empty_cells().nth(n),
        }
    }

    #[inline]
    fn with_tile(&self, cell: usize, tile: u64) -> Result<Cells, ImpossibleSpawn> {
        if cell >= self.size().cells() || tile == 0 || self.tile(cell) != 0 {
            return Err(ImpossibleSpawn { cell, tile });
        }
        if let (Cells::Four(four), Some(rank @ 1..=Four::MAX_RANK)) = (self, rank_of(tile)) {
            let mut four = *four;
            four.set(cell, rank);
            return Ok(Cells::Four(four));
        }
        Ok(self.grid_with_tile(cell, tile))
    }

    #[cold]
    fn grid_with_tile(&self, cell: usize, tile: u64) -> Cells {
        let mut grid = self.to_grid();
        grid.set(cell, tile);
        Cells::from_grid(grid)
    }

    #[inline]
    fn slide(&self, direction: Direction) -> Result<Option<(Cells, u64)>, Overflow> {
        if let Cells::Four(four) = self
            && let Some((slid, reward)) = four.slide(direction)
        {
            return Ok((slid != *four).then_some((Cells::Four(slid), reward)));
        }
        self.slide_grid(direction)
    }

    #[cold]
    fn slide_grid(&self, direction: Direction) -> Result<Option<(Cells, u64)>, Overflow> {
        let grid = self.to_grid();
        if !grid.can_slide(direction) {
            return Ok(None);
        }
        grid.slide(direction).map(|slide| Some((Cells::from_grid(slide.grid), slide.reward)))
    }

    fn can_slide(&self, direction: Direction) -> bool {
        match self {
            Cells::Four(four) => match four.slide(direction) {
                Some((slid, _)) => slid != *four,
                None => four.to_grid().can_slide(direction),
            },
            Cells::Any(grid) => grid.can_slide(direction),
        }
    }

    #[inline]
    fn has_moves(&self) -> bool {
        let quick = match self {
            Cells::Four(four) => four.has_moves(),
            Cells::Any(_) => None,
        };
        quick.unwrap_or_else(|| self.grid_has_moves())
    }

    #[cold]
    fn grid_has_moves(&self) -> bool {
        let grid = self.to_grid();
        Direction::ALL.into_iter().any(|direction| grid.can_slide(direction))
    }

    fn largest(&self) -> u64 {
        match self {
            Cells::Four(four) => tile_of(four.largest()),
            Cells::Any(grid) => grid.largest(),
        }
    }

    fn tile_sum(&self) -> u128 {
        (0..self.size().cells()).map(|cell| u128::from(self.tile(cell))).sum()
    }
}

/// The methods that board and afterstate share.
macro_rules! exact_cells {
    ($name:ident) => {
        impl $name {
            /// Its size.
            pub fn size(&self) -> Size {
                self.0.size()
            }

            /// The tile at a cell, 0 if the cell is empty. Cells are numbered row by row from the
            /// top left.
            ///
            /// # Panics
            /// If there is no such cell.
            pub fn tile(&self, cell: usize) -> u64 {
                assert!(cell < self.size().cells(), "a {} board has no cell {cell}", self.size());
                self.0.tile(cell)
            }

            /// The tiles, row by row.
            pub fn tiles(&self) -> impl Iterator<Item = u64> {
                (0..self.size().cells()).map(|cell| self.0.tile(cell))
            }

            /// The number of empty cells.
            #[inline]
            pub fn empty_count(&self) -> usize {
                self.0.empty_count()
            }

            /// The largest tile.
            pub fn largest(&self) -> u64 {
                self.0.largest()
            }

            /// The sum of all tiles.
            pub fn tile_sum(&self) -> u128 {
                self.0.tile_sum()
            }

            /// The cells as a grid.
            pub fn to_grid(&self) -> Grid {
                self.0.to_grid()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_grid(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), " {}\n{}"), self.size(), self)
            }
        }
    };
}

exact_cells!(Board);
exact_cells!(Afterstate);

impl Board {
    /// The exact form of a packed board. The packed board must have a tile.
    pub(crate) fn from_packed<const R: usize, const C: usize>(packed: Packed<R, C>) -> Board {
        Board(if R == 4 && C == 4 {
            Cells::Four(Four::from_packed(packed.bits()))
        } else {
            Cells::from_grid(packed.to_grid())
        })
    }

    /// The board with these cells, if they are valid.
    pub fn from_grid(grid: Grid) -> Result<Board, InvalidBoard> {
        validate::check_grid(&grid)?;
        Ok(Board(Cells::from_grid(grid)))
    }

    /// The directions in which a slide changes something. A slide whose merge does not fit in 64
    /// bits counts, but [`Board::slide`] and the game refuse it.
    pub fn legal_moves(&self) -> Directions {
        Direction::ALL.into_iter().filter(|&direction| self.0.can_slide(direction)).collect()
    }

    /// Whether any move is legal.
    #[inline]
    pub fn has_moves(&self) -> bool {
        self.0.has_moves()
    }

    /// Slides the tiles; `None` if nothing changes.
    #[inline]
    pub fn slide(&self, direction: Direction) -> Result<Option<Slid>, Overflow> {
        let slid = self.0.slide(direction)?;
        Ok(slid.map(|(cells, reward)| Slid { after: Afterstate(cells), reward }))
    }

    /// The motion of every tile in a slide, so that screens can animate it without knowing the
    /// rules.
    pub fn motions(&self, direction: Direction) -> Result<Vec<Motion>, Overflow> {
        Ok(self.to_grid().slide(direction)?.motions)
    }

    /// The unchanged board waiting for a spawn: a pass, if the rules allow it.
    pub fn pass(&self) -> Afterstate {
        Afterstate(self.0.clone())
    }

    /// The packed bits of a 4x4 board, if packed slides are exact for it.
    #[inline]
    pub(super) fn packed_bits(&self) -> Option<u64> {
        match &self.0 {
            Cells::Four(four) => four.packed_bits(),
            Cells::Any(_) => None,
        }
    }
}

impl Afterstate {
    /// The empty board before the first tile.
    pub fn empty(size: Size) -> Afterstate {
        Afterstate(Cells::from_grid(Grid::empty(size)))
    }

    /// The `n`-th empty cell, counted from 0 in cell order.
    #[inline]
    pub fn nth_empty(&self, n: usize) -> Option<usize> {
        self.0.nth_empty(n)
    }

    /// The empty cells in order.
    pub fn empty_cells(&self) -> impl Iterator<Item = usize> {
        (0..self.size().cells()).filter(|&cell| self.0.tile(cell) == 0)
    }

    /// The board with a new tile at an empty cell.
    #[inline]
    pub fn spawn(&self, cell: usize, tile: u64) -> Result<Board, ImpossibleSpawn> {
        self.0.with_tile(cell, tile).map(Board)
    }

    /// The afterstate with one more tile, still waiting for a spawn. A game places its start tiles
    /// with it.
    pub fn set_out(&self, cell: usize, tile: u64) -> Result<Afterstate, ImpossibleSpawn> {
        self.0.with_tile(cell, tile).map(Afterstate)
    }
}
