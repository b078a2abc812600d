/**
 * The judgement of a game while it grows: the moves that are judged so far, in order, the worst of
 * them, and their tally. The engine grades; this module only counts.
 */

import { startAgain } from "../parts/again.js";

/** The grades of the engine, best first, with the colours of `lab2048 review`. */
export const GRADES = [
  ["excellent", "#4f9d69"],
  ["good", "#8fae4b"],
  ["inaccuracy", "#d9a514"],
  ["mistake", "#ef8a3d"],
  ["blunder", "#e8543a"],
  ["disaster", "#b03a8c"],
];
const MISTAKES = new Set(["mistake", "blunder", "disaster"]);
/** How many of the worst moves are listed. */
const WORST = 12;

export function isMistake(judged) {
  return MISTAKES.has(judged?.grade);
}

export class Judging {
  #stop = null;
  #review;

  /** @param {Function} review `reviewGame` of the engine */
  constructor(review) {
    this.#review = review;
    this.clear();
  }

  clear() {
    this.cancel();
    this.#reset();
  }

  #reset() {
    /** The judged moves; the one with number n is at n - 1. */
    this.moves = [];
    this.worst = [];
    this.tally = new Map(GRADES.map(([name]) => [name, { moves: 0, loss: 0 }]));
    this.summary = null;
  }

  get isRunning() {
    return this.#stop !== null;
  }

  /** Whether any judged move is a mistake or worse. */
  get hasMistakes() {
    return [...MISTAKES].some((grade) => this.tally.get(grade).moves > 0);
  }

  /**
   * Judges a game from its start. `onMoves` is called after each batch. Resolves to whether the
   * game was judged to its end; rejects with the engine's sentence.
   */
  async run({ spec, replay, onMoves }) {
    const stopped = this.isRunning;
    this.clear();
    const stop = new AbortController();
    const { signal } = stop;
    this.#stop = stop;
    const add = (batch) => {
      if (this.#stop !== stop) return;
      for (const judged of batch) this.#add(judged);
      this.#sort();
      onMoves(batch);
    };
    try {
      const judge = () => {
        this.#reset();
        return this.#review({ spec, replay, onMoves: add, signal });
      };
      const summary = await startAgain(judge, { stopped, signal });
      if (this.#stop !== stop) return false;
      this.summary = summary;
      return true;
    } catch (error) {
      if (error.name === "AbortError" || this.#stop !== stop) return false;
      throw error;
    } finally {
      if (this.#stop === stop) this.#stop = null;
    }
  }

  cancel() {
    this.#stop?.abort();
    this.#stop = null;
  }

  /** The next mistake after this number, or the last one before it. */
  mistake(number, direction) {
    const { moves } = this;
    const from = direction > 0 ? number + 1 : number - 1;
    for (let next = from; next >= 1 && next <= moves.length; next += direction) {
      if (isMistake(moves[next - 1])) return next;
    }
    return null;
  }

  #add(judged) {
    this.moves.push(judged);
    if (!judged.grade) return;
    const tally = this.tally.get(judged.grade);
    tally.moves += 1;
    tally.loss += judged.loss;
    if (judged.loss > 0 && judged.grade !== "excellent") this.worst.push(judged);
  }

  #sort() {
    this.worst.sort((one, other) => other.loss - one.loss);
    this.worst.length = Math.min(this.worst.length, WORST);
  }
}
