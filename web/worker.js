/**
 * The worker: players think here, in an instance of their own.
 *
 * Long work is a series of bounded calls. Between two calls the worker reads its messages, so that
 * a job can be stopped and several jobs share the worker.
 * @module
 */

import { EngineError, load } from "./wasm.js";
import { fetchNetwork } from "./networks.js";

// Work between two looks at the messages.
const NODES = 20000;
const SLICE = 20;
// Time between two reports of fast play.
const REPORT = 50;
// Players that are kept; a search keeps its table from move to move.
const KEPT = 6;

const loading = load(new URL("lab2048.wasm", import.meta.url));
const stopped = new Set();
const players = new Map();
let engine = null;
let offered = [];
// A trap makes a new instance. Handles of the one before may mean something else there.
let generation = 0;

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const breathe = () => new Promise((resolve) => {
  waiting.push(resolve);
  channel.port2.postMessage(null);
});

class Stopped extends Error {}

async function pause(id) {
  await breathe();
  if (stopped.has(id)) throw new Stopped();
}

const isCurrent = (job) => job.generation === generation;

function call(job, request, bytes) {
  if (!isCurrent(job)) throw new EngineError("The engine was restarted. Please start this again.");
  try {
    return engine.call(request, bytes);
  } catch (error) {
    if (error.fatal) {
      generation += 1;
      players.clear();
    }
    throw error;
  }
}

// Asks until the engine needs no further network.
async function withNetworks(job, request) {
  const had = new Set();
  for (;;) {
    const answer = call(job, request);
    const name = answer.network;
    if (!name) return answer;
    if (had.has(name)) throw new EngineError(`The network '${name}' could not be used.`);
    had.add(name);
    const bytes = await fetchNetwork(name, offered, (progress) => postMessage({ progress }));
    if (stopped.has(job.id)) throw new Stopped();
    call(job, { do: "network", name }, bytes);
  }
}

async function playerFor(job, spec, position) {
  const key = JSON.stringify([spec, position.rules, position.future]);
  const kept = players.get(key);
  if (kept !== undefined) {
    players.delete(key);
    players.set(key, kept);
    return kept;
  }
  const { player } = await withNetworks(job, { do: "player", spec, position });
  players.set(key, player);
  if (players.size > KEPT) {
    const [oldest] = players.keys();
    call(job, { do: "leave", player: players.get(oldest) });
    players.delete(oldest);
  }
  return player;
}

const kinds = {
  async ask(job, { request, bytes }) {
    const answer = bytes ? call(job, request, bytes) : await withNetworks(job, request);
    return answer.bytes === undefined ? answer : { ...answer, data: engine.data() };
  },

  async think(job, { id, spec, position }) {
    const player = await playerFor(job, spec, position);
    for (;;) {
      const { done, decision } = call(job, { do: "think", player, position, nodes: NODES });
      if (done) return decision;
      if (decision) postMessage({ id, update: decision });
      await pause(id);
    }
  },

  async turbo(job, { id, spec, position, most }) {
    const player = await playerFor(job, spec, position);
    let now = position;
    for (;;) {
      const turns = [];
      const start = performance.now();
      let step;
      do {
        step = call(job, { do: "run", player, position: now, ms: SLICE, most: most - turns.length });
        turns.push(...step.turns);
        now = step.position;
        await pause(id);
      } while (!step.ended && turns.length < most && performance.now() - start < REPORT);
      const { ended, reason, decision } = step;
      postMessage({ id, update: turns, extra: { position: now, ended, reason, decision } });
      if (ended) return undefined;
      // The page draws what it got before it gets more.
      const rest = REPORT - (performance.now() - start);
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
      await pause(id);
    }
  },

  async review(job, { id, spec, replay }) {
    const { review } = await withNetworks(job, { do: "review", text: replay, spec });
    try {
      for (;;) {
        const { moves, done } = call(job, { do: "judge", review, ms: SLICE });
        if (moves.length) postMessage({ id, update: moves });
        if (done) break;
        await pause(id);
      }
    } catch (error) {
      // The summary also ends the review.
      if (isCurrent(job)) call(job, { do: "summary", review });
      throw error;
    }
    return call(job, { do: "summary", review });
  },
};

self.onmessage = async ({ data }) => {
  const { id, kind } = data;
  if (kind === "abort") {
    // The answer shows that the worker listens. A download goes on for the next job.
    stopped.add(id);
    postMessage({ id, error: "Stopped." });
    return;
  }
  try {
    engine ??= await loading;
    offered = data.networks;
    if (stopped.has(id)) throw new Stopped();
    postMessage({ id, done: await kinds[kind]({ id, generation }, data) });
  } catch (error) {
    postMessage({ id, error: error.message || "Stopped.", fatal: error.fatal ?? false });
  } finally {
    stopped.delete(id);
  }
};
