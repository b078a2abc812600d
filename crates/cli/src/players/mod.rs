//! The players that can be named on the command line: those of the engine and of the shell.

mod human;

use lab2048::files::{network_cache_folder, table_folder};
use lab2048::game::Player;
use lab2048::ntuple::NetworkCache;
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
    with_cache(cache())
}

/// All players, for a command that asks for a few moves only: networks are ready sooner, but on
/// some systems players are slower.
pub(crate) fn registry_for_few_moves() -> Registry {
    with_cache(cache().map(NetworkCache::for_few_moves))
}

/// Where decoded networks are kept. Unit tests do not touch the folder of the user.
fn cache() -> Option<NetworkCache> {
    network_cache_folder().filter(|_| !cfg!(test)).map(NetworkCache::in_folder)
}

fn with_cache(cache: Option<NetworkCache>) -> Registry {
    let tables = table_folder().map_or_else(Tables::default, Tables::in_folder);
    let mut registry = Registry::built_in().with_networks(lab2048_nets::NETWORKS).with_tables(tables);
    if let Some(cache) = cache {
        registry = registry.with_network_cache(cache);
    }
    registry.add(human::entry());
    registry.add(lab2048_exec::entry());
    registry
}
