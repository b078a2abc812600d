//! 2048 as a library: exact boards, rules, players, seeded games by the million.
//!
//! The engine is pure logic. It never prints, opens no sockets and keeps no random generator: the spawn after a
//! move is a pure function of the seed, the number of the move and the afterstate (see [`game::SpawnSource`]).
//!
//! ```
//! use lab2048::board::Direction;
//! use lab2048::game::{Action, Game, Rules};
//!
//! let mut game = Game::new(Rules::default(), 7);
//! let direction = game.board().legal_moves().iter().next().expect("a new game can be played");
//! let turn = game.play(Action::Move(direction)).expect("the move is legal");
//! assert_eq!(game.score(), turn.reward);
//! ```
//!
//! Modules depend on each other in one direction only, see `ARCHITECTURE.md`: [`board`] ← [`game`] ← [`arena`],
//! [`eval`] ← [`ntuple`], [`search`] ← [`learn`], [`evolve`], [`review`] ← [`players`]; [`course`] is about games of [`game`]; [`files`]
//! stands beside them.

pub mod arena;
pub mod board;
pub mod course;
pub mod eval;
pub mod evolve;
#[cfg(feature = "files")]
pub mod files;
pub mod game;
#[cfg(feature = "train")]
pub mod learn;
pub mod ntuple;
pub mod parallel;
pub mod players;
pub mod review;
pub mod search;

/// The README's Rust examples, so that they are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
