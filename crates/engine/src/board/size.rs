//! The size of a board.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::shortened;

/// Rows and columns of a board, 2 to 8 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Size {
    rows: u8,
    cols: u8,
}

/// An invalid size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SizeError {
    /// A side is too short or too long.
    #[error("a board of {rows}x{cols} is not possible: both sides must be from 2 to 8")]
    OutOfRange {
        /// Requested rows.
        rows: usize,
        /// Requested columns.
        cols: usize,
    },
    /// The text is not a size.
    #[error("'{}' is not a board size: write it like 4x4 (rows x columns) or 4", shortened(.0))]
    Text(String),
}

impl Size {
    /// The shortest side.
    pub const MIN_SIDE: usize = 2;
    /// The longest side.
    pub const MAX_SIDE: usize = 8;
    /// The size of the original game.
    pub const FOUR: Size = Size { rows: 4, cols: 4 };

    /// A checked size.
    pub fn new(rows: usize, cols: usize) -> Result<Size, SizeError> {
        let sides = Self::MIN_SIDE..=Self::MAX_SIDE;
        if sides.contains(&rows) && sides.contains(&cols) {
            Ok(Size { rows: rows as u8, cols: cols as u8 })
        } else {
            Err(SizeError::OutOfRange { rows, cols })
        }
    }

    /// Number of rows.
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// Number of columns.
    pub const fn cols(self) -> usize {
        self.cols as usize
    }

    /// Number of cells.
    pub const fn cells(self) -> usize {
        self.rows() * self.cols()
    }

    /// Whether the numbers of rows and columns are equal.
    pub const fn is_square(self) -> bool {
        self.rows == self.cols
    }

    /// The row and column of a cell. Cells are numbered row by row from the top left.
    pub const fn position(self, cell: usize) -> (usize, usize) {
        (cell / self.cols(), cell % self.cols())
    }

    /// The number of the cell at a row and column.
    pub const fn cell(self, row: usize, col: usize) -> usize {
        row * self.cols() + col
    }
}

impl Default for Size {
    fn default() -> Self {
        Size::FOUR
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str| {
            let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            plain
                .then(|| part.parse::<usize>().ok())
                .flatten()
                .ok_or_else(|| SizeError::Text(text.to_owned()))
        };
        let (rows, cols) = match text.split_once(['x', 'X']) {
            Some((rows, cols)) => (number(rows)?, number(cols)?),
            None => (number(text)?, number(text)?),
        };
        Size::new(rows, cols)
    }
}

impl TryFrom<String> for Size {
    type Error = SizeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> String {
        size.to_string()
    }
}
