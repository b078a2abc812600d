/** Numbers as text, the same in every view. */

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const TENTH = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const FOUR_DIGITS = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const FRACTION = new Intl.NumberFormat("en", { maximumFractionDigits: 4, signDisplay: "negative" });
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

/** A count or a score: `12,345`. */
export function whole(number) {
  return WHOLE.format(number);
}

/** A value in points or of an evaluator: `43,120`, `812.4`, `1.243T`, `-0.0001`. */
export function value(number) {
  const size = Math.abs(number);
  if (size >= 1e9) return size >= 1e15 ? number.toExponential(3) : COMPACT.format(number);
  if (size >= 10_000 || Number.isInteger(number)) return WHOLE.format(number);
  if (size < 1) return FRACTION.format(number);
  return size >= 100 ? TENTH.format(number) : FOUR_DIGITS.format(number);
}

/** A share of something, from a fraction: `0.6%`, `12%`. */
export function percent(fraction) {
  const percents = Math.abs(fraction) * 100;
  if (percents === 0) return "0%";
  if (percents < 0.01) return "under 0.01%";
  const digits = percents < 0.1 ? 2 : percents < 10 ? 1 : 0;
  return `${percents.toFixed(digits)}%`;
}

/** A chance: `81.2%`; close to 0 and 1 with more digits, as the command shows it. */
export function chance(fraction) {
  const edge = Math.min(fraction, 1 - fraction);
  return `${(100 * fraction).toFixed(edge <= 0 || edge >= 0.001 ? 1 : 3)}%`;
}

/** The value of a move in its unit. */
export function inUnit(number, unit) {
  return unit === "chance" ? chance(number) : value(number);
}

/** A duration: `0.04 ms`, `312 ms`, `1.4 s`. */
export function time(ms) {
  if (ms >= 1000) return `${TENTH.format(ms / 1000)} s`;
  if (ms >= 100) return `${WHOLE.format(ms)} ms`;
  if (ms >= 1) return `${TENTH.format(ms)} ms`;
  return `${ms.toFixed(2)} ms`;
}

/** How many a second: `0.5`, `12.4`, `2,030`. */
export function rate(number) {
  return number >= 100 ? WHOLE.format(number) : TENTH.format(number);
}

/** A size in bytes: `2.9 MB`. */
export function bytes(number) {
  return number >= 1e6 ? `${TENTH.format(number / 1e6)} MB` : `${WHOLE.format(number / 1e3)} kB`;
}

/** `1 move`, `2 moves`, `1,234 moves`. */
export function count(number, word) {
  return `${whole(number)} ${word}${number === 1 ? "" : "s"}`;
}
