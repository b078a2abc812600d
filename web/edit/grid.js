/**
 * The board of Edit: a grid of cells that can be selected and typed into.
 *
 * It has two modes. In "edit" a cell takes a number. In "pick" the afterstate of a move is shown,
 * and only empty cells can be chosen for the new tile.
 */

import { el, setText } from "../parts/dom.js";
import { digitSize, tilePaint } from "../parts/thumb.js";
import { place } from "../speech.js";

/** The longest number that can be typed: that of the largest exact tile, 2^53. */
const MOST_DIGITS = 16;

/**
 * @param {object} handlers
 * @param {(cell: number, tile: number) => void} handlers.onTile a cell gets a tile
 * @param {(cell: number, tile?: number) => void} handlers.onPick an empty cell was chosen
 * @param {(cell: number) => void} handlers.onSelect another cell is selected
 * @param {(direction: string) => void} handlers.onSlide Shift and an arrow key
 * @param {() => void} handlers.onLeave Escape in the mode "pick"
 */
export function createGrid(handlers) {
  const element = el("div", { class: "edit-grid", role: "grid", "aria-describedby": "edit-keys" });
  let board = [];
  let cells = [];
  let selected = 0;
  let typed = "";
  let picking = false;

  const cols = () => board[0].length;
  const tile = (cell) => board[Math.floor(cell / cols())][cell % cols()];

  /** Shows a board; `pick` is whether its empty cells wait for a new tile. */
  function show(next, { pick = false } = {}) {
    const same = next.length === board.length && next[0].length === board[0]?.length;
    board = next;
    picking = pick;
    typed = "";
    if (!same) build();
    element.classList.toggle("edit-picking", picking);
    cells.forEach((_, cell) => paint(cell));
  }

  function build() {
    element.style.setProperty("--rows", board.length);
    element.style.setProperty("--cols", cols());
    element.setAttribute("aria-rowcount", board.length);
    element.setAttribute("aria-colcount", cols());
    const width = cols();
    cells = board.flat().map((_, cell) => el("div", { class: "edit-cell", role: "gridcell", "data-cell": cell }));
    element.replaceChildren(
      ...board.map((_, y) => el("div", { class: "edit-row", role: "row" }, cells.slice(y * width, (y + 1) * width))),
    );
    selected = Math.min(selected, cells.length - 1);
  }

  function paint(cell) {
    const [target, value] = [cells[cell], tile(cell)];
    const typing = cell === selected && typed !== "";
    const text = typing ? typed : value ? String(value) : "";
    const { fill, ink } = tilePaint(value);
    setText(target, text);
    target.style.backgroundColor = fill;
    target.style.color = ink;
    target.style.setProperty("--text", digitSize(text));
    target.tabIndex = cell === selected ? 0 : -1;
    target.setAttribute("aria-selected", String(cell === selected));
    target.setAttribute("aria-label", `${place(cell, cols())}: ${text || "empty"}`);
    if (picking && value) target.setAttribute("aria-disabled", "true");
    else target.removeAttribute("aria-disabled");
    target.classList.toggle("edit-selected", cell === selected);
    target.classList.toggle("edit-typing", typing);
    target.classList.toggle("edit-free", picking && !value);
  }

  function select(cell, { focus = false } = {}) {
    commit();
    const before = selected;
    selected = Math.min(Math.max(cell, 0), cells.length - 1);
    paint(before);
    paint(selected);
    if (focus) cells[selected].focus();
    handlers.onSelect(selected);
  }

  /** Takes the typed number over. */
  function commit() {
    if (typed === "") return;
    const value = Number(typed);
    typed = "";
    paint(selected);
    handlers.onTile(selected, value);
  }

  function type(text) {
    typed = text;
    paint(selected);
  }

  function step(key, far) {
    const [y, x] = [Math.floor(selected / cols()), selected % cols()];
    const [bottom, right] = [board.length - 1, cols() - 1];
    const [row, col] = {
      ArrowUp: [y - 1, x],
      ArrowDown: [y + 1, x],
      ArrowLeft: [y, x - 1],
      ArrowRight: [y, x + 1],
      Home: [far ? 0 : y, 0],
      End: [far ? bottom : y, right],
      PageUp: [0, x],
      PageDown: [bottom, x],
    }[key] ?? [-1, -1];
    if (row >= 0 && row <= bottom && col >= 0 && col <= right) select(row * cols() + col, { focus: true });
  }

  function onKey(event) {
    const { key } = event;
    if (event.altKey || event.metaKey || (event.ctrlKey && key !== "Home" && key !== "End")) return;
    const handled = /^(Arrow|Home|End|Page)/.test(key)
      ? move(event)
      : picking ? pickKey(key) : editKey(key);
    if (handled) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  function move({ key, shiftKey, ctrlKey }) {
    if (shiftKey && key.startsWith("Arrow")) {
      commit();
      handlers.onSlide(key.slice("Arrow".length).toLowerCase());
    } else {
      step(key, ctrlKey);
    }
    return true;
  }

  function pickKey(key) {
    if (key === "Escape") handlers.onLeave();
    else if (key === "Enter" || key === " ") pick(selected);
    else if (key === "2" || key === "4") pick(selected, Number(key));
    else return false;
    return true;
  }

  function pick(cell, value) {
    if (!tile(cell)) handlers.onPick(cell, value);
  }

  function editKey(key) {
    if (/^[0-9]$/.test(key)) type((typed === "0" ? "" : typed).slice(0, MOST_DIGITS - 1) + key);
    else if (key === "Enter" || key === " ") commit();
    else if (key === "Escape" && typed !== "") type("");
    else if (key === "Backspace" && typed !== "") type(typed.slice(0, -1));
    else if (key === "Backspace" || key === "Delete" || key === ".") clear();
    else if (key === "+" || key === "=") afterTyping(() => handlers.onTile(selected, doubled(tile(selected))));
    else if (key === "-") afterTyping(() => handlers.onTile(selected, halved(tile(selected))));
    else return false;
    return true;
  }

  function clear() {
    type("");
    handlers.onTile(selected, 0);
  }

  function afterTyping(action) {
    commit();
    action();
  }

  element.addEventListener("keydown", onKey);
  element.addEventListener("click", ({ target }) => {
    const cell = target instanceof Element ? target.closest("[data-cell]") : null;
    if (!cell) return;
    const index = Number(cell.dataset.cell);
    select(index, { focus: true });
    if (picking) pick(index);
  });
  element.addEventListener("focusout", commit);

  return { element, show, select, commit, selected: () => selected, focus: () => cells[selected]?.focus() };
}

/** The next larger tile. */
export function doubled(tile) {
  const next = tile === 0 ? 2 : tile * 2;
  return Number.isSafeInteger(next) ? next : tile;
}

/** The next smaller tile. An odd one becomes empty. */
export function halved(tile) {
  return tile > 2 && tile % 2 === 0 ? tile / 2 : 0;
}
