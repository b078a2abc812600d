//! The players that can be named on the command line: those of the engine and of the shell.

mod human;

use lab2048::files::table_folder;
use lab2048::game::Player;
use lab2048::players::{BuildError, Registry, Spec};
use lab2048::solve::Tables;

use crate::failure::Outcome;
use crate::interruptible::work;

/// Builds a player. This may load a network and take a while; Ctrl-C ends the wait.
pub(crate) fn build(registry: &Registry, spec: &Spec) -> Outcome<Result<Box<dyn Player>, BuildError>> {
    let (registry, theirs) = (registry.clone(), spec.clone());
    work(&format!("the player {spec}"), move || registry.build(&theirs))
}

/// All players. Each command makes one registry: it and its clones share the networks and tables
/// that were loaded.
pub(crate) fn registry() -> Registry {
    let tables = table_folder().map_or_else(Tables::default, Tables::in_folder);
    let mut registry = Registry::built_in().with_networks(lab2048_nets::NETWORKS).with_tables(tables);
    registry.add(human::entry());
    registry.add(lab2048_exec::entry());
    registry
}
