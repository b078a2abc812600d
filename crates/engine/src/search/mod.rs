//! Searches: players that look ahead. They take an evaluator and limits. They never print, and they
//! do not know the names of players.
//!
//! For expectimax a **node** is a board or an afterstate, counted on every visit: the root board,
//! the afterstate of each legal move that is tried, and the board after each spawn. An afterstate
//! is visited when it is evaluated, looked up in a table or expanded. Equal afterstates after the
//! spawns on one afterstate are expanded once.
//!
//! An **evaluation** is a request to the evaluator, counted every time, even if equal requests are
//! answered together.
//!
//! The other searches count what they expand. `sum` and `minimax` count boards and afterstates, but
//! not the boards that minimax evaluates only to find the worst spawn. `clairvoyant` counts the
//! boards that it generates.

pub mod bench;
mod clairvoyant;
mod expectimax;
mod limits;
mod minimax;
mod share;
mod sum;
mod table;
mod tree;
mod walk;

pub use clairvoyant::{Clairvoyant, ClairvoyantOptions};
pub use expectimax::{Expectimax, ExpectimaxOptions, FastExpectimax};
pub use limits::{CancelCheck, Counts, SearchLimits, TimeLimit};
pub use minimax::{Minimax, MinimaxOptions};
pub use sum::{Sum, SumOptions};
pub use table::NoMemory;
pub(crate) use tree::TreeView;
pub use tree::{Step, Tree, TreeNode};
