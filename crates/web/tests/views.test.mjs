// The parts of Edit, Tree and Review that do not draw, with the real engine:
//   node --test crates/web/tests/views.test.mjs

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

import { doubled, halved } from "../../../web/edit/grid.js";
import { EditModel, resized } from "../../../web/edit/model.js";
import { Judging, isMistake } from "../../../web/review/judging.js";
import { layout } from "../../../web/tree/layout.js";
import { MOST_SHOWN, TreeNodes, stepLabel, stepWords } from "../../../web/tree/nodes.js";
import { Engine } from "../../../web/wasm.js";

const MODULE = new URL("../../../web/lab2048.wasm", import.meta.url);
const engine = new Engine(await WebAssembly.compile(await readFile(MODULE)));

const refusal = (action) => {
  try {
    action();
  } catch (error) {
    return error.message;
  }
  return assert.fail("it was accepted");
};

function model(text) {
  const made = new EditModel(engine);
  made.read(text);
  return made;
}

test("tiles double and halve", () => {
  assert.deepEqual([0, 2, 1024, 2 ** 53 - 1].map(doubled), [2, 4, 2048, 2 ** 53 - 1]);
  assert.deepEqual([0, 2, 4, 7, 12].map(halved), [0, 0, 2, 0, 6]);
});

test("another size keeps the tiles at the top left", () => {
  assert.deepEqual(resized([[2, 4], [8, 16]], 3, 2), [[2, 4], [8, 16], [0, 0]]);
  assert.deepEqual(resized([[2, 4], [8, 16]], 1, 3), [[2, 4, 0]]);
});

test("edits and moves by hand are undone and redone in order", () => {
  const edited = model("2 2/0 0");
  edited.setTile(3, 4);
  const turn = edited.play("left", { cell: 1, tile: 2 });
  assert.deepEqual([turn.reward, turn.spawn], [4, { cell: 1, tile: 2 }]);
  edited.play("up", { cell: 3, tile: 4 });
  edited.setTile(0, 1024);
  const boards = [];
  while (edited.canUndo) {
    edited.undo();
    boards.push(edited.board);
  }
  assert.deepEqual(boards, [[[8, 2], [0, 4]], [[4, 2], [4, 0]], [[2, 2], [0, 4]], [[2, 2], [0, 0]]]);
  while (edited.canRedo) edited.redo();
  assert.deepEqual([edited.board, edited.score], [[[1024, 2], [0, 4]], 12]);
  edited.undo();
  assert.deepEqual(edited.state().board, [[8, 2], [0, 4]], "the game of the engine follows");
});

test("a game that is opened can be undone to its start, and played on another way", () => {
  const first = model("2 2 0/0 0 4/0 0 0");
  first.play("left", { cell: 8, tile: 2 });
  const second = model("4 4/4 4");
  second.open(first.link());
  assert.deepEqual(second.board, first.board);
  second.undo();
  assert.deepEqual([second.board, second.canRedo], [[[2, 2, 0], [0, 0, 4], [0, 0, 0]], true]);
  second.play("up", { cell: 8, tile: 4 });
  assert.deepEqual([second.board, second.canRedo], [[[2, 2, 4], [0, 0, 0], [0, 0, 4]], false]);
  second.undo();
  second.undo();
  assert.deepEqual([second.board, second.canUndo], [[[4, 4], [4, 4]], false], "the board before the game");
  second.redo();
  second.redo();
  assert.deepEqual(second.board, [[2, 2, 4], [0, 0, 0], [0, 0, 4]]);
});

test("a board without tiles can be edited but not played", () => {
  const empty = new EditModel(engine);
  assert.deepEqual([empty.checked, empty.problem], [null, "the board has no tiles"]);
  assert.equal(refusal(() => empty.play("left")), "the board has no tiles");
  empty.setTile(5, 2);
  assert.equal(empty.problem, "");
  assert.equal(empty.state().legal.length, 4);
});

test("texts: a single row has the present size, and wrong ones get a sentence", () => {
  const edited = model("2 2/0 0");
  edited.read("4 8 16 32");
  assert.deepEqual(edited.board, [[4, 8], [16, 32]]);
  assert.match(refusal(() => edited.read("4 8 16")), /^a single row of 3 cells needs a board size/);
  assert.match(refusal(() => edited.read("2 2/2 9007199254740993")), /at most 9007199254740991/);
  assert.deepEqual(edited.board, [[4, 8], [16, 32]]);
  assert.deepEqual(edited.params().board, "4,8/16,32");
});

test("texts: the saved game of the web game, codes with 0x, and the numbers of a square board", () => {
  const edited = model("2 2/0 0");
  edited.read("0x1234012300120001");
  assert.deepEqual(edited.board, [[2, 4, 8, 16], [0, 2, 4, 8], [0, 0, 2, 4], [0, 0, 0, 2]]);
  const tile = (x, y, value) => ({ position: { x, y }, value });
  const cells = [[tile(0, 0, 2), null, tile(0, 2, 8)], [null, null, null], [tile(2, 0, 4), null, null]];
  edited.read(`'${JSON.stringify({ grid: { size: 3, cells }, score: 8 })}'`);
  assert.deepEqual(edited.board, [[2, 0, 4], [0, 0, 0], [8, 0, 0]]);
  edited.read("2 4 8 16");
  assert.deepEqual(edited.board, [[2, 4], [8, 16]], "3x3 does not fit");
  assert.match(refusal(() => edited.read("0x12")), /^the hex code '0x12' has 2 digits after 0x/);
});

test("a game that began with a score keeps it, but has no link", () => {
  const edited = new EditModel(engine);
  edited.read("2 2/0 0", { score: 12, turns: 5, seed: "9" });
  assert.deepEqual([edited.position().score, edited.position().turns], [12, 5]);
  edited.play("left");
  assert.deepEqual([edited.score, edited.turns], [16, 6]);
  assert.match(refusal(() => edited.link()), /^This game began with a score/);
  const { board, ...others } = edited.gameParams();
  assert.deepEqual(others, { score: 16, turns: 6, seed: "9" });
  edited.setTile(3, 8);
  assert.deepEqual([edited.score, edited.turns], [16, 0], "no turns led to an edited board");
  edited.edit(edited.board, { score: 0 });
  assert.deepEqual(Object.keys(edited.gameParams()), ["game"]);
});

/** The tree of clairvoyant at this depth on an open board. */
function clairvoyant(depth) {
  const { game } = engine.call({ do: "new", seed: "7", board: [[2, 0, 0, 4], [0, 8, 2, 0], [0, 16, 2, 0], [0, 0, 4, 2]] });
  const position = engine.call({ do: "position", game });
  return engine.call({ do: "tree", spec: "clairvoyant", position, depth }).nodes;
}

test("a tree opens and closes", () => {
  const tree = new TreeNodes(clairvoyant(3));
  assert.deepEqual(tree.shown(), [0]);
  tree.openBest();
  const best = tree.shown().filter((index) => tree.nodes[index].best);
  assert.deepEqual(best.map((index) => tree.level[index]), [0, 1, 2, 3]);
  assert.equal(tree.openAll(), true);
  assert.deepEqual([...tree.shown()].sort((a, b) => a - b), tree.nodes.map((_, index) => index));
  tree.closeAll();
  assert.equal(tree.shown().length, 1 + tree.children[0].length);
  assert.deepEqual(tree.rank(tree.children[0][1]), [2, tree.children[0].length]);
});

test("a tree that is too large is opened in part, whole layers only", () => {
  const tree = new TreeNodes(clairvoyant(5));
  assert.ok(tree.nodes.length > MOST_SHOWN);
  assert.equal(tree.openAll(), false);
  assert.ok(tree.shown().length <= MOST_SHOWN);
});

test("no two boards of the picture overlap, and it has the width of a screen", () => {
  const tree = new TreeNodes(clairvoyant(3));
  tree.openAll();
  const { places, width } = layout(tree);
  const all = [...places.values()];
  const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  all.forEach((a, index) => all.slice(index + 1).forEach((b) => assert.ok(apart(a, b))));
  assert.equal(all.length, tree.nodes.length);
  assert.ok(width < 1600, `${width} pixels`);
});

test("steps of a tree in words", () => {
  const tiles = [[2, 0], [0, 0]];
  const known = { tiles, step: { move: "left", reward: 8, known: { cell: 3, tile: 2 } } };
  assert.deepEqual([stepLabel(known), stepWords(known)], ["\u2190 +8", "left, new 2 in row 2 column 2"]);
  const spawn = { tiles, step: { spawn: { cell: 1, tile: 4 }, probability: 0.05 } };
  assert.deepEqual([stepLabel(spawn), stepWords(spawn)], ["4: 5.0%", "new 4 in row 1 column 2"]);
});

/** A judged move with this loss out of 1,000 points. */
function judged(number, grade, loss) {
  return { number, grade, loss, verdict: grade ?? "forced" };
}

/** A review that reports these batches; it never ends if `hangs`. */
const reviewOf = (batches, { hangs = false } = {}) => async ({ onMoves, signal }) => {
  for (const batch of batches) {
    await null;
    onMoves(batch);
  }
  if (!hangs) return { moves: batches.flat().length };
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
  });
};

const BATCHES = [
  [judged(1, "excellent", 0), judged(2, "mistake", 40), judged(3, null, 0)],
  [judged(4, "blunder", 200), judged(5, "good", 5), judged(6, "mistake", 60)],
];

test("the worst moves and the mistakes of a review", async () => {
  const judging = new Judging(reviewOf(BATCHES));
  assert.equal(await judging.run({ spec: "a", replay: "b", onMoves: () => {} }), true);
  assert.deepEqual(judging.worst.map(({ number }) => number), [4, 6, 2, 5]);
  assert.deepEqual(judging.tally.get("mistake"), { moves: 2, loss: 100 });
  assert.deepEqual([judging.isRunning, judging.hasMistakes, judging.summary.moves], [false, true, 6]);
  assert.deepEqual([0, 2, 4, 6].map((from) => judging.mistake(from, 1)), [2, 4, 6, null]);
  assert.deepEqual([6, 4, 2].map((from) => judging.mistake(from, -1)), [4, 2, null]);
  assert.equal(isMistake(judging.moves[4]), false);
});

test("a review that is stopped keeps what is judged; another one starts afresh", async () => {
  let seen = 0;
  const judging = new Judging(reviewOf(BATCHES, { hangs: true }));
  const run = () => judging.run({ spec: "a", replay: "b", onMoves: () => (seen += 1) });
  const first = run();
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([seen, judging.isRunning, judging.moves.length], [2, true, 6]);
  const second = run();
  assert.equal(await first, false);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([judging.moves.length, judging.tally.get("blunder").moves], [6, 1]);
  judging.cancel();
  assert.equal(await second, false);
  assert.deepEqual([judging.isRunning, judging.moves.length, judging.summary], [false, 6, null]);
});

test("a review that loses the worker to the one before it is started once more", async () => {
  let calls = 0;
  const judging = new Judging((options) => {
    calls += 1;
    if (calls === 1) return reviewOf([], { hangs: true })(options);
    if (calls === 2) return Promise.reject(new Error("The engine was restarted."));
    return reviewOf(BATCHES)(options);
  });
  const run = () => judging.run({ spec: "a", replay: "b", onMoves: () => {} });
  const first = run();
  assert.equal(await run(), true);
  assert.equal(await first, false);
  assert.deepEqual([calls, judging.moves.length], [3, 6]);
  calls = 1;
  await assert.rejects(run(), /restarted/, "the second time it is an error");
});
