//! Evaluators: the value of a position. Each declares what it judges and in what unit. A search
//! adds the rewards along the way only if the unit is points.

mod corner;
mod fast;
mod layer;
mod neighbours;
mod position;
mod product;
mod rows;
mod smooth;
#[cfg(test)]
pub(crate) mod testing;
mod weighted;
mod weights;

pub(crate) use corner::SpawnSums;
pub use corner::{Corner, Weights as CornerWeights};
pub use fast::{FastEvaluator, Replies, replies_one_by_one};
pub use layer::{Layer, MOST_AFTERS};
pub use neighbours::Neighbours;
pub use position::{Matrix, MatrixError, PositionEvaluator, Weights as PositionWeights};
pub use product::Product;
pub(crate) use rows::LineTables;
pub use rows::{Rows, Weights as RowsWeights};
pub use smooth::Smooth;
pub use weighted::{Weighted, Weights as WeightedWeights};
pub use weights::NamedWeight;

use crate::board::{Afterstate, Board, Size};
use crate::game::{Refusal, Unit};

/// The kind of position that an evaluator is made for. Choose afterstates if the value hardly
/// depends on the next spawn: a search then evaluates one position for each of its last moves
/// instead of one for each spawn after it. A [`FastEvaluator`] must judge afterstates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judges {
    /// Boards: the player is to move.
    Boards,
    /// Afterstates: slid, before the spawn.
    Afterstates,
}

/// A position as a general evaluator sees it: the tile values and the score so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    size: Size,
    tiles: [u64; Size::MAX_SIDE * Size::MAX_SIDE],
    score: u64,
}

impl View {
    /// The view of cells given row by row.
    ///
    /// # Panics
    /// If there are fewer cells than the size needs.
    pub fn new(size: Size, cells: impl IntoIterator<Item = u64>, score: u64) -> View {
        let mut tiles = [0; Size::MAX_SIDE * Size::MAX_SIDE];
        let mut count = 0;
        for (place, tile) in tiles[..size.cells()].iter_mut().zip(cells) {
            *place = tile;
            count += 1;
        }
        assert_eq!(count, size.cells(), "a view needs all cells of the {size} board");
        View { size, tiles, score }
    }

    /// A board with the score that led to it.
    pub fn of_board(board: &Board, score: u64) -> View {
        View::new(board.size(), board.tiles(), score)
    }

    /// An afterstate with the score that led to it.
    pub fn of_after(after: &Afterstate, score: u64) -> View {
        View::new(after.size(), after.tiles(), score)
    }

    /// Rows and columns.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The tile values row by row, 0 for an empty cell.
    pub fn tiles(&self) -> &[u64] {
        &self.tiles[..self.size.cells()]
    }

    /// The tile at a row and column.
    pub fn tile(&self, row: usize, col: usize) -> u64 {
        self.tiles()[self.size.cell(row, col)]
    }

    /// The score of the game so far, including the rewards on the way here.
    pub fn score(&self) -> u64 {
        self.score
    }
}

/// An evaluator for boards of any size that it accepts, chosen at run time. Fast evaluators have
/// their own interface, [`FastEvaluator`].
pub trait Evaluator: Send + Sync {
    /// The kind of position that it judges.
    fn judges(&self) -> Judges;

    /// The meaning of its values.
    fn unit(&self) -> Unit;

    /// Whether it can evaluate this board and all boards that can follow.
    fn accepts(&self, board: &Board) -> Result<(), Refusal> {
        let _ = board;
        Ok(())
    }

    /// Whether its values depend on [`View::score`].
    fn reads_score(&self) -> bool {
        false
    }

    /// The hash of its network or evolved program, if it has one.
    fn fingerprint(&self) -> Option<&str> {
        None
    }

    /// The value of a lost board that would otherwise have the value `value`: far less. The
    /// difference decides how hard a search tries to avoid a loss, so an evaluator with a known
    /// scale should override it. It is not used if the unit is points, since no more points follow
    /// a loss.
    fn lost(&self, value: f64) -> f64 {
        value - (1e3 * value.abs()).max(1e9)
    }

    /// The value of a board on which the game is lost.
    fn evaluate_lost(&self, board: &View) -> f64 {
        match self.unit() {
            Unit::Points | Unit::Chance => 0.0,
            Unit::Preference => self.lost(self.evaluate(board)),
        }
    }

    /// The value of a position.
    fn evaluate(&self, view: &View) -> f64;
}
