/**
 * The hint of the Play view: the best move as an arrow on the board, and the four values.
 * @module
 */

import { rules, server, think } from "../engine.js";
import * as game from "../game.js";
import { createBars } from "../parts/bars.js";
import { el, setText } from "../parts/dom.js";
import { createPlayerForm } from "../parts/players.js";
import { exactText } from "../parts/words.js";
import { wantsServer } from "../server.js";
import { settings } from "../store.js";

/**
 * Creates the hint.
 * @param {object} app
 * @param {HTMLElement} board where the arrow is drawn
 * @returns {{element: HTMLElement, ask: () => void, clear: () => void}}
 */
export function createHint(app, board) {
  const bars = createBars();
  const about = el("p", { class: "play-about muted" });
  const arrow = el("div", { class: "hint-arrow", "aria-hidden": "true", hidden: true },
    el("span", { class: "icon icon-arrow" }));
  const chooser = el("details", { class: "play-chooser", ontoggle: () => chooser.open && fillChooser() },
    el("summary", {}, "Hint player"));
  const element = el("section", { class: "panel play-hint", "aria-label": "Hint" },
    el("h2", {}, "Hint"), bars.element, about, chooser);
  board.append(arrow);
  let running = null;

  function fillChooser() {
    if (chooser.children.length > 1) return;
    const registry = rules.call({ do: "players" });
    const form = createPlayerForm({ registry, value: settings.hint, onChange: (spec) => (settings.hint = spec) });
    chooser.append(form.element);
  }

  function clear() {
    running?.abort();
    running = null;
    arrow.hidden = true;
    bars.show(null);
    setText(about, "Press Hint to ask a player for the best move.");
  }

  async function ask() {
    const { handle, state } = game.current();
    if (state.ending !== null || game.isWaiting()) return;
    clear();
    const stop = new AbortController();
    running = stop;
    setText(about, `${settings.hint} thinks ...`);
    try {
      const spec = settings.hint;
      const position = rules.call({ do: "position", game: handle });
      const decision = await think({ spec, position, onUpdate: show, signal: stop.signal });
      show(decision);
      finish(decision, spec);
    } catch (error) {
      if (error.name === "AbortError") return;
      clear();
      app.toast(error.message, { kind: "error" });
    }
  }

  function show(decision) {
    bars.show(decision);
    arrow.hidden = !["up", "right", "down", "left"].includes(decision.action);
    arrow.dataset.direction = decision.action;
    arrow.firstChild.className = `icon icon-arrow ${decision.action}`;
  }

  function finish({ action, depth, nodes, ms, remark, exact }, spec) {
    const where = wantsServer(spec, server) ? "on the server" : "in this page";
    const facts = [
      exact ? exactText(exact) : "",
      spec,
      depth ? `depth ${depth}` : "",
      nodes ? `${nodes.toLocaleString("en")} nodes` : "",
      Number.isFinite(ms) ? `${Math.round(ms)} ms ${where}` : where,
    ];
    setText(about, facts.filter(Boolean).join(", ") + (remark ? `. ${remark}` : ""));
    app.announce(`Hint: ${action}.`);
  }

  clear();
  return { element, ask, clear };
}
