//! The rules of a game as values.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Probability;
use crate::board::Size;
use crate::text::shortened;

/// The rules of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Rows and columns.
    pub size: Size,
    /// The chance that a spawned tile is a 4 instead of a 2.
    pub four: Probability,
    /// The two tiles on the board at the start.
    pub start: StartTiles,
    /// What a move that changes nothing does.
    pub idle: IdleMove,
    /// The winning tile. It is announced when it is made, and the game continues.
    pub goal: u64,
}

/// The two tiles on the board at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartTiles {
    /// Two spawns, each a 2 or a 4.
    TwoSpawns,
    /// Two 2-tiles.
    TwoTwos,
}

/// What a move that changes nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleMove {
    /// It is refused. The player must choose another move.
    Refused,
    /// It is a pass: the board stays, and a tile appears. On a full board a pass ends the game.
    Spawns,
}

/// An unknown name of rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown rules '{}': the rules are original and course", shortened(.0))]
pub struct UnknownRules(pub String);

impl Rules {
    /// The original game: 4x4, two random tiles, a 4 in one of ten spawns, idle moves refused.
    pub const ORIGINAL: Rules = Rules {
        size: Size::FOUR,
        four: Probability::TENTH,
        start: StartTiles::TwoSpawns,
        idle: IdleMove::Refused,
        goal: 2048,
    };

    /// The variant of the course assignment: two 2-tiles at the start, and a spawn even after a
    /// move that changes nothing. The game is over when nothing can move, or when no cell is empty
    /// after a pass.
    pub const COURSE: Rules = Rules { start: StartTiles::TwoTwos, idle: IdleMove::Spawns, ..Rules::ORIGINAL };

    /// The rules with a name.
    pub fn named(name: &str) -> Result<Rules, UnknownRules> {
        match name {
            "original" => Ok(Rules::ORIGINAL),
            "course" => Ok(Rules::COURSE),
            _ => Err(UnknownRules(name.to_owned())),
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Rules::ORIGINAL
    }
}
