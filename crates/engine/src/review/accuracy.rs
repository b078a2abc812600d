//! The accuracy of a game: what its moves cost, compared with random moves.

use super::{JudgedMove, Verdict};

/// The lost share of the expected final score that costs half as much as losing everything. It is
/// where mistakes begin, see [`Grade::Mistake`](super::Grade::Mistake).
const HALF: f64 = 0.025;

/// Added to what random moves would cost, so that trifles do not decide a game of a few moves. Two
/// or three of the worst excellent moves cost as much.
const SLACK: f64 = 0.1;

/// What losing this share of the expected final score costs, from 0 to 1. The cost grows with
/// every loss, but slower and slower: one disaster does not outweigh a whole game.
fn cost_of(share: f64) -> f64 {
    share / (share + HALF)
}

impl JudgedMove {
    /// What the move cost: 0 for the best move, 0.5 if it lost 2.5% of the expected final score,
    /// less than 1 if it lost everything. `None` if the move has no grade.
    pub fn cost(&self) -> Option<f64> {
        self.grade()?;
        self.played_value.map(|value| self.cost_at(value))
    }

    /// What a random legal move would have cost here on average. `None` if the move has no grade.
    pub fn random_cost(&self) -> Option<f64> {
        self.grade()?;
        let costs = self.points().into_iter().flatten().map(|value| self.cost_at(value));
        let (sum, count) = costs.fold((0.0, 0), |(sum, count), cost| (sum + cost, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    fn cost_at(&self, value: f64) -> f64 {
        let lost = (self.best_value - value).max(0.0);
        if lost > 0.0 { cost_of(lost / self.expected()) } else { 0.0 }
    }
}

/// The costs of the graded moves of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Costs {
    played: f64,
    random: f64,
}

impl Costs {
    pub(super) fn add(&mut self, judged: &JudgedMove) {
        debug_assert!(matches!(judged.verdict(), Verdict::Graded(_)));
        self.played += judged.cost().unwrap_or(0.0);
        self.random += judged.random_cost().unwrap_or(0.0);
    }

    /// 1 if nothing was lost, 0 if the moves cost as much as random ones or more. `None` if no move
    /// could lose anything.
    pub(super) fn accuracy(&self) -> Option<f64> {
        let decided = self.played > 0.0 || self.random > 0.0;
        decided.then(|| (1.0 - self.played / (self.random + SLACK)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Direction;
    use crate::game::{Action, MoveValue};

    /// A move down at a score of 1000, with the value of each direction.
    fn judged(values: [f64; 4]) -> JudgedMove {
        let best = values.into_iter().fold(0.0, f64::max);
        let place = values.into_iter().position(|value| value == best).unwrap();
        JudgedMove {
            number: 1,
            score: 1000,
            played: Action::Move(Direction::Down),
            best: Action::Move(Direction::ALL[place]),
            values: values.map(MoveValue::Worth),
            played_value: Some(values[Direction::Down.index()]),
            best_value: best,
            choices: 4,
        }
    }

    fn accuracy(moves: &[[f64; 4]]) -> Option<f64> {
        let mut costs = Costs::default();
        moves.iter().for_each(|values| costs.add(&judged(*values)));
        costs.accuracy()
    }

    #[test]
    fn costs_by_hand() {
        // Of 10,000 expected points, down loses 250, which costs 0.5. Left loses all but the score.
        let one = judged([9000.0, 9000.0, 8750.0, 0.0]);
        assert_eq!(one.cost(), Some(0.5));
        let all = 0.9 / 0.925;
        assert!((one.random_cost().unwrap() - (0.5 + all) / 4.0).abs() < 1e-12);
        let expected = 1.0 - 0.5 / ((0.5 + all) / 4.0 + 0.1);
        assert!(expected < 0.0, "worse than random");
        assert_eq!(accuracy(&[[9000.0, 9000.0, 8750.0, 0.0]]), Some(0.0));
        let both = accuracy(&[[9000.0, 9000.0, 8750.0, 0.0], [0.0, 0.0, 9000.0, 0.0]]).unwrap();
        assert!((both - (1.0 - 0.5 / ((0.5 + 4.0 * all) / 4.0 + 0.1))).abs() < 1e-12);
    }

    #[test]
    fn a_larger_loss_never_raises_the_accuracy() {
        let with = |value: f64| accuracy(&[[0.0, 9000.0, value, 0.0], [0.0, 0.0, 9000.0, 0.0]]).unwrap();
        let values: Vec<f64> = (0..=90).map(|step| with(f64::from(step) * 100.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{values:?}");
        assert!(values[0] < 0.5 && values[90] == 1.0, "{values:?}");
    }

    #[test]
    fn positions_without_a_choice_that_matters_change_nothing() {
        let decision = [9000.0, 9000.0, 8000.0, 0.0];
        let alone = accuracy(&[decision, [0.0, 0.0, 9000.0, 0.0]]);
        let mut moves = vec![decision, [0.0, 0.0, 9000.0, 0.0]];
        moves.extend([[5000.0; 4]; 100]);
        assert_eq!(accuracy(&moves), alone);
        assert_eq!(accuracy(&[[5000.0; 4]; 100]), None, "no move could lose anything");
        assert_eq!(accuracy(&[[0.0; 4]]), None);
        assert_eq!(accuracy(&[]), None);
    }

    #[test]
    fn trifles_in_a_short_game_cost_little() {
        // Ten moves that lose 0.01% where nothing else could be lost: all are excellent.
        let trifles = accuracy(&[[9000.0, 9000.0, 8999.0, 9000.0]; 10]).unwrap();
        assert!(trifles > 0.5, "{trifles}");
        let mistakes = accuracy(&[[9000.0, 9000.0, 8000.0, 9000.0]; 10]).unwrap();
        assert_eq!(mistakes, 0.0);
    }
}
