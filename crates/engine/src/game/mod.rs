//! The rules, one running game, and what plays it.
//!
//! `Rules + seed -> Game -> Board -> Player::choose -> Direction -> Afterstate -> spawn -> Board -> ... -> Replay`.
//! Every screen is fed from this one flow; none has rules of its own.

mod batch;
mod chance;
mod history;
mod player;
pub mod replay;
mod rules;
mod running;
mod spawn;

pub use batch::{Batch, Seen, WrongCount};
pub use chance::{Probability, ProbabilityError, Stream};
pub use history::History;
pub use player::{
    Cannot, Decision, GameStart, Player, PlayerError, PlayerFile, QuickPlayer, Situation, Timed, Unit,
};
pub use replay::{Recorder, Replay};
pub use rules::{IdleMove, Rules, StartTiles, UnknownRules};
pub use running::{Action, Ending, Game, PlayError, Turn};
pub use spawn::{Outcome, Spawn, SpawnSource, outcomes};
