/** The slider for the pace of a watched game. */

import { el, freshId, setText } from "./dom.js";
import { rate } from "./format.js";

const SLOWEST = 2000;
const FASTEST = 20;
const STEPS = 40;

/** The time between two moves at a place of the slider; 0 is one move a frame. */
function delayAt(place) {
  if (place >= STEPS) return 0;
  return Math.round(SLOWEST * (FASTEST / SLOWEST) ** (place / STEPS));
}

/** A pace in words. */
function describePace(delay) {
  if (delay === 0) return "as fast as it can be drawn";
  if (delay > 1000) return `a move every ${rate(delay / 1000)} s`;
  return `${rate(1000 / delay)} moves a second`;
}

/**
 * Makes the slider.
 * @param {{place?: number, onChange: (delay: number) => void}} options
 * @returns {{element: HTMLElement, delay: () => number}}
 */
export function createSpeed({ place = 16, onChange }) {
  const id = freshId("speed");
  const slider = el("input", { id, type: "range", min: 0, max: STEPS, step: 1, ".value": place });
  const text = el("output", { class: "speed-text muted", for: id });
  const delay = () => delayAt(Number(slider.value));
  const show = () => {
    setText(text, describePace(delay()));
    slider.setAttribute("aria-valuetext", describePace(delay()));
  };
  slider.addEventListener("input", () => {
    show();
    onChange(delay());
  });
  show();
  const element = el("div", { class: "speed" }, el("label", { for: id }, "Speed"), slider, text);
  return { element, delay };
}
