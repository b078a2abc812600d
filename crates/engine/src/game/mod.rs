//! The rules, one running game, and what plays it.
//!
//! `Rules + seed -> Game -> Board -> Player::choose -> Direction -> Afterstate -> spawn -> Board -> ... -> Replay`.
//! Every screen is fed from this one flow; none has rules of its own.

mod batch;
mod chance;
mod error;
mod history;
mod packed;
mod player;
pub mod replay;
mod rules;
mod running;
mod spawn;
mod value;

pub use batch::{Batch, Seen, WrongCount};
pub use chance::{Probability, ProbabilityError, Stream};
pub use error::{Cannot, PlayerError};
pub use history::History;
pub(crate) use packed::{PackedGame, TurnEnd};
pub use player::{
    Decision, Fingerprint, FingerprintByBoard, GameStart, Player, PlayerFacts, PlayerFile, QuickPlayer,
    Situation, Unit, choose_timed,
};
pub use replay::{Recorder, Replay};
pub use rules::{IdleMove, Rules, StartTiles, UnknownRules};
pub use running::{Action, Ending, Game, GameResult, PlayError, Turn};
pub use spawn::{Outcome, Spawn, SpawnSource, outcomes};
pub use value::MoveValue;
pub(crate) use value::number_beats;
