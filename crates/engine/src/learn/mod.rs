//! Temporal-difference learning of n-tuple networks: update rules, training games, threads,
//! checkpoints.
//!
//! The network plays greedily and learns from its own games. It moves the value of each afterstate
//! towards a target: the reward of the next move plus the value of the next afterstate, or 0 if the
//! game is over.
//!
//! A [`Recipe`] says what is trained and how. [`start`], [`start_from`] and [`resume`] return a
//! [`Training`].

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
mod value_function;
mod worker;

pub use checkpoint::{CheckpointError, TrainingFile};
pub use episode::Order;
pub use exact::CheckpointNetwork;
pub use export::Quantisation;
pub use recipe::{Changes, Mixed, NewStages, Progress, Recipe, Schedule, ScheduleError, UpdateRule};
pub use training::{Training, TrainingError, resume, resume_or_before, start, start_from};
pub use worker::{Finished, Limit};
