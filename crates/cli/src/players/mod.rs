//! The players that can be named on the command line: the engine's, and the shell's own.

mod exec;
mod human;
pub(crate) mod process;

use lab2048::players::Registry;

/// All players.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::built_in();
    registry.add(human::entry());
    registry.add(exec::entry());
    registry
}
