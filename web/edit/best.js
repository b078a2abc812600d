/** The best move of the edited position: a player thinks, and its values are shown as bars. */

import { think } from "../engine.js";
import { createBars } from "../parts/bars.js";
import { el, setText } from "../parts/dom.js";
import { createPlayerForm } from "../parts/players.js";
import { exactText, sentence } from "../parts/words.js";

/**
 * @param {object} options
 * @param {object} options.registry the answer to `players`
 * @param {string} options.player the first spec
 * @param {() => object} options.position the position to think about; throws a sentence
 */
export function createBest({ registry, player, position }) {
  const bars = createBars();
  const form = createPlayerForm({ registry, value: player, onChange: stop });
  const button = el("button", { class: "button", type: "button", onclick: () => (running ? stop() : start()) }, "Best move");
  const status = el("p", { class: "muted", role: "status" });
  const element = el(
    "div",
    { class: "stack" },
    status,
    bars.element,
    el("details", {}, el("summary", {}, "Player for the best move"), form.element),
  );
  let running = null;

  async function start() {
    const own = new AbortController();
    running = own;
    setText(button, "Stop");
    setText(status, "Thinking.");
    try {
      const spec = form.spec();
      const onUpdate = (decision) => running === own && bars.show(decision);
      const decision = await think({ spec, position: position(), onUpdate, signal: own.signal });
      if (running !== own) return;
      bars.show(decision);
      const remarks = [decision.remark, decision.exact && exactText(decision.exact)].filter(Boolean);
      end([`${spec} plays ${decision.action}.`, ...remarks.map(sentence)].join(" "));
    } catch (error) {
      if (running === own) end(sentence(error.message));
    }
  }

  function end(text) {
    running = null;
    setText(button, "Best move");
    setText(status, text);
  }

  /** Ends the thought and forgets its values: they belong to another position or player. */
  function stop() {
    const thought = running;
    end("");
    thought?.abort();
    bars.show(null);
  }

  return { element, button, stop };
}
