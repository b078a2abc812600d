/**
 * Keeps the page for use without a network.
 *
 * All files of one version are cached together when it is installed, and served from there, so a
 * page never mixes two versions. A new version waits until the person agrees to reload; then all
 * tabs of the page reload.
 * Networks of players are kept by networks.js in a cache of its own.
 */

// `node crates/web/list-files.mjs` writes the version and the list.
// begin list
const VERSION = "8e5c35eda909da59";
const FILES = [
  "board.css",
  "board.js",
  "dialogs.js",
  "early.js",
  "edit/best.js",
  "edit/grid.js",
  "edit/hand.js",
  "edit/model.js",
  "edit/palette.js",
  "edit/tabs.js",
  "edit/texts.js",
  "engine.js",
  "game.js",
  "icons/arrow.svg",
  "icons/help.svg",
  "icons/hint.svg",
  "icons/icon-192.png",
  "icons/icon-512.png",
  "icons/icon.svg",
  "icons/maskable-512.png",
  "icons/new.svg",
  "icons/redo.svg",
  "icons/settings.svg",
  "icons/undo.svg",
  "index.html",
  "lab2048.wasm",
  "laboratory/arena.js",
  "laboratory/breeding.js",
  "laboratory/chart.js",
  "laboratory/curves.js",
  "laboratory/drawing.js",
  "laboratory/evolutions.js",
  "laboratory/examples/4x6.csv",
  "laboratory/examples/8x6-5x4.csv",
  "laboratory/examples/evaluators.json",
  "laboratory/examples/expectimax-rows-1ms.jsonl",
  "laboratory/examples/sum-3.jsonl",
  "laboratory/files.js",
  "laboratory/learning.js",
  "laboratory/programs.js",
  "laboratory/table.js",
  "main.js",
  "manifest.webmanifest",
  "messages.js",
  "networks.js",
  "offline.js",
  "parts/address.js",
  "parts/again.js",
  "parts/bars.js",
  "parts/curve.js",
  "parts/dom.js",
  "parts/format.js",
  "parts/interfere.js",
  "parts/parts.css",
  "parts/players.js",
  "parts/session.js",
  "parts/spec.js",
  "parts/speed.js",
  "parts/thumb.js",
  "parts/words.js",
  "practice/mistakes.js",
  "practice/practice.js",
  "practice/tables.js",
  "practice/words.js",
  "practice/worst.js",
  "review/files.js",
  "review/judging.js",
  "review/report.js",
  "review/sources.js",
  "review/stage.js",
  "server.js",
  "speech.js",
  "store.js",
  "style.css",
  "tree/drawing.js",
  "tree/layout.js",
  "tree/nodes.js",
  "vendor/uPlot/LICENSE",
  "vendor/uPlot/uPlot.iife.min.js",
  "vendor/uPlot/uPlot.min.css",
  "views/edit.css",
  "views/edit.js",
  "views/four.css",
  "views/four.js",
  "views/laboratory.css",
  "views/laboratory.js",
  "views/play-hint.js",
  "views/play.css",
  "views/play.js",
  "views/practice.css",
  "views/practice.js",
  "views/review.css",
  "views/review.js",
  "views/tree.css",
  "views/tree.js",
  "views/watch.css",
  "views/watch.js",
  "wasm.js",
  "watch/game-form.js",
  "worker.js",
];
// end list

// Another copy of the page on this host has another scope, and caches of its own.
const PREFIX = `lab2048-page-${new URL(self.registration.scope).pathname}-`;
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
