/**
 * A curve in a small SVG picture, such as the score over the moves.
 *
 * Points are thinned when there are too many for the picture, so that a game of a million moves
 * costs no more than a short one. Drawing waits for the next frame.
 */

import { el, freshId, setText, svg } from "./dom.js";
import { value, whole } from "./format.js";

/** More points than this are thinned to half as many. */
const MOST = 1200;
const [WIDTH, HEIGHT] = [600, 160];

/**
 * Makes a curve.
 *
 * @param {object} [options]
 * @param {string} [options.label] what the curve shows, for its name: "Score"
 * @param {string} [options.across] what runs to the right: "moves"
 * @param {(x: number) => void} [options.onPick] called with the x of a click
 * @returns {{element: HTMLElement, add: Function, set: Function, clear: Function, mark: Function}}
 */
export function createCurve({ label = "Score", across = "moves", onPick } = {}) {
  const line = svg("path", { class: "curve-line" });
  const area = svg("path", { class: "curve-area" });
  const marked = svg("line", { class: "curve-mark", y1: 0, y2: HEIGHT, visibility: "hidden" });
  const name = freshId("curve");
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-labelledby": name },
    area,
    line,
    marked,
  );
  const top = el("span", { class: "curve-top" });
  const low = el("span", { class: "curve-low" }, "0");
  const right = el("span", { class: "curve-right" });
  const caption = el("figcaption", { class: "curve-caption", id: name }, label);
  const plot = el("div", { class: "curve-plot" }, picture, top);
  const foot = el("div", { class: "curve-foot", "aria-hidden": "true" }, low, right);
  const element = el("figure", { class: "curve" }, caption, plot, foot);

  let points = [];
  let latest = null;
  let keepEvery = 1;
  let seen = 0;
  let at = null;
  let asked = false;
  let box = boxOf([]);

  function later() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(draw);
  }

  function draw() {
    asked = false;
    const all = latest && points.at(-1) !== latest ? [...points, latest] : points;
    box = boxOf(all);
    const toX = (x) => ((x - box.left) / (box.right - box.left)) * WIDTH;
    const toY = (y) => HEIGHT - ((y - box.bottom) / (box.top - box.bottom)) * HEIGHT;
    const path = all.map(([x, y]) => `${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`).join("L");
    line.setAttribute("d", path && `M${path}`);
    const [first, end] = [all[0], all.at(-1)];
    const ground = toY(Math.max(0, box.bottom)).toFixed(1);
    const [from, to] = path ? [toX(first[0]).toFixed(1), toX(end[0]).toFixed(1)] : [];
    area.setAttribute("d", path && `M${from} ${ground}L${path}L${to} ${ground}Z`);
    setText(top, value(box.top));
    setText(low, `${box.bottom < 0 ? `${value(box.bottom)} at ` : ""}${across} ${whole(box.left)}`);
    setText(right, whole(box.right));
    setText(caption, end ? `${label}: ${value(end[1])} at ${across} ${whole(end[0])}` : label);
    marked.setAttribute("visibility", at === null ? "hidden" : "visible");
    if (at !== null) {
      marked.setAttribute("x1", toX(at));
      marked.setAttribute("x2", toX(at));
    }
  }

  /** Adds a point to the right end. */
  function add(x, y) {
    latest = [x, y];
    if (seen % keepEvery === 0) points.push(latest);
    seen += 1;
    if (points.length > MOST) {
      points = points.filter((_, index) => index % 2 === 0);
      keepEvery *= 2;
    }
    later();
  }

  /** Replaces all points: `[[x, y], ...]` with growing x. */
  function set(all) {
    const step = Math.max(1, Math.ceil(all.length / MOST));
    points = all.filter((_, index) => index % step === 0).map(([x, y]) => [x, y]);
    [seen, keepEvery] = [all.length, step];
    latest = all.length > 0 ? [...all.at(-1)] : null;
    later();
  }

  function clear() {
    set([]);
    mark(null);
  }

  /** Marks an x with a vertical line; `null` removes it. */
  function mark(x) {
    at = x;
    later();
  }

  if (onPick) {
    plot.classList.add("curve-pick");
    plot.addEventListener("click", (event) => {
      const { left, width } = plot.getBoundingClientRect();
      if (width === 0) return;
      onPick(Math.round(box.left + ((event.clientX - left) / width) * (box.right - box.left)));
    });
  }
  draw();
  return { element, add, set, clear, mark };
}

/** The range that is drawn. The vertical one contains zero and has some room above. */
function boxOf(points) {
  const ys = points.map(([, y]) => y);
  const left = points.length > 0 ? points[0][0] : 0;
  const right = Math.max(left + 1, points.at(-1)?.[0] ?? 1);
  const top = ys.reduce((most, y) => Math.max(most, y), 0);
  const bottom = ys.reduce((least, y) => Math.min(least, y), 0);
  return { left, right, top: roundUp(top) || 1, bottom: -roundUp(-bottom) };
}

/** The next number with one or two round leading digits. */
function roundUp(number) {
  if (number <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(number));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * unit >= number * 0.9999) * unit;
}
