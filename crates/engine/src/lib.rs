//! 2048 as a library: exact boards, rules, players, search, networks, seeded games by the million.
//!
//! The engine is pure logic. It never prints, opens no sockets and keeps no random generator: the
//! spawn after a move is a pure function of the seed, its number and the afterstate (see
//! [`game::SpawnSource`]).
//!
//! A game:
//!
//! ```
//! use lab2048::{Action, Game, Rules};
//!
//! let mut game = Game::new(Rules::default(), 7);
//! let direction = game.board().legal_moves().iter().next().expect("a new game can be played");
//! let turn = game.play(Action::Move(direction)).expect("the move is legal");
//! assert_eq!(game.score(), turn.reward);
//! ```
//!
//! A search: any player by its spec, asked for the best move of a board.
//!
//! ```
//! use lab2048::{Game, Player, Registry, Rules, Situation};
//!
//! let registry = Registry::built_in();
//! let spec = registry.parse("expectimax:eval=rows,depth=2")?;
//! let mut player = registry.build(&spec)?;
//! let game = Game::from_board(Rules::default(), 7, "2 4 8 16/0 0 2 0/0 0 0 0/0 0 0 2".parse()?);
//! let decision = player.choose(&Situation::of(&game, &player))?;
//! assert!(decision.has_values() && decision.depth == 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An evaluator of your own, under the same search: implement [`eval::Evaluator`]. A network: see
//! [`ntuple::NetworkFile`]. An arena: see [`arena::Arena`]. A training: see `learn::Training`.
//!
//! # Features
//!
//! Without features the library has boards, rules, games, players, search, evaluators and networks
//! in memory. It has no C code, starts no threads, touches no files and compiles for WebAssembly.
//!
//! - `files`: reading and writing files; networks in memory maps.
//! - `threads`: arenas, reviews, evolution and training on several threads.
//! - `train`: training of networks (`learn`); includes `files`.
//! - `tune`: tuning of named weights (`evolve::tune`).
//! - `full`: all of these.
//!
//! # Modules
//!
//! Modules depend on each other in one direction only, see `ARCHITECTURE.md`: [`board`] ← [`game`]
//! ← [`arena`], [`eval`] ← [`ntuple`], [`search`] ← `learn`, [`evolve`], [`review`] ← [`players`].
//! [`course`] is about games of [`game`]. `files`, [`parallel`], the clock and hashes stand beside
//! them.

pub mod arena;
pub mod board;
mod clock;
pub mod course;
pub mod eval;
pub mod evolve;
#[cfg(feature = "files")]
pub mod files;
pub mod game;
mod hash;
#[cfg(feature = "train")]
pub mod learn;
pub mod ntuple;
pub mod parallel;
pub mod players;
pub mod review;
pub mod search;

pub use board::{Afterstate, Board, Direction, Size};
pub use clock::Clock;
pub use game::{Action, Decision, Game, MoveValue, Player, Rules, Situation};
pub use players::Registry;

/// The README's Rust examples, so that they are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
