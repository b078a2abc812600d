/**
 * Charts with uPlot that follow the theme and the width of the page. The legend is a row of
 * buttons, so that series can be switched by keyboard. Every chart has its numbers as a table.
 */

import { el, setText } from "../parts/dom.js";
import { createTable } from "./table.js";

/** How many colours laboratory.css has. After these, lines are dashed. */
const COLOURS = 8;
const HEIGHT = 300;
/** Charts on narrow screens are less wide than this, and lower. */
const NARROW = 480;

/** What stands below a chart that can be zoomed, while no values are shown there. */
const HINT = "Drag across the chart to enlarge a part; double-click to see all.";

/** The distances of marks on an axis of whole numbers. */
const WHOLE_STEPS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((power) => [power, 2 * power, 5 * power]);

let library = null;

/** Loads uPlot once. It is a classic script, so it is not imported. */
function load() {
  library ??= new Promise((done, failed) => {
    const folder = new URL("../vendor/uPlot/", import.meta.url);
    document.head.append(el("link", { rel: "stylesheet", href: new URL("uPlot.min.css", folder).href }));
    const script = el("script", { src: new URL("uPlot.iife.min.js", folder).href });
    script.onload = () => done(window.uPlot);
    script.onerror = () => {
      library = null;
      failed(new Error("the charts could not be loaded"));
    };
    document.head.append(script);
  });
  return library;
}

/** The colour and the dashes of a series. */
export function paint(place) {
  return {
    property: `--lab-${(place % COLOURS) + 1}`,
    dash: [undefined, [8, 4], [2, 3]][Math.floor(place / COLOURS) % 3],
  };
}

/** A small square in the colour of a series. */
export function swatch(place) {
  const square = el("span", { class: "lab-swatch", "aria-hidden": "true" });
  square.style.background = `var(${paint(place).property})`;
  return square;
}

/**
 * @typedef {object} Series
 * @property {string} label
 * @property {number} place which colour it has
 * @property {number[]} x rising
 * @property {(number|null)[]} y
 * @property {number[]} [low] the lower ends of intervals
 * @property {number[]} [high] the upper ends
 * @property {boolean} [points] points are drawn
 *
 * @typedef {object} Axis
 * @property {string} label
 * @property {(number: number) => string} show how a number is written
 * @property {string[]} [names] the axis has these names at 0, 1, 2 and so on
 * @property {boolean} [share] from 0 to 1
 * @property {boolean} [whole] only whole numbers are marked
 */

/**
 * Makes an empty chart.
 * @returns {{element: HTMLElement, show: (chart: {label: string, x: Axis, y: Axis, steps?: boolean,
 *   series: Series[], table?: HTMLElement}) => void, remove: () => void}}
 */
export function createChart() {
  const place = el("div", { class: "lab-plot", role: "img" });
  const legend = el("div", { class: "lab-legend", role: "group", "aria-label": "Series of the chart" });
  const readout = el("p", { class: "lab-readout muted", "aria-hidden": "true" });
  const numbers = el("details", { class: "lab-numbers" }, el("summary", {}, "Numbers of this chart"));
  const element = el("div", { class: "lab-chart" }, legend, place, readout, numbers);
  const hidden = new Set();
  let [chart, plot, width] = [null, null, 0];

  const watcher = new ResizeObserver(() => {
    const now = Math.floor(place.clientWidth);
    if (!now || now === width) return;
    width = now;
    if (plot) plot.setSize({ width, height: heightOf(width) });
    else draw();
  });
  watcher.observe(place);
  const theme = new MutationObserver(draw);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", draw);

  function show(next) {
    chart = next;
    place.setAttribute("aria-label", `${next.label}. The numbers are in the table below.`);
    legend.replaceChildren(...next.series.map(legendButton));
    legend.hidden = next.series.length < 2;
    numbers.replaceChildren(numbers.firstChild, next.table ?? numbersTable(next));
    draw();
  }

  function legendButton(series) {
    const button = el("button", { type: "button", class: "lab-series", "aria-pressed": !hidden.has(series.label) },
      swatch(series.place), series.label);
    button.setAttribute("aria-pressed", String(!hidden.has(series.label)));
    button.addEventListener("click", () => {
      if (!hidden.delete(series.label)) hidden.add(series.label);
      button.setAttribute("aria-pressed", String(!hidden.has(series.label)));
      draw();
    });
    return button;
  }

  async function draw() {
    const drawn = chart;
    if (!drawn || !place.clientWidth) return;
    try {
      const UPlot = await load();
      if (drawn !== chart) return;
      plot?.destroy();
      width = Math.floor(place.clientWidth);
      const series = chart.series.filter((one) => !hidden.has(one.label));
      const { options, data } = plotOf(UPlot, { ...chart, series }, width, readout);
      plot = new UPlot(options, data, place);
      setText(readout, underCursor(plot, chart));
    } catch (error) {
      setText(readout, `The chart cannot be drawn: ${error.message}.`);
    }
  }

  function remove() {
    watcher.disconnect();
    theme.disconnect();
    system.removeEventListener("change", draw);
    plot?.destroy();
    element.remove();
  }

  return { element, show, remove };
}

function heightOf(width) {
  return width < NARROW ? Math.round(HEIGHT * 0.8) : HEIGHT;
}

/** The options and the data of a uPlot. Series with x values of their own are joined. */
function plotOf(UPlot, chart, width, readout) {
  const { x, y, series, steps } = chart;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const joined = series.length ? UPlot.join(series.map((one) => [one.x, one.y])) : [[0], []];
  const axis = (of, more) => ({
    stroke: colour("--muted"), font, labelFont: font, label: of.label, labelSize: 18,
    grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 },
    values: (_, splits) => splits.map((split) => (split === null ? "" : of.show(split))),
    incrs: of.whole ? WHOLE_STEPS : undefined, ...more,
  });
  const named = x.names && {
    splits: () => x.names.map((_, place) => place),
    values: () => x.names.map((name, place) => (isRoomy(x.names, width) || place % 2 === 0 ? name : "")),
    grid: { show: false },
  };
  const options = {
    width,
    height: heightOf(width),
    padding: [10, 26, 0, 0],
    legend: { show: false },
    cursor: { points: { size: 7 }, drag: { x: !x.names, y: false }, y: false },
    scales: {
      x: { time: false, range: x.names ? [-0.5, x.names.length - 0.5] : undefined },
      y: { range: (_, low, high) => rangeOf(y, low, high, series) },
    },
    axes: [axis(x, { size: 34, ...named }), axis(y, { size: axisWidth })],
    series: [{}, ...series.map((one) => seriesOf(UPlot, one, colour, steps))],
    hooks: {
      draw: [(plot) => drawIntervals(plot, series, colour)],
      setCursor: [(plot) => setText(readout, underCursor(plot, chart))],
    },
  };
  return { options, data: joined };
}

function isRoomy(names, width) {
  return names.join("").length * 8 + names.length * 12 < width - 70;
}

/** As wide as the longest number on it. */
function axisWidth(plot, values) {
  const longest = Math.max(0, ...(values ?? []).map((text) => String(text).length));
  return 22 + 7.5 * longest;
}

function seriesOf(UPlot, { label, place, points }, colour, steps) {
  const { property, dash } = paint(place);
  return {
    label, dash, stroke: colour(property), width: steps ? 1.75 : 2, spanGaps: true,
    paths: steps ? UPlot.paths.stepped({ align: 1 }) : undefined,
    fill: steps ? translucent(colour(property)) : undefined,
    points: { show: Boolean(points), size: 7, fill: colour(property) },
  };
}

function translucent(colour) {
  return /^#[0-9a-f]{6}$/i.test(colour) ? `${colour}22` : undefined;
}

/** The vertical range: it begins at zero unless values are negative, and ends above the highest. */
function rangeOf(axis, low, high, series) {
  const ends = series.flatMap((one) => [...(one.high ?? []), ...(one.low ?? [])]).filter(Number.isFinite);
  const most = Math.max(high ?? 0, ...ends);
  const least = Math.min(low ?? 0, 0, ...ends);
  if (axis.share) return [0, Math.min(1, most * 1.05 || 1) > 0.9 ? 1.02 : most * 1.08 || 1];
  return [least < 0 ? least * 1.05 : 0, most > 0 ? most * 1.05 : 1];
}

/** Whiskers for the intervals. */
function drawIntervals(plot, series, colour) {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  for (const one of series.filter((other) => other.low)) {
    ctx.strokeStyle = colour(paint(one.place).property);
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    one.x.forEach((at, index) => {
      const x = plot.valToPos(at, "x", true);
      const [low, high] = [one.low[index], one.high[index]].map((end) => plot.valToPos(end, "y", true));
      const cap = 4 * ratio;
      ctx.moveTo(x, low);
      ctx.lineTo(x, high);
      for (const end of [low, high]) {
        ctx.moveTo(x - cap, end);
        ctx.lineTo(x + cap, end);
      }
    });
    ctx.stroke();
  }
  ctx.restore();
}

/** The values at the cursor in words. */
function underCursor(plot, { x, y, series }) {
  const at = plot.cursor.left >= 0 ? plot.posToVal(plot.cursor.left, "x") : null;
  if (at === null) return x.names || !matchMedia("(pointer: fine)").matches ? "" : HINT;
  const words = series.map((one) => {
    const near = nearest(one.x, at);
    return near === null || one.y[near] === null ? null : `${one.label}: ${y.show(one.y[near])}`;
  });
  const where = x.names ? x.names[Math.round(at)] : x.show(at);
  return where === undefined ? "" : [`${x.label} ${where}`, ...words.filter(Boolean)].join("; ");
}

function nearest(values, at) {
  let best = null;
  values.forEach((value, index) => {
    if (best === null || Math.abs(value - at) < Math.abs(values[best] - at)) best = index;
  });
  return best;
}

/**
 * The numbers of a chart, for people who do not see it: at most about 40 rows. A row has the last
 * point of every series that is not beyond it.
 */
function numbersTable({ label, x, y, series }) {
  const places = [...new Set(series.flatMap((one) => one.x))].sort((a, b) => a - b);
  const step = Math.ceil(places.length / 40);
  const rows = places.filter((_, index) => index % step === 0 || index === places.length - 1);
  const columns = [
    { name: x.label, value: (at) => at, show: x.show },
    ...series.map((one) => {
      const value = (at) => one.y[lastUpTo(one.x, at)] ?? null;
      return { name: one.label, value, show: (at) => (value(at) === null ? "" : y.show(value(at))) };
    }),
  ];
  const note = el("p", { class: "muted" }, "A row has the last point of every series that is not beyond it.");
  return el("div", { class: "stack" }, places.length > rows.length || series.length > 1 ? note : null,
    createTable({ caption: label, columns, rows }));
}

/** The place of the last value that is not larger; -1 if there is none, or if all end before. */
function lastUpTo(values, at) {
  return at > values.at(-1) ? -1 : values.findLastIndex((value) => value <= at);
}
