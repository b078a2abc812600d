/**
 * The game of the Play view.
 *
 * It is kept as the original page keeps its game (`gameState`, `bestScore`, a game manager object),
 * up to date when a call returns. History, seed and rules have no place there; they are kept under
 * a key of our own and used after a reload if they agree with `gameState`.
 * @module
 */

import { EngineError, rules } from "./engine.js";
import * as store from "./store.js";

const DIRECTIONS = ["up", "right", "down", "left"];
// The history of a longer game is written when no move came for IDLE ms, or when the page is left.
const LONG = 5000;
const IDLE = 400;

let state = null;
let keepsPlaying = false;
// A best score must have been played here from the first tile.
let counts = true;
// The moves with those that were undone, while there are any.
let furthest = null;
let timer = 0;
// Another tab saved a game after this one. Ours is not written any more.
let isStale = false;
const listeners = new Set();

/** @returns {string} a seed that nobody has seen before */
export const freshSeed = () => crypto.getRandomValues(new BigUint64Array(1))[0].toString();

/**
 * Listens to changes.
 * @param {(change: {kind: "turn" | "set" | "kept", turn?: object}) => void} listener
 * @returns {() => void} stops listening
 */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Restores the saved game or starts a new one, if that has not been done. */
export function start() {
  if (state) return;
  window.game = { gameManager: manager };
  store.onForeignGame(() => (isStale = true));
  addEventListener("pagehide", writeHistory);
  // A page that comes back from the browser's history heard nothing in between.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isStale = true;
    refresh();
  });
  addEventListener("focus", refresh);
  document.addEventListener("visibilitychange", () => (document.hidden ? writeHistory() : refresh()));
  restore();
}

// Loads the stored game if another tab wrote it. Tells whether it did.
function refresh() {
  if (!isStale) return false;
  isStale = false;
  const before = state.game;
  restore();
  attempt(() => rules.call({ do: "drop", game: before }));
  tell({ kind: "set" });
  return true;
}

/** @returns {{handle: number, state: object}} */
export function current() {
  start();
  return { handle: state.game, state };
}

/** @returns {boolean} whether the player has to answer the winning message */
export const isWaiting = () => state.won && !keepsPlaying && state.ending === null;

/** @returns {number} the best score of games of this size */
export const best = () => store.readBest(state.size);

/**
 * The replay of the game, or of the one before if no move has been played yet.
 * @returns {string} "" if there is none
 * @throws {EngineError} if the engine cannot write the game down; Review shows its sentence
 */
export function replay() {
  start();
  if (state.undo) return rules.call({ do: "save", game: state.game, player: "human" }).replay;
  const last = store.readLast();
  if (!last) return "";
  try {
    const { game } = rules.call({ do: "load", text: last });
    const text = rules.call({ do: "save", game, player: "human" }).replay;
    rules.call({ do: "drop", game });
    return text;
  } catch {
    return "";
  }
}

/**
 * Starts a new game.
 * @param {object} wanted fields of the request `new`; the rules of the game before, if left out
 */
export function startNew(wanted = {}) {
  const { size, four, goal } = state?.rules ?? {};
  const seed = wanted.seed ?? freshSeed();
  take(() => rules.call({ do: "new", size, four, goal, ...wanted, seed }), !wanted.board);
}

/**
 * Continues a game from its text: a replay or the moves of a link.
 * @param {string} text
 */
export function open(text) {
  take(() => {
    const { header, ...found } = rules.call({ do: "load", text });
    return found;
  }, false);
}

/**
 * Reads a board in any text form.
 * @param {string} text
 * @param {string} [size]
 * @returns {{board: number[][], size: string}}
 */
export const readBoard = (text, size) => rules.call({ do: "board", text, size });

// Makes another game the current one. The one before is kept first: if that stops the engine, the
// new game begins in the next instance.
function take(begin, isFair) {
  refresh();
  keepLast();
  const next = begin();
  if (state) attempt(() => rules.call({ do: "drop", game: state.game }));
  state = next;
  keepsPlaying = next.won;
  counts = isFair;
  furthest = null;
  save();
  tell({ kind: "set" });
}

// The game that is left stays available for a review.
function keepLast() {
  const moves = state?.undo ? attempt(() => linkOf(state)) : null;
  if (moves !== null) store.writeLast(moves);
}

// Null if the engine refuses. Keeping a game must not stop the next one.
function attempt(action) {
  try {
    return action();
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/**
 * Plays a move, if it is legal.
 * @param {string} move
 * @returns {boolean} whether it was played
 */
export function play(move) {
  if (refresh() || isWaiting() || !state.legal.includes(move)) return false;
  const played = rules.call({ do: "play", game: state.game, move });
  state = played.state;
  furthest = null;
  save();
  if (state.ending !== null) keepLast();
  tell({ kind: "turn", turn: played.turn });
  return true;
}

/** @returns {boolean} whether there was a turn to undo */
export function undo() {
  if (refresh() || !state.undo) return false;
  if (!state.redo) furthest = attempt(() => linkOf(state));
  return step("undo");
}

/** @returns {boolean} whether there was a turn to redo */
export function redo() {
  return !refresh() && state.redo > 0 && step("redo");
}

function step(name) {
  const { turn, state: next } = rules.call({ do: name, game: state.game });
  state = next;
  if (!state.won) keepsPlaying = false;
  save();
  tell(name === "redo" ? { kind: "turn", turn } : { kind: "set" });
  return true;
}

/** Continues after the winning tile. */
export function keepPlaying() {
  if (refresh()) return;
  keepsPlaying = true;
  save();
  tell({ kind: "kept" });
}

function tell(change) {
  for (const listener of listeners) listener(change);
}

// Saving

const linkOf = ({ game }) => rules.call({ do: "link", game }).moves;

const isOver = () => state.ending !== null;

// The original keeps columns.
function columns() {
  const { rows, cols, board } = state;
  const cell = (x, y) => (board[y][x] ? { position: { x, y }, value: board[y][x] } : null);
  return Array.from({ length: cols }, (_, x) => Array.from({ length: rows }, (__, y) => cell(x, y)));
}

function save() {
  const { score, won, size, undo: turns, redo: undone } = state;
  clearTimeout(timer);
  // Before `gameState`, so that another tab that sees the game change finds its history.
  if (turns + undone <= LONG) writeHistory();
  else timer = setTimeout(writeHistory, IDLE);
  if (isOver()) store.removeGame();
  else {
    const grid = { size: state.cols, cells: columns() };
    store.writeGame({ grid, score, over: false, won, keepPlaying: keepsPlaying });
  }
  if (counts && score > store.readBest(size)) store.writeBest(size, score);
}

function writeHistory() {
  clearTimeout(timer);
  if (!state || isStale) return;
  // Without the moves, the rules still hold for the saved position.
  store.writePlay(snapshot() ?? { moves: null, rules: state.rules, counts });
}

/**
 * The whole game, for `bringBack`.
 * @returns {object | null} null if the engine cannot write it down
 */
export function snapshot() {
  return attempt(() => {
    const { seed, redo: undone } = state;
    const moves = furthest ?? linkOf(state);
    return { moves, undone, seed, rules: state.rules, counts, start: startOf() };
  });
}

/**
 * Continues a game that was left.
 * @param {object} game what `snapshot` gave
 */
export function bringBack(game) {
  take(() => loaded(game), game.counts);
}

// The moves do not say with which score and turns a game began.
function startOf() {
  const { board, score, turns } = rules.call({ do: "at", game: state.game, turn: 0 }).state;
  return score || turns ? { board, score, turns } : null;
}

// Restoring

function restore() {
  furthest = null;
  counts = true;
  keepsPlaying = false;
  const saved = store.readGame();
  const play = store.readPlay();
  if (saved) {
    const found = fromHistory(saved, play) ?? fromBoard(saved, play);
    if (found) {
      state = found.state;
      furthest = found.furthest;
      counts = found.counts;
      keepsPlaying = saved.keepPlaying === true;
      save();
      return;
    }
  }
  const { size, four, goal } = play?.rules ?? {};
  const seed = freshSeed();
  try {
    state = rules.call({ do: "new", size, four, goal, seed });
  } catch {
    state = rules.call({ do: "new", seed });
  }
  save();
}

function rowsOf({ grid: { cells } }) {
  return cells[0].map((_, y) => cells.map((column) => column[y]?.value ?? 0));
}

// The whole game, if it leads to the saved position.
function fromHistory(saved, play) {
  try {
    const found = loaded(play);
    const agrees = JSON.stringify(found.board) === JSON.stringify(rowsOf(saved));
    if (agrees && found.score === saved.score && found.ending === null) {
      return { state: found, furthest: play.undone ? play.moves : null, counts: play.counts };
    }
    rules.call({ do: "drop", game: found.game });
  } catch {
    // No history, or one of another version.
  }
  return null;
}

function loaded(play) {
  let { header, ...found } = rules.call({ do: "load", text: play.moves });
  if (play.start) found = replayed(found, play);
  for (let count = 0; count < play.undone; count += 1) {
    found = rules.call({ do: "undo", game: found.game }).state;
  }
  return found;
}

// Plays the moves of a game again from a start with a score.
function replayed({ game: source, undo: turns }, { start, seed, rules: wanted }) {
  let again = rules.call({ do: "new", rules: wanted, seed, ...start });
  for (let turn = 0; turn < turns; turn += 1) {
    const { action, spawn } = rules.call({ do: "at", game: source, turn }).played;
    again = rules.call({ do: "play", game: again.game, move: action, spawn }).state;
  }
  rules.call({ do: "drop", game: source });
  return again;
}

// The position alone: another page or program wrote it.
function fromBoard(saved, play) {
  try {
    const board = rowsOf(saved);
    const size = `${board.length}x${board[0].length}`;
    const { four, goal } = play?.rules?.size === size ? play.rules : {};
    const request = { do: "new", size, four, goal, board, score: saved.score, seed: freshSeed() };
    const found = rules.call(request);
    const fair = play?.moves !== null || play.counts;
    return found.ending === null ? { state: found, furthest: null, counts: fair } : null;
  } catch {
    return null;
  }
}

/** What programs written for the original page drive: its game manager. */
const manager = {
  get grid() {
    return { size: state.cols, cells: columns() };
  },
  get score() {
    return state.score;
  },
  get over() {
    return isOver();
  },
  get won() {
    return state.won;
  },
  get keepPlaying() {
    return keepsPlaying;
  },
  set keepPlaying(value) {
    if (value && !keepsPlaying) keepPlaying();
  },
  /** 0: up, 1: right, 2: down, 3: left. */
  move(direction) {
    play(DIRECTIONS[direction]);
  },
  restart() {
    startNew();
  },
  isGameTerminated: () => isOver() || isWaiting(),
};
