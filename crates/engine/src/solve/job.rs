//! What there is to say about solving before, during and after the work.

use std::io;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::SubGame;
use super::keys::Keys;
#[cfg(feature = "files")]
use super::{TablesError, work::FolderError};
use crate::text::in_words;

/// How far a solution has come, for progress bars.
#[derive(Clone, Copy, Debug)]
pub struct SolveProgress {
    /// Finding positions, or computing values.
    pub phase: Phase,
    /// The tile sum of the layer that was just finished.
    pub sum: u32,
    /// The number of afterstates found so far.
    pub afterstates: u64,
    /// The estimated share of the whole work that is done, from 0 to 1.
    pub share: f64,
}

/// A phase of the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Finding positions.
    Forwards,
    /// Computing values.
    Backwards,
}

/// The number of positions of a sub-game. Images under a symmetry of the sub-game count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionCounts {
    /// Boards with the player to move, including those without a legal move.
    pub boards: u64,
    /// Afterstates.
    pub afterstates: u64,
    /// Boards on which no move is allowed.
    pub terminal: u64,
}

/// What solving a sub-game gives besides the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The value of the start: the expected score, or the chance to make the tile. On small boards
    /// it is the mean over the two start tiles, in endgames that of the best clean start.
    pub start: f64,
    /// The number of positions.
    pub counts: PositionCounts,
    /// The values of the afterstates that were asked for.
    pub asked: Vec<f64>,
}

/// Why a sub-game cannot be solved here.
#[derive(Debug, Error)]
pub enum SolveError {
    /// It has too many positions, whatever the memory.
    #[error("{name} has too many positions: a layer could have {count}")]
    TooLarge {
        /// The name of the table.
        name: String,
        /// The possible positions of the largest layer.
        count: u64,
    },
    /// Files in the folder of unfinished work.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The folder of tables is missing, or the table that was just written cannot be opened.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// Reading or writing what was found so far.
    #[error("cannot store the positions found so far: {}", in_words(.0))]
    Io(#[from] io::Error),
}

/// How to solve.
pub struct Job<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Chances of at most this are left out of the table. They are still computed.
    pub keep: f64,
    /// Packed afterstates whose values are wanted, as [`SubGame::packed`] gives them.
    pub asked: &'a [u64],
    /// Ends the work early.
    pub cancel: &'a AtomicBool,
    /// Called after each layer.
    pub progress: &'a (dyn Fn(&SolveProgress) + Sync),
}

/// What solving will need, before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Memory in bytes, at most.
    pub memory: u64,
    /// The number of positions that the numbering can tell apart. The real number is smaller.
    pub numbers: u64,
}

impl Estimate {
    /// The estimate for a sub-game; an error if it is too large for any machine.
    pub fn of(game: &SubGame) -> Result<Estimate, SolveError> {
        let (largest, numbers) = Keys::sizes(game, limit_of(game));
        if largest > u64::from(u32::MAX) {
            return Err(SolveError::TooLarge { name: game.name(), count: largest });
        }
        // Six sets of positions at a quarter of a byte for each number, and four arrays of values.
        // At most half of the numbers of a large layer are positions.
        let memory = Keys::bytes(game) + largest * 6 / 4 + largest / 2 * 4 * 8;
        Ok(Estimate { memory, numbers })
    }
}

/// The limit on the tile sum, in twos; the free cells may limit it further.
pub(super) fn limit_of(game: &SubGame) -> u32 {
    game.max_sum().map_or(u32::MAX, |sum| sum / 2)
}
