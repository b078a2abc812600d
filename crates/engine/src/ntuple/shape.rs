//! The shape of a network: everything except its weights.

use serde::{Deserialize, Serialize};

use super::{Patterns, Stages};
use crate::board::{downgrade_to, downgraded, is_beyond, rank_of};
use crate::eval::View;

/// The shape of a network: everything except its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The patterns, and the board size.
    pub patterns: Patterns,
    /// The stages.
    pub stages: Stages,
    /// The largest known rank (1 to 15). Boards with larger tiles are downgraded before evaluation.
    pub top: u8,
    /// The value of an afterstate whose weights are all 0. The weights are added to it.
    pub start_value: f32,
}

impl Shape {
    /// The number of weights in all stages.
    pub fn weights(&self) -> usize {
        self.patterns.weights() * self.stages.len()
    }

    /// Packed cells as the network sees them, with tiles larger than it knows downgraded.
    #[inline(always)]
    pub(crate) fn known(&self, bits: u64) -> u64 {
        downgraded(bits, self.top)
    }

    /// Whether packed cells have tiles larger than the network knows.
    #[inline(always)]
    pub(crate) fn is_beyond(&self, bits: u64) -> bool {
        is_beyond(bits, self.top)
    }

    /// The packed cells of a view as the network sees them. A tile that is not a power of two has
    /// no rank. Networks do not accept boards with such tiles.
    pub(crate) fn known_cells(&self, view: &View) -> u64 {
        let ranks = view.tiles().iter().map(|&tile| rank_of(tile).unwrap_or(0));
        downgrade_to(self.top, ranks.collect(), view.size().cols())
    }

    /// The first property of `other` that does not fit this shape, in words. `None` if the shapes
    /// are equal, or if this one only adds later stages.
    pub(crate) fn difference_from(&self, other: &Shape) -> Option<&'static str> {
        let differs = [
            (self.patterns.size() != other.patterns.size(), "a different board size"),
            (self.patterns != other.patterns, "different patterns"),
            (self.top != other.top, "a different largest tile"),
            (self.start_value != other.start_value, "a different start value"),
            (!self.stages.go_on_from(&other.stages), "different stages"),
        ];
        differs.into_iter().find_map(|(differs, words)| differs.then_some(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let shape = |size: &str, patterns: &str, stages: &str, top, start_value| Shape {
            patterns: Patterns::parse(size.parse().unwrap(), patterns).unwrap(),
            stages: stages.parse().unwrap(),
            top,
            start_value,
        };
        let own = shape("2x3", "012", "8 16", 14, 0.0);
        for (other, words) in [
            (shape("2x3", "012", "8 16", 14, 0.0), None),
            (shape("2x3", "012", "8", 14, 0.0), None),
            (shape("2x2", "012", "8", 14, 0.0), Some("a different board size")),
            (shape("2x3", "01", "8", 14, 0.0), Some("different patterns")),
            (shape("2x3", "012", "8", 15, 0.0), Some("a different largest tile")),
            (shape("2x3", "012", "8", 14, 1.0), Some("a different start value")),
            (shape("2x3", "012", "16", 14, 0.0), Some("different stages")),
            (shape("2x3", "012", "8 16 32", 14, 0.0), Some("different stages")),
        ] {
            assert_eq!(own.difference_from(&other), words, "{other:?}");
        }
    }
}
