//! Gardens for the tests of evolution.

use super::operators::Garden;
use super::{Bounds, Dialect, NodeSet, Style};

/// The garden of the document (see `directions.rs`).
pub(super) fn directions(trees: usize) -> Garden {
    Garden {
        style: Style::Directions(Dialect::DOCUMENT),
        trees,
        nodes: NodeSet::directions(),
        bounds: Bounds { least: 3, most: 7, size: 200 },
        rows: false,
    }
}

/// Evaluators from all nodes, with ADFs.
pub(super) fn evaluators(adfs: usize) -> Garden {
    let all = ["reward", "cell", "ranks", "place", "is-row", "tile-sum"].map(str::to_owned);
    Garden {
        style: Style::Evaluator,
        trees: adfs + 1,
        nodes: NodeSet::evaluator().with(&all).unwrap(),
        bounds: Bounds { least: 2, most: 6, size: 60 },
        rows: false,
    }
}
