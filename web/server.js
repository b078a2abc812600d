/**
 * What the server answers: `lab2048 serve` thinks with the native engine and has tables.
 * @module
 */

import { settings } from "./store.js";
import { EngineError } from "./wasm.js";

const DIRECTIONS = ["up", "right", "down", "left"];

/**
 * Whether the server should think.
 * @param {string} spec
 * @param {object | null} server
 * @returns {boolean}
 */
export function wantsServer(spec, server) {
  return server !== null && (settings.engine === "server" || /\bnet=full\b/.test(spec));
}

/**
 * Asks the server for a move.
 * @param {{spec: string, position: object, signal?: AbortSignal}} options
 * @returns {Promise<object>} the decision
 */
export async function serverDecision({ spec, position, signal }) {
  const { board, score, turns, seed, future, rules } = position;
  const question = { board, score, player: spec, four: rules.four, size: rules.size };
  // The seed tells the coming tiles: only where the game's tiles are really those of the seed.
  if (future) Object.assign(question, { seed, moves: turns });
  const { status, found } = await post("api/best", question, signal);
  if (status === 200) return decisionOf(found);
  throw new EngineError(found?.error ?? "The server did not answer. Choose the engine of this page in Settings.");
}

/**
 * Asks the server for something else.
 * @param {string} path
 * @param {object} question
 * @returns {Promise<object>} the answer
 */
export async function askServer(path, question) {
  const { status, found } = await post(path, question);
  if (status === 200) return found;
  throw new EngineError(found?.error ?? "The server did not answer.");
}

async function post(path, question, signal) {
  try {
    const response = await fetch(new URL(path, import.meta.url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
      signal,
    });
    return { status: response.status, found: await response.json() };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { status: 0, found: null };
  }
}

// The form of `lab2048 best --json` as the form of the engine in the page.
function decisionOf({ action, values, lost, cut_off: unknown, unit, depth, nodes, seconds, exact }) {
  const valueOf = (name) => {
    if (Number.isFinite(values?.[name])) return { worth: values[name] };
    if (lost?.includes(name)) return { lost: null };
    return unknown?.includes(name) || !values ? "unknown" : "illegal";
  };
  const named = Object.fromEntries(DIRECTIONS.map((name) => [name, valueOf(name)]));
  return {
    action, values: named, has_values: values !== null, unit, depth, nodes, ms: seconds * 1000, remark: null,
    // What the server's tables say; an older server says nothing.
    exact: exact?.[0] ?? null,
  };
}
