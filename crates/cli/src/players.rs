//! The players that can be named on the command line: the engine's, and the shell's own.

use lab2048::players::Registry;

/// All players.
pub(crate) fn registry() -> Registry {
    Registry::built_in()
}
