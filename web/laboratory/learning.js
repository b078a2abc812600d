/** The section for learning curves: a table of the runs and one chart of all of them. */

import { el, freshId } from "../parts/dom.js";
import { percent, whole } from "../parts/format.js";
import { createChart, swatch } from "./chart.js";
import { joined, lastTenth } from "./curves.js";
import { createTable } from "./table.js";

/** What the horizontal axis can be. */
const ACROSS = {
  moves: { label: "Moves", show: short, value: (point) => point.moves },
  games: { label: "Games", show: short, value: (point) => point.games },
  seconds: { label: "Time", show: duration, value: (point) => point.seconds },
};

/** Makes the section. `show(files)` draws the files of kind "curve". */
export function createLearning() {
  const chart = createChart();
  const table = el("div");
  const order = {};
  let files = [];
  const across = select("Over", Object.entries(ACROSS).map(([name, { label }]) => [name, label.toLowerCase()]), draw);
  const measure = select("Show", [["mean", "mean score"]], draw);
  const least = select("Games in a point", [["500", "at least 500"], ["2000", "at least 2,000"], ["0", "as in the file"]], draw);
  const element = el("section", { class: "panel stack lab-section" }, el("h2", {}, "Learning curves"),
    el("div", { class: "row lab-fields" }, measure.element, across.element, least.element), chart.element, table,
    el("p", { class: "muted" }, "The last mean and the shares are those of the last tenth of the moves. ",
      "Learning curves hold means only, so they give no intervals."));

  function show(next) {
    files = next;
    element.hidden = files.length === 0;
    if (files.length === 0) return;
    const tiles = [...new Set(files.flatMap(({ data }) => data.tiles))].sort((a, b) => a - b);
    measure.fill([["mean", "mean score"], ...tiles.map((tile) => [tile, `share of ${tile}`])]);
    drawTable(tiles);
    draw();
  }

  function draw() {
    if (files.length === 0) return;
    const [chosen, x] = [measure.value(), ACROSS[across.value()]];
    const isMean = chosen === "mean";
    const series = files.flatMap(({ name, data }, place) => {
      const tile = data.tiles.indexOf(chosen);
      if (!isMean && tile < 0) return [];
      const value = isMean ? (point) => point.mean : (point) => point.shares[tile];
      const points = joined(data.points, Number(least.value())).filter(rising(x.value));
      return [{ label: name, place, x: points.map(x.value), y: points.map(value) }];
    });
    chart.show({
      label: `${isMean ? "Mean score" : `Share of games with ${chosen}`} over ${x.label.toLowerCase()}`,
      x,
      y: { label: isMean ? "Mean score" : `Share of games with ${chosen}`, share: !isMean, show: isMean ? whole : percent },
      series,
    });
  }

  function drawTable(tiles) {
    const rows = files.map(({ name, data }, place) => ({ name, data, place, end: data.points.at(-1), last: lastTenth(data) }));
    const share = (row, tile) => (row.data.tiles.includes(tile) ? row.last.shares[row.data.tiles.indexOf(tile)] : null);
    const columns = [
      { name: "File", text: true, value: (row) => row.name,
        show: (row) => el("span", { class: "lab-name" }, swatch(row.place), el("span", {}, row.name)) },
      { name: "Games", value: (row) => row.end.games, show: (row) => whole(row.end.games) },
      { name: "Moves", value: (row) => row.end.moves, show: (row) => whole(row.end.moves) },
      { name: "Time", value: (row) => row.end.seconds, show: (row) => duration(row.end.seconds) },
      { name: "Last mean", help: "Mean score of the games in the last tenth of the moves", value: (row) => row.last.mean,
        show: (row) => whole(row.last.mean) },
      { name: "Games in it", value: (row) => row.last.count, show: (row) => whole(row.last.count) },
      ...tiles.map((tile) => ({ name: tile, help: `Share of the games in the last tenth that reached ${tile}`,
        value: (row) => share(row, tile), show: (row) => (share(row, tile) === null ? "" : percent(share(row, tile))) })),
    ];
    table.replaceChildren(createTable({ caption: "Learning curves", columns, rows, order }));
  }

  return { element, show };
}

/** Keeps the points that are further than those before them. */
function rising(value) {
  let last = -Infinity;
  return (point) => {
    const isFurther = value(point) > last;
    last = Math.max(last, value(point));
    return isFurther;
  };
}

/** A labelled choice. `fill` gives it other options and keeps the choice if it can. */
export function select(label, options, onChange) {
  const id = freshId("lab-select");
  const field = el("select", { id, onchange: onChange });
  function fill(next) {
    const before = field.value;
    field.replaceChildren(...next.map(([value, text]) => el("option", { value }, text)));
    if (next.some(([value]) => value === before)) field.value = before;
  }
  fill(options);
  const element = el("div", { class: "field" }, el("label", { for: id }, label), field);
  const choose = (value) => (field.value = value);
  return { element, fill, choose, value: () => field.value };
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

function short(number) {
  return COMPACT.format(number);
}

/** Seconds as `45 s`, `12 min`, `3.5 h`. */
function duration(seconds) {
  if (seconds < 100) return `${whole(seconds)} s`;
  if (seconds < 6000) return `${whole(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
