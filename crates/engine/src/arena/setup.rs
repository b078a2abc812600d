//! The setup that all games of a contest share: how they start and when they stop.

use super::GameLimits;
use crate::board::Board;
use crate::game::{Game, Rules};

/// Everything that determines a game and its end, except the seed and the player.
///
/// ```
/// use lab2048::arena::GameSetup;
/// use lab2048::game::Rules;
///
/// let setup = GameSetup::from_board(Rules::default(), "2 4 0/0 0 2".parse().unwrap());
/// assert_eq!(setup.rules.size.to_string(), "2x3");
/// assert_eq!(Some(setup.start(7).board()), setup.board.as_ref());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameSetup {
    /// The rules.
    pub rules: Rules,
    /// The start board, instead of the start tiles of the rules.
    pub board: Option<Board>,
    /// Conditions that stop games early.
    pub limits: GameLimits,
}

impl GameSetup {
    /// Games from the start tiles of the rules, without limits.
    pub fn new(rules: Rules) -> GameSetup {
        GameSetup { rules, ..GameSetup::default() }
    }

    /// Games from a board without limits. The rules take the size of the board.
    pub fn from_board(rules: Rules, board: Board) -> GameSetup {
        let rules = Rules { size: board.size(), ..rules };
        GameSetup { board: Some(board), ..GameSetup::new(rules) }
    }

    /// The game of a seed, before its first move.
    pub fn start(&self, seed: u64) -> Game {
        match &self.board {
            Some(board) => Game::from_board(self.rules.clone(), seed, board.clone()),
            None => Game::new(self.rules.clone(), seed),
        }
    }
}
