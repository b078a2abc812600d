//! Pictures of 2048: boards, search trees and charts as SVG, games as GIF.
//!
//! The crate returns text or writes to any [`std::io::Write`]. It opens no files, uses no terminal
//! and compiles for WebAssembly, so the command line, the web page and Python share it.

pub mod animation;
pub mod chart;
pub mod film;
pub mod gif;
mod indexed;
mod letters;
pub mod number;
pub mod palette;
pub mod plot;
pub mod search_tree;
pub mod sparks;
pub mod still;
pub mod svg;
pub mod tree;

pub use indexed::Canvas;
