/**
 * Small still boards as SVG pictures, and the colours of tiles. They cost about two elements for
 * each tile, so that a list or a tree can hold hundreds of them.
 */

import { svg } from "./dom.js";

/** The colours of the original game by rank, from 2 to 2048. Index 0 is the tile 1. */
const FILLS = [
  "#eee4da", "#eee4da", "#ede0c8", "#f2b179", "#f59563", "#f67c5f",
  "#f65e3b", "#edcf72", "#edcc61", "#edc850", "#edc53f", "#edc22e",
];
const BEYOND = "#3c3a32";
const EMPTY = { fill: "var(--cell-bg)", ink: "var(--text)" };
const [CELL, GAP] = [20, 3];

/** The background and the text colour of a tile. A tile that is not a power of two has those of
 * the power below it. */
export function tilePaint(tile) {
  if (!tile) return EMPTY;
  return { fill: FILLS[Math.floor(Math.log2(tile))] ?? BEYOND, ink: tile < 8 ? "#776e65" : "#f9f6f2" };
}

/** The size of a number in a cell of size 1, by its digits. */
export function digitSize(tile) {
  return [0.5, 0.5, 0.5, 0.44, 0.36, 0.29][String(tile).length] ?? 1.5 / String(tile).length;
}

/**
 * Draws a board.
 *
 * @param {number[][]} board
 * @param {object} [options]
 * @param {string} [options.label] its name; without one it is hidden from screen readers
 * @param {number} [options.fresh] the cell of a new tile, which gets a frame
 */
export function thumb(board, { label, fresh } = {}) {
  const [rows, cols] = [board.length, board[0].length];
  const [width, height] = [cols, rows].map((count) => count * (CELL + GAP) + GAP);
  const name = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const picture = svg("svg", { class: "thumb", viewBox: `0 0 ${width} ${height}`, ...name });
  picture.append(painted(svg("rect", { width, height, rx: 4 }), "var(--board-bg)"));
  const empty = [];
  board.flat().forEach((tile, cell) => {
    const x = GAP + (cell % cols) * (CELL + GAP);
    const y = GAP + Math.floor(cell / cols) * (CELL + GAP);
    if (!tile) {
      empty.push(`M${x} ${y}h${CELL}v${CELL}h-${CELL}z`);
      return;
    }
    const { fill, ink } = tilePaint(tile);
    const square = painted(svg("rect", { x, y, width: CELL, height: CELL, rx: 2 }), fill);
    if (cell === fresh) Object.assign(square.style, { stroke: "var(--focus)", strokeWidth: "2.5px" });
    picture.append(square, number(tile, x, y, ink));
  });
  if (empty.length > 0) picture.append(painted(svg("path", { d: empty.join("") }), EMPTY.fill));
  return picture;
}

/** Sets the colour as a style, since an attribute cannot name a custom property. */
function painted(shape, fill) {
  shape.style.fill = fill;
  return shape;
}

function number(tile, x, y, fill) {
  const attributes = { x: x + CELL / 2, y: y + CELL / 2, fill, "font-size": CELL * digitSize(tile) };
  return svg("text", { ...attributes, "text-anchor": "middle", "dominant-baseline": "central" }, String(tile));
}
