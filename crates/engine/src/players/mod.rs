//! The one registry that turns a text spec into a player. It knows every other module; none of them knows it.
//!
//! A spec is `name` or `name:key=value,key=value`; a value with a comma in it is written in double quotes. A player
//! that uses an evaluator takes the evaluator's parameters in the same spec: `expectimax:eval=rows,depth=3,empty=200`.
//!
//! ```
//! use lab2048::players::Registry;
//!
//! let registry = Registry::built_in();
//! let greedy = registry.parse("greedy").unwrap();
//! assert!(registry.build(&greedy).is_ok());
//! assert_eq!(registry.parse("gredy").unwrap_err().to_string(), "there is no player 'gredy'; did you mean 'greedy'?");
//! ```

/// Why a player that needs a file cannot be had without the feature `files`.
#[cfg(not(feature = "files"))]
const NO_FILES: &str = "this program reads no files";

mod auto;
mod drawing;
mod error;
mod evaluators;
mod expectimax;
mod handmade;
mod networks;
mod param;
mod program;
mod registry;
mod searching;
mod simple;
mod spec;

pub use drawing::Drawing;
pub use error::BuildError;
pub use evaluators::{AnyEvaluator, EvaluatorEntry, Searchable};
pub use networks::{Networks, ShippedFile, ShippedNetwork};
pub use param::{Kind, Param, Settings, parse_time};
pub use registry::{Entry, Registry};
pub use simple::{Greedy, Random};
pub use spec::{Spec, SpecError};
