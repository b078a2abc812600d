//! Temporal-difference learning of n-tuple networks: update rules, training games, threads, checkpoints.
//!
//! The network plays greedily against chance and learns from its own games: the value of an afterstate is moved towards
//! the reward of the next move plus the value of the next afterstate, and towards 0 when the game is over.

mod average;
mod checkpoint;
mod episode;
mod exact;
mod export;
mod formations;
mod recipe;
mod rule;
mod starts;
mod tables;
mod trainer;
mod training;

pub use checkpoint::{CheckpointError, TrainingFile};
pub use episode::Order;
pub use exact::ExactNetwork;
pub use export::Quantisation;
pub use recipe::{Mixed, NewStages, Progress, Recipe, Schedule, ScheduleError};
pub use rule::{Rule, Tc, Td};
pub use trainer::{Finished, Limit, Trainer};
pub use training::{Training, TrainingError, resume, resume_or_before, start, start_from};
