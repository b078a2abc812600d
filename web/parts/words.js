/** Moves, values and sentences in words, the same in Edit, Tree and Review. */

import { chance, count, value } from "./format.js";

export const DIRECTIONS = ["up", "right", "down", "left"];
const ARROWS = { up: "\u2191", right: "\u2192", down: "\u2193", left: "\u2190" };

/** An action with its arrow: `← left`. */
export function arrowed(action) {
  return ARROWS[action] ? `${ARROWS[action]} ${action}` : action;
}

/** The arrow of a direction. Other actions are words. */
export function arrow(action) {
  return ARROWS[action] ?? action;
}

/** The value of a move or a board, or an empty text if it has none. */
export function worthText(move) {
  if (Number.isFinite(move?.worth)) return value(move.worth);
  if (move?.lost !== undefined) return `lost in ${count(move.lost, "move")}`;
  return "";
}

/** What a table says about a board, as the command says it: `makes 512: 81.2%`. */
export function exactText({ tile, value: best }) {
  return tile ? `makes ${tile}: ${chance(best)}` : `perfect play: ${value(best)} points`;
}

/** A message of the engine with a capital at its start and a full stop at its end. */
export function sentence(text) {
  const trimmed = text.trim();
  return trimmed && trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
}
