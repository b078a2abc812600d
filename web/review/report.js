/** The tally of grades and the worst moves of a review. */

import { el, setText } from "../parts/dom.js";
import { chance, percent, value, whole } from "../parts/format.js";
import { thumb } from "../parts/thumb.js";
import { arrow } from "../parts/words.js";
import { GRADES } from "./judging.js";
import { gradeColour } from "./stage.js";

/** Figures and the table of grades. */
export function createSummary() {
  const figures = el("dl", { class: "review-figures" });
  const rows = new Map(GRADES.map(([name, colour]) => [name, gradeRow(name, colour)]));
  const element = el(
    "section",
    { class: "panel stack", "aria-labelledby": "review-summary-title" },
    el("h2", { id: "review-summary-title" }, "Summary"),
    figures,
    el(
      "table",
      { class: "review-grades" },
      el("thead", {}, el("tr", {}, ["Grade", "Moves", "Points lost"].map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, [...rows.values()].map((row) => row.element)),
    ),
  );

  function show({ tally, summary, moves }) {
    for (const [name, { moves: count, loss }] of tally) rows.get(name).show(count, loss);
    const graded = [...tally.values()].reduce((sum, each) => sum + each.moves, 0);
    const loss = [...tally.values()].reduce((sum, each) => sum + each.loss, 0);
    const share = (part, all) => (all > 0 ? percent(part / all) : "-");
    const list = summary
      ? [
          ["Moves", whole(summary.moves)],
          ["Forced", whole(summary.forced)],
          ["Accuracy", Number.isFinite(summary.accuracy) ? chance(summary.accuracy) : "-"],
          ["The judge's own", share(summary.best, summary.graded)],
          ["Points lost", value(summary.loss)],
          ...(summary.unjudged > 0 ? [["Not judged", whole(summary.unjudged)]] : []),
        ]
      : [["Judged", whole(moves.length)], ["Graded", whole(graded)], ["Points lost", value(loss)]];
    figures.replaceChildren(
      ...list.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text))));
  }

  return { element, show };
}

function gradeRow(name, colour) {
  const dot = el("span", { class: "review-dot", "aria-hidden": "true" });
  dot.style.backgroundColor = colour;
  const [moves, loss] = [el("td"), el("td")];
  const element = el("tr", {}, el("th", { scope: "row" }, dot, name), moves, loss);
  return {
    element,
    show(count, points) {
      setText(moves, whole(count));
      setText(loss, points > 0 ? value(points) : "0");
    },
  };
}

/**
 * The list of the worst moves as small boards.
 *
 * @param {object} handlers
 * @param {(number: number) => void} handlers.onPick a move was chosen
 * @param {(number: number) => number[][]} handlers.board the board before a move
 */
export function createWorst({ onPick, board }) {
  const list = el("ol", { class: "review-worst" });
  const empty = el("p", { class: "muted" });
  const element = el(
    "section",
    { class: "panel stack", "aria-labelledby": "review-worst-title" },
    el("h2", { id: "review-worst-title" }, "Worst moves"),
    empty,
    list,
  );
  const items = new Map();

  function show({ worst, moves, isRunning }) {
    setText(empty, moves.length === 0 ? "No move is judged." : `No move lost points${isRunning ? " so far" : ""}.`);
    empty.hidden = worst.length > 0;
    const wanted = worst.map(({ number }) => number);
    for (const number of items.keys()) if (!wanted.includes(number)) items.delete(number);
    const next = worst.map((judged) => {
      if (!items.has(judged.number)) items.set(judged.number, createItem(judged));
      return items.get(judged.number);
    });
    // Elements that stay in place keep the focus.
    if (next.some((item, index) => list.children[index] !== item) || list.children.length !== next.length) {
      list.replaceChildren(...next);
    }
  }

  function createItem(judged) {
    const { number, played, best, loss, grade, ratio } = judged;
    const dot = el("span", { class: "review-dot", "aria-hidden": "true" });
    dot.style.backgroundColor = gradeColour(grade);
    return el(
      "li",
      {},
      el(
        "button",
        { class: "review-card", type: "button", onclick: () => onPick(number) },
        thumb(board(number)),
        el("span", { class: "review-card-title" }, dot, `Move ${whole(number)}`),
        el("span", { class: "visually-hidden" }, `, ${grade}: played ${played}, best ${best},`),
        el("span", {}, `${arrow(played)} instead of ${arrow(best)}`),
        el("span", { class: "muted" }, `\u2212${value(loss)} (${percent(1 - ratio)})`),
      ),
    );
  }

  function clear() {
    items.clear();
    list.replaceChildren();
  }

  return { element, show, clear };
}
