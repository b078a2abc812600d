/**
 * Boards and turns in words, for people who listen to the page.
 * @module
 */

/**
 * A board, row by row.
 * @param {number[][]} board
 * @returns {string}
 */
export function describe(board) {
  const rows = board.map((row) => row.map((value) => value || "empty").join(" "));
  return rows.map((row, index) => `row ${index + 1}: ${row}`).join("; ");
}

/**
 * The place of a cell.
 * @param {number} cell numbered row by row from 0
 * @param {number} cols
 * @returns {string}
 */
export function place(cell, cols) {
  return `row ${Math.floor(cell / cols) + 1} column ${(cell % cols) + 1}`;
}

/**
 * A turn: "Moved left, merged 8, score 24, new 2 in row 1 column 3".
 * @param {object} turn
 * @param {object} state the state after it
 * @returns {string}
 */
export function sayTurn(turn, state) {
  const values = state.board.flat();
  const merged = new Set(turn.motions.filter((one) => one.merged).map((one) => one.to));
  const parts = [turn.motions.length ? `Moved ${turn.action}` : `Played ${turn.action}`];
  if (merged.size) parts.push(`merged ${[...merged].map((cell) => values[cell]).join(" and ")}`);
  parts.push(`score ${state.score}`);
  if (turn.spawn) parts.push(`new ${turn.spawn.tile} in ${place(turn.spawn.cell, state.cols)}`);
  return parts.join(", ");
}
