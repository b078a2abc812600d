//! The summary of all moves of a review.

use super::accuracy::Costs;
use super::{Grade, JudgedMove, Verdict};

/// The totals over the moves of a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewSummary {
    /// The number of moves and passes; a quit is neither.
    pub moves: usize,
    /// Moves without an alternative.
    pub forced: usize,
    /// Moves for which the judge has no value.
    pub unjudged: usize,
    /// Graded moves for which no better move was possible.
    pub best: usize,
    /// The moves of each grade, in the order of [`Grade::ALL`].
    pub grades: [GradeTally; 6],
    /// What the graded moves cost.
    costs: Costs,
    /// The sum of the logarithms of the shares of the expected final score that they kept.
    logarithms: f64,
}

/// The total of one grade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GradeTally {
    /// The number of moves.
    pub moves: usize,
    /// The expected points that they lost.
    pub loss: f64,
}

impl ReviewSummary {
    /// The summary of these moves.
    pub fn of(moves: &[JudgedMove]) -> ReviewSummary {
        let mut summary = ReviewSummary::default();
        moves.iter().for_each(|judged| summary.add(judged));
        summary
    }

    /// Adds one move.
    pub fn add(&mut self, judged: &JudgedMove) {
        let grade = match judged.verdict() {
            Verdict::Quit => return,
            Verdict::Forced => {
                self.forced += 1;
                None
            }
            Verdict::Unjudged => {
                self.unjudged += 1;
                None
            }
            Verdict::Graded(grade) => Some(grade),
        };
        self.moves += 1;
        if let Some((grade, (loss, ratio))) = grade.zip(judged.loss().zip(judged.ratio())) {
            self.best += usize::from(judged.is_best());
            self.grades[grade.index()].moves += 1;
            self.grades[grade.index()].loss += loss;
            self.costs.add(judged);
            self.logarithms += ratio.ln();
        }
    }

    /// The number of graded moves.
    pub fn graded(&self) -> usize {
        self.grades.iter().map(|tally| tally.moves).sum()
    }

    /// The total of one grade.
    pub fn with(&self, grade: Grade) -> GradeTally {
        self.grades[grade.index()]
    }

    /// The expected points that all graded moves lost.
    pub fn loss(&self) -> f64 {
        self.grades.iter().map(|tally| tally.loss).sum()
    }

    /// The share of graded moves that were the best.
    pub fn agreement(&self) -> Option<f64> {
        self.mean(self.best as f64)
    }

    /// What the graded moves cost, compared with random moves in the same positions: 1 if they
    /// lost nothing, 0 if they cost as much as random moves or more. `None` if no move could lose
    /// anything. See [`JudgedMove::cost`].
    pub fn accuracy(&self) -> Option<f64> {
        self.costs.accuracy()
    }

    /// The share of the expected final score that was left after all moves: the product of the
    /// shares of the graded moves. Luck does not affect it.
    pub fn kept(&self) -> Option<f64> {
        (self.graded() > 0).then(|| self.logarithms.exp())
    }

    /// The mean expected points lost per graded move.
    pub fn mean_loss(&self) -> Option<f64> {
        self.mean(self.loss())
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.graded() > 0).then(|| sum / self.graded() as f64)
    }
}
