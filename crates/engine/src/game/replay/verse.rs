//! The replay text of 2048verse.com.
//!
//! The text is `RxC-<tag>_` (rows x columns), followed by three characters per step. A character is
//! a number below 128: its index in `0-9 a-z A-Z`, then U+00C0 to U+00FF, then `¤` and `¾`. The
//! three characters together are a number of 21 bits, the first character highest. Its bits, from
//! the lowest:
//!
//! - 2 bits: the move (up, down, left, right),
//! - 2 bits: the rank of the new tile minus 1,
//! - 3 bits: its column, and 3 bits: its row, counted from 0 at the top left,
//! - 11 bits: the time of the move, which our replays do not store.
//!
//! The first two steps are the start tiles; their moves mean nothing.
//!
//! Source: the reader in the open program 2048EndgameTablebase.

use thiserror::Error;

use super::{CannotRecord, Recorder, Replay, ReplayFault};
use crate::board::{Afterstate, Board, Direction, ImpossibleSpawn, Size, SizeError, tile_of};
use crate::game::{Action, Game, Rules, Spawn, Turn};

/// Why a text is not a replay of 2048verse.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerseError {
    /// The text is too large.
    #[error("the text is too large for a replay: the limit is {} bytes", Replay::MOST_BYTES)]
    TooLarge,
    /// The header is missing.
    #[error("this is not a replay of 2048verse: it does not start like '4x4-1_'")]
    Header,
    /// The header has a size that is not supported.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The text ends within a step.
    #[error("the text ends in the middle of step {step}: every step has three characters")]
    CutOff {
        /// Counted from 1, start tiles included.
        step: usize,
    },
    /// An unknown character.
    #[error("step {step}: {letter:?} is not one of the 128 characters that 2048verse uses")]
    Letter {
        /// Counted from 1, start tiles included.
        step: usize,
        /// The character.
        letter: char,
    },
    /// A cell outside the board.
    #[error("step {step}: row {row}, column {col} is not on a {size} board")]
    Outside {
        /// Counted from 1, start tiles included.
        step: usize,
        /// Counted from 1.
        row: usize,
        /// Counted from 1.
        col: usize,
        /// The size of the board.
        size: Size,
    },
    /// The two start tiles are missing, invalid, or in the same cell.
    #[error("the two start tiles are missing, or both are in the same cell")]
    Start,
    /// The game is impossible.
    #[error("the game is impossible (start tiles not counted): {0}")]
    Impossible(#[from] ReplayFault),
    /// The game does not fit in a replay.
    #[error(transparent)]
    CannotRecord(#[from] CannotRecord),
}

/// A decoded step.
struct VerseStep {
    direction: Direction,
    spawn: Spawn,
}

impl Replay {
    /// Reads the replay text of 2048verse, in UTF-8 or Latin-1, and plays it. A game that is not
    /// legal under the original rules is rejected.
    pub fn from_verse(bytes: &[u8]) -> Result<Replay, VerseError> {
        if bytes.len() as u64 > Replay::MOST_BYTES {
            return Err(VerseError::TooLarge);
        }
        // All characters in use are in Latin-1, so text that is not UTF-8 is read as Latin-1.
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().copied().map(char::from).collect(),
        };
        let text = text.trim_start_matches('\u{feff}').trim_ascii();
        let (size, tag, steps) = split_header(text)?;
        let mut steps = read_steps(steps, size)?.into_iter();
        let board = match (steps.next(), steps.next()) {
            (Some(first), Some(second)) => start_board(size, first.spawn, second.spawn),
            _ => Err(VerseError::Start),
        }?;
        let game = Game::from_board(Rules { size, ..Rules::ORIGINAL }, 0, board);
        replay_of(&game, steps).map(|replay| replay.noting(format!("imported from 2048verse ({size}-{tag})")))
    }
}

/// The size, the tag and the steps.
fn split_header(text: &str) -> Result<(Size, &str, &str), VerseError> {
    let (header, steps) = text.split_once('_').ok_or(VerseError::Header)?;
    let (size, tag) = header.split_once('-').ok_or(VerseError::Header)?;
    let shape = size.len() <= 8 && size.contains('x');
    if !shape || tag.len() > 32 || !tag.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(VerseError::Header);
    }
    match size.parse() {
        Ok(size) => Ok((size, tag, steps)),
        Err(error @ SizeError::OutOfRange { .. }) => Err(error.into()),
        Err(SizeError::Text(_)) => Err(VerseError::Header),
    }
}

/// The number of a character.
fn value_of(letter: char) -> Option<u32> {
    let code = u32::from(letter);
    match letter {
        '0'..='9' => Some(code - u32::from('0')),
        'a'..='z' => Some(code - u32::from('a') + 10),
        'A'..='Z' => Some(code - u32::from('A') + 36),
        '\u{c0}'..='\u{ff}' => Some(code - 0xc0 + 62),
        '¤' => Some(126),
        '¾' => Some(127),
        _ => None,
    }
}

fn read_steps(text: &str, size: Size) -> Result<Vec<VerseStep>, VerseError> {
    let mut steps = Vec::new();
    let mut letters = text.chars();
    while let Some(first) = letters.next() {
        let step = steps.len() + 1;
        let (Some(second), Some(third)) = (letters.next(), letters.next()) else {
            return Err(VerseError::CutOff { step });
        };
        let mut bits = 0;
        for letter in [first, second, third] {
            bits = bits << 7 | value_of(letter).ok_or(VerseError::Letter { step, letter })?;
        }
        let direction = match bits & 3 {
            0 => Direction::Up,
            1 => Direction::Down,
            2 => Direction::Left,
            _ => Direction::Right,
        };
        let (col, row) = ((bits >> 4 & 7) as usize, (bits >> 7 & 7) as usize);
        if row >= size.rows() || col >= size.cols() {
            return Err(VerseError::Outside { step, row: row + 1, col: col + 1, size });
        }
        let tile = tile_of((bits >> 2 & 3) as u8 + 1);
        steps.push(VerseStep { direction, spawn: Spawn { cell: size.cell(row, col), tile } });
    }
    Ok(steps)
}

fn start_board(size: Size, first: Spawn, second: Spawn) -> Result<Board, VerseError> {
    let tiles = |spawn: Spawn| matches!(spawn.tile, 2 | 4);
    if !tiles(first) || !tiles(second) {
        return Err(VerseError::Start);
    }
    let taken = |_: ImpossibleSpawn| VerseError::Start;
    let one = Afterstate::empty(size).set_out(first.cell, first.tile).map_err(taken)?;
    one.spawn(second.cell, second.tile).map_err(taken)
}

/// Records the steps, plays them to get score and ending, and verifies the replay.
fn replay_of(start: &Game, steps: impl Iterator<Item = VerseStep>) -> Result<Replay, VerseError> {
    let mut recorder = Recorder::foreign(start)?;
    for VerseStep { direction, spawn } in steps {
        recorder.push(&Turn { action: Action::Move(direction), reward: 0, spawn: Some(spawn) })?;
    }
    let mut replay = recorder.finish(start);
    let mut reached = (0, None);
    for position in replay.positions() {
        let position = position?;
        reached = (position.score, position.ending);
    }
    (replay.header.score, replay.header.ending) = reached;
    replay.verify()?;
    Ok(replay)
}
