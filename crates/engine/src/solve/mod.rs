//! Exact values by layers of equal tile sum: small boards, and endgames with walls.
//!
//! A [`SubGame`] says what is solved. [`solve_in_memory`] and [`solve_to_file`] compute the value
//! of every position that can be reached, and a [`Table`] holds them.

mod blob;
mod chain;
mod exact;
mod ground;
mod job;
mod keys;
mod layer;
mod leaks;
#[cfg(feature = "files")]
mod memory;
mod merging;
mod naming;
mod policy;
mod positions;
mod practice;
#[cfg(feature = "files")]
mod preparing;
mod sampling;
mod solver;
mod standing;
mod starts;
mod subgame;
mod table;
mod tables;
mod work;

pub use exact::Exact;
pub use job::{Estimate, Job, Phase, PositionCounts, Solution, SolveError, SolveProgress};
pub use layer::ValueKind;
pub use leaks::Leak;
#[cfg(feature = "files")]
pub use memory::{NoRoom, total_memory};
pub use merging::merge_plan;
pub use policy::{Policy, PolicyError, PolicyJob, PolicyValue, Uniform, evaluate_policy, policy_of};
pub use practice::{Outcome, Practice, PracticeError, PracticeMove, draw_position};
#[cfg(feature = "files")]
pub use preparing::{Prepared, SolvePlan, TableRequest};
pub use sampling::{Sample, SampleJob, sample_player};
pub use solver::solve_in_memory;
#[cfg(feature = "files")]
pub use solver::solve_to_file;
pub use standing::{Drawn, Standing};
pub use subgame::{Goal, Place, SubGame, SubGameError, Walls};
pub use table::{Table, TableError, TableInfo};
pub use tables::{Judgement, Tables, TablesError};
#[cfg(feature = "files")]
pub use work::{FolderError, UnfinishedWork, unfinished_work};
