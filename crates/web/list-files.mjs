// Writes the list of the page's files and its version into sw.js. With --check it only says
// whether they are right. The version is a digest of all files, so it changes when one changes.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../web");
const worker = join(web, "sw.js");
// Tools, what the server or the network answers, and the worker itself.
const apart = /^(build(\/|$)|package\.json$|sw\.js$|api\/|networks\/|.*\.md$|.*\.test\.m?js$|(.*\/)?\.)/;

const files = readdirSync(web, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(web, join(entry.parentPath ?? entry.path, entry.name)).split(sep).join("/"))
  .filter((file) => !apart.test(file))
  .sort();

const digest = createHash("sha256");
for (const file of files) digest.update(`${file}\0`).update(readFileSync(join(web, file)));

const list = [
  "// begin list",
  `const VERSION = "${digest.digest("hex").slice(0, 16)}";`,
  "const FILES = [",
  ...files.map((file) => `  "${file}",`),
  "];",
  "// end list",
].join("\n");
const before = readFileSync(worker, "utf8");
const after = before.replace(/\/\/ begin list[^]*\/\/ end list/, () => list);

if (process.argv.includes("--check")) {
  if (before !== after) {
    console.error("web/sw.js does not list the files as they are; run node crates/web/list-files.mjs");
    process.exit(1);
  }
} else if (before !== after) {
  writeFileSync(worker, after);
}
