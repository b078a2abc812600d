//! The evaluator `rows`: every row and column is judged by itself, by a few features with named weights, and the
//! position is the sum. On 4x4 each line is one look-up in a table of all 65,536 lines, built from the weights.

mod lines;

use lines::LineTables;

use super::weights::weights;
use super::{Evaluator, FastEvaluator, Judges, Replies, View};
use crate::board::{PackedAfter, Size};
use crate::game::Unit;

weights! {
    empty: "270", 0.0 to 1e5, "for each empty cell of a line";
    merge: "700", 0.0 to 1e5, "for each pair of equal neighbours in a line";
    mono: "47", 0.0 to 1e4, "against rises and falls: times the smaller of the two sums of differences of rank^mono_power along the line";
    mono_power: "4", 0.5 to 6.0, "the power of the ranks in mono";
    sum: "11", 0.0 to 1e4, "against many tiles: times the sum of rank^sum_power";
    sum_power: "3.5", 0.5 to 6.0, "the power of the ranks in sum";
    lost: "200000", 0.0 to 1e9, "against a lost game, once for each line";
}

impl Weights {
    /// The value of one line, given by its ranks (0 for an empty cell).
    fn line(&self, ranks: &[f64]) -> f64 {
        let empty = ranks.iter().filter(|&&rank| rank == 0.0).count() as f64;
        let (mut merges, mut rise, mut fall) = (0.0, 0.0, 0.0);
        for pair in ranks.windows(2) {
            let step = pair[1].powf(self.mono_power) - pair[0].powf(self.mono_power);
            rise += step.max(0.0);
            fall += (-step).max(0.0);
            merges += f64::from(pair[0] == pair[1] && pair[0] != 0.0);
        }
        let sum: f64 = ranks.iter().filter(|&&rank| rank != 0.0).map(|rank| rank.powf(self.sum_power)).sum();
        self.empty * empty + self.merge * merges - self.mono * rise.min(fall) - self.sum * sum
    }
}

/// The evaluator `rows`.
#[derive(Clone)]
pub struct Rows {
    weights: Weights,
    tables: LineTables,
}

impl Rows {
    /// Builds the tables for these weights.
    pub fn new(weights: Weights) -> Rows {
        let value = |ranks: [u8; 4], _outer: bool| weights.line(&ranks.map(f64::from));
        Rows { weights, tables: LineTables::new(value, -weights.lost) }
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }
}

impl Evaluator for Rows {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn game_over(&self) -> f64 {
        f64::from(self.tables.lost())
    }

    /// Works for any size and tile: the rank of a tile is its binary logarithm.
    fn evaluate(&self, view: &View) -> f64 {
        let rank = |row, col| match view.tile(row, col) {
            0 => 0.0,
            tile => (tile as f64).log2(),
        };
        let (rows, cols) = (view.size().rows(), view.size().cols());
        let mut line = [0.0; Size::MAX_SIDE];
        let mut value = 0.0;
        for row in 0..rows {
            (0..cols).for_each(|col| line[col] = rank(row, col));
            value += self.weights.line(&line[..cols]);
        }
        for col in 0..cols {
            (0..rows).for_each(|row| line[row] = rank(row, col));
            value += self.weights.line(&line[..rows]);
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
        self.tables.best_replies(after, chances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::replies_one_by_one;
    use crate::game::Stream;

    /// Afterstates with ranks of all sizes and many or few empty cells, at least one.
    fn afterstates() -> impl Iterator<Item = PackedAfter> {
        let stream = Stream::with_purpose(1, 2);
        (0..3_000).map(move |n| {
            let draw = |k: u64| stream.draw(4 * n + k);
            let keep = draw(0) | if n % 3 == 0 { draw(1) } else { 0 };
            let small = if n % 2 == 0 { 0x3333_3333_3333_3333 } else { u64::MAX };
            let one_empty = !(0xf << (4 * (n % 16)));
            let bits = draw(2) & small & ((keep & 0x1111_1111_1111_1111) * 0xf) & one_empty;
            PackedAfter::from_bits(bits).unwrap()
        })
    }

    #[test]
    fn the_tables_agree_with_the_slow_twin() {
        let rows = Rows::new(Weights::default());
        for after in afterstates() {
            let fast = f64::from(rows.evaluate_packed(after));
            let slow = rows.evaluate(&View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0));
            // Each of the eight lines is rounded to the tables' fraction.
            let most = 4.0 * f64::from(rows.tables.fraction()) + 1e-6 * slow.abs();
            assert!((fast - slow).abs() <= most, "{after:?}: {fast} and {slow}");
        }
    }

    #[test]
    fn the_last_layer_agrees_with_its_slow_twin() {
        let rows = Rows::new(Weights::default());
        for (n, after) in afterstates().enumerate() {
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
        for after in afterstates() {
            let value = rows.evaluate_packed(after);
            for image in [after.transposed(), after.flipped_rows(), after.flipped_cols()] {
                assert_eq!(rows.evaluate_packed(image), value, "{after:?}");
            }
        }
    }
}
