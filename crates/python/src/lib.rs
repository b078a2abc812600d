//! The Python package `lab2048`, its native part: conversions between Python and the engine, and nothing else. Rules,
//! players and sentences about mistakes are the engine's; what Python sees is described in `python/lab2048/_native.pyi`.
//!
//! | file | owns |
//! |---|---|
//! | `convert` | what Python may write for a board, a size, a direction, rules |
//! | `board`, `game`, `replay`, `batch` | those things as Python classes |
//! | `player` | players |
//! | `contest` | the arena |
//! | `waiting` | how a long call lets Python go on and answers Ctrl-C |
//! | `errors` | which exception a mistake becomes |

mod batch;
mod board;
mod contest;
mod convert;
mod errors;
mod game;
mod player;
mod replay;
mod waiting;

use std::sync::OnceLock;

use lab2048::players::Registry;

/// All players. This is the only place where they come from. It lives as long as the module, and so
/// do the networks that were read.
fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut registry = Registry::built_in().with_networks(lab2048_nets::NETWORKS);
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
    use crate::contest::{ArenaResult, Record, arena};
    #[pymodule_export]
    use crate::convert::parse_direction;
    #[pymodule_export]
    use crate::game::{Game, Turn};
    #[pymodule_export]
    use crate::player::{Decision, Player, players};
    #[pymodule_export]
    use crate::replay::Replay;
}
