//! Where the parts of a drawn tree go.

use lab2048::search::{Tree, TreeNode};

use super::{MARGIN, label, label_width, lines};
use crate::svg::{Anchor, Grows, TEXT, board_height, text_width};
use crate::tree::{Gaps, TreeLayout};

/// The widths of boards with up to four columns, by layer. Deeper layers use the last entry.
const WIDTHS: [f64; 4] = [112.0, 88.0, 72.0, 64.0];
/// The gaps between nodes, from the top down.
const GAPS: Gaps = Gaps { leaves: 12.0, families: 26.0 };
/// The same from left to right, where a picture may be long but should not be too long.
const CLOSE_GAPS: Gaps = Gaps { leaves: 7.0, families: 18.0 };
/// The height of the label of an edge, with the space around it.
pub(super) const LABEL: f64 = 20.0;
/// The height of a line of text.
const LINE: f64 = 17.0;
/// The space for the curves between two layers.
const RISE: f64 = 46.0;
/// The height of the title and the legend, with the space below them.
const TITLE: f64 = 76.0;
/// A wider picture cannot be read on a page: it has to be made smaller to be seen.
const MOST_WIDTH: f64 = 1200.0;

/// A point of the picture.
type Point = (f64, f64);

/// The places of a node's parts.
pub(super) struct Place {
    /// The upper left corner of the board.
    pub(super) board: Point,
    /// The width of the board.
    pub(super) width: f64,
    /// The centre of the label.
    pub(super) label: Point,
    /// The lines of text, and how they are aligned.
    pub(super) lines: [Point; 2],
    pub(super) anchor: Anchor,
    /// Where the curve from the parent ends, and those to the children begin.
    pub(super) entry: Point,
    pub(super) exit: Point,
}

/// The places of all nodes.
pub(super) struct Layout {
    pub(super) places: Vec<Place>,
    pub(super) grows: Grows,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    /// Lays out a picture of at least this width.
    pub(super) fn of(tree: &Tree, least_width: f64) -> Layout {
        let down = Layout::down(tree, least_width);
        if down.width <= MOST_WIDTH { down } else { Layout::across(tree, least_width) }
    }

    /// From the top down: labels above the boards, texts below.
    fn down(tree: &Tree, least_width: f64) -> Layout {
        let nodes = &tree.nodes;
        let layout = TreeLayout::new(&parents(tree), GAPS, |index, layer| {
            let node = &nodes[index];
            let texts = lines(node).chain(label(node)).map(|text| text_width(&text, TEXT) + 10.0);
            texts.fold(board_width(node, layer), f64::max)
        });
        let width = (layout.width + 2.0 * MARGIN).max(least_width);
        let left = (width - layout.width) / 2.0;
        let heights = per_layer(tree, &layout, |node, layer| {
            LABEL + height(node, layer) + LINE * lines(node).count() as f64 + RISE
        });
        let tops = starts(&heights, TITLE - LABEL);
        let place = |index: usize| {
            let (node, layer) = (&nodes[index], layout.depths[index]);
            let (x, top) = (left + layout.middles[index], tops[layer] + LABEL);
            let width = board_width(node, layer);
            let bottom = top + height(node, layer);
            let line = |number: f64| (x, bottom + 2.0 + LINE / 2.0 + LINE * number);
            Place {
                board: (x - width / 2.0, top),
                width,
                label: (x, top - LABEL / 2.0 - 2.0),
                lines: [line(0.0), line(1.0)],
                anchor: Anchor::Middle,
                entry: (x, top - LABEL),
                exit: (x, bottom + LINE * lines(node).count() as f64 + 4.0),
            }
        };
        let places = (0..nodes.len()).map(place).collect();
        let height = tops[layout.layers()] - RISE + MARGIN;
        Layout { places, grows: Grows::Down, width, height }
    }

    /// From left to right: labels left of the boards, texts to their right.
    fn across(tree: &Tree, least_width: f64) -> Layout {
        let nodes = &tree.nodes;
        let layout = TreeLayout::new(&parents(tree), CLOSE_GAPS, |index, layer| height(&nodes[index], layer));
        let labels =
            per_layer(tree, &layout, |node, _| label(node).map_or(0.0, |text| label_width(&text) + 6.0));
        let texts = per_layer(tree, &layout, |node, _| {
            lines(node).map(|text| text_width(&text, TEXT) + 10.0).fold(0.0, f64::max)
        });
        let boards = per_layer(tree, &layout, board_width);
        let columns: Vec<f64> =
            (0..layout.layers()).map(|layer| labels[layer] + boards[layer] + texts[layer] + RISE).collect();
        let lefts = starts(&columns, MARGIN);
        let place = |index: usize| {
            let (node, layer) = (&nodes[index], layout.depths[index]);
            let y = TITLE + layout.middles[index];
            let (width, left) = (board_width(node, layer), lefts[layer] + labels[layer]);
            let text = left + width + 8.0;
            let lift = if lines(node).count() > 1 { LINE / 2.0 } else { 0.0 };
            Place {
                board: (left, y - height(node, layer) / 2.0),
                width,
                label: (left - 6.0 - (labels[layer] - 6.0) / 2.0, y),
                lines: [(text, y - lift), (text, y - lift + LINE)],
                anchor: Anchor::Start,
                entry: (lefts[layer], y),
                exit: (lefts[layer] + columns[layer] - RISE, y),
            }
        };
        let places = (0..nodes.len()).map(place).collect();
        let width = (lefts[layout.layers()] - RISE + MARGIN).max(least_width);
        Layout { places, grows: Grows::Across, width, height: TITLE + layout.width + MARGIN }
    }
}

fn parents(tree: &Tree) -> Vec<Option<usize>> {
    tree.nodes.iter().map(|node| node.parent).collect()
}

/// The largest measure of the nodes of each layer.
fn per_layer(tree: &Tree, layout: &TreeLayout, measure: impl Fn(&TreeNode, usize) -> f64) -> Vec<f64> {
    let mut largest = vec![0.0_f64; layout.layers()];
    for (node, &layer) in tree.nodes.iter().zip(&layout.depths) {
        largest[layer] = largest[layer].max(measure(node, layer));
    }
    largest
}

/// Where each of several parts begins, one after the other, and where the last one ends.
fn starts(lengths: &[f64], first: f64) -> Vec<f64> {
    let mut starts = vec![first];
    starts.extend(lengths.iter().scan(first, |end, length| {
        *end += length;
        Some(*end)
    }));
    starts
}

/// The width of a board in a layer. Boards with more columns are wider.
fn board_width(node: &TreeNode, layer: usize) -> f64 {
    let columns = node.tiles.size().cols() as f64;
    WIDTHS[layer.min(WIDTHS.len() - 1)] * (columns / 4.0).max(1.0)
}

/// The height of a board in a layer.
fn height(node: &TreeNode, layer: usize) -> f64 {
    board_height(&node.tiles, board_width(node, layer))
}
