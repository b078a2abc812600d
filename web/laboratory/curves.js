/** Learning curves: the file `curve.csv` of a training run, and what the view computes from it. */

const FIRST = ["games", "moves", "seconds", "mean_score", "games_in_mean"];

/**
 * Reads `curve.csv`. An incomplete last line is left out.
 *
 * @param {string} text
 * @returns {{tiles: string[], points: object[]}} every point has games, moves, seconds, mean, count
 *   (the games in the mean) and shares (of those games, one for each tile)
 */
export function readCurve(text) {
  const lines = text.split("\n");
  const names = lines[0].trim().split(",");
  if (!FIRST.every((name, place) => names[place] === name)) throw new Error("its columns are unknown");
  const tiles = names.slice(FIRST.length);
  const points = [];
  lines.slice(1).forEach((line, index) => {
    if (line.trim() === "") return;
    const numbers = line.split(",").map((word) => (word.trim() === "" ? NaN : Number(word)));
    const whole = numbers.length === names.length && numbers.every((number) => Number.isFinite(number) && number >= 0);
    if (!whole && index === lines.length - 2) return;
    if (!whole) throw new Error(`line ${index + 2} is not a point of a learning curve`);
    const [games, moves, seconds, mean, count, ...shares] = numbers;
    points.push({ games, moves, seconds, mean, count, shares });
  });
  if (points.length === 0) throw new Error("it has no points yet");
  return { tiles, points };
}

/**
 * The means of every point with the points before it, weighted by their games.
 *
 * @param {object[]} points
 * @param {number} width how many points are joined
 * @param {(point: object) => number} value
 */
export function smoothed(points, width, value) {
  let [sum, games] = [0, 0];
  return points.map((point, index) => {
    sum += value(point) * point.count;
    games += point.count;
    if (index >= width) {
      sum -= value(points[index - width]) * points[index - width].count;
      games -= points[index - width].count;
    }
    return games > 0 ? sum / games : null;
  });
}

/** The mean of the last points that make up a tenth of all moves, and the games in it. */
export function lastTenth({ points }) {
  const end = points.at(-1).moves;
  const last = points.filter((point, index) => point.moves > 0.9 * end || index === points.length - 1);
  const games = last.reduce((sum, point) => sum + point.count, 0);
  const of = (value) => last.reduce((sum, point) => sum + value(point) * point.count, 0) / games;
  return { games, mean: of((point) => point.mean), share: (place) => of((point) => point.shares[place]) };
}
