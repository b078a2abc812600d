/** Text forms: a field that reads any of them, the forms of the board to copy, and links. */

import { el, freshId, setText } from "../parts/dom.js";

/**
 * @param {object} handlers
 * @param {(text: string) => void} handlers.onRead a text was entered; throws the engine's sentence
 * @param {(name: string, text: string) => void} handlers.onCopy
 * @param {() => void} handlers.onCopyGame copies the address with the whole game
 */
export function createTexts({ onRead, onCopy, onCopyGame }) {
  const ids = { text: freshId("board-text"), error: freshId("board-error") };
  const input = el("textarea", {
    id: ids.text,
    rows: 4,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "none",
    placeholder: "2 0 0 4/0 0 8 0/0 0 0 0/0 0 0 0",
    "aria-describedby": ids.error,
    onpaste: () => setTimeout(read),
    onkeydown: (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) read();
    },
  });
  const error = el("p", { id: ids.error, class: "problem", role: "alert" });
  const forms = el("div", { class: "stack" });
  const reading = el(
    "section",
    { class: "panel stack", "aria-labelledby": "edit-read-title" },
    el("h2", { id: "edit-read-title" }, "Read a board or a game"),
    el(
      "div",
      { class: "field" },
      el("label", { for: ids.text }, "Rows, hex code, JSON, the saved game of the web game, a replay or a link"),
      input,
    ),
    error,
    el("div", { class: "row" }, el("button", { class: "button", type: "button", onclick: read }, "Read")),
  );
  const writing = el(
    "section",
    { class: "panel stack", "aria-labelledby": "edit-forms-title" },
    el("h2", { id: "edit-forms-title" }, "Copy"),
    forms,
  );

  function read() {
    if (input.value.trim() === "") {
      refuse("Type or paste a board, a replay or a link first.");
      input.focus();
      return;
    }
    try {
      onRead(input.value);
      refuse("");
    } catch (problem) {
      refuse(problem.message);
    }
  }

  function refuse(sentence) {
    setText(error, sentence);
    input.setAttribute("aria-invalid", String(sentence !== ""));
  }

  /** Shows the forms of a board; `checked` is the answer to `board`, or null. */
  function show(checked, boardLink) {
    if (!checked) {
      forms.replaceChildren(el("p", { class: "muted" }, "There is no board to copy yet."));
      return;
    }
    const rows = [
      ["Rows", checked.text],
      ["Hex code", checked.hex],
      ["JSON", typeof checked.json === "string" ? checked.json : JSON.stringify(checked.json)],
      ["Link to the position", boardLink],
    ];
    forms.replaceChildren(
      ...rows.filter(([, text]) => text).map(([name, text]) => form(name, text, onCopy)),
      el(
        "div",
        { class: "row" },
        el("button", { class: "button", type: "button", onclick: onCopyGame },
          "Copy a link to the whole game"),
      ),
    );
  }

  return { reading, writing, show };
}

function form(name, text, onCopy) {
  const id = freshId("form");
  const field = el("input", { id, type: "text", readonly: true, ".value": text, onfocus: () => field.select() });
  const copy = el(
    "button",
    { class: "button", type: "button", "aria-label": `Copy: ${name}`, onclick: () => onCopy(name, text) },
    "Copy",
  );
  return el("div", { class: "field" }, el("label", { for: id }, name), el("div", { class: "row edit-form" }, field, copy));
}
