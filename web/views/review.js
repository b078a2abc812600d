/**
 * The view Review: a game is judged move by move, and one can look at every position of it.
 */

import { reviewGame, rules } from "../engine.js";
import { createCurve } from "../parts/curve.js";
import { el, setText } from "../parts/dom.js";
import { count, whole } from "../parts/format.js";
import { createPlayerForm, isPlayable } from "../parts/players.js";
import { sentence } from "../parts/words.js";
import { createFiles } from "../review/files.js";
import { Judging } from "../review/judging.js";
import { createSummary, createWorst } from "../review/report.js";
import { createSources } from "../review/sources.js";
import { createStage } from "../review/stage.js";

/** The judge at first, the default of `lab2048 review`: it counts points, its network is small. */
const JUDGE = "ntuple:depth=3";
/** The only size with a judge that counts points. Other values are preferences. */
const JUDGED = "4x4";
/** Lists and curve are drawn again at most this often while the judge works, in milliseconds. */
const REDRAW = 250;

class ReviewView {
  constructor(root, app) {
    this.app = app;
    this.judging = new Judging(reviewGame);
    this.game = null;
    this.turn = 0;
    this.drawn = 0;
    this.makeParts();
    this.build(root);
    this.sources.acceptDrops(root);
    document.addEventListener("keydown", (event) => root.hidden || this.onKey(event));
    this.showGame();
  }

  makeParts() {
    this.stage = createStage({
      onGo: (turn) => this.go(turn),
      onMistake: (direction) => this.goToMistake(direction),
      onOpen: (view) => this.app.go(view, positionOf(this.at(this.turn).state)),
    });
    this.curve = createCurve({
      label: "Expected final score",
      across: "move",
      onPick: (number) => this.go(number - 1),
    });
    this.summary = createSummary();
    this.worst = createWorst({
      onPick: (number) => this.go(number - 1, { announce: true }),
      board: (number) => this.at(number - 1).state.board,
    });
    this.files = createFiles({
      game: () => this.game,
      board: () => this.at(this.turn).state.board,
      turn: () => this.turn,
      download: (...file) => this.app.download(...file),
    });
    this.sources = createSources({
      onText: (text, name) => this.openText(text, name),
      onPlayed: () => this.openPlayed(),
    });
    this.judge = createPlayerForm({
      registry: rules.call({ do: "players" }),
      value: JUDGE,
      filter: (player) => isPlayable(player) && !player.knows_future,
      onChange: () => this.start(),
    });
  }

  build(root) {
    this.title = el("h2", { class: "review-title" });
    this.status = el("p", { role: "status" });
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "Judged moves" });
    this.judgeButton = el("button", { class: "button", type: "button", onclick: () => this.toggle() }, "Judge");
    this.choice = el("details", {}, el("summary", {}, "Choose the judge"), this.judge.element);
    this.judgePanel = el(
      "section",
      { class: "panel review-judge", "aria-label": "Judge" },
      el("div", { class: "row" }, this.judgeButton, this.status, this.bar),
      this.choice,
    );
    this.content = el(
      "div",
      { class: "review-content" },
      el("div", { class: "review-main stack" }, this.stage.element,
        el("section", { class: "panel", "aria-label": "Curve" }, this.curve.element), this.worst.element),
      el("div", { class: "review-side stack" }, this.summary.element, this.files.element),
    );
    this.help = el("p", { class: "muted review-keys" },
      "The left and right arrow keys step through the game. N and P go to the next and the previous mistake.");
    root.classList.add("review");
    root.append(
      el("h1", { class: "visually-hidden" }, "Review"), this.sources.element, this.title,
      this.judgePanel, this.content, this.help);
  }

  /** Opens the game just played, if it is another one than that shown. */
  open(params) {
    const played = this.playedGame();
    if (params.get("game")) this.sources.attempt(() => this.openText(params.get("game"), "Game of the address"));
    else if (played !== "" && played !== this.played) this.sources.attempt(() => this.openPlayed());
    else if (this.game === null) this.sources.open();
  }

  /** The replay of the game just played; "" if there is none, or none that a replay can hold. */
  playedGame() {
    try {
      return this.app.replay();
    } catch (error) {
      this.app.toast(sentence(error.message), { kind: "error" });
      return "";
    }
  }

  openPlayed() {
    const played = this.playedGame();
    if (played === "") throw new Error("No game was played yet.");
    this.openText(played, "The game just played");
    this.played = played;
  }

  openText(text, name) {
    if (text.trim() === "") throw new Error("There is no text to read.");
    const state = rules.call({ do: "load", text });
    const replay = savedAgain(state);
    if (this.game) rules.call({ do: "drop", game: this.game.handle });
    const title = titleOf(state, name);
    this.game = {
      handle: state.game,
      // The same game in our own form, whatever form it was read from.
      replay,
      name: `game-${state.size}-${state.score}`,
      size: state.size,
      title,
      turns: state.undo,
      score: state.score,
    };
    this.turn = 0;
    this.showGame();
    this.start();
    this.stage.focus();
    this.app.announce(`Opened ${title}.`);
  }

  /** The position after some turns, with the turns before and after it. */
  at(turn) {
    return rules.call({ do: "at", game: this.game.handle, turn });
  }

  showGame() {
    const { game } = this;
    for (const each of [this.judgePanel, this.content, this.help]) each.hidden = game === null;
    setText(this.title, game?.title ?? "Open a game to review it.");
    this.files.show();
    if (game) this.showPosition("set");
  }

  /** Judges the game from its start. */
  async start() {
    if (!this.game) return;
    const spec = this.judge.spec();
    const { game, judging } = this;
    this.worst.clear();
    this.curve.clear();
    const canJudge = game.size === JUDGED;
    this.choice.hidden = !canJudge;
    this.judgeButton.hidden = !canJudge;
    if (!canJudge) {
      judging.clear();
      this.redraw();
      setText(this.status, `Games of size ${game.size} cannot be judged yet.`);
      return;
    }
    setText(this.status, `${spec} judges.`);
    const done = judging.run({ spec, replay: game.replay, onMoves: () => this.grow() });
    this.redraw();
    try {
      const whole = await done;
      if (this.game !== game) return;
      if (whole) this.finish(spec);
      else if (!judging.isRunning) setText(this.status, `Stopped after ${count(judging.moves.length, "move")}.`);
    } catch (error) {
      if (this.game === game) this.refuse(error);
    }
    if (this.game === game) this.redraw();
  }

  finish(spec) {
    setText(this.status, `${spec} judged ${count(this.judging.moves.length, "move")}.`);
  }

  /** The judge cannot judge this game; another one can be chosen. */
  refuse(error) {
    setText(this.status, sentence(error.message));
    this.choice.open = true;
  }

  toggle() {
    if (this.judging.isRunning) {
      this.judging.cancel();
      this.redraw();
    } else {
      this.start();
    }
  }

  /** More moves are judged. */
  grow() {
    if (performance.now() - this.drawn > REDRAW) this.redraw();
  }

  redraw() {
    const { judging, game } = this;
    this.drawn = performance.now();
    const running = judging.isRunning;
    this.bar.value = game.turns > 0 ? judging.moves.length / game.turns : 1;
    this.bar.hidden = !running;
    setText(this.judgeButton, running ? "Stop" : "Judge again");
    if (running) {
      setText(this.status, `${this.judge.spec()} has judged ${whole(judging.moves.length)} of ${count(game.turns, "move")}.`);
    }
    this.summary.show(judging);
    this.worst.show(judging);
    this.curve.set(judging.moves.map((judged) => [judged.number, judged.expected]));
    this.curve.mark(this.turn + 1);
    this.stage.setMistakes(judging.hasMistakes);
    this.showPosition("keep");
  }

  /** Shows the position after this many turns. */
  go(wanted, { announce = false } = {}) {
    const turn = Math.min(Math.max(Math.round(wanted), 0), this.game.turns);
    if (turn === this.turn) return;
    const draw = turn === this.turn + 1 ? "step" : "set";
    this.turn = turn;
    this.showPosition(draw);
    this.curve.mark(turn + 1);
    if (announce) this.app.announce(this.stage.text());
  }

  goToMistake(direction) {
    const number = this.judging.mistake(this.turn + 1, direction);
    if (number === null) this.app.announce("There is no further mistake.");
    else this.go(number - 1, { announce: true });
  }

  showPosition(draw) {
    const { turn, game, judging } = this;
    this.stage.show({
      at: this.at(turn),
      turn,
      turns: game.turns,
      judged: judging.moves[turn],
      running: judging.isRunning,
      draw,
    });
  }

  onKey(event) {
    const inField = event.target instanceof Element && event.target.closest("input, textarea, select, summary");
    if (!this.game || inField || event.ctrlKey || event.altKey || event.metaKey) return;
    // Elsewhere these keys scroll the page.
    const far = this.stage.element.contains(event.target) && {
      PageUp: () => this.go(this.turn - 10),
      PageDown: () => this.go(this.turn + 10),
      Home: () => this.go(0),
      End: () => this.go(this.game.turns),
    };
    const action = {
      ArrowLeft: () => this.go(this.turn - 1, { announce: true }),
      ArrowRight: () => this.go(this.turn + 1, { announce: true }),
      n: () => this.goToMistake(1),
      p: () => this.goToMistake(-1),
      ...far,
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  hide() {
    this.files.stop();
  }
}

/** A position as parameters of an address. */
function positionOf({ board, score, turns, seed, rules: { four } }) {
  const text = board.map((row) => row.join(",")).join("/");
  return { board: text, score, turns, seed, ...(four !== 0.1 && { four }) };
}

/** The replay of a game that was loaded, with what its header says about the player. */
function savedAgain({ game, header }) {
  const { player, note, network } = header ?? {};
  return rules.call({ do: "save", game, player, note, network }).replay;
}

function titleOf({ header, score, size, undo, largest }, name) {
  const player = header?.player ? ` by ${header.player}` : "";
  return `${name}: ${size}${player}, ${whole(score)} points in ${count(undo, "move")}, largest tile ${whole(largest)}`;
}

let view = null;

export default {
  id: "review",
  title: "Review",
  mount(root, app) {
    view = new ReviewView(root, app);
  },
  show(params) {
    view.open(params);
  },
  hide() {
    view.hide();
  },
};
