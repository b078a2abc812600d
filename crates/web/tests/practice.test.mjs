// The parts of Practice that do not draw, with the real engine:
//   node --test crates/web/tests/practice.test.mjs

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { Mistakes, TIMES } from "../../../web/practice/mistakes.js";
import { Practice, isMistake } from "../../../web/practice/practice.js";
import { answerTo, sayEnd } from "../../../web/practice/words.js";
import { Engine } from "../../../web/wasm.js";

const MODULE = new URL("../../../web/lab2048.wasm", import.meta.url);
const engine = new Engine(await WebAssembly.compile(await readFile(MODULE)));

const wanted = { size: "2x3", tile: 64 };
const table = {
  name: "2x3-64",
  tile: 64,
  four: 0.1,
  draw: async (range) => engine.call({ do: "practice_draw", ...wanted, ...range }),
  judge: async (board) => engine.call({ do: "practice_judge", ...wanted, board }),
};

const drawn = (seed) => Practice.drawn(engine, table, { seed: String(seed), from: 0.2, to: 0.95 });

async function play(practice, choose) {
  while (practice.outcome === "open") {
    const direction = choose(practice);
    const makes = practice.standing.exact.makes.includes(direction);
    practice.play(direction);
    assert.equal(practice.outcome, makes ? "made" : null, "otherwise the table is asked");
    await practice.judge();
  }
}

test("best moves keep everything, whatever comes", async () => {
  const outcomes = new Set();
  for (let seed = 0; seed < 30; seed += 1) {
    const practice = await drawn(seed);
    await play(practice, ({ standing }) => standing.exact.best);
    assert.equal(practice.product, 1);
    assert.deepEqual(practice.mistakes(), []);
    assert.equal(practice.state.board.flat().some((tile) => tile >= 64), practice.outcome === "made");
    outcomes.add(practice.outcome);
  }
  assert.deepEqual([...outcomes].sort(), ["made", "over"]);
});

test("other moves keep less, and the worst comes first", async () => {
  let mistakes = 0;
  for (let seed = 0; seed < 30; seed += 1) {
    const practice = await drawn(seed);
    await play(practice, ({ state }) => state.legal[0]);
    const product = practice.moves.reduce((all, { kept, before }) => all * Math.min(kept / before, 1), 1);
    assert.equal(practice.product, product);
    const shares = practice.mistakes().map(({ share }) => share);
    assert.deepEqual(shares, [...shares].sort((one, other) => one - other));
    mistakes += shares.length;
  }
  assert.ok(mistakes > 10);
});

test("a board that cannot be won is refused", async () => {
  await assert.rejects(Practice.at(engine, table, [[2, 4, 8], [4, 8, 2]], "1"), /Nothing can be won/);
});

test("answers and ends in words", () => {
  const bad = { played: "left", best: "up", before: 0.8301, kept: 0.812, share: 0.978, unit: "chance" };
  assert.equal(answerTo(bad), "Left kept 81.2% of 83.0%. Best: Up, 83.0%.");
  assert.equal(answerTo({ ...bad, played: "up", kept: 0.8301, share: 1 }), "Up is best: it kept all of 83.0%.");
  assert.equal(sayEnd({ outcome: "made", table, product: 0.978, moves: [bad] }), "64 is made. You kept 97.8% of the chance.");
  assert.equal(sayEnd({ outcome: "over", table, product: 1, moves: [bad] }),
    "64 is out of reach, by bad luck. You kept 100.0% of the chance.");
});

test("mistakes are kept once, at most 200, until they are solved three times in a row", () => {
  let stored = [];
  const mistakes = new Mistakes({ read: () => stored, write: (list) => (stored = list) });
  const move = (tile) => ({ board: [[tile, 2], [0, 2]], played: "left", best: "up", share: 0.5 });
  assert.ok(isMistake(move(2)));
  for (let tile = 1; tile <= 210; tile += 1) mistakes.add(tile % 2 ? "odd" : "even", move(tile));
  mistakes.add("odd", move(209));
  assert.equal(stored.length, 200);
  assert.equal(mistakes.of("even").length, 100);
  const [first] = mistakes.of("odd");
  assert.equal(first.board[0][0], 11, "the oldest were forgotten");
  assert.equal(mistakes.answer(first, true), 1);
  assert.notDeepEqual(mistakes.of("odd")[0].board, first.board, "another one is next");
  const again = () => mistakes.of("odd").find(({ board }) => board[0][0] === 11);
  assert.equal(mistakes.answer(again(), true), 2);
  assert.equal(mistakes.answer(again(), false), 0);
  for (let solved = 1; solved <= TIMES; solved += 1) assert.equal(mistakes.answer(again(), true), solved);
  assert.equal(again(), undefined);
  assert.equal(stored.length, 199);
});
