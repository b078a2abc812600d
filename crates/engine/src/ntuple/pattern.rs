//! Patterns: the cells that a table of the network looks at, and their text form.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::{Size, Symmetry};
use crate::text::shortened;

/// The cells that one table looks at, in ascending order. The first cell is the lowest digit of the
/// table's index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    cells: Vec<u8>,
}

/// The patterns of a network for one board size. Cells are hex digits, row by row from the top
/// left: `012345 456789` are two patterns of six cells. `4x6`, `5x6` and `8x6` are the usual sets
/// for 4x4 boards. `5x4` is a set of small patterns to add to any of them: `8x6 5x4`.
///
/// ```
/// use lab2048::board::Size;
/// use lab2048::ntuple::Patterns;
///
/// let patterns = Patterns::parse(Size::FOUR, "4x6").unwrap();
/// assert_eq!(patterns.to_string(), "012345 456789 012456 45689a");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(Size, String)", into = "(Size, String)")]
pub struct Patterns {
    size: Size,
    patterns: Vec<Pattern>,
}

/// Why a text is not a list of patterns.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// A side is longer than the 4 cells of a packed board.
    #[error("networks need boards with sides of 2 to 4, not {0}")]
    Size(Size),
    /// There is no pattern.
    #[error("a network needs at least one pattern, for example 012345")]
    Empty,
    /// There are too many patterns.
    #[error("a network can have at most {max} patterns, not {0}", max = Patterns::MAX)]
    TooMany(usize),
    /// A character is not a cell.
    #[error(
        "'{}' in the pattern '{}' is not a cell of a {size} board: cells are hex digits from 0 to {last:x}",
        shortened(&letter.to_string()),
        shortened(pattern)
    )]
    Cell {
        /// The pattern.
        pattern: String,
        /// The wrong character.
        letter: char,
        /// The board size.
        size: Size,
        /// The number of the last cell.
        last: usize,
    },
    /// A pattern contains a cell twice.
    #[error("the pattern '{}' contains the cell '{letter}' twice", shortened(pattern))]
    Twice {
        /// The pattern.
        pattern: String,
        /// The cell.
        letter: char,
    },
    /// The table would be too large.
    #[error("the pattern '{}' has more than {max} cells", shortened(.0), max = Pattern::MAX_CELLS)]
    TooLong(String),
    /// Two patterns are images of each other and would learn the same thing twice.
    #[error("the patterns '{0}' and '{1}' are the same up to rotation and reflection")]
    Same(String, String),
}

/// The usual sets for 4x4 boards: 4x6 and 5x6 after Wu and others (2014) and Yeh and others (2016),
/// 8x6 after Matsuzaki (2016). 5x4 contains the rows and squares, to be added to another set. Small
/// patterns learn quickly and generalise to many boards, and large patterns learn the remaining
/// differences (redundant encoding, Jaskowski 2017).
const NAMED: [(&str, &str); 4] = [
    ("5x4", "0123 4567 0145 1256 569a"),
    ("4x6", "012345 456789 012456 45689a"),
    ("5x6", "012345 456789 012456 45689a 89abcd"),
    ("8x6", "012456 456789 012345 234569 01259a 345678 134567 01489a"),
];

impl Pattern {
    /// The maximal number of cells. A table has 16^cells weights.
    pub const MAX_CELLS: usize = 7;

    fn parse(size: Size, text: &str) -> Result<Pattern, PatternError> {
        let mut cells = Vec::new();
        for letter in text.chars() {
            let cell = letter.to_digit(16).filter(|&digit| (digit as usize) < size.cells());
            let cell = cell.ok_or_else(|| PatternError::Cell {
                pattern: text.to_owned(),
                letter,
                size,
                last: size.cells() - 1,
            })?;
            if cells.contains(&(cell as u8)) {
                return Err(PatternError::Twice { pattern: text.to_owned(), letter });
            }
            cells.push(cell as u8);
        }
        if cells.len() > Self::MAX_CELLS {
            return Err(PatternError::TooLong(text.to_owned()));
        }
        cells.sort_unstable();
        Ok(Pattern { cells })
    }

    /// The cells, numbered row by row from the top left, ascending.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The number of weights in the table: one for each combination of 16 ranks.
    pub fn table_len(&self) -> usize {
        16usize.pow(self.cells.len() as u32)
    }

    /// The cells after a symmetry, ascending.
    fn image(&self, size: Size, symmetry: Symmetry) -> Vec<u8> {
        let place = |&cell: &u8| {
            let (row, col) = (cell as usize / size.cols(), cell as usize % size.cols());
            let (row, col) = symmetry.position(size, row, col);
            (row * size.cols() + col) as u8
        };
        let mut cells: Vec<u8> = self.cells.iter().map(place).collect();
        cells.sort_unstable();
        cells
    }
}

impl Patterns {
    /// The maximal number of patterns of a network.
    pub const MAX: usize = 32;

    /// Parses patterns. Each word is a name (`4x6`, `5x6`, `8x6`, `5x4`) or a list of cells.
    pub fn parse(size: Size, text: &str) -> Result<Patterns, PatternError> {
        if size.rows() > 4 || size.cols() > 4 {
            return Err(PatternError::Size(size));
        }
        let named = |word: &str| NAMED.iter().find(|(name, _)| size == Size::FOUR && *name == word);
        let words = text.split_whitespace();
        let words = words.flat_map(|word| named(word).map_or(word, |(_, cells)| cells).split_whitespace());
        let patterns: Vec<Pattern> =
            words.map(|word| Pattern::parse(size, word)).collect::<Result<_, _>>()?;
        match patterns.len() {
            0 => return Err(PatternError::Empty),
            many if many > Self::MAX => return Err(PatternError::TooMany(many)),
            _ => {}
        }
        for (place, later) in patterns.iter().enumerate() {
            let same = |earlier: &&Pattern| {
                Symmetry::of(size).iter().any(|&symmetry| earlier.image(size, symmetry) == later.cells)
            };
            if let Some(earlier) = patterns[..place].iter().find(same) {
                return Err(PatternError::Same(earlier.to_string(), later.to_string()));
            }
        }
        Ok(Patterns { size, patterns })
    }

    /// The board size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The patterns.
    pub fn list(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The number of weights that are added up for one afterstate: one for each pattern and
    /// symmetry.
    pub fn features(&self) -> usize {
        self.patterns.len() * Symmetry::of(self.size).len()
    }

    /// The number of weights in one stage.
    pub fn weights(&self) -> usize {
        self.patterns.iter().map(Pattern::table_len).sum()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cells.iter().try_for_each(|cell| write!(f, "{cell:x}"))
    }
}

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, pattern) in self.patterns.iter().enumerate() {
            write!(f, "{}{pattern}", if place == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl TryFrom<(Size, String)> for Patterns {
    type Error = PatternError;

    fn try_from((size, text): (Size, String)) -> Result<Self, Self::Error> {
        Patterns::parse(size, &text)
    }
}

impl From<Patterns> for (Size, String) {
    fn from(patterns: Patterns) -> Self {
        (patterns.size, patterns.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_written() {
        for (name, cells) in NAMED {
            let named = Patterns::parse(Size::FOUR, name).unwrap();
            assert_eq!(named, Patterns::parse(Size::FOUR, cells).unwrap());
            assert_eq!(named.to_string(), cells);
        }
        let eight = Patterns::parse(Size::FOUR, "8x6").unwrap();
        assert_eq!((eight.features(), eight.weights()), (64, 8 << 24));
        let both = Patterns::parse(Size::FOUR, "8x6 5x4").unwrap();
        assert_eq!((both.features(), both.weights()), (64 + 40, (8 << 24) + (5 << 16)));
        assert_eq!(both, Patterns::parse(Size::FOUR, &both.to_string()).unwrap());
        let small = Patterns::parse(Size::new(2, 3).unwrap(), "012345").unwrap();
        assert_eq!(small.features(), 4);
    }

    #[test]
    fn wrong_patterns_are_refused_with_a_reason() {
        let message = |text| Patterns::parse(Size::FOUR, text).unwrap_err().to_string();
        assert_eq!(message("  "), "a network needs at least one pattern, for example 012345");
        assert_eq!(
            message("0123g"),
            "'g' in the pattern '0123g' is not a cell of a 4x4 board: cells are hex digits from 0 to f"
        );
        assert_eq!(message("0112"), "the pattern '0112' contains the cell '1' twice");
        assert_eq!(message("01234567"), "the pattern '01234567' has more than 7 cells");
        // The first row, and the last column.
        assert_eq!(
            message("0123 37bf"),
            "the patterns '0123' and '37bf' are the same up to rotation and reflection"
        );
        assert!(Patterns::parse(Size::new(2, 2).unwrap(), "0124").is_err());
        assert!(Patterns::parse(Size::new(5, 4).unwrap(), "0123").is_err());
    }
}
