//! The player `exec`: a bot in any language, asked over its standard input and output. The protocol is
//! in `docs/reference/bot-protocol.md`.
//!
//! It needs processes and threads, so it is not among the engine's own players. The command and the
//! Python package add its [`entry`] to their registries. [`BotProcess`] is the program behind it, for
//! whoever asks programs something else.

mod player;
mod process;

pub use player::entry;
pub use process::{BotProcess, Trouble, end_all, heed, one_line};
