//! The evaluator `position`, proposed in the fifth source document: the sum of every tile times the
//! weight of its cell.

use std::str::FromStr;

use thiserror::Error;

use super::weights::weights;
use super::{Evaluator, Judges, View};
use crate::board::{Board, Size, SizeError};
use crate::game::{Refusal, Unit};

weights! {
    edge: "10", -1e6 to 1e6, "weight of a cell on the edge of the board";
    inside: "5", -1e6 to 1e6, "weight of every other cell";
}

/// One weight for each cell of a board of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    size: Size,
    weights: Vec<f64>,
}

/// Why a text is not a matrix of weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatrixError {
    /// A number was expected.
    #[error("'{0}' in the matrix is not a number: write rows like 10 10 10/10 5 10/10 10 10")]
    NotANumber(String),
    /// The rows are not equally long.
    #[error("row {row} of the matrix has {found} weights, but row 1 has {expected}")]
    Ragged {
        /// Counted from 1.
        row: usize,
        /// Weights in that row.
        found: usize,
        /// Weights in the first row.
        expected: usize,
    },
    /// No board has this size.
    #[error(transparent)]
    Size(#[from] SizeError),
}

/// Parses rows separated by `/`, with weights separated by spaces.
impl FromStr for Matrix {
    type Err = MatrixError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |word: &str| {
            let number = word.parse::<f64>().ok().filter(|number| number.abs() <= 1e6);
            number.ok_or_else(|| MatrixError::NotANumber(word.chars().take(40).collect()))
        };
        let rows: Vec<Vec<f64>> = text
            .split('/')
            .map(|row| row.split_whitespace().map(number).collect())
            .collect::<Result<_, _>>()?;
        let expected = rows.first().map_or(0, Vec::len);
        if let Some(index) = rows.iter().position(|row| row.len() != expected) {
            return Err(MatrixError::Ragged { row: index + 1, found: rows[index].len(), expected });
        }
        Ok(Matrix { size: Size::new(rows.len(), expected)?, weights: rows.concat() })
    }
}

/// The evaluator `position`.
#[derive(Clone, Debug)]
pub struct PositionEvaluator {
    weights: Weights,
    matrix: Option<Matrix>,
}

impl PositionEvaluator {
    /// Two weights for boards of any size.
    pub fn new(weights: Weights) -> PositionEvaluator {
        PositionEvaluator { weights, matrix: None }
    }

    /// A weight for each cell. Only boards of the matrix's size are accepted.
    pub fn with_matrix(matrix: Matrix) -> PositionEvaluator {
        PositionEvaluator { weights: Weights::default(), matrix: Some(matrix) }
    }

    fn weight(&self, size: Size, cell: usize) -> f64 {
        let (row, col) = size.position(cell);
        let at_edge = row == 0 || col == 0 || row + 1 == size.rows() || col + 1 == size.cols();
        match &self.matrix {
            Some(matrix) => matrix.weights[cell],
            None if at_edge => self.weights.edge,
            None => self.weights.inside,
        }
    }
}

impl Evaluator for PositionEvaluator {
    fn judges(&self) -> Judges {
        Judges::Boards
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn accepts(&self, board: &Board) -> Result<(), Refusal> {
        let size = board.size();
        match &self.matrix {
            Some(matrix) if matrix.size != size => {
                let given = matrix.size;
                Err(Refusal::new(format!("the matrix of position is {given}, but the board is {size}")))
            }
            _ => Ok(()),
        }
    }

    fn evaluate(&self, view: &View) -> f64 {
        let cells = view.tiles().iter().enumerate();
        cells.map(|(cell, &tile)| tile as f64 * self.weight(view.size(), cell)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::testing::assert_turning_keeps_the_value;

    #[test]
    fn edges_count_twice_the_inside_by_default() {
        let board = parse_board("2 0 4/0 8 0/0 16 0", None).unwrap();
        let value = PositionEvaluator::new(Weights::default()).evaluate(&View::of_board(&board, 0));
        assert_eq!(value, 10.0 * (2.0 + 4.0 + 16.0) + 5.0 * 8.0);
    }

    #[test]
    fn a_matrix_weighs_every_cell_of_its_size_only() {
        let position = PositionEvaluator::with_matrix("1 2 3/4 -5 0.5".parse().unwrap());
        let board = parse_board("2 2 2/4 4 4", None).unwrap();
        assert_eq!(position.evaluate(&View::of_board(&board, 0)), 2.0 * 6.0 + 4.0 * -0.5);
        assert!(position.accepts(&board).is_ok());
        let refusal = position.accepts(&parse_board("2000000000000002", None).unwrap()).unwrap_err();
        assert_eq!(refusal.to_string(), "the matrix of position is 2x3, but the board is 4x4");
    }

    #[test]
    fn a_wrong_matrix_is_named() {
        let wrong = |text: &str| text.parse::<Matrix>().unwrap_err().to_string();
        assert!(wrong("1 x/2 3").starts_with("'x' in the matrix is not a number"));
        assert!(wrong("1 inf/2 3").starts_with("'inf' in the matrix is not a number"));
        assert_eq!(wrong("1 2/3"), "row 2 of the matrix has 1 weights, but row 1 has 2");
        assert!(wrong("1").contains("both sides must be from 2 to 8"));
    }

    #[test]
    fn turning_a_board_keeps_its_value() {
        assert_turning_keeps_the_value(&PositionEvaluator::new(Weights::default()));
    }
}
