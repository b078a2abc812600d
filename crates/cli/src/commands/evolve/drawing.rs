//! A program as a picture: its trees from the root down, the value of every node below its name, the board beside them.

use lab2048::evolve::Node;

use super::show::{Shown, is_constant, number};
use crate::draw::palette::{ACCENT, BOARD, INK, LIGHT_INK, tile_paint};
use crate::draw::svg::{Anchor, BoardLook, Font, Svg, board_height};

const MARGIN: f64 = 24.0;
const TITLE: f64 = 60.0;
/// The room of a leaf and of a level.
const COLUMN: f64 = 78.0;
const LEVEL: f64 = 74.0;
const BOX: (f64, f64) = (70.0, 38.0);
const BOARD_WIDTH: f64 = 150.0;

/// Draws the trees under a title.
pub(super) fn draw(title: &str, shown: &Shown) -> String {
    let mut svg = Svg::new();
    let font = Font { size: 18.0, bold: true, ink: INK, anchor: Anchor::Start };
    svg.text(MARGIN, 24.0, font, title);
    let words = shown.result.clone().unwrap_or_default();
    svg.text(MARGIN, 46.0, Font { size: 12.0, bold: false, ..font }, &words);
    let (mut left, mut bottom) = (MARGIN, TITLE);
    if let Some(board) = &shown.board {
        let grid = board.to_grid();
        svg.board(MARGIN, TITLE, BOARD_WIDTH, &grid, BoardLook::default());
        left += BOARD_WIDTH + 2.0 * MARGIN;
        bottom = bottom.max(TITLE + board_height(&grid, BOARD_WIDTH));
    }
    let mut right = left;
    let mut top = TITLE;
    for (place, tree) in shown.program.trees().iter().enumerate() {
        let name = shown.program.tree_name(place);
        svg.text(left, top + 8.0, Font { size: 14.0, ..font }, &name);
        let mut painter = Painter {
            svg: &mut svg,
            nodes: tree.nodes(),
            values: &shown.values[place],
            next: left,
            top: top + 20.0,
        };
        painter.node(0, 0);
        right = right.max(painter.next);
        top += 20.0 + LEVEL * tree.depth() as f64 + MARGIN;
    }
    bottom = bottom.max(top);
    let least = 2.0 * MARGIN + 7.0 * words.chars().count().max(title.chars().count() * 3 / 2) as f64;
    svg.finish((right + MARGIN).max(least), bottom + MARGIN)
}

struct Painter<'a> {
    svg: &'a mut Svg,
    nodes: &'a [Node],
    values: &'a [Option<f64>],
    /// Where the next leaf stands.
    next: f64,
    top: f64,
}

impl Painter<'_> {
    /// Draws the subtree at a place; returns its middle and where it ends.
    fn node(&mut self, at: usize, level: usize) -> (f64, usize) {
        let y = self.top + LEVEL * level as f64;
        let node = self.nodes[at];
        let mut end = at + 1;
        let mut middles = Vec::new();
        for _ in 0..node.arity() {
            let child = end;
            let (middle, after) = self.node(child, level + 1);
            middles.push((child, middle));
            end = after;
        }
        let x = match (middles.first(), middles.last()) {
            (Some(first), Some(last)) => f64::midpoint(first.1, last.1),
            _ => {
                self.next += COLUMN;
                self.next - COLUMN / 2.0
            }
        };
        for (child, middle) in middles {
            // Where chance took the other child, the way stays pale.
            let known = self.values[child].is_some();
            let ink = if known { ACCENT } else { BOARD };
            self.svg.curve((x, y + BOX.1), (middle, y + LEVEL), ink, if known { 2.0 } else { 1.2 });
        }
        let paint = tile_paint(if node.is_terminal() { 2 } else { 8 });
        self.svg.rect(x - BOX.0 / 2.0, y, BOX.0, BOX.1, 4.0, paint.fill);
        let ink = if node.is_terminal() { INK } else { LIGHT_INK };
        let font = Font { size: 12.0, bold: true, ink, anchor: Anchor::Middle };
        let value = self.values[at].filter(|_| !is_constant(node));
        let middle = if value.is_some() { y + 12.0 } else { y + BOX.1 / 2.0 };
        self.svg.text(x, middle, font, &node.name());
        if let Some(value) = value {
            self.svg.text(x, y + 28.0, Font { bold: false, ..font }, &number(value));
        }
        (x, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_drawn_once() {
        let program: lab2048::evolve::Program =
            "(directions (move (max (random up left) right)))".parse().expect("a program");
        let values = vec![vec![Some(3.0), Some(3.0), None, Some(3.0), Some(1.0)]];
        let shown =
            Shown { program, board: "2 2/0 0".parse().ok(), values, result: Some("says left".to_owned()) };
        let svg = draw("a", &shown);
        for name in ["max", "random", "up", "left", "right"] {
            assert_eq!(svg.matches(&format!(">{name}<")).count(), 1, "{name}: {svg}");
        }
        assert_eq!(svg.matches("<path").count(), 4);
        assert!(svg.contains(">says left<"));
    }
}
