//! What a network looks like, without its weights.

use serde::{Deserialize, Serialize};

use super::{Patterns, Stages};

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

    /// Whether this is the same shape, or one with more stages behind those of the other.
    pub(crate) fn goes_on_from(&self, other: &Shape) -> bool {
        let same_stages = Shape { stages: self.stages.clone(), ..other.clone() };
        *self == same_stages && self.stages.go_on_from(&other.stages)
    }
}
