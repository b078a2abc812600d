//! Tests of the ground: boards, rules, chance, text forms, and the order of the modules.
//!
//! One program, so that it is linked once. `UPDATE_GOLDEN=1 cargo test -p lab2048-engine --test ground` writes the golden files
//! anew; whoever commits the difference says why it is meant.
#![allow(clippy::unwrap_used)]

mod architecture;
mod boards;
mod chance;
mod course;
mod exact;
mod golden;
mod parsers;
mod perft;
mod rules;
mod score;
mod states;
mod support;
mod symmetry;
