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
//! use lab2048::game::Future;
//! use lab2048::{Game, Player, Registry, Rules, Situation};
//!
//! let registry = Registry::built_in();
//! let spec = registry.parse("expectimax:eval=rows,depth=2")?;
//! let mut player = registry.build(&spec)?;
//! let game = Game::from_board(Rules::default(), 7, "2 4 8 16/0 0 2 0/0 0 0 0/0 0 0 2".parse()?);
//! let decision = player.choose(&Situation::of(&game, &player, Future::Hidden))?;
//! assert!(decision.has_values() && decision.depth == 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An evaluator of your own, under the same search:
//!
//! ```
//! use std::sync::Arc;
//!
//! use lab2048::arena::{GameLimits, play_game};
//! use lab2048::eval::{Evaluator, Judges, View};
//! use lab2048::game::Unit;
//! use lab2048::search::{Expectimax, ExpectimaxOptions};
//! use lab2048::{Game, Rules};
//!
//! /// The more empty cells, the better.
//! struct Empty;
//!
//! impl Evaluator for Empty {
//!     fn judges(&self) -> Judges {
//!         Judges::Boards
//!     }
//!
//!     fn unit(&self) -> Unit {
//!         Unit::Preference
//!     }
//!
//!     fn evaluate(&self, view: &View) -> f64 {
//!         view.tiles().iter().filter(|&&tile| tile == 0).count() as f64
//!     }
//! }
//!
//! let mut player = Expectimax::new(Arc::new(Empty), ExpectimaxOptions::with_depth(1));
//! let mut game = Game::new(Rules::default(), 7);
//! let limits = GameLimits { until: Some(128), max_moves: None };
//! let played = play_game(&mut game, &mut player, &limits)?;
//! assert_eq!(played.result.largest, 128);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A network, made in memory. [`ntuple::NetworkFile`] reads and writes them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use lab2048::arena::{GameLimits, play_game};
//! use lab2048::ntuple::{Network, Patterns, Shape, Stages};
//! use lab2048::search::{ExpectimaxOptions, FastExpectimax};
//! use lab2048::{Game, Rules, Size};
//!
//! // One pattern: the four cells of the first row, in all eight images of the board.
//! let patterns = Patterns::parse(Size::FOUR, "0123")?;
//! let shape = Shape { patterns, stages: Stages::one(), top: 15, start_value: 0.0 };
//! // Each empty cell of a row is worth 10 points.
//! let empty = |row: usize| (0..4).filter(|cell| row >> (4 * cell) & 15 == 0).count() as i16;
//! let network = Network::from_weights(shape, 10.0, |_| (0..1 << 16).map(empty).collect())?;
//!
//! let mut player = FastExpectimax::new(Arc::new(network), ExpectimaxOptions::with_depth(1))?;
//! let mut game = Game::new(Rules::default(), 7);
//! let played = play_game(&mut game, &mut player, &GameLimits::default())?;
//! assert!(played.result.score > 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A training (feature `train`), on a board small enough to be learned in a moment:
//!
#![cfg_attr(feature = "train", doc = "```")]
#![cfg_attr(not(feature = "train"), doc = "```ignore")]
//! use std::sync::Arc;
//!
//! use lab2048::arena::{GameLimits, play_game};
//! use lab2048::learn::{Limit, Quantisation, Recipe, start};
//! use lab2048::ntuple::{Patterns, Shape, Stages};
//! use lab2048::search::{Expectimax, ExpectimaxOptions};
//! use lab2048::{Game, Rules, Size};
//!
//! let size = Size::new(2, 2)?;
//! let patterns = Patterns::parse(size, "0123")?;
//! let shape = Shape { patterns, stages: Stages::one(), top: 15, start_value: 0.0 };
//! let mut training = start(Recipe { seed: 7, ..Recipe::new(shape) })?;
//! training.run(1, Limit { games: Some(500), ..Limit::default() });
//! assert_eq!(training.progress().games, 500);
//!
//! let network = training.network(Quantisation { thrift: 0.0 })?;
//! let mut player = Expectimax::new(Arc::new(network), ExpectimaxOptions::with_depth(1));
//! let mut game = Game::new(Rules { size, ..Rules::default() }, 1);
//! let played = play_game(&mut game, &mut player, &GameLimits::default())?;
//! assert!(played.result.largest >= 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An arena: the same seeded games by several players.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use lab2048::Registry;
//! use lab2048::arena::{ContestTally, GameSetup, Workload};
//! use lab2048::players::BotFiles;
//!
//! let specs = ["random", "greedy"].map(str::to_owned);
//! let registry = Registry::built_in();
//! let contest = registry.contest(&specs, GameSetup::default(), 1, BotFiles::Ignored)?;
//! let mut tally = ContestTally::new(contest.arena.plan());
//! let work = Workload { games: 20, done: 0, threads: 1 };
//! contest.arena.run(&work, &AtomicBool::new(false), &mut |records| {
//!     records.iter().for_each(|record| tally.add(record));
//!     Ok(())
//! })?;
//! let [random, greedy] = &tally.summaries()[..] else { panic!("two players") };
//! assert!(random.mean < greedy.mean);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
//! [`course`] is about games of [`game`]. Every module may use `files`, [`hash`], [`parallel`],
//! [`text`] and the clock.

pub mod arena;
pub mod board;
mod clock;
pub mod course;
pub mod eval;
pub mod evolve;
#[cfg(feature = "files")]
pub mod files;
pub mod game;
pub mod hash;
#[cfg(feature = "train")]
pub mod learn;
pub mod ntuple;
pub mod parallel;
pub mod players;
pub mod review;
pub mod search;
pub mod solve;
pub mod text;

/// The Cargo features that this library was built with.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "files")]
    "files",
    #[cfg(feature = "threads")]
    "threads",
    #[cfg(feature = "train")]
    "train",
    #[cfg(feature = "tune")]
    "tune",
];

pub use board::{Afterstate, Board, Direction, Size};
pub use clock::Clock;
pub use eval::Evaluator;
pub use game::{Action, Decision, Game, MoveValue, Player, PlayerError, Rules, Situation};
pub use players::Registry;

/// The README's Rust examples, so that they are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
