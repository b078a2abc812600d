/**
 * Practice: positions with exact values. Every move is answered with what it kept of the chance,
 * and mistakes can be drilled.
 * @module
 */

import { createBoard } from "../board.js";
import { rules } from "../engine.js";
import { freshSeed } from "../game.js";
import { startOf } from "../parts/address.js";
import { createBars } from "../parts/bars.js";
import { el, freshId, setText } from "../parts/dom.js";
import { chance, count, inUnit } from "../parts/format.js";
import { createPad, directionOf, isTaken, listenForSwipes } from "../parts/interfere.js";
import { sentence } from "../parts/words.js";
import { Mistakes, TIMES } from "../practice/mistakes.js";
import { Practice, isMistake } from "../practice/practice.js";
import { findTables } from "../practice/tables.js";
import { answerTo, decisionOf, sayEnd, sayValues } from "../practice/words.js";
import { createWorst } from "../practice/worst.js";
import { sayTurn } from "../speech.js";
import { readMistakes, settings, writeMistakes } from "../store.js";

/** Positions that are neither sure nor almost lost. */
const [FROM, TO] = [0.1, 0.99];

export default { id: "practice", title: "Practice", mount, show, hide };

let view = null;

function mount(root, app) {
  view = new View(root, app);
}

function show(params) {
  view.show(params);
}

function hide() {
  view.visible = false;
}

class View {
  constructor(root, app) {
    this.app = app;
    this.visible = false;
    this.tables = findTables();
    /** The tables by name, once they are known. */
    this.known = new Map();
    this.table = null;
    this.practice = null;
    /** The mistake that is drilled. */
    this.drilled = null;
    this.mistakes = new Mistakes({ read: readMistakes, write: writeMistakes });
    /** Counts what was begun; an answer that comes too late belongs to something else. */
    this.begun = 0;
    /** Moves wait for the answer about the one before. */
    this.queue = Promise.resolve();
    this.board = createBoard({ rows: 2, cols: 3, label: "Practice board" });
    this.bars = createBars();
    this.hintNote = el("p", { class: "muted" }, "Press Hint for the values of the four moves.");
    this.worst = createWorst({ onPick: (board) => this.begin({ board }) });
    this.build(root);
    this.showValues(null);
    this.update();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  build(root) {
    const button = (text, key, onclick, extra = {}) =>
      el("button", { class: "button", type: "button", "aria-keyshortcuts": key, onclick, ...extra }, text);
    const ids = { table: freshId("table"), from: freshId("from"), to: freshId("to") };
    const percent = (id, value) =>
      el("input", { id, type: "number", min: 0, max: 100, step: "any", inputmode: "decimal",
        ".value": 100 * value, onchange: () => this.next() });
    this.select = el("select", { id: ids.table, onchange: () => this.choose(this.select.value) });
    this.from = percent(ids.from, FROM);
    this.to = percent(ids.to, TO);
    this.goal = el("p", { class: "muted" });
    this.note = el("p", { class: "muted" });
    this.line = el("p", { class: "practice-line" });
    this.figures = new Map(["Best move", "Kept so far", "Moves"].map((name) => [name, el("dd")]));
    this.again = button("Same position again", "r", () => this.repeat());
    this.hintButton = button("Hint", "i", () => this.hint());
    this.nextButton = button("Next", "n", () => this.next(), { class: "button primary" });
    this.drillButton = button("Drill my mistakes", "m", () => this.toggleDrill(), { "aria-pressed": "false" });
    this.drillText = el("p", { class: "muted" });
    listenForSwipes(this.board.element, (direction) => this.move(direction));
    const range = el("div", { class: "practice-range" },
      el("div", { class: "field" }, el("label", { for: ids.from }, "Chance from (%)"), this.from),
      el("div", { class: "field" }, el("label", { for: ids.to }, "to (%)"), this.to));
    this.range = range;
    root.classList.add("watch");
    root.append(
      el("h1", { class: "visually-hidden" }, "Practice"),
      el("div", { class: "watch-main" },
        el("dl", { class: "watch-scores" },
          [...this.figures].map(([name, cell]) => el("div", {}, el("dt", {}, name), cell))),
        el("div", { class: "watch-board" }, this.board.element),
        this.line,
        el("div", { class: "row watch-transport" }, this.nextButton, this.again, this.hintButton),
        createPad((direction) => this.move(direction))),
      el("div", { class: "watch-side" },
        el("section", { class: "panel stack" },
          el("h2", {}, "What to practise"),
          el("div", { class: "field" }, el("label", { for: ids.table }, "Table"), this.select),
          range, this.goal, this.note),
        el("section", { class: "panel stack" }, el("h2", {}, "Exact values"), this.hintNote, this.bars.element),
        this.worst.element,
        el("section", { class: "panel stack" },
          el("h2", {}, "My mistakes"), this.drillText, el("div", {}, this.drillButton))));
  }

  // What is practised

  async show(params) {
    this.visible = true;
    await this.load();
    const wanted = this.read(params);
    if (wanted) history.replaceState(null, "", "#practice");
    if (!wanted && this.practice) return this.update();
    if (!this.use(wanted?.table ?? settings.practice)) {
      if (wanted?.table) this.complain(this.missing(wanted.table));
      this.use(this.known.keys().next().value);
    }
    return wanted?.drill !== undefined ? this.drill() : this.begin(wanted ?? {});
  }

  /** Fills the list of tables once. */
  async load() {
    const { small, served, note } = await this.tables;
    if (this.known.size > 0) return;
    // The server's tables come first where names are the same.
    for (const table of [...small, ...served]) this.known.set(table.name, table);
    const group = (label, tables) => tables.length > 0
      && el("optgroup", { label }, tables.map(({ name, title }) => el("option", { value: name }, title)));
    this.select.append(...[
      group("Tables of the server", served),
      group("Small boards", small.filter((table) => this.known.get(table.name) === table)),
    ].filter(Boolean));
    const parts = note.split("`");
    this.note.append(...parts.map((part, index) => (index % 2 ? el("code", {}, part) : part)));
    this.note.hidden = note === "";
  }

  /** What the address asks for: `#practice?table=2x3-32&from=0.2&to=0.9`, `&board=...`, `&drill`. */
  read(params) {
    if ([...params.keys()].length === 0) return null;
    const { from, to, seed } = startOf(params, (words) => this.complain(words), ["from", "to"]);
    if (from !== undefined) this.from.value = 100 * from;
    if (to !== undefined) this.to.value = 100 * to;
    const wanted = { table: params.get("table"), seed, drill: params.get("drill") ?? undefined };
    try {
      const text = params.get("board");
      if (text) wanted.board = rules.call({ do: "board", text }).board;
    } catch (error) {
      this.complain(error.message);
    }
    return wanted;
  }

  missing(name) {
    return `There is no table '${name}' here. Compute it with lab2048 solve, and open this page with lab2048 serve.`;
  }

  /** Chooses a table; false if there is none with this name. */
  use(name) {
    const table = this.known.get(name);
    if (!table) return false;
    this.table = table;
    this.select.value = name;
    this.range.hidden = table.tile === null;
    setText(this.goal, sentence(table.goal));
    return true;
  }

  choose(name) {
    this.use(name);
    settings.practice = name;
    this.next();
  }

  // Positions

  /** The next position, or in a drill the next mistake. */
  next() {
    if (this.drilled) this.drill();
    else this.begin({});
  }

  repeat() {
    if (this.practice) this.begin({ board: this.practice.start, drilled: this.drilled });
  }

  drill() {
    const [drilled] = this.table ? this.mistakes.of(this.table.name) : [];
    if (drilled) {
      this.begin({ board: drilled.board, drilled });
      return;
    }
    this.drilled = null;
    this.tell("No mistakes are left to drill here.");
    this.update();
  }

  /** Begins a drill, or ends it. */
  toggleDrill() {
    if (this.drilled) this.begin({});
    else this.drill();
  }

  /** The range of chances, as far as the fields say one. */
  wanted() {
    if (this.table.tile === null) return {};
    const share = (field) => (field.value === "" ? undefined : Number(field.value) / 100);
    return { from: share(this.from), to: share(this.to) };
  }

  /** Begins at a board, or at a position that is drawn. */
  async begin({ board, seed = freshSeed(), drilled = null }) {
    this.begun += 1;
    const { begun, table } = this;
    setText(this.line, "Looking for a position ...");
    try {
      const practice = await (board
        ? Practice.at(rules, table, board, seed)
        : Practice.drawn(rules, table, { seed, ...this.wanted() }));
      if (begun !== this.begun) return practice.end();
      const before = this.practice;
      Object.assign(this, { practice, drilled });
      this.board.set(practice.state.board);
      this.showValues(null);
      this.worst.show([]);
      this.tell(drilled ? "Find the best move." : this.aim(practice));
      this.update();
      before?.end();
      return undefined;
    } catch (error) {
      if (begun === this.begun) this.complain(error.message);
      return undefined;
    }
  }

  aim({ standing: { exact } }) {
    const best = inUnit(exact.value, exact.unit);
    return this.table.tile
      ? `Make ${this.table.tile}. The chance is ${best}.`
      : `Make points. Perfect play makes ${best} more.`;
  }

  // Moves

  key(event) {
    if (!this.visible || isTaken(event)) return;
    const direction = directionOf(event);
    const action = direction
      ? () => this.move(direction)
      : { n: () => this.next(), r: () => this.repeat(), i: () => this.hint(), m: () => this.toggleDrill() }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  move(direction) {
    const { practice } = this;
    this.queue = this.queue.then(() => practice === this.practice && this.play(direction));
  }

  async play(direction) {
    const { practice, drilled } = this;
    if (!practice) return;
    try {
      // After a failure, the next key asks once more.
      await practice.judge();
      if (practice !== this.practice || !practice.canPlay(direction)) return;
      if (drilled && practice.moves.length > 0) return;
      const { move, turn } = practice.play(direction);
      this.board.turn(turn, practice.state.board);
      this.showValues(null);
      this.answer(move, sayTurn(turn, practice.state));
      if (drilled) return;
      await practice.judge();
      if (practice === this.practice) this.judged(move);
    } catch (error) {
      if (practice === this.practice) this.complain(error.message);
    } finally {
      this.update();
    }
  }

  /** Says what a move kept. */
  answer(move, said) {
    const { name } = this.table;
    let words = answerTo(move);
    if (this.drilled) {
      const solved = this.mistakes.answer(this.drilled, !isMistake(move));
      if (solved === TIMES) words += ` Solved ${TIMES} times in a row: it leaves the list.`;
      else if (solved > 0) words += ` Solved ${solved} of ${TIMES} times in a row.`;
    } else if (isMistake(move)) {
      this.mistakes.add(name, move);
    }
    setText(this.line, words);
    this.line.classList.toggle("practice-mistake", isMistake(move));
    this.app.announce(`${said}. ${words}`);
  }

  /** Ends the practice if the tile is made or out of reach. */
  judged(move) {
    const { practice } = this;
    const mistakes = practice.mistakes();
    if (practice.outcome === "open") return;
    this.tell(`${answerTo(move)} ${sayEnd(practice)}`);
    this.worst.show(mistakes);
  }

  hint() {
    const { practice } = this;
    if (practice?.outcome !== "open") return;
    const { exact } = practice.standing;
    this.showValues(exact);
    this.app.announce(sayValues(exact));
  }

  // What is shown

  showValues(exact) {
    this.hintNote.hidden = exact !== null;
    this.bars.element.hidden = exact === null;
    this.bars.show(exact && decisionOf(exact));
  }

  /** Shows a sentence that is no answer to a move. */
  tell(words) {
    this.line.classList.remove("practice-mistake");
    setText(this.line, words);
    if (this.visible) this.app.announce(words);
  }

  complain(words) {
    setText(this.line, "");
    this.app.toast(sentence(words), { kind: "error" });
  }

  update() {
    const { practice, drilled } = this;
    const exact = practice?.standing?.exact;
    const isOpen = practice?.outcome === "open";
    const figures = {
      "Best move": isOpen && !drilled ? inUnit(exact.value, exact.unit) : "-",
      "Kept so far": practice?.moves.length > 0 ? chance(practice.product) : "-",
      Moves: String(practice?.moves.length ?? 0),
    };
    for (const [name, cell] of this.figures) setText(cell, figures[name]);
    this.again.disabled = !practice;
    this.hintButton.disabled = !isOpen;
    this.drillButton.setAttribute("aria-pressed", String(Boolean(drilled)));
    const collected = this.table ? this.mistakes.of(this.table.name).length : 0;
    this.drillButton.disabled = collected === 0 && !drilled;
    setText(this.drillText, collected > 0
      ? `${count(collected, "position")} of this table. Solve one ${TIMES} times in a row and it leaves the list.`
      : "Moves that lose something of this table are collected here.");
  }
}
