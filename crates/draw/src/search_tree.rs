//! A search tree as a picture. The root position is at the top and the boards that can follow are
//! below it. Moves and spawns label the edges, values are below the boards, and the chosen path is
//! coloured.

use lab2048::board::Direction;
use lab2048::game::MoveValue;
use lab2048::search::{Step, Tree, TreeNode};

use crate::palette::{ACCENT, BOARD, INK, PAGE, Rgb};
use crate::svg::{Anchor, BoardLook, Font, Svg, TEXT, board_height, text_width};
use crate::tree::{Gaps, TreeLayout};

/// The widths of boards with up to four columns, by layer. Deeper layers use the last entry.
const WIDTHS: [f64; 4] = [112.0, 88.0, 72.0, 64.0];
const MARGIN: f64 = 28.0;
const GAPS: Gaps = Gaps { leaves: 12.0, families: 26.0 };
/// The heights of the label above a board and of a line of text below it.
const LABEL: f64 = 20.0;
const LINE: f64 = 17.0;
/// The space for the curves between two layers.
const RISE: f64 = 46.0;
/// The height of the title and the legend, with the space below them.
const TITLE: f64 = 76.0;

/// Draws a tree with a title.
pub fn draw(tree: &Tree, title: &str) -> String {
    let mut svg = Svg::new();
    let (right, _) = svg.heading(MARGIN, title, &[legend(tree)]);
    let layout = Layout::of(tree, right + MARGIN);
    for (index, node) in tree.nodes.iter().enumerate().filter(|(_, node)| !node.best) {
        edge(&mut svg, tree, &layout, index, node);
    }
    for (index, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.best) {
        edge(&mut svg, tree, &layout, index, node);
    }
    for (index, node) in tree.nodes.iter().enumerate() {
        draw_node(&mut svg, &layout, index, node);
    }
    svg.finish(layout.width, layout.height)
}

/// One line that explains how to read the picture.
fn legend(tree: &Tree) -> String {
    let unit = format!("numbers: {}", tree.unit);
    let has_chance = tree.nodes.iter().any(|node| matches!(node.step, Step::Spawn { .. }));
    let known = tree.nodes.iter().any(|node| matches!(node.step, Step::Move { known: Some(_), .. }));
    let frames = match (has_chance, known) {
        (true, _) => "dashed: the new tile is still to come · framed tile: has just appeared",
        (false, true) => "framed tile: has just appeared",
        (false, false) => "dashed: after the move",
    };
    format!("red: the chosen path · {frames} · {unit}")
}

/// The positions of all parts.
struct Layout {
    tree: TreeLayout,
    /// The left edge of the tree.
    left: f64,
    /// The top of the boards in each layer.
    tops: Vec<f64>,
    width: f64,
    height: f64,
}

impl Layout {
    /// Lays out a picture of at least this width.
    fn of(tree: &Tree, least_width: f64) -> Layout {
        let nodes = &tree.nodes;
        let parents: Vec<Option<usize>> = nodes.iter().map(|node| node.parent).collect();
        let places = TreeLayout::new(&parents, GAPS, |index, depth| node_width(&nodes[index], depth));
        let width = (places.width + 2.0 * MARGIN).max(least_width);
        let mut tops = Vec::with_capacity(places.layers());
        let mut y = TITLE;
        for layer in 0..places.layers() {
            if layer > 0 {
                y += RISE + LABEL;
            }
            tops.push(y);
            let of_layer = || {
                let with_depth = nodes.iter().zip(&places.depths);
                with_depth.filter(|(_, depth)| **depth == layer).map(|(node, _)| node)
            };
            let lines = of_layer().map(lines_below).max().unwrap_or(0);
            y += of_layer().map(|node| height(node, layer)).fold(0.0, f64::max);
            y += LINE * lines as f64;
        }
        Layout { left: (width - places.width) / 2.0, tree: places, tops, width, height: y + MARGIN }
    }

    /// The horizontal centre of a node, its layer and the top of its board.
    fn place(&self, index: usize) -> (f64, usize, f64) {
        let depth = self.tree.depths[index];
        (self.left + self.tree.middles[index], depth, self.tops[depth])
    }

    /// The end of the curve to a node: the top of its label.
    fn entry(&self, index: usize) -> (f64, f64) {
        let (middle, _, top) = self.place(index);
        (middle, top - LABEL)
    }

    /// The start of the curves from a node: below its board and text.
    fn exit(&self, index: usize, node: &TreeNode) -> (f64, f64) {
        let (middle, depth, top) = self.place(index);
        (middle, top + height(node, depth) + LINE * lines_below(node) as f64 + 4.0)
    }
}

/// The width of a board in a layer. Boards with more columns are wider.
fn board_width(node: &TreeNode, depth: usize) -> f64 {
    let columns = node.tiles.size().cols() as f64;
    WIDTHS[depth.min(WIDTHS.len() - 1)] * (columns / 4.0).max(1.0)
}

/// The height of a board in a layer.
fn height(node: &TreeNode, depth: usize) -> f64 {
    board_height(&node.tiles, board_width(node, depth))
}

fn node_width(node: &TreeNode, depth: usize) -> f64 {
    let texts = [label(node), value_text(node), more_text(node)];
    let widest = texts.iter().flatten().map(|text| text_width(text, TEXT) + 10.0).fold(0.0, f64::max);
    board_width(node, depth).max(widest)
}

fn lines_below(node: &TreeNode) -> usize {
    usize::from(node.value.is_judged()) + usize::from(node.left_out > 0)
}

fn arrow(direction: Direction) -> char {
    match direction {
        Direction::Up => '↑',
        Direction::Right => '→',
        Direction::Down => '↓',
        Direction::Left => '←',
    }
}

/// The label on the edge to a node.
fn label(node: &TreeNode) -> Option<String> {
    match node.step {
        Step::Root => None,
        Step::Move { direction, reward: 0, .. } => Some(arrow(direction).to_string()),
        Step::Move { direction, reward, .. } => Some(format!("{} +{reward}", arrow(direction))),
        Step::Spawn { spawn, probability } => Some(format!("{}: {}%", spawn.tile, percent(probability))),
    }
}

/// A share in per cent. Small ones have a decimal.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 9.95 { format!("{percent:.0}") } else { format!("{percent:.1}") }
}

fn value_text(node: &TreeNode) -> Option<String> {
    match node.value {
        MoveValue::Worth(value) => Some(short_number(value)),
        MoveValue::Lost { .. } => Some("lost".to_owned()),
        MoveValue::Illegal | MoveValue::Unknown => None,
    }
}

fn more_text(node: &TreeNode) -> Option<String> {
    (node.left_out > 0).then(|| format!("and {} more", node.left_out))
}

/// A value in a few characters.
fn short_number(value: f64) -> String {
    let size = value.abs();
    for (unit, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M")] {
        if size >= 1e15 {
            return format!("{value:.2e}");
        }
        if size >= unit {
            return format!("{:.2}{letter}", value / unit);
        }
    }
    match size {
        _ if size >= 99_950.0 => format!("{:.0}k", value / 1e3),
        _ if size >= 1_000.0 || value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

fn edge(svg: &mut Svg, tree: &Tree, layout: &Layout, index: usize, node: &TreeNode) {
    let Some(parent) = node.parent else { return };
    let (ink, width) = if node.best { (ACCENT, 3.0) } else { (BOARD, 1.5) };
    svg.curve(layout.exit(parent, &tree.nodes[parent]), layout.entry(index), ink, width);
}

fn draw_node(svg: &mut Svg, layout: &Layout, index: usize, node: &TreeNode) {
    let (middle, depth, top) = layout.place(index);
    let width = board_width(node, depth);
    let (new, dashed) = match node.step {
        Step::Root => (None, false),
        Step::Move { known, .. } => (known.map(|spawn| spawn.cell), known.is_none()),
        Step::Spawn { spawn, .. } => (Some(spawn.cell), false),
    };
    if let Some(text) = label(node) {
        let (fill, ink): (Rgb, Rgb) = if node.best { (ACCENT, PAGE) } else { (BOARD, PAGE) };
        let pill = text_width(&text, TEXT) + 12.0;
        svg.rect(middle - pill / 2.0, top - LABEL, pill, LABEL - 4.0, (LABEL - 4.0) / 2.0, fill);
        let font = Font { size: TEXT, bold: true, ink, anchor: Anchor::Middle };
        svg.text(middle, top - LABEL / 2.0 - 2.0, font, &text);
    }
    svg.board(middle - width / 2.0, top, width, &node.tiles, BoardLook { new, framed: node.best, dashed });
    let mut y = top + height(node, depth) + 2.0 + LINE / 2.0;
    let plain = Font { size: TEXT, bold: false, ink: INK, anchor: Anchor::Middle };
    if let Some(text) = value_text(node) {
        let ink = if node.best { ACCENT } else { INK };
        svg.text(middle, y, Font { bold: true, ink, ..plain }, &text);
        y += LINE;
    }
    if let Some(text) = more_text(node) {
        svg.text(middle, y, Font { size: TEXT - 1.0, ink: BOARD, ..plain }, &text);
    }
}

#[cfg(test)]
mod tests {
    use lab2048::board::Board;

    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, -3.25, 512.0, 1234.5, 123_456.0, 2_345_678.0, 3e10, 4e20].map(short_number);
        assert_eq!(texts, ["0", "-3.2", "512", "1234", "123k", "2.35M", "30.00G", "4.00e20"]);
    }

    #[test]
    fn a_node_says_what_it_is_worth() {
        let text = |value| {
            let tiles = "2 4/0 0".parse::<Board>().unwrap().to_grid();
            value_text(&TreeNode { parent: None, step: Step::Root, tiles, value, best: true, left_out: 0 })
        };
        assert_eq!(text(MoveValue::Worth(512.0)).as_deref(), Some("512"));
        assert_eq!(text(MoveValue::Lost { turns: 2 }).as_deref(), Some("lost"));
        assert_eq!(text(MoveValue::Unknown), None);
    }

    #[test]
    fn per_cents_are_readable() {
        assert_eq!([0.9, 0.0999, 0.05, 0.0071].map(percent), ["90", "10", "5.0", "0.7"]);
    }
}
