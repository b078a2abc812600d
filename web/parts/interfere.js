/** How a person moves: keys, swipes on the board, and four buttons. */

import { el } from "./dom.js";

const KEYS = {
  ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left",
  w: "up", d: "right", s: "down", a: "left",
  k: "up", l: "right", j: "down", h: "left",
};
/** A swipe is at least this long, in pixels. */
const SWIPE = 24;

/** The direction of a key event, or undefined. */
export function directionOf(event) {
  return KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
}

/** Whether a key belongs to the control that has the focus, not to the view. */
export function isTaken(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return true;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest("input, select, textarea, dialog, [contenteditable]")) return true;
  return (event.key === " " || event.key === "Enter") && Boolean(target.closest("button, a, summary"));
}

/** Reports swipes on an element. */
export function listenForSwipes(element, onSwipe) {
  let start = null;
  element.classList.add("swipes");
  element.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    element.setPointerCapture(event.pointerId);
  });
  // Without this, a swipe counts as a fling, and the next tap only stops it.
  element.addEventListener("touchmove", (event) => event.preventDefault(), { passive: false });
  element.addEventListener("pointercancel", () => (start = null));
  element.addEventListener("pointerup", (event) => {
    if (start?.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    start = null;
    if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE) return;
    if (Math.abs(dx) > Math.abs(dy)) onSwipe(dx > 0 ? "right" : "left");
    else onSwipe(dy > 0 ? "down" : "up");
  });
}

/** Four buttons in a cross. */
export function createPad(onPress) {
  const button = (direction) =>
    el(
      "button",
      {
        class: `button pad-${direction}`,
        type: "button",
        "aria-label": `Move ${direction}`,
        onclick: () => onPress(direction),
      },
      el("span", { class: `icon icon-arrow ${direction}`, "aria-hidden": "true" }),
    );
  const buttons = ["up", "left", "down", "right"].map(button);
  return el("div", { class: "pad", role: "group", "aria-label": "Your moves" }, buttons);
}
