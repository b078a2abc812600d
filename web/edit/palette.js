/** What changes the selected cell without a keyboard: a number field, buttons, and tiles to choose. */

import { el, freshId } from "../parts/dom.js";
import { digitSize, tilePaint } from "../parts/thumb.js";
import { doubled, halved } from "./grid.js";

const TILES = Array.from({ length: 17 }, (_, index) => 2 ** (index + 1));

/**
 * @param {object} handlers
 * @param {() => number} handlers.tile the tile of the selected cell
 * @param {(tile: number) => void} handlers.onTile the selected cell gets a tile
 */
export function createPalette({ tile, onTile }) {
  const id = freshId("tile");
  const field = el("input", {
    id,
    type: "number",
    min: 0,
    step: 1,
    inputmode: "numeric",
    autocomplete: "off",
    onchange: () => onTile(Number(field.value)),
    onkeydown: (event) => event.key === "Enter" && field.blur(),
  });
  const button = (text, name, change) =>
    el("button", { class: "button", type: "button", "aria-label": name, title: name, onclick: () => onTile(change(tile())) }, text);
  const tiles = TILES.map((value) => tileButton(value, onTile));
  const element = el(
    "div",
    { class: "stack edit-palette" },
    el(
      "div",
      { class: "row edit-tile-row" },
      el("div", { class: "field edit-tile-field" }, el("label", { for: id }, "Tile"), field),
      button("\u00d72", "\u00d72: double the selected tile", doubled),
      button("\u00f72", "\u00f72: halve the selected tile", halved),
      button("Empty", "Empty the selected cell", () => 0),
    ),
    el("div", { class: "edit-tiles", role: "group", "aria-label": "Tiles for the selected cell" }, tiles),
  );

  function show(value) {
    if (document.activeElement !== field) field.value = value || "";
    tiles.forEach((each, index) => each.setAttribute("aria-pressed", String(TILES[index] === value)));
  }

  return { element, show };
}

function tileButton(value, onTile) {
  const button = el("button", { class: "edit-swatch", type: "button", onclick: () => onTile(value) }, String(value));
  const { fill, ink } = tilePaint(value);
  button.style.backgroundColor = fill;
  button.style.color = ink;
  button.style.setProperty("--text", digitSize(value));
  return button;
}
