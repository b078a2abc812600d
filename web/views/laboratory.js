/**
 * The view Laboratory: arena records, learning curves, evolutions and programs, from files that are
 * dropped onto the page or chosen, or from the folder given to `lab2048 serve`. Files are read in
 * the page; they are not sent anywhere.
 */

import * as engine from "../engine.js";
import { createArena } from "../laboratory/arena.js";
import { createBreeding, runsOf } from "../laboratory/breeding.js";
import { EXAMPLES, FileError, KINDS, MOST_BYTES, readText } from "../laboratory/files.js";
import { createLearning } from "../laboratory/learning.js";
import { createPrograms } from "../laboratory/programs.js";
import { el } from "../parts/dom.js";
import { bytes, count } from "../parts/format.js";

class Laboratory {
  constructor(root, app) {
    this.app = app;
    this.files = [];
    this.lastId = 0;
    this.arena = createArena();
    this.learning = createLearning();
    this.breeding = createBreeding({ onProgram: (key) => this.draw(key) });
    this.programs = createPrograms(app);
    this.input = el("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: "-1",
      "aria-hidden": "true", onchange: () => this.chosen() });
    this.drop = el("button", { type: "button", class: "lab-drop", onclick: () => this.input.click() },
      el("strong", {}, "Drop files here, or choose them"),
      el("span", { class: "muted" }, "arena records (.jsonl, .json), learning curves (.csv), evolutions (.json), programs (.gp)"));
    this.problems = el("ul", { class: "lab-problems", role: "alert" });
    this.list = el("ul", { class: "lab-files", "aria-label": "Open files" });
    this.folder = el("section", { class: "panel stack lab-folder", hidden: true });
    this.empty = this.makeEmpty();
    root.append(
      el("h1", { class: "visually-hidden" }, "Laboratory"),
      el("p", {}, "Compare players, follow a training or an evolution, and look into evolved programs. ",
        "Your files are read in this page and stay on your machine."),
      el("div", { class: "stack" }, this.drop, this.input, this.folder, this.problems, this.list, this.empty,
        this.arena.element, this.learning.element, this.breeding.element, this.programs.element),
    );
    this.listen(root);
    this.update();
    this.offerFolder();
  }

  makeEmpty() {
    const line = (command, text) => el("li", {}, el("code", {}, command), ` ${text}`);
    const examples = el("button", { type: "button", class: "button", onclick: () => this.openExamples() }, "Open examples");
    return el("section", { class: "panel lab-empty" }, el("h2", {}, "Files to look at"), examples, el("ul", {},
      line("lab2048 arena greedy expectimax --games 100 -o runs.jsonl", "writes arena records."),
      line("lab2048 train small --minutes 10", "writes the learning curve small/curve.csv."),
      line("lab2048 evolve --json > run.json", "writes the generations of an evolution."),
      line("lab2048 evolve -o best.gp", "writes an evolved program."),
      line("lab2048 serve FOLDER", "offers the files of a folder here.")));
  }

  // The whole view takes files; the mark is on the drop zone.
  listen(root) {
    const mark = (on) => this.drop.classList.toggle("lab-over", on);
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    root.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      mark(true);
    });
    root.addEventListener("dragleave", (event) => {
      if (!root.contains(event.relatedTarget)) mark(false);
    });
    root.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      mark(false);
      this.open([...event.dataTransfer.files]);
    });
  }

  async chosen() {
    const files = [...this.input.files];
    this.input.value = "";
    await this.open(files);
  }

  /** Opens files of the reader's machine, one after another. */
  async open(files) {
    this.problems.replaceChildren();
    for (const file of files) {
      await this.add(file.name, file.size, () => file.text());
    }
  }

  async openExamples() {
    this.problems.replaceChildren();
    for (const name of EXAMPLES) {
      await this.add(name, 0, () => getText(`laboratory/examples/${name}`));
    }
  }

  async add(name, size, read) {
    try {
      if (size > MOST_BYTES) throw new FileError(`'${name}' is larger than ${bytes(MOST_BYTES)}.`);
      this.drop.setAttribute("aria-busy", "true");
      const text = await read().catch(() => {
        throw new FileError(`'${name}' cannot be read; it may be a folder or it may be gone.`);
      });
      const found = await readText(name, text, engine.ask);
      const known = this.files.find((file) => file.name === name && file.text === text);
      if (known) throw new FileError(`'${name}' is open already.`);
      this.lastId += 1;
      this.keep({ ...found, id: this.lastId, size: size || text.length, text });
      this.app.announce(`${name}: ${KINDS[found.kind]}.`);
    } catch (error) {
      if (!(error instanceof FileError)) console.error(error);
      const said = error instanceof FileError ? error.message : `'${name}' cannot be shown; it is not as lab2048 writes it.`;
      this.problems.append(el("li", {}, said));
    } finally {
      this.drop.removeAttribute("aria-busy");
    }
  }

  /** Shows one more file. One that cannot be drawn is not kept, so that it harms no other. */
  keep(file) {
    this.files.push(file);
    try {
      this.update();
    } catch (error) {
      this.files.pop();
      this.update();
      throw error;
    }
  }

  close(file) {
    const place = this.files.indexOf(file);
    this.files.splice(place, 1);
    this.update();
    const buttons = this.list.querySelectorAll("button");
    (buttons[Math.min(place, buttons.length - 1)] ?? this.drop).focus();
    this.app.announce(`${file.name} closed.`);
  }

  of(kind) {
    return this.files.filter((file) => file.kind === kind);
  }

  update() {
    this.list.hidden = this.files.length === 0;
    this.empty.hidden = this.files.length > 0;
    this.list.replaceChildren(...this.files.map((file) => this.entry(file)));
    this.arena.show(named(this.of("arena")));
    this.learning.show(named(this.of("curve")));
    this.breeding.show(named(this.of("evolution")), this.of("table"));
    this.programs.show(this.allPrograms());
  }

  entry(file) {
    const about = [KINDS[file.kind], bytes(file.size), file.note].filter(Boolean).join("; ");
    return el("li", {}, el("span", {}, el("strong", {}, file.name), el("span", { class: "muted" }, ` ${about}`)),
      el("button", { type: "button", class: "icon-button", "aria-label": `Close ${file.name}`, title: "Close",
        onclick: () => this.close(file) }, "\u00d7"));
  }

  /** The programs in files, then the champions of evolutions. */
  allPrograms() {
    const written = named(this.of("program")).map(({ id, name, data }) => ({ key: `${id}`, label: name, text: data.text }));
    const champions = named(this.of("evolution")).flatMap(runsOf).filter((run) => run.champion);
    const toProgram = ({ key, label, champion }) => ({ key, label: `champion of ${label}`, text: champion.program });
    return [...written, ...champions.map(toProgram)];
  }

  draw(key) {
    this.programs.show(this.allPrograms(), key);
    this.programs.element.scrollIntoView({ block: "start" });
    this.programs.element.querySelector("select").focus({ preventScroll: true });
  }

  /** Lists the files of the folder given to `lab2048 serve`. */
  async offerFolder() {
    await engine.known;
    if (!engine.server) return;
    const offered = await getText("api/files").then(JSON.parse).catch(() => []);
    if (offered.length === 0) return;
    const said = el("p", { class: "muted" }, `${count(offered.length, "file")} in the folder given to lab2048 serve.`);
    const list = el("ul", { class: "lab-offered" }, offered.map((file) => this.offer(file)));
    this.folder.replaceChildren(el("h2", {}, engine.server.folder), said, list);
    this.folder.hidden = false;
  }

  offer({ id, name, bytes: size, kind }) {
    const read = () => getText(`api/files/${encodeURIComponent(id)}`);
    const open = kind === "replay" ? () => this.review(name, read) : () => this.add(name, size, read);
    const about = [bytes(size), kind === "replay" ? "replay" : null].filter(Boolean).join(", ");
    const button = el("button", { type: "button", class: "button" }, name, el("span", { class: "muted" }, about));
    button.addEventListener("click", () => {
      this.problems.replaceChildren();
      open();
    });
    return el("li", {}, button);
  }

  /** Replays are for the view Review. */
  async review(name, read) {
    try {
      this.app.setReplay(await read());
      this.app.go("review");
    } catch {
      this.problems.append(el("li", {}, `'${name}' cannot be read; it may be gone.`));
    }
  }
}

/** Files of the same name get a number, so that charts can tell them apart. */
function named(files) {
  const seen = new Map();
  return files.map((file) => {
    const number = (seen.get(file.name) ?? 0) + 1;
    seen.set(file.name, number);
    return number > 1 ? { ...file, name: `${file.name} (${number})` } : file;
  });
}

/** The text at an address of this site. */
async function getText(path) {
  const response = await fetch(new URL(`../${path}`, import.meta.url));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

let view = null;

export default {
  id: "laboratory",
  title: "Laboratory",
  mount(root, app) {
    view = new Laboratory(root, app);
  },
  show() {
    view.programs.refresh();
  },
  hide() {},
};
