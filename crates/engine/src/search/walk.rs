//! The boards that a search runs on: packed boards if they are exact, the game's own boards
//! otherwise.
//!
//! Searches cache the value of a position, and an evaluator may use the score. That is safe: below
//! one root and after the same number of turns, a position has the same score on every path. A
//! merge of two tiles `t` scores `2t` and raises the sum of `t * log2(t)` over all tiles by the
//! same amount. So the score gained is the growth of that sum, minus the part of the spawned tiles.
//! The growth of the tile sum over a known number of spawns tells how many of them were 4s.

use std::hash::Hash;

use crate::board::{Afterstate, Board, Direction, Packed, PackedAfter, Size, tile_of};
use crate::eval::{Evaluator, Judges, View};
use crate::game::{Probability, Unit};

/// The two tiles that can spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NewTile {
    Two,
    Four,
}

impl NewTile {
    /// The tiles that can spawn if a 4 has this probability.
    pub(super) fn possible(four: Probability) -> &'static [NewTile] {
        match four.get() {
            0.0 => &[NewTile::Two],
            1.0 => &[NewTile::Four],
            _ => &[NewTile::Two, NewTile::Four],
        }
    }

    /// The value of the tile.
    pub(super) fn tile(self) -> u64 {
        match self {
            NewTile::Two => 2,
            NewTile::Four => 4,
        }
    }
}

/// A board in one representation, with its afterstates.
pub(super) trait Walk: Clone + Eq + Hash {
    /// The afterstates of these boards.
    type After: Clone + Eq + Hash;

    /// The afterstate of a move and the sum of the merged tiles. `None` if nothing moves, or if the
    /// merged tiles do not fit 64 bits. The game allows neither.
    fn slide(&self, direction: Direction) -> Option<(Self::After, u64)>;

    /// Whether any tile can move.
    fn has_moves(&self) -> bool;

    /// The board as a general evaluator sees it.
    fn view(&self, score: u64) -> View;

    /// The afterstate as a general evaluator sees it.
    fn view_after(after: &Self::After, score: u64) -> View;

    /// The number of empty cells of an afterstate.
    fn empty_count(after: &Self::After) -> usize;

    /// The boards after a spawn of this tile, in cell order.
    fn spawned(after: &Self::After, tile: NewTile) -> impl Iterator<Item = Self>;
}

impl Walk for Packed {
    type After = PackedAfter;

    #[inline]
    fn slide(&self, direction: Direction) -> Option<(PackedAfter, u64)> {
        Packed::slide(*self, direction).map(|(after, reward)| (after, reward.into()))
    }

    #[inline]
    fn has_moves(&self) -> bool {
        Packed::has_moves(*self)
    }

    fn view(&self, score: u64) -> View {
        View::new(Size::FOUR, tiles(self.bits()), score)
    }

    fn view_after(after: &PackedAfter, score: u64) -> View {
        View::new(Size::FOUR, tiles(after.bits()), score)
    }

    #[inline]
    fn empty_count(after: &PackedAfter) -> usize {
        PackedAfter::empty_count(*after) as usize
    }

    #[inline]
    fn spawned(after: &PackedAfter, tile: NewTile) -> impl Iterator<Item = Packed> {
        let after = *after;
        let rank = match tile {
            NewTile::Two => 1,
            NewTile::Four => 2,
        };
        after.empty_bits().map(move |bit| after.spawned(bit, rank))
    }
}

/// The tiles of packed 4x4 cells.
fn tiles(bits: u64) -> impl Iterator<Item = u64> {
    (0..16).map(move |cell| tile_of((bits >> (4 * cell) & 0xf) as u8))
}

impl Walk for Board {
    type After = Afterstate;

    fn slide(&self, direction: Direction) -> Option<(Afterstate, u64)> {
        Board::slide(self, direction).ok().flatten().map(|slid| (slid.after, slid.reward))
    }

    fn has_moves(&self) -> bool {
        Board::has_moves(self)
    }

    fn view(&self, score: u64) -> View {
        View::of_board(self, score)
    }

    fn view_after(after: &Afterstate, score: u64) -> View {
        View::of_after(after, score)
    }

    fn empty_count(after: &Afterstate) -> usize {
        after.empty_count()
    }

    fn spawned(after: &Afterstate, tile: NewTile) -> impl Iterator<Item = Board> {
        after.empty_cells().map(move |cell| after.spawn(cell, tile.tile()).expect("the cell is empty"))
    }
}

/// The packed board, if packed slides on it stay exact for this many turns. Two tiles of 32768 must
/// never meet. They cannot while the tile sum, which a turn raises by at most 4, stays below 65536.
pub(super) fn packed_as_is(board: &Board, turns: u32) -> Option<Packed> {
    let sum = board.tile_sum() + 4 * u128::from(turns);
    Packed::pack(board).ok().filter(|_| sum < 1 << 16)
}

/// The value of a board by an evaluator of either kind. For an evaluator of afterstates it is the
/// value of the best move. If the unit is points, the points gained since the score `before` are
/// added.
pub(super) fn worth<B: Walk>(evaluator: &dyn Evaluator, board: &B, score: u64, before: u64) -> f64 {
    let points = evaluator.unit() == Unit::Points;
    let made = if points { score.saturating_sub(before) as f64 } else { 0.0 };
    made + match evaluator.judges() {
        Judges::Boards => evaluator.evaluate(&board.view(score)),
        Judges::Afterstates => {
            let moves = Direction::ALL.into_iter().filter_map(|direction| board.slide(direction));
            let value = |(after, reward): (B::After, u64)| {
                let gain = if points { reward as f64 } else { 0.0 };
                gain + evaluator.evaluate(&B::view_after(&after, score.saturating_add(reward)))
            };
            moves.map(value).reduce(f64::max).unwrap_or_else(|| evaluator.evaluate_lost(&board.view(score)))
        }
    }
}
