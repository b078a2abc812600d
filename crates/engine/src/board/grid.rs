//! `Grid`: a matrix of numbers. It is slow and simple, the reference that every fast path is tested
//! against.

use std::fmt;

use thiserror::Error;

use super::{Direction, Size, Symmetry};

/// A matrix of tile values, 0 for an empty cell. It can slide tiles but is neither a board nor an
/// afterstate.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    size: Size,
    cells: Vec<u64>,
}

/// The motion of one tile during a slide. Cells are numbered row by row from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Motion {
    /// The cell before.
    pub from: usize,
    /// The cell after (the same if the tile did not move).
    pub to: usize,
    /// Its value before the slide.
    pub tile: u64,
    /// Whether it took part in a merge.
    pub merged: bool,
}

/// The result of sliding a [`Grid`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridSlide {
    /// The grid after the slide; unchanged if nothing could move.
    pub grid: Grid,
    /// The sum of the merged tiles.
    pub reward: u64,
    /// One entry for every tile, line by line, starting at the wall that tiles slide towards.
    pub motions: Vec<Motion>,
}

/// A move that is impossible because a number would not fit in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Overflow {
    /// The merged tile is too large.
    #[error("two tiles of {0} cannot merge: their sum does not fit in 64 bits")]
    Tile(u64),
    /// The sum of all merges of a move, or the score of a game, is too large.
    #[error("the move is impossible: the score would not fit in 64 bits")]
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
    /// If the number of cells does not match the size.
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

    /// The empty cells in order.
    pub fn empty_cells(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().enumerate().filter(|(_, tile)| **tile == 0).map(|(cell, _)| cell)
    }

    /// The cells of each line along `direction`. Each line starts at the wall that tiles slide
    /// towards.
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

    /// Slides every tile as far as it goes. Equal neighbours merge once; those nearest to the wall
    /// merge first.
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

    /// The grid rotated or reflected.
    pub fn transformed(&self, symmetry: Symmetry) -> Grid {
        let size = if symmetry.transpose {
            Size::new(self.size.cols(), self.size.rows()).expect("swapping the sides keeps a size valid")
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

    /// The image with the smallest cells in lexicographic order, of all images under the size's
    /// symmetries.
    pub fn canonical(&self) -> Grid {
        let images = Symmetry::of(self.size).iter().map(|&symmetry| self.transformed(symmetry));
        images.min_by(|a, b| a.cells.cmp(&b.cells)).expect("every size has symmetries")
    }
}

/// Right-aligned rows with a dot for an empty cell, for text output and test failures.
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
