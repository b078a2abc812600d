/**
 * The values of the four moves as bars.
 *
 * The scale is honest: a bar starts at zero, so a move that is worth half is half as long, and close
 * values look close. The numbers beside the bars tell them apart. The hatched part of a bar is what
 * the move loses against the best. The terminal has the same rule (`show.rs` of the command).
 */

import { el, setText } from "./dom.js";
import { count, inUnit, percent } from "./format.js";

const DIRECTIONS = ["up", "right", "down", "left"];
const NAMES = { up: "Up", right: "Right", down: "Down", left: "Left" };

const UNITS = {
  points: "Points to come.",
  chance: "The chance to make the tile.",
  preference: "A preference: larger is better, nothing more.",
};

/**
 * The scale for the worths of the judged moves.
 *
 * `from` is the value at the left end and `to` the best one. `kind` is "zero" if the bars start at
 * zero, "open" if the values have no zero (some are negative): then the scale is as wide as the
 * largest of them. `flat` is the length of every bar if all values are zero: no points and no
 * chance have no bar.
 */
function scaleOf(worths, unit) {
  const best = Math.max(...worths);
  const spread = best - Math.min(...worths);
  const size = Math.max(...worths.map(Math.abs));
  const from = best - Math.max(size, spread);
  const flat = unit === "preference" ? 1 : 0;
  return { kind: Math.min(...worths) >= 0 ? "zero" : "open", from, to: best, flat };
}

/** The length of a bar on a scale, from 0 to 1. */
function lengthOn({ from, to, flat }, worth) {
  return to > from ? Math.min(1, Math.max(0, (worth - from) / (to - from))) : flat;
}

/** Bars for the four values of a decision: `show(decision)`, and `show(null)` for none. */
export function createBars() {
  const rows = new Map(DIRECTIONS.map((direction) => [direction, createRow(direction)]));
  const list = el("ul", { class: "bars-list" }, [...rows.values()].map((row) => row.element));
  const note = el("p", { class: "bars-note muted" });
  const element = el("div", { class: "bars" }, list, note);

  function show(decision) {
    const values = decision?.values ?? {};
    const worths = worthsOf(values);
    const scale = worths.length > 0 ? scaleOf(worths, decision.unit) : null;
    element.dataset.scale = scale?.kind ?? "none";
    for (const [direction, row] of rows) {
      row.show(values[direction], scale, decision?.action === direction, decision?.unit);
    }
    setText(note, decision ? noteOf(decision, values, scale, worths.length) : "");
  }

  show(null);
  return { element, show };
}

function createRow(direction) {
  const bar = el("span", { class: "bars-fill" });
  const track = el("span", { class: "bars-track", "aria-hidden": "true" }, bar);
  const number = el("span", { class: "bars-number" });
  const loss = el("span", { class: "bars-loss" });
  const name = el("span", { class: "bars-name" }, NAMES[direction]);
  const arrow = el("span", { class: `icon icon-arrow ${direction}`, "aria-hidden": "true" });
  const element = el("li", { class: "bars-row" }, arrow, name, track, number, loss);

  function show(move, scale, chosen, unit) {
    const worth = Number.isFinite(move?.worth) ? move.worth : null;
    element.classList.toggle("bars-chosen", chosen);
    element.classList.toggle("bars-empty", worth === null || scale === null);
    element.classList.toggle("bars-lost", move?.lost !== undefined);
    bar.style.width = worth === null || scale === null ? "0" : `${100 * lengthOn(scale, worth)}%`;
    setText(number, numberOf(move, worth, unit));
    setText(loss, lossOf(worth, scale, chosen, unit));
  }

  return { element, show };
}

function worthsOf(values) {
  return DIRECTIONS.map((direction) => values[direction]?.worth).filter(Number.isFinite);
}

function numberOf(move, worth, unit) {
  if (worth !== null) return inUnit(worth, unit);
  if (move === "illegal") return "not legal";
  // The server says only that it is lost.
  if (move?.lost === null) return "lost";
  if (move?.lost !== undefined) return `lost in ${count(move.lost, "move")}`;
  return move === "unknown" ? "not judged" : "";
}

/** What a move loses against the best. The chosen one loses nothing, as a rule. */
function lossOf(worth, scale, chosen, unit) {
  if (worth === null || scale === null) return chosen ? "chosen" : "";
  const loss = scale.to - worth;
  // The last bits of a number mean nothing.
  if (loss <= 1e-9 * Math.abs(scale.to)) return chosen ? "chosen" : "equal";
  if (unit === "points" && scale.to > 0) return `\u2212${percent(loss / scale.to)}`;
  return `\u2212${inUnit(loss, unit)}`;
}

function noteOf(decision, values, scale, judged) {
  const legal = DIRECTIONS.filter((direction) => values[direction] !== "illegal").length;
  const lost = DIRECTIONS.some((direction) => values[direction]?.lost !== undefined);
  if (scale === null && lost) return "Every move that was judged loses the game for certain.";
  if (scale === null) return "This player gives no values.";
  if (legal === 1) return "The only legal move.";
  const unit = UNITS[decision.unit];
  if (judged > 1 && worthsOf(values).every((worth) => worth === scale.to)) {
    return `${unit} All moves have the same value.`;
  }
  if (scale.kind === "zero") return judged > 1 ? `${unit} The bars start at zero.` : unit;
  return `${unit} Some are negative, so the bars start at ${inUnit(scale.from, decision.unit)}.`;
}
