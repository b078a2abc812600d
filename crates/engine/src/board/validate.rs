//! The validator of boards. All input (text, JSON, Python, a page) becomes a board here or is
//! rejected with the cell and the reason.

use thiserror::Error;

use super::{Grid, Size, SizeError};
use crate::text::shortened;

/// A cell of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawCell {
    /// A whole number.
    Number(i128),
    /// Anything else.
    Other(String),
}

impl RawCell {
    /// Reads a cell written as text. `.`, `_` and `-` are empty cells.
    pub fn from_text(text: &str) -> RawCell {
        match text {
            "." | "_" | "-" => RawCell::Number(0),
            _ => text.parse().map_or_else(|_| RawCell::Other(text.to_owned()), RawCell::Number),
        }
    }
}

/// What is wrong with a cell.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CellProblem {
    /// Below zero.
    #[error("{} is negative", shortened(.0))]
    Negative(String),
    /// More than 64 bits.
    #[error("{} is too large: the largest tile is 18446744073709551615", shortened(.0))]
    TooLarge(String),
    /// Not a whole number.
    #[error("'{}' is not a whole number", shortened(.0))]
    NotANumber(String),
    /// Nothing is written there.
    #[error("nothing is written here; write 0 for an empty cell")]
    Missing,
}

/// `1 cell`, `2 cells`.
pub(super) fn cells_in_words(count: usize) -> String {
    if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") }
}

/// Why something is not a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidBoard {
    /// No rows at all.
    #[error("the board is empty: it has no rows")]
    NoRows,
    /// Rows of different lengths.
    #[error("row {row} has {}, but row 1 has {expected}", cells_in_words(*found))]
    Ragged {
        /// Counted from 1.
        row: usize,
        /// Cells in that row.
        found: usize,
        /// Cells in the first row.
        expected: usize,
    },
    /// Too small or too large.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The size differs from the required one.
    #[error("the board is {found}, but it must be {wanted}")]
    OtherSize {
        /// The size it has.
        found: Size,
        /// The size it should have.
        wanted: Size,
    },
    /// A cell that cannot be a tile.
    #[error("row {row}, column {col}: {problem}")]
    Cell {
        /// Counted from 1.
        row: usize,
        /// Counted from 1.
        col: usize,
        /// What is wrong with it.
        problem: CellProblem,
    },
    /// All cells are empty.
    #[error("the board has no tiles")]
    NoTiles,
}

/// Checks rows of input and makes a grid with at least one tile.
pub fn check_rows(rows: &[Vec<RawCell>], wanted: Option<Size>) -> Result<Grid, InvalidBoard> {
    let expected = rows.first().ok_or(InvalidBoard::NoRows)?.len();
    let ragged = rows.iter().enumerate().find(|(_, row)| row.len() != expected);
    if let Some((row, cells)) = ragged {
        return Err(InvalidBoard::Ragged { row: row + 1, found: cells.len(), expected });
    }
    let found = Size::new(rows.len(), expected)?;
    if let Some(wanted) = wanted.filter(|&wanted| wanted != found) {
        return Err(InvalidBoard::OtherSize { found, wanted });
    }
    let mut cells = Vec::with_capacity(found.cells());
    for (row, raw_cells) in rows.iter().enumerate() {
        for (col, raw) in raw_cells.iter().enumerate() {
            let cell = check_cell(raw);
            cells.push(cell.map_err(|problem| InvalidBoard::Cell { row: row + 1, col: col + 1, problem })?);
        }
    }
    let grid = Grid::from_cells(found, cells);
    check_grid(&grid)?;
    Ok(grid)
}

/// Checks what the type of a grid does not guarantee.
pub(super) fn check_grid(grid: &Grid) -> Result<(), InvalidBoard> {
    if grid.largest() == 0 { Err(InvalidBoard::NoTiles) } else { Ok(()) }
}

fn check_cell(raw: &RawCell) -> Result<u64, CellProblem> {
    const BEYOND: f64 = (1u128 << 64) as f64;
    match raw {
        RawCell::Number(number) if *number < 0 => Err(CellProblem::Negative(number.to_string())),
        RawCell::Number(number) => {
            u64::try_from(*number).map_err(|_| CellProblem::TooLarge(number.to_string()))
        }
        RawCell::Other(text) if text.is_empty() => Err(CellProblem::Missing),
        // A fraction, or a number beyond 128 bits: its magnitude is enough to choose the right
        // reason.
        RawCell::Other(text) => Err(match text.parse::<f64>() {
            Ok(number) if number < 0.0 => CellProblem::Negative(text.clone()),
            Ok(number) if number >= BEYOND => CellProblem::TooLarge(text.clone()),
            _ => CellProblem::NotANumber(text.clone()),
        }),
    }
}
