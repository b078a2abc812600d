/**
 * A board as an element: tiles that slide, merge and appear.
 *
 * The tiles are in the document when a call returns; only CSS animates. A tile keeps its element
 * while it moves, so a quick second move continues from where the tile is drawn.
 * @module
 */

import { describe } from "./speech.js";

/**
 * @typedef {object} BoardView
 * @property {HTMLElement} element
 * @property {(board: number[][]) => void} set shows a board without animation
 * @property {(turn: object, board: number[][]) => void} turn animates a turn; `board` is the result
 * @property {(rows: number, cols: number) => void} resize
 * @property {(cell: number) => HTMLElement} cell the grid cell, numbered row by row from 0
 */

/**
 * Creates a board.
 *
 * With `original`, the markup is that of the original page, and the document may have one such
 * board only. All others carry the same classes with the prefix `lab-`.
 * @param {{rows?: number, cols?: number, original?: boolean, label?: string}} options
 * @returns {BoardView}
 */
export function createBoard({ rows = 4, cols = 4, original = false, label = "Board" } = {}) {
  const prefix = original ? "" : "lab-";
  const named = (...names) => names.map((name) => prefix + name).join(" ");
  const make = (tag, className) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    return made;
  };

  const element = make("div", "board-frame");
  const container = make("div", `${named("game-container")} board`);
  const grid = make("div", named("grid-container"));
  const tiles = make("div", named("tile-container"));
  grid.setAttribute("aria-hidden", "true");
  tiles.setAttribute("aria-hidden", "true");
  container.append(grid, tiles);
  element.append(container);

  const reader = original ? createTable(label) : createLabel(container, label);
  if (original) element.append(reader.element);

  let size = { rows: 0, cols: 0 };
  // The element of the tile in every cell; null where the cell is empty.
  let shown = [];

  function resize(newRows, newCols) {
    if (newRows === size.rows && newCols === size.cols) return;
    size = { rows: newRows, cols: newCols };
    container.style.setProperty("--rows", newRows);
    container.style.setProperty("--cols", newCols);
    container.style.setProperty("--side", Math.max(newRows, newCols));
    grid.replaceChildren(...Array.from({ length: newRows }, () => {
      const row = make("div", named("grid-row"));
      row.append(...Array.from({ length: newCols }, () => make("div", named("grid-cell"))));
      return row;
    }));
    shown = Array(newRows * newCols).fill(null);
    tiles.replaceChildren();
    reader.resize(newRows, newCols);
  }

  function classesOf(value, cell, extra) {
    const x = (cell % size.cols) + 1;
    const y = Math.floor(cell / size.cols) + 1;
    const names = ["tile", `tile-${value}`, `tile-position-${x}-${y}`];
    if (extra) names.push(extra);
    if (value > 2048) names.push("tile-super");
    return named(...names);
  }

  function place(tile, value, cell, extra) {
    tile.className = classesOf(value, cell, extra);
    tile.style.setProperty("--x", cell % size.cols);
    tile.style.setProperty("--y", Math.floor(cell / size.cols));
  }

  function createTile(value, cell, extra) {
    const tile = make("div");
    const inner = make("div", named("tile-inner"));
    inner.textContent = value;
    tile.dataset.digits = String(value).length;
    tile.style.setProperty("--digits", tile.dataset.digits);
    tile.append(inner);
    place(tile, value, cell, extra);
    return tile;
  }

  function set(board) {
    resize(board.length, board[0].length);
    shown = board.flat().map((value, cell) => (value ? createTile(value, cell) : null));
    tiles.replaceChildren(...shown.filter(Boolean));
    reader.show(board);
  }

  function turn(played, board) {
    const values = board.flat();
    const fits = board.length === size.rows && board[0].length === size.cols;
    if (!fits || !played.motions.every((motion) => shown[motion.from])) {
      set(board);
      return;
    }
    const before = shown;
    const moved = new Set(played.motions.map((motion) => motion.from));
    const next = before.map((tile, cell) => (moved.has(cell) ? null : tile));
    const merged = [];
    const alive = [];
    for (const { from, to, tile: value, merged: merges } of played.motions) {
      const tile = before[from];
      place(tile, value, to);
      alive.push(tile);
      if (!merges) next[to] = tile;
      else if (!merged.some((one) => one.cell === to)) merged.push({ cell: to });
    }
    for (const { cell } of merged) next[cell] = createTile(values[cell], cell, "tile-merged");
    const spawn = played.spawn;
    if (spawn) next[spawn.cell] = createTile(spawn.tile, spawn.cell, "tile-new");
    shown = next;
    // Tiles that stay in the document are not touched: taking one out would stop its transition.
    const kept = new Set([...alive, ...next.filter(Boolean)]);
    for (const tile of [...tiles.children]) if (!kept.has(tile)) tile.remove();
    for (const tile of kept) if (!tile.parentNode) tiles.append(tile);
    settle(next, values);
    reader.show(board);
  }

  // The marks of the turn before go away, so that nothing pops twice.
  function settle(next, values) {
    next.forEach((tile, cell) => {
      if (tile && tile.dataset.settled) place(tile, values[cell], cell);
      if (tile) tile.dataset.settled = "yes";
    });
  }

  resize(rows, cols);
  const cell = (index) => grid.children[Math.floor(index / size.cols)].children[index % size.cols];
  return { element, container, set, turn, resize, cell };
}

// What a screen reader reads of the game's own board: a table, cell by cell.
function createTable(label) {
  // A table is as wide as its cells; only a box around it can clip it.
  const element = document.createElement("div");
  element.className = "visually-hidden";
  const table = element.appendChild(document.createElement("table"));
  let cells = [];
  return {
    element,
    resize(rows, cols) {
      const caption = table.createCaption();
      caption.textContent = label;
      table.tBodies[0]?.remove();
      const body = table.createTBody();
      cells = [];
      for (let y = 0; y < rows; y += 1) {
        const row = body.insertRow();
        for (let x = 0; x < cols; x += 1) cells.push(row.insertCell());
      }
    },
    show(board) {
      board.flat().forEach((value, index) => {
        const text = value ? String(value) : "empty";
        if (cells[index].textContent !== text) cells[index].textContent = text;
      });
    },
  };
}

// Other boards are pictures with a description.
function createLabel(container, label) {
  container.setAttribute("role", "img");
  return {
    resize() {
      container.setAttribute("aria-label", label);
    },
    show(board) {
      container.setAttribute("aria-label", `${label}: ${describe(board)}`);
    },
  };
}
