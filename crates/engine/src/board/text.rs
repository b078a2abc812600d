//! Text forms of boards: rows of numbers, hex code, JSON. A form rejects boards that it cannot
//! hold.
//!
//! - **rows**: cells are separated by blanks, commas or `|`, rows by new lines, `/` or `;`. An
//!   empty cell is `0`, `.`, `_` or `-`. A single row is only a board if the size is known.
//! - **hex**: 16 hexadecimal digits, the rank of each cell of a 4x4 board, top left first.
//! - **JSON**: an array of rows, each an array of numbers (`null` for an empty cell), or an object
//!   with such a `board`, as the program prints it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use super::validate::check_rows;
use super::{Board, Grid, InvalidBoard, RawCell, Size, rank_of, tile_of};

/// A way to write a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardForm {
    /// `2 0 0 4/...`
    Rows,
    /// `1002...`
    Hex,
    /// `[[2,0,0,4],...]`
    Json,
}

/// The chosen form cannot hold the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the hex code holds only 4x4 boards of powers of two up to 32768")]
pub struct CannotWrite;

/// Why a text is not a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardTextError {
    /// The cells were read, but they are not a valid board.
    #[error(transparent)]
    Invalid(#[from] InvalidBoard),
    /// A single row, without a size.
    #[error("a single row of {0} cells needs a board size; give a size or separate the rows with '/'")]
    NeedsSize(usize),
    /// A single row whose length does not match the size.
    #[error("a {size} board has {} cells, but {found} are given", size.cells())]
    OtherCount {
        /// The requested size.
        size: Size,
        /// The number of cells.
        found: usize,
    },
    /// A single word that is not a hex code.
    #[error(
        "'{0}' is not a board: a hex code has 16 digits, one for each cell of 4x4, and rows are separated by '/'"
    )]
    OneWord(String),
    /// Invalid JSON, or JSON of another kind.
    #[error("not a board in JSON (an array of rows of numbers): {0}")]
    Json(String),
}

/// Reads a board in any text form. `size` is the required size, if known.
///
/// ```
/// use lab2048::board::{BoardForm, parse_board};
///
/// let rows = parse_board("0 2 0 0/0 0 0 0/0 0 4 0/0 0 0 0", None).unwrap();
/// let hex = parse_board("0100000000200000", None).unwrap();
/// assert_eq!(rows, hex);
/// assert_eq!(hex.to_text(BoardForm::Hex).unwrap(), "0100000000200000");
/// ```
pub fn parse_board(text: &str, size: Option<Size>) -> Result<Board, BoardTextError> {
    // Some programs begin a text with a byte order mark.
    let text = text.trim_start_matches('\u{feff}').trim();
    let rows = if text.starts_with(['[', '{']) {
        json_rows(text)?
    } else if is_hex_code(text) {
        hex_rows(text)
    } else if is_one_word(text) {
        return Err(BoardTextError::OneWord(text.chars().take(40).collect()));
    } else {
        plain_rows(text)
    };
    let rows = reshape(rows, size)?;
    let grid = check_rows(&rows, size)?;
    Ok(Board::from_grid(grid)?)
}

fn is_hex_code(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_one_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric())
}

fn hex_rows(text: &str) -> Vec<Vec<RawCell>> {
    let ranks = text.chars().map(|digit| digit.to_digit(16).unwrap_or(0) as u8);
    let cells: Vec<RawCell> = ranks.map(|rank| RawCell::Number(tile_of(rank).into())).collect();
    cells.chunks(4).map(<[RawCell]>::to_vec).collect()
}

fn plain_rows(text: &str) -> Vec<Vec<RawCell>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let rows = lines.flat_map(|line| line.split(['/', ';']));
    let cells = |row: &str| -> Vec<RawCell> {
        let words = row.split([' ', '\t', ',', '|']).filter(|word| !word.is_empty());
        words.map(RawCell::from_text).collect()
    };
    rows.map(cells).collect()
}

fn json_rows(text: &str) -> Result<Vec<Vec<RawCell>>, BoardTextError> {
    let value: Value = serde_json::from_str(text).map_err(|error| BoardTextError::Json(error.to_string()))?;
    value_rows(value.get("board").unwrap_or(&value))
}

/// The rows in a JSON value: an array of arrays, or a flat array (one row).
fn value_rows(value: &Value) -> Result<Vec<Vec<RawCell>>, BoardTextError> {
    let wrong = |what: &str| BoardTextError::Json(what.to_owned());
    let rows = value.as_array().ok_or_else(|| wrong("it is not an array"))?;
    if !rows.is_empty() && rows.iter().all(|row| !row.is_array()) {
        return Ok(vec![rows.iter().map(json_cell).collect()]);
    }
    rows.iter()
        .map(|row| {
            let cells = row.as_array().ok_or_else(|| wrong("a row is not an array"))?;
            Ok(cells.iter().map(json_cell).collect())
        })
        .collect()
}

fn json_cell(value: &Value) -> RawCell {
    match value {
        Value::Null => RawCell::Number(0),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => RawCell::Number(number.into()),
            (None, Some(number)) => RawCell::Number(number.into()),
            (None, None) => RawCell::Other(number.to_string()),
        },
        other => RawCell::Other(other.to_string()),
    }
}

/// Splits a single row into rows of the known size.
fn reshape(rows: Vec<Vec<RawCell>>, size: Option<Size>) -> Result<Vec<Vec<RawCell>>, BoardTextError> {
    match (rows.as_slice(), size) {
        ([row], None) if row.len() > 1 => Err(BoardTextError::NeedsSize(row.len())),
        ([row], Some(size)) if row.len() == size.cells() => {
            Ok(row.chunks(size.cols()).map(<[RawCell]>::to_vec).collect())
        }
        ([row], Some(size)) if !row.is_empty() => Err(BoardTextError::OtherCount { size, found: row.len() }),
        _ => Ok(rows),
    }
}

impl Board {
    /// The board in a text form that [`parse_board`] reads back.
    pub fn to_text(&self, form: BoardForm) -> Result<String, CannotWrite> {
        match form {
            BoardForm::Rows => Ok(rows_text(&self.to_grid())),
            BoardForm::Json => Ok(json_text(&self.to_grid())),
            BoardForm::Hex if self.size() == Size::FOUR => self
                .tiles()
                .map(|tile| rank_of(tile).and_then(|rank| char::from_digit(rank.into(), 16)))
                .collect::<Option<String>>()
                .ok_or(CannotWrite),
            BoardForm::Hex => Err(CannotWrite),
        }
    }
}

fn join<T: fmt::Display>(items: impl Iterator<Item = T>, separator: &str) -> String {
    items.map(|item| item.to_string()).collect::<Vec<_>>().join(separator)
}

fn rows_text(grid: &Grid) -> String {
    join(grid.rows().map(|row| join(row.iter(), " ")), "/")
}

fn json_text(grid: &Grid) -> String {
    format!("[{}]", join(grid.rows().map(|row| format!("[{}]", join(row.iter(), ","))), ","))
}

impl FromStr for Board {
    type Err = BoardTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_board(text, None)
    }
}

/// A board in JSON is an array of rows.
impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let grid = self.to_grid();
        serializer.collect_seq(grid.rows())
    }
}

impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let rows = value_rows(&value).map_err(D::Error::custom)?;
        let grid = check_rows(&rows, None).map_err(D::Error::custom)?;
        Board::from_grid(grid).map_err(D::Error::custom)
    }
}
