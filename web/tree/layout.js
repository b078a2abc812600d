/**
 * Places of the shown nodes in the picture of a tree. The root is at the top. Leaves whose siblings
 * are all leaves stand in a column below their parent, so that a tree of depth 3 fits on a screen.
 */

import { worthText } from "../parts/words.js";

/** The widths of boards by layer; deeper layers use the last entry. */
const WIDTHS = [132, 104, 84, 72, 64];
const LABEL = 20;
const LINE = 16;
const TOGGLE = 20;
/** Values of seven digits fit into this width. */
const LEAST = 68;
const GAP = { across: 10, down: 26, column: 10, indent: 14 };

/** The width of the board of a node. Boards with more columns are wider. */
function boardWidth(node, level) {
  const cols = node.tiles[0].length;
  return Math.round(WIDTHS[Math.min(level, WIDTHS.length - 1)] * Math.max(1, cols / 4));
}

/**
 * Lays out a tree.
 *
 * @param {import("./nodes.js").TreeNodes} tree
 * @returns {{places: Map<number, object>, width: number, height: number}} a place is
 *   `{x, y, width, board, height, inColumn}`: the left top corner, the widths of the whole node and
 *   of its board
 */
export function layout(tree) {
  const sizes = new Map(tree.shown().map((index) => [index, sizeOf(tree, index)]));
  const spans = new Map();
  measure(tree, 0, sizes, spans);
  const places = new Map();
  put(tree, 0, { left: 0, top: 0 }, sizes, spans, places);
  let [width, height] = [0, 0];
  for (const place of places.values()) {
    width = Math.max(width, place.x + place.width);
    height = Math.max(height, place.y + place.height);
  }
  return { places, width, height };
}

function sizeOf(tree, index) {
  const node = tree.nodes[index];
  const board = boardWidth(node, tree.level[index]);
  const rows = node.tiles.length / node.tiles[0].length;
  const label = node.step.root ? 0 : LABEL;
  const lines = Number(worthText(node.value) !== "") + Number(node.left_out > 0);
  const below = (lines > 0 ? lines * LINE + 4 : 0) + (tree.hasChildren(index) ? TOGGLE : 0);
  return { width: Math.max(board, LEAST), board, height: Math.round(label + board * rows + below) };
}

/** Whether the shown children stand in a column. */
function isColumn(tree, index) {
  const children = tree.shownChildren(index);
  return children.length > 1 && children.every((child) => tree.shownChildren(child).length === 0);
}

function measure(tree, index, sizes, spans) {
  const children = tree.shownChildren(index);
  const { width } = sizes.get(index);
  let below = 0;
  if (isColumn(tree, index)) {
    below = GAP.indent + Math.max(...children.map((child) => sizes.get(child).width));
    for (const child of children) spans.set(child, sizes.get(child).width);
  } else {
    for (const child of children) below += measure(tree, child, sizes, spans) + GAP.across;
    below -= children.length > 0 ? GAP.across : 0;
  }
  spans.set(index, Math.max(width, below));
  return spans.get(index);
}

function put(tree, index, { left, top }, sizes, spans, places) {
  const size = sizes.get(index);
  const span = spans.get(index);
  const column = isColumn(tree, index);
  const x = left + (span - size.width) / 2;
  places.set(index, { ...size, x, y: top, inColumn: false });
  const children = tree.shownChildren(index);
  let below = top + size.height + (column ? GAP.column : GAP.down);
  if (column) {
    const widest = Math.max(...children.map((child) => sizes.get(child).width));
    const from = left + (span - widest - GAP.indent) / 2 + GAP.indent;
    for (const child of children) {
      places.set(child, { ...sizes.get(child), x: from, y: below, inColumn: true });
      below += sizes.get(child).height + GAP.column;
    }
    return;
  }
  const total = children.reduce((sum, child) => sum + spans.get(child) + GAP.across, -GAP.across);
  let next = left + (span - Math.max(total, 0)) / 2;
  for (const child of children) {
    put(tree, child, { left: next, top: below }, sizes, spans, places);
    next += spans.get(child) + GAP.across;
  }
}
