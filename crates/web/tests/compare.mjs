// Sends the requests of a transcript to a WebAssembly module and compares the answers with those of
// the native engine.
//   node compare.mjs MODULE TRANSCRIPT

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { Engine } from "../../../web/wasm.js";

const [modulePath, transcriptPath] = process.argv.slice(2);
// No clock: a thought that watches the time would differ.
globalThis.performance.now = () => 0;
const engine = new Engine(new WebAssembly.Module(readFileSync(modulePath)));
const nets = new URL("../../../nets/", import.meta.url);

let count = 0;
for (const line of readFileSync(transcriptPath, "utf8").split("\n")) {
  if (line === "") continue;
  const { request, file, sha256 } = JSON.parse(line);
  const bytes = file === null ? undefined : new Uint8Array(readFileSync(new URL(file, nets)));
  const answer = engine.text(request, bytes);
  count += 1;
  if (createHash("sha256").update(answer).digest("hex") !== sha256) {
    console.error(`The module answers differently.\nrequest ${count}: ${request}\nanswer: ${answer}`);
    process.exit(1);
  }
}
if (count === 0) {
  console.error("The transcript is empty.");
  process.exit(1);
}
console.log(`${count} answers are those of the native engine`);
