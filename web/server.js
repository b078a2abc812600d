/**
 * Thinking on the server: `lab2048 serve` answers with the native engine.
 * @module
 */

import { settings } from "./store.js";

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
  const query = new URLSearchParams({
    board: JSON.stringify(position.board),
    score: position.score,
    player: spec,
  });
  const response = await fetch(new URL(`api/best?${query}`, import.meta.url), { signal });
  const found = await response.json();
  if (!response.ok) throw new Error(found.error ?? "The server did not answer.");
  return found;
}
