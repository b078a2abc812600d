//! The evaluator `product` of the fifth source document: score times largest tile times the number
//! of empty cells.

use super::{Evaluator, Judges, View};
use crate::game::Unit;

/// The evaluator `product`. It has no parameters.
///
/// The largest product, of a 64-bit score, a 64-bit tile and 64 cells, is below 10^41, so it never
/// overflows an `f64`. A board without empty cells, and every board before the first merge, has the
/// value 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product;

impl Evaluator for Product {
    fn judges(&self) -> Judges {
        Judges::Boards
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn reads_score(&self) -> bool {
        true
    }

    fn evaluate(&self, view: &View) -> f64 {
        let largest = view.tiles().iter().copied().max().unwrap_or(0);
        let empty = view.tiles().iter().filter(|&&tile| tile == 0).count();
        // The tile is usually a power of two, so the last product is usually exact.
        view.score() as f64 * empty as f64 * largest as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::testing::assert_turning_keeps_the_value;

    #[test]
    fn the_value_of_a_drawn_board() {
        let board = parse_board("2 4 0/0 64 8", None).unwrap();
        assert_eq!(Product.evaluate(&View::of_board(&board, 100)), 100.0 * 64.0 * 2.0);
        assert_eq!(Product.evaluate(&View::of_board(&board, 0)), 0.0);
    }

    #[test]
    fn the_largest_board_is_still_a_number() {
        let board = parse_board("18446744073709551615 0 0/0 0 0", None).unwrap();
        assert!(Product.evaluate(&View::of_board(&board, u64::MAX)).is_finite());
    }

    #[test]
    fn turning_a_board_keeps_its_value() {
        assert_turning_keeps_the_value(&Product);
    }
}
