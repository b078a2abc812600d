/** The worst moves of a practice as small boards. */

import { el } from "../parts/dom.js";
import { inUnit } from "../parts/format.js";
import { thumb } from "../parts/thumb.js";
import { arrow } from "../parts/words.js";

/** More are not shown. */
const MOST = 6;

/**
 * @param {object} handlers
 * @param {(board: number[][]) => void} handlers.onPick a position was chosen
 */
export function createWorst({ onPick }) {
  const list = el("ol", { class: "review-worst" });
  const element = el(
    "section",
    { class: "panel stack", "aria-labelledby": "practice-worst-title", hidden: true },
    el("h2", { id: "practice-worst-title" }, "Worst moves"),
    list,
  );

  function card({ board, played, best, kept, before, unit }) {
    return el(
      "li",
      {},
      el(
        "button",
        { class: "review-card", type: "button", onclick: () => onPick(board) },
        thumb(board),
        el("span", { class: "visually-hidden" }, `Played ${played}, best ${best}. Practise this position: `),
        el("span", { class: "review-card-title", "aria-hidden": "true" }, `${arrow(played)} instead of ${arrow(best)}`),
        el("span", { class: "muted" }, `kept ${inUnit(kept, unit)} of ${inUnit(before, unit)}`),
      ),
    );
  }

  /** Shows the worst of these moves; hides itself if there are none. */
  function show(mistakes) {
    element.hidden = mistakes.length === 0;
    list.replaceChildren(...mistakes.slice(0, MOST).map(card));
  }

  return { element, show };
}
