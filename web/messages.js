/**
 * Messages: a polite live region for screen readers and short visible ones.
 * @module
 */

const SHOWN = 5000;

/**
 * Tells a screen reader something, without interrupting it.
 * @param {string} text
 */
export function announce(text) {
  document.getElementById("live").textContent = text;
}

/**
 * Shows a short message, which is announced too.
 * @param {string} text
 * @param {{kind?: "info" | "error", action?: {label: string, run: () => void},
 *   time?: number}} options a message with an action stays until it is answered, or for `time`
 */
export function toast(text, { kind = "info", action, time = action ? Infinity : SHOWN } = {}) {
  const box = document.createElement("div");
  box.className = `toast ${kind}`;
  const words = document.createElement("span");
  words.textContent = text;
  box.append(words);
  const add = (label, run) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = label;
    button.addEventListener("click", () => {
      box.remove();
      run();
    });
    box.append(button);
  };
  if (action) {
    add(action.label, action.run);
    if (time === Infinity) add("Later", () => {});
  }
  if (time !== Infinity) setTimeout(() => box.remove(), time);
  document.getElementById("toasts").append(box);
  announce(text);
}
