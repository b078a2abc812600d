/**
 * What the page keeps in the browser's storage: settings and the game of the Play view.
 *
 * `gameState` and `bestScore` are the original page's keys, in its form, so that programs written
 * for it can read them. All keys of our own begin with `lab2048.`.
 * @module
 */

const GAME = "gameState";
const BEST = "bestScore";
const SETTINGS = "lab2048.settings";
const PLAY = "lab2048.play";
const BESTS = "lab2048.best";
const LAST = "lab2048.last";
const MISTAKES = "lab2048.mistakes";

// Where there is no storage, the page still works; it forgets.
const memory = new Map();
const storage = available() ?? {
  getItem: (key) => memory.get(key) ?? null,
  setItem: (key, text) => memory.set(key, String(text)),
  removeItem: (key) => memory.delete(key),
};

function available() {
  try {
    const probe = "lab2048.probe";
    localStorage.setItem(probe, "1");
    localStorage.removeItem(probe);
    return localStorage;
  } catch {
    return null;
  }
}

function readJson(key) {
  try {
    return JSON.parse(storage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, text) {
  try {
    storage.setItem(key, text);
  } catch {
    // The storage is full. The game goes on; it will not survive a reload.
  }
}

const DEFAULTS = { theme: "auto", motion: "auto", engine: "page", hint: "auto", practice: "2x3-64" };

/** The settings. Assigning to one stores it. */
export const settings = new Proxy({ ...DEFAULTS, ...readJson(SETTINGS) }, {
  set(values, name, value) {
    values[name] = value;
    write(SETTINGS, JSON.stringify(values));
    return true;
  },
});

/** @returns {object | null} the saved game in the original's form */
export const readGame = () => {
  const found = readJson(GAME);
  return Array.isArray(found?.grid?.cells) ? found : null;
};

/** @param {object} state the game in the original's form */
export const writeGame = (state) => write(GAME, JSON.stringify(state));

/**
 * Listens to other tabs that save or remove a game.
 * @param {() => void} listener
 */
export function onForeignGame(listener) {
  addEventListener("storage", ({ key }) => (key === GAME || key === null) && listener());
}

/** Forgets the saved game, as the original does when the game is over. */
export const removeGame = () => storage.removeItem(GAME);

/** @returns {object | null} history, rules and seed of the saved game */
export const readPlay = () => readJson(PLAY);

/** @param {object} play history, rules and seed of the saved game */
export const writePlay = (play) => write(PLAY, JSON.stringify(play));

/** @returns {string | null} the moves of the last finished game */
export const readLast = () => storage.getItem(LAST);

/** @param {string} moves the moves of the last finished game */
export const writeLast = (moves) => write(LAST, moves);

/** @returns {object[]} the mistakes made in practice */
export const readMistakes = () => {
  const found = readJson(MISTAKES);
  return Array.isArray(found) ? found.filter((one) => Array.isArray(one?.board)) : [];
};

/** @param {object[]} mistakes the mistakes made in practice */
export const writeMistakes = (mistakes) => write(MISTAKES, JSON.stringify(mistakes));

/**
 * The best score of a kind of game; 4x4 has the original's key.
 * @param {string} size
 * @returns {number}
 */
export function readBest(size) {
  const found = size === "4x4" ? storage.getItem(BEST) : readJson(BESTS)?.[size];
  return Number(found) || 0;
}

/**
 * @param {string} size
 * @param {number} score
 */
export function writeBest(size, score) {
  if (size === "4x4") write(BEST, score);
  else write(BESTS, JSON.stringify({ ...readJson(BESTS), [size]: score }));
}
