//! Searches: players that look ahead. They take an evaluator and limits; they never print and know no names.

mod clairvoyant;
mod limits;
mod minimax;
mod share;
mod sum;
mod tree;
mod walk;

pub use clairvoyant::{Clairvoyant, ClairvoyantOptions};
pub use limits::{Counts, Limits};
pub use minimax::{Minimax, MinimaxOptions};
pub use sum::{Sum, SumOptions};
pub use tree::{ChanceSearch, ChanceStyle, Step, Tree, TreeNode, chance_tree};
