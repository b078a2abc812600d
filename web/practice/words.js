/** What the practice says, in words. */

import { chance, inUnit } from "../parts/format.js";
import { isMistake } from "./practice.js";

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** What a move kept: "Left kept 81.2% of 83.0%. Best: Up, 83.0%." */
export function answerTo(move) {
  const [kept, before] = [move.kept, move.before].map((number) => inUnit(number, move.unit));
  if (!isMistake(move)) return `${capital(move.played)} is best: it kept all of ${before}.`;
  return `${capital(move.played)} kept ${kept} of ${before}. Best: ${capital(move.best)}, ${before}.`;
}

/** The values of all moves, for a screen reader. */
export function sayValues({ values, unit, best }) {
  const legal = Object.entries(values).filter(([, worth]) => worth !== null);
  const said = legal.map(([direction, worth]) => `${direction} ${inUnit(worth, unit)}`);
  return `Best: ${best}. Values: ${said.join(", ")}.`;
}

/** The end of a practice: "32 is made. You kept 97.6% of the chance." */
export function sayEnd({ outcome, table, product, moves }) {
  const what = table.tile ? "the chance" : "the points";
  const kept = `You kept ${chance(product)} of ${what}.`;
  if (outcome === "made") return `${table.tile} is made. ${kept}`;
  if (!table.tile) return `The game is over. ${kept}`;
  const isBadLuck = moves.length > 0 && !isMistake({ share: product });
  return `${table.tile} is out of reach${isBadLuck ? ", by bad luck" : ""}. ${kept}`;
}

/** Exact values in the form of a decision, as bars show it. */
export function decisionOf({ values, best, unit }) {
  const named = Object.entries(values).map(([direction, worth]) =>
    [direction, worth === null ? "illegal" : { worth }]);
  return { action: best, unit, values: Object.fromEntries(named) };
}
