/**
 * The section for evolutions: a table of the runs with their champions, the fitness by generation,
 * and the tables of sweeps and reproductions.
 */

import { el } from "../parts/dom.js";
import { percent, value, whole } from "../parts/format.js";
import { createChart, swatch } from "./chart.js";
import { select } from "./learning.js";
import { createTable } from "./table.js";

/** What the chart can show of each generation. */
const MEASURES = {
  best: { label: "Best score", show: whole, value: (report) => report.best_score },
  mean: { label: "Mean score", show: whole, value: (report) => report.mean_score },
  champion: { label: "Champion's score", show: whole, value: (report) => report.champion_score },
  fitness: { label: "Best fitness", show: value, value: (report) => report.best?.fitness },
  largest: { label: "Mean largest tile", show: value, value: (report) => report.mean_largest },
  diversity: { label: "Distinct programs", show: percent, share: true, value: (report) => report.diversity },
  size: { label: "Mean number of nodes", show: value, value: (report) => report.size },
};

/** One run has room for three lines. */
const OF_ONE_RUN = ["best", "champion", "mean"];

/** Makes the section. `onProgram(key)` is called to draw a champion. */
export function createBreeding({ onProgram }) {
  const chart = createChart();
  const [table, others] = [el("div"), el("div", { class: "stack" })];
  const order = {};
  let runs = [];
  const measure = select("Show", [["score", "score: best, champion, mean"]], draw);
  const part = el("div", { class: "stack" }, el("div", { class: "row lab-fields" }, measure.element), chart.element, table);
  const element = el("section", { class: "panel stack lab-section" }, el("h2", {}, "Evolution"), part, others);

  function show(files, tables) {
    runs = files.flatMap(runsOf).map((run, place) => ({ ...run, place }));
    element.hidden = runs.length + tables.length === 0;
    part.hidden = runs.length === 0;
    others.replaceChildren(...tables.flatMap(({ name, data }) => [
      el("h3", {}, `${data.title}: ${name}`), givenTable(name, data),
    ]));
    if (runs.length === 0) return;
    measure.fill([
      ...(runs.length === 1 ? [["score", "score: best, champion, mean"]] : []),
      ...Object.entries(MEASURES).map(([name, { label }]) => [name, label.toLowerCase()]),
    ]);
    drawTable();
    draw();
  }

  function draw() {
    if (runs.length === 0) return;
    const together = measure.value() === "score";
    const chosen = MEASURES[together ? "best" : measure.value()];
    const line = (run, { label, value: of }, place, name) => {
      const known = run.reports.filter((report) => Number.isFinite(of(report)));
      return { label: name ?? label, place, x: known.map(({ generation }) => generation), y: known.map(of) };
    };
    const series = together
      ? OF_ONE_RUN.map((name, place) => line(runs[0], MEASURES[name], place))
      : runs.map((run) => line(run, chosen, run.place, run.label));
    const y = { label: together ? "Score" : chosen.label, share: chosen.share, show: chosen.show };
    chart.show({ label: `${y.label} by generation`, x: { label: "Generation", whole: true, show: whole }, y, series });
  }

  function drawTable() {
    const last = (run) => run.reports.at(-1);
    const several = new Set(runs.map((run) => run.file)).size > 1;
    const columns = [
      { name: "Run", text: true, value: (run) => run.label,
        show: (run) => el("span", { class: "lab-name" }, swatch(run.place), el("span", {}, `seed ${run.seed ?? "unknown"}`)) },
      ...(several ? [{ name: "File", text: true, value: (run) => run.file }] : []),
      { name: "Generations", help: "The number of the last generation", value: (run) => last(run).generation },
      { name: "Champion since", help: "The generation of the champion", value: (run) => run.champion?.generation ?? null },
      { name: "Mean nodes", help: "Mean number of nodes in the last generation", value: (run) => last(run).size,
        show: (run) => value(last(run).size) },
      { name: "Champion's score", help: "Its mean score in the games that made it champion",
        value: (run) => last(run).champion_score, show: (run) => whole(last(run).champion_score) },
      { name: "Fresh games", value: (run) => run.trial?.games ?? null, show: (run) => (run.trial ? whole(run.trial.games) : "") },
      { name: "Mean in fresh games", value: (run) => run.trial?.score ?? null,
        show: (run) => (run.trial ? whole(run.trial.score) : "") },
      { name: "95% interval", help: "1.96 standard errors to each side", value: (run) => run.trial?.error ?? null,
        show: (run) => (run.trial ? interval(run.trial) : "") },
      { name: "Program", text: true, show: (run) => (run.champion ? drawButton(run) : "") },
    ];
    table.replaceChildren(createTable({ caption: "Runs of the evolutions", columns, rows: runs, order }));
  }

  function drawButton(run) {
    return el("button", { type: "button", class: "button lab-small", "aria-label": `Draw the champion of ${run.label}`,
      onclick: () => onProgram(run.key) }, "Draw");
  }

  return { element, show };
}

function interval({ score, error }) {
  return `${whole(score - 1.96 * error)} to ${whole(score + 1.96 * error)}`;
}

/** The runs of a file, each with a name and a key of its own. */
export function runsOf({ id, name, data }) {
  return data.runs.map((run, index) => ({
    ...run,
    file: name,
    key: `${id}:${index}`,
    label: data.runs.length > 1 ? `${name}, seed ${run.seed ?? index + 1}` : name,
  }));
}

/** A table that stands in the file as it is. */
function givenTable(name, { title, columns, rows }) {
  const isText = (place) => rows.every((row) => typeof row[place] !== "number");
  return createTable({
    caption: `${title}: ${name}`,
    rows,
    order: {},
    columns: columns.map((column, place) => ({
      name: column, text: isText(place), value: (row) => row[place] ?? null,
      show: (row) => (typeof row[place] === "number" ? value(row[place]) : row[place] ?? ""),
    })),
  });
}
