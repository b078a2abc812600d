//! The evaluator `weighted`, proposed in the fifth source document: score, largest tile and empty
//! cells, each with its own weight, minus a penalty for duplicate tiles.

use super::weights::weights;
use super::{Evaluator, Judges, View};
use crate::game::Unit;

weights! {
    score: "1", 0.0 to 1e6, "factor of the score; the other weights are relative to it";
    largest: "1", 0.0 to 1e6, "factor of the largest tile";
    empty: "100", 0.0 to 1e9, "bonus for each empty cell";
    duplicates: "10", 0.0 to 1e9, "penalty for each tile that duplicates another one";
}

/// The evaluator `weighted`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weighted(pub Weights);

/// The number of tiles that duplicate an earlier one: all tiles minus different tiles.
fn duplicates(tiles: &[u64]) -> usize {
    let earlier = |index: usize| tiles[..index].contains(&tiles[index]);
    (0..tiles.len()).filter(|&index| tiles[index] != 0 && earlier(index)).count()
}

impl Evaluator for Weighted {
    fn judges(&self) -> Judges {
        Judges::Boards
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn reads_score(&self) -> bool {
        self.0.score != 0.0
    }

    fn evaluate(&self, view: &View) -> f64 {
        let Weighted(weights) = self;
        let largest = view.tiles().iter().copied().max().unwrap_or(0);
        let empty = view.tiles().iter().filter(|&&tile| tile == 0).count();
        weights.score * view.score() as f64 + weights.largest * largest as f64 + weights.empty * empty as f64
            - weights.duplicates * duplicates(view.tiles()) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::testing::assert_turning_keeps_the_value;

    #[test]
    fn every_weight_does_what_it_says() {
        let board = parse_board("2 2 2 0/4 4 8 0", None).unwrap();
        let weighted = Weighted(Weights { score: 2.0, largest: 3.0, empty: 5.0, duplicates: 7.0 });
        // The second and third 2 and the second 4 are duplicates.
        assert_eq!(
            weighted.evaluate(&View::of_board(&board, 10)),
            2.0 * 10.0 + 3.0 * 8.0 + 5.0 * 2.0 - 7.0 * 3.0
        );
    }

    #[test]
    fn turning_a_board_keeps_its_value() {
        assert_turning_keeps_the_value(&Weighted::default());
    }
}
