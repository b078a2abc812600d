/**
 * Networks: fetched once with progress, checked, and kept in the browser's cache.
 * @module
 */

import { EngineError } from "./wasm.js";

/** The cache that holds the networks. It survives updates of the page. */
const CACHE = "lab2048-networks";

// Two players that need the same network share its download.
const underway = new Map();

/**
 * Fetches a network, from the cache if it is there.
 * @param {string} name
 * @param {object[]} offered what this site offers
 * @param {(progress: object | null) => void} report
 * @returns {Promise<Uint8Array>}
 */
export function fetchNetwork(name, offered, report) {
  const entry = offered.find((one) => one.name === name);
  if (!entry) throw new EngineError(`This site does not offer the network '${name}'.`);
  if (!underway.has(name)) {
    underway.set(name, fetchEntry(entry, report).finally(() => underway.delete(name)));
  }
  return underway.get(name);
}

async function fetchEntry(entry, report) {
  const url = new URL(entry.file, new URL("networks/", import.meta.url));
  // The digest in the address makes a new version a new entry.
  const key = `${url}?${entry.sha256.slice(0, 16)}`;
  const cache = await openCache();
  const kept = await cache?.match(key);
  if (kept) return new Uint8Array(await kept.arrayBuffer());
  try {
    const bytes = await download(url, entry, report);
    await keep(cache, key, bytes);
    return bytes;
  } finally {
    report(null);
  }
}

async function openCache() {
  try {
    return await caches.open(CACHE);
  } catch {
    return null;
  }
}

async function keep(cache, key, bytes) {
  if (!cache) return;
  try {
    // An older version of the same network goes.
    await cache.delete(key, { ignoreSearch: true });
    await cache.put(key, new Response(bytes));
  } catch {
    // No room. The network is fetched again next time.
  }
}

const absent = (name) =>
  `The network '${name}' is not on this device yet, and it could not be fetched. ` +
  "Connect once, and it will be kept.";

async function download(url, { name, bytes: total, sha256 }, report) {
  report({ name, loaded: 0, total });
  const response = await fetch(url).catch(() => {
    throw new EngineError(absent(name));
  });
  if (!response.ok) {
    throw new EngineError(`The network '${name}' could not be fetched (${response.status}).`);
  }
  const parts = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read().catch(() => {
      throw new EngineError(absent(name));
    });
    if (done) break;
    parts.push(value);
    loaded += value.length;
    report({ name, loaded, total });
  }
  const found = new Uint8Array(await new Blob(parts).arrayBuffer());
  await check(found, name, sha256);
  return found;
}

// The digest is not there on plain http addresses other than loopback.
async function check(bytes, name, sha256) {
  if (!globalThis.crypto?.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const text = [...digest].map((one) => one.toString(16).padStart(2, "0")).join("");
  if (text !== sha256) throw new EngineError(`The network '${name}' arrived damaged.`);
}
