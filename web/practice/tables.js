/**
 * What can be practised: small boards, which the engine of the page solves, and the tables of the
 * server. Both answer in the same form.
 * @module
 */

import { ask, fetchJson, known, server } from "../engine.js";
import { askServer } from "../server.js";

/**
 * @typedef {object} Table
 * @property {string} name
 * @property {string} title
 * @property {string} goal what its values are, in words
 * @property {number | null} tile the tile to make; null for points
 * @property {number} four the chance of a 4
 * @property {(wanted: {seed: string, from?: number, to?: number}) => Promise<object>} draw a
 *   position: `{board, state, exact}`
 * @property {(board: number[][]) => Promise<object>} judge `{state, exact}`
 */

/** Boards of up to 6 cells, and tiles that are neither sure nor hopeless there. */
const SMALL = [["2x3", 64], ["2x3", 32], ["2x3", 128], ["2x3", null], ["2x2", 16], ["2x2", null]];

function small([size, tile]) {
  const wanted = { size, tile };
  const goal = tile ? `chance to make ${tile} on ${size}` : `expected score on ${size}`;
  return {
    name: tile ? `${size}-${tile}` : size,
    title: tile ? `${tile} on ${size}` : `Points on ${size}`,
    goal,
    tile,
    four: 0.1,
    draw: (range) => ask({ do: "practice_draw", ...wanted, ...range }),
    judge: (board) => ask({ do: "practice_judge", ...wanted, board }),
  };
}

function served({ table, goal, tile, four }) {
  return {
    name: table,
    title: table,
    goal,
    tile,
    four,
    draw: (range) => askServer("api/practice/draw", { table, ...range }),
    judge: (board) => askServer("api/practice/judge", { table, board }),
  };
}

/**
 * Finds all tables.
 * @returns {Promise<{small: Table[], served: Table[], note: string}>} `note` says how to get more,
 *   or which ones cannot be used
 */
export async function findTables() {
  await known;
  const found = server ? (await fetchJson("api/tables")) ?? [] : [];
  const usable = found.filter(({ error }) => error === undefined).map(served);
  return { small: SMALL.map(small), served: usable, note: noteOn(found) };
}

function noteOn(found) {
  const broken = found.find(({ error }) => error !== undefined);
  if (broken) return `${broken.table}: ${broken.error}.`;
  if (found.length > 0) return "";
  const solve = "To practise endgames, compute a table with `lab2048 solve block --tile 512`";
  return server ? `${solve} and reload this page.` : `${solve} and open this page with \`lab2048 serve\`.`;
}
