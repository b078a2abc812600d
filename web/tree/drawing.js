/**
 * The drawn tree: a `role=tree` with the keys of a tree, as a picture that can be scrolled and
 * zoomed, or as an outline for narrow screens. Both use the same elements.
 */

import { el, svg } from "../parts/dom.js";
import { thumb } from "../parts/thumb.js";
import { worthText } from "../parts/words.js";
import { describe } from "../speech.js";
import { layout } from "./layout.js";
import { freshCell, isAfterstate, stepLabel, stepWords } from "./nodes.js";

const ZOOM = { least: 0.25, most: 3, step: 1.25 };
const MARGIN = 16;

export function createDrawing() {
  const edges = svg("svg", { class: "tree-edges", "aria-hidden": "true" });
  const list = el("div", { class: "tree-nodes", role: "tree", "aria-label": "Search tree" });
  const canvas = el("div", { class: "tree-canvas" }, edges, list);
  const space = el("div", { class: "tree-space" }, canvas);
  const element = el("div", { class: "tree-scroll" }, space);

  let tree = null;
  let elements = new Map();
  let active = 0;
  let zoom = 1;
  let outline = false;
  let size = { width: 0, height: 0 };

  // A tree may have a thousand boards; each is drawn when it comes into view.
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      const node = tree.nodes[target.dataset.board];
      target.append(thumb(node.tiles, { fresh: freshCell(node) }));
      seen.unobserve(target);
    }
  });

  /** Shows another tree. */
  function set(next) {
    seen.disconnect();
    tree = next;
    active = 0;
    elements = new Map();
    draw();
    centre(0);
  }

  function draw() {
    if (!tree) {
      list.replaceChildren();
      edges.replaceChildren();
      return;
    }
    const shown = tree.shown();
    if (!shown.includes(active)) active = 0;
    arrangeChildren(list, shown.map(elementOf));
    for (const index of shown) update(index);
    element.classList.toggle("tree-outline", outline);
    if (outline) {
      edges.replaceChildren();
      scale();
    } else {
      arrange();
    }
  }

  function elementOf(index) {
    if (!elements.has(index)) elements.set(index, create(index));
    return elements.get(index);
  }

  function create(index) {
    const node = tree.nodes[index];
    const [rank, siblings] = tree.rank(index);
    const label = stepLabel(node);
    const worth = worthText(node.value);
    const spoken = (text) => el("span", { class: "visually-hidden" }, text);
    const toggle = tree.hasChildren(index) ? el("span", { class: "tree-toggle", "aria-hidden": "true" }) : null;
    const more = node.left_out > 0 ? el("span", { class: "tree-more" }, `and ${node.left_out} more`) : null;
    const board = el("span", { class: "tree-board", "data-board": index });
    board.style.aspectRatio = `${node.tiles[0].length} / ${node.tiles.length}`;
    seen.observe(board);
    const made = el(
      "div",
      {
        class: "tree-node",
        role: "treeitem",
        "data-node": index,
        "aria-level": tree.level[index] + 1,
        "aria-posinset": rank,
        "aria-setsize": siblings,
        "aria-selected": "false",
      },
      label ? el("span", { class: "tree-step" }, label) : null,
      spoken(` ${stepWords(node)} `),
      board,
      el("span", { class: "tree-text" }, worth ? el("span", { class: "tree-worth" }, worth) : null, more),
      spoken(` ${node.best ? "on the best line; " : ""}${describe(node.tiles)}`),
      toggle,
    );
    made.style.setProperty("--level", tree.level[index]);
    made.classList.toggle("tree-best", node.best);
    made.classList.toggle("tree-after", isAfterstate(node));
    return made;
  }

  function update(index) {
    const target = elements.get(index);
    if (tree.hasChildren(index)) target.setAttribute("aria-expanded", String(tree.isOpen(index)));
    target.tabIndex = index === active ? 0 : -1;
    const toggle = target.querySelector(".tree-toggle");
    if (toggle) toggle.dataset.text = tree.isOpen(index) ? "\u2212" : `+ ${tree.children[index].length}`;
  }

  /** Puts the nodes and edges of the picture in their places. */
  function arrange() {
    const { places, width, height } = layout(tree);
    size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
    for (const [index, place] of places) {
      const { style } = elements.get(index);
      style.left = `${place.x + MARGIN}px`;
      style.top = `${place.y + MARGIN}px`;
      style.width = `${place.width}px`;
      style.setProperty("--board", `${place.board}px`);
    }
    edges.setAttribute("width", size.width);
    edges.setAttribute("height", size.height);
    const drawn = [...places].filter(([index]) => tree.parent(index) !== null);
    // The best line is drawn last, above the others.
    drawn.sort(([one], [other]) => Number(tree.nodes[one].best) - Number(tree.nodes[other].best));
    edges.replaceChildren(...drawn.map(([index, place]) => edge(index, place, places.get(tree.parent(index)))));
    scale();
  }

  function edge(index, to, from) {
    const [x0, y0] = [from.x + from.width / 2 + MARGIN, from.y + from.height + MARGIN];
    const best = tree.nodes[index].best;
    let path;
    if (to.inColumn) {
      const [x, y] = [to.x + MARGIN, to.y + MARGIN + to.height / 2];
      path = `M${x0} ${y0}V${y0 + 4}H${x - 8}V${y}H${x}`;
    } else {
      const [x, y] = [to.x + to.width / 2 + MARGIN, to.y + MARGIN];
      const middle = (y0 + y) / 2;
      path = `M${x0} ${y0}C${x0} ${middle} ${x} ${middle} ${x} ${y}`;
    }
    return svg("path", { d: path, class: best ? "tree-edge tree-edge-best" : "tree-edge" });
  }

  function scale() {
    canvas.style.transform = outline || zoom === 1 ? "" : `scale(${zoom})`;
    canvas.style.width = outline ? "" : `${size.width}px`;
    canvas.style.height = outline ? "" : `${size.height}px`;
    space.style.width = outline ? "" : `${size.width * zoom}px`;
    space.style.height = outline ? "" : `${size.height * zoom}px`;
    element.style.setProperty("--zoom", zoom);
  }

  /** Changes the scale; the middle of the view stays where it is. */
  function setZoom(next) {
    const before = zoom;
    zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, next));
    const [x, y] = [element.scrollLeft + element.clientWidth / 2, element.scrollTop + element.clientHeight / 2];
    scale();
    element.scrollLeft = (x * zoom) / before - element.clientWidth / 2;
    element.scrollTop = (y * zoom) / before - element.clientHeight / 2;
  }

  /** The scale at which the whole width can be seen, or full size if that is less than `least`. */
  function fit(least = 0) {
    if (size.width === 0) return;
    const whole = Math.min(1, element.clientWidth / size.width);
    setZoom(whole >= least ? whole : 1);
    centre(0);
  }

  function centre(index) {
    const target = elements.get(index);
    if (!target || outline) return;
    element.scrollLeft = (target.offsetLeft + target.offsetWidth / 2) * zoom - element.clientWidth / 2;
    element.scrollTop = target.offsetTop * zoom - MARGIN;
  }

  function focus(index) {
    const before = active;
    active = index;
    update(before);
    update(active);
    elements.get(before)?.setAttribute("aria-selected", "false");
    const target = elements.get(active);
    target.setAttribute("aria-selected", "true");
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function toggle(index) {
    if (!tree.hasChildren(index)) return;
    const before = elements.get(index).getBoundingClientRect();
    tree.toggle(index);
    draw();
    // The node stays where it was on the screen.
    const after = elements.get(index).getBoundingClientRect();
    element.scrollLeft += after.left - before.left;
    element.scrollTop += after.top - before.top;
    focus(index);
  }

  function onKey(event) {
    if (!tree || event.ctrlKey || event.altKey || event.metaKey) return;
    const shown = tree.shown();
    const at = shown.indexOf(active);
    const go = (index) => index !== undefined && index !== null && focus(index);
    const keys = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      ArrowRight: () => (tree.isOpen(active) ? go(tree.children[active][0]) : toggle(active)),
      ArrowLeft: () => (tree.isOpen(active) ? toggle(active) : go(tree.parent(active))),
      Home: () => go(0),
      End: () => go(shown.at(-1)),
      Enter: () => toggle(active),
      " ": () => toggle(active),
      "*": () => openSiblings(),
      "+": () => setZoom(zoom * ZOOM.step),
      "-": () => setZoom(zoom / ZOOM.step),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  function openSiblings() {
    const parent = tree.parent(active);
    for (const index of parent === null ? [active] : tree.children[parent]) tree.open(index);
    draw();
    focus(active);
  }

  list.addEventListener("keydown", onKey);
  list.addEventListener("click", ({ target }) => {
    const node = target instanceof Element ? target.closest("[data-node]") : null;
    if (!node || element.dataset.dragged) return;
    const index = Number(node.dataset.node);
    focus(index);
    toggle(index);
  });
  dragToScroll(element);

  return {
    element,
    set,
    draw,
    fit,
    zoomIn: () => setZoom(zoom * ZOOM.step),
    zoomOut: () => setZoom(zoom / ZOOM.step),
    zoomTo: setZoom,
    /** Whether to draw an outline instead of a picture. */
    setOutline(next) {
      outline = next;
      draw();
    },
    home: () => centre(0),
  };
}

/** Makes these the children of an element. Those that stay in place are not touched. */
function arrangeChildren(parent, wanted) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of wanted) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/** The mouse moves the picture by dragging. Touch scrolls by itself. */
function dragToScroll(element) {
  let from = null;
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    from = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
    delete element.dataset.dragged;
  });
  element.addEventListener("pointermove", (event) => {
    if (!from || event.buttons === 0) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(dx) + Math.abs(dy) > 6) element.dataset.dragged = "yes";
    element.scrollLeft = from.left - dx;
    element.scrollTop = from.top - dy;
  });
  element.addEventListener("pointerup", () => {
    from = null;
    // The click comes after this event and must still see the mark.
    setTimeout(() => delete element.dataset.dragged);
  });
}
