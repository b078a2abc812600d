/**
 * The start of a game in an address: `board=...&score=100&turns=20&seed=7&four=0.2`.
 *
 * A wrong parameter is left out and named in a sentence, so that the board is shown all the same.
 */

/** What each parameter is called, the largest value, and that value in words. */
const NUMBERS = {
  score: ["score", 2 ** 53, "2^53"],
  turns: ["number of turns", 2 ** 53, "2^53"],
  goal: ["goal", 2 ** 53, "2^53"],
  four: ["chance of a 4", 1, "1"],
  from: ["least chance", 1, "1"],
  to: ["largest chance", 1, "1"],
};

/**
 * @param {URLSearchParams} params
 * @param {(sentence: string) => void} complain called for each wrong parameter
 * @param {string[]} [names] the numbers that are wanted
 * @returns {object} the right ones, as fields of the request `new`
 */
export function startOf(params, complain, names = ["score", "turns", "four"]) {
  const start = {};
  for (const name of names.filter((each) => params.has(each))) {
    const [words, most, limit] = NUMBERS[name];
    const text = params.get(name).trim();
    const number = Number(text);
    const isRight = text !== "" && number >= 0 && number <= most && (most === 1 || Number.isInteger(number));
    if (isRight) start[name] = number;
    else complain(`The ${words} in the address is not a number from 0 to ${limit}.`);
  }
  if (!params.has("seed")) return start;
  const seed = params.get("seed").trim();
  if (isSeed(seed)) return { ...start, seed };
  complain("The seed in the address is not a whole number below 2^64.");
  return start;
}

/** Whether a text is a seed. */
export const isSeed = (text) => /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n;
