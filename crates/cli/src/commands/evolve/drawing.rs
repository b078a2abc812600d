//! Draws a program: its trees from the root down, each node with its value below its name, and the
//! board beside them.

use lab2048::board::Grid;
use lab2048::evolve::{Node, ProgramTree};
use lab2048_draw::palette::{ACCENT, BOARD, INK, LIGHT_INK, PAGE, Rgb, tile_paint};
use lab2048_draw::svg::{Anchor, BoardLook, Font, Grows, Svg, TEXT, board_height};
use lab2048_draw::tree::{Gaps, TreeLayout};

use super::show::{Shown, number};
use crate::show::count;

const MARGIN: f64 = 24.0;
/// The height of a node, and the distance between levels.
const HEIGHT: f64 = 38.0;
const LEVEL: f64 = 72.0;
const GAPS: Gaps = Gaps { leaves: 8.0, families: 8.0 };
/// The distance between trees.
const APART: f64 = 44.0;
const BOARD_WIDTH: f64 = 150.0;
/// The approximate width of a bold letter.
const LETTER: f64 = 7.6;

/// Draws the trees under a title.
pub(super) fn draw(title: &str, shown: &Shown) -> String {
    let mut svg = Svg::new();
    let (least_right, under) = svg.heading(MARGIN, title, &shown.words);
    let font = Font { size: TEXT, bold: false, ink: INK, anchor: Anchor::Start };
    let start = under + 13.0;
    let (mut left, mut bottom) = (MARGIN, start);
    if let Some(board) = &shown.board {
        let mut put = |top: f64, grid: &Grid| {
            svg.board(MARGIN, top, BOARD_WIDTH, grid, BoardLook::default());
            top + board_height(grid, BOARD_WIDTH)
        };
        bottom = put(bottom, &board.to_grid());
        if let Some((direction, after)) = &shown.after {
            let words = bottom + 20.0;
            bottom = put(words + 14.0, after);
            svg.text(MARGIN, words, font, &format!("after {direction}"));
        }
        left += BOARD_WIDTH + 2.0 * MARGIN;
        bottom += legend(&mut svg, shown, bottom + 16.0);
    }
    let trees = shown.program.trees();
    let letters = trees.iter().flat_map(|tree| tree.nodes()).map(|node| node.name().chars().count()).max();
    let width = (LETTER * letters.unwrap_or_default() as f64 + 12.0).max(64.0);
    let mut right = left;
    let mut top = start;
    for (place, tree) in trees.iter().enumerate() {
        let name = shown.program.tree_name(place);
        let about = format!("{name}: {}, depth {}", count(tree.size(), "node"), tree.depth());
        svg.text(left, top + 6.0, Font { size: 13.0, bold: true, ..font }, &about);
        let mut painter = Painter { svg: &mut svg, shown, tree: place, width, left, top: top + 24.0 };
        right = right.max(painter.draw(tree));
        top += 24.0 + LEVEL * (tree.depth() - 1) as f64 + HEIGHT + APART;
    }
    bottom = bottom.max(top - APART);
    svg.finish(right.max(least_right) + MARGIN, bottom + MARGIN)
}

/// A legend for the two colours of terminals, if both can occur. Returns its height.
fn legend(svg: &mut Svg, shown: &Shown, top: f64) -> f64 {
    let senses = |node: &Node| matches!(node, Node::Sense(_));
    if !shown.program.trees().iter().flat_map(|tree| tree.nodes()).any(senses) {
        return 0.0;
    }
    let lines = [(strong(), "fired: returns its direction"), (pale(), "returns a random direction")];
    for ((fill, words), y) in lines.into_iter().zip([top, top + 22.0]) {
        svg.rect(MARGIN, y, 14.0, 14.0, 3.0, fill);
        let font = Font { size: 11.0, bold: false, ink: INK, anchor: Anchor::Start };
        svg.text(MARGIN + 20.0, y + 7.0, font, words);
    }
    52.0
}

/// The colour of terminals that fired.
fn strong() -> Rgb {
    tile_paint(16).fill
}

/// The colour of all other terminals.
fn pale() -> Rgb {
    tile_paint(2).fill
}

struct Painter<'a> {
    svg: &'a mut Svg,
    shown: &'a Shown,
    tree: usize,
    /// The width of a node.
    width: f64,
    /// The upper left corner of the tree.
    left: f64,
    top: f64,
}

impl Painter<'_> {
    /// Draws a tree. Returns its right side.
    fn draw(&mut self, tree: &ProgramTree) -> f64 {
        let parents = parents(tree.nodes());
        let layout = TreeLayout::new(&parents, GAPS, |_, _| self.width);
        let (left, top) = (self.left, self.top);
        let place = |at: usize| (left + layout.middles[at], top + LEVEL * layout.depths[at] as f64);
        for (at, parent) in parents.iter().enumerate() {
            let Some((above, y)) = parent.map(place) else { continue };
            // The line to a child that was not evaluated stays pale.
            let known = self.shown.values[self.tree][at].is_some();
            let (ink, width) = if known { (ACCENT, 2.0) } else { (BOARD, 1.2) };
            self.svg.curve((above, y + HEIGHT), place(at), Grows::Down, ink, width);
        }
        for (at, node) in tree.nodes().iter().enumerate() {
            let (x, y) = place(at);
            self.node(at, node, x, y);
        }
        self.left + layout.width
    }

    /// Draws a node centred at `x` with its top at `y`.
    fn node(&mut self, at: usize, node: &Node, x: f64, y: f64) {
        let fired = self.shown.fired(self.tree, at);
        let (fill, ink) = match node.is_terminal() {
            true if fired => (strong(), LIGHT_INK),
            true => (pale(), INK),
            false => (INK, PAGE),
        };
        self.svg.rect(x - self.width / 2.0, y, self.width, HEIGHT, 4.0, fill);
        let font = Font { size: TEXT, bold: true, ink, anchor: Anchor::Middle };
        let value = self.shown.value(self.tree, at);
        let middle = if value.is_some() { y + 12.0 } else { y + HEIGHT / 2.0 };
        self.svg.text(x, middle, font, &node.name());
        if let Some(value) = value {
            self.svg.text(x, y + 28.0, Font { bold: false, ..font }, &number(value));
        }
    }
}

/// The parent of each node. Nodes are in the order of the program text: each node before its
/// children, and one subtree after another.
fn parents(nodes: &[Node]) -> Vec<Option<usize>> {
    // The ancestors that still lack children, with the number of children missing.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut parents = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        parents.push(open.last().map(|&(parent, _)| parent));
        if let Some((_, missing)) = open.last_mut() {
            *missing -= 1;
        }
        open.push((at, node.arity()));
        while open.last().is_some_and(|&(_, missing)| missing == 0) {
            open.pop();
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use lab2048::board::Direction;

    use super::*;

    #[test]
    fn every_node_is_drawn_once() {
        let program: lab2048::evolve::Program =
            "(directions (move (max (random up left) right)))".parse().expect("a program");
        let values = vec![vec![Some(3.0), Some(3.0), None, Some(3.0), Some(1.0)]];
        let shown = Shown {
            program,
            board: "2 2/0 0".parse().ok(),
            values,
            sensed: [Direction::Left, Direction::Right].into_iter().collect(),
            words: vec!["says left".to_owned()],
            after: None,
        };
        let svg = draw("a", &shown);
        for name in ["max", "random", "up", "left", "right"] {
            assert_eq!(svg.matches(&format!(">{name}<")).count(), 1, "{name}: {svg}");
        }
        assert_eq!(svg.matches("<path").count(), 4);
        assert!(svg.contains(">says left<"));
        // Left and right fired, up was not asked; one more is in the legend.
        let fired = format!("fill=\"{}\"", strong());
        assert_eq!(svg.matches(&fired).count(), 2 + 1);
    }
}
