//! The evaluator `rows`: every row and column is judged by itself, by a few features with named weights, and the
//! position is the sum. On 4x4 each line is one look-up in a table of all 65,536 lines, built from the weights.

use super::weights::weights;
use super::{Evaluator, FastEvaluator, Judges, View};
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
    /// The value of each packed line.
    lines: Box<[f32; 1 << 16]>,
}

impl Rows {
    /// Builds the table for these weights.
    pub fn new(weights: Weights) -> Rows {
        let value = |line: u16| {
            let ranks = [0, 4, 8, 12].map(|bit| f64::from(line >> bit & 0xf));
            weights.line(&ranks) as f32
        };
        let lines: Vec<f32> = (0..=u16::MAX).map(value).collect();
        let lines = lines.try_into().expect("there are 2^16 lines");
        Rows { weights, lines }
    }

    /// The weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The sum over the four lines of packed bits.
    #[inline]
    fn four_lines(&self, bits: u64) -> f32 {
        let line = |row: u32| self.lines[(bits >> (16 * row)) as u16 as usize];
        (line(0) + line(1)) + (line(2) + line(3))
    }
}

impl Evaluator for Rows {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn uses_score(&self) -> bool {
        false
    }

    fn game_over(&self) -> f64 {
        -self.weights.lost
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
        self.four_lines(after.bits()) + self.four_lines(after.transposed().bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Stream;

    #[test]
    fn the_table_agrees_with_the_slow_twin() {
        let rows = Rows::new(Weights::default());
        let stream = Stream::with_purpose(1, 2);
        for n in 0..2_000 {
            // Rank 0 is made frequent by masking whole cells.
            let mask = (stream.draw(3 * n) & stream.draw(3 * n + 1) & 0x1111_1111_1111_1111) * 0xf;
            let after = PackedAfter::<4, 4>::from_bits(stream.draw(3 * n + 2) & !mask).unwrap();
            let fast = f64::from(rows.evaluate_packed(after));
            let slow = rows.evaluate(&View::new(Size::FOUR, after.to_grid().cells().iter().copied(), 0));
            assert!((fast - slow).abs() <= 1e-5 * slow.abs().max(1e3), "{after:?}: {fast} and {slow}");
        }
    }
}
