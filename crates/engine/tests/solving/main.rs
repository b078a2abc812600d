//! Tests of the solver through the public interface: published values, a naive twin, interrupted
//! work, damaged files, tables by name, formations, practice, and the players that use tables.
//!
//! Tests of larger sub-games run with `LAB2048_LONG=1`. They take minutes and some gigabytes:
//! `LAB2048_LONG=1 cargo test --release -p lab2048-engine --features full --test solving`.
#![allow(clippy::unwrap_used)]

mod damaged;
mod formations;
mod merging;
mod named;
mod oracles;
mod players;
mod policies;
mod practice;
mod resuming;
mod support;
mod twin;
