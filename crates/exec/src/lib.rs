//! The player `exec`: a bot in any language that talks to us over standard input and output. The
//! protocol is described in `docs/reference/bot-protocol.md`.
//!
//! `exec` needs processes and threads, so it is not one of the engine's own players. The command
//! line and the Python package add its [`entry`] to their registries. [`BotProcess`] is the program
//! behind the player. It can also run programs that speak another protocol.

mod player;
mod process;

pub use player::entry;
pub use process::{BotProcess, HeldErrors, Trouble, end_all, heed, hold_errors, take_held_errors};
