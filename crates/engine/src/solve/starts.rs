//! Where solving starts.

use super::SubGame;
use super::ground::{Ground, checked};
use super::keys::{shift_of, wall_bits};
use crate::board::PackedAfter;

/// Where solving starts: boards with their chances, and afterstates.
#[derive(Debug, Default)]
pub(super) struct Starts {
    pub(super) boards: Vec<(u64, f64)>,
    pub(super) afterstates: Vec<u64>,
}

/// The largest sum of two start tiles, in twos.
pub(super) const MOST_START: u32 = 4;

/// The clean starts of an endgame: the walls alone; and no free tiles but a 2 or a 4 in every free
/// cell of the lines with walls, so that moves along them cannot shift the walls (unless two equal
/// tiles merge). The lines are the rows or the columns, whichever have fewer free cells; both count
/// if they have equally many. None on a small board.
pub(super) fn clean_starts(game: &SubGame) -> Vec<u64> {
    let walls = wall_bits(game);
    if walls == 0 {
        return Vec::new();
    }
    let position = |cell: usize| game.size().position(cell);
    let with_walls = |is_in_line: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
        let has_wall = |&cell: &usize| game.walls().cells().iter().any(|&wall| is_in_line(cell, wall.into()));
        game.free_cells().filter(has_wall).collect()
    };
    let rows = with_walls(&|cell, wall| position(cell).0 == position(wall).0);
    let cols = with_walls(&|cell, wall| position(cell).1 == position(wall).1);
    let fewest = rows.len().min(cols.len());
    let fillings = [rows, cols].into_iter().filter(|cells| cells.len() == fewest).flat_map(|cells| {
        cells.into_iter().fold(vec![walls], |fillings, cell| {
            let with = |rank: u64| fillings.iter().map(move |bits| bits | rank << shift_of(game, cell));
            with(1).chain(with(2)).collect()
        })
    });
    fillings.chain([walls]).collect()
}

/// On a small board, every pair of start tiles. In an endgame the clean starts.
pub(super) fn starts_of<const R: usize, const C: usize>(game: &SubGame, ground: &Ground<R, C>) -> Starts {
    let clean = clean_starts(game);
    if !clean.is_empty() {
        let afterstates = clean.into_iter().map(|bits| ground.folded(bits)).collect();
        return Starts { boards: Vec::new(), afterstates };
    }
    let four = game.four().get();
    let spawns = |after: PackedAfter<R, C>| {
        let share = 1.0 / f64::from(after.empty_count());
        let ranks = [(1, 1.0 - four), (2, four)];
        let bits: Vec<u64> = after.empty_bits().collect();
        let spawn = move |bit| ranks.map(|(rank, chance)| (after.spawned(bit, rank).bits(), chance * share));
        bits.into_iter().flat_map(spawn).filter(|&(_, chance)| chance > 0.0)
    };
    let second = |(one, chance)| spawns(checked(one)).map(move |(two, next)| (two, chance * next));
    let pairs = spawns(PackedAfter::EMPTY).flat_map(second);
    Starts {
        boards: pairs.map(|(bits, chance)| (ground.folded(bits), chance)).collect(),
        afterstates: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    /// The cells that are filled: those in the rows with walls, in the columns with walls, or both.
    #[test]
    fn clean_starts_fill_the_lines_with_the_fewest_free_cells() {
        let filled = |walls: &str| -> Vec<Vec<usize>> {
            let game = SubGame::endgame(walls.parse().unwrap(), 16, Place::Anywhere).unwrap();
            let has_tile = |bits: u64, cell: usize| bits >> shift_of(&game, cell) & 15 != 0;
            let cells =
                |bits| -> Vec<usize> { game.free_cells().filter(|&cell| has_tile(bits, cell)).collect() };
            let mut all: Vec<Vec<usize>> = clean_starts(&game).into_iter().map(cells).collect();
            all.dedup();
            all
        };
        assert_eq!(filled("block"), [vec![3, 7], vec![]]);
        assert_eq!(filled("snake"), [vec![6, 7], vec![]]);
        assert_eq!(filled("t"), [vec![1, 5], vec![]]);
        assert_eq!(filled("row"), [Vec::<usize>::new()]);
        assert_eq!(filled("0,4,8,1,5,9"), [vec![12, 13], vec![]]);
        assert_eq!(filled("0,1,4,5"), [vec![2, 3, 6, 7], vec![8, 9, 12, 13], vec![]]);
    }
}
