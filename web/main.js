/**
 * The page: loads the engine, shows one view at a time and gives the views what they share.
 *
 * A view is `export default { id, title, mount(root, app), show(params), hide() }` in views/ID.js
 * with its styles in views/ID.css. The address says which view is shown: `#edit?board=...`.
 * @module
 */

import { onProgress, ready } from "./engine.js";
import { showHelp, showSettings } from "./dialogs.js";
import * as game from "./game.js";
import { settings } from "./store.js";
import { announce, toast } from "./messages.js";
import { keepOffline } from "./offline.js";

const VIEWS = [
  ["play", "Play"],
  ["practice", "Practice"],
  ["watch", "Watch"],
  ["four", "Four boards"],
  ["edit", "Edit"],
  ["review", "Review"],
  ["tree", "Tree"],
  ["laboratory", "Laboratory"],
];

const main = document.getElementById("main");
const mounted = new Map();
let current = null;
let routed = 0;
let chosenReplay = null;

const app = {
  announce,
  toast,
  settings,
  /** Shows a view: `go("edit", {board: "..."})`. */
  go(view, params = {}) {
    const query = new URLSearchParams(params).toString();
    const hash = `#${view}${query ? `?${query}` : ""}`;
    if (location.hash === hash) route();
    else location.hash = hash;
  },
  /** The game of the Play view: `{handle, state}`. */
  game: () => game.current(),
  /** The replay of the game just played or watched; "" if there is none. */
  replay: () => chosenReplay ?? game.replay(),
  /** What `replay` gives until a move is played in Play. */
  setReplay(text) {
    chosenReplay = text;
  },
  download(name, content, type = "application/octet-stream") {
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  },
};

function parse(hash) {
  const [id, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const isKnown = VIEWS.some(([view]) => view === id);
  return { id: isKnown ? id : "play", params: new URLSearchParams(query) };
}

function addStyles(id) {
  const href = `views/${id}.css`;
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  return new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
    document.head.append(link);
  });
}

async function open(id) {
  const root = document.createElement("section");
  root.id = `view-${id}`;
  root.className = `view view-${id}`;
  root.hidden = true;
  const [found] = await Promise.all([import(`./views/${id}.js`), addStyles(id), ready]);
  const view = found.default;
  root.setAttribute("aria-label", view.title);
  main.append(root);
  view.mount(root, app);
  return { view, root };
}

async function route() {
  const turn = (routed += 1);
  const { id, params } = parse(location.hash);
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.view !== id) link.removeAttribute("aria-current");
    else {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
  if (!mounted.has(id)) mounted.set(id, open(id));
  try {
    const next = await mounted.get(id);
    if (turn !== routed) return;
    if (current && current !== next) {
      current.root.hidden = true;
      current.view.hide();
    }
    const isNew = current !== next;
    current = next;
    next.root.hidden = false;
    document.title = id === "play" ? "2048 - lab2048" : `${next.view.title} - lab2048`;
    if (isNew && turn > 1) window.scrollTo(0, 0);
    next.view.show(params);
  } catch (error) {
    mounted.delete(id);
    document.getElementById(`view-${id}`)?.remove();
    if (turn === routed) showFailure(id, error);
  }
}

function showFailure(id, error) {
  if (current) {
    current.root.hidden = true;
    current.view.hide();
  }
  current = null;
  console.error(error);
  const notice = document.createElement("section");
  notice.className = "notice";
  notice.textContent = `This view could not be opened: ${error.message}`;
  main.append(notice);
  addEventListener("hashchange", () => notice.remove(), { once: true });
}

function addLinks() {
  document.getElementById("views").append(...VIEWS.map(([id, title]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.dataset.view = id;
    link.textContent = title;
    item.append(link);
    return item;
  }));
}

function showProgress(progress) {
  const box = document.getElementById("progress");
  box.hidden = progress === null;
  if (progress === null) return;
  const mega = (bytes) => (bytes / 1e6).toFixed(1);
  const { name, loaded, total } = progress;
  document.getElementById("progress-label").textContent =
    `Fetching the network '${name}': ${mega(loaded)} of ${mega(total)} MB`;
  document.getElementById("progress-bar").value = total ? (100 * loaded) / total : 0;
}

// Opens the help from everywhere, unless a text is being typed.
addEventListener("keydown", (event) => {
  const isText = event.target.closest?.("input, textarea, select, dialog");
  if (event.key === "?" && !isText && !event.ctrlKey && !event.metaKey && !event.altKey) showHelp();
});

addLinks();
onProgress(showProgress);
game.subscribe(() => (chosenReplay = null));
document.getElementById("help").addEventListener("click", showHelp);
document.getElementById("settings").addEventListener("click", showSettings);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", route);
ready.then(route).then(keepOffline).catch((error) => showFailure("play", error));
