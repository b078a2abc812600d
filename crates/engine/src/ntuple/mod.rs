//! N-tuple networks: the value of an afterstate, in points to come, as a sum of table entries.
//!
//! A network has a few [`Patterns`] of cells. Each pattern has one table with a weight for every
//! combination of ranks on its cells. It looks at all rotated and mirrored images of the board. The
//! value of an afterstate is the sum of the weights found. [`Stages`] give separate tables to the
//! phases of a game.

// Some items are used only for training.
#![cfg_attr(not(feature = "train"), allow(dead_code, unused_imports))]

mod block;
#[cfg(feature = "files")]
mod cache;
mod coder;
#[cfg(feature = "files")]
mod decoded;
mod file;
mod index;
mod machine;
mod memory;
mod network;
mod pattern;
mod shape;
mod squeeze;
mod stage;
mod symbols;
mod tdl;

#[cfg(feature = "files")]
pub use cache::NetworkCache;
pub use file::{NetworkError, NetworkFile};
pub(crate) use index::{Gather, Gathers, IMAGES, Table, add_up, images, images_of_all, lanes};
pub use machine::instructions;
pub(crate) use machine::{Instructions, Machine, Portable, WithMachine};
#[cfg(feature = "train")]
pub(crate) use memory::SharedWords;
pub(crate) use memory::{Short, Shorts, let_go, prefetch};
pub use network::Network;
pub(crate) use network::{check_board, unit_for};
pub use pattern::{Pattern, PatternError, Patterns};
pub use shape::Shape;
pub use stage::{EmptyStage, StageError, Stages};
pub use tdl::TdlError;
