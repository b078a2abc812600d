// The parts of the laboratory that do not draw: node --test crates/web/tests/laboratory.test.mjs

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { binsOf, shareOf } from "../../../web/laboratory/arena.js";
import { joined, lastTenth, readCurve } from "../../../web/laboratory/curves.js";
import { place } from "../../../web/laboratory/drawing.js";
import { EXAMPLES, readText } from "../../../web/laboratory/files.js";

const HEADER = "games,moves,seconds,mean_score,games_in_mean,2048,4096\n";
const BENCHMARKS = new URL("../../../benchmarks/", import.meta.url);

const noEngine = () => Promise.reject(new Error("the engine was asked"));
const refusal = (name, text, ask = noEngine) => readText(name, text, ask).then(
  ({ kind }) => assert.fail(`read as ${kind}`), (error) => error.message);
const fromBenchmarks = async (path) => readText(path, await readFile(new URL(path, BENCHMARKS), "utf8"), noEngine);

test("a learning curve is read; a line that is cut off is left out", async () => {
  const text = `${HEADER}10,100,1.0,500.0,10,0.1000,0.0000\n30,400,2.0,800.0,20,0.4000,0.1000\n40,5`;
  const { kind, data } = await readText("curve.csv", text, noEngine);
  assert.equal(kind, "curve");
  assert.deepEqual(data.tiles, ["2048", "4096"]);
  assert.deepEqual(data.points.map(({ mean }) => mean), [500, 800]);
});

test("points are joined until they stand for enough games", () => {
  const { points } = readCurve(`${HEADER}10,100,1,500,10,0.1,0\n30,400,2,800,20,0.4,0.1\n40,500,3,200,10,0,0\n`);
  assert.deepEqual(joined(points, 0).map(({ mean }) => mean), [500, 800, 200]);
  // Ten games with 500 points and twenty with 800; the last ten are too few and join them.
  const [all, ...others] = joined(points, 25);
  assert.deepEqual([others.length, all.count, all.moves, all.mean], [0, 40, 500, 575]);
  assert.deepEqual(joined(points, 20).map(({ count }) => count), [40]);
  assert.deepEqual(joined(points, 10).map(({ count }) => count), [10, 20, 10]);
  assert.deepEqual([lastTenth({ points }).count, lastTenth({ points }).mean], [10, 200]);
});

test("a file that is something else gets a sentence that names it", async () => {
  assert.equal(await refusal("a.txt", "hello"),
    "'a.txt' is not a file of arena records, a learning curve, an evolution or a program.");
  assert.equal(await refusal("a.csv", ""), "'a.csv' is empty.");
  assert.equal(await refusal("a.csv", `${HEADER}1,x,3,4,5,6,7\n1,2,3,4,5,0,0\n`),
    "'a.csv' cannot be read: line 2 is not a point of a learning curve.");
  assert.equal(await refusal("a.csv", HEADER), "'a.csv' cannot be read: it has no points yet.");
  assert.equal(await refusal("a.gp", "; mine\n(evaluator x)", () => Promise.reject(new Error("it is not a program."))),
    "'a.gp' cannot be read: it is not a program.");
  const tuning = await readFile(new URL("2026-11-16-tuning/rows.jsonl", BENCHMARKS), "utf8");
  assert.equal(await refusal("rows.jsonl", tuning),
    "'rows.jsonl' is the log of a tuning, which the laboratory does not show.");
  assert.match(await refusal("a.json", '{"players":[{"player":"x","mean":1,"tiles":[]}]}'), /is not a file of/);
});

test("evolutions and reproductions of the benchmarks are read", async () => {
  const { kind, data } = await fromBenchmarks("2026-11-16-evolution/evaluators.json");
  assert.equal(kind, "evolution");
  assert.equal(data.runs.length, 5);
  assert.match(data.runs[0].champion.program, /^\(evaluator/);
  assert.equal(data.runs[0].reports.at(-1).generation, 99);
  const paper = await fromBenchmarks("2026-11-16-evolution/reproduce.json");
  assert.equal(paper.kind, "table");
  assert.ok(paper.data.rows.every((row) => row.length === paper.data.columns.length));
});

test("the examples are those of the benchmarks", async () => {
  const folders = { jsonl: "2026-11-16-searching", csv: "2026-11-16-recipes", json: "2026-11-16-evolution" };
  for (const name of EXAMPLES) {
    const there = await readFile(new URL(`${folders[name.split(".").at(-1)]}/${name}`, BENCHMARKS));
    const here = await readFile(new URL(`../../../web/laboratory/examples/${name}`, import.meta.url));
    assert.ok(here.equals(there), name);
  }
});

test("a checkpoint has its finished runs and the one that runs", async () => {
  const report = { generation: 0, best_score: 9, mean_score: 5, champion_score: 8, size: 3 };
  const run = { seed: 1, champion: { program: "(evaluator (value corner))", generation: 0 }, reports: [report] };
  const current = { settings: { seed: 2 }, judged: [], champion: null, reports: [report] };
  const text = JSON.stringify({ lab2048: "evolution", version: 1, settings: {}, finished: [run], current });
  const { data, note } = await readText("check.json", text, noEngine);
  assert.deepEqual(data.runs.map(({ seed }) => seed), [1, 2]);
  assert.equal(note, "its last run is not finished");
});

test("a share is known for tiles that a file does not list", () => {
  const player = { tiles: [{ tile: 64, share: 1, low: 0.9, high: 1 }, { tile: 128, share: 0.5, low: 0.3, high: 0.7 }] };
  assert.deepEqual(shareOf(player, 32), player.tiles[0]);
  assert.deepEqual(shareOf(player, 100), player.tiles[1]);
  const none = shareOf(player, 256);
  assert.deepEqual([none.share, none.low], [0, 0]);
  assert.ok(Math.abs(none.high - 0.1) < 1e-12);
});

test("bins have a round width and hold every score", () => {
  for (const samples of [[[0]], [[7, 7, 7]], [[1, 2, 3, 1000]], [[0, 5], [99_000, 840_000]], []]) {
    const { from, width, count } = binsOf(samples);
    assert.match(String(width), /^[125]0*$/);
    assert.ok(count >= 1 && count <= 70, `${count} bins`);
    for (const score of samples.flat()) assert.ok(score >= from && score < from + width * count, `${score}`);
  }
});

test("nodes of one level do not overlap, and parents stand over their children", () => {
  // 0 has 1 and 4; 1 has 2 and 3; 4 has 5; 5 has 6, 7 and 8.
  const children = [[1, 4], [2, 3], [], [], [5], [6, 7, 8], [], [], []];
  const widths = [60, 60, 100, 60, 60, 60, 60, 60, 140];
  const { middles, width } = place(children, widths);
  const levels = [[0], [1, 4], [2, 3, 5], [6, 7, 8]];
  for (const level of levels) {
    for (const [index, node] of level.slice(1).entries()) {
      const before = level[index];
      assert.ok(middles[node] - widths[node] / 2 >= middles[before] + widths[before] / 2 + 7.9, `${before} ${node}`);
    }
  }
  assert.equal(middles[0], (middles[1] + middles[4]) / 2);
  assert.equal(middles[5], (middles[6] + middles[8]) / 2);
  const all = middles.map((middle, node) => [middle - widths[node] / 2, middle + widths[node] / 2]);
  assert.ok(Math.min(...all.map(([left]) => left)) > -1e-9 && Math.max(...all.map(([, right]) => right)) < width + 1e-9);
});
