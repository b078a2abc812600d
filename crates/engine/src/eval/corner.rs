//! The evaluator `corner`: the `eval_self` of the first source document, with every factor as a
//! named weight.
//!
//! A tile is worth its value times a small factor, times a factor on the edge of the board, times
//! another one in a corner, times a factor for its neighbours. The neighbour factor is very high
//! next to an equal tile and grows with the tile. Otherwise it is a bonus for the largest
//! neighbour. The document names the factors but not their values. The defaults are round numbers
//! that did as well as any in a small search with the player `sum` at depths 2 and 3.

use super::weights::weights;
use super::{Evaluator, Judges, View};
use crate::board::{PackedAfter, Size, tile_of};
use crate::game::Unit;

weights! {
    tile: "0.1", 1e-6 to 1e3, "factor of the tile's value (scales all points equally)";
    edge: "2", 0.0 to 1e3, "factor of a tile on the edge of the board";
    corner: "2", 0.0 to 1e3, "additional factor of a tile in a corner, besides edge";
    pair: "10", 0.0 to 1e3, "neighbour factor of a tile next to an equal one";
    pair_level: "1", 0.0 to 1e3, "added to pair for each level of the tile (2 has level 1, 4 level 2, 8 level 3)";
    near: "0.1", 0.0 to 1e3, "for a tile without an equal neighbour, the neighbour factor is 1 plus this for each level of the largest neighbour";
}

/// The sums of the points of all boards after a spawn on an afterstate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpawnSums {
    /// Over the boards with a new 2.
    pub two: f64,
    /// Over the boards with a new 4.
    pub four: f64,
}

/// The evaluator `corner`.
#[derive(Clone)]
pub struct Corner {
    weights: Weights,
    /// The points of a tile on a packed board, at `place * 512 + rank * 32 + neighbours`.
    points: Box<[f64; 3 * 512]>,
}

/// The number of edges a cell touches, at most two: inside, on the edge, in a corner.
fn place(size: Size, row: usize, col: usize) -> usize {
    let at_wall = |at: usize, length: usize| at == 0 || at + 1 == length;
    at_wall(row, size.rows()) as usize + at_wall(col, size.cols()) as usize
}

/// The places of the cells of a 4x4 board.
const PLACES: [usize; 16] = [2, 1, 1, 2, 1, 0, 0, 1, 1, 0, 0, 1, 2, 1, 1, 2];

/// The code of a neighbourhood with an equal tile. A smaller code is the rank of the largest
/// neighbour.
const EQUAL: u8 = 16;

/// The level of a tile: its rank, interpolated linearly for a tile between two powers of two. (A
/// logarithm would also work, but its last bit differs between machines.)
fn level(tile: u64) -> f64 {
    match tile {
        0 => 0.0,
        _ => {
            let rank = tile.ilog2();
            f64::from(rank) + (tile as f64 / (1u64 << rank) as f64 - 1.0)
        }
    }
}

/// A summary of the neighbours of a cell.
#[derive(Clone, Copy)]
struct Neighbourhood {
    /// Whether one of them equals the tile of the cell.
    equal: bool,
    /// The largest of them.
    largest: u64,
    /// The number of empty ones.
    empty: usize,
}

impl Corner {
    /// The evaluator with these weights.
    pub fn new(weights: Weights) -> Corner {
        let mut points = Box::new([0.0; 3 * 512]);
        for place in 0..3 {
            for rank in 1..16 {
                for code in 0..=EQUAL {
                    let equal = code == EQUAL;
                    let neighbour = if equal { tile_of(rank) } else { tile_of(code) };
                    points[index(place, rank, code)] =
                        points_of(&weights, place, tile_of(rank), equal, neighbour);
                }
            }
        }
        Corner { weights, points }
    }

    /// The sums over all spawns on an afterstate of any size, without making the boards.
    ///
    /// A new tile adds its own points and changes those of its neighbours. Its effect on a
    /// neighbour does not depend on which empty cell next to that neighbour it spawns in. So one
    /// pass over the cells is enough.
    pub(crate) fn spawn_sums(&self, after: &View) -> SpawnSums {
        let size = after.size();
        let points = |place, tile, equal, largest| points_of(&self.weights, place, tile, equal, largest);
        let (mut now, mut empties) = (0.0, 0.0);
        let (mut two, mut four) = (0.0, 0.0);
        for (cell, &tile) in after.tiles().iter().enumerate() {
            let (row, col) = size.position(cell);
            let place = place(size, row, col);
            if tile == 0 {
                empties += 1.0;
                two += self.appearing(after, place, row, col, 2);
                four += self.appearing(after, place, row, col, 4);
            } else {
                let around = neighbourhood(after, row, col, tile);
                let before = points(place, tile, around.equal, around.largest);
                let beside = |new| points(place, tile, around.equal || tile == new, around.largest.max(new));
                now += before;
                two += around.empty as f64 * (beside(2) - before);
                four += around.empty as f64 * (beside(4) - before);
            }
        }
        SpawnSums { two: two + empties * now, four: four + empties * now }
    }

    /// The points of a new tile in an empty cell.
    fn appearing(&self, after: &View, place: usize, row: usize, col: usize, new: u64) -> f64 {
        let around = neighbourhood(after, row, col, new);
        points_of(&self.weights, place, new, around.equal, around.largest)
    }

    /// [`Corner::spawn_sums`] of a packed afterstate.
    pub(crate) fn spawn_sums_packed(&self, after: PackedAfter) -> SpawnSums {
        let x = after.bits();
        let cells = unpacked(x);
        // The four neighbours of every cell, 0 outside the board.
        let around = [x << 4 & 0xfff0_fff0_fff0_fff0, x >> 4 & 0x0fff_0fff_0fff_0fff, x << 16, x >> 16];
        let around = around.map(unpacked);
        let mut largest = [0u8; 16];
        let mut equal = [false; 16];
        let mut empty = [0u8; 16];
        for side in &around {
            for cell in 0..16 {
                largest[cell] = largest[cell].max(side[cell]);
                equal[cell] |= side[cell] == cells[cell];
                empty[cell] += u8::from(side[cell] == 0);
            }
        }
        let (mut now, mut empties) = (0.0, 0.0);
        let (mut two, mut four) = (0.0, 0.0);
        for cell in 0..16 {
            let (place, rank) = (PLACES[cell], cells[cell]);
            let has = |wanted: u8| around.iter().any(|side| side[cell] == wanted);
            if rank == 0 {
                empties += 1.0;
                two += self.points[index(place, 1, if has(1) { EQUAL } else { largest[cell] })];
                four += self.points[index(place, 2, if has(2) { EQUAL } else { largest[cell] })];
            } else {
                let code = if equal[cell] { EQUAL } else { largest[cell] };
                let before = self.points[index(place, rank, code)];
                let beside = |new: u8| {
                    let code = if rank == new { EQUAL } else { code.max(new) };
                    self.points[index(place, rank, code)] - before
                };
                // Cells outside the board must not count as empty.
                let open = f64::from(empty[cell] - PLACES[cell] as u8);
                now += before;
                two += open * beside(1);
                four += open * beside(2);
            }
        }
        SpawnSums { two: two + empties * now, four: four + empties * now }
    }
}

const fn index(place: usize, rank: u8, code: u8) -> usize {
    place * 512 + rank as usize * 32 + code as usize
}

/// The ranks of all cells.
fn unpacked(bits: u64) -> [u8; 16] {
    std::array::from_fn(|cell| (bits >> (4 * cell) & 0xf) as u8)
}

/// The points of one tile.
fn points_of(weights: &Weights, place: usize, tile: u64, equal: bool, largest: u64) -> f64 {
    let at_place = match place {
        0 => 1.0,
        1 => weights.edge,
        _ => weights.edge * weights.corner,
    };
    let neighbours = if equal {
        weights.pair + weights.pair_level * level(tile)
    } else {
        1.0 + weights.near * level(largest)
    };
    tile as f64 * weights.tile * at_place * neighbours
}

/// Examines the up to four neighbours of a cell. `tile` is the tile in the cell, or the one about
/// to spawn there.
fn neighbourhood(view: &View, row: usize, col: usize, tile: u64) -> Neighbourhood {
    let size = view.size();
    let mut around = Neighbourhood { equal: false, largest: 0, empty: 0 };
    let mut look = |there: bool, row: usize, col: usize| {
        if there {
            let neighbour = view.tile(row, col);
            around.equal |= neighbour == tile;
            around.largest = around.largest.max(neighbour);
            around.empty += usize::from(neighbour == 0);
        }
    };
    look(row > 0, row.wrapping_sub(1), col);
    look(row + 1 < size.rows(), row + 1, col);
    look(col > 0, row, col.wrapping_sub(1));
    look(col + 1 < size.cols(), row, col + 1);
    around
}

impl Evaluator for Corner {
    fn judges(&self) -> Judges {
        Judges::Boards
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn evaluate(&self, view: &View) -> f64 {
        let size = view.size();
        let tiles = view.tiles().iter().enumerate().filter(|(_, tile)| **tile != 0);
        tiles
            .map(|(cell, &tile)| {
                let (row, col) = size.position(cell);
                let around = neighbourhood(view, row, col, tile);
                points_of(&self.weights, place(size, row, col), tile, around.equal, around.largest)
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{parse_board, rank_of};
    use crate::eval::testing::{afterstates, assert_close, assert_turning_keeps_the_value};
    use crate::game::Probability;
    use crate::game::outcomes;

    fn plain() -> Corner {
        Corner::new(Weights { tile: 0.5, edge: 2.0, corner: 3.0, pair: 10.0, pair_level: 1.0, near: 0.25 })
    }

    #[test]
    fn every_factor_does_what_it_says() {
        let value = |text: &str| plain().evaluate(&View::of_board(&parse_board(text, None).unwrap(), 0));
        // Alone: inside, on the edge, in the corner.
        assert_eq!(value("0 0 0/0 8 0/0 0 0"), 4.0);
        assert_eq!(value("0 8 0/0 0 0/0 0 0"), 8.0);
        assert_eq!(value("8 0 0/0 0 0/0 0 0"), 24.0);
        // 8 next to 4: 1 + 2/4. 4 next to 8: 1 + 3/4. Both are on the edge, one of them in the
        // corner.
        assert_eq!(value("8 4 0/0 0 0/0 0 0"), 24.0 * 1.5 + 4.0 * 1.75);
        // Next to an equal tile the factor is 10 plus the level, whatever the other neighbours are.
        assert_eq!(value("0 64 0/0 8 8/0 0 0"), 64.0 * 1.75 + 4.0 * 13.0 + 8.0 * 13.0);
        // 3 lies halfway between 2 and 4, so its level is 1.5.
        assert_eq!(value("0 0 0/0 3 0/0 8 0"), 1.5 * (1.0 + 3.0 / 4.0) + 8.0 * (1.0 + 1.5 / 4.0));
    }

    #[test]
    fn sums_over_spawns_are_the_sums_over_the_boards_one_by_one() {
        let corner = plain();
        for after in afterstates(300) {
            let [mut two, mut four] = [0.0; 2];
            for outcome in outcomes(&after, Probability::TENTH) {
                let board = after.spawn(outcome.spawn.cell, outcome.spawn.tile).unwrap();
                let value = corner.evaluate(&View::of_board(&board, 0));
                *(if outcome.spawn.tile == 2 { &mut two } else { &mut four }) += value;
            }
            let sums = corner.spawn_sums(&View::of_after(&after, 0));
            assert_close(sums.two, two);
            assert_close(sums.four, four);
            let ranks: Option<Vec<u8>> = after.tiles().map(rank_of).collect();
            if let Some(ranks) = ranks.filter(|_| after.size() == Size::FOUR) {
                let sums = corner.spawn_sums_packed(PackedAfter::from_ranks(&ranks));
                assert_close(sums.two, two);
                assert_close(sums.four, four);
            }
        }
    }

    #[test]
    fn turning_a_board_keeps_its_value() {
        assert_turning_keeps_the_value(&plain());
    }
}
