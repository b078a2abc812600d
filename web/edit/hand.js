/**
 * Moves by hand: choose a direction, see where the tiles slide, and place the new tile. The seed of
 * the game can place it as well.
 */

import { el, setText } from "../parts/dom.js";
import { whole } from "../parts/format.js";
import { DIRECTIONS, arrow } from "../parts/words.js";

/**
 * @param {object} handlers
 * @param {(direction: string) => void} handlers.onSlide a direction was chosen
 * @param {() => void} handlers.onRandom the seed places the tile
 * @param {() => void} handlers.onLeave the move is given up
 */
export function createHand({ onSlide, onRandom, onLeave }) {
  const pads = DIRECTIONS.map((direction) =>
    el(
      "button",
      {
        class: `button edit-pad edit-pad-${direction}`,
        type: "button",
        "aria-label": `Move ${direction}`,
        onclick: () => onSlide(direction),
      },
      arrow(direction),
    ));
  const tile = (value) => el("input", { type: "radio", name: "edit-new-tile", value, ".checked": value === 2 });
  const radios = [tile(2), tile(4)];
  const text = el("p", { class: "edit-hand-text" });
  const chosen = el(
    "div",
    { class: "stack", hidden: true },
    el(
      "fieldset",
      { class: "row edit-new-tile" },
      el("legend", {}, "New tile"),
      radios.map((radio) => el("label", { class: "row" }, radio, radio.value)),
    ),
    el(
      "div",
      { class: "row" },
      el("button", { class: "button", type: "button", onclick: onRandom }, "Place it at random"),
      el("button", { class: "button", type: "button", onclick: onLeave }, "Cancel"),
    ),
  );
  const element = el(
    "div",
    { class: "stack edit-hand" },
    text,
    el("div", { class: "edit-pads" }, pads),
    chosen,
  );

  /** Shows the legal moves and, during a move, its `slide` answer. */
  function show({ legal, move = null, slid = null }) {
    DIRECTIONS.forEach((direction, index) => {
      pads[index].disabled = !legal.includes(direction);
      pads[index].setAttribute("aria-pressed", String(direction === move));
    });
    chosen.hidden = slid === null;
    if (slid) {
      const reward = slid.reward > 0 ? ` scores ${whole(slid.reward)}.` : "";
      setText(text, `Moved ${move}${reward ? `, which${reward}` : "."} Now click an empty cell for the new tile.`);
    } else {
      setText(text, legal.length > 0 ? "Choose a direction, then place the new tile yourself." : "No move is legal.");
    }
  }

  return { element, show, tile: () => Number(radios.find((radio) => radio.checked).value) };
}
