//! The moves of a sub-game on packed boards.

use super::keys::{shift_of, wall_bits};
use super::{Goal, SubGame};
use crate::board::{Packed, PackedAfter, Symmetry, rank_of};

/// The rules of a sub-game on boards of `R` rows and `C` columns. Walls have rank 15.
#[derive(Clone, Debug)]
pub(super) struct Ground<const R: usize, const C: usize> {
    walls: u64,
    target: Option<Target>,
    fold: Fold,
}

/// The tile that is wanted.
#[derive(Clone, Copy, Debug)]
struct Target {
    rank: u8,
    /// All bits of the cells where it does not count.
    elsewhere: u64,
}

/// Which images of a position count as one.
#[derive(Clone, Debug)]
enum Fold {
    Nothing,
    /// All symmetries of the board.
    All,
    Some(Vec<Symmetry>),
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<const R: usize, const C: usize> {
    /// The target is made.
    Made,
    /// To this afterstate, with these points.
    To(PackedAfter<R, C>, u32),
}

impl<const R: usize, const C: usize> Ground<R, C> {
    pub(super) fn new(game: &SubGame) -> Self {
        let symmetries = game.symmetries();
        let fold = match symmetries.len() {
            1 => Fold::Nothing,
            count if count == Symmetry::of(game.size()).len() => Fold::All,
            _ => Fold::Some(symmetries),
        };
        let target = match game.goal() {
            Goal::Score => None,
            Goal::Tile { tile, .. } => {
                let cells: u64 = game.target_cells().map(|cell| 15 << shift_of(game, cell)).sum();
                let rank = rank_of(tile).expect("a checked target is a power of two");
                Some(Target { rank, elsewhere: !cells })
            }
        };
        Ground { walls: wall_bits(game), target, fold }
    }

    /// The same rules without folding: every image of a position is one of its own.
    pub(super) fn unfolded(self) -> Self {
        Ground { fold: Fold::Nothing, ..self }
    }

    /// The steps of all moves that are allowed, in the order of the directions.
    #[inline(always)]
    pub(super) fn steps(&self, board: Packed<R, C>) -> [Option<Step<R, C>>; 4] {
        let slides = board.slide_all();
        let step = |direction: usize| {
            let after = slides.afters[direction]?;
            let reward = slides.rewards[direction & 1];
            self.step(after, reward)
        };
        [step(0), step(1), step(2), step(3)]
    }

    /// The step to an afterstate; `None` if the move is not allowed.
    #[inline(always)]
    fn step(&self, after: PackedAfter<R, C>, reward: u32) -> Option<Step<R, C>> {
        let bits = after.bits();
        if bits & self.walls != self.walls {
            return None;
        }
        if let Some(target) = self.target {
            if has_zero(bits ^ spread(target.rank) | target.elsewhere) {
                return Some(Step::Made);
            }
            // A second target was merged with one elsewhere.
            if reward >= 2 << target.rank && has_zero(bits ^ spread(target.rank + 1) | self.walls) {
                return None;
            }
        }
        Some(Step::To(after, reward))
    }

    /// The image of a position that stands for all of them.
    #[inline(always)]
    pub(super) fn folded(&self, bits: u64) -> u64 {
        match &self.fold {
            Fold::Nothing => bits,
            Fold::All => checked::<R, C>(bits).canonical().bits(),
            Fold::Some(symmetries) => {
                let images = symmetries.iter().map(|&symmetry| image::<R, C>(bits, symmetry));
                images.min().unwrap_or(bits)
            }
        }
    }
}

/// These bits as an afterstate.
#[inline(always)]
pub(super) fn checked<const R: usize, const C: usize>(bits: u64) -> PackedAfter<R, C> {
    PackedAfter::from_bits(bits).expect("positions have no tiles outside of the board")
}

/// The image of a position.
pub(super) fn image<const R: usize, const C: usize>(bits: u64, symmetry: Symmetry) -> u64 {
    let Symmetry { transpose, flip_rows, flip_cols } = symmetry;
    // Only square boards are transposed within their size.
    let after = checked::<R, C>(bits);
    let after = if transpose { checked::<R, C>(after.transposed().bits()) } else { after };
    let after = if flip_rows { after.flipped_rows() } else { after };
    if flip_cols { after.flipped_cols().bits() } else { after.bits() }
}

/// A rank in every cell.
const fn spread(rank: u8) -> u64 {
    rank as u64 * 0x1111_1111_1111_1111
}

/// Whether a cell is zero.
const fn has_zero(bits: u64) -> bool {
    let low = bits | bits >> 2;
    !(low | low >> 1) & 0x1111_1111_1111_1111 != 0
}
