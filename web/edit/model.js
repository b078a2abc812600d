/**
 * The edited position and its history. The engine checks every board and plays every move; this
 * module keeps what undo needs.
 *
 * A snapshot is `{board, score, turns, game, undo, checked, problem}`. `game` is a handle of the
 * engine, or null until one is needed. Moves by hand keep the handle and change its turn, edits
 * start a new one.
 */

/** More snapshots than this are forgotten, the oldest first. */
const MOST = 300;

/** JavaScript cannot hold larger whole numbers exactly. */
export const TOO_LARGE = "A tile of this page is a whole number of at most 9007199254740991.";

const UNDERWAY = "This game began with a score, which a link cannot hold. Copy the link to the position.";

/** A board of zeros. */
export function emptyBoard(rows, cols) {
  return Array.from({ length: rows }, () => Array(cols).fill(0));
}

/** The same tiles on a board of another size. Tiles outside are cut off at the bottom and right. */
export function resized(board, rows, cols) {
  return emptyBoard(rows, cols).map((row, y) => row.map((_, x) => board[y]?.[x] ?? 0));
}

/** A seed for the spawns of a new game. */
function randomSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

export class EditModel {
  #rules;
  #past = [];
  #future = [];
  #games = new Set();
  /** The games that began with a score or after some turns. */
  #underway = new Set();
  #now;

  /** @param {{call: Function}} rules the engine of the page's own thread */
  constructor(rules) {
    this.#rules = rules;
    this.seed = randomSeed();
    this.four = 0.1;
    this.#now = this.#snapshot(emptyBoard(4, 4), 0, 0);
  }

  get board() { return this.#now.board; }
  get rows() { return this.board.length; }
  get cols() { return this.board[0].length; }
  get score() { return this.#now.score; }
  get turns() { return this.#now.turns; }
  /** The text forms and warnings of the board, or null if it is not a valid board. */
  get checked() { return this.#now.checked; }
  /** Why the board is not valid: the engine's sentence, or an empty text. */
  get problem() { return this.#now.problem; }
  get canUndo() { return this.#past.length > 0 || this.#now.undo > 0; }
  get canRedo() { return this.#future.length > 0; }
  get isEmpty() { return this.board.flat().every((tile) => tile === 0); }

  /** Replaces the board. It may be invalid, such as one without tiles. No turns led to it. */
  edit(board, { score = this.score, turns = 0 } = {}) {
    this.#push(this.#snapshot(board, score, turns));
  }

  setTile(cell, tile) {
    const [y, x] = [Math.floor(cell / this.cols), cell % this.cols];
    if (this.board[y][x] === tile) return;
    const board = this.board.map((row) => [...row]);
    board[y][x] = tile;
    this.edit(board);
  }

  tile(cell) {
    return this.board[Math.floor(cell / this.cols)][cell % this.cols];
  }

  /** Reads a board in any text form. Throws the engine's sentence. */
  read(text, { score = 0, turns = 0, seed = this.seed, four = this.four } = {}) {
    const board = this.#parse(text);
    if (!board.flat().every(Number.isSafeInteger)) throw new Error(TOO_LARGE);
    [this.seed, this.four] = [seed, four];
    this.edit(board, { score, turns });
  }

  /** Reads a text. A single row of cells has the size of the present board, if that fits. */
  #parse(text) {
    try {
      return this.#rules.call({ do: "board", text, size: this.#size() }).board;
    } catch {
      return this.#rules.call({ do: "board", text }).board;
    }
  }

  /** The position as parameters of an address. */
  params() {
    const { score, turns, seed, four } = this;
    const board = this.checked?.hex ?? this.board.map((row) => row.join(",")).join("/");
    return { board, score, turns, seed, ...(four !== 0.1 && { four }) };
  }

  /** Opens a game, a replay text or a link text, at its end. Throws the engine's sentence. */
  open(text) {
    const state = this.#rules.call({ do: "load", text });
    this.#games.add(state.game);
    this.seed = state.seed ?? this.seed;
    this.four = state.rules?.four ?? this.four;
    this.#push(this.#ofState(state));
  }

  /** The handle of the present game. Throws if the board is not valid. */
  game() {
    const now = this.#now;
    if (now.problem) throw new Error(now.problem);
    if (now.game === null) {
      const { board, score, turns } = now;
      const { seed, four } = this;
      const request = { do: "new", size: this.#size(), seed, four, board, score, turns };
      const state = this.#rules.call(request);
      now.game = state.game;
      this.#games.add(state.game);
      if (score > 0 || turns > 0) this.#underway.add(state.game);
    }
    return now.game;
  }

  /** The state of the present game, with its legal moves. */
  state() {
    return this.#rules.call({ do: "state", game: this.game() });
  }

  /** What a player needs to think about the position. */
  position() {
    return this.#rules.call({ do: "position", game: this.game() });
  }

  /** The whole game as a short text for an address. Throws the engine's sentence. */
  link() {
    if (this.#underway.has(this.game())) throw new Error(UNDERWAY);
    return this.#rules.call({ do: "link", game: this.game() }).moves;
  }

  /** The game as parameters of an address; only the position if it began with a score. */
  gameParams() {
    try {
      return { game: this.link() };
    } catch {
      return this.params();
    }
  }

  /** What a move does before a tile appears. */
  slide(move) {
    return this.#rules.call({ do: "slide", game: this.game(), move });
  }

  /** Plays a move. Without a spawn, the seed chooses it. */
  play(move, spawn) {
    const game = this.game();
    const { turn, state } = this.#rules.call({ do: "play", game, move, ...(spawn && { spawn }) });
    this.#push(this.#ofState(state));
    return turn;
  }

  /** Goes back by one edit or turn. A game that was opened is undone turn by turn first. */
  undo() {
    const before = this.#past.at(-1);
    const sameGame = before && before.game !== null && before.game === this.#now.game;
    if (!sameGame && this.#now.undo > 0) {
      this.#future.push(this.#now);
      this.#now = this.#ofState(this.#step("undo"));
    } else if (before) {
      if (sameGame) this.#step("undo");
      this.#future.push(this.#now);
      this.#now = this.#past.pop();
    }
  }

  redo() {
    const after = this.#future.pop();
    if (!after) return;
    if (after.game !== null && after.game === this.#now.game) this.#step("redo");
    this.#past.push(this.#now);
    this.#now = after;
  }

  #size() {
    return `${this.rows}x${this.cols}`;
  }

  #step(request) {
    return this.#rules.call({ do: request, game: this.#now.game }).state;
  }

  #push(snapshot) {
    // The empty board at the very beginning is no step of its own.
    if (this.#past.length > 0 || !this.isEmpty) this.#past.push(this.#now);
    if (this.#past.length > MOST) this.#past.shift();
    this.#future = [];
    this.#now = snapshot;
    this.#sweep();
  }

  /** Drops the games that no snapshot needs any more. */
  #sweep() {
    const used = new Set([...this.#past, this.#now].map(({ game }) => game));
    for (const game of this.#games) {
      if (used.has(game)) continue;
      this.#games.delete(game);
      this.#underway.delete(game);
      this.#rules.call({ do: "drop", game });
    }
  }

  #ofState({ board, score, turns, game, undo }) {
    return { ...this.#snapshot(board, score, turns), game, undo };
  }

  #snapshot(board, score, turns) {
    const snapshot = { board, score, turns, game: null, undo: 0, checked: null, problem: "" };
    try {
      snapshot.checked = this.#rules.call({ do: "board", text: JSON.stringify(board) });
    } catch (error) {
      snapshot.problem = error.message;
    }
    return snapshot;
  }
}
