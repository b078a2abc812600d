//! A game with undo and redo.

use super::replay::ReplayFault;
use super::{Action, Game, IllegalTurn, Replay, Spawn, Turn};

/// A game with its past turns (for undo) and undone turns (for redo).
///
/// Games are small values, so the past is stored as whole games. Screens and reviews can read every
/// position, and undo always matches what was played.
#[derive(Clone, Debug)]
pub struct History {
    game: Game,
    past: Vec<Past>,
    /// The undone turns, the next one last.
    future: Vec<Turn>,
}

/// A turn that was played.
#[derive(Clone, Debug)]
struct Past {
    before: Game,
    turn: Turn,
    /// Whether the spawn is that of the seed.
    is_seeded: bool,
}

impl History {
    /// Starts the history of a game.
    pub fn new(game: Game) -> History {
        History { game, past: Vec::new(), future: Vec::new() }
    }

    /// The history of a replay, at its last position. Fails at an impossible step.
    pub fn of_replay(replay: &Replay) -> Result<History, ReplayFault> {
        let mut history = History::new(replay.start_game());
        for turn in replay.positions() {
            let Some(turn) = turn?.turn else { continue };
            // The positions have checked the step.
            let played = history.step(turn.action, Some(turn.spawn));
            debug_assert_eq!(played, Ok(turn));
        }
        Ok(history)
    }

    /// The current game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The turns played, oldest first.
    pub fn turns(&self) -> impl ExactSizeIterator<Item = &Turn> {
        self.past.iter().map(|past| &past.turn)
    }

    /// The game before turn `index`, counted from 0.
    pub fn before(&self, index: usize) -> Option<&Game> {
        self.past.get(index).map(|past| &past.before)
    }

    /// The number of turns that can be redone.
    pub fn undone(&self) -> usize {
        self.future.len()
    }

    /// Whether all spawns so far are those of the seed.
    pub fn is_seeded(&self) -> bool {
        self.past.iter().all(|past| past.is_seeded)
    }

    /// Plays one turn and clears the redo list.
    pub fn play(&mut self, action: Action) -> Result<Turn, IllegalTurn> {
        let turn = self.step(action, None)?;
        self.future.clear();
        Ok(turn)
    }

    /// Plays one turn with a spawn that somebody else chose, and clears the redo list.
    pub fn play_with(&mut self, action: Action, spawn: Spawn) -> Result<Turn, IllegalTurn> {
        let turn = self.step(action, Some(Some(spawn)))?;
        self.future.clear();
        Ok(turn)
    }

    /// Plays one turn. The spawn is that of the seed if none is given.
    fn step(&mut self, action: Action, spawn: Option<Option<Spawn>>) -> Result<Turn, IllegalTurn> {
        let before = self.game.clone();
        let turn = match spawn {
            None => self.game.play(action)?,
            Some(spawn) => self.game.play_with(action, |_| spawn)?,
        };
        let is_seeded = spawn.is_none() || before.clone().play(turn.action) == Ok(turn);
        self.past.push(Past { before, turn, is_seeded });
        Ok(turn)
    }

    /// Forgets everything after the first `turns` turns.
    pub fn cut(&mut self, turns: usize) {
        if let Some(past) = self.past.get(turns) {
            self.game = past.before.clone();
            self.past.truncate(turns);
        }
        self.future.clear();
    }

    /// Undoes the last turn and returns it.
    pub fn undo(&mut self) -> Option<Turn> {
        let Past { before, turn, .. } = self.past.pop()?;
        self.game = before;
        self.future.push(turn);
        Some(turn)
    }

    /// Plays the last undone turn again, with the same spawn.
    pub fn redo(&mut self) -> Option<Turn> {
        let turn = self.future.pop()?;
        self.step(turn.action, Some(turn.spawn)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Direction;
    use crate::game::Rules;

    /// Two 2s that merge into the corner.
    fn history() -> History {
        History::new(Game::from_board(Rules::default(), 7, "2 2 0/0 0 0/0 0 0".parse().unwrap()))
    }

    #[test]
    fn a_spawn_that_was_chosen_comes_back_with_redo_and_in_a_replay() {
        let mut history = history();
        let left = Action::Move(Direction::Left);
        let turn = history.play_with(left, Spawn { cell: 8, tile: 4 }).unwrap();
        assert!(!history.is_seeded(), "the seed puts the tile elsewhere");
        assert_eq!(*history.game().board(), "4 0 0/0 0 0/0 0 4".parse().unwrap());
        let there = history.game().clone();
        assert_eq!((history.undo(), history.undone()), (Some(turn), 1));
        assert_eq!((history.redo(), history.game()), (Some(turn), &there));

        let replay = Replay::of_history(&history).unwrap();
        assert_eq!(replay.header().seed, None);
        assert!(replay.verify().is_ok());
        let again = History::of_replay(&replay).unwrap();
        assert_eq!(again.game().board(), there.board());
        assert_eq!(again.turns().copied().collect::<Vec<_>>(), [turn]);
    }

    #[test]
    fn a_game_that_began_in_the_middle_is_recorded_from_there() {
        for (score, turns) in [(500, 0), (500, 90)] {
            let board = "2 2 0/0 0 0/0 0 0".parse().unwrap();
            let mut history = History::new(Game::resumed(Rules::default(), 7, board, score, turns));
            history.play(Action::Move(Direction::Left)).unwrap();
            let replay = Replay::of_history(&history).unwrap();
            assert_eq!(replay.header().seed, (turns == 0).then_some(7), "later spawns have other numbers");
            assert_eq!((replay.header().score, history.game().score()), (4, 504));
            assert!(replay.verify().is_ok());
        }
    }

    #[test]
    fn a_spawn_on_a_tile_is_refused() {
        let mut history = history();
        let refused = history.play_with(Action::Move(Direction::Left), Spawn { cell: 0, tile: 2 });
        assert!(refused.is_err() && history.turns().count() == 0);
    }

    #[test]
    fn a_cut_history_continues_from_there() {
        let mut history = history();
        for direction in [Direction::Left, Direction::Down, Direction::Right] {
            let _ = history.play(Action::Move(direction));
        }
        let first = *history.turns().next().unwrap();
        history.undo();
        history.cut(1);
        assert_eq!(history.turns().copied().collect::<Vec<_>>(), [first]);
        assert_eq!((history.undone(), history.game().turns()), (0, 1));
        history.cut(5);
        assert_eq!(history.game().turns(), 1, "there is nothing more to forget");
        assert!(history.is_seeded());
    }
}
