//! Where a player loses most.

use std::collections::BTreeMap;

use super::{Exact, Table};
use crate::board::{Board, Direction};

/// A board on which a player loses something. Images of a board under symmetries are one leak.
#[derive(Clone, Debug, PartialEq)]
pub struct Leak {
    /// The board: the image on which most is lost, or in played games the first one that came up.
    pub board: Board,
    /// The expected number of times that it comes up in a game. In played games, the mean number of
    /// times that something is lost there.
    pub visits: f64,
    /// The probability of each direction.
    pub shares: [f64; 4],
    /// The exact values.
    pub exact: Exact,
    /// What it costs in all games, on average: the sum of visits times lost value.
    pub cost: f64,
}

impl Leak {
    /// The leak of a visit; `None` if nothing is lost, apart from the rounding of the table.
    pub(super) fn of_visit(table: &Table, board: Board, shares: [f64; 4], exact: Exact) -> Option<Leak> {
        let kept: f64 =
            Direction::ALL.iter().map(|&direction| shares[direction.index()] * exact.value(direction)).sum();
        let cost = exact.best() - kept;
        let is_real = cost > table.info().values.rounding(exact.best());
        is_real.then_some(Leak { board, visits: 1.0, shares, exact, cost })
    }

    /// The same leak with so many visits instead of one.
    #[must_use]
    pub(super) fn times(self, visits: f64) -> Leak {
        Leak { visits: self.visits * visits, cost: self.cost * visits, ..self }
    }
}

/// Adds leaks to the worst ones.
pub(super) fn keep_worst(worst: &mut Vec<Leak>, leaks: impl Iterator<Item = Leak>, most: usize) {
    worst.extend(leaks);
    worst.sort_by(|one, other| other.cost.total_cmp(&one.cost));
    worst.truncate(most);
}

/// The leaks of played games, by position.
#[derive(Debug)]
pub(super) struct Leaks {
    positions: BTreeMap<u64, Leak>,
    most: usize,
}

impl Leaks {
    /// Remembers at most so many positions.
    pub(super) fn at_most(most: usize) -> Leaks {
        Leaks { positions: BTreeMap::new(), most }
    }

    /// Adds a leak to those of the same position. If there is no room for another position, the
    /// cheaper half of them is forgotten.
    pub(super) fn add(&mut self, position: u64, leak: Leak) {
        if let Some(known) = self.positions.get_mut(&position) {
            known.visits += leak.visits;
            known.cost += leak.cost;
            return;
        }
        if self.positions.len() >= self.most {
            let mut all: Vec<_> = std::mem::take(&mut self.positions).into_iter().collect();
            all.sort_by(|(_, one), (_, other)| other.cost.total_cmp(&one.cost));
            all.truncate(self.most / 2);
            self.positions = all.into_iter().collect();
        }
        self.positions.insert(position, leak);
    }

    /// The worst ones of so many games, for one game on average.
    pub(super) fn worst(self, games: u64, most: usize) -> Vec<Leak> {
        let mut worst = Vec::new();
        let per_game = self.positions.into_values().map(|leak| leak.times(1.0 / games as f64));
        keep_worst(&mut worst, per_game, most);
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Goal, Place, Tables};
    use super::*;
    use crate::board::{Directions, parse_board};
    use crate::game::{MoveValue, Probability};

    const SHARES: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

    /// What playing up costs where up and down have these values.
    fn cost(goal: Goal, up: f64, down: f64) -> Option<f64> {
        let table = Tables::default().solved("2x2".parse().unwrap(), goal, Probability::TENTH).unwrap();
        let values = [MoveValue::Worth(up), MoveValue::Illegal, MoveValue::Worth(down), MoveValue::Illegal];
        let board = parse_board("2 4/2 0", None).unwrap();
        Leak::of_visit(&table, board, SHARES, Exact { values, makes: Directions::NONE, goal })
            .map(|leak| leak.cost)
    }

    #[test]
    fn what_rounding_may_explain_is_not_lost() {
        let chance = Goal::Tile { tile: 16, place: Place::Anywhere };
        let step = 1.0 / 65535.0;
        assert_eq!(cost(chance, 0.5, 0.5 + step), None);
        assert!(cost(chance, 0.5, 0.5 + 2.0 * step).is_some_and(|cost| cost > step));
        assert_eq!(cost(Goal::Score, f64::from(600.0f32.next_down()), 600.0), None);
        assert!(cost(Goal::Score, 599.99, 600.0).is_some());
    }

    #[test]
    fn without_room_the_cheaper_half_is_forgotten() {
        let exact = Exact { values: [MoveValue::Worth(1.0); 4], makes: Directions::NONE, goal: Goal::Score };
        let leak = |cost| Leak {
            board: parse_board("2 4/2 0", None).unwrap(),
            visits: 1.0,
            shares: SHARES,
            exact,
            cost,
        };
        let mut leaks = Leaks::at_most(4);
        for (position, cost) in [(1, 1.0), (2, 5.0), (3, 2.0), (4, 3.0), (2, 5.0), (5, 4.0), (6, 0.5)] {
            leaks.add(position, leak(cost));
        }
        let worst = leaks.worst(2, 10);
        let figures: Vec<_> = worst.iter().map(|leak| (leak.visits, leak.cost)).collect();
        assert_eq!(figures, [(1.0, 5.0), (0.5, 2.0), (0.5, 1.5), (0.5, 0.25)]);
    }
}
