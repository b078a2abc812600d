//! A search tree as a picture. The root position is at the top, or on the left if the picture would
//! be too wide for a page, and the boards that can follow are below it. Moves and spawns label the
//! edges, values are beside the boards, and the chosen path is coloured.
//!
//! | part | owns |
//! |---|---|
//! | this file | what is drawn |
//! | `place` | where: from the top down, or from left to right |

mod place;

use lab2048::board::Direction;
use lab2048::game::MoveValue;
use lab2048::search::{Step, Tree, TreeNode};

use self::place::{LABEL, Layout, Place};
use crate::palette::{ACCENT, BOARD, INK, PAGE, Rgb};
use crate::svg::{Anchor, BoardLook, Font, Svg, TEXT, text_width};

/// The space around the picture.
const MARGIN: f64 = 28.0;

/// Draws a tree with a title.
pub fn draw(tree: &Tree, title: &str) -> String {
    let mut svg = Svg::new();
    let (right, _) = svg.heading(MARGIN, title, &[legend(tree)]);
    let layout = Layout::of(tree, right + MARGIN);
    // The chosen path lies above the other edges.
    for best in [false, true] {
        for (node, place) in tree.nodes.iter().zip(&layout.places).filter(|(node, _)| node.best == best) {
            edge(&mut svg, &layout, node, place);
        }
    }
    for (node, place) in tree.nodes.iter().zip(&layout.places) {
        draw_node(&mut svg, node, place);
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

fn edge(svg: &mut Svg, layout: &Layout, node: &TreeNode, place: &Place) {
    let Some(parent) = node.parent else { return };
    let (ink, width) = if node.best { (ACCENT, 3.0) } else { (BOARD, 1.5) };
    svg.curve(layout.places[parent].exit, place.entry, layout.grows, ink, width);
}

fn draw_node(svg: &mut Svg, node: &TreeNode, place: &Place) {
    let (new, dashed) = match node.step {
        Step::Root => (None, false),
        Step::Move { known, .. } => (known.map(|spawn| spawn.cell), known.is_none()),
        Step::Spawn { spawn, .. } => (Some(spawn.cell), false),
    };
    if let Some(text) = label(node) {
        let (fill, ink): (Rgb, Rgb) = if node.best { (ACCENT, PAGE) } else { (BOARD, PAGE) };
        let ((x, y), pill) = (place.label, label_width(&text));
        svg.rect(x - pill / 2.0, y - (LABEL - 4.0) / 2.0, pill, LABEL - 4.0, (LABEL - 4.0) / 2.0, fill);
        let font = Font { size: TEXT, bold: true, ink, anchor: Anchor::Middle };
        svg.text(x, y, font, &text);
    }
    let (x, y) = place.board;
    svg.board(x, y, place.width, &node.tiles, BoardLook { new, framed: node.best, dashed });
    let plain = Font { size: TEXT, bold: false, ink: INK, anchor: place.anchor };
    let mut lines = place.lines.iter();
    if let (Some(text), Some(&(x, y))) = (value_text(node), lines.next()) {
        let ink = if node.best { ACCENT } else { INK };
        svg.text(x, y, Font { bold: true, ink, ..plain }, &text);
    }
    if let (Some(text), Some(&(x, y))) = (more_text(node), lines.next()) {
        svg.text(x, y, Font { size: TEXT - 1.0, ink: BOARD, ..plain }, &text);
    }
}

/// The width of a label on an edge.
fn label_width(text: &str) -> f64 {
    text_width(text, TEXT) + 12.0
}

/// The lines of text beside a node.
fn lines(node: &TreeNode) -> impl Iterator<Item = String> {
    [value_text(node), more_text(node)].into_iter().flatten()
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
