//! A program as a picture: its trees from the root down, the value of every node below its name, the board beside them.

use lab2048::board::Grid;
use lab2048::evolve::Node;

use super::show::{Shown, number};
use crate::draw::palette::{ACCENT, BOARD, INK, LIGHT_INK, PAGE, Rgb, tile_paint};
use crate::draw::svg::{Anchor, BoardLook, Font, Svg, board_height};
use crate::show::count;

const MARGIN: f64 = 24.0;
const TITLE: f64 = 68.0;
/// From one line of words to the next.
const LINE: f64 = 18.0;
/// The height of a node, and from one level to the next.
const HEIGHT: f64 = 38.0;
const LEVEL: f64 = 72.0;
/// Between the leaves.
const GAP: f64 = 8.0;
/// Between the trees.
const APART: f64 = 44.0;
const BOARD_WIDTH: f64 = 150.0;
/// About the width of a bold letter.
const LETTER: f64 = 7.6;

/// Draws the trees under a title.
pub(super) fn draw(title: &str, shown: &Shown) -> String {
    let mut svg = Svg::new();
    let font = Font { size: 18.0, bold: true, ink: INK, anchor: Anchor::Start };
    svg.text(MARGIN, 24.0, font, title);
    for (words, line) in shown.words.iter().zip(0u8..) {
        svg.text(MARGIN, 46.0 + LINE * f64::from(line), Font { size: 12.0, bold: false, ..font }, words);
    }
    let start = TITLE + LINE * shown.words.len().saturating_sub(1) as f64;
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
            svg.text(MARGIN, words, Font { size: 12.0, bold: false, ..font }, &format!("after {direction}"));
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
        svg.text(left, top + 6.0, Font { size: 13.0, ..font }, &about);
        let mut painter = Painter { svg: &mut svg, shown, tree: place, width, next: left, top: top + 24.0 };
        painter.node(0, 0);
        right = right.max(painter.next);
        top += 24.0 + LEVEL * (tree.depth() - 1) as f64 + HEIGHT + APART;
    }
    bottom = bottom.max(top - APART);
    let letters = shown.words.iter().map(|words| words.chars().count()).max().unwrap_or_default();
    let least = 2.0 * MARGIN + 7.0 * letters.max(title.chars().count() * 3 / 2) as f64;
    svg.finish((right + MARGIN).max(least), bottom + MARGIN)
}

/// What the colours of terminals mean, where there are two of them; returns its height.
fn legend(svg: &mut Svg, shown: &Shown, top: f64) -> f64 {
    let senses = |node: &Node| matches!(node, Node::Sense(_));
    if !shown.program.trees().iter().flat_map(|tree| tree.nodes()).any(senses) {
        return 0.0;
    }
    let lines = [(strong(), "fired: says its direction"), (pale(), "says what chance wants")];
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
    /// Where the next leaf stands.
    next: f64,
    top: f64,
}

impl Painter<'_> {
    /// Draws the subtree at a place; returns its middle and where it ends.
    fn node(&mut self, at: usize, level: usize) -> (f64, usize) {
        let y = self.top + LEVEL * level as f64;
        let node = self.shown.program.trees()[self.tree].nodes()[at];
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
                self.next += self.width + GAP;
                self.next - (self.width + GAP) / 2.0
            }
        };
        for (child, middle) in middles {
            // Where chance took the other child, the way stays pale.
            let known = self.shown.values[self.tree][child].is_some();
            let ink = if known { ACCENT } else { BOARD };
            self.svg.curve((x, y + HEIGHT), (middle, y + LEVEL), ink, if known { 2.0 } else { 1.2 });
        }
        let fired = self.shown.fired(self.tree, at);
        let (fill, ink) = match node.is_terminal() {
            true if fired => (strong(), LIGHT_INK),
            true => (pale(), INK),
            false => (INK, PAGE),
        };
        self.svg.rect(x - self.width / 2.0, y, self.width, HEIGHT, 4.0, fill);
        let font = Font { size: 12.0, bold: true, ink, anchor: Anchor::Middle };
        let value = self.shown.value(self.tree, at);
        let middle = if value.is_some() { y + 12.0 } else { y + HEIGHT / 2.0 };
        self.svg.text(x, middle, font, &node.name());
        if let Some(value) = value {
            self.svg.text(x, y + 28.0, Font { bold: false, ..font }, &number(value));
        }
        (x, end)
    }
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
