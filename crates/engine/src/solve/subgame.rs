//! What is solved: a sub-game of 2048.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::{Size, Symmetry, rank_of};
use crate::game::Probability;
use crate::text::shortened;

/// A part of the game that can be solved exactly: a small board, or an endgame with walls.
///
/// Walls are cells with large tiles. A wall never merges, and a move that would shift one is not
/// allowed. The other cells are *free*. The player wants points, or one tile of a certain size.
///
/// ```
/// use lab2048::Size;
/// use lab2048::solve::{Goal, Place, SubGame, Walls};
///
/// let small = SubGame::on_board(Size::new(3, 3)?, Goal::Score)?;
/// assert_eq!(small.name(), "3x3");
/// let block = SubGame::endgame("block".parse::<Walls>()?, 512, Place::Beside)?;
/// assert_eq!(block.name(), "block-512");
/// assert_eq!(block.free_cells().collect::<Vec<_>>(), [3, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Plain", into = "Plain")]
pub struct SubGame {
    size: Size,
    walls: Walls,
    goal: Goal,
    four: Probability,
    max_sum: Option<u32>,
}

/// What the player wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// As many points as possible.
    Score,
    /// To make a tile of this size. Nothing else counts.
    Tile {
        /// The tile.
        tile: u64,
        /// Where it counts.
        place: Place,
    },
}

impl Goal {
    /// The target tile, if there is one.
    pub fn tile(self) -> Option<u64> {
        match self {
            Goal::Score => None,
            Goal::Tile { tile, .. } => Some(tile),
        }
    }
}

/// Where the target tile counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In any free cell.
    Anywhere,
    /// In a free neighbour of the inner wall. A target tile elsewhere must be moved there. A second
    /// one must not be merged with it.
    Beside,
}

/// The cells of the walls of a 4x4 board. The last one is the *inner* wall: the smallest tile,
/// which the target merges with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Walls(Vec<u8>);

/// Formations with a name.
const FORMATIONS: [(&str, &[u8]); 4] = [
    ("block", &[0, 1, 2, 4, 5, 6]),
    ("snake", &[0, 1, 2, 3, 4, 5]),
    ("t", &[0, 2, 3, 4, 6, 7]),
    ("row", &[0, 1, 2, 3]),
];

/// A sub-game that cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SubGameError {
    /// The text is neither a formation nor a list of cells.
    #[error("'{}' is not a formation: use block, snake, t, row, or cells from 0 to 15 like 0,1,2,4,5,6", shortened(.0))]
    Walls(String),
    /// The text is not the name of a table.
    #[error("'{}' is not the name of a table: use one like block-512 or 3x3", shortened(.0))]
    Name(String),
    /// The board has another shape.
    #[error("a board of {0} cannot be solved: both sides must be from 2 to 4")]
    Size(Size),
    /// Too many positions.
    #[error("the whole game on {0} has too many positions: solve for a tile instead, like {0}-16")]
    TooLarge(Size),
    /// The tile is not a target.
    #[error("the target must be a power of two from 8 to 8192, not {0}")]
    Target(u64),
    /// Not enough room.
    #[error("{tile} cannot be made in {cells} cells")]
    Impossible {
        /// The target.
        tile: u64,
        /// The number of free cells.
        cells: usize,
    },
    /// Fewer than two free cells.
    #[error("{0} walls leave too few free cells: at least two are needed")]
    NoRoom(usize),
    /// No target cell.
    #[error("no free cell is beside the inner wall (cell {0}, the last one named)")]
    NothingBeside(u8),
    /// Walls are for endgames.
    #[error("walls need a board of 4x4 and a target tile")]
    Endgame,
    /// `beside` without walls.
    #[error("without walls, the target counts anywhere")]
    NoWalls,
    /// The limit is too small.
    #[error("the largest sum must be at least {least}, not {max}")]
    MaxSum {
        /// The limit.
        max: u32,
        /// The least one: the target, or two start tiles of 4.
        least: u64,
    },
}

impl Walls {
    /// The cells, the inner wall last.
    pub fn cells(&self) -> &[u8] {
        &self.0
    }

    /// The inner wall.
    pub fn inner(&self) -> Option<u8> {
        self.0.last().copied()
    }

    /// The name of the formation, if it has one.
    pub fn formation(&self) -> Option<&'static str> {
        FORMATIONS.iter().find(|(_, cells)| *cells == self.0).map(|(name, _)| *name)
    }

    /// Checked walls.
    pub fn new(cells: Vec<u8>) -> Result<Walls, SubGameError> {
        let said = || cells.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        let distinct = (0..16).filter(|cell| cells.contains(cell)).count() == cells.len();
        if cells.is_empty() || !distinct {
            return Err(SubGameError::Walls(said()));
        }
        if cells.len() > 14 {
            return Err(SubGameError::NoRoom(cells.len()));
        }
        Ok(Walls(cells))
    }
}

impl FromStr for Walls {
    type Err = SubGameError;

    fn from_str(text: &str) -> Result<Walls, SubGameError> {
        let wrong = || SubGameError::Walls(text.to_owned());
        if let Some((_, cells)) = FORMATIONS.iter().find(|(name, _)| *name == text) {
            return Walls::new(cells.to_vec());
        }
        let cells: Result<Vec<u8>, _> = text.split(',').map(|cell| cell.trim().parse::<u8>()).collect();
        Walls::new(cells.map_err(|_| wrong())?).map_err(|error| match error {
            SubGameError::Walls(_) => wrong(),
            other => other,
        })
    }
}

impl fmt::Display for Walls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.formation() {
            return f.write_str(name);
        }
        let cells: Vec<String> = self.0.iter().map(u8::to_string).collect();
        f.write_str(&cells.join(","))
    }
}

impl SubGame {
    /// How far the free tiles of an endgame may exceed the target before it counts as lost.
    /// Positions beyond it exist, but hardly any can still be won.
    pub const SLACK: u32 = 96;

    /// The largest sum of two start tiles.
    const START_SUM: u64 = 8;

    /// The number of cells up to which the whole game can be solved for points.
    pub const SMALL_CELLS: usize = 9;

    /// The whole game on a small board, from two start tiles. A goal with a tile counts anywhere.
    pub fn on_board(size: Size, goal: Goal) -> Result<SubGame, SubGameError> {
        SubGame { size, walls: Walls::default(), goal, four: Probability::TENTH, max_sum: None }.checked()
    }

    /// An endgame on 4x4, from no free tiles on.
    pub fn endgame(walls: Walls, tile: u64, place: Place) -> Result<SubGame, SubGameError> {
        let max_sum = u32::try_from(tile).ok().map(|tile| tile.saturating_add(Self::SLACK));
        let goal = Goal::Tile { tile, place };
        SubGame { size: Size::FOUR, walls, goal, four: Probability::TENTH, max_sum }.checked()
    }

    /// The same with another chance of a 4.
    #[must_use]
    pub fn with_four(self, four: Probability) -> SubGame {
        SubGame { four, ..self }
    }

    /// The same with the shorter side of the board first: a table of 2x3 also knows 3x2.
    #[must_use]
    pub fn upright(self) -> SubGame {
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let size = Size::new(rows.min(cols), rows.max(cols)).expect("the sides of a size");
        SubGame { size, ..self }
    }

    /// The same with another limit: an afterstate whose free tiles add up to more is lost.
    pub fn with_max_sum(self, max_sum: u32) -> Result<SubGame, SubGameError> {
        SubGame { max_sum: Some(max_sum), ..self }.checked()
    }

    fn checked(self) -> Result<SubGame, SubGameError> {
        let (size, free) = (self.size, self.free_cells().count());
        if size.rows() > 4 || size.cols() > 4 {
            return Err(SubGameError::Size(size));
        }
        if free < 2 {
            return Err(SubGameError::NoRoom(self.walls.0.len()));
        }
        if !self.walls.0.is_empty() && (size != Size::FOUR || self.goal == Goal::Score) {
            return Err(SubGameError::Endgame);
        }
        match self.goal {
            Goal::Score if free > Self::SMALL_CELLS => return Err(SubGameError::TooLarge(size)),
            Goal::Score => {}
            Goal::Tile { tile, place } => {
                let rank = rank_of(tile).filter(|rank| (3..=13).contains(rank));
                let rank = rank.ok_or(SubGameError::Target(tile))?;
                if usize::from(rank) > free + 1 {
                    return Err(SubGameError::Impossible { tile, cells: free });
                }
                if place == Place::Beside {
                    let inner = self.walls.inner().ok_or(SubGameError::NoWalls)?;
                    if self.target_cells().next().is_none() {
                        return Err(SubGameError::NothingBeside(inner));
                    }
                }
            }
        }
        let least = self.target().unwrap_or(0).max(Self::START_SUM);
        match self.max_sum.filter(|&max| u64::from(max) < least) {
            Some(max) => Err(SubGameError::MaxSum { max, least }),
            None => Ok(self),
        }
    }

    /// The size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The walls; none on a small board.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// What the player wants.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The chance of a 4.
    pub fn four(&self) -> Probability {
        self.four
    }

    /// The largest sum of the free tiles of an afterstate; a larger one is lost.
    pub fn max_sum(&self) -> Option<u32> {
        self.max_sum
    }

    /// The target tile, if there is one.
    pub fn target(&self) -> Option<u64> {
        self.goal.tile()
    }

    /// The cells without walls, in order.
    pub fn free_cells(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.size.cells()).filter(|&cell| self.is_free(cell))
    }

    /// Whether a cell has no wall.
    pub(super) fn is_free(&self, cell: usize) -> bool {
        !self.walls.0.contains(&(cell as u8))
    }

    /// The free cells where the target counts, in order.
    pub fn target_cells(&self) -> impl Iterator<Item = usize> + '_ {
        let is_target = move |cell: &usize| match self.goal {
            Goal::Score => false,
            Goal::Tile { place: Place::Anywhere, .. } => true,
            Goal::Tile { place: Place::Beside, .. } => self.is_beside_inner(*cell),
        };
        self.free_cells().filter(is_target)
    }

    /// Whether a cell shares a side with the inner wall.
    pub(super) fn is_beside_inner(&self, cell: usize) -> bool {
        self.walls.inner().is_some_and(|inner| are_neighbours(self.size, cell, inner.into()))
    }

    /// The symmetries that map walls to walls and target cells to target cells.
    pub(super) fn symmetries(&self) -> Vec<Symmetry> {
        let image = |symmetry: Symmetry, cell: usize| {
            let (row, col) = self.size.position(cell);
            let (row, col) = symmetry.position(self.size, row, col);
            self.size.cell(row, col)
        };
        let keeps = |symmetry: Symmetry, cells: &[usize]| {
            cells.iter().all(|&cell| cells.contains(&image(symmetry, cell)))
        };
        let (free, targets): (Vec<_>, Vec<_>) = (self.free_cells().collect(), self.target_cells().collect());
        let all = Symmetry::of(self.size).iter().copied();
        all.filter(|&symmetry| keeps(symmetry, &free) && keeps(symmetry, &targets)).collect()
    }

    /// The largest rank of a free tile before the end.
    pub(super) fn top_rank(&self) -> u8 {
        match self.goal {
            Goal::Score => self.free_cells().count() as u8 + 1,
            Goal::Tile { tile, place } => {
                let rank = rank_of(tile).expect("a checked target is a power of two");
                rank - u8::from(place == Place::Anywhere)
            }
        }
    }
}

impl fmt::Display for SubGame {
    /// The sub-game in words: "the chance to make 512 beside the inner wall".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.goal {
            Goal::Score => write!(f, "expected score on {}", self.size),
            Goal::Tile { tile, place } => {
                write!(f, "chance to make {tile}")?;
                if self.walls.0.is_empty() {
                    return write!(f, " on {}", self.size);
                }
                let place = if place == Place::Beside { " beside the inner wall" } else { "" };
                write!(f, "{place} with the walls {}", self.walls)
            }
        }
    }
}

/// Whether two cells share a side.
pub(super) fn are_neighbours(size: Size, one: usize, other: usize) -> bool {
    let ((row, col), (row2, col2)) = (size.position(one), size.position(other));
    row.abs_diff(row2) + col.abs_diff(col2) == 1
}

/// The form in files, which is checked when it is read.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    size: Size,
    walls: Vec<u8>,
    goal: Goal,
    four: Probability,
    max_sum: Option<u32>,
}

impl From<SubGame> for Plain {
    fn from(game: SubGame) -> Plain {
        let SubGame { size, walls, goal, four, max_sum } = game;
        Plain { size, walls: walls.0, goal, four, max_sum }
    }
}

impl TryFrom<Plain> for SubGame {
    type Error = SubGameError;

    fn try_from(plain: Plain) -> Result<SubGame, SubGameError> {
        let Plain { size, walls, goal, four, max_sum } = plain;
        let walls = if walls.is_empty() { Walls::default() } else { Walls::new(walls)? };
        if walls.0.iter().any(|&cell| usize::from(cell) >= size.cells()) {
            return Err(SubGameError::NoRoom(walls.0.len()));
        }
        SubGame { size, walls, goal, four, max_sum }.checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_walls_are_refused() {
        for text in ["", "0,0", "16", "tower", "1,,2", "-1"] {
            assert_eq!(text.parse::<Walls>(), Err(SubGameError::Walls(text.to_owned())), "{text}");
        }
        let all = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14";
        assert_eq!(all.parse::<Walls>(), Err(SubGameError::NoRoom(15)));
    }

    #[test]
    fn the_target_counts_beside_the_inner_wall() {
        // X X X .
        // X X I T      I: inner wall, T: target cells
        // . . T .
        // . . . .
        let block = SubGame::endgame("block".parse().unwrap(), 512, Place::Beside).unwrap();
        assert_eq!(block.target_cells().collect::<Vec<_>>(), [7, 10]);
        assert_eq!(block.symmetries(), [Symmetry::IDENTITY]);
        let row = SubGame::endgame("row".parse().unwrap(), 64, Place::Anywhere).unwrap();
        assert_eq!(row.symmetries().len(), 2, "left and right can be exchanged");
        let beside = SubGame::endgame("row".parse().unwrap(), 64, Place::Beside).unwrap();
        assert_eq!((beside.target_cells().collect::<Vec<_>>(), beside.symmetries().len()), (vec![7], 1));
    }

    #[test]
    fn files_hold_the_sub_game_and_are_checked() {
        let game = SubGame::endgame("snake".parse().unwrap(), 256, Place::Beside).unwrap();
        let text = serde_json::to_string(&game).unwrap();
        assert_eq!(serde_json::from_str::<SubGame>(&text).unwrap(), game);
        for (from, to) in [("256", "257"), ("\"4x4\"", "\"2x2\""), ("[0,", "[1,"), ("352", "16")] {
            assert!(serde_json::from_str::<SubGame>(&text.replace(from, to)).is_err(), "{from} {to}");
        }
        // Walls on a smaller board, and walls without a target.
        let walls = r#"{"size":"4x4","walls":[0,1,2,3,4,5,6],"goal":GOAL,"four":0.1,"max_sum":null}"#;
        let beside = walls.replace("GOAL", r#"{"tile":{"tile":16,"place":"beside"}}"#);
        assert!(serde_json::from_str::<SubGame>(&beside).is_ok());
        for other in [beside.replace("4x4", "3x4"), walls.replace("GOAL", r#""score""#)] {
            let refused = serde_json::from_str::<SubGame>(&other).unwrap_err().to_string();
            assert!(refused.starts_with("walls need a board of 4x4 and a target tile"), "{refused}");
        }
    }
}
