/**
 * The view Tree: the search tree of a position, as the player searches it.
 */

import { ask, rules } from "../engine.js";
import { startOf } from "../parts/address.js";
import { startAgain } from "../parts/again.js";
import { el, freshId, setText } from "../parts/dom.js";
import { count, whole } from "../parts/format.js";
import { createPlayerForm, isPlayable } from "../parts/players.js";
import { splitSpec } from "../parts/spec.js";
import { sentence, worthText } from "../parts/words.js";
import { createDrawing } from "../tree/drawing.js";
import { MOST_SHOWN, TreeNodes } from "../tree/nodes.js";

/** The tree of seed 004: its player at depth 3. */
const FIRST = { player: "clairvoyant", depth: 3, branches: 3 };
/** Trees of at most this many nodes are drawn open. */
const SMALL = 140;
const NARROW = 640;
/** Boards are readable at this scale. A tree that needs a smaller one is scrolled. */
const READABLE = 0.75;
/** The spawns of a position without a seed of its own. */
const SEED = "1";

class TreeView {
  constructor(root, app) {
    this.app = app;
    this.position = null;
    this.tree = null;
    this.asked = null;
    this.request = null;
    this.shape = null;
    this.played = null;
    this.drawing = createDrawing();
    this.build(root);
    this.onWidth = () => this.applyShape();
    new ResizeObserver(this.onWidth).observe(root);
  }

  build(root) {
    const button = (text, action, name = text) =>
      el("button", { class: "button", type: "button", "aria-label": name, title: name, onclick: action }, text);
    const registry = rules.call({ do: "players" });
    const filter = (player) => player.tree && isPlayable(player);
    this.player = createPlayerForm({ registry, value: FIRST.player, filter, onChange: () => this.draw() });
    const names = registry.players.filter(filter).map(({ name }) => el("option", { value: name }, name));
    this.name = el("select", { id: freshId("name"), onchange: () => this.choose(this.name.value) }, names);
    this.depth = this.numberField("Depth", FIRST.depth, 1, 12);
    this.branches = this.numberField("Branches", FIRST.branches, 1, 64);
    this.status = el("p", { class: "tree-status", role: "status" });
    this.stopButton = button("Stop", () => this.asked?.abort());
    this.stopButton.hidden = true;
    this.shapeButton = button("Outline", () => this.switchShape());
    this.saveButton = button("Download SVG", () => this.save());
    this.zoomButtons = [
      button("\u2212", () => this.drawing.zoomOut(), "Zoom out"),
      button("+", () => this.drawing.zoomIn(), "Zoom in"),
      button("Fit", () => this.drawing.fit(), "Fit the width"),
      button("100%", () => this.drawing.zoomTo(1), "100%: actual size"),
    ];
    root.classList.add("tree");
    root.append(
      el("h1", { class: "visually-hidden" }, "Search tree"),
      el(
        "div",
        { class: "panel tree-form" },
        el("div", { class: "row tree-fields" },
          el("div", { class: "field" }, el("label", { for: this.name.id }, "Player"), this.name),
          this.depth.element, this.branches.element,
          button("Position of Play", () => this.attempt(() => this.openPlay())),
          button("Edit the position", () => this.attempt(() => this.edit()))),
        el("details", {}, el("summary", {}, "All parameters of the player"), this.player.element),
      ),
      el(
        "div",
        { class: "row tree-tools", role: "toolbar", "aria-label": "Tree" },
        button("Open all", () => this.openAll()),
        button("Best line", () => this.reshape((tree) => tree.openBest())),
        button("Close all", () => this.reshape((tree) => tree.closeAll())),
        this.zoomButtons, this.shapeButton, this.saveButton, this.stopButton,
      ),
      this.status,
      this.drawing.element,
      el("p", { class: "muted tree-keys" },
        "Arrow keys walk through the tree, Enter opens and closes a board, plus and minus zoom. ",
        "A new tile has a blue frame. The best line is marked."),
    );
  }

  numberField(name, value, min, max) {
    const id = freshId("number");
    const input = el("input", {
      id, type: "number", min, max, step: 1, inputmode: "numeric", ".value": value, onchange: () => this.draw(),
    });
    const number = () => {
      const given = Number(input.value);
      const isEmpty = input.value === "" && !input.validity.badInput;
      const isRight = Number.isInteger(given) && given >= min && given <= max && !input.validity.badInput;
      input.setAttribute("aria-invalid", String(!isEmpty && !isRight));
      if (!isEmpty && !isRight) throw new Error(`${name}: enter a whole number from ${min} to ${max}.`);
      // The engine chooses.
      return isEmpty ? null : given;
    };
    return { number, input, element: el("div", { class: "field" }, el("label", { for: id }, name), input) };
  }

  choose(spec) {
    this.player.set(spec);
    this.draw();
  }

  /** Opens what the address names, or else the position of Play. */
  open(params) {
    this.attempt(() => {
      if (params.get("player")) this.player.set(params.get("player"));
      if (params.get("game")) this.takeGame({ do: "load", text: params.get("game") });
      else if (params.get("board")) this.openBoard(params);
      else if (this.position === null || this.played !== this.playPosition().key) this.openPlay();
      this.played = this.playPosition().key;
    });
  }

  openBoard(params) {
    const { board, size } = rules.call({ do: "board", text: params.get("board") });
    const start = startOf(params, (wrong) => this.app.toast(wrong, { kind: "error" }));
    this.takeGame({ do: "new", size, board, seed: SEED, ...start });
  }

  /** Takes the position of a game that a request makes. */
  takeGame(request) {
    const { game } = rules.call(request);
    this.take(rules.call({ do: "position", game }));
    rules.call({ do: "drop", game });
  }

  openPlay() {
    this.take(this.playPosition().position);
  }

  /** The position of Play, with a key that tells whether it changed. */
  playPosition() {
    const position = rules.call({ do: "position", game: this.app.game().handle });
    return { position, key: JSON.stringify(position) };
  }

  take(position) {
    this.position = position;
    this.draw();
  }

  edit() {
    const { board, score, turns, seed, rules: { four } } = this.position;
    this.app.go("edit", { board: board.map((row) => row.join(",")).join("/"), score, turns, seed, four });
  }

  /** The position for the engine. A player that knows the coming tiles needs a seed for them. */
  asPlayerKnows() {
    const { position } = this;
    const { knows_future: knowsFuture } = rules.call({ do: "check", spec: this.player.spec() });
    if (position.future || !knowsFuture) return { position, note: "" };
    const note = ` The coming tiles of this game are not known, so they are those of seed ${SEED}.`;
    return { position: { ...position, seed: SEED, future: true }, note };
  }

  /** Asks for the tree and draws it. A newer question replaces an older one. */
  async draw() {
    if (this.position === null) return;
    const stopped = this.asked !== null;
    this.asked?.abort();
    const stop = new AbortController();
    this.asked = stop;
    this.name.value = splitSpec(this.player.spec()).name;
    setText(this.status, "Searching.");
    this.stopButton.hidden = false;
    try {
      const { position, note } = this.asPlayerKnows();
      const [depth, top] = [this.depth.number(), this.branches.number()];
      const spec = this.player.spec();
      this.request = { spec, position, ...(depth && { depth }), ...(top && { top }) };
      const { signal } = stop;
      const answer = await startAgain(() => ask({ do: "tree", ...this.request }, { signal }), { stopped, signal });
      if (this.asked === stop) this.show(answer, note);
    } catch (error) {
      if (this.asked === stop) this.fail(error);
    } finally {
      if (this.asked === stop) {
        this.asked = null;
        this.stopButton.hidden = true;
      }
    }
  }

  show(answer, note) {
    this.tree = new TreeNodes(answer.nodes);
    if (answer.nodes.length <= SMALL && !this.isOutline()) this.tree.openAll();
    else this.tree.openBest();
    this.saveButton.disabled = false;
    this.applyShape();
    this.drawing.set(this.tree);
    this.drawing.fit(READABLE);
    const root = answer.nodes[0];
    const best = answer.nodes.find((node) => node.parent === 0 && node.best)?.step.move;
    const unit = answer.unit === "points" ? "points to come" : "a preference";
    const drawn = answer.drawn < answer.depth ? `, of which ${answer.drawn} are drawn` : "";
    const worth = worthText(root.value);
    const value = worth ? ` The position is worth ${worth} (${unit}).` : ` Values are ${unit}.`;
    setText(
      this.status,
      `${count(answer.nodes.length, "board")}, depth ${answer.depth}${drawn}.` +
        `${best ? ` Best move: ${best}.` : ""}${value}${note}`,
    );
  }

  fail(error) {
    if (error.name === "AbortError") {
      setText(this.status, "Stopped.");
      return;
    }
    this.tree = null;
    this.saveButton.disabled = true;
    this.drawing.set(null);
    setText(this.status, sentence(error.message));
  }

  isOutline() {
    return this.shape === null ? this.drawing.element.clientWidth < NARROW : this.shape === "outline";
  }

  applyShape() {
    const outline = this.isOutline();
    if (this.outline === outline) return;
    this.outline = outline;
    setText(this.shapeButton, outline ? "Picture" : "Outline");
    this.shapeButton.setAttribute("aria-label", outline ? "Show as a picture" : "Show as an outline");
    for (const button of this.zoomButtons) button.disabled = outline;
    this.drawing.setOutline(outline);
    this.drawing.home();
  }

  switchShape() {
    this.shape = this.isOutline() ? "picture" : "outline";
    this.applyShape();
  }

  reshape(change) {
    if (!this.tree) return;
    change(this.tree);
    this.drawing.draw();
    this.drawing.home();
  }

  openAll() {
    this.reshape((tree) => {
      if (!tree.openAll()) {
        this.app.toast(`The tree has more than ${whole(MOST_SHOWN)} boards, so its last moves stay closed.`, { kind: "info" });
      }
    });
  }

  async save() {
    try {
      const { svg } = await ask({ do: "tree_picture", ...this.request });
      this.app.download("tree.svg", svg, "image/svg+xml");
    } catch (error) {
      this.app.toast(sentence(error.message), { kind: "error" });
    }
  }

  attempt(action) {
    try {
      action();
    } catch (error) {
      this.app.toast(sentence(error.message), { kind: "error" });
    }
  }
}

let view = null;

export default {
  id: "tree",
  title: "Tree",
  mount(root, app) {
    view = new TreeView(root, app);
  },
  show(params) {
    view.open(params);
  },
  hide() {
    view.asked?.abort();
  },
};
