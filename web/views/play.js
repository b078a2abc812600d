/**
 * Play: the game of the original page, with its markup, its keys and its look.
 *
 * Beside the board: undo and redo, a hint, other rules, and ways to the other views. The game
 * itself is in game.js; this view draws it and passes on what people do.
 * @module
 */

import { createBoard } from "../board.js";
import { showNewGame } from "../dialogs.js";
import * as game from "../game.js";
import { startOf } from "../parts/address.js";
import { el, setText } from "../parts/dom.js";
import { sayTurn } from "../speech.js";
import { createHint } from "./play-hint.js";

const MOVES = {
  ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left",
  w: "up", d: "right", s: "down", a: "left",
  k: "up", l: "right", j: "down", h: "left",
};
// Older programs send events with numbers only.
const CODES = {
  38: "ArrowUp", 39: "ArrowRight", 40: "ArrowDown", 37: "ArrowLeft",
  87: "w", 68: "d", 83: "s", 65: "a", 75: "k", 76: "l", 74: "j", 72: "h",
  82: "r", 85: "u", 89: "y", 73: "i", 78: "n",
};

// A swipe counts from this length while the finger is down, in pixels, and from the shorter one
// when it is lifted.
const SWIPE = 36;
const SHORT_SWIPE = 10;
// How long a message offers to return to the game before.
const OFFER = 8000;
/** The numbers that an address can give. */
const NUMBERS = ["four", "goal", "score", "turns"];
// A game of fewer moves is not missed.
const MISSED = 10;

let app;
let parts;
let view;
let hint;
let visible = false;
let shownScore = 0;

function mount(root, theApp) {
  app = theApp;
  game.start();
  const { state } = game.current();
  view = createBoard({ rows: state.rows, cols: state.cols, original: true });
  hint = createHint(app, view.container);
  parts = createParts();
  view.container.prepend(parts.message);
  root.append(layout());
  game.subscribe(onChange);
  document.addEventListener("keydown", onKey);
  listenToSwipes(view.container);
  onChange({ kind: "set" });
}

const button = (label, icon, onclick, more = {}) =>
  el("button", { type: "button", class: "button", onclick, ...more },
    icon && el("span", { class: `icon icon-${icon}` }), label);

function createParts() {
  return {
    score: el("div", { class: "score-container" }, "0"),
    best: el("div", { class: "best-container" }, "0"),
    goal: el("strong"),
    message: el("div", { class: "game-message" },
      el("p"),
      el("div", { class: "lower" },
        el("button", { type: "button", class: "keep-playing-button", onclick: game.keepPlaying }, "Keep going"),
        el("button", { type: "button", class: "retry-button", onclick: restart }, "Try again"))),
    undo: button("Undo", "undo", game.undo, { "aria-keyshortcuts": "u" }),
    redo: button("Redo", "redo", game.redo, { "aria-keyshortcuts": "y" }),
    facts: el("dl", { class: "play-facts" }),
  };
}

function layout() {
  return el("div", { class: "play-layout" },
    el("div", { class: "container" },
      el("div", { class: "heading" },
        el("h1", { class: "title" }, "2048"),
        el("div", { class: "scores-container" }, parts.score, parts.best)),
      el("div", { class: "above-game" },
        el("p", { class: "game-intro" }, "Join the numbers and get to the ", parts.goal),
        el("button", { type: "button", class: "restart-button button primary", onclick: restart,
          "aria-keyshortcuts": "r" }, "New Game")),
      view.element,
      el("div", { class: "below-game" },
        parts.undo,
        parts.redo,
        button("Hint", "hint", hint.ask, { "aria-keyshortcuts": "i" }),
        button("Rules", "new", askRules, { "aria-keyshortcuts": "n", title: "New game: size, chance of a 4, seed" }))),
    el("aside", { class: "play-side", "aria-label": "About this game" },
      hint.element,
      el("section", { class: "panel" },
        el("h2", {}, "This game"),
        parts.facts,
        el("div", { class: "row" },
          button("Review", null, () => app.go("review")),
          button("Edit", null, () => app.go("edit")),
          button("Tree", null, () => app.go("tree"))))));
}

// Drawing

function onChange({ kind, turn }) {
  const { state } = game.current();
  hint.clear();
  if (kind === "turn") view.turn(turn, state.board);
  else if (kind === "set") view.set(state.board);
  showScore(state, kind === "turn");
  showMessage(state);
  showFacts(state);
  parts.undo.disabled = state.undo === 0;
  parts.redo.disabled = state.redo === 0;
  if (kind === "turn" && visible) app.announce(sentence(turn, state));
}

function sentence(turn, state) {
  const said = sayTurn(turn, state);
  if (state.ending !== null) return `${said}. Game over.`;
  return game.isWaiting() ? `${said}. You win. Keep going, or try again.` : said;
}

function showScore({ score }, isPlayed) {
  const gained = isPlayed ? score - shownScore : 0;
  shownScore = score;
  parts.score.textContent = score;
  parts.score.style.setProperty("--digits", String(score).length);
  if (gained > 0) {
    parts.score.append(el("div", { class: "score-addition", "aria-hidden": "true" }, `+${gained}`));
  }
  const best = String(Math.max(game.best(), 0));
  setText(parts.best, best);
  parts.best.style.setProperty("--digits", best.length);
}

function showMessage(state) {
  const over = state.ending !== null;
  const won = game.isWaiting();
  parts.message.classList.toggle("game-over", over);
  parts.message.classList.toggle("game-won", won);
  parts.message.firstChild.textContent = over ? "Game over!" : won ? "You win!" : "";
}

function showFacts({ size, undo, largest, seed, rules }) {
  setText(parts.goal, `${rules.goal} tile!`);
  const percent = Number((rules.four * 100).toFixed(4));
  const facts = [
    ["Board", size],
    ["Moves", undo],
    ["Largest tile", largest],
    ["Chance of a 4", `${percent}%`],
    ["Seed", seed],
  ];
  if (parts.facts.children.length === 0) {
    parts.facts.append(...facts.map(([name]) => el("div", {}, el("dt", {}, name), el("dd"))));
  }
  facts.forEach(([, value], index) => setText(parts.facts.children[index].lastChild, String(value)));
}

// What people do

function restart() {
  replace(() => game.startNew());
  if (visible) app.announce("New game.");
}

function askRules() {
  showNewGame(game.current().state, (wanted) => replace(() => game.startNew(wanted)));
}

// Starts another game. A game that was far along can be fetched back.
function replace(start) {
  const { state } = game.current();
  const before = state.ending === null && state.undo >= MISSED ? game.snapshot() : null;
  start();
  if (!before || !visible) return;
  const run = () => game.bringBack(before);
  app.toast("New game.", { action: { label: "Back to the game before", run }, time: OFFER });
}

function onKey(event) {
  if (!visible || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const target = event.target;
  if (target.closest?.("input, select, textarea, dialog")) return;
  const key = CODES[event.which] ?? event.key;
  if (MOVES[key]) {
    event.preventDefault();
    game.play(MOVES[key]);
    return;
  }
  const action = { r: restart, u: game.undo, y: game.redo, i: hint.ask, n: askRules }[key];
  if (!action) return;
  event.preventDefault();
  action();
}

function listenToSwipes(element) {
  let start = null;
  const finish = (event, least) => {
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    if (Math.max(Math.abs(dx), Math.abs(dy)) < least) return;
    start = null;
    if (Math.abs(dx) > Math.abs(dy)) game.play(dx > 0 ? "right" : "left");
    else game.play(dy > 0 ? "down" : "up");
  };
  const isOurs = (event) => start !== null && event.pointerId === start.id;
  element.addEventListener("pointerdown", (event) => {
    if (event.target.closest("button")) return;
    // A second finger is no swipe.
    start = start || !event.isPrimary ? null : { x: event.clientX, y: event.clientY, id: event.pointerId };
    if (start) element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => isOurs(event) && finish(event, SWIPE));
  element.addEventListener("pointerup", (event) => {
    if (isOurs(event)) finish(event, SHORT_SWIPE);
    start = null;
  });
  element.addEventListener("pointercancel", () => (start = null));
}

const complain = (sentence) => app.toast(sentence, { kind: "error" });

// `#play?game=TEXT`, `#play?board=...&score=...`, `#play?size=5x5&seed=7&four=0.2`
function open(params) {
  const wanted = Object.fromEntries(params);
  for (const name of [...NUMBERS, "seed"]) delete wanted[name];
  Object.assign(wanted, startOf(params, complain, NUMBERS));
  // A reload shows the game as it stands then.
  history.replaceState(null, "", "#play");
  try {
    if (wanted.game) return replace(() => game.open(wanted.game));
    if (wanted.board) return replace(() => game.startNew({ ...wanted, ...readBoard(wanted) }));
    return replace(() => game.startNew(wanted));
  } catch (error) {
    return app.toast(error.message, { kind: "error" });
  }
}

function readBoard({ board, size }) {
  const read = game.readBoard(board, size);
  return { board: read.board, size: read.size };
}

export default {
  id: "play",
  title: "Play",
  mount,
  show(params) {
    visible = true;
    if ([...params.keys()].length) open(params);
  },
  hide() {
    visible = false;
    hint.clear();
  },
};
