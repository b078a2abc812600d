//! The evaluator `neighbours`, proposed in the fifth source document: the sum of the products of
//! adjacent tiles. It favours large tiles next to each other.

use super::{Evaluator, Judges, View};
use crate::game::Unit;

/// The evaluator `neighbours`. It has no parameters.
///
/// A product of two 64-bit tiles is below 10^39, and an 8x8 board has 112 adjacent pairs. So the
/// sum stays far inside the range of `f64`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Neighbours;

impl Evaluator for Neighbours {
    fn judges(&self) -> Judges {
        Judges::Boards
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn evaluate(&self, view: &View) -> f64 {
        let (rows, cols) = (view.size().rows(), view.size().cols());
        let tile = |row, col| view.tile(row, col) as f64;
        let mut sum = 0.0;
        for row in 0..rows {
            for col in 0..cols {
                let right = if col + 1 < cols { tile(row, col + 1) } else { 0.0 };
                let below = if row + 1 < rows { tile(row + 1, col) } else { 0.0 };
                sum += tile(row, col) * (right + below);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::testing::assert_turning_keeps_the_value;

    #[test]
    fn the_value_of_a_drawn_board() {
        let board = parse_board("2 4 0/0 8 16", None).unwrap();
        assert_eq!(Neighbours.evaluate(&View::of_board(&board, 0)), f64::from(2 * 4 + 4 * 8 + 8 * 16));
    }

    #[test]
    fn turning_a_board_keeps_its_value() {
        assert_turning_keeps_the_value(&Neighbours);
    }
}
