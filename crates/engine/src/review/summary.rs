//! All moves of a review together.

use super::{Grade, JudgedMove, Verdict};

/// What the moves of a game come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewSummary {
    /// Moves and passes; a quit is neither.
    pub moves: usize,
    /// Those that were the only legal move.
    pub forced: usize,
    /// Those that the judge has no value for.
    pub unjudged: usize,
    /// Those that were chosen and nothing better was possible.
    pub best: usize,
    /// The moves of each grade, in the order of [`Grade::ALL`].
    pub grades: [GradeTally; 6],
    /// The sum of the shares of the expected final score that the graded moves kept.
    ratios: f64,
    /// The sum of their logarithms.
    logarithms: f64,
}

/// The moves of one grade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GradeTally {
    /// How many.
    pub moves: usize,
    /// The expected points that they lost together.
    pub loss: f64,
}

impl ReviewSummary {
    /// The summary of these moves.
    pub fn of(moves: &[JudgedMove]) -> ReviewSummary {
        let mut summary = ReviewSummary::default();
        moves.iter().for_each(|judged| summary.add(judged));
        summary
    }

    /// Takes in one more move.
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
            self.ratios += ratio;
            self.logarithms += ratio.ln();
        }
    }

    /// The moves that have a grade.
    pub fn graded(&self) -> usize {
        self.grades.iter().map(|tally| tally.moves).sum()
    }

    /// The moves with a grade.
    pub fn with(&self, grade: Grade) -> GradeTally {
        self.grades[grade.index()]
    }

    /// The expected points that all graded moves lost together.
    pub fn loss(&self) -> f64 {
        self.grades.iter().map(|tally| tally.loss).sum()
    }

    /// How many of the graded moves were the best, as a share.
    pub fn agreement(&self) -> Option<f64> {
        self.mean(self.best as f64)
    }

    /// The mean share of the expected final score that a graded move kept.
    pub fn accuracy(&self) -> Option<f64> {
        self.mean(self.ratios)
    }

    /// The share of the expected final score that was left after all moves: the product of what each kept. What luck did to
    /// the game is not in it.
    pub fn kept(&self) -> Option<f64> {
        (self.graded() > 0).then(|| self.logarithms.exp())
    }

    /// The expected points that a graded move lost on average.
    pub fn mean_loss(&self) -> Option<f64> {
        self.mean(self.loss())
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.graded() > 0).then(|| sum / self.graded() as f64)
    }
}
