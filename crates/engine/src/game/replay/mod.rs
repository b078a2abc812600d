//! Replays: recorded games that can be shown, checked and continued.
//!
//! | part | owns |
//! |---|---|
//! | this file | the data model and the recorder |
//! | `text` | the file format, documented in `docs/reference/replay-format.md` |
//! | `check` | playing a replay back: its positions, and verification |
//! | `verse` | reading the replay text of 2048verse |
//!
//! ```
//! use lab2048::board::Direction;
//! use lab2048::game::{Action, Game, Recorder, Replay, Rules};
//!
//! let mut game = Game::new(Rules::default(), 7);
//! let mut recorder = Recorder::new(&game).unwrap();
//! let direction = game.board().legal_moves().iter().next().unwrap();
//! recorder.push(&game.play(Action::Move(direction)).unwrap()).unwrap();
//! let replay = recorder.finish(&game);
//!
//! let again = Replay::from_text(replay.to_text().as_bytes()).unwrap();
//! assert_eq!(again, replay);
//! assert_eq!(again.verify().unwrap().turns, 1);
//! ```

mod check;
mod text;
mod verse;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use check::{Appearing, Checked, Position, Positions, ReplayFault};
pub use text::{ReplayTextError, StepProblem};
pub use verse::VerseError;

use super::{Action, Ending, Game, History, Rules, Spawn, Turn};
use crate::board::{Board, Size, rank_of, tile_of};

/// A recorded game.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    header: ReplayHeader,
    steps: Vec<ReplayStep>,
}

/// The data of a replay besides its steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayHeader {
    /// The rules.
    pub rules: Rules,
    /// The seed of the spawns; `None` if they come from another source.
    pub seed: Option<u64>,
    /// The spec of the player, if known.
    pub player: Option<String>,
    /// The hash of the player's network in lower-case hexadecimal digits, if it used one.
    pub network: Option<String>,
    /// A free note, one sentence.
    pub note: Option<String>,
    /// The board before the first step.
    pub start: Board,
    /// The score after the last step.
    pub score: u64,
    /// Why the game ended; `None` if it is unfinished.
    pub ending: Option<Ending>,
}

/// One turn of a replay in three bytes, because some games have a million moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayStep {
    action: Action,
    cell: u8,
    /// 0 if no tile appeared.
    rank: u8,
}

/// Data that a replay cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CannotRecord {
    /// The game has been played already.
    #[error("the game already has {0} turns; a replay must start with the first turn")]
    Underway(u64),
    /// A spawned tile is not a power of two.
    #[error("a tile {0} appeared, but a replay can only hold powers of two")]
    Tile(u64),
    /// The board does not have this cell.
    #[error("a tile appeared at cell {0}, which the board does not have")]
    Cell(usize),
    /// The game has too many turns.
    #[error("the game has more turns than a replay can hold ({})", Replay::MOST_STEPS)]
    TooLong,
}

/// Why a text is not a replay of any known kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// It is not a replay of ours.
    #[error(transparent)]
    Text(#[from] ReplayTextError),
    /// It is not a replay of 2048verse.
    #[error(transparent)]
    Verse(#[from] VerseError),
}

impl ReplayStep {
    /// A step on a board of this size.
    fn new(size: Size, action: Action, spawn: Option<Spawn>) -> Result<ReplayStep, CannotRecord> {
        let Some(Spawn { cell, tile }) = spawn else {
            return Ok(ReplayStep { action, cell: 0, rank: 0 });
        };
        let rank = rank_of(tile).filter(|&rank| rank > 0).ok_or(CannotRecord::Tile(tile))?;
        if cell >= size.cells() {
            return Err(CannotRecord::Cell(cell));
        }
        Ok(ReplayStep { action, cell: cell as u8, rank })
    }

    /// What the player did.
    pub fn action(self) -> Action {
        self.action
    }

    /// The tile that appeared.
    pub fn spawn(self) -> Option<Spawn> {
        (self.rank > 0).then(|| Spawn { cell: self.cell.into(), tile: tile_of(self.rank) })
    }
}

impl Replay {
    /// The maximum number of steps. They fit in the largest file that can be read.
    pub const MOST_STEPS: usize = 16_000_000;

    /// The header.
    pub fn header(&self) -> &ReplayHeader {
        &self.header
    }

    /// The turns, first to last.
    pub fn steps(&self) -> &[ReplayStep] {
        &self.steps
    }

    /// Reads a replay of any known kind: ours, or the replay text of 2048verse.
    pub fn read_any(bytes: &[u8]) -> Result<Replay, ReplayError> {
        // A replay of 2048verse starts with its size, like 4x4-1_.
        let start = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
        if start.first().is_some_and(u8::is_ascii_digit) {
            return Ok(Replay::from_verse(bytes)?);
        }
        Ok(Replay::from_text(bytes)?)
    }

    /// The replay of a game with its history. Undone turns are not part of it. It has a seed only
    /// if all spawns are those of the seed. The score counts from the first board of the history,
    /// which may be in the middle of a game.
    pub fn of_history(history: &History) -> Result<Replay, CannotRecord> {
        let start = history.before(0).unwrap_or(history.game());
        let is_seeded = history.is_seeded() && start.turns() == 0;
        let first = Game::from_board(start.rules().clone(), start.seed(), start.board().clone());
        let mut recorder = if is_seeded { Recorder::new(&first) } else { Recorder::foreign(&first) }?;
        history.turns().try_for_each(|turn| recorder.push(turn))?;
        let mut replay = recorder.finish(history.game());
        replay.header.score -= start.score();
        Ok(replay)
    }

    /// The same replay with the name of its player.
    #[must_use]
    pub fn by(mut self, player: impl Into<String>) -> Replay {
        self.header.player = Some(truncated(player.into()));
        self
    }

    /// The same replay with the hash of its player's network.
    #[must_use]
    pub fn with_network(mut self, hash: impl Into<String>) -> Replay {
        self.header.network = Some(truncated(hash.into()));
        self
    }

    /// The same replay with a note.
    #[must_use]
    pub fn noting(mut self, note: impl Into<String>) -> Replay {
        self.header.note = Some(truncated(note.into()));
        self
    }
}

/// Limits a text so that the written header is never longer than the limit for reading.
fn truncated(text: String) -> String {
    const MOST: usize = 20_000;
    if text.len() <= MOST { text } else { text.chars().take(MOST).collect() }
}

/// Records a game turn by turn while it is played.
#[derive(Clone, Debug)]
pub struct Recorder {
    rules: Rules,
    seed: Option<u64>,
    start: Board,
    steps: Vec<ReplayStep>,
}

impl Recorder {
    /// Starts recording a new game whose spawns come from its seed.
    pub fn new(game: &Game) -> Result<Recorder, CannotRecord> {
        match game.turns() {
            0 => Ok(Recorder {
                rules: game.rules().clone(),
                seed: Some(game.seed()),
                start: game.board().clone(),
                steps: Vec::new(),
            }),
            turns => Err(CannotRecord::Underway(turns)),
        }
    }

    /// Starts recording a new game whose spawns come from another source; see [`Game::play_with`].
    pub fn foreign(game: &Game) -> Result<Recorder, CannotRecord> {
        Ok(Recorder { seed: None, ..Recorder::new(game)? })
    }

    /// Records one turn.
    pub fn push(&mut self, turn: &Turn) -> Result<(), CannotRecord> {
        if self.steps.len() == Replay::MOST_STEPS {
            return Err(CannotRecord::TooLong);
        }
        self.steps.push(ReplayStep::new(self.start.size(), turn.action, turn.spawn)?);
        Ok(())
    }

    /// The replay; `game` is the game after the last turn.
    pub fn finish(self, game: &Game) -> Replay {
        let header = ReplayHeader {
            rules: self.rules,
            seed: self.seed,
            player: None,
            network: None,
            note: None,
            start: self.start,
            score: game.score(),
            ending: game.ending(),
        };
        Replay { header, steps: self.steps }
    }
}

#[cfg(test)]
mod tests;
