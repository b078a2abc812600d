//! Seeded games of any players, many at a time: contests, their records and their statistics.
//!
//! - [`play_game`] plays one game to its end. [`play_unless`] can be stopped. [`play_watched`]
//!   reports every turn.
//! - [`Arena`] plays a [`ContestPlan`] on several threads and delivers a [`Record`] of each game,
//!   in order.
//! - [`Log`] writes the records to a file and continues an interrupted contest.
//! - [`RecordsReader`] reads such a file without changing it.
//! - [`ContestTally`] computes statistics from records; [`Difference`] compares two players.

mod compare;
mod intervals;
#[cfg(feature = "files")]
mod log;
mod plan;
mod play;
mod possible;
mod record;
mod run;
mod scan;
mod setup;
#[cfg(test)]
mod stand_ins;
mod stats;

pub use compare::{Difference, Pairing, USUAL_POWER};
pub use intervals::{Interval, Moments, sign_test};
pub(crate) use intervals::{RunningMoments, wilson};
#[cfg(feature = "files")]
pub use log::{Log, LogError};
pub use plan::{ContestPlan, PlannedPlayer, TooManyGames};
pub use play::{GameLimits, PlayedGame, StopReason, play_game, play_unless, play_watched};
pub use possible::Impossible;
pub use record::{PlainPart, Record, RecordError, RecordsDigest};
pub use run::{Arena, Completion, MakePlayer, RunError, Workload};
pub use scan::{RecordsError, RecordsReader};
pub use setup::GameSetup;
pub use stats::{ContestTally, Failed, PlayerSummary, TileRate};
