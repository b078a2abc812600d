//! `Grid`: a matrix of numbers. Slow and obviously right; the reference that every fast path is tested against.

use std::fmt;

use thiserror::Error;

use super::{Direction, Size, Symmetry};

/// A matrix of tile values, 0 for an empty cell. It knows how tiles slide but not whose turn it is.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    size: Size,
    cells: Vec<u64>,
}

/// One tile's way during a slide. Cells are numbered row by row from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Motion {
    /// Where it was.
    pub from: usize,
    /// Where it went (the same cell if it stayed).
    pub to: usize,
    /// The value it had before.
    pub tile: u64,
    /// Whether it became part of a merge.
    pub merged: bool,
}

/// What a slide of a [`Grid`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridSlide {
    /// The grid afterwards; equal to the one before if nothing could move.
    pub grid: Grid,
    /// The sum of the merged tiles.
    pub reward: u64,
    /// One entry for every tile, in the order of their cells along the slide.
    pub motions: Vec<Motion>,
}

/// A move that cannot be made because a number would not fit 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Overflow {
    /// The tile that two equal ones would make.
    #[error("two tiles of {0} cannot merge: their sum does not fit 64 bits")]
    Tile(u64),
    /// The sum of all merges of a move, or of a game.
    #[error("the move cannot be made: the score would not fit 64 bits")]
    Score,
}

impl Grid {
    /// A grid without tiles.
    pub fn empty(size: Size) -> Grid {
        Grid { size, cells: vec![0; size.cells()] }
    }

    /// A grid from its cells, row by row.
    ///
    /// # Panics
    /// If there are not exactly as many cells as the size says.
    pub fn from_cells(size: Size, cells: Vec<u64>) -> Grid {
        assert_eq!(cells.len(), size.cells(), "a {size} grid needs {} cells", size.cells());
        Grid { size, cells }
    }

    /// Its size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The values, row by row.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// The values of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.cells.chunks_exact(self.size.cols())
    }

    /// The value at a cell.
    ///
    /// # Panics
    /// If the grid has no such cell.
    pub fn get(&self, cell: usize) -> u64 {
        self.cells[cell]
    }

    /// Puts a value into a cell.
    ///
    /// # Panics
    /// If the grid has no such cell.
    pub fn set(&mut self, cell: usize, tile: u64) {
        self.cells[cell] = tile;
    }

    /// The empty cells in their order.
    pub fn empty_cells(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().enumerate().filter(|(_, tile)| **tile == 0).map(|(cell, _)| cell)
    }

    /// The cells of each line along `direction`, each line starting at the wall that tiles slide towards.
    fn lines(&self, direction: Direction) -> Vec<Vec<usize>> {
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let (lines, length) = if direction.is_vertical() { (cols, rows) } else { (rows, cols) };
        let cell = |line: usize, step: usize| match direction {
            Direction::Up => self.size.cell(step, line),
            Direction::Down => self.size.cell(rows - 1 - step, line),
            Direction::Left => self.size.cell(line, step),
            Direction::Right => self.size.cell(line, cols - 1 - step),
        };
        (0..lines).map(|line| (0..length).map(|step| cell(line, step)).collect()).collect()
    }

    /// Slides every tile as far as it goes; equal neighbours merge once, those nearest to the wall first.
    pub fn slide(&self, direction: Direction) -> Result<GridSlide, Overflow> {
        let mut slide = GridSlide { grid: Grid::empty(self.size), reward: 0, motions: Vec::new() };
        for line in self.lines(direction) {
            let mut filled = 0; // cells of the line that are taken
            let mut open: Option<usize> = None; // the motion whose tile the next one may merge with
            for &from in line.iter().filter(|&&cell| self.cells[cell] != 0) {
                let tile = self.cells[from];
                match open {
                    Some(partner) if slide.motions[partner].tile == tile => {
                        let sum = tile.checked_mul(2).ok_or(Overflow::Tile(tile))?;
                        slide.reward = slide.reward.checked_add(sum).ok_or(Overflow::Score)?;
                        let to = slide.motions[partner].to;
                        slide.grid.cells[to] = sum;
                        slide.motions[partner].merged = true;
                        slide.motions.push(Motion { from, to, tile, merged: true });
                        open = None;
                    }
                    _ => {
                        let to = line[filled];
                        filled += 1;
                        slide.grid.cells[to] = tile;
                        open = Some(slide.motions.len());
                        slide.motions.push(Motion { from, to, tile, merged: false });
                    }
                }
            }
        }
        Ok(slide)
    }

    /// Whether a slide in this direction changes anything.
    pub fn can_slide(&self, direction: Direction) -> bool {
        self.lines(direction).iter().any(|line| {
            line.windows(2).any(|pair| {
                let (near, far) = (self.cells[pair[0]], self.cells[pair[1]]);
                far != 0 && (near == 0 || near == far)
            })
        })
    }

    /// The largest tile, 0 on an empty grid.
    pub fn largest(&self) -> u64 {
        self.cells.iter().copied().max().unwrap_or(0)
    }

    /// The sum of all tiles, which can exceed 64 bits.
    pub fn tile_sum(&self) -> u128 {
        self.cells.iter().map(|&tile| u128::from(tile)).sum()
    }

    /// The grid turned or reflected.
    pub fn transformed(&self, symmetry: Symmetry) -> Grid {
        let size = if symmetry.transpose {
            Size::new(self.size.cols(), self.size.rows()).expect("the sides of a size, exchanged, are a size")
        } else {
            self.size
        };
        let mut image = Grid::empty(size);
        for (cell, &tile) in self.cells.iter().enumerate() {
            let (row, col) = self.size.position(cell);
            let (row, col) = symmetry.position(self.size, row, col);
            image.cells[size.cell(row, col)] = tile;
        }
        image
    }

    /// The first, in the order of the cells' values, of all images of the grid under its size's symmetries.
    pub fn canonical(&self) -> Grid {
        let images = Symmetry::of(self.size).iter().map(|&symmetry| self.transformed(symmetry));
        images.min_by(|a, b| a.cells.cmp(&b.cells)).expect("every size has symmetries")
    }
}

/// Right-aligned rows, a dot for an empty cell: the picture of a board in text output and in test failures.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.largest().to_string().len().max(4);
        for (index, row) in self.rows().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            for &tile in row {
                if tile == 0 { write!(f, " {:>width$}", ".")? } else { write!(f, " {tile:>width$}")? }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid {}\n{self}", self.size)
    }
}
