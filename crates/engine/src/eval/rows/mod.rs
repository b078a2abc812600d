//! The evaluator `rows`: every row and column is evaluated on its own by a few features with named
//! weights, and the value of the position is the sum. On 4x4 each line is one lookup in a table of
//! all 65,536 lines, built from the weights.

mod lines;

pub(crate) use lines::LineTables;

use super::weights::weights;
use super::{Evaluator, FastEvaluator, Judges, Replies, View};
use crate::board::{PackedAfter, Size, rank_of, tile_of};
use crate::game::Unit;

// The defaults were tuned by CMA-ES in two stages. The first ran 80 generations of 16 at depth 2,
// with the mean logarithm of the scores of 60 games as fitness. The second ran 19 generations of 14
// with 12 games each at nodes=40000, cut=0.005, fours=2.
//
// A deep search needs other weights than a shallow one: mono and sum grow much faster with the
// rank. The second stage raised the mean score at those limits from 140,831 to 198,646 (40 games
// each, standard errors 10,276 and 14,559). At depth 2 it lowered the mean from 55,410 to 31,527
// (1,000 games, 95% interval 1,060; benchmarks/2026-11-16-searching).
weights! {
    empty: "10", 0.0 to 1e5, "bonus for each empty cell of a line";
    merge: "15", 0.0 to 1e5, "bonus for each pair of tiles in a line that can merge, times rank^merge_power";
    merge_power: "1.44", 0.0 to 4.0, "exponent of the rank in merge";
    mono: "11.8", 0.0 to 1e4, "penalty for lines that are not monotonic: factor of the smaller of the total rise and the total fall of rank^mono_power along the line";
    mono_power: "3.95", 0.5 to 6.0, "exponent of the ranks in mono";
    mono_edge: "1.22", 0.0 to 10.0, "factor of mono in the first and last row and column";
    sum: "1.7", 0.0 to 1e4, "penalty for many tiles: factor of the sum of rank^sum_power";
    sum_power: "3.54", 0.5 to 6.0, "exponent of the ranks in sum";
    sum_edge: "2.2", 0.0 to 10.0, "factor of sum in the first and last row and column";
    near: "3.9", 0.0 to 1e5, "bonus for each pair of neighbours in which one is twice the other";
    full: "34", 0.0 to 1e6, "penalty for each line without an empty cell and without a merge";
    lost: "1290000", 0.0 to 1e9, "penalty subtracted from the value of a lost board";
}

/// The tile of a cell (0 if empty) with the powers of its rank that the features need.
#[derive(Clone, Copy, Default)]
struct Cell {
    tile: u64,
    for_merge: f64,
    for_mono: f64,
    for_sum: f64,
}

impl Cell {
    fn is_twice(&self, other: &Cell) -> bool {
        other.tile != 0 && other.tile.checked_mul(2) == Some(self.tile)
    }
}

impl Weights {
    /// The rank of a tile is its binary logarithm, which need not be an integer. Logarithms and
    /// powers come from `libm`, because the last bit of the system's math library differs between
    /// machines.
    fn cell(&self, tile: u64) -> Cell {
        if tile == 0 {
            return Cell::default();
        }
        let rank = rank_of(tile).map_or_else(|| libm::log2(tile as f64), f64::from);
        let power = |exponent| libm::pow(rank, exponent);
        Cell {
            tile,
            for_merge: power(self.merge_power),
            for_mono: power(self.mono_power),
            for_sum: power(self.sum_power),
        }
    }

    /// The value of one line. `edge` says whether it is on the edge of the board.
    fn line(&self, cells: &[Cell], edge: bool) -> f64 {
        let tiles = || cells.iter().filter(|cell| cell.tile != 0);
        let empty = (cells.len() - tiles().count()) as f64;
        let meeting = tiles().zip(tiles().skip(1));
        let merges: f64 = meeting.filter(|(a, b)| a.tile == b.tile).map(|(a, _)| a.for_merge).sum();
        let (mut near, mut rise, mut fall) = (0.0, 0.0, 0.0);
        for pair in cells.windows(2) {
            let step = pair[1].for_mono - pair[0].for_mono;
            rise += step.max(0.0);
            fall += (-step).max(0.0);
            near += f64::from(pair[0].is_twice(&pair[1]) || pair[1].is_twice(&pair[0]));
        }
        let sum: f64 = tiles().map(|cell| cell.for_sum).sum();
        let (mono, sum_weight) =
            if edge { (self.mono * self.mono_edge, self.sum * self.sum_edge) } else { (self.mono, self.sum) };
        let full = f64::from(empty == 0.0 && merges == 0.0);
        self.empty * empty + self.merge * merges + self.near * near
            - mono * rise.min(fall)
            - sum_weight * sum
            - self.full * full
    }
}

/// The evaluator `rows`.
#[derive(Clone)]
pub struct Rows {
    weights: Weights,
    /// The cell of each power of two by its rank, and the empty cell at 0. Computing powers is
    /// slow.
    cells: [Cell; 64],
    tables: LineTables,
}

impl Rows {
    /// Builds the tables for these weights.
    pub fn new(weights: Weights) -> Rows {
        let cells = std::array::from_fn(|rank| weights.cell(tile_of(rank as u8)));
        let value = |ranks: [u8; 4], edge| weights.line(&ranks.map(|rank| cells[rank as usize]), edge);
        Rows { weights, cells, tables: LineTables::new(value) }
    }
}

impl Evaluator for Rows {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn lost(&self, value: f64) -> f64 {
        value - self.weights.lost
    }

    /// Works for any board size and any tiles.
    fn evaluate(&self, view: &View) -> f64 {
        let cell = |row, col| {
            let tile = view.tile(row, col);
            match rank_of(tile) {
                Some(rank) => self.cells[usize::from(rank)],
                None => self.weights.cell(tile),
            }
        };
        let (rows, cols) = (view.size().rows(), view.size().cols());
        let mut line = [Cell::default(); Size::MAX_SIDE];
        let mut value = 0.0;
        for row in 0..rows {
            (0..cols).for_each(|col| line[col] = cell(row, col));
            value += self.weights.line(&line[..cols], row == 0 || row == rows - 1);
        }
        for col in 0..cols {
            (0..rows).for_each(|row| line[row] = cell(row, col));
            value += self.weights.line(&line[..rows], col == 0 || col == cols - 1);
        }
        value
    }
}

impl FastEvaluator for Rows {
    #[inline]
    fn evaluate_packed(&self, after: PackedAfter) -> f32 {
        self.tables.value(after)
    }

    #[inline]
    fn best_replies(&self, after: PackedAfter, chances: [f32; 2]) -> Replies {
        self.tables.best_replies(after, chances, self.weights.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::replies_one_by_one;
    use crate::eval::testing::packed_afterstates;

    /// The tables must not change, so that games of `rows` are the same on every machine.
    #[test]
    fn the_tables_are_these() {
        let rows = Rows::new(Weights::default());
        let digest = rows.tables.values().fold(0xcbf2_9ce4_8422_2325_u64, |digest, value| {
            (digest ^ u64::from(value as u32)).wrapping_mul(0x100_0000_01b3)
        });
        assert_eq!((digest, rows.tables.fraction()), (0x9c17_9ff6_e2de_484e, 2f32.powi(-6)));
    }

    #[test]
    fn the_tables_agree_with_the_slow_twin() {
        let rows = Rows::new(Weights::default());
        for after in packed_afterstates(3_000) {
            let fast = f64::from(rows.evaluate_packed(after));
            let slow = rows.evaluate(&View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0));
            // Each of the eight lines is rounded to the fraction of the tables.
            let most = 4.0 * f64::from(rows.tables.fraction()) + 1e-6 * slow.abs();
            assert!((fast - slow).abs() <= most, "{after:?}: {fast} and {slow}");
        }
    }

    #[test]
    fn other_tiles_than_powers_of_two_are_compared_by_their_values() {
        let zero = Weights::from_names(|name| if name == "near" || name == "empty" { 1.0 } else { 0.0 });
        let value = |row: [u64; 4]| {
            let cells = row.map(|tile| zero.cell(tile));
            zero.line(&cells, false)
        };
        assert_eq!(value([1, 1, 1, 1]), 0.0, "a tile of 1 is not an empty cell");
        assert_eq!(value([0, 0, 0, 0]), 4.0);
        assert_eq!(value([1, 2, 5, 10]), 2.0, "1 and 2, 5 and 10");
        for tile in 1..10_000 {
            assert_eq!(value([tile, 2 * tile, 0, 0]), 3.0, "{tile} and its double");
        }
        assert_eq!(value([1 << 63, 0, 0, 1 << 62]), 2.0);
    }

    #[test]
    fn the_last_layer_agrees_with_its_slow_twin() {
        let rows = Rows::new(Weights::default());
        for (n, after) in packed_afterstates(3_000).enumerate() {
            let chances = [[0.9, 0.1], [1.0, 0.0], [0.0, 0.25]][n % 3];
            let fast = rows.best_replies(after, chances);
            let slow = replies_one_by_one(&rows, after, chances);
            assert_eq!((fast.boards, fast.moves), (slow.boards, slow.moves), "{after:?}");
            assert!((fast.value - slow.value).abs() <= 1e-5 * slow.value.abs().max(1e3), "{after:?}");
        }
    }

    #[test]
    fn mirror_images_have_exactly_the_same_value() {
        let rows = Rows::new(Weights::default());
        for after in packed_afterstates(3_000) {
            let value = rows.evaluate_packed(after);
            for image in [after.transposed(), after.flipped_rows(), after.flipped_cols()] {
                assert_eq!(rows.evaluate_packed(image), value, "{after:?}");
            }
        }
    }
}
