/**
 * A position that is practised: the game, and what each move kept. It draws nothing.
 * @module
 */

/** A move that keeps more than this is no mistake: tables are rounded. As in the engine. */
const EXACT = 0.9995;

/** Whether a move lost something. */
export const isMistake = (move) => move.share < EXACT;

/**
 * @typedef {object} Move
 * @property {number[][]} board the board before it
 * @property {string} played
 * @property {string} best
 * @property {number} before the value of the best move
 * @property {number} kept the value of the played one
 * @property {number} share how much of the value it kept, from 0 to 1
 * @property {string} unit `chance` or `points`
 */

export class Practice {
  /**
   * @param {{call: Function}} rules the engine
   * @param {import("./tables.js").Table} table
   * @param {{board: number[][], seed: string, standing: object}} start
   */
  constructor(rules, table, { board, seed, standing }) {
    this.rules = rules;
    this.table = table;
    /** What the table says about the board; null until it has answered. */
    this.standing = standing;
    /** @type {Move[]} */
    this.moves = [];
    this.start = board;
    this.state = rules.call({ do: "new", board, seed, four: table.four });
  }

  /** Begins at a board. A board that cannot be won is an error. */
  static async at(rules, table, board, seed) {
    const standing = await table.judge(board);
    if (standing.state !== "open") throw new Error("Nothing can be won on this board.");
    return new Practice(rules, table, { board, seed, standing });
  }

  /** Begins at a position that the table draws. */
  static async drawn(rules, table, wanted) {
    const { board, ...standing } = await table.draw(wanted);
    return new Practice(rules, table, { board, seed: wanted.seed, standing });
  }

  /** `open`, `made`, `over`, or null while the table is asked. */
  get outcome() {
    return this.standing?.state ?? null;
  }

  /** Whether a move can be played now. */
  canPlay(direction) {
    return this.outcome === "open" && this.state.legal.includes(direction);
  }

  /**
   * Plays a legal move. What it kept is known at once; `judge` asks about the new board.
   * @returns {{move: Move, turn: object}}
   */
  play(direction) {
    const { board, game } = this.state;
    const { value: before, values, best, unit, makes } = this.standing.exact;
    const { turn, state } = this.rules.call({ do: "play", game, move: direction });
    const kept = values[direction];
    const move = { board, played: direction, best, before, kept, share: Math.min(kept / before, 1), unit };
    this.moves.push(move);
    this.state = state;
    // The board need not show the tile: it can merge with a wall in the same move.
    this.standing = makes.includes(direction) ? { state: "made", exact: null } : null;
    return { move, turn };
  }

  /** Asks the table about the board, unless it has answered. */
  async judge() {
    this.standing ??= await this.table.judge(this.state.board);
  }

  /** How much of the value at the start a perfect player would have left. */
  get product() {
    return this.moves.reduce((product, move) => product * move.share, 1);
  }

  /** The moves that lost something, the worst first. */
  mistakes() {
    return this.moves.filter(isMistake).sort((one, other) => one.share - other.share);
  }

  /** Forgets the game. */
  end() {
    this.rules.call({ do: "drop", game: this.state.game });
  }
}
