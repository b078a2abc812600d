// A 2048 game for the tests, with the markup and the saved state of the original page. The address
// says what is special about it:
//   size=N       the side of the board
//   keep=storage or tiles: whether the game is saved, or only drawn
//   cheat=merge, spawns, tile or score: breaks this rule once, at move 10 or later
//   reload=N     reloads itself after move N
//   slow=MS      answers a key only after MS milliseconds
//   plays=MS     plays by itself, like a person in the browser
//   goal=N       the winning tile
//   glitch=N     shows a wrong board for a moment after move N
//   deaf=N       ignores the key after move N, once
//   late=N       answers the key after move N only after 2.5 seconds
//   alert=N      shows a dialog with move N
//   ask          asks before a new game
import { DIRECTIONS, arrow, fresh, isStuck, slide, spawn } from "./rules.js";

const options = new URLSearchParams(location.search);
const number = (name, other) => Number(options.get(name) ?? other);
const size = number("size", 4);
const goal = number("goal", 2048);
const keep = options.get("keep") ?? "storage";

document.body.innerHTML = `
  <div class="score-container">0</div>
  <a class="restart-button">New Game</a>
  <div class="game-container">
    <div class="game-message"><p></p><div class="lower">
      <a class="keep-playing-button">Keep going</a><a class="retry-button">Try again</a>
    </div></div>
    <div class="grid-container">${`<div class="grid-row">${'<div class="grid-cell"></div>'.repeat(size)}</div>`.repeat(size)}</div>
    <div class="tile-container"></div>
  </div>`;

let state;

function begin() {
  state = { rows: fresh(size, size), score: 0, over: false, won: false, keepPlaying: false, moves: 0 };
}

function move(direction) {
  if (state.over || (state.won && !state.keepPlaying)) return;
  const { rows, reward, moved } = slide(state.rows, direction);
  if (!moved) return;
  state.rows = rows;
  state.score += reward;
  state.moves++;
  if (reward && rows.flat().includes(goal)) state.won = true;
  spawn(state.rows);
  cheat();
  state.over = isStuck(state.rows);
  save();
  if (state.moves === number("alert", -1)) alert("Well done!");
  if (state.moves === number("reload", -1)) location.reload();
}

let isHonest = !options.has("cheat");

function cheat() {
  if (isHonest || state.moves < 10) return;
  isHonest = true;
  // The largest tile cannot be the one that just appeared.
  const largest = Math.max(...state.rows.flat());
  const row = state.rows.find((one) => one.includes(largest));
  if (options.get("cheat") === "merge") row[row.indexOf(largest)] *= 2;
  if (options.get("cheat") === "spawns") spawn(state.rows);
  if (options.get("cheat") === "tile") row[row.indexOf(largest)] = 3;
  if (options.get("cheat") === "score") state.score += 4;
}

let isWhole = !options.has("glitch");

function save() {
  if (!isWhole && state.moves === number("glitch")) {
    isWhole = true;
    const { rows } = state;
    state.rows = rows.map((row) => row.map((tile) => 2 * tile));
    save();
    state.rows = rows;
    setTimeout(save, 50);
    return;
  }
  const columns = state.rows[0].map((_, x) =>
    state.rows.map((row, y) => (row[x] ? { position: { x, y }, value: row[x] } : null)),
  );
  if (keep === "storage") {
    if (state.over) localStorage.removeItem("gameState");
    else
      localStorage.setItem(
        "gameState",
        JSON.stringify({ ...state, rows: undefined, grid: { size, cells: columns } }),
      );
  }
  requestAnimationFrame(draw);
}

function draw() {
  document.querySelector(".score-container").firstChild.textContent = state.score;
  const tiles = state.rows.flatMap((row, y) =>
    row.map((tile, x) =>
      tile ? `<div class="tile tile-${tile} tile-position-${x + 1}-${y + 1}"><div class="tile-inner">${tile}</div></div>` : "",
    ),
  );
  document.querySelector(".tile-container").innerHTML = tiles.join("");
  const message = document.querySelector(".game-message").classList;
  message.toggle("game-over", state.over);
  message.toggle("game-won", state.won && !state.keepPlaying && !state.over);
}

function restart() {
  if (options.has("ask") && !confirm("Really?")) return;
  begin();
  save();
}

let isDeaf = false;

document.addEventListener("keydown", (event) => {
  const direction = arrow(event);
  if (!direction) return;
  event.preventDefault();
  if (!isDeaf && state.moves === number("deaf", -1)) {
    isDeaf = true;
    return;
  }
  if (state.moves === number("late", -1)) setTimeout(() => move(direction), 2500);
  else if (options.has("slow")) setTimeout(() => move(direction), number("slow"));
  else move(direction);
});
document.querySelector(".restart-button").addEventListener("click", restart);
document.querySelector(".retry-button").addEventListener("click", restart);
document.querySelector(".keep-playing-button").addEventListener("click", () => {
  // Like the original, it is saved only with the next move.
  state.keepPlaying = true;
  draw();
});

const saved = JSON.parse(localStorage.getItem("gameState"));
begin();
if (saved && keep === "storage") {
  const { cells } = saved.grid;
  const rows = state.rows.map((row, y) => row.map((_, x) => cells[x][y]?.value ?? 0));
  state = { ...saved, rows };
}
save();
if (options.has("plays")) {
  const possible = () => DIRECTIONS.find((direction) => slide(state.rows, direction).moved);
  setInterval(() => possible() && move(possible()), number("plays"));
}
