//! A game with undo and redo.

use super::{Action, Game, IllegalTurn, Turn};

/// A game with its past turns (for undo) and undone turns (for redo).
///
/// Games are small values, so the past is stored as whole games. Screens and reviews can read every
/// position, and undo always matches what was played.
#[derive(Clone, Debug)]
pub struct History {
    game: Game,
    past: Vec<(Game, Turn)>,
    future: Vec<Turn>,
}

impl History {
    /// Starts the history of a game.
    pub fn new(game: Game) -> History {
        History { game, past: Vec::new(), future: Vec::new() }
    }

    /// The current game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The turns played, oldest first.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.past.iter().map(|(_, turn)| turn)
    }

    /// The game before turn `index`, counted from 0.
    pub fn before(&self, index: usize) -> Option<&Game> {
        self.past.get(index).map(|(game, _)| game)
    }

    /// Plays one turn and clears the redo list.
    pub fn play(&mut self, action: Action) -> Result<Turn, IllegalTurn> {
        let turn = self.step(action)?;
        self.future.clear();
        Ok(turn)
    }

    fn step(&mut self, action: Action) -> Result<Turn, IllegalTurn> {
        let before = self.game.clone();
        let turn = self.game.play(action)?;
        self.past.push((before, turn));
        Ok(turn)
    }

    /// Undoes the last turn and returns it.
    pub fn undo(&mut self) -> Option<Turn> {
        let (game, turn) = self.past.pop()?;
        self.game = game;
        self.future.push(turn);
        Some(turn)
    }

    /// Plays the last undone turn again. Spawns are a function of the seed, so the same tile
    /// appears.
    pub fn redo(&mut self) -> Option<Turn> {
        let turn = self.future.pop()?;
        self.step(turn.action).ok()
    }
}
