/**
 * What a file is, and what it holds. A file that the laboratory does not know gets one sentence
 * that names it.
 *
 * Nothing in this module draws, and nothing leaves the page: the engine that reads arena records
 * runs in the page's own worker.
 */

import { readCurve } from "./curves.js";
import { readEvolution } from "./evolutions.js";

/** Larger files are refused, because the page holds them in memory several times. */
export const MOST_BYTES = 64 * 2 ** 20;

/** Files of the benchmarks that come with the page. */
export const EXAMPLES = ["expectimax-rows-1ms.jsonl", "sum-3.jsonl", "8x6-5x4.csv", "4x6.csv", "evaluators.json"];

/** What the kinds of files are called in a list. */
export const KINDS = {
  arena: "arena records",
  curve: "learning curve",
  evolution: "evolution",
  table: "evolution results",
  program: "program",
};

/** A refusal: a sentence that names the file. */
export class FileError extends Error {}

/**
 * Reads a file.
 *
 * @param {string} name
 * @param {string} text
 * @param {(request: object) => Promise<object>} ask asks the engine
 * @returns {Promise<{name: string, kind: string, data: object, note?: string}>}
 * @throws {FileError} with a sentence that names the file
 */
export async function readText(name, text, ask) {
  const start = text.slice(0, 4096).trimStart();
  try {
    if (start.startsWith('{"lab2048":"arena"')) return await readRecords(name, text, ask);
    if (start.startsWith("games,moves,seconds,")) return { name, kind: "curve", data: readCurve(text) };
    if (isProgram(start)) return await readProgram(name, text, ask);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new FileError(`'${name}' cannot be read: ${withoutDot(error.message)}.`);
  }
  const found = start.startsWith("{") ? readJson(name, text) : null;
  if (found) return found;
  throw new FileError(`'${name}' ${whatElse(start)}.`);
}

async function readRecords(name, text, ask) {
  const data = await ask({ do: "records", text });
  const note = data.complete ? undefined : "its last line is cut off and left out";
  return { name, kind: "arena", data, note };
}

/** The engine reads a program only to draw it, so it draws it once. */
async function readProgram(name, text, ask) {
  await ask({ do: "program", text, board: [[2, 0], [0, 2]] });
  return { name, kind: "program", data: { text } };
}

function readJson(name, text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const summaries = arenaSummary(value);
  if (summaries) return { name, kind: "arena", data: summaries };
  const evolution = readEvolution(value);
  return evolution && { name, ...evolution };
}

/** The output of `arena --json`: the statistics without the scores of single games. */
function arenaSummary(value) {
  if (!Array.isArray(value.players) || !value.players.length || !value.players.every(isSummary)) return null;
  const players = value.players.map((player) => ({
    spec: player.player,
    games: player.games,
    mean: player.mean,
    ci: player.interval,
    median: player.median,
    sd: player.deviation,
    best: player.best,
    best_seed: String(player.best_seed),
    worst: player.worst,
    moves: player.mean_moves,
    speed: player.moves_per_second,
    ends: player.ends ?? {},
    tiles: player.tiles.map((tile) => ({
      tile: tile.tile, games: tile.games, share: tile.rate, low: tile.interval.low, high: tile.interval.high,
    })),
    scores: null,
  }));
  return { header: value.plan ?? null, complete: true, players, differences: value.differences ?? [] };
}

const SUMMARY = ["games", "mean", "median", "deviation", "best", "worst", "mean_moves"];

function isSummary(player) {
  const isRate = ({ tile, rate, interval } = {}) => [tile, rate, interval?.low, interval?.high].every(Number.isFinite);
  return typeof player?.player === "string" && SUMMARY.every((name) => Number.isFinite(player[name]))
    && Array.isArray(player.tiles) && player.tiles.length > 0 && player.tiles.every(isRate);
}

function isProgram(start) {
  const code = start.split("\n").find((line) => line.trim() && !line.trim().startsWith(";")) ?? "";
  return /^\(\s*(evaluator|directions)\b/.test(code.trim());
}

/** What a file is that the laboratory does not show. */
function whatElse(start) {
  if (start === "") return "is empty";
  if (start.startsWith('{"plan":') && start.includes('"search":')) {
    return "is the log of a tuning, which the laboratory does not show";
  }
  if (start.includes('"kind":"lab2048 replay"') || start.startsWith("lab2048 replay")) {
    return "is a replay; open it in Review";
  }
  return "is not a file of arena records, a learning curve, an evolution or a program";
}

function withoutDot(sentence) {
  return sentence.replace(/\.$/, "");
}
