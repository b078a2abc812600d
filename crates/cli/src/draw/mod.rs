//! Pictures: the colours of the game, boards, trees and curves as SVG, and curves as text.

pub(crate) mod chart;
pub(crate) mod palette;
pub(crate) mod sparks;
pub(crate) mod svg;
pub(crate) mod svg_tree;
