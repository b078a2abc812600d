//! Text forms of boards: rows of numbers, hex code, JSON. A form rejects boards that it cannot
//! hold.
//!
//! - **rows**: cells are separated by blanks, commas or `|`, rows by new lines, `/` or `;`. An
//!   empty cell is `0`, `.`, `_` or `-`. Without separators of rows, a square number of cells is a
//!   square board; other numbers need the size. The brackets of a printed array are separators too.
//! - **hex**: 16 hexadecimal digits, the rank of each cell of a 4x4 board, top left first. `0x` may
//!   stand before them.
//! - **JSON**: an array of rows, what the program prints, or the saved game of the web game; see
//!   `json.rs`.
//!
//! Quotation marks around the whole text are ignored.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use super::json::{array_rows, rows_of_text};
use super::validate::check_rows;
use super::{Board, Grid, InvalidBoard, RawCell, Size, rank_of, tile_of};
use crate::text::shortened;

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
    /// `0x` and digits, but not 16.
    #[error(
        "the hex code '{}' has {} digits after 0x, but a board has 16, one for each cell of 4x4, zeros included",
        shortened(.0),
        .0.chars().count().saturating_sub(2)
    )]
    HexLength(String),
    /// A single row of numbers of which some look like parts of a hex code.
    #[error(
        "'{}' in a single row may be a number or a part of a hex code; separate the rows with '/', or give 16 digits without blanks",
        shortened(.0)
    )]
    LeadingZero(String),
    /// Invalid JSON, or JSON of another kind.
    #[error("{0}")]
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
    let text = unquoted(text.trim_start_matches('\u{feff}').trim());
    let rows = read_rows(&text)?;
    if let (None, [_], Some(word)) = (size, rows.as_slice(), part_of_hex(&text)) {
        return Err(BoardTextError::LeadingZero(word.to_owned()));
    }
    let rows = reshape(rows, size)?;
    let grid = check_rows(&rows, size)?;
    Ok(Board::from_grid(grid)?)
}

/// The text without quotation marks around it.
fn unquoted(text: &str) -> Cow<'_, str> {
    // A text in JSON can have escapes.
    if let Ok(inner) = serde_json::from_str::<String>(text) {
        return Cow::Owned(inner.trim().to_owned());
    }
    let inside = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    Cow::Borrowed(['"', '\'', '`'].into_iter().find_map(inside).unwrap_or(text).trim())
}

fn read_rows(text: &str) -> Result<Vec<Vec<RawCell>>, BoardTextError> {
    if text.starts_with(['[', '{']) {
        return rows_of_text(text).or_else(|error| printed_array(text).ok_or(error));
    }
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if is_hex_code(digits) => Ok(hex_rows(digits)),
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Err(BoardTextError::HexLength(text.to_owned()))
        }
        None if is_hex_code(text) => Ok(hex_rows(text)),
        _ if is_one_word(text) => Err(BoardTextError::OneWord(text.chars().take(40).collect())),
        _ => Ok(plain_rows(text)),
    }
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

/// The rows of an array as numpy prints it: brackets without commas.
fn printed_array(text: &str) -> Option<Vec<Vec<RawCell>>> {
    let plain =
        |letter: char| letter.is_ascii_digit() || letter.is_ascii_whitespace() || "[].e+".contains(letter);
    let inner = text.strip_prefix('[')?.strip_suffix(']').filter(|inner| inner.chars().all(plain))?;
    let mut rows = Vec::new();
    for row in inner.trim().strip_suffix(']')?.split(']') {
        let cells = row.trim_start().strip_prefix('[')?.split_whitespace();
        rows.push(cells.map(printed_number).collect());
    }
    Some(rows)
}

/// A number as numpy prints it: `2`, or `2.` and `2.048e+03` in an array of floating-point numbers.
fn printed_number(text: &str) -> RawCell {
    let whole = |number: &f64| number.fract() == 0.0 && *number < EXACT;
    match text.parse().ok().filter(|_| text.contains('.')).filter(whole) {
        Some(number) => RawCell::Number(number as i128),
        None => RawCell::from_text(text),
    }
}

/// All whole numbers up to here are exact in floating point.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A word of a text that is a number with a leading zero: often a part of a hex code.
fn part_of_hex(text: &str) -> Option<&str> {
    let has_zero = |word: &&str| {
        word.len() > 1 && word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split(|letter: char| letter.is_whitespace() || ",|".contains(letter)).find(has_zero)
}

fn plain_rows(text: &str) -> Vec<Vec<RawCell>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let rows: Vec<Vec<RawCell>> = lines.iter().flat_map(|line| line.split(['/', ';'])).map(row_of).collect();
    // Numbers on a line each are a single row: no board has one column.
    let is_list = rows.len() > 1 && lines.len() == rows.len() && rows.iter().all(|row| row.len() == 1);
    if is_list { vec![rows.concat()] } else { rows }
}

/// The cells of a row. A separator may end it, and `|` may also begin it. Nothing between two
/// separators could be an empty cell or a mistake, so it becomes an empty text, which is refused.
fn row_of(row: &str) -> Vec<RawCell> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut fields: Vec<Vec<&str>> =
        row.split([',', '|']).map(|field| field.split_whitespace().collect()).collect();
    fields.pop_if(|last| last.is_empty());
    let cells = fields.into_iter().flat_map(|field| if field.is_empty() { vec![""] } else { field });
    cells.map(RawCell::from_text).collect()
}

/// Splits a single row into rows of the known size, or into those of a square.
fn reshape(rows: Vec<Vec<RawCell>>, size: Option<Size>) -> Result<Vec<Vec<RawCell>>, BoardTextError> {
    let row = match rows.as_slice() {
        [row] if row.len() > 1 || (row.len() == 1 && size.is_some()) => row,
        _ => return Ok(rows),
    };
    let size = match size {
        Some(size) if size.cells() == row.len() => size,
        Some(size) => return Err(BoardTextError::OtherCount { size, found: row.len() }),
        None => square_of(row.len()).ok_or(BoardTextError::NeedsSize(row.len()))?,
    };
    Ok(row.chunks(size.cols()).map(<[RawCell]>::to_vec).collect())
}

/// The square board with this number of cells.
fn square_of(cells: usize) -> Option<Size> {
    (Size::MIN_SIDE..=Size::MAX_SIDE)
        .find(|side| side * side == cells)
        .and_then(|side| Size::new(side, side).ok())
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
        let rows = array_rows(&value).map_err(D::Error::custom)?;
        let grid = check_rows(&rows, None).map_err(D::Error::custom)?;
        Board::from_grid(grid).map_err(D::Error::custom)
    }
}
