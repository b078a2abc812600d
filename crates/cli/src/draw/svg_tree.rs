//! A search tree as a picture: the position on top, the boards that can follow below it, moves and spawns on the edges,
//! values under the boards, the chosen way in colour.

use lab2048::board::Direction;
use lab2048::game::MoveValue;
use lab2048::search::{Step, Tree, TreeNode};

use super::palette::{ACCENT, BOARD, INK, PAGE, Rgb};
use super::svg::{Anchor, BoardLook, Font, Svg, board_height};

/// The widths of boards with up to four columns from the root down; deeper ones have the last.
const WIDTHS: [f64; 4] = [112.0, 88.0, 72.0, 64.0];
const MARGIN: f64 = 28.0;
/// Between neighbours with the same parent, and more between others.
const GAP: f64 = 12.0;
const FAMILY_GAP: f64 = 26.0;
/// The height of the label above a board and of a line of text below it.
const LABEL: f64 = 20.0;
const LINE: f64 = 17.0;
/// The room for the curves between two layers.
const RISE: f64 = 46.0;
/// The height of the title, the legend and the room below them.
const TITLE: f64 = 76.0;
const TEXT: f64 = 12.0;

/// Draws a tree under a title.
pub(crate) fn draw(tree: &Tree, title: &str) -> String {
    let legend = legend(tree);
    let words = text_width(&legend).max(1.5 * text_width(title)) + 2.0 * MARGIN;
    let layout = Layout::of(tree, words);
    let mut svg = Svg::new();
    let font = Font { size: 18.0, bold: true, ink: INK, anchor: Anchor::Start };
    svg.text(MARGIN, 24.0, font, title);
    svg.text(MARGIN, 46.0, Font { size: TEXT, bold: false, ..font }, &legend);
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

/// One sentence that says how to read the picture.
fn legend(tree: &Tree) -> String {
    let unit = format!("numbers: {}", tree.unit);
    let has_chance = tree.nodes.iter().any(|node| matches!(node.step, Step::Spawn { .. }));
    let known = tree.nodes.iter().any(|node| matches!(node.step, Step::Move { known: Some(_), .. }));
    let frames = match (has_chance, known) {
        (true, _) => "dashed: the new tile is still to come · framed tile: has just appeared",
        (false, true) => "framed tile: has just appeared",
        (false, false) => "dashed: after the move",
    };
    format!("red: the way that is chosen · {frames} · {unit}")
}

/// Where everything stands.
struct Layout {
    /// The middle of each node.
    middles: Vec<f64>,
    /// The layer of each node.
    depths: Vec<usize>,
    /// The top of the boards of each layer.
    tops: Vec<f64>,
    width: f64,
    height: f64,
}

impl Layout {
    /// In a picture of at least this width.
    fn of(tree: &Tree, least_width: f64) -> Layout {
        let nodes = &tree.nodes;
        let mut depths = vec![0; nodes.len()];
        let mut children = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                depths[index] = depths[parent] + 1;
                children[parent].push(index);
            }
        }
        // A subtree is as wide as its children side by side, or as its own node.
        let mut widths = vec![0.0; nodes.len()];
        for index in (0..nodes.len()).rev() {
            let gaps = family_gap(&children, index) * children[index].len().saturating_sub(1) as f64;
            let below: f64 = children[index].iter().map(|&child| widths[child]).sum();
            widths[index] = node_width(&nodes[index], depths[index]).max(below + gaps);
        }
        let width = (widths.first().copied().unwrap_or(0.0) + 2.0 * MARGIN).max(least_width);
        let mut lefts = vec![0.0; nodes.len()];
        if let Some(root) = lefts.first_mut() {
            *root = (width - widths[0]) / 2.0;
        }
        let mut middles = vec![0.0; nodes.len()];
        for index in 0..nodes.len() {
            middles[index] = lefts[index] + widths[index] / 2.0;
            let gap = family_gap(&children, index);
            let below: f64 = children[index].iter().map(|&child| widths[child] + gap).sum();
            let mut left = middles[index] - (below - gap) / 2.0;
            for &child in &children[index] {
                lefts[child] = left;
                left += widths[child] + gap;
            }
        }
        let layers = depths.iter().max().map_or(0, |deepest| deepest + 1);
        let mut tops = Vec::with_capacity(layers);
        let mut y = TITLE;
        for layer in 0..layers {
            if layer > 0 {
                y += RISE + LABEL;
            }
            tops.push(y);
            let of_layer =
                || nodes.iter().zip(&depths).filter(|(_, depth)| **depth == layer).map(|(node, _)| node);
            let lines = of_layer().map(lines_below).max().unwrap_or(0);
            y += of_layer().map(|node| height(node, layer)).fold(0.0, f64::max);
            y += LINE * lines as f64;
        }
        Layout { middles, depths, tops, width, height: y + MARGIN }
    }

    /// The point where the curve to a node ends: the top of its label.
    fn entry(&self, index: usize) -> (f64, f64) {
        (self.middles[index], self.tops[self.depths[index]] - LABEL)
    }

    /// The point where the curves from a node begin: below its board and the text there.
    fn exit(&self, index: usize, node: &TreeNode) -> (f64, f64) {
        let depth = self.depths[index];
        let text = LINE * lines_below(node) as f64;
        (self.middles[index], self.tops[depth] + height(node, depth) + text + 4.0)
    }
}

/// Leaves of one family stand closer together than families do.
fn family_gap(children: &[Vec<usize>], index: usize) -> f64 {
    let leaves_only = children[index].iter().all(|&child| children[child].is_empty());
    if leaves_only { GAP } else { FAMILY_GAP }
}

/// The width of a board in a layer. More columns need more room.
fn board_width(node: &TreeNode, depth: usize) -> f64 {
    let columns = node.tiles.size().cols() as f64;
    WIDTHS[depth.min(WIDTHS.len() - 1)] * (columns / 4.0).max(1.0)
}

/// The height of that board.
fn height(node: &TreeNode, depth: usize) -> f64 {
    board_height(&node.tiles, board_width(node, depth))
}

/// About how wide a text of the usual size is.
fn text_width(text: &str) -> f64 {
    0.62 * TEXT * text.chars().count() as f64
}

fn node_width(node: &TreeNode, depth: usize) -> f64 {
    let texts = [label(node), value_text(node), more_text(node)];
    let widest = texts.iter().flatten().map(|text| text_width(text) + 10.0).fold(0.0, f64::max);
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

/// What stands on the edge to a node.
fn label(node: &TreeNode) -> Option<String> {
    match node.step {
        Step::Root => None,
        Step::Move { direction, reward: 0, .. } => Some(arrow(direction).to_string()),
        Step::Move { direction, reward, .. } => Some(format!("{} +{reward}", arrow(direction))),
        Step::Spawn { spawn, probability } => Some(format!("{}: {}%", spawn.tile, percent(probability))),
    }
}

/// A share in per cent, with as many decimals as make it readable.
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

/// A value in a few letters.
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
    let depth = layout.depths[index];
    let (middle, top) = (layout.middles[index], layout.tops[depth]);
    let width = board_width(node, depth);
    let (new, dashed) = match node.step {
        Step::Root => (None, false),
        Step::Move { known, .. } => (known.map(|spawn| spawn.cell), known.is_none()),
        Step::Spawn { spawn, .. } => (Some(spawn.cell), false),
    };
    if let Some(text) = label(node) {
        let (fill, ink): (Rgb, Rgb) = if node.best { (ACCENT, PAGE) } else { (BOARD, PAGE) };
        let pill = text_width(&text) + 12.0;
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
