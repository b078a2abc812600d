//! Evolutionary optimisation of players, for values that have no gradient.
//!
//! - [`tune`] finds good numbers for named weights.
//! - Genetic programming finds whole [`Program`]s. [`Evolution`] breeds them and selects them by
//!   the games that they play.

mod columns;
mod compiled;
mod dice;
mod directions;
mod evaluator;
mod evolution;
mod features;
mod games;
mod growing;
mod node_set;
mod operators;
mod program;
mod reward_player;
mod settings;
#[cfg(test)]
mod testing;
#[cfg(feature = "tune")]
mod tune;
mod value;

pub use dice::Dice;
pub(crate) use directions::DirectionsPlayer;
pub use directions::{ATTEMPTS, DirectionsTrace, trace_directions};
pub use evaluator::ProgramEvaluator;
pub use evolution::{Champion, Evolution, Individual, Marks, Report};
pub use games::play_many;
pub use node_set::{NodeSet, NodeSetError};
pub use operators::{Bounds, Mutation};
#[cfg(feature = "files")]
pub use program::ProgramFileError;
pub use program::{
    ADF_ARGUMENTS, Dialect, Feature, MOST_ADFS, Node, NodeKind, Otherwise, Program, ProgramError,
    ProgramTextError, ProgramTree, Sensing, Style,
};
pub(crate) use reward_player::RewardPlayer;
pub use reward_player::trace_evaluator;
pub use settings::{EvolutionSettings, Fitness, Genome, SettingsError};
#[cfg(feature = "tune")]
pub use tune::{Judged, Knob, KnobError, Objective, TuneError, TuneSettings, Tuning, tune};
