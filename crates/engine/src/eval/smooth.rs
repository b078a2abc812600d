//! The evaluator `smooth` of the second source document: minus the sum of the absolute differences
//! of adjacent cells along rows and columns (an empty cell counts as 0), times the number of tiles.

use super::{Evaluator, Judges, View};
use crate::board::{Packed, PackedAfter, tile_of};
use crate::game::Unit;

/// The evaluator `smooth`. It has no parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smooth;

/// The sum of the absolute differences along one packed row.
const fn row_differences(row: u16) -> u32 {
    let (mut sum, mut cell) = (0, 0);
    while cell < 3 {
        let here = tile_of((row >> (4 * cell) & 0xf) as u8) as u32;
        let next = tile_of((row >> (4 * cell + 4) & 0xf) as u8) as u32;
        sum += here.abs_diff(next);
        cell += 1;
    }
    sum
}

/// [`row_differences`] of every packed row.
static DIFFERENCES: [u32; 1 << 16] = {
    let mut table = [0; 1 << 16];
    let mut row = 0;
    while row < table.len() {
        table[row] = row_differences(row as u16);
        row += 1;
    }
    table
};

/// The sum of all differences on a packed 4x4 board.
#[inline]
fn differences(bits: u64, transposed: u64) -> u32 {
    let row = |x: u64, r: u32| DIFFERENCES[(x >> (16 * r)) as u16 as usize];
    let rows = |x: u64| row(x, 0) + row(x, 1) + row(x, 2) + row(x, 3);
    rows(bits) + rows(transposed)
}

/// The value as the document defines it. Exact up to 2^53.
fn value(differences: u128, tiles: u32) -> f64 {
    -(differences as f64) * f64::from(tiles)
}

impl Smooth {
    /// The value of a packed board.
    #[inline]
    pub fn evaluate_packed(self, board: Packed) -> f64 {
        let differences = differences(board.bits(), board.transposed().bits());
        value(differences.into(), 16 - board.empty_count())
    }

    /// The smallest value after a spawn on a packed afterstate with an empty cell. `twos` and
    /// `fours` say which tiles can spawn.
    ///
    /// The boards are not made one by one. A new tile `t` next to an empty cell adds `t` to the sum
    /// of differences. Next to a tile of at least `t` it subtracts `t`. A 4 next to a 2 changes
    /// nothing.
    #[inline]
    pub(crate) fn worst_spawn_packed(self, after: PackedAfter, twos: bool, fours: bool) -> f64 {
        const CELLS: u64 = 0x1111_1111_1111_1111;
        /// The number of neighbours of each cell.
        const NEIGHBOURS: u64 = 0x2332_3443_3443_2332;
        let x = after.bits();
        let empty = after.empty_mask();
        let twos_there = x & !(x >> 1 | x >> 2 | x >> 3) & CELLS;
        let (empty_beside, twos_beside) = (beside(empty), beside(twos_there));
        let mut most = i32::MIN;
        let mut rest = empty;
        while rest != 0 {
            let cell = rest.trailing_zeros();
            rest &= rest - 1;
            let count = |counts: u64| (counts >> cell & 0xf) as i32;
            let balance = 2 * count(empty_beside) - count(NEIGHBOURS);
            if twos {
                most = most.max(2 * balance);
            }
            if fours {
                most = most.max(4 * (balance + count(twos_beside)));
            }
        }
        let sum = i64::from(differences(x, after.transposed().bits())) + i64::from(most);
        value(sum as u128, 17 - after.empty_count())
    }
}

/// For each cell, the number of its neighbours that are marked. Marks and counts have four bits for
/// each cell.
const fn beside(marks: u64) -> u64 {
    const NOT_FIRST_COL: u64 = 0x1110_1110_1110_1110;
    const NOT_LAST_COL: u64 = 0x0111_0111_0111_0111;
    (marks << 4 & NOT_FIRST_COL) + (marks >> 4 & NOT_LAST_COL) + (marks << 16) + (marks >> 16)
}

impl Evaluator for Smooth {
    fn judges(&self) -> Judges {
        Judges::Boards
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn evaluate(&self, view: &View) -> f64 {
        let (rows, cols) = (view.size().rows(), view.size().cols());
        let difference = |a: (usize, usize), b: (usize, usize)| {
            u128::from(view.tile(a.0, a.1).abs_diff(view.tile(b.0, b.1)))
        };
        let mut sum = 0;
        for row in 0..rows {
            for col in 0..cols {
                sum += if col + 1 < cols { difference((row, col), (row, col + 1)) } else { 0 };
                sum += if row + 1 < rows { difference((row, col), (row + 1, col)) } else { 0 };
            }
        }
        value(sum, view.tiles().iter().filter(|&&tile| tile != 0).count() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Direction, parse_board};
    use crate::eval::testing::{STARTS, assert_turning_keeps_the_value, boards_from};

    #[test]
    fn the_value_of_a_drawn_board() {
        // Rows: |2-4| + |4-0| and |0-8| + |8-8|. Columns: 2, 4, 8. Four tiles.
        let board = parse_board("2 4 0/0 8 8", None).unwrap();
        assert_eq!(Smooth.evaluate(&View::of_board(&board, 0)), -f64::from((2 + 4 + 8) + (2 + 4 + 8)) * 4.0);
    }

    #[test]
    fn packed_boards_have_the_same_values() {
        for board in boards_from(STARTS[0], 500) {
            let packed = Packed::pack(&board).unwrap();
            assert_eq!(Smooth.evaluate_packed(packed), Smooth.evaluate(&View::of_board(&board, 0)));
        }
    }

    #[test]
    fn the_worst_spawn_is_the_worst_of_all() {
        for board in boards_from(STARTS[0], 500) {
            let board = Packed::pack(&board).unwrap();
            for after in Direction::ALL.into_iter().filter_map(|direction| board.slide(direction)) {
                for (ranks, twos, fours) in [(1..=1, true, false), (2..=2, false, true), (1..=2, true, true)]
                {
                    let spawned =
                        after.0.empty_bits().flat_map(|bit| ranks.clone().map(move |rank| (bit, rank)));
                    let values =
                        spawned.map(|(bit, rank)| Smooth.evaluate_packed(after.0.spawned(bit, rank)));
                    let worst = values.min_by(f64::total_cmp).unwrap();
                    assert_eq!(Smooth.worst_spawn_packed(after.0, twos, fours), worst);
                }
            }
        }
    }

    #[test]
    fn turning_a_board_keeps_its_value() {
        assert_turning_keeps_the_value(&Smooth);
    }
}
