//! What a network looks like, without its weights.

use serde::{Deserialize, Serialize};

use super::{Patterns, Stages};
use crate::board::{downgrade_to, downgraded, is_beyond, rank_of};
use crate::eval::View;

/// What a network looks like, without its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The patterns, and the size of the boards.
    pub patterns: Patterns,
    /// The stages.
    pub stages: Stages,
    /// The largest rank it knows (1 to 15); boards beyond are downgraded before they are valued.
    pub top: u8,
    /// The value of an afterstate of which nothing is known. The weights are added to this.
    pub start_value: f32,
}

impl Shape {
    /// The weights of all stages.
    pub fn weights(&self) -> usize {
        self.patterns.weights() * self.stages.len()
    }

    /// Packed cells as the network sees them: larger tiles than it knows are downgraded.
    #[inline(always)]
    pub(crate) fn known(&self, bits: u64) -> u64 {
        downgraded(bits, self.top)
    }

    /// Whether packed cells have larger tiles than the network knows.
    #[inline(always)]
    pub(crate) fn is_beyond(&self, bits: u64) -> bool {
        is_beyond(bits, self.top)
    }

    /// The packed cells of a view as the network sees them. Tiles that are not powers of two have no
    /// rank; networks do not accept boards with such tiles.
    pub(crate) fn known_cells(&self, view: &View) -> u64 {
        let ranks = view.tiles().iter().map(|&tile| rank_of(tile).unwrap_or(0));
        downgrade_to(self.top, ranks.collect(), view.size().cols())
    }

    /// What the other has that is not here, in words; none if this is the same shape, or one with more stages behind those of the
    /// other.
    pub(crate) fn difference_from(&self, other: &Shape) -> Option<&'static str> {
        let differs = [
            (self.patterns.size() != other.patterns.size(), "another size of boards"),
            (self.patterns != other.patterns, "other patterns"),
            (self.top != other.top, "another largest tile"),
            (self.start_value != other.start_value, "another start value"),
            (!self.stages.go_on_from(&other.stages), "stages that the run does not begin with"),
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
            (shape("2x2", "012", "8", 14, 0.0), Some("another size of boards")),
            (shape("2x3", "01", "8", 14, 0.0), Some("other patterns")),
            (shape("2x3", "012", "8", 15, 0.0), Some("another largest tile")),
            (shape("2x3", "012", "8", 14, 1.0), Some("another start value")),
            (shape("2x3", "012", "16", 14, 0.0), Some("stages that the run does not begin with")),
            (shape("2x3", "012", "8 16 32", 14, 0.0), Some("stages that the run does not begin with")),
        ] {
            assert_eq!(own.difference_from(&other), words, "{other:?}");
        }
    }
}
