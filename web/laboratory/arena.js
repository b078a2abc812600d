/**
 * The section for arena records: one table of all players of all files, their differences, and two
 * charts: the distribution of scores and the share of each tile.
 */

import { el } from "../parts/dom.js";
import { percent, rate, whole } from "../parts/format.js";
import { createChart, swatch } from "./chart.js";
import { createTable } from "./table.js";

/** The number of bins of a histogram. */
const [LEAST_BINS, MOST_BINS] = [8, 60];
/** How many columns of the table are shares of tiles. */
const TILE_COLUMNS = 5;

/** Makes the section. `show(files)` draws the files of kind "arena". */
export function createArena() {
  const scores = createChart();
  const tiles = createChart();
  const table = el("div");
  const differences = el("div", { class: "stack" });
  const hidden = new Set();
  const order = {};
  let [shape, files] = ["histogram", []];
  const shapes = choice("Distribution of scores", [
    ["histogram", "Histogram"],
    ["cumulative", "Cumulative"],
  ], shape, (chosen) => {
    shape = chosen;
    drawScores();
  });
  const scoresPart = el("div", {}, el("div", { class: "lab-head" }, el("h3", {}, "Scores"), shapes), scores.element);
  const element = el("section", { class: "panel stack lab-section" }, el("h2", {}, "Arena records"), table,
    differences, scoresPart, el("h3", {}, "Games that reached a tile"),
    el("p", { class: "muted" }, "The whiskers are 95% intervals (Wilson)."), tiles.element);

  function players() {
    const all = files.flatMap(({ id, name, data }) => data.players.map((player) => ({ ...player, id, file: name })));
    const often = new Map();
    for (const { spec } of all) often.set(spec, (often.get(spec) ?? 0) + 1);
    return all.map((player, place) => ({
      ...player, place,
      key: `${player.id} ${player.spec}`,
      label: often.get(player.spec) > 1 ? `${player.spec} (${player.file})` : player.spec,
    }));
  }

  const shown = () => players().filter((player) => !hidden.has(player.key));

  function show(next) {
    files = next;
    element.hidden = files.length === 0;
    if (files.length === 0) return;
    drawTable();
    drawDifferences();
    drawCharts();
  }

  function drawCharts() {
    drawScores();
    drawTiles();
  }

  function drawTable() {
    const all = players();
    const columns = [
      { name: "Player", text: true, value: (row) => row.label, show: nameOf },
      ...(files.length > 1 ? [{ name: "File", text: true, value: (row) => row.file }] : []),
      { name: "Games", value: (row) => row.games, show: (row) => whole(row.games) },
      { name: "Mean score", value: (row) => row.mean, show: (row) => whole(row.mean) },
      { name: "95% interval", help: "Confidence interval of the mean score", value: (row) => row.ci?.low ?? null,
        show: (row) => (row.ci ? `${whole(row.ci.low)} to ${whole(row.ci.high)}` : "") },
      { name: "Median", value: (row) => row.median, show: (row) => whole(row.median) },
      { name: "SD", help: "Standard deviation of the score of one game", value: (row) => row.sd,
        show: (row) => whole(row.sd) },
      { name: "Best", value: (row) => row.best,
        show: (row) => el("span", { title: `Seed ${row.best_seed}` }, whole(row.best)) },
      { name: "Moves", help: "Mean number of moves", value: (row) => row.moves, show: (row) => whole(row.moves) },
      { name: "Moves/s", help: "Moves a second on one thread of the machine that played", value: (row) => row.speed,
        show: (row) => (row.speed ? rate(row.speed) : "") },
      ...tileColumns(all),
      ...(all.some((row) => row.ends.failed) ? [{ name: "Failed", value: (row) => row.ends.failed ?? 0,
        show: (row) => el("span", { title: row.failure?.error }, whole(row.ends.failed ?? 0)) }] : []),
    ];
    table.replaceChildren(createTable({ caption: "Players of the arena records", columns, rows: all, order }));
  }

  function nameOf(row) {
    const box = el("input", { type: "checkbox", ".checked": !hidden.has(row.key), "aria-label": `${row.label} in the charts` });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(row.key);
      else hidden.add(row.key);
      drawCharts();
    });
    return el("span", { class: "lab-name" }, box, swatch(row.place), el("span", {}, breakable(row.spec)));
  }

  function drawDifferences() {
    const rows = files.flatMap(({ name, data }) => data.differences.map((one) => ({ ...one, file: name })));
    differences.hidden = rows.length === 0;
    const columns = [
      { name: "First", text: true, value: (row) => row.first },
      { name: "Second", text: true, value: (row) => row.second },
      { name: "Games", value: (row) => row.games, show: (row) => whole(row.games) },
      { name: "First minus second", value: (row) => row.mean, show: (row) => signed(row.mean) },
      { name: "95% interval", value: (row) => row.interval?.low ?? null,
        show: (row) => (row.interval ? `${signed(row.interval.low)} to ${signed(row.interval.high)}` : "") },
      ...(files.length > 1 ? [{ name: "File", text: true, value: (row) => row.file }] : []),
      { name: "Better", text: true, value: (row) => row.better ?? "", show: (row) => row.better ?? "no difference shown" },
    ];
    const caption = "Differences of players of one file";
    differences.replaceChildren(el("h3", {}, "Differences"),
      el("p", { class: "muted" }, "Players of one file, paired by seed."), createTable({ caption, columns, rows, order: {} }));
  }

  function drawScores() {
    const known = shown().filter((player) => player.scores?.length);
    scoresPart.hidden = !files.some(({ data }) => data.players.some((player) => player.scores?.length));
    scores.show(shape === "histogram" ? histogram(known) : cumulative(known));
  }

  function drawTiles() {
    const all = shown();
    const names = [...new Set(all.flatMap((player) => player.tiles.map(({ tile }) => tile)))].sort((a, b) => a - b);
    // Tiles that everybody always reaches only take room.
    const least = names.findIndex((tile) => all.some((player) => shareOf(player, tile).share < 1));
    const kept = names.slice(least < 0 ? -1 : Math.max(0, least - 1));
    const series = all.map((player, index) => {
      const shares = kept.map((tile) => shareOf(player, tile));
      const shift = all.length > 1 ? (index / (all.length - 1) - 0.5) * Math.min(0.4, 0.08 * all.length) : 0;
      return {
        label: player.label, place: player.place, points: true, x: kept.map((_, place) => place + shift),
        y: shares.map(({ share }) => share), low: shares.map(({ low }) => low), high: shares.map(({ high }) => high),
      };
    });
    tiles.show({
      label: "Share of games that reached each tile",
      x: { label: "Tile", names: kept.map(String), show: String },
      y: { label: "Share of games", share: true, show: percent },
      series,
      table: tilesTable(all, names),
    });
  }

  return { element, show };
}

/** A spec that can break after its commas. */
function breakable(spec) {
  return spec.split(/(?<=[,:])/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));
}

/** The columns for the largest tiles that somebody reached, from small to large. */
function tileColumns(all) {
  const names = [...new Set(all.flatMap((player) => player.tiles.map(({ tile }) => tile)))].sort((a, b) => a - b);
  return names.slice(-TILE_COLUMNS).map((tile) => ({
    name: String(tile), help: `Share of games that reached ${tile}`,
    value: (row) => shareOf(row, tile).share, show: (row) => percent(shareOf(row, tile).share),
  }));
}

/**
 * The share of a player's games that reached a tile. A file lists the tiles from the one that all
 * its games reached up to its largest; other files may have more.
 */
export function shareOf({ tiles }, tile) {
  const found = tiles.find((one) => one.tile >= tile);
  // No game of n is the mirror image of n games of n.
  return found ?? { share: 0, low: 0, high: 1 - tiles[0].low };
}

function tilesTable(all, names) {
  const interval = (one) => `${percent(one.share)} (${percent(one.low)} to ${percent(one.high)})`;
  const columns = [
    { name: "Tile", value: (tile) => tile, show: String },
    ...all.map((player) => ({
      name: player.label, value: (tile) => shareOf(player, tile).share,
      show: (tile) => interval(shareOf(player, tile)),
    })),
  ];
  return createTable({ caption: "Share of games that reached each tile, with 95% intervals", columns, rows: names });
}

/** A histogram as the share of games in each bin. All players have the same bins. */
function histogram(players) {
  const { from, width, count } = binsOf(players.map(({ scores }) => scores));
  const edges = Array.from({ length: count + 1 }, (_, bin) => from + bin * width);
  const series = players.map((player) => {
    const bins = Array(count).fill(0);
    for (const score of player.scores) bins[Math.min(count - 1, Math.floor((score - from) / width))] += 1;
    const shares = bins.map((games) => games / player.scores.length);
    return { label: player.label, place: player.place, x: edges, y: [...shares, shares.at(-1)] };
  });
  const columns = [
    { name: "Score", value: (bin) => bin, show: (bin) => `${whole(edges[bin])} to ${whole(edges[bin + 1])}` },
    ...series.map(({ label, y }) => ({ name: label, value: (bin) => y[bin], show: (bin) => percent(y[bin]) })),
  ];
  return {
    label: "Histogram of scores",
    table: createTable({ caption: "Share of games in each bin of scores", columns, rows: [...edges.slice(0, -1).keys()] }),
    steps: true,
    x: { label: "Score", show: whole },
    y: { label: `Share of games (bins of ${whole(width)})`, show: percent },
    series,
  };
}

/**
 * Bins of a round width. Every sample wants a width of its own: half of what suits a smooth
 * distribution (Freedman and Diaconis 1981), because scores of 2048 clump. The narrowest one is
 * taken, as long as there are not too many bins.
 */
export function binsOf(samples) {
  const sorted = samples.filter(({ length }) => length).map((scores) => [...scores].sort((a, b) => a - b));
  if (sorted.length === 0) return { from: 0, width: 1, count: 1 };
  const least = Math.min(...sorted.map((scores) => scores[0]));
  const most = Math.max(...sorted.map((scores) => scores.at(-1)));
  const spread = most - least || 1;
  const wanted = (scores) => {
    const quartile = (part) => scores[Math.floor(part * (scores.length - 1))];
    return (quartile(0.75) - quartile(0.25)) / Math.cbrt(scores.length) || spread;
  };
  const width = roundUp(Math.min(Math.max(Math.min(...sorted.map(wanted)), spread / MOST_BINS), spread / LEAST_BINS));
  const from = Math.floor(least / width) * width;
  return { from, width, count: Math.floor((most - from) / width) + 1 };
}

/** The next number of the form 1, 2 or 5 times a power of ten. */
function roundUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= number) * power);
}

/** For every score, the share of games that reached it. */
function cumulative(players) {
  const reached = (sorted, score) => sharesOf(sorted, [score])[0];
  const series = players.map(({ label, place, scores }) => {
    const sorted = [...scores].sort((a, b) => a - b);
    const x = [...new Set([0, ...sorted, sorted.at(-1) + 1])];
    return { label, place, sorted, x, y: sharesOf(sorted, x) };
  });
  const { from, width, count } = binsOf(players.map(({ scores }) => scores));
  const columns = [
    { name: "Score", value: (score) => score, show: whole },
    ...series.map(({ label, sorted }) => ({
      name: label, value: (score) => reached(sorted, score), show: (score) => percent(reached(sorted, score)),
    })),
  ];
  const rows = Array.from({ length: count + 1 }, (_, bin) => from + bin * width);
  return {
    label: "Share of games with at least a score",
    table: createTable({ caption: "Share of games with at least a score", columns, rows }),
    x: { label: "Score", show: whole },
    y: { label: "Share of games with at least this score", share: true, show: percent },
    series,
  };
}

/** The share of games that reached each score. Both lists rise. */
function sharesOf(sorted, scores) {
  let below = 0;
  return scores.map((score) => {
    while (below < sorted.length && sorted[below] < score) below += 1;
    return (sorted.length - below) / sorted.length;
  });
}

function signed(number) {
  return number > 0 ? `+${whole(number)}` : whole(number);
}

/** A row of buttons of which one is chosen. */
export function choice(label, options, chosen, onChange) {
  const buttons = options.map(([value, text]) => {
    const button = el("button", { type: "button", class: "button", "aria-pressed": String(value === chosen) }, text);
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      onChange(value);
    });
    return button;
  });
  return el("div", { class: "row lab-choice", role: "group", "aria-label": label }, buttons);
}
