//! The registry that turns a text spec into a player. It depends on all other modules; none depends
//! on it.
//!
//! A spec is `name` or `name:key=value,key=value`. A value with a comma is written in double
//! quotes. The parameters of a player's evaluator are part of the same spec:
//! `expectimax:eval=rows,depth=3,empty=200`.
//!
//! ```
//! use lab2048::players::Registry;
//!
//! let registry = Registry::built_in();
//! let greedy = registry.parse("greedy").unwrap();
//! assert!(registry.build(&greedy).is_ok());
//! let error = registry.parse("gredy").unwrap_err().to_string();
//! assert_eq!(error, "there is no player 'gredy'; did you mean 'greedy'?");
//! ```

/// The error of players that need a file, without the feature `files`.
#[cfg(not(feature = "files"))]
const NO_FILES: &str = "this program was built without support for files";

mod auto;
mod contest;
mod drawing;
mod error;
mod evaluators;
mod exact;
mod expectimax;
mod handmade;
mod networks;
mod param;
mod program;
mod registry;
mod searching;
mod simple;
mod spec;
mod untrusted;

pub use contest::{BotFiles, Contender, ContestError, Entrant, ReadyContest};
pub use drawing::Drawing;
pub use error::BuildError;
pub use evaluators::{AnyEvaluator, EvaluatorEntry, Searchable};
pub use networks::{Networks, ShippedFile, ShippedNetwork};
pub use param::{Kind, Param, Settings, parse_time};
pub use registry::{Entry, Registry, Resources};
pub use simple::Random;
pub use spec::{Spec, SpecError};
