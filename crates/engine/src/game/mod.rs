//! The rules, a running game, and the player interface.
//!
//! ```text
//! Rules + seed -> Game -> Board -> Player::choose -> Direction -> Afterstate -> spawn
//!                         ^                                                         |
//!                         +---------------------------------------------------------+
//! ```
//!
//! The turns of a game make a replay. All screens use this flow; none implements rules itself.

mod batch;
mod chance;
mod error;
mod history;
mod observed;
mod packed;
mod player;
pub mod replay;
mod rules;
mod running;
mod spawn;
mod value;

pub use batch::{Batch, Seen, WrongCount};
pub use chance::{Probability, ProbabilityError, Stream};
pub use error::{MakeError, PlayerError, Refusal};
pub use history::History;
pub use observed::Inconsistent;
pub(crate) use packed::{PackedGame, TurnEnd};
pub use player::{
    Decision, DependsOn, Fingerprint, FingerprintByBoard, ForeignProgram, Future, GameStart, Player,
    PlayerFacts, PlayerFile, PlayerFilesError, QuickPlayer, Situation, Thought, Unit, choose_timed,
};
pub use replay::{Recorder, Replay};
pub use rules::{IdleMove, Rules, StartTiles, UnknownRules};
pub use running::{Action, Ending, Game, GameResult, IllegalTurn, Turn};
pub use spawn::{ChanceOutcome, Spawn, SpawnSource, outcomes};
pub use value::MoveValue;
pub(crate) use value::number_beats;
