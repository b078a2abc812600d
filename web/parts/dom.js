/**
 * Elements in one line. Attributes are set as attributes, listeners with `onclick: f`, and
 * properties that have no attribute with `.name: value`.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element: `el("button", { class: "button", onclick: play }, "Play")`. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

let last = 0;

/** An id that no other element has, to tie a label to its field. */
export function freshId(prefix) {
  last += 1;
  return `${prefix}-${last}`;
}

/** Sets a text only if it changed, so that live regions and selections stay as they are. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
