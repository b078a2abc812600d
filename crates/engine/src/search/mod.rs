//! Searches: players that look ahead. They take an evaluator and limits; they never print and know no names.
//!
//! For expectimax a **node** is a board or an afterstate that a search arrives at, counted every time it arrives there: the board to
//! move on, the afterstate of every legal move that is tried, the board after every spawn. An afterstate counts when it is
//! judged, when it is looked up in a table and when it is looked into further; equal afterstates after the spawns on one
//! afterstate are looked into once. An **evaluation** is a judgement of the
//! evaluator that a search asks for, again counted every time, even where equal ones are judged together. The other searches
//! count what they look into: `sum` and `minimax` boards and afterstates, without the boards that minimax judges only to find
//! the worst spawn; `clairvoyant` the boards that it makes.

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
pub use expectimax::{Expectimax, FastExpectimax, Options};
pub use limits::{Counts, SearchLimits, TimeLimit};
pub use minimax::{Minimax, MinimaxOptions};
pub use sum::{Sum, SumOptions};
pub use table::NoMemory;
pub use tree::{ChanceSearch, ChanceStyle, Step, Tree, TreeNode, TreeView, chance_tree};
