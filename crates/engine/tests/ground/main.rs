//! Tests of the foundations: boards, rules, the RNG, text forms, and the order of the modules.
//!
//! They are one program, so that it is linked only once. To rewrite the golden files, run
//! `UPDATE_GOLDEN=1 cargo test -p lab2048-engine --test ground` and explain the difference in the
//! commit message.
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
