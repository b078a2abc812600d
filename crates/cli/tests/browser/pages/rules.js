// The rules of the game for the pages of the tests, written without the engine.

export const DIRECTIONS = ["up", "right", "down", "left"];

// Slides rows of numbers, 0 for an empty cell.
export function slide(rows, direction) {
  const [height, width] = [rows.length, rows[0].length];
  const vertical = direction === "up" || direction === "down";
  const backwards = direction === "right" || direction === "down";
  const next = rows.map((row) => row.map(() => 0));
  let reward = 0;
  for (let at = 0; at < (vertical ? width : height); at++) {
    const length = vertical ? height : width;
    const cell = (step) => {
      const place = backwards ? length - 1 - step : step;
      return vertical ? [place, at] : [at, place];
    };
    const tile = (step) => rows[cell(step)[0]][cell(step)[1]];
    const line = [...Array(length).keys()].map(tile).filter(Boolean);
    for (let from = 0, to = 0; from < line.length; from++, to++) {
      let value = line[from];
      if (line[from + 1] === value) {
        value *= 2;
        reward += value;
        from++;
      }
      next[cell(to)[0]][cell(to)[1]] = value;
    }
  }
  return { rows: next, reward, moved: JSON.stringify(next) !== JSON.stringify(rows) };
}

export const isStuck = (rows) => DIRECTIONS.every((direction) => !slide(rows, direction).moved);

// Adds a tile in a random empty cell.
export function spawn(rows) {
  const empty = [];
  rows.forEach((row, y) => row.forEach((tile, x) => tile || empty.push([y, x])));
  const [y, x] = empty[Math.floor(Math.random() * empty.length)];
  rows[y][x] = Math.random() < 0.9 ? 2 : 4;
}

// A board at the start of a game.
export function fresh(height, width) {
  const rows = Array.from({ length: height }, () => Array(width).fill(0));
  spawn(rows);
  spawn(rows);
  return rows;
}

// The direction of a key event, if it is an arrow.
export function arrow(event) {
  return event.key.startsWith("Arrow") ? event.key.slice("Arrow".length).toLowerCase() : null;
}
