//! The symmetries of a board: 8 of a square, 4 of a rectangle.

use super::{Direction, Size};

/// A rotation or reflection: first an optional transposition, then optional flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    /// Rows become columns (first).
    pub transpose: bool,
    /// The first row becomes the last (after the transposition).
    pub flip_rows: bool,
    /// The first column becomes the last (after the transposition).
    pub flip_cols: bool,
}

const fn symmetry(transpose: bool, flip_rows: bool, flip_cols: bool) -> Symmetry {
    Symmetry { transpose, flip_rows, flip_cols }
}

impl Symmetry {
    /// Changes nothing.
    pub const IDENTITY: Symmetry = symmetry(false, false, false);

    /// All eight; the four that keep a rectangle's shape come first.
    pub const ALL: [Symmetry; 8] = [
        Self::IDENTITY,
        symmetry(false, false, true),
        symmetry(false, true, false),
        symmetry(false, true, true),
        symmetry(true, false, false),
        symmetry(true, false, true),
        symmetry(true, true, false),
        symmetry(true, true, true),
    ];

    /// The symmetries that map boards of this size to boards of this size.
    pub const fn of(size: Size) -> &'static [Symmetry] {
        if size.is_square() { &Self::ALL } else { Self::ALL.split_at(4).0 }
    }

    /// The image of the cell at (row, col) of a board of `size`.
    pub const fn position(self, size: Size, row: usize, col: usize) -> (usize, usize) {
        let (row, col, rows, cols) = if self.transpose {
            (col, row, size.cols(), size.rows())
        } else {
            (row, col, size.rows(), size.cols())
        };
        (if self.flip_rows { rows - 1 - row } else { row }, if self.flip_cols { cols - 1 - col } else { col })
    }

    /// The direction on the image that corresponds to `direction` on the original.
    pub const fn direction(self, direction: Direction) -> Direction {
        use Direction::{Down, Left, Right, Up};
        let direction = if self.transpose {
            match direction {
                Up => Left,
                Left => Up,
                Down => Right,
                Right => Down,
            }
        } else {
            direction
        };
        let flipped = if direction.is_vertical() { self.flip_rows } else { self.flip_cols };
        if flipped { direction.opposite() } else { direction }
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        if self.transpose { symmetry(true, self.flip_cols, self.flip_rows) } else { self }
    }
}
