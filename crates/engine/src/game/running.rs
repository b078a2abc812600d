//! A running game.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{IdleMove, PackedGame, QuickPlayer, Rules, Spawn, SpawnSource, StartTiles, TurnEnd};
use crate::board::{Afterstate, Board, Direction, ImpossibleSpawn, Overflow};

/// The action of a player in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Slide the tiles.
    Move(Direction),
    /// Keep the board and take the spawn (only if the rules allow it).
    Pass,
    /// End the game.
    Quit,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// No direction changes anything.
    NoMoves,
    /// No cell was empty for the spawn after a pass.
    NoRoom,
    /// The player quit.
    Quit,
}

impl Ending {
    /// Its name in records and replays.
    ///
    /// ```
    /// use lab2048::game::Ending;
    ///
    /// assert_eq!(Ending::NoMoves.word(), "no-moves");
    /// assert_eq!(Ending::from_word("no-moves"), Some(Ending::NoMoves));
    /// ```
    pub const fn word(self) -> &'static str {
        match self {
            Ending::NoMoves => "no-moves",
            Ending::NoRoom => "no-room",
            Ending::Quit => "quit",
        }
    }

    /// The ending with this [`Ending::word`].
    pub fn from_word(word: &str) -> Option<Ending> {
        [Ending::NoMoves, Ending::NoRoom, Ending::Quit].into_iter().find(|ending| ending.word() == word)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::NoMoves => "no moves left",
            Ending::NoRoom => "no room for a tile",
            Ending::Quit => "quit",
        })
    }
}

/// The numbers of a game, at its end or so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameResult {
    /// The score.
    pub score: u64,
    /// The largest tile on the last board.
    pub largest: u64,
    /// The sum of the tiles on the last board.
    pub sum: u128,
    /// The moves and passes played; a quit is neither.
    pub moves: u64,
}

/// The effect of one action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What really happened: an idle move becomes a pass if the rules say so.
    pub action: Action,
    /// The sum of the merged tiles.
    pub reward: u64,
    /// The new tile; `None` if the turn ended the game before a spawn.
    pub spawn: Option<Spawn>,
}

/// A refused action. The game is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalTurn {
    /// Nothing moves in that direction.
    #[error("{0} does not change the board")]
    Idle(Direction),
    /// These rules do not allow a pass.
    #[error("these rules do not allow a pass")]
    NoPass,
    /// The game has ended.
    #[error("the game is over: {0}")]
    Over(Ending),
    /// A merge, or the score, would exceed 64 bits.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The given spawn is impossible.
    #[error(transparent)]
    Spawn(#[from] ImpossibleSpawn),
    /// There is room for a tile, but no spawn was given.
    #[error("the tile that appears after the move is missing")]
    NoSpawn,
}

/// A running game: the rules, the seed and the current state. It has no RNG state and no history;
/// see [`History`](super::History) for undo.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    rules: Rules,
    seed: u64,
    spawns: SpawnSource,
    board: Board,
    score: u64,
    turns: u64,
    ending: Option<Ending>,
}

impl Game {
    /// A new game with two start tiles.
    pub fn new(rules: Rules, seed: u64) -> Game {
        let spawns = SpawnSource::new(&rules, seed);
        let tile = |spawn: Spawn| match rules.start {
            StartTiles::TwoSpawns => spawn.tile,
            StartTiles::TwoTwos => 2,
        };
        let empty = Afterstate::empty(rules.size);
        let first = spawns.spawn(0, &empty).expect("an empty board has room");
        let one = empty.set_out(first.cell, tile(first)).expect("the cell is empty");
        let second = spawns.spawn(1, &one).expect("a board with one tile has room");
        let board = one.spawn(second.cell, tile(second)).expect("the cell is empty");
        Game::with_board(rules, seed, board)
    }

    /// A game that starts from a given board with score 0. The rules take the size of the board.
    pub fn from_board(rules: Rules, seed: u64, board: Board) -> Game {
        Game::with_board(Rules { size: board.size(), ..rules }, seed, board)
    }

    fn with_board(rules: Rules, seed: u64, board: Board) -> Game {
        let ending = (!board.has_moves()).then_some(Ending::NoMoves);
        let spawns = SpawnSource::new(&rules, seed);
        Game { rules, seed, spawns, board, score: 0, turns: 0, ending }
    }

    /// A game that continues from this board, score and number of turns. The rules take the size of
    /// the board.
    pub fn resumed(rules: Rules, seed: u64, board: Board, score: u64, turns: u64) -> Game {
        Game { score, turns, ..Game::from_board(rules, seed, board) }
    }

    /// Plays one turn. On an error the game is unchanged.
    #[inline]
    pub fn play(&mut self, action: Action) -> Result<Turn, IllegalTurn> {
        let number = self.turns + SpawnSource::AFTER_FIRST_MOVE;
        let spawns = self.spawns;
        self.play_with(action, |after| spawns.spawn(number, after))
    }

    /// Plays up to `most` turns, as [`Game::play`] would, and returns their number. It stops
    /// earlier if the game is over or packed slides would not be exact.
    pub fn play_quickly(&mut self, player: &mut dyn QuickPlayer, most: u64) -> u64 {
        let Some(mut game) = PackedGame::<4, 4>::of(self) else { return 0 };
        let mut slides = game.board().slide_all();
        while game.turns() - self.turns < most && !slides.is_stuck() {
            let direction = player.choose_quickly(&slides);
            let after = slides.afters[direction.index()];
            debug_assert!(after.is_some(), "a quick player chooses a direction in which the board changes");
            let Some(after) = after else { break };
            if game.play(after, slides.reward(direction)) != TurnEnd::Spawned {
                break;
            }
            slides = game.board().slide_all();
        }
        let turns = game.turns() - self.turns;
        if turns > 0 {
            *self = game.exact(self.rules.clone(), self.seed);
        }
        turns
    }

    /// Plays one turn of a game whose spawns come from a recording or another program. `spawn` is
    /// called if a cell is empty, and must return an empty cell. On an error the game is unchanged.
    pub fn play_with(
        &mut self,
        action: Action,
        spawn: impl FnOnce(&Afterstate) -> Option<Spawn>,
    ) -> Result<Turn, IllegalTurn> {
        if let Some(ending) = self.ending {
            return Err(IllegalTurn::Over(ending));
        }
        let (action, after, reward) = match action {
            Action::Quit => {
                self.ending = Some(Ending::Quit);
                self.turns += 1;
                return Ok(Turn { action, reward: 0, spawn: None });
            }
            Action::Move(direction) => match (self.board.slide(direction)?, self.rules.idle) {
                (Some(slid), _) => (action, slid.after, slid.reward),
                (None, IdleMove::Refused) => return Err(IllegalTurn::Idle(direction)),
                (None, IdleMove::Spawns) => (Action::Pass, self.board.pass(), 0),
            },
            Action::Pass if self.rules.idle == IdleMove::Refused => return Err(IllegalTurn::NoPass),
            Action::Pass => (Action::Pass, self.board.pass(), 0),
        };
        let score = self.score.checked_add(reward).ok_or(Overflow::Score)?;
        if after.empty_count() == 0 {
            // This happens only after a pass: a slide that changes something leaves an empty cell.
            self.turns += 1;
            self.ending = Some(Ending::NoRoom);
            return Ok(Turn { action, reward, spawn: None });
        }
        let spawn = spawn(&after).ok_or(IllegalTurn::NoSpawn)?;
        self.board = after.spawn(spawn.cell, spawn.tile)?;
        self.score = score;
        self.turns += 1;
        self.ending = (!self.board.has_moves()).then_some(Ending::NoMoves);
        Ok(Turn { action, reward, spawn: Some(spawn) })
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The seed of the spawns.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The source of all spawns of the game.
    pub fn spawns(&self) -> SpawnSource {
        self.spawns
    }

    /// The current board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The sum of all merged tiles.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// The turns played so far: moves, passes, and a quit, which is a step of a replay too.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The moves and passes played so far; a quit is neither.
    pub fn moves(&self) -> u64 {
        self.turns - u64::from(self.ending == Some(Ending::Quit))
    }

    /// Why the game is over; `None` if it is not.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The current score, largest tile, tile sum and number of moves.
    pub fn result(&self) -> GameResult {
        GameResult {
            score: self.score,
            largest: self.board.largest(),
            sum: self.board.tile_sum(),
            moves: self.moves(),
        }
    }

    /// Whether the winning tile is on the board.
    pub fn has_won(&self) -> bool {
        self.board.largest() >= self.rules.goal
    }
}
