/**
 * The view Edit: set up a position by hand or from a text, play moves by hand, copy it in any form,
 * and continue from it in the other views.
 */

import { rules } from "../engine.js";
import { createBest } from "../edit/best.js";
import { createGrid } from "../edit/grid.js";
import { createHand } from "../edit/hand.js";
import { EditModel, TOO_LARGE, emptyBoard, resized } from "../edit/model.js";
import { createPalette } from "../edit/palette.js";
import { createTabs } from "../edit/tabs.js";
import { createTexts } from "../edit/texts.js";
import { startOf } from "../parts/address.js";
import { el, freshId, setText } from "../parts/dom.js";
import { DIRECTIONS, sentence } from "../parts/words.js";
import { place, sayTurn } from "../speech.js";

const SIZES = [2, 3, 4, 5, 6, 7, 8];
const PLAYER = "auto";
/** The beginnings of replay texts: ours, and those of 2048verse. */
const REPLAY = /^\s*(lab2048 replay|\d+x\d+-)/;

class EditView {
  constructor(root, app) {
    this.app = app;
    this.model = new EditModel(rules);
    this.move = null;
    this.slid = null;
    this.loaded = false;
    this.makeParts();
    this.build(root);
    document.addEventListener("keydown", (event) => root.hidden || this.onKey(event));
    document.addEventListener("paste", (event) => root.hidden || this.onPaste(event));
  }

  makeParts() {
    this.grid = createGrid({
      onTile: (cell, tile) => this.setTile(cell, tile),
      onPick: (cell, tile) => this.place({ cell, tile: tile ?? this.hand.tile() }),
      onSelect: () => this.palette.show(this.model.tile(this.grid.selected())),
      onSlide: (direction) => this.slide(direction),
      onLeave: () => this.leave(),
    });
    this.palette = createPalette({
      tile: () => this.model.tile(this.grid.selected()),
      onTile: (tile) => this.setTile(this.grid.selected(), tile),
    });
    this.hand = createHand({
      onSlide: (direction) => this.slide(direction),
      onRandom: () => this.place(null),
      onLeave: () => this.leave(),
    });
    this.texts = createTexts({
      onRead: (text) => this.read(text),
      onCopy: (name, text) => this.copy(name, text),
      onCopyGame: () => this.attempt(() =>
        this.copy("Link to the game", this.address("play", `game=${encodeURIComponent(this.model.link())}`))),
    });
    this.best = createBest({
      registry: rules.call({ do: "players" }),
      player: PLAYER,
      position: () => this.model.position(),
    });
    this.tabs = createTabs("Ways to edit", [
      { title: "Set tiles", element: this.palette.element },
      { title: "Move by hand", element: this.hand.element },
    ]);
  }

  build(root) {
    const button = (text, action, kind = "") =>
      el("button", { class: `button ${kind}`, type: "button", onclick: () => this.attempt(action) }, text);
    this.undoButton = button("Undo", () => this.step("undo"));
    this.redoButton = button("Redo", () => this.step("redo"));
    this.rows = this.sizeField("Rows");
    this.cols = this.sizeField("Columns");
    this.score = el("input", {
      id: freshId("score"), type: "number", min: 0, step: 1, inputmode: "numeric", onchange: () => this.setScore(),
    });
    this.note = el("p", { class: "edit-note", role: "status" });
    this.onward = [
      button("Play from here", () => this.app.go("play", this.model.gameParams()), "primary"),
      button("Watch from here", () => this.app.go("watch", this.model.params())),
      button("Tree", () => this.app.go("tree", this.model.params())),
      this.best.button,
    ];
    root.classList.add("edit");
    root.append(
      el("h1", { class: "visually-hidden" }, "Edit a position"),
      el(
        "div",
        { class: "edit-main stack" },
        el("div", { class: "row edit-tools" }, this.undoButton, this.redoButton,
          button("Clear", () => this.clear()), button("From Play", () => this.openPlay())),
        this.grid.element,
        this.note,
        el("p", { class: "muted edit-keys", id: "edit-keys" },
          "Select a cell and type a number. Plus doubles, minus halves, Delete empties. Shift and an arrow key moves."),
        this.tabs.element,
        el("div", { class: "row edit-fields" }, this.rows.element, this.cols.element,
          el("div", { class: "field" }, el("label", { for: this.score.id }, "Score"), this.score)),
      ),
      el(
        "div",
        { class: "edit-side stack" },
        el("section", { class: "panel stack", "aria-labelledby": "edit-on-title" },
          el("h2", { id: "edit-on-title" }, "Continue"), el("div", { class: "row" }, this.onward),
          this.best.element),
        this.texts.writing,
        this.texts.reading,
      ),
    );
  }

  sizeField(name) {
    const id = freshId("size");
    const select = el("select", { id, onchange: () => this.resize() },
      SIZES.map((size) => el("option", { value: size }, String(size))));
    return { select, element: el("div", { class: "field" }, el("label", { for: id }, name), select) };
  }

  /** Opens what the address names. Without parameters the game of Play comes the first time. */
  open(params) {
    // A reload or a step back does not undo what is edited from here on.
    if (params.size > 0) history.replaceState(null, "", "#edit");
    this.attempt(() => {
      if (params.get("game")) this.openText(params.get("game"));
      else if (params.get("board")) this.openBoard(params.get("board"), params);
      else if (!this.loaded || this.model.isEmpty) this.openPlay();
    });
    this.loaded = true;
    this.refresh();
  }

  openText(text) {
    this.model.open(text);
    this.changed();
  }

  openBoard(text, params = new URLSearchParams()) {
    this.model.read(text, startOf(params, (wrong) => this.app.toast(wrong, { kind: "error" })));
    this.changed();
  }

  /** Takes the game of Play with its turns; only its position if it began with a score. */
  openPlay() {
    const { handle, state } = this.app.game();
    const { board, score, turns, seed, rules: { four } } = state;
    const same = () => score === this.model.score && JSON.stringify(board) === JSON.stringify(this.model.board);
    try {
      this.model.open(rules.call({ do: "link", game: handle }).moves);
    } catch {
      // Such a game has no link.
    }
    if (!same()) this.model.read(JSON.stringify(board), { score, turns, seed, four });
    this.changed();
  }

  /** Reads a link, a replay or a board. A text that is none of them gets the sentence of a board. */
  read(text) {
    const link = text.trim().match(/#\w+\?(.*)$/);
    if (link) {
      const params = new URLSearchParams(link[1]);
      if (params.get("game")) return this.openText(params.get("game"));
      if (params.get("board")) return this.openBoard(params.get("board"), params);
    }
    if (REPLAY.test(text)) return this.openText(text);
    try {
      this.openBoard(text);
    } catch (problem) {
      try {
        this.openText(text);
      } catch {
        throw problem;
      }
    }
    const { rows, cols } = this.model;
    this.app.announce(`Read a board of ${rows} rows and ${cols} columns.`);
    return undefined;
  }

  setTile(cell, tile) {
    this.leave({ quiet: true });
    if (!Number.isSafeInteger(tile) || tile < 0) {
      this.app.toast(TOO_LARGE, { kind: "error" });
    } else {
      this.model.setTile(cell, tile);
      this.app.announce(`${tile || "Empty"} in ${place(cell, this.model.cols)}.`);
    }
    this.changed();
  }

  setScore() {
    const score = Number(this.score.value);
    if (Number.isSafeInteger(score) && score >= 0) this.model.edit(this.model.board, { score });
    else this.app.toast("A score is a whole number that is not negative.", { kind: "error" });
    this.changed();
  }

  clear() {
    this.model.edit(emptyBoard(this.model.rows, this.model.cols), { score: 0, turns: 0 });
    this.changed();
    this.app.announce("The board is empty.");
  }

  resize() {
    this.grid.commit();
    this.model.edit(resized(this.model.board, Number(this.rows.select.value), Number(this.cols.select.value)));
    this.changed();
  }

  step(direction) {
    const midMove = this.slid !== null;
    this.leave({ quiet: true });
    if (direction === "redo") this.model.redo();
    else if (!midMove) this.model.undo();
    this.changed();
  }

  /** The first half of a move by hand: the tiles slide. */
  slide(direction) {
    this.attempt(() => {
      this.slid = this.model.slide(direction);
      this.move = direction;
      this.tabs.choose(1);
      this.refresh();
      this.app.announce(`Moved ${direction}. Choose an empty cell for the new tile.`);
      this.grid.focus();
    });
  }

  /** The second half: the new tile appears. `null` leaves the place to the seed. */
  place(spawn) {
    this.attempt(() => {
      const turn = this.model.play(this.move, spawn);
      this.leave({ quiet: true });
      this.changed();
      this.app.announce(sayTurn(turn, this.model));
    });
  }

  leave({ quiet = false } = {}) {
    if (this.slid === null) return;
    [this.move, this.slid] = [null, null];
    this.refresh();
    if (!quiet) this.app.announce("The move is cancelled.");
  }

  /** The position is another one. */
  changed() {
    [this.move, this.slid] = [null, null];
    this.best.stop();
    this.refresh();
  }

  refresh() {
    const { model } = this;
    this.grid.element.setAttribute("aria-label", `Board, ${model.rows} rows and ${model.cols} columns`);
    this.grid.show(this.slid?.after ?? model.board, { pick: this.slid !== null });
    this.palette.show(model.tile(this.grid.selected()));
    this.palette.element.inert = this.slid !== null;
    this.rows.select.value = model.rows;
    this.cols.select.value = model.cols;
    if (document.activeElement !== this.score) this.score.value = model.score;
    this.undoButton.disabled = !model.canUndo && this.slid === null;
    this.redoButton.disabled = !model.canRedo;
    const legal = this.legalMoves();
    this.hand.show({ legal, move: this.move, slid: this.slid });
    for (const button of this.onward) button.disabled = model.checked === null;
    this.best.button.disabled = legal.length === 0;
    this.texts.show(model.checked, this.boardLink());
    this.note.classList.toggle("problem", model.problem !== "");
    setText(this.note, this.noteText());
  }

  legalMoves() {
    if (this.model.checked === null) return [];
    return this.model.state().legal.filter((action) => DIRECTIONS.includes(action));
  }

  noteText() {
    const { problem, checked } = this.model;
    return problem ? sentence(problem) : checked.warnings.map(sentence).join(" ");
  }

  /** The address of this page with a view and its parameters. */
  address(view, query) {
    return `${location.origin}${location.pathname}#${view}?${query}`;
  }

  boardLink() {
    if (!this.model.checked) return "";
    const { board, score } = this.model.params();
    return this.address("edit", `board=${board}${score > 0 ? `&score=${score}` : ""}`);
  }

  async copy(name, text) {
    try {
      await navigator.clipboard.writeText(text);
      this.app.toast(`Copied: ${name.toLowerCase()}.`, { kind: "info" });
    } catch {
      this.app.toast("The browser does not allow copying. Select the text and copy it.", { kind: "error" });
    }
  }

  onKey(event) {
    const inText = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (inText || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    const redo = key === "y" || (key === "z" && event.shiftKey);
    if (!redo && key !== "z") return;
    event.preventDefault();
    this.attempt(() => this.step(redo ? "redo" : "undo"));
  }

  /** A board pasted anywhere but into a field is read. */
  onPaste(event) {
    const inText = event.target instanceof Element && event.target.closest("input, textarea");
    const text = event.clipboardData?.getData("text") ?? "";
    if (inText || text.trim() === "") return;
    event.preventDefault();
    this.attempt(() => this.read(text));
  }

  /** Does something and shows the sentence if it fails. */
  attempt(action) {
    try {
      Promise.resolve(action()).catch((error) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    this.app.toast(sentence(error.message), { kind: "error" });
    this.refresh();
  }
}

let view = null;

export default {
  id: "edit",
  title: "Edit",
  mount(root, app) {
    view = new EditView(root, app);
  },
  show(params) {
    view.open(params);
  },
  hide() {
    view.best.stop();
  },
};
