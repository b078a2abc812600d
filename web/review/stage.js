/**
 * The board of a review with its controls, and what the judge says about the move that comes next.
 */

import { createBoard } from "../board.js";
import { createBars } from "../parts/bars.js";
import { el, setText } from "../parts/dom.js";
import { percent, value, whole } from "../parts/format.js";
import { arrowed } from "../parts/words.js";
import { GRADES } from "./judging.js";

/**
 * @param {object} handlers
 * @param {(turn: number) => void} handlers.onGo shows the position after this many turns
 * @param {(direction: number) => void} handlers.onMistake goes to the next mistake or the last one
 * @param {(view: string) => void} handlers.onOpen opens the position in another view
 */
export function createStage({ onGo, onMistake, onOpen }) {
  const board = createBoard({ rows: 4, cols: 4, label: "Reviewed position" });
  const bars = createBars();
  const slider = el("input", {
    type: "range", min: 0, max: 0, step: 1, "aria-label": "Move", oninput: () => onGo(Number(slider.value)),
  });
  const button = (text, name, action) =>
    el("button", { class: "button", type: "button", "aria-label": name, title: name, onclick: action }, text);
  const first = button("|\u25c2", "First position", () => onGo(0));
  const back = button("\u25c2", "Previous position", () => onGo(Number(slider.value) - 1));
  const forth = button("\u25b8", "Next position", () => onGo(Number(slider.value) + 1));
  const last = button("\u25b8|", "Last position", () => onGo(Number(slider.max)));
  const mistakes = [
    button("\u25c2 Mistake", "Previous mistake", () => onMistake(-1)),
    button("Mistake \u25b8", "Next mistake", () => onMistake(1)),
  ];
  const place = el("p", { class: "review-place" });
  const played = el("p", { class: "review-played" });
  const verdict = el("p", { class: "review-verdict" });
  const expected = el("p", { class: "review-expected muted" });
  const links = el(
    "div",
    { class: "row" },
    button("Edit", "Edit this position", () => onOpen("edit")),
    button("Tree", "Search tree of this position", () => onOpen("tree")),
  );
  const element = el(
    "div",
    { class: "review-stage" },
    el(
      "div",
      { class: "stack review-board" },
      board.element,
      slider,
      el("div", { class: "row review-steps", role: "group", "aria-label": "Steps" }, first, back, forth, last, mistakes),
    ),
    el(
      "section",
      { class: "panel review-info", "aria-label": "This move" },
      place, played, verdict, bars.element, expected, links,
    ),
  );

  /**
   * Shows a position.
   *
   * @param {object} at the answer to `at`
   * @param {number} turn the number of turns before it
   * @param {number} turns those of the whole game
   * @param {object|undefined} judged the judgement of the next move
   * @param {boolean} running whether the judge is at work
   * @param {"step"|"set"|"keep"} draw whether the position follows the one shown before, is another
   *   one, or is the same
   */
  function show({ at, turn, turns, judged, running, draw }) {
    const { state } = at;
    if (draw === "step" && at.before) board.turn(at.before, state.board);
    else if (draw !== "keep") board.set(state.board);
    slider.max = turns;
    slider.value = turn;
    first.disabled = back.disabled = turn === 0;
    last.disabled = forth.disabled = turn === turns;
    setText(place, turn < turns
      ? `Move ${whole(turn + 1)} of ${whole(turns)}. Score ${whole(state.score)}.`
      : `End of the game after ${whole(turns)} moves. Score ${whole(state.score)}.`);
    describe(at.played, judged, running);
    slider.setAttribute("aria-valuetext", text());
  }

  function describe(next, judged, running) {
    element.dataset.played = next?.action ?? "";
    setText(played, next ? playedText(next.action, judged?.best) : "");
    setText(verdict, judged ? verdictText(judged) : next && running ? "Not judged yet." : "");
    element.style.setProperty("--grade", gradeColour(judged?.grade));
    bars.show(judged ? decisionOf(judged) : null);
    setText(expected, judged ? expectedText(judged) : "");
  }

  /** What is shown, in words. */
  const text = () => [place, played, verdict].map((each) => each.textContent).join(" ");

  function setMistakes(any) {
    for (const button of mistakes) button.disabled = !any;
  }

  return { element, show, text, setMistakes, focus: () => slider.focus({ preventScroll: true }) };
}

function playedText(played, best) {
  if (best === undefined) return `Played ${arrowed(played)}.`;
  return best === played ? `Played ${arrowed(played)}, the best move.` : `Played ${arrowed(played)}, best ${arrowed(best)}.`;
}

/** The judgement in the form of a decision, as the bars take it. */
function decisionOf({ best, values }) {
  return { action: best, values, unit: "points" };
}

export function gradeColour(grade) {
  return GRADES.find(([name]) => name === grade)?.[1] ?? "transparent";
}

/** What a move lost: `Mistake: loses 120 points, 2.6% of the expected final score`. */
function verdictText(judged) {
  const { grade, verdict, loss, ratio } = judged;
  const word = capital(grade ?? verdict ?? "");
  if (verdict === "forced") return "Forced: the only legal move.";
  if (!grade) return `${word}.`;
  if (!(loss > 0)) return `${word}: as good as the best move.`;
  return `${word}: loses ${value(loss)} points, ${percent(1 - ratio)} of the expected final score.`;
}

function expectedText({ expected, expected_after: after }) {
  if (!Number.isFinite(after)) return `Expected final score: ${whole(expected)}.`;
  if (whole(after) === whole(expected)) return `Expected final score: ${whole(expected)}.`;
  return `Expected final score: ${whole(expected)} before, ${whole(after)} after the move.`;
}

function capital(word) {
  return word && word[0].toUpperCase() + word.slice(1);
}

