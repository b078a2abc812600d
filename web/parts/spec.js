/**
 * The text of a player, `name:key=value,key=value`, taken apart and put together. The engine checks
 * names and values; this knows only commas and quotes.
 */

/** Splits a spec that the engine has written: `{name, given: Map}`. */
export function splitSpec(text) {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const given = new Map();
  const pair = /\s*([^=,]+)=("(?:\\.|[^"\\])*"|[^,]*),?/gy;
  pair.lastIndex = name.length + 1;
  for (let found = pair.exec(text); found; found = pair.exec(text)) {
    given.set(found[1].trim(), unquoted(found[2]));
  }
  return { name, given };
}

/** Writes a spec, with quotes where a value needs them. */
export function joinSpec(name, given) {
  const pairs = [...given].map(([key, value]) => `${key}=${quoted(value)}`);
  return pairs.length > 0 ? `${name}:${pairs.join(",")}` : name;
}

/** A spec with one parameter set; `null` removes it. */
export function withParam(spec, key, value) {
  const { name, given } = splitSpec(spec);
  if (value === null) given.delete(key);
  else given.set(key, String(value));
  return joinSpec(name, given);
}

function quoted(value) {
  const plain = value.trim() === value && !/[",]/.test(value);
  return plain ? value : `"${value.replace(/[\\"]/g, "\\$&")}"`;
}

function unquoted(value) {
  if (!value.startsWith('"')) return value.trim();
  return value.slice(1, -1).replace(/\\(.)/g, "$1");
}
