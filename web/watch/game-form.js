/** The form for a new game to watch: size, seed, chance of a 4, and the tile to stop at. */

import { el, freshId, setText } from "../parts/dom.js";

const SIDES = [2, 3, 4, 5, 6, 7, 8];

/** The seed in a field. An empty field gives one that nobody chose, short enough to write down. */
export function readSeed(field) {
  const text = field.value.trim();
  if (!/^\d*$/.test(text)) throw new Error("The seed is not a whole number.");
  return text || String(1 + (crypto.getRandomValues(new Uint32Array(1))[0] % 999_999_999));
}

/**
 * Makes the form.
 * @param {(request: object, until: number) => void} onStart called with a request `new`; what it
 *   throws is shown in the form
 * @returns {{element: HTMLElement, read: () => {request: object, until: number}, set: Function}}
 */
export function createGameForm(onStart) {
  const side = (name) => {
    const options = SIDES.map((number) => el("option", { value: number }, String(number)));
    const select = el("select", { name, id: freshId(name) }, options);
    select.value = "4";
    return select;
  };
  const input = (name, attributes) => el("input", { name, id: freshId(name), autocomplete: "off", ...attributes });
  const rows = side("rows");
  const cols = side("columns");
  const seed = input("seed", { inputmode: "numeric", placeholder: "random", maxlength: 20 });
  const four = input("four", { inputmode: "decimal", placeholder: "0.1", maxlength: 12 });
  const until = input("until", { inputmode: "numeric", placeholder: "no limit", maxlength: 20 });
  const error = el("p", { class: "problem", role: "alert" });
  const field = (label, control) => el("div", { class: "field" }, el("label", { for: control.id }, label), control);
  const element = el(
    "form",
    { class: "watch-new stack", novalidate: true },
    el(
      "div",
      { class: "watch-fields" },
      field("Rows", rows),
      field("Columns", cols),
      field("Seed", seed),
      field("Chance of a 4", four),
      field("Stop at tile", until),
    ),
    el("button", { class: "button", type: "submit" }, "New game"),
    error,
  );

  function read() {
    const request = { do: "new", size: `${rows.value}x${cols.value}`, seed: readSeed(seed) };
    if (four.value.trim() !== "") request.four = numberOf(four, "The chance of a 4");
    const tile = until.value.trim() === "" ? 0 : numberOf(until, "The tile to stop at");
    return { request, until: tile };
  }

  element.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      const asked = read();
      setText(error, "");
      onStart(asked.request, asked.until);
    } catch (problem) {
      setText(error, problem.message);
    }
  });

  function set(values) {
    if (values.size) [rows.value, cols.value] = values.size.split("x");
    for (const [name, control] of Object.entries({ seed, four, until })) {
      if (values[name] !== undefined) control.value = values[name];
    }
  }

  return { element, read, set };
}

function numberOf(control, what) {
  const number = Number(control.value.trim().replace(",", "."));
  if (!Number.isFinite(number)) throw new Error(`${what} is not a number.`);
  return number;
}
