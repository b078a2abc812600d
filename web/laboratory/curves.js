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
 * Joins neighbouring points until each stands for enough games. Points of few games are noise: a
 * training writes one after every session, however short.
 *
 * @param {object[]} points
 * @param {number} least the least number of games of a point; a rest at the end joins the last
 * @returns {object[]} points at the places of the last of each group
 */
export function joined(points, least) {
  const groups = [];
  for (const point of points) {
    const last = groups.at(-1);
    if (last && gamesOf(last) < least) last.push(point);
    else groups.push([point]);
  }
  if (groups.length > 1 && gamesOf(groups.at(-1)) < least) {
    const rest = groups.pop();
    groups.at(-1).push(...rest);
  }
  return groups.map((group) => ({ ...group.at(-1), ...meansOf(group) }));
}

function gamesOf(points) {
  return points.reduce((sum, point) => sum + point.count, 0);
}

/** The means over all games of some points. */
function meansOf(points) {
  const count = gamesOf(points);
  const of = (value) => (count ? points.reduce((sum, point) => sum + value(point) * point.count, 0) / count : 0);
  const shares = points[0].shares.map((_, place) => of((point) => point.shares[place]));
  return { count, mean: of((point) => point.mean), shares };
}

/** The games of the last tenth of all moves as one point. */
export function lastTenth({ points }) {
  const end = points.at(-1).moves;
  return meansOf(points.filter((point, index) => point.moves > 0.9 * end || index === points.length - 1));
}
