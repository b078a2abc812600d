/** The downloads of a review: the replay, an animation of the game, a picture of the position. */

import { ask, rules } from "../engine.js";
import { el, freshId, setText } from "../parts/dom.js";
import { bytes } from "../parts/format.js";
import { sentence } from "../parts/words.js";

/** A GIF of more pictures than this is large and slow to watch. */
const FRAMES = 400;

/**
 * @param {object} handlers
 * @param {() => {replay: string, name: string, turns: number}|null} handlers.game
 * @param {() => number[][]} handlers.board the board that is shown
 * @param {(name: string, content: string|Blob, type: string) => void} handlers.download
 * @param {() => number} handlers.turn
 */
export function createFiles({ game, board, turn, download }) {
  const status = el("p", { class: "muted", role: "status" });
  const button = (text, action) => el("button", { class: "button", type: "button", onclick: action }, text);
  const gifButton = button("GIF", () => saveGif());
  const buttons = [
    button("Replay", () => attempt(() => download(`${game().name}.2048`, game().replay, "text/plain"))),
    gifButton,
    button("Picture", () => attempt(savePicture)),
  ];
  const every = el("input", { id: freshId("every"), type: "number", min: 1, step: 1, inputmode: "numeric" });
  const delay = el("input", { id: freshId("delay"), type: "number", min: 20, max: 5000, step: 10, ".value": 120 });
  const element = el(
    "section",
    { class: "panel stack", "aria-labelledby": "review-files-title" },
    el("h2", { id: "review-files-title" }, "Download"),
    el("div", { class: "row" }, buttons),
    el(
      "details",
      {},
      el("summary", {}, "Settings of the GIF"),
      el("div", { class: "row review-gif" }, field("Moves per picture", every), field("Milliseconds per picture", delay)),
    ),
    status,
  );
  let making = null;

  function show() {
    const opened = game();
    for (const each of buttons) each.disabled = opened === null;
    every.placeholder = opened ? String(Math.max(1, Math.ceil(opened.turns / FRAMES))) : "";
    setText(status, "");
  }

  function savePicture() {
    const { svg } = rules.call({ do: "picture", board: board() });
    download(`${game().name}-${turn()}.svg`, svg, "image/svg+xml");
  }

  async function saveGif() {
    if (making) {
      making.abort();
      return;
    }
    making = new AbortController();
    setText(gifButton, "Stop");
    setText(status, "Making the GIF.");
    try {
      const { replay, name } = game();
      const request = {
        do: "gif", text: replay, every: Number(every.value || every.placeholder), delay_ms: Number(delay.value || 120),
      };
      const { data, width, height } = await ask(request, { signal: making.signal });
      download(`${name}.gif`, new Blob([data], { type: "image/gif" }), "image/gif");
      setText(status, `The GIF has ${width} by ${height} pixels and ${bytes(data.length)}.`);
    } catch (error) {
      setText(status, error.name === "AbortError" ? "Stopped." : sentence(error.message));
    } finally {
      making = null;
      setText(gifButton, "GIF");
    }
  }

  function attempt(action) {
    try {
      action();
      setText(status, "");
    } catch (error) {
      setText(status, sentence(error.message));
    }
  }

  return { element, show, stop: () => making?.abort() };
}

function field(name, input) {
  return el("div", { class: "field" }, el("label", { for: input.id }, name), input);
}
