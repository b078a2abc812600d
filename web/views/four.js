/**
 * Four games side by side, on 3x3 to 6x6 boards: the pictures of the source document, live. One
 * player plays all of them, with common controls.
 * @module
 */

import { createBoard } from "../board.js";
import { rules } from "../engine.js";
import { el, freshId, setText } from "../parts/dom.js";
import { whole } from "../parts/format.js";
import { isTaken } from "../parts/interfere.js";
import { createPlayerForm } from "../parts/players.js";
import { Session } from "../parts/session.js";
import { splitSpec, withParam } from "../parts/spec.js";
import { createSpeed } from "../parts/speed.js";
import { readSeed } from "../watch/game-form.js";

const SIDES = [3, 4, 5, 6];
/** The document's player and depth. */
const SPEC = "clairvoyant:depth=4";
/** The slider offers depths that a phone can search between two frames or so. */
const DEEPEST = 8;
const ANIMATED = 120;

export default { id: "four", title: "Four boards", mount, show, hide };

let view = null;

function mount(root, app) {
  view = new Four(root, app);
}

function show(params) {
  view.show(params);
}

function hide() {
  view.hide();
}

class Four {
  constructor(root, app) {
    this.app = app;
    this.visible = false;
    this.registry = rules.call({ do: "players" });
    this.games = SIDES.map((side) => createGame(side, this));
    this.speed = createSpeed({
      place: 22,
      onChange: (delay) => this.each((session) => session.setDelay(delay)),
    });
    this.players = createPlayerForm({
      registry: this.registry,
      value: SPEC,
      onChange: (spec) => this.choose(spec),
    });
    this.build(root);
    this.each((session) => session.setDelay(this.speed.delay()));
    this.choose(SPEC);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  build(root) {
    const button = (text, onclick, extra = {}) =>
      el("button", { class: "button", type: "button", onclick, ...extra }, text);
    const [depth, seed] = [freshId("depth"), freshId("seed")];
    this.playButton = button("Play", () => this.toggle(), { class: "button primary" });
    this.stepButton = button("Step", () => this.step());
    this.turboButton = button("Turbo", () => this.turbo(), { "aria-pressed": "false" });
    this.depth = el("input", {
      id: depth,
      type: "range",
      min: 1,
      max: DEEPEST,
      step: 1,
      oninput: () => this.setDepth(Number(this.depth.value)),
    });
    this.depthText = el("output", { class: "speed-text muted", for: depth });
    this.depthBox = el("div", { class: "speed" }, el("label", { for: depth }, "Depth"), this.depth, this.depthText);
    this.seed = el("input", {
      id: seed,
      class: "four-seed",
      inputmode: "numeric",
      placeholder: "random",
      maxlength: 20,
      autocomplete: "off",
    });
    this.error = el("p", { class: "problem", role: "alert" });
    this.spec = el("code");
    const submit = (event) => {
      event.preventDefault();
      this.start();
    };
    const again = el(
      "form",
      { class: "row four-again", novalidate: true, onsubmit: submit },
      el("label", { for: seed }, "Seed"),
      this.seed,
      button("New games", null, { type: "submit" }),
    );
    const transport = [this.playButton, this.stepButton, this.turboButton];
    root.classList.add("four");
    root.append(
      el("h1", { class: "visually-hidden" }, "Four boards"),
      el("div", { class: "row", role: "group", "aria-label": "Playing" }, transport),
      this.error,
      el("div", { class: "four-boards" }, this.games.map((game) => game.element)),
      el("div", { class: "four-controls" }, this.speed.element, this.depthBox, again),
      el("details", { class: "panel watch-panel" }, el("summary", {}, "Player ", this.spec), this.players.element),
    );
  }

  each(run) {
    for (const { session } of this.games) run(session);
  }

  get running() {
    return this.games.some(({ session }) => session.running);
  }

  show(params) {
    this.visible = true;
    const wrong = params.has("player") && this.players.set(params.get("player"));
    if (wrong) this.app.toast(wrong, { kind: "error" });
    if (params.has("seed")) this.seed.value = params.get("seed");
    this.choose(this.players.spec());
    if (!this.games[0].session.state || params.has("seed")) this.start();
  }

  hide() {
    this.visible = false;
    this.each((session) => session.halt());
  }

  start() {
    const { running } = this;
    const turbo = this.games.some(({ session }) => session.turbo);
    try {
      const seed = readSeed(this.seed);
      SIDES.forEach((side, index) => this.games[index].session.start({ do: "new", size: `${side}x${side}`, seed }));
      setText(this.error, "");
    } catch (error) {
      setText(this.error, error.message);
      return;
    }
    if (running) this.each((session) => session.play({ turbo }));
    this.status();
  }

  choose(spec) {
    this.each((session) => session.setPlayer(spec));
    setText(this.spec, spec);
    const { name, given } = splitSpec(spec);
    const player = this.registry.players.find((each) => each.name === name);
    const param = player?.params.find((each) => each.name === "depth");
    this.depthBox.hidden = !param;
    if (!param) return;
    const depth = given.get("depth") ?? param.default;
    if (Number(depth) <= DEEPEST) this.depth.value = depth;
    setText(this.depthText, /^\d+$/.test(depth) ? `${depth} ${param.unit}` : "chosen by the player");
  }

  setDepth(depth) {
    const spec = withParam(this.players.spec(), "depth", depth);
    this.players.set(spec);
    this.choose(this.players.spec());
  }

  toggle() {
    if (this.running) {
      this.each((session) => session.pause());
      this.app.announce(`Paused. ${this.summary()}`);
    } else {
      this.playAll({});
    }
  }

  turbo() {
    if (this.games.some(({ session }) => session.turbo)) this.toggle();
    else this.playAll({ turbo: true });
  }

  /** Plays on; when all four games are over, four new ones. */
  playAll(how) {
    if (this.games.every(({ session }) => !session.canMove)) this.start();
    this.each((session) => session.play(how));
  }

  step() {
    this.each((session) => session.step());
  }

  key(event) {
    if (!this.visible || isTaken(event)) return;
    const action = { " ": () => this.toggle(), n: () => this.step(), t: () => this.turbo() }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  status() {
    const turbo = this.games.some(({ session }) => session.running && session.turbo);
    setText(this.playButton, this.running ? "Pause" : "Play");
    this.turboButton.setAttribute("aria-pressed", String(turbo));
  }

  ended(game) {
    this.app.announce(`${game.name} is over: ${whole(game.session.state.score)} points.`);
  }

  failed(sentence) {
    this.each((session) => session.pause());
    setText(this.error, sentence);
  }

  summary() {
    return this.games.map(({ name, session }) => `${name}: ${whole(session.state.score)} points`).join(", ");
  }
}

/** One of the boards with its figures. */
function createGame(side, view) {
  const name = `${side}x${side}`;
  const board = createBoard({ rows: side, cols: side, label: `Board ${name}` });
  const figures = new Map(["Score", "Moves", "Largest"].map((figure) => [figure, el("dd")]));
  const pairs = [...figures].map(([figure, cell]) => el("div", {}, el("dt", {}, figure), cell));
  const over = el("span", { class: "four-over", hidden: true });
  const element = el(
    "section",
    { class: "four-game", "aria-label": `Game on ${name}` },
    el("h2", {}, name, over),
    el("div", { class: "watch-board" }, board.element),
    el("dl", { class: "watch-scores" }, pairs),
  );

  function showState(state) {
    setText(figures.get("Score"), whole(state.score));
    setText(figures.get("Moves"), whole(state.turns));
    setText(figures.get("Largest"), whole(state.largest));
  }

  const jump = (state) => {
    board.set(state.board);
    showState(state);
  };
  const session = new Session({
    onStart: (state) => {
      over.hidden = true;
      jump(state);
    },
    onJump: jump,
    onTurn: (turn, state) => {
      if (session.delay >= ANIMATED) board.turn(turn, state.board);
      else board.set(state.board);
      showState(state);
    },
    onStatus: () => view.status(),
    onError: (sentence) => view.failed(sentence),
    onEnd: (reason) => {
      setText(over, reason === "over" ? ": game over" : ": the player did not choose a move");
      over.hidden = false;
      view.ended({ name, session });
    },
  });
  return { name, session, element };
}
