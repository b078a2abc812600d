//! The four directions, and small sets of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::shortened;

/// The direction in which tiles slide. The order `Up, Right, Down, Left` is the same everywhere: in
/// arrays of four values, in files and in the Python package. Other codes are converted where they
/// enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Direction {
    /// Towards the first row.
    Up = 0,
    /// Towards the last column.
    Right = 1,
    /// Towards the last row.
    Down = 2,
    /// Towards the first column.
    Left = 3,
}

impl Direction {
    /// All four directions in order.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// Its index in [`Direction::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The direction at an index in [`Direction::ALL`].
    pub fn from_index(index: usize) -> Option<Direction> {
        Self::ALL.get(index).copied()
    }

    /// The lower-case English word.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Right => "right",
            Direction::Down => "down",
            Direction::Left => "left",
        }
    }

    /// The opposite direction.
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Right => Direction::Left,
            Direction::Down => Direction::Up,
            Direction::Left => Direction::Right,
        }
    }

    /// True for Up and Down.
    pub const fn is_vertical(self) -> bool {
        matches!(self, Direction::Up | Direction::Down)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not a direction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{}' is not a direction: up, right, down or left (or u, r, d, l)", shortened(.0))]
pub struct UnknownDirection(pub String);

impl FromStr for Direction {
    type Err = UnknownDirection;

    /// Reads a word or its first letter, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "up" | "u" => Ok(Direction::Up),
            "right" | "r" => Ok(Direction::Right),
            "down" | "d" => Ok(Direction::Down),
            "left" | "l" => Ok(Direction::Left),
            _ => Err(UnknownDirection(text.to_owned())),
        }
    }
}

/// A set of directions, for instance the legal ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Directions(u8);

impl Directions {
    /// The empty set.
    pub const NONE: Directions = Directions(0);

    /// The set with `direction` added.
    #[must_use]
    pub const fn with(self, direction: Direction) -> Directions {
        Directions(self.0 | 1 << direction as u8)
    }

    /// Whether `direction` is in the set.
    pub const fn contains(self, direction: Direction) -> bool {
        self.0 >> direction as u8 & 1 == 1
    }

    /// The number of directions in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The member at `index`, in the order of [`Direction::ALL`].
    pub fn nth(self, index: usize) -> Option<Direction> {
        self.iter().nth(index)
    }

    /// The members in the order of [`Direction::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(move |&direction| self.contains(direction))
    }
}

impl FromIterator<Direction> for Directions {
    fn from_iter<I: IntoIterator<Item = Direction>>(directions: I) -> Self {
        directions.into_iter().fold(Directions::NONE, Directions::with)
    }
}
