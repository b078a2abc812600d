/**
 * Draws the trees of a program: a picture for wide screens, and an outline that is read aloud and
 * fits a phone. Both show the value of every node that has one.
 */

import { el, svg } from "../parts/dom.js";
import { count, value } from "../parts/format.js";

/** Sizes in pixels. */
const [HEIGHT, LEVEL, GAP, LETTER, MARGIN] = [38, 66, 8, 7.4, 4];
const LEAST_WIDTH = 56;
/** A picture of more nodes would be slow and too wide to follow. It shows the upper levels. */
const MOST_DRAWN = 400;

/**
 * The trees as pictures, one after another.
 *
 * @param {{trees: object[], nodes: object[]}} program the answer to the request `program`
 * @param {(number|null)[]} values the value of every node
 * @param {string} label
 */
export function drawTrees({ trees, nodes }, values, label) {
  return trees.map((tree) => {
    const all = nodes.slice(tree.first, tree.first + tree.size).map((node, index) => ({
      ...node, parent: node.parent === null ? null : node.parent - tree.first, value: values[tree.first + index],
    }));
    const levels = levelsToDraw(all);
    const picture = drawTree(upTo(all, levels));
    picture.setAttribute("aria-label", `${label}, tree ${tree.name}; the outline below has the same nodes`);
    const part = levels < tree.depth ? `; the picture has the upper ${levels} levels` : "";
    const title = `${tree.name}: ${count(tree.size, "node")}, depth ${tree.depth}${part}`;
    return el("figure", { class: "lab-tree" }, el("figcaption", {}, title),
      el("div", { class: "lab-scroll", tabindex: "0", role: "region", "aria-label": `Tree ${tree.name}` }, picture));
  });
}

/** As many levels as have few enough nodes. */
function levelsToDraw(nodes) {
  const sizes = [];
  for (const { depth } of nodes) sizes[depth] = (sizes[depth] ?? 0) + 1;
  let [levels, drawn] = [0, 0];
  while (levels < sizes.length && (levels === 0 || drawn + sizes[levels] <= MOST_DRAWN)) {
    drawn += sizes[levels];
    levels += 1;
  }
  return levels;
}

/** The nodes of the upper levels. A node whose arguments are left out is `cut`. */
function upTo(nodes, levels) {
  const places = new Map();
  nodes.forEach(({ depth }, index) => {
    if (depth < levels) places.set(index, places.size);
  });
  return [...places.keys()].map((index) => ({
    ...nodes[index],
    parent: places.get(nodes[index].parent) ?? null,
    cut: nodes[index].depth === levels - 1 && nodes[index].kind === "function",
  }));
}

function drawTree(nodes) {
  const children = childrenOf(nodes);
  const widths = nodes.map(({ label }) => Math.max(LEAST_WIDTH, LETTER * label.length + 14));
  const { middles, width } = place(children, widths);
  const levels = Math.max(...nodes.map(({ depth }) => depth));
  const [wide, high] = [width + 2 * MARGIN, levels * LEVEL + HEIGHT + 2 * MARGIN];
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img",
    "data-root": middles[0] + MARGIN });
  const at = (index) => [middles[index] + MARGIN, nodes[index].depth * LEVEL + MARGIN];
  nodes.forEach(({ parent, value: number }, index) => {
    if (parent === null) return;
    const [[x, y], [above, top]] = [at(index), at(parent)];
    const [from, middle] = [top + HEIGHT, (top + HEIGHT + y) / 2];
    const line = `M${above} ${from}C${above} ${middle} ${x} ${middle} ${x} ${y}`;
    picture.append(svg("path", { d: line, class: number === null ? "lab-edge" : "lab-edge lab-known" }));
  });
  nodes.forEach((node, index) => picture.append(drawNode(node, at(index), widths[index])));
  return picture;
}

function drawNode(node, [x, y], width) {
  const shown = node.value !== null && node.kind !== "constant";
  const classes = ["lab-node", `lab-${node.kind}`, node.fired && "lab-fired", node.cut && "lab-cut"].filter(Boolean);
  const group = svg("g", { class: classes.join(" ") },
    svg("rect", { x: x - width / 2, y, width, height: HEIGHT, rx: 4 }),
    svg("text", { x, y: y + (shown ? 16 : 24) }, node.label));
  if (shown) group.append(svg("text", { x, y: y + 31, class: "lab-value" }, value(node.value)));
  return group;
}

function childrenOf(nodes) {
  const children = nodes.map(() => []);
  nodes.forEach(({ parent }, index) => {
    if (parent !== null) children[parent].push(index);
  });
  return children;
}

/**
 * Places nodes: a parent stands over the middle of its children, and neighbours of one level never
 * overlap. Subtrees are packed against the contour of those to their left.
 */
export function place(children, widths) {
  const middles = widths.map(() => 0);
  // Children come after their parents, so this goes from the leaves to the root.
  const contours = widths.map(() => null);
  const move = (index, by) => {
    middles[index] += by;
    children[index].forEach((child) => move(child, by));
  };
  for (let index = widths.length - 1; index >= 0; index -= 1) {
    const [lefts, rights] = [[], []];
    for (const child of children[index]) {
      const contour = contours[child];
      const by = Math.max(0, ...contour.lefts.map((left, level) => (rights[level] ?? -Infinity) + GAP - left));
      const shift = rights.length ? by : 0;
      move(child, shift);
      contour.rights.forEach((right, level) => {
        lefts[level] ??= contour.lefts[level] + shift;
        rights[level] = right + shift;
      });
      contours[child] = null;
    }
    const [firstChild, lastChild] = [children[index][0], children[index].at(-1)];
    middles[index] = firstChild === undefined ? widths[index] / 2 : (middles[firstChild] + middles[lastChild]) / 2;
    const half = widths[index] / 2;
    contours[index] = { lefts: [middles[index] - half, ...lefts], rights: [middles[index] + half, ...rights] };
  }
  const left = Math.min(...contours[0].lefts);
  move(0, -left);
  return { middles, width: Math.max(...contours[0].rights) - left };
}

/** The trees as nested lists. */
export function outline({ trees, nodes }, values) {
  return trees.map((tree) => {
    const items = new Map();
    let top = null;
    for (let index = tree.first; index < tree.first + tree.size; index += 1) {
      const node = nodes[index];
      const item = el("li", {}, el("span", { class: node.fired ? "lab-fired" : null }, said(node, values[index])));
      items.set(index, item);
      if (node.parent === null) top = el("ul", { class: "lab-outline" }, item);
      else listOf(items.get(node.parent)).append(item);
    }
    return el("div", {}, trees.length > 1 ? el("h4", {}, tree.name) : null, top);
  });
}

function said({ label, kind, fired }, number) {
  const shown = number !== null && kind !== "constant" ? ` = ${value(number)}` : "";
  return `${label}${shown}${fired ? ", fired" : ""}`;
}

function listOf(item) {
  let list = item.querySelector(":scope > ul");
  if (!list) item.append((list = el("ul")));
  return list;
}
