//! Pictures: the colours of the game, boards, trees and curves as SVG, games as moving pictures, and curves as text.

pub(crate) mod chart;
pub(crate) mod film;
pub(crate) mod gif;
mod indexed;
mod letters;
pub(crate) mod number;
pub(crate) mod palette;
pub(crate) mod place;
pub(crate) mod sparks;
pub(crate) mod svg;
pub(crate) mod svg_still;
pub(crate) mod svg_tree;
