//! The native part of the Python package `lab2048`: conversions between Python and the engine.
//! Rules, players and error messages come from the engine. `python/lab2048/_native.pyi` describes
//! the interface.
//!
//! | file | owns |
//! |---|---|
//! | `convert` | conversions of boards, sizes, directions, rules, numbers |
//! | `board`, `game`, `replay`, `batch` | those things as Python classes |
//! | `player` | players |
//! | `contest`, `bot` | the arena, and Python functions as its players |
//! | `review`, `exact`, `picture` | reviews, exact values, pictures |
//! | `waiting` | long calls, which release the interpreter and react to Ctrl-C |
//! | `errors` | the mapping of errors to exceptions |

mod batch;
mod board;
mod bot;
mod contest;
mod convert;
mod errors;
mod exact;
mod game;
mod picture;
mod player;
mod replay;
mod review;
mod waiting;

use std::sync::OnceLock;

use lab2048::files::{network_cache_folder, table_folder};
use lab2048::ntuple::NetworkCache;
use lab2048::players::Registry;
use lab2048::solve::Tables;

/// All players. It lives as long as the module, and so do the networks that it has loaded.
fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let tables = table_folder().map_or_else(Tables::default, Tables::in_folder);
        let mut registry = Registry::built_in().with_networks(lab2048_nets::NETWORKS).with_tables(tables);
        if let Some(folder) = network_cache_folder() {
            registry = registry.with_network_cache(NetworkCache::in_folder(folder));
        }
        registry.add(lab2048_exec::entry());
        registry
    })
}

/// The native part of `lab2048`.
#[pyo3::pymodule]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // its name in Python
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::board::{Afterstate, Board, Motion, Outcome};
    #[pymodule_export]
    use crate::bot::Bot;
    #[pymodule_export]
    use crate::contest::{ArenaResult, Record, arena};
    #[pymodule_export]
    use crate::convert::parse_direction;
    #[pymodule_export]
    use crate::exact::{Exact, Table, solve, tables};
    #[pymodule_export]
    use crate::game::{Game, Turn};
    #[pymodule_export]
    use crate::picture::{Film, gif};
    #[pymodule_export]
    use crate::player::{Decision, Player, players};
    #[pymodule_export]
    use crate::replay::Replay;
    #[pymodule_export]
    use crate::review::{JudgedMove, Review, review};
}
