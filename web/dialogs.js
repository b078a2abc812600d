/**
 * Dialogs of the whole page: help, settings and a new game.
 * @module
 */

import { known, networks, rules, server } from "./engine.js";
import { isSeed } from "./parts/address.js";
import { el, freshId, setText } from "./parts/dom.js";
import { settings } from "./store.js";

/**
 * Shows a dialog. It is removed when it closes, and the focus returns to where it was.
 * @param {string} title
 * @param {(Node | string)[]} content
 * @param {{label: string, run: () => boolean | void}} [action] the main button; the dialog stays
 *   if `run` gives false
 * @returns {HTMLDialogElement}
 */
function showDialog(title, content, action) {
  const id = freshId("dialog");
  const close = el("button", { type: "button", class: "button", onclick: () => dialog.close() },
    action ? "Cancel" : "Close");
  const main = action && el("button", { type: "submit", class: "button primary" }, action.label);
  const form = el("form", { method: "dialog" },
    el("h2", { id }, title), ...content, el("div", { class: "actions" }, close, main));
  const dialog = el("dialog", { "aria-labelledby": id }, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (action?.run() !== false) dialog.close();
  });
  // A click on the backdrop closes it.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const KEYS = [
  ["Play", [
    [["Arrow keys"], "move"],
    [["W", "A", "S", "D"], "up, left, down, right"],
    [["K", "H", "J", "L"], "up, left, down, right"],
    [["U"], "undo"],
    [["Y"], "redo"],
    [["I"], "hint"],
    [["R"], "new game, same rules"],
    [["N"], "new game, other rules"],
  ]],
  ["Practice", [
    [["Arrow keys"], "move; letters as in Play"],
    [["I"], "hint: the values of the four moves"],
    [["N"], "next position"],
    [["R"], "same position again"],
    [["M"], "drill my mistakes"],
  ]],
  ["Watch", [
    [["Space"], "play or pause"],
    [["N"], "one move of the player"],
    [["T"], "turbo"],
    [["Arrow keys"], "take over and move, as in Play"],
  ]],
  ["Edit", [
    [["Arrow keys"], "select a cell"],
    [["Shift+arrow"], "slide the board"],
    [["Ctrl+Z"], "undo"],
    [["Ctrl+Y"], "redo"],
  ]],
  ["Review", [
    [["\u2190", "\u2192"], "one move back or forward"],
    [["N", "P"], "next or previous mistake"],
  ]],
  ["Tree", [
    [["Arrow keys"], "walk through the tree"],
    [["Enter"], "open or close a board"],
    [["+", "\u2212"], "zoom"],
  ]],
  ["Everywhere", [[["?"], "this help"]]],
];

/** Shows the rules and the keys. */
export function showHelp() {
  const cap = (key) => [el("kbd", {}, key), " "];
  const row = ([keys, what]) =>
    el("tr", {}, el("th", { scope: "row" }, keys.flatMap(cap)), el("td", {}, what));
  const table = ([view, keys]) =>
    el("table", { class: "keys" }, el("caption", {}, view), el("tbody", {}, keys.map(row)));
  const dialog = showDialog("Help", [
    el("p", {}, "Slide the tiles. Two tiles with the same number merge into one. After every move " +
      "a new tile appears: a 2, or sometimes a 4. Reach the 2048 tile, then keep going."),
    el("p", {}, "On a touch screen, swipe over the board. In Play, keys with Ctrl, Alt or Shift do nothing."),
    ...KEYS.map(table),
  ]);
  // The only button is at the end; the text is read from its start.
  const title = dialog.querySelector("h2");
  title.tabIndex = -1;
  title.focus();
  dialog.scrollTop = 0;
}

function choice(label, name, options, { onChange, note } = {}) {
  const id = freshId("setting");
  const select = el("select", { id, onchange: () => {
    settings[name] = select.value;
    onChange?.();
  } }, options.map(([value, text, disabled]) =>
    el("option", { value, disabled, ".selected": settings[name] === value }, text)));
  return el("div", { class: "field" }, el("label", { for: id }, label), select,
    note && el("p", { class: "note" }, note));
}

/** Puts the settings for theme and motion into effect. */
function applySettings() {
  const root = document.documentElement.dataset;
  const set = (name, value) => {
    if (value === "auto") delete root[name];
    else root[name] = value;
  };
  set("theme", settings.theme);
  set("motion", settings.motion);
}

/** Shows the settings. */
export async function showSettings() {
  await known;
  const { version, commit } = rules.call({ do: "version" });
  const mega = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
  const offered = networks.map(({ name, bytes }) => `${name} (${mega(bytes)})`).join(", ");
  showDialog("Settings", [
    el("div", { class: "stack" },
      choice("Theme", "theme", [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]],
        { onChange: applySettings }),
      choice("Motion", "motion", [["auto", "As the system"], ["full", "Full"], ["reduced", "Reduced"]],
        { onChange: applySettings }),
      choice("Players think", "engine", [
        ["page", "In this page"],
        ["server", server ? "On the server, with the native engine" : "On the server (lab2048 serve)", !server],
      ], { note: "Turbo, Review and Tree always run in this page." })),
    el("p", { class: "muted about" },
      `Engine ${version}${commit ? ` (${commit.slice(0, 9)})` : ""}.`,
      offered ? ` Networks: ${offered}. They are fetched when a player needs them.` : ""),
  ]);
}

const SIDES = [2, 3, 4, 5, 6, 7, 8];

/**
 * Asks for the rules of a new game.
 * @param {object} state the current game
 * @param {(wanted: object) => void} onStart gets the fields of the request `new`
 */
export function showNewGame(state, onStart) {
  const side = (id, now) => el("select", { id }, SIDES.map((count) =>
    el("option", { value: count, ".selected": count === now }, String(count))));
  const field = (label, input, note) => el("div", { class: "field" },
    el("label", { for: input.id }, label), input, note && el("p", { class: "note" }, note));
  const rows = side(freshId("rows"), state.rows);
  const cols = side(freshId("cols"), state.cols);
  const four = el("input", { id: freshId("four"), type: "number", required: true, min: 0, max: 100, step: "any",
    inputmode: "decimal", ".value": String(Number((state.rules.four * 100).toFixed(6))) });
  const seed = el("input", { id: freshId("seed"), type: "text", inputmode: "numeric", autocomplete: "off",
    placeholder: "a fresh one", oninput: () => setText(problem, "") });
  const problem = el("p", { class: "problem", role: "alert" });
  const use = el("button", { type: "button", class: "button", onclick: () => {
    seed.value = state.seed ?? "";
    setText(problem, "");
  } }, "Seed of this game");
  const run = () => {
    const given = seed.value.trim();
    if (given !== "" && !isSeed(given)) {
      setText(problem, "A seed is a whole number below 2^64.");
      return false;
    }
    try {
      onStart({
        size: `${rows.value}x${cols.value}`,
        four: Number(four.value) / 100,
        ...(given ? { seed: given } : {}),
      });
      return true;
    } catch (error) {
      setText(problem, error.message);
      return false;
    }
  };
  showDialog("New game", [
    el("div", { class: "stack" },
      el("div", { class: "pair" }, field("Rows", rows), field("Columns", cols)),
      field("Chance of a 4, in percent", four),
      field("Seed", seed, "The same seed and the same moves give the same tiles."),
      el("div", {}, use),
      problem),
  ], { label: "Start", run });
}
