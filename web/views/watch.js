/**
 * The view that shows a player at work: its game, its speed, the values of its moves. A person can
 * take the game over at any moment and hand it back.
 * @module
 */

import { createBoard } from "../board.js";
import { rules, server } from "../engine.js";
import { startOf } from "../parts/address.js";
import { createBars } from "../parts/bars.js";
import { createCurve } from "../parts/curve.js";
import { el, setText } from "../parts/dom.js";
import { count, rate, time, whole } from "../parts/format.js";
import { createPad, directionOf, isTaken, listenForSwipes } from "../parts/interfere.js";
import { createPlayerForm } from "../parts/players.js";
import { Session } from "../parts/session.js";
import { createSpeed } from "../parts/speed.js";
import { sentence } from "../parts/words.js";
import { wantsServer } from "../server.js";
import { sayTurn } from "../speech.js";
import { createGameForm } from "../watch/game-form.js";

/** Moves that follow each other faster than this are not animated, in milliseconds. */
const ANIMATED = 120;
/** The figures and bars change at most this often while a player plays, in milliseconds. */
const FIGURES = 100;
/** A search without a result for longer than this shows the time it took so far, in milliseconds. */
const PATIENCE = 500;

const DETAILS = ["Depth", "Nodes", "Time a move", "Moves a second", "Seed", "Plays"];
/** The fields of the new game that the address can set: `#watch?size=5x5&seed=7`. */
const FIELDS = ["size", "seed", "four", "until"];

export default { id: "watch", title: "Watch", mount, show, hide };

let view = null;

function mount(root, app) {
  view = new Watch(root, app);
}

function show(params) {
  view.show(params);
}

function hide() {
  view.hide();
}

class Watch {
  constructor(root, app) {
    this.app = app;
    this.visible = false;
    this.person = false;
    this.lastFigures = 0;
    this.clock = 0;
    /** When the search began that has no result yet, or null. */
    this.waitsSince = null;
    this.wasSearching = false;
    this.session = new Session(this.handlers());
    this.board = createBoard({ rows: 4, cols: 4, label: "Watched board" });
    this.bars = createBars();
    this.curve = createCurve({ label: "Score", across: "move" });
    this.speed = createSpeed({ onChange: (delay) => this.session.setDelay(delay) });
    this.session.setDelay(this.speed.delay());
    this.games = createGameForm((request, until) => this.start(request, until));
    this.players = createPlayerForm({
      registry: rules.call({ do: "players" }),
      value: "auto",
      onChange: (spec) => this.choose(spec),
    });
    this.build(root);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  handlers() {
    return {
      onStart: (state) => this.begin(state),
      onTurn: (turn, state) => this.turn(turn, state),
      onJump: (state) => this.jump(state),
      onDecision: (decision, done) => this.decide(decision, done),
      onStatus: () => this.status(),
      onError: (sentence) => this.app.toast(sentence, { kind: "error" }),
      onEnd: (reason) => this.end(reason),
    };
  }

  build(root) {
    const button = (text, onclick, extra = {}) =>
      el("button", { class: "button", type: "button", onclick, ...extra }, text);
    const folded = (summary, content) =>
      el("details", { class: "panel watch-panel" }, el("summary", {}, summary), content);
    this.figures = createFigures(["Score", "Moves", "Largest"], "watch-scores");
    this.details = createFigures(DETAILS, "watch-details");
    this.playButton = button("Play", () => this.toggle(), { class: "button primary" });
    this.stepButton = button("Step", () => this.step());
    this.turboButton = button("Turbo", () => this.turbo(), { "aria-pressed": "false" });
    this.overButton = button("Take over", () => {
      this.takeOver();
      this.playButton.focus();
    });
    this.pad = createPad((direction) => this.move(direction));
    this.line = el("p", { class: "watch-line muted" });
    this.message = el("div", { class: "watch-message", hidden: true });
    listenForSwipes(this.board.element, (direction) => this.move(direction));
    this.spec = el("code");
    const links = el(
      "div",
      { class: "row watch-links" },
      button("Review this game", () => this.review()),
      button("Edit this position", () => this.app.go("edit", this.position())),
      button("Tree", () => this.app.go("tree", { ...this.position(), player: this.session.spec })),
      button("Download replay", () => this.download()),
    );
    const transport = [this.playButton, this.stepButton, this.turboButton, this.overButton];
    root.classList.add("watch");
    root.append(
      el("h1", { class: "visually-hidden" }, "Watch"),
      el(
        "div",
        { class: "watch-main" },
        this.figures.element,
        el("div", { class: "watch-board" }, this.board.element, this.message),
        this.line,
        el("div", { class: "row watch-transport", role: "group", "aria-label": "Playing" }, transport),
        this.pad,
        this.speed.element,
      ),
      el(
        "div",
        { class: "watch-side" },
        folded(["Player ", this.spec], this.players.element),
        el(
          "section",
          { class: "panel watch-panel", "aria-label": "Values" },
          el("h2", {}, "Values of the moves"),
          this.bars.element,
          this.details.element,
        ),
        el("section", { class: "panel watch-panel", "aria-label": "Score" }, this.curve.element),
        folded("New game", this.games.element),
        links,
      ),
    );
  }

  show(params) {
    this.visible = true;
    const player = params.get("player");
    if (player) {
      const wrong = this.players.set(player);
      if (wrong) this.app.toast(wrong, { kind: "error" });
      this.choose(this.players.spec());
    }
    const started = params.has("game") || params.has("board");
    const given = started ? [] : FIELDS.filter((name) => params.has(name));
    this.games.set(Object.fromEntries(given.map((name) => [name, params.get(name)])));
    if (this.session.state && !started && given.length === 0) return;
    try {
      this.open(params);
    } catch (error) {
      this.app.toast(error.message, { kind: "error" });
      if (!this.session.state) this.open(new URLSearchParams());
    }
    // Going back to this view must not begin the game again.
    if (started) history.replaceState(null, "", "#watch");
  }

  /** Opens the game or the board of a link, or a new game as the form says. */
  open(params) {
    const { request, until } = this.games.read();
    const text = params.get("game");
    if (text) this.session.start({ do: "load", text }, { until });
    else this.session.start({ ...request, ...this.startOf(params) }, { until });
  }

  /** The position that a link gives. */
  startOf(params) {
    if (!params.has("board")) return {};
    const { board, size } = rules.call({ do: "board", text: params.get("board") });
    const complain = (text) => this.app.toast(text, { kind: "error" });
    return { board, size, ...startOf(params, complain) };
  }

  hide() {
    this.visible = false;
    this.session.halt();
  }

  choose(spec) {
    this.session.setPlayer(spec);
    setText(this.spec, spec);
    this.showPlays();
  }

  start(request, until) {
    const { running, turbo } = this.session;
    this.session.start(request, { until });
    if (running) this.session.play({ turbo });
  }

  // What the session reports.

  begin(state) {
    this.person = false;
    this.message.hidden = true;
    this.board.set(state.board);
    this.curve.clear();
    this.curve.add(state.turns, state.score);
    this.showScores(state);
    this.details.set("Seed", state.seed);
    this.showPlays();
    setText(this.spec, this.session.spec);
  }

  turn(turn, state) {
    this.message.hidden = true;
    const animated = !this.session.running || this.session.delay >= ANIMATED;
    if (animated) this.board.turn(turn, state.board);
    else this.board.set(state.board);
    this.curve.add(state.turns, state.score);
    this.showScores(state);
    if (!this.session.running && !state.ending) this.app.announce(sayTurn(turn, state));
  }

  jump(state) {
    this.message.hidden = true;
    if (this.session.played) this.details.set("Plays", this.session.played);
    this.board.set(state.board);
    this.curve.add(state.turns, state.score);
    this.showScores(state);
  }

  decide(decision, done) {
    if (decision !== null) this.wait(false);
    const now = performance.now();
    const { running, delay } = this.session;
    if (running && delay < FIGURES && now - this.lastFigures < FIGURES) return;
    if (decision === null && running && !this.session.turbo) return;
    this.lastFigures = now;
    this.showDecision(decision);
    if (done && decision?.remark) setText(this.line, decision.remark);
  }

  /** Begins or ends the count of the seconds without a result. */
  wait(isWaiting) {
    if (isWaiting === (this.waitsSince !== null)) return;
    this.waitsSince = isWaiting ? performance.now() : null;
    clearInterval(this.clock);
    const show = () => this.waited() >= PATIENCE && setText(this.line, this.words());
    if (isWaiting) this.clock = setInterval(show, 100);
    else setText(this.line, this.words());
  }

  waited() {
    return this.waitsSince === null ? 0 : performance.now() - this.waitsSince;
  }

  status() {
    const { session } = this;
    const { running, turbo, thinking, decision } = session;
    // The status may change while a search that has a result goes on.
    const isSearching = thinking && !(running && turbo);
    if (!isSearching || !this.wasSearching) this.wait(isSearching);
    this.wasSearching = isSearching;
    if (running) this.person = false;
    else if (decision) this.showDecision(decision);
    const over = Boolean(session.state?.ending);
    const idle = over ? "New game" : this.person ? "Hand back" : "Play";
    setText(this.playButton, running ? "Pause" : idle);
    this.turboButton.setAttribute("aria-pressed", String(running && turbo));
    for (const button of [this.stepButton, this.turboButton, this.overButton]) button.disabled = over;
    this.overButton.hidden = this.person || over;
    this.pad.hidden = !this.person || over;
    setText(this.line, this.words());
  }

  words() {
    const { running, turbo, thinking, state, stopped, decision, delay } = this.session;
    if (state?.ending) return "The game is over.";
    if (running && turbo) return "Turbo: drawn ten times a second, without the values.";
    if (thinking && this.waited() >= PATIENCE) return `Thinking: ${(this.waited() / 1000).toFixed(1)} s`;
    if (running) return thinking && delay > 1000 ? "Thinking" : "Playing";
    if (this.person && decision) return "You play. The chosen move is the player's advice.";
    if (this.person) return "You play. The player thinks about what it would do.";
    if (thinking) return "Thinking";
    if (stopped === "until") return `Stopped at the tile ${whole(state.largest)}.`;
    return decision ? "Paused. The chosen move comes next." : "Paused";
  }

  end(reason) {
    const { state, spec } = this.session;
    const result = resultOf(reason, state, spec);
    this.app.announce(result);
    const hasReplay = this.offerReplay();
    const button = (text, onclick, extra = "") =>
      el("button", { class: `button ${extra}`, type: "button", onclick }, text);
    const buttons = [
      button("New game", () => this.again(), "primary"),
      ...(hasReplay ? [button("Review", () => this.review())] : []),
      button("Close", () => (this.message.hidden = true)),
    ];
    this.message.replaceChildren(el("p", {}, result), el("div", { class: "row" }, buttons));
    this.message.hidden = false;
    // The button that was pressed last may be disabled now.
    if (document.activeElement?.closest(".watch-transport")) this.playButton.focus();
  }

  // What the person does.

  toggle() {
    if (this.session.state.ending) return this.again();
    if (!this.session.running) return this.session.play();
    this.session.pause();
    const { state } = this.session;
    const score = `Score ${whole(state.score)} after ${count(state.turns, "move")}`;
    this.app.announce(`Paused. ${score}, largest tile ${whole(state.largest)}.`);
  }

  step() {
    this.person = false;
    this.session.step();
  }

  turbo() {
    if (this.session.running && this.session.turbo) this.toggle();
    else this.session.play({ turbo: true });
  }

  takeOver() {
    if (!this.session.canMove) return;
    this.session.pause();
    this.person = true;
    this.session.look();
    this.status();
    this.app.announce("You play. Use the arrow keys, swipe, or press the buttons.");
  }

  move(direction) {
    if (!this.session.canMove) return;
    if (!this.person) this.takeOver();
    this.session.personMove(direction);
    this.status();
  }

  again() {
    const { request, until } = this.games.read();
    this.start(request, until);
    this.session.play();
    this.playButton.focus();
  }

  key(event) {
    if (!this.visible || isTaken(event)) return;
    const direction = directionOf(event);
    const action = { " ": () => this.toggle(), n: () => this.step(), t: () => this.turbo() }[event.key];
    if (!direction && !action) return;
    event.preventDefault();
    if (direction) this.move(direction);
    else action();
  }

  review() {
    if (this.offerReplay()) this.app.go("review");
  }

  download() {
    const { size, seed } = this.session.state;
    const replay = this.replay();
    if (replay !== null) this.app.download(`${size}-${seed}.2048`, replay, "text/plain");
  }

  /** Makes this game the one that Review opens. Tells whether that was possible. */
  offerReplay() {
    const replay = this.replay();
    if (replay !== null) this.app.setReplay(replay);
    return replay !== null;
  }

  /** The replay; null if the engine cannot write one, which is said. */
  replay() {
    try {
      return this.session.replay();
    } catch (error) {
      this.app.toast(sentence(error.message), { kind: "error" });
      return null;
    }
  }

  /** The position as the other views take it. */
  position() {
    const { board, score, turns, seed, rules: { four } } = this.session.state;
    return { board: board.map((row) => row.join(",")).join("/"), score, turns, seed, four };
  }

  // What is shown.

  showScores(state) {
    this.figures.set("Score", whole(state.score));
    this.figures.set("Moves", whole(state.turns));
    this.figures.set("Largest", whole(state.largest));
    const persec = this.session.movesPerSecond();
    this.details.set("Moves a second", persec === null || !this.session.running ? "" : rate(persec));
  }

  showDecision(decision) {
    this.bars.show(decision);
    if (decision?.player) this.details.set("Plays", decision.player);
    this.details.set("Depth", decision?.depth ? String(decision.depth) : "");
    this.details.set("Nodes", decision?.nodes ? whole(decision.nodes) : "");
    this.details.set("Time a move", Number.isFinite(decision?.ms) ? time(decision.ms) : "");
  }

  showPlays() {
    const { spec, state } = this.session;
    if (!state) return;
    const { resolved } = rules.call({ do: "check", spec, board: state.board });
    this.details.set("Plays", wantsServer(spec, server) ? `${spec}, on the server` : resolved);
  }
}

function resultOf(reason, state, spec) {
  const moves = count(state.turns, "move");
  const score = `${whole(state.score)} points in ${moves}, largest tile ${whole(state.largest)}.`;
  if (reason === "gave-up") return `${spec} did not choose a move. ${score}`;
  return reason === "until" ? `Stopped at ${whole(state.largest)}. ${score}` : `Game over. ${score}`;
}

/** Named figures: `set(name, text)`; an empty text shows a dash. */
function createFigures(names, className) {
  const cells = new Map(names.map((name) => [name, el("dd", {}, "\u2013")]));
  const pairs = [...cells].map(([name, cell]) => el("div", {}, el("dt", {}, name), cell));
  const element = el("dl", { class: className }, pairs);
  return { element, set: (name, text) => setText(cells.get(name), text === "" ? "\u2013" : String(text)) };
}
