/**
 * The one way from the page to the engine.
 *
 * Rules are answered at once by an instance in this thread. Everything that takes time is done by
 * a worker with an instance of its own, or by `lab2048 serve` where it is there. The two instances
 * do not know each other's handles.
 * @module
 */

import { EngineError, load } from "./wasm.js";
import { serverDecision, wantsServer } from "./server.js";

export { EngineError };

// A worker that does not react to an abort within this time is replaced.
const PATIENCE = 400;
const MODULE = new URL("lab2048.wasm", import.meta.url);

let instance = null;

/** The rules: `rules.call(request)` answers at once, after `await ready`. */
export const rules = {
  call(request, bytes) {
    if (!instance) throw new EngineError("The engine is not loaded yet.");
    return instance.call(request, bytes);
  },
};

/** Fulfilled when `rules` can be used. */
export const ready = load(MODULE).then((loaded) => {
  instance = loaded;
});

/** The networks that this site offers: name, file, bytes and sha256. */
export const networks = [];

/** Null, or what the server says about itself, when `lab2048 serve` is there. */
export let server = null;

/** Fulfilled when `networks` and `server` are known. */
export const known = Promise.all([
  fetchJson("networks/list.json").then((list) => networks.push(...(list ?? []))),
  fetchJson("api/version").then((found) => (server = found)),
]);

/**
 * Fetches JSON of this site. A static site holds `null` where the server answers, so that no
 * request fails.
 * @param {string} path
 * @returns {Promise<any>} null if there is none
 */
export async function fetchJson(path) {
  try {
    const url = new URL(path, import.meta.url);
    const response = await fetch(url, { signal: AbortSignal.timeout(3000) });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

const listeners = new Set();

/**
 * Listens to downloads of networks.
 * @param {(progress: {name: string, loaded: number, total: number} | null) => void} listener
 * @returns {() => void} stops listening
 */
export function onProgress(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell = (progress) => listeners.forEach((listener) => listener(progress));

// The worker and its open jobs, by id.
let worker = null;
let lastId = 0;
const jobs = new Map();

function startWorker() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = () => replaceWorker("The worker could not be started.");
}

function receive({ id, progress, update, extra, done, error, fatal }) {
  if (progress !== undefined) {
    tell(progress);
    return;
  }
  const job = jobs.get(id);
  if (!job) return;
  if (update !== undefined) {
    if (!job.aborted) job.onUpdate?.(update, extra);
    return;
  }
  finish(job);
  if (error !== undefined) job.reject(new EngineError(error, fatal));
  else job.resolve(done);
}

function finish(job) {
  jobs.delete(job.id);
  clearTimeout(job.timer);
  job.signal?.removeEventListener("abort", job.onAbort);
}

// Jobs that only thought can start again; others have lost what they held.
function replaceWorker(reason) {
  worker?.terminate();
  worker = null;
  tell(null);
  for (const job of [...jobs.values()]) {
    if (job.aborted) finish(job);
    else if (job.kind === "think" && reason === undefined) send(job);
    else {
      finish(job);
      job.reject(new EngineError(reason ?? "The engine was restarted. Please start this again."));
    }
  }
}

function send(job) {
  if (!worker) startWorker();
  worker.postMessage({ id: job.id, kind: job.kind, networks, ...job.message });
}

function abortError() {
  return new DOMException("The request was stopped.", "AbortError");
}

function start(kind, message, { signal, onUpdate } = {}) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortError());
      return;
    }
    const job = { id: (lastId += 1), kind, message, signal, onUpdate, resolve, reject };
    job.onAbort = () => {
      job.aborted = true;
      reject(abortError());
      worker?.postMessage({ id: job.id, kind: "abort" });
      job.timer = setTimeout(replaceWorker, PATIENCE);
    };
    signal?.addEventListener("abort", job.onAbort, { once: true });
    jobs.set(job.id, job);
    send(job);
  });
}

/**
 * Chooses a move.
 * @param {{spec: string, position: object, onUpdate?: Function, signal?: AbortSignal}} options
 *   `onUpdate` gets the decision so far
 * @returns {Promise<object>} the decision
 */
export async function think({ spec, position, onUpdate, signal }) {
  await known;
  if (wantsServer(spec, server)) return serverDecision({ spec, position, signal });
  return start("think", { spec, position }, { onUpdate, signal });
}

/**
 * Any request, answered by the worker.
 * @param {object} request
 * @param {{signal?: AbortSignal, bytes?: Uint8Array}} options
 * @returns {Promise<object>} the answer; `data` holds the binary result, if there is one
 */
export async function ask(request, { signal, bytes } = {}) {
  await known;
  return start("ask", { request, bytes }, { signal });
}

/**
 * Plays on as fast as it can.
 * @param {{spec: string, position: object, onTurns: Function, signal?: AbortSignal,
 *   most?: number}} options `onTurns(turns, {position, ended, reason, decision})` about every 50 ms,
 *   with at most `most` turns and the last decision
 * @returns {Promise<void>} fulfilled when the game is over
 */
export async function playTurbo({ spec, position, onTurns, signal, most = 1000 }) {
  await known;
  return start("turbo", { spec, position, most }, { signal, onUpdate: onTurns });
}

/**
 * Judges every move of a game.
 * @param {{spec: string, replay: string, onMoves: Function, signal?: AbortSignal}} options
 *   `onMoves` gets the next judged moves
 * @returns {Promise<object>} the summary
 */
export async function reviewGame({ spec, replay, onMoves, signal }) {
  await known;
  return start("review", { spec, replay }, { signal, onUpdate: onMoves });
}
