//! A game that can be taken back.

use super::{Action, Game, PlayError, Turn};

/// A game with its past (for undo) and the future that was taken back (for redo).
///
/// Games are small values, so the past is kept as the games themselves: every position is at hand for screens and
/// reviews, and taking back can never disagree with playing.
#[derive(Clone, Debug)]
pub struct History {
    game: Game,
    past: Vec<(Game, Turn)>,
    future: Vec<Turn>,
}

impl History {
    /// Starts keeping the history of a game.
    pub fn new(game: Game) -> History {
        History { game, past: Vec::new(), future: Vec::new() }
    }

    /// The game as it stands.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The turns played, oldest first.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.past.iter().map(|(_, turn)| turn)
    }

    /// The game as it stood before turn `index`, counted from 0.
    pub fn before(&self, index: usize) -> Option<&Game> {
        self.past.get(index).map(|(game, _)| game)
    }

    /// Plays one turn and forgets what could have been redone.
    pub fn play(&mut self, action: Action) -> Result<Turn, PlayError> {
        let turn = self.step(action)?;
        self.future.clear();
        Ok(turn)
    }

    fn step(&mut self, action: Action) -> Result<Turn, PlayError> {
        let before = self.game.clone();
        let turn = self.game.play(action)?;
        self.past.push((before, turn));
        Ok(turn)
    }

    /// Takes the last turn back and returns it.
    pub fn undo(&mut self) -> Option<Turn> {
        let (game, turn) = self.past.pop()?;
        self.game = game;
        self.future.push(turn);
        Some(turn)
    }

    /// Plays again what was last taken back. Chance has no memory, so the same tile appears.
    pub fn redo(&mut self) -> Option<Turn> {
        let turn = self.future.pop()?;
        self.step(turn.action).ok()
    }
}
