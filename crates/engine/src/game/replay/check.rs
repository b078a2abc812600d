//! Plays a replay back, with the same [`Game`] that plays all games.

use thiserror::Error;

use super::{Replay, ReplayStep};
use crate::board::{Afterstate, Board, Direction, Size};
use crate::game::{Action, Ending, Game, IllegalTurn, Rules, Spawn, SpawnSource, Turn};

/// A position of a replayed game.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The number of steps that led here. [`Replay::steps`] at this index is the next step.
    pub number: usize,
    /// The board.
    pub board: Board,
    /// The score so far.
    pub score: u64,
    /// The last turn; `None` before the first.
    pub turn: Option<Turn>,
    /// Why the game ended here, if it did.
    pub ending: Option<Ending>,
}

/// The result of a successful [`Replay::verify`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of steps.
    pub turns: usize,
    /// Whether the replay has a seed, so that every spawn was compared with it.
    pub seeded: bool,
    /// Whether the game started with the two tiles of its seed, not from a chosen board.
    pub seeded_start: bool,
}

/// Why a replay is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayFault {
    /// The game refuses the step.
    #[error("step {step}: {reason}")]
    Refused {
        /// Counted from 1.
        step: usize,
        /// The error of the game.
        reason: IllegalTurn,
    },
    /// A move that changes nothing, under rules that make it a pass.
    #[error("step {step}: {direction} does not change the board, so it must be recorded as a pass")]
    IdleMove {
        /// Counted from 1.
        step: usize,
        /// The direction.
        direction: Direction,
    },
    /// The new tile is missing.
    #[error("step {step}: no tile appears, but there is room for one")]
    NoSpawn {
        /// Counted from 1.
        step: usize,
    },
    /// A tile appears on an occupied cell.
    #[error("step {step}: {spawn} appears, but the cell is occupied")]
    Occupied {
        /// Counted from 1.
        step: usize,
        /// The tile.
        spawn: Appearing,
    },
    /// A tile appears although the step ends the game.
    #[error("step {step}: {spawn} appears, but the step ends the game")]
    AfterTheEnd {
        /// Counted from 1.
        step: usize,
        /// The tile.
        spawn: Appearing,
    },
    /// A tile that is impossible under the rules.
    #[error("step {step}: {spawn} appears, which is impossible under these rules")]
    StrangeTile {
        /// Counted from 1.
        step: usize,
        /// The tile.
        spawn: Appearing,
    },
    /// The tile differs from that of the seed.
    #[error("step {step}: {found} appears, but the seed gives {expected}")]
    NotOfSeed {
        /// Counted from 1.
        step: usize,
        /// The spawn in the replay.
        found: Appearing,
        /// The spawn of the seed.
        expected: Appearing,
    },
    /// The score in the header is wrong.
    #[error("the replay states a score of {stated}, but its steps make {found}")]
    Score {
        /// The score in the header.
        stated: u64,
        /// The score of the steps.
        found: u64,
    },
    /// The ending in the header is wrong.
    #[error("the replay states the ending '{}', but its steps lead to '{}'", ending_name(*stated), ending_name(*found))]
    Ending {
        /// The ending in the header.
        stated: Option<Ending>,
        /// The ending of the steps.
        found: Option<Ending>,
    },
}

/// A new tile, displayed with its row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearing {
    spawn: Spawn,
    size: Size,
}

impl std::fmt::Display for Appearing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (row, col) = self.size.position(self.spawn.cell);
        write!(f, "a tile {} in row {}, column {}", self.spawn.tile, row + 1, col + 1)
    }
}

fn ending_name(ending: Option<Ending>) -> String {
    ending.map_or_else(|| "unfinished".to_owned(), |ending| ending.to_string())
}

/// How strictly spawns are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spawns {
    /// They must be possible on the board.
    Possible,
    /// They must also match the rules and the seed.
    OfTheGame,
}

impl Replay {
    /// The positions from the start board to the last one. An impossible step ends them with an
    /// error.
    pub fn positions(&self) -> Positions<'_> {
        Positions { replay: self, game: self.start_game(), number: None }
    }

    /// The position after `number` steps, reached by playing them. `None` if there are fewer steps.
    pub fn position(&self, number: usize) -> Option<Result<Position, ReplayFault>> {
        let steps = self.steps.get(..number)?;
        let mut game = self.start_game();
        let mut last = None;
        for (index, step) in steps.iter().enumerate() {
            match self.advance(&mut game, index, *step, Spawns::Possible) {
                Ok(turn) => last = Some(turn),
                Err(fault) => return Some(Err(fault)),
            }
        }
        Some(Ok(Position::of(&game, number, last)))
    }

    /// Checks the whole replay: every move must be legal. Every spawn must be on an empty cell, be
    /// possible under the rules, and match the seed if there is one. Score and ending must match
    /// the steps.
    pub fn verify(&self) -> Result<Checked, ReplayFault> {
        let mut game = self.start_game();
        for (index, step) in self.steps.iter().enumerate() {
            self.advance(&mut game, index, *step, Spawns::OfTheGame)?;
        }
        let header = &self.header;
        if game.score() != header.score {
            return Err(ReplayFault::Score { stated: header.score, found: game.score() });
        }
        if game.ending() != header.ending {
            return Err(ReplayFault::Ending { stated: header.ending, found: game.ending() });
        }
        let fresh = |seed| *Game::new(header.rules.clone(), seed).board() == header.start;
        Ok(Checked {
            turns: self.steps.len(),
            seeded: header.seed.is_some(),
            seeded_start: header.seed.is_some_and(fresh),
        })
    }

    /// The game before the first step. Its own spawns are not used, so any seed will do if there is
    /// none.
    pub(in crate::game) fn start_game(&self) -> Game {
        let header = &self.header;
        Game::from_board(header.rules.clone(), header.seed.unwrap_or_default(), header.start.clone())
    }

    /// Plays the step at an index.
    fn advance(
        &self,
        game: &mut Game,
        index: usize,
        step: ReplayStep,
        spawns: Spawns,
    ) -> Result<Turn, ReplayFault> {
        let number = index + 1;
        let mut fault = None;
        let source = game.spawns();
        let played = game.play_with(step.action, |after| {
            fault = self.spawn_fault(number, after, step.spawn(), source, spawns);
            step.spawn()
        });
        // A fault of the spawn says more than the error of the game.
        if let Some(fault) = fault {
            return Err(fault);
        }
        let turn = played.map_err(|reason| ReplayFault::Refused { step: number, reason })?;
        match (step.action, step.spawn()) {
            (Action::Move(direction), _) if turn.action == Action::Pass => {
                Err(ReplayFault::IdleMove { step: number, direction })
            }
            (_, Some(spawn)) if turn.spawn.is_none() => {
                Err(ReplayFault::AfterTheEnd { step: number, spawn: self.appearing(spawn) })
            }
            _ => Ok(turn),
        }
    }

    /// The fault of a spawn (or of a missing spawn) on this afterstate, if any.
    fn spawn_fault(
        &self,
        step: usize,
        after: &Afterstate,
        spawn: Option<Spawn>,
        source: SpawnSource,
        spawns: Spawns,
    ) -> Option<ReplayFault> {
        let Some(found) = spawn else {
            return (after.empty_count() > 0).then_some(ReplayFault::NoSpawn { step });
        };
        let appearing = self.appearing(found);
        if after.tile(found.cell) != 0 {
            return Some(ReplayFault::Occupied { step, spawn: appearing });
        }
        if spawns == Spawns::Possible {
            return None;
        }
        if !is_possible(&self.header.rules, found.tile) {
            return Some(ReplayFault::StrangeTile { step, spawn: appearing });
        }
        self.header.seed?;
        let place = step as u64 - 1 + SpawnSource::AFTER_FIRST_MOVE;
        let expected = source.spawn(place, after).filter(|&expected| expected != found)?;
        Some(ReplayFault::NotOfSeed { step, found: appearing, expected: self.appearing(expected) })
    }

    fn appearing(&self, spawn: Spawn) -> Appearing {
        Appearing { spawn, size: self.header.start.size() }
    }
}

/// Whether a tile can appear under these rules.
fn is_possible(rules: &Rules, tile: u64) -> bool {
    match tile {
        2 => rules.four.get() < 1.0,
        4 => rules.four.get() > 0.0,
        _ => false,
    }
}

impl Position {
    fn of(game: &Game, number: usize, turn: Option<Turn>) -> Position {
        Position { number, board: game.board().clone(), score: game.score(), turn, ending: game.ending() }
    }
}

/// The positions of a replay; see [`Replay::positions`].
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    replay: &'a Replay,
    game: Game,
    /// The number of the last position; `None` before the first.
    number: Option<usize>,
}

impl Iterator for Positions<'_> {
    type Item = Result<Position, ReplayFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(index) = self.number else {
            self.number = Some(0);
            return Some(Ok(Position::of(&self.game, 0, None)));
        };
        let step = *self.replay.steps.get(index)?;
        match self.replay.advance(&mut self.game, index, step, Spawns::Possible) {
            Ok(turn) => {
                self.number = Some(index + 1);
                Some(Ok(Position::of(&self.game, index + 1, Some(turn))))
            }
            Err(fault) => {
                self.number = Some(self.replay.steps.len());
                Some(Err(fault))
            }
        }
    }
}
