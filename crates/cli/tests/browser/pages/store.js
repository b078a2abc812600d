// A page that keeps its game as play2048.co does: a store in a module, a canvas without tile
// elements, saves under unpredictable keys, and a consent dialog that takes the keys.
import { arrow, fresh, isStuck, slide, spawn } from "./rules.js";

const listeners = new Set();
// The winning tile; a smaller one makes a test shorter.
const goal = Number(new URLSearchParams(location.search).get("goal") ?? 2048);
const asTiles = (rows) => rows.map((row) => row.map((value) => (value ? { id: Math.random(), value } : null)));
const asNumbers = (board) => board.map((row) => row.map((tile) => tile?.value ?? 0));
const begin = () => ({ state: "fresh", score: 0, board: asTiles(fresh(4, 4)), moveCount: 0, powerups: {} });
let state = begin();

function publish(next) {
  state = next;
  listeners.forEach((listener) => listener(state));
  draw();
  setTimeout(save, 20);
}

function save() {
  const key = Math.random().toString(36).slice(2);
  const mixed = [...JSON.stringify(state)].map((one, at) => String.fromCharCode(one.charCodeAt(0) ^ (at % 7)));
  localStorage.clear();
  localStorage.setItem(key, btoa(mixed.join("")));
}

function draw() {
  const canvas = document.querySelector("canvas").getContext("2d");
  canvas.clearRect(0, 0, 200, 200);
  const text = (value, x, y) => value && canvas.fillText(value, 50 * x + 20, 50 * y + 25);
  asNumbers(state.board).forEach((row, y) => row.forEach((value, x) => text(value, x, y)));
}

export const game = {
  subscribe(listener) {
    listeners.add(listener);
    listener(state);
    return () => listeners.delete(listener);
  },
  move(direction) {
    if (state.state === "gameWon" || state.state === "gameOver") return;
    const { rows, reward, moved } = slide(asNumbers(state.board), direction);
    if (!moved) return;
    const isNew = (tile) => rows.flat().includes(tile) && !asNumbers(state.board).flat().includes(tile);
    const won = isNew(goal);
    spawn(rows);
    const now = won ? "gameWon" : isStuck(rows) ? "gameOver" : "playing";
    const score = state.score + reward;
    publish({ ...state, state: now, score, board: asTiles(rows), moveCount: state.moveCount + 1 });
  },
  reset: () => publish(begin()),
  continueAfterWin: () => publish({ ...state, state: "playing" }),
};

draw();
const consent = document.querySelector(".consent");
document.querySelector(".fc-cta-consent").addEventListener("click", () => consent.remove());
document.addEventListener("keydown", (event) => {
  if (consent.isConnected || !arrow(event)) return;
  // The page answers a moment later, as after an animation.
  setTimeout(() => game.move(arrow(event)), 15);
});
