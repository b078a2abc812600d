//! The players that can be named on the command line: the engine's, and the shell's own.

mod exec;
mod human;
pub(crate) mod process;

use lab2048::game::Player;
use lab2048::players::{BuildError, Registry, ShippedFile, ShippedNetwork, Spec};

use crate::failure::{Failure, Outcome};
use crate::interruptible::{Worked, work};

/// The networks that ship with the program.
const NETWORKS: &[ShippedNetwork] = &[
    ShippedNetwork { name: "default", file: ShippedFile::Inside(lab2048_nets::DEFAULT) },
    ShippedNetwork { name: "full", file: FULL },
];

/// Not part of the program.
const FULL: ShippedFile =
    ShippedFile::Beside { path: lab2048_nets::full_path, hint: lab2048_nets::FULL_HINT };

/// The network that ships with the program under a name; the first one is also called `built-in`.
pub(crate) fn shipped_network(name: &str) -> Option<&'static ShippedNetwork> {
    let first = NETWORKS.first().filter(|_| name == ShippedNetwork::BUILT_IN);
    NETWORKS.iter().find(|network| network.name == name).or(first)
}

/// Makes a player, which may load a network and take a while: Ctrl-C ends the wait.
pub(crate) fn build(spec: &Spec) -> Outcome<Result<Box<dyn Player>, BuildError>> {
    let theirs = spec.clone();
    match work(None, move || registry().build(&theirs)) {
        Worked::Done(built) => Ok(built),
        Worked::LeftBehind => Err(Failure::Interrupted("interrupted".to_owned())),
        Worked::BrokeDown => Err(Failure::Failed(format!("{spec}: the player broke down"))),
    }
}

/// All players.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::built_in().with_networks(NETWORKS);
    registry.add(human::entry());
    registry.add(exec::entry());
    registry
}
