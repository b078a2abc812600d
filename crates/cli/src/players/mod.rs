//! The players that can be named on the command line: the engine's, and the shell's own.

mod exec;
mod human;
pub(crate) mod process;

use lab2048::players::{Registry, ShippedNetwork};

/// The networks that ship with the program.
const NETWORKS: &[ShippedNetwork] = &[ShippedNetwork { name: "default", bytes: lab2048_nets::DEFAULT }];

/// All players.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::built_in().with_networks(NETWORKS);
    registry.add(human::entry());
    registry.add(exec::entry());
    registry
}
