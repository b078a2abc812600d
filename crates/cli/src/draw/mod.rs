//! Pictures: the colours of the game, boards and search trees as SVG.

pub(crate) mod palette;
pub(crate) mod svg;
pub(crate) mod svg_tree;
