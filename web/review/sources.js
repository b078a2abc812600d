/** Where a game comes from: the game just played, a file, a pasted text, or a drop onto the view. */

import { el, freshId, setText } from "../parts/dom.js";

/** Larger files are not read: a game of a million moves has about 20 MB. */
const MOST_BYTES = 64e6;

/**
 * @param {object} handlers
 * @param {(text: string, name: string) => void} handlers.onText throws the engine's sentence
 * @param {() => void} handlers.onPlayed opens the game just played; throws a sentence
 */
export function createSources({ onText, onPlayed }) {
  const ids = { text: freshId("replay"), file: freshId("file"), error: freshId("error") };
  const error = el("p", { id: ids.error, class: "problem", role: "alert" });
  const file = el("input", { id: ids.file, type: "file", onchange: () => readFile(file.files[0]) });
  const text = el("textarea", {
    id: ids.text, rows: 4, spellcheck: "false", autocomplete: "off", "aria-describedby": ids.error,
  });
  const element = el(
    "details",
    { class: "panel review-sources" },
    el("summary", {}, "Open a game"),
    el(
      "div",
      { class: "stack" },
      el("div", { class: "row" },
        el("button", { class: "button", type: "button", onclick: () => attempt(onPlayed) }, "The game just played")),
      el("div", { class: "field" }, el("label", { for: ids.file }, "A replay file, or drop one here"), file),
      el("div", { class: "field" }, el("label", { for: ids.text }, "Or the text of a replay (also of 2048verse)"), text),
      el("div", { class: "row" },
        el("button", { class: "button", type: "button", onclick: () => attempt(() => onText(text.value, "Pasted text")) },
          "Read the text")),
      error,
    ),
  );

  function attempt(action) {
    try {
      action();
      setText(error, "");
      element.open = false;
    } catch (problem) {
      setText(error, problem.message);
      element.open = true;
    }
  }

  async function readFile(chosen) {
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) {
      attempt(() => {
        throw new Error(`${chosen.name} is too large for a replay.`);
      });
      return;
    }
    const content = decoded(new Uint8Array(await chosen.arrayBuffer()));
    attempt(() => onText(content, chosen.name));
    file.value = "";
  }

  /** Takes files that are dropped onto an element. */
  function acceptDrops(target) {
    target.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      target.classList.add("review-drop");
    });
    target.addEventListener("dragleave", () => target.classList.remove("review-drop"));
    target.addEventListener("drop", (event) => {
      target.classList.remove("review-drop");
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      readFile(event.dataTransfer.files[0]);
    });
  }

  return { element, acceptDrops, attempt, open: () => (element.open = true) };
}

/** The text of a file: UTF-8, or else Latin-1, as some texts of 2048verse are. */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  }
}
