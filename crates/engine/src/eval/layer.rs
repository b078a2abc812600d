//! One layer of a search on packed boards: the moves after every spawn of one tile, collected for
//! evaluation or lookup in one batch.

use crate::board::{Direction, Packed, PackedAfter};
use crate::game::Unit;

/// The maximal number of afterstates of a layer: four moves after a spawn on each of sixteen cells.
pub const MOST_AFTERS: usize = 64;

/// Not an index in the list of afterstates.
const NOWHERE: u8 = u8::MAX;

/// The afterstates that can follow when a tile of one rank spawns on an afterstate.
///
/// A tile that spawns anywhere in the same gap of a line slides to the same cell along that line.
/// So most equal afterstates are listed only once: each is compared with the last one from the same
/// line in the same direction.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The afterstate before the spawn, and the rank of the spawned tile.
    before: PackedAfter,
    rank: u8,
    afters: [PackedAfter; MOST_AFTERS],
    count: usize,
    /// For each board, the indices of its four moves in the list, in the order of
    /// [`Direction::ALL`].
    places: [[u8; 4]; 16],
    /// For each board, the rewards of a move along the columns and along the rows.
    rewards: [[u32; 2]; 16],
    boards: usize,
    moves: u32,
}

impl Layer {
    /// Collects the afterstates that follow when a tile of `rank` spawns.
    #[inline]
    pub fn new(after: PackedAfter, rank: u8) -> Layer {
        let mut layer = Layer {
            before: after,
            rank,
            afters: [after; MOST_AFTERS],
            count: 0,
            places: [[NOWHERE; 4]; 16],
            rewards: [[0; 2]; 16],
            boards: 0,
            moves: 0,
        };
        let mut last = [[NOWHERE; 4]; 4];
        for bit in after.empty_bits() {
            let cell = bit.trailing_zeros() as usize / 4;
            let slides = after.spawned(bit, rank).slide_all();
            for (direction, slid) in Direction::ALL.into_iter().zip(slides.afters) {
                let Some(slid) = slid else { continue };
                layer.moves += 1;
                let line = if direction.is_vertical() { cell % 4 } else { cell / 4 };
                let seen = &mut last[direction.index()][line];
                if *seen == NOWHERE || layer.afters[*seen as usize] != slid {
                    layer.afters[layer.count] = slid;
                    *seen = layer.count as u8;
                    layer.count += 1;
                }
                layer.places[layer.boards][direction.index()] = *seen;
            }
            layer.rewards[layer.boards] = slides.rewards;
            layer.boards += 1;
        }
        layer
    }

    /// The afterstates.
    #[inline]
    pub fn afters(&self) -> &[PackedAfter] {
        &self.afters[..self.count]
    }

    /// The number of boards: one for each empty cell.
    #[inline]
    pub fn boards(&self) -> u32 {
        self.boards as u32
    }

    /// The total number of their legal moves, including duplicates.
    #[inline]
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// One of the boards.
    #[cold]
    fn board(&self, number: usize) -> Packed {
        let cell = self.before.empty_bits().nth(number).expect("each empty cell has a board");
        self.before.spawned(cell, self.rank)
    }

    /// The mean over the boards of the value of the best move, given the values of the afterstates.
    /// Rewards are added if the unit is points. `lost` gives the value of a board without moves.
    #[inline]
    pub fn mean_of_best(&self, values: &[f32], unit: Unit, lost: impl Fn(Packed) -> f32) -> f32 {
        let mut sum = 0.0;
        for (number, places) in self.places[..self.boards].iter().enumerate() {
            let mut best = f32::NEG_INFINITY;
            for (index, &place) in places.iter().enumerate() {
                if place != NOWHERE {
                    // Directions alternate between columns and rows, as the two rewards do.
                    let reward =
                        if unit == Unit::Points { self.rewards[number][index % 2] as f32 } else { 0.0 };
                    best = best.max(reward + values[place as usize]);
                }
            }
            sum += if best == f32::NEG_INFINITY { lost(self.board(number)) } else { best };
        }
        sum / self.boards as f32
    }
}
