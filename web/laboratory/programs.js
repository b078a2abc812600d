/**
 * The section for evolved programs: the program as trees with the value of every node on a board,
 * which is that of Play or one that is edited here.
 */

import { createGrid, doubled, halved } from "../edit/grid.js";
import { rules } from "../engine.js";
import { el, freshId, setText } from "../parts/dom.js";
import { value, whole } from "../parts/format.js";
import { drawTrees, outline } from "./drawing.js";
import { select } from "./learning.js";

const DIRECTIONS = ["up", "right", "down", "left"];
/** A board with something to see for every feature. */
const FIRST_BOARD = "2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2";

/** Makes the section. `app` is that of the view. */
export function createPrograms(app) {
  let [programs, board, told, values, chosenMove, follows, drawn] = [[], null, null, [], null, false, null];
  const program = select("Program", [], () => judge());
  const grid = createGrid({ onTile: setTile, onSlide: play, onPick() {}, onSelect() {}, onLeave() {} });
  const keys = el("p", { class: "note muted", id: freshId("lab-keys") },
    "Select a cell and type a number. Shift and an arrow key play a move.");
  grid.element.setAttribute("aria-label", "Board");
  grid.element.setAttribute("aria-describedby", keys.id);
  const problem = el("p", { class: "problem", role: "alert" });
  const verdict = el("p", { "aria-live": "polite" });
  const moves = el("div", { class: "row lab-choice", role: "group", "aria-label": "Values after this move" });
  const trees = el("div", { class: "stack" });
  const outlined = el("div", { class: "lab-outlines" });
  const outlines = el("details", { ontoggle: () => drawOutline() }, el("summary", {}, "Outline"), outlined);
  const source = el("pre", { class: "lab-source", tabindex: "0" });
  const input = el("input", { type: "text", id: freshId("lab-board"), spellcheck: "false", autocomplete: "off" });
  const form = el("form", { class: "field", onsubmit: typed }, el("label", { for: input.id }, "Board"),
    el("div", { class: "row lab-nowrap" }, input, el("button", { class: "button" }, "Show")),
    el("p", { class: "note" }, "Rows like 2 4 0 0/..., a hex code or JSON."));
  const ofPlay = el("button", { type: "button", class: "button", onclick: () => takePlay(true) }, "Board of Play");
  const step = el("button", { type: "button", class: "button", onclick: () => play(chosenMove ?? told.best) }, "Play this move");
  const change = (text, by) => el("button", { type: "button", class: "button",
    onclick: () => setTile(grid.selected(), by(board.flat()[grid.selected()])) }, text);
  const tileButtons = el("div", { class: "row lab-choice", role: "group", "aria-label": "Selected cell" },
    change("Double", doubled), change("Halve", halved), change("Empty", () => 0));
  const element = el("section", { class: "panel stack lab-section" }, el("h2", {}, "Programs"), program.element,
    el("div", { class: "lab-position" }, el("div", { class: "lab-board" }, grid.element), el("div", { class: "stack" },
      form, el("div", { class: "row" }, ofPlay, tileButtons), keys, problem)),
    verdict, el("div", { class: "row" }, moves, step), trees,
    outlines,
    el("details", {}, el("summary", {}, "Text"), source, el("button", { type: "button", class: "button", onclick: save },
      "Download")));

  /** Draws one of these programs: `{key, label, text}`. */
  function show(next, key) {
    programs = next;
    element.hidden = programs.length === 0;
    if (programs.length === 0) return;
    program.fill(programs.map((one) => [one.key, one.label]));
    if (key !== undefined) program.choose(key);
    if (board) judge();
    else takePlay(false) || setBoard(FIRST_BOARD);
  }

  /** The view is shown again: the game of Play may have moved on. */
  function refresh() {
    if (follows && programs.length > 0) takePlay(true);
  }

  function takePlay(asked) {
    const position = boardOfPlay();
    if (!position) {
      if (asked) say("There is no game in Play.");
      return false;
    }
    follows = true;
    setBoard(JSON.stringify(position));
    return true;
  }

  function boardOfPlay() {
    try {
      return app.game()?.state?.board;
    } catch {
      return null;
    }
  }

  function typed(event) {
    event.preventDefault();
    follows = false;
    setBoard(input.value);
  }

  function setBoard(text) {
    try {
      const found = rules.call({ do: "board", text });
      board = found.board;
      input.value = lineOf(board);
      say("");
      judge();
    } catch (error) {
      say(sentence(error));
    }
  }

  function setTile(cell, tile) {
    follows = false;
    const cols = board[0].length;
    setBoard(lineOf(board.map((row, y) => row.map((old, x) => (y * cols + x === cell ? tile : old)))));
  }

  function judge() {
    grid.show(board);
    chosenMove = null;
    try {
      told = rules.call({ do: "program", text: current().text, board });
      say("");
    } catch (error) {
      told = null;
      say(sentence(error));
    }
    draw();
  }

  const current = () => programs.find(({ key }) => key === program.value()) ?? programs[0];

  function draw() {
    step.disabled = !told?.best || !told.legal;
    source.replaceChildren(told?.text ?? current().text);
    if (!told) {
      for (const part of [moves, trees, outlined]) part.replaceChildren();
      return setText(verdict, "");
    }
    const move = chosenMove ?? told.best;
    const known = DIRECTIONS.filter((name) => told.moves[name]);
    values = told.moves[move]?.values ?? told.nodes.map((node) => node.value ?? null);
    setText(verdict, told.kind === "evaluator" ? verdictOfEvaluator(move) : verdictOfDirections());
    moves.replaceChildren(...known.map((name) => moveButton(name, told.moves[name].worth, move)));
    const before = [...trees.querySelectorAll(".lab-scroll")].map(({ scrollLeft }) => scrollLeft);
    moves.hidden = known.length === 0;
    trees.replaceChildren(...drawTrees(told, values, current().label));
    showRoots(current().key === drawn ? before : []);
    drawn = current().key;
    drawOutline();
  }

  function drawOutline() {
    outlined.replaceChildren(...(told && outlines.open ? outline(told, values) : []));
  }

  /** Trees that do not fit begin with their root in the middle; later they stay where they are. */
  function showRoots(before) {
    trees.querySelectorAll(".lab-scroll").forEach((region, place) => {
      const root = region.querySelector("svg").dataset.root * 1;
      region.scrollLeft = before[place] ?? root - region.clientWidth / 2;
    });
  }

  function moveButton(name, worth, shown) {
    const text = `${name} ${value(worth)}${name === told.best ? ", best" : ""}`;
    const button = el("button", { type: "button", class: "button", "aria-pressed": String(name === shown) }, text);
    button.addEventListener("click", () => {
      chosenMove = name;
      draw();
      moves.querySelector('[aria-pressed="true"]').focus();
    });
    return button;
  }

  function verdictOfEvaluator(move) {
    const facts = `${whole(told.size)} nodes, depth ${told.depth}`;
    if (!told.best) return `An evaluator: ${facts}. No move is possible on this board.`;
    const lines = told.nodes.some(({ label }) => label === "lines")
      ? " Below lines, values are sums over all rows and columns." : "";
    return `An evaluator: ${facts}. The values are those after ${move}.${lines}`;
  }

  function verdictOfDirections() {
    const said = told.best ?? "no direction";
    const idle = told.best && !told.legal ? ", which does not change the board" : "";
    return `A program of directions: ${whole(told.size)} nodes, depth ${told.depth}. `
      + `One evaluation with seed 1 returns ${said}${idle}. Marked nodes sensed their move.`;
  }

  function play(move) {
    if (!DIRECTIONS.includes(move)) return;
    const size = `${board.length}x${board[0].length}`;
    const seed = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    try {
      const { game } = rules.call({ do: "new", size, seed, board });
      const { state } = rules.call({ do: "play", game, move });
      rules.call({ do: "drop", game });
      follows = false;
      setBoard(JSON.stringify(state.board));
      app.announce(`Played ${move}`);
    } catch (error) {
      say(sentence(error));
    }
  }

  function save() {
    const name = current().label.replace(/[^\w.-]+/g, "-").replace(/(\.gp)?$/, ".gp");
    app.download(name, told?.text ?? current().text, "text/plain");
  }

  function say(text) {
    setText(problem, text);
  }

  return { element, show, refresh };
}

/** A board in one line: `2 4/0 2`. */
function lineOf(board) {
  return board.map((row) => row.join(" ")).join("/");
}

/** A sentence of the engine, with a capital letter and a full stop. */
function sentence({ message }) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
