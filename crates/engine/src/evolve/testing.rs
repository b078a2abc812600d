//! Gardens and boards for the tests of evolution.

use super::{Bounds, Dialect, Garden, NodeSet, Style};
use crate::board::PackedAfter;
use crate::game::Stream;

/// The garden of the document.
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

/// Afterstates with ranks of all sizes and many or few empty cells, at least one.
pub(super) fn afterstates(count: u64) -> impl Iterator<Item = PackedAfter> {
    let stream = Stream::with_purpose(1, 2);
    (0..count).map(move |n| {
        let draw = |k: u64| stream.draw(4 * n + k);
        let keep = draw(0) | if n % 3 == 0 { draw(1) } else { 0 };
        let small = if n % 2 == 0 { 0x3333_3333_3333_3333 } else { u64::MAX };
        let one_empty = !(0xf << (4 * (n % 16)));
        let bits = draw(2) & small & ((keep & 0x1111_1111_1111_1111) * 0xf) & one_empty;
        PackedAfter::from_bits(bits).unwrap()
    })
}
