/**
 * Keeps the page for use without a network.
 *
 * All files of one version are cached together when it is installed, and served from there, so a
 * page never mixes two versions. A new version waits until the person agrees to reload.
 * Networks of players are kept by networks.js in a cache of its own.
 */

// `node crates/web/list-files.mjs` writes the version and the list.
// begin list
const VERSION = "none";
const FILES = [];
// end list

const PREFIX = "lab2048-page-";
const PAGE = PREFIX + VERSION;
// What the network answers when it can; its last answer is kept.
const LISTS = "lab2048-lists";
// Some hosts redirect from index.html to its folder; a page may not come from a redirect.
const addressOf = (file) => (file === "index.html" ? "./" : file);
const isFresh = (path) => path === "networks/list.json" || path === "api/version";

self.addEventListener("install", (event) => {
  const requests = FILES.map((file) => new Request(addressOf(file), { cache: "no-cache" }));
  const page = caches.open(PAGE).then((cache) => cache.addAll(requests));
  // Not every host has networks.
  const lists = caches.open(LISTS).then((cache) => cache.add("networks/list.json")).catch(() => {});
  event.waitUntil(Promise.all([page, lists]));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

async function takeOver() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== PAGE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

self.addEventListener("message", ({ data }) => {
  if (data === "update") self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const scope = self.registration.scope;
  if (request.method !== "GET" || !url.href.startsWith(scope)) return;
  const path = url.href.slice(scope.length).split(/[?#]/)[0] || "index.html";
  if (FILES.includes(path)) event.respondWith(fromCache(path, request));
  else if (isFresh(path)) event.respondWith(fromNetwork(request));
});

async function fromCache(path, request) {
  const cache = await caches.open(PAGE);
  return (await cache.match(addressOf(path))) ?? fetch(request);
}

async function fromNetwork(request) {
  const cache = await caches.open(LISTS);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch {
    // Without a network there is no server either.
    const kept = request.url.endsWith("version") ? null : await cache.match(request);
    return kept ?? Response.json(null);
  }
}
