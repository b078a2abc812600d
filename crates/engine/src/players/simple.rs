//! Players that do not look ahead.

use super::Entry;
use crate::board::Direction;
use crate::game::{Action, Decision, Player, PlayerError, Situation, Unit};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry {
            name: "random",
            summary: "plays each legal move with the same chance",
            params: &[],
            knows_future: false,
            build: |_| Ok(Box::new(Random)),
        },
        Entry {
            name: "greedy",
            summary: "takes the move that merges most points now; equal ones at random",
            params: &[],
            knows_future: false,
            build: |_| Ok(Box::new(Greedy)),
        },
    ]
}

/// Plays uniformly over the legal moves.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Player for Random {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let legal = situation.board.legal_moves();
        let direction = legal.nth(situation.luck.below(situation.turns, legal.len()));
        direction.map(|direction| Decision::of(Action::Move(direction))).ok_or_else(no_moves)
    }
}

/// Takes the largest immediate reward, equal ones at random.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl Player for Greedy {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let reward = |direction| {
            let slid = situation.board.slide(direction).ok().flatten();
            slid.map(|slid| slid.reward)
        };
        let rewards = Direction::ALL.map(reward);
        let most = rewards.iter().flatten().max().copied().ok_or_else(no_moves)?;
        let best = || Direction::ALL.into_iter().filter(|d| rewards[d.index()] == Some(most));
        let chosen = situation.luck.below(situation.turns, best().count());
        Ok(Decision {
            action: best().nth(chosen).map_or(Action::Quit, Action::Move),
            values: rewards.map(|reward| reward.map(|points| points as f64)),
            unit: Unit::Preference,
            depth: 1,
            nodes: rewards.iter().flatten().count() as u64,
        })
    }
}

fn no_moves() -> PlayerError {
    PlayerError("there is no move to choose".to_owned())
}
