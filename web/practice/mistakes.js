/**
 * Mistakes that were made in practice, to be drilled again. The browser keeps them.
 * @module
 */

/** Older mistakes are forgotten. */
const MOST = 200;
/** A position that is solved so often in a row leaves the list. */
export const TIMES = 3;

const isSame = (one, other) =>
  one.table === other.table && JSON.stringify(one.board) === JSON.stringify(other.board);

export class Mistakes {
  /**
   * @param {{read: () => object[], write: (list: object[]) => void}} store
   */
  constructor({ read, write }) {
    this.read = read;
    this.write = write;
  }

  /** Those of a table; the next one to drill is the first. */
  of(table) {
    return this.read().filter((one) => one.table === table);
  }

  /** Adds a mistake, or begins anew with one that is there. */
  add(table, { board, played, best }) {
    this.#put({ table, board, played, best, solved: 0 });
  }

  /**
   * Notes an answer in a drill.
   * @returns {number} how often in a row the position is solved now
   */
  answer(mistake, isRight) {
    const solved = isRight ? mistake.solved + 1 : 0;
    if (solved < TIMES) this.#put({ ...mistake, solved });
    else this.write(this.read().filter((one) => !isSame(one, mistake)));
    return solved;
  }

  #put(mistake) {
    const others = this.read().filter((one) => !isSame(one, mistake));
    this.write([...others, mistake].slice(-MOST));
  }
}
