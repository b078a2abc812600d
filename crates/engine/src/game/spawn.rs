//! Spawns: the position and value of the next tile, as a pure function.

use super::{Probability, Rules, Stream};
use crate::board::{Afterstate, Board, Packed, PackedAfter};

/// A new tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spawn {
    /// Its cell, numbered row by row from the top left.
    pub cell: usize,
    /// Its value.
    pub tile: u64,
}

/// A possible spawn and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChanceOutcome {
    /// The tile that appears.
    pub spawn: Spawn,
    /// Its probability.
    pub probability: f64,
}

/// All possible spawns after an afterstate. Their probabilities sum to 1; a full board has none.
/// Spawns of probability 0 are left out.
pub fn outcomes(after: &Afterstate, four: Probability) -> impl Iterator<Item = ChanceOutcome> {
    let cells = after.empty_count() as f64;
    let tiles = [(2, 1.0 - four.get()), (4, four.get())];
    after.empty_cells().flat_map(move |cell| {
        let possible = tiles.into_iter().filter(|&(_, chance)| chance > 0.0);
        possible.map(move |(tile, chance)| ChanceOutcome {
            spawn: Spawn { cell, tile },
            probability: chance / cells,
        })
    })
}

/// The spawns of one game: a pure function of the seed, the number of the spawn and the afterstate.
///
/// Spawn `n` uses the draws `2n` and `2n + 1` of the game's stream. With `e` empty cells, the new
/// tile appears at the empty cell number `floor(draw(2n) * e / 2^64)`, counted from 0 row by row.
/// It is a 4 if the high 53 bits of `draw(2n + 1)`, taken as a fraction, are below the chance of a
/// 4. Spawns 0 and 1 are the start tiles. The spawn after the first move is number 2, also if the
/// game started from a given board.
///
/// A player that gets this function knows the future. Only players that declare it get it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpawnSource {
    stream: Stream,
    four: Probability,
}

impl SpawnSource {
    /// The number of the spawn after the first move of a game.
    pub const AFTER_FIRST_MOVE: u64 = 2;

    /// The spawns of the game with these rules and this seed.
    pub const fn new(rules: &Rules, seed: u64) -> SpawnSource {
        SpawnSource { stream: Stream::spawns(seed), four: rules.four }
    }

    /// Which of `empties` cells gets the tile of spawn `number`, and whether it is a 4.
    #[inline]
    pub const fn pick(&self, number: u64, empties: usize) -> (usize, bool) {
        let place = number.wrapping_mul(2);
        let is_four = self.stream.unit(place.wrapping_add(1)) < self.four.get();
        (self.stream.below(place, empties), is_four)
    }

    /// Spawn `number` on this afterstate; `None` if no cell is empty.
    #[inline]
    pub fn spawn(&self, number: u64, after: &Afterstate) -> Option<Spawn> {
        let (index, is_four) = self.pick(number, after.empty_count());
        let cell = after.nth_empty(index)?;
        Some(Spawn { cell, tile: if is_four { 4 } else { 2 } })
    }

    /// The board after spawn `number`, with the spawn; `None` if no cell is empty.
    pub fn apply(&self, number: u64, after: &Afterstate) -> Option<(Board, Spawn)> {
        let spawn = self.spawn(number, after)?;
        let board = after.spawn(spawn.cell, spawn.tile).expect("the spawn is at an empty cell");
        Some((board, spawn))
    }

    /// [`SpawnSource::apply`] on a packed afterstate.
    #[inline]
    pub fn apply_packed<const R: usize, const C: usize>(
        &self,
        number: u64,
        after: PackedAfter<R, C>,
    ) -> Option<Packed<R, C>> {
        let (index, is_four) = self.pick(number, after.empty_count() as usize);
        let bit = after.empty_bits().nth(index)?;
        Some(after.spawned(bit, if is_four { 2 } else { 1 }))
    }
}
