/** The JSON files of `lab2048 evolve`: runs with their generations, checkpoints, sweeps. */

/**
 * Recognises a file of `lab2048 evolve`.
 *
 * @param {object} value the parsed JSON
 * @returns {?{kind: string, data: object, note?: string}} null for any other file
 */
export function readEvolution(value) {
  if (value.lab2048 === "evolution") return checkpoint(value);
  if (Array.isArray(value.runs) && value.runs.every(isRun)) {
    return evolution(value.runs.map((run) => ({ ...run, reports: run.generations })), value);
  }
  if (Array.isArray(value.cells)) return sweep(value);
  if (Array.isArray(value.rows) && value.rows.every((row) => row.again && row.best)) return reproduction(value);
  return null;
}

function isRun(run) {
  return typeof run?.champion?.program === "string" && Array.isArray(run.generations);
}

function checkpoint(value) {
  const finished = Array.isArray(value.finished) ? value.finished : [];
  const { current } = value;
  const running = Array.isArray(current?.reports) && current.reports.length
    ? [{ seed: current.settings?.seed, champion: current.champion, reports: current.reports }]
    : [];
  const found = evolution([...finished, ...running], value);
  return found && running.length ? { ...found, note: "its last run is not finished" } : found;
}

function evolution(runs, { settings }) {
  const known = runs.filter((run) => Array.isArray(run.reports) && run.reports.length && run.reports.every(isReport));
  if (known.length === 0) return null;
  return { kind: "evolution", data: { settings, runs: known.map(toRun) } };
}

function isReport(report) {
  return ["generation", "best_score", "mean_score", "champion_score", "size"].every((name) => Number.isFinite(report?.[name]));
}

function toRun({ seed, champion, reports, trial }) {
  return { seed, champion: champion ?? null, reports, trial: trial ?? null };
}

/** A sweep or a reproduction is a table: named columns, rows of numbers or texts. */
function sweep({ cells }) {
  const known = cells.filter((cell) => cell?.settings && Number.isFinite(cell.mean_score));
  if (known.length === 0 || known.length < cells.length) return null;
  const names = Object.keys(known[0].settings);
  const text = (cell, name) => JSON.stringify(cell.settings[name]);
  const differ = names.filter((name) => known.some((cell) => text(cell, name) !== text(known[0], name)));
  const columns = [...differ, "generations", "mean score", "s.e.", "spread of runs", "mean largest tile"];
  const rows = known.map((cell) => [
    ...differ.map((name) => (typeof cell.settings[name] === "object" ? text(cell, name) : cell.settings[name])),
    cell.generations, cell.mean_score, cell.error, cell.deviation, cell.mean_largest,
  ]);
  return { kind: "table", data: { title: "Sweep", columns, rows } };
}

function reproduction({ rows: given }) {
  const columns = ["experiment", "score", "s.e.", "largest tile", "best score", "best largest tile",
    "paper: score", "paper: largest tile"];
  const rows = given.map(({ name, again, best, document: paper }) => [
    name, again.score, again.error, again.largest, best.score, best.largest, paper?.[0] ?? null, paper?.[1] ?? null,
  ]);
  return { kind: "table", data: { title: "Experiments of the paper", columns, rows } };
}
