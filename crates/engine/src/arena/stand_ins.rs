//! Small players for the tests of the arena, which does not depend on the real ones.

use crate::game::{Action, Decision, GameStart, Player, PlayerError, Refusal, Situation};

/// Plays uniformly over the legal moves.
pub(super) struct Random;

impl Player for Random {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let legal = situation.board.legal_moves();
        let chosen = legal.nth(situation.luck.below(situation.turns, legal.len()));
        chosen.map(|direction| Decision::of(Action::Move(direction))).ok_or_else(|| PlayerError::new("none"))
    }
}

/// Plays the first legal move.
pub(super) struct First;

impl Player for First {
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let first = situation.board.legal_moves().iter().next();
        first.map(|direction| Decision::of(Action::Move(direction))).ok_or_else(|| PlayerError::new("none"))
    }
}

/// Refuses every game.
pub(super) struct Refusing;

impl Player for Refusing {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        Err(Refusal::new(format!("not on {}", game.rules.size)))
    }

    fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
        panic!("asked for a move after refusing the game")
    }
}
