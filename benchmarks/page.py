#!/usr/bin/env python3
"""Measures the page in Chromium and writes the README of a folder.

    benchmarks/page.py benchmarks/2026-11-18-page

Run it with nothing else running. It needs Chromium and chromedriver.
"""

import gzip
import json
import statistics
import subprocess

from chromium import page
from release import begin, ROOT
from run import processor

ROUNDS = 3
LOADS = 15
KEYS = 60
SECONDS = 5
MODULE = "lab2048.wasm"

# Notes when the first tile is in the page. From then on keys are heard.
FIRST_TILE = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('.container .tile')) return;
  window.firstTile = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""

# Plays with an instance of the module in the page's own thread, for some seconds.
PLAY = """
const done = (async () => {
  const { load } = await import(new URL('wasm.js', location.href));
  const engine = await load(new URL('lab2048.wasm', location.href));
  const file = await fetch(new URL('networks/NET.net', location.href));
  const began = performance.now();
  engine.call({ do: 'network', name: 'NET' }, new Uint8Array(await file.arrayBuffer()));
  const loaded = performance.now() - began;
  let moves = 0, spent = 0;
  for (let seed = 1; spent < MILLISECONDS; seed += 1) {
    const { game } = engine.call({ do: 'new', seed: String(seed) });
    const position = engine.call({ do: 'position', game });
    const { player } = engine.call({ do: 'player', spec: 'ntuple:net=NET,depth=3', position });
    const start = performance.now();
    moves += engine.call({ do: 'run', player, position, ms: Math.ceil(MILLISECONDS - spent) }).turns.length;
    spent += performance.now() - start;
    engine.call({ do: 'leave', player });
    engine.call({ do: 'drop', game });
  }
  return { loaded, rate: 1000 * moves / spent };
})();
return done;
"""

# Counts the frames that are drawn in some seconds.
FRAMES = """
return new Promise((resolve) => {
  const start = performance.now();
  let frames = 0, last = start, longest = 0;
  const frame = (now) => {
    frames += 1;
    longest = Math.max(longest, now - last);
    last = now;
    if (now - start < MILLISECONDS) requestAnimationFrame(frame);
    else resolve({ rate: 1000 * frames / (now - start), longest });
  };
  requestAnimationFrame(frame);
});
"""

# The time from a key to the frame that shows the move, for every key.
KEY_TIMES = """
window.keyTimes = [];
addEventListener('keydown', (event) => {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.keyTimes.push(performance.now() - event.timeStamp);
    channel.port2.postMessage(null);
  });
}, true);
"""


def sizes():
    """The bytes of the page's files as they are and compressed: all, and the module."""
    listed = (ROOT / "web/sw.js").read_text(encoding="utf-8")
    names = json.loads(listed[listed.index("FILES = [") + 8:listed.index("];")].rstrip().rstrip(",") + "]")
    files = {name: (ROOT / "web" / name).read_bytes() for name in names}
    packed = {name: len(gzip.compress(data, 9)) for name, data in files.items()}
    rest = [name for name in names if name != MODULE and "/examples/" not in name and name[-4:] != ".png"]
    return {
        "module": (len(files[MODULE]), packed[MODULE]),
        "rest": (sum(len(files[name]) for name in rest), sum(packed[name] for name in rest)),
    }


def loads(browser, site):
    """Milliseconds from the navigation to the first board, with nothing in any cache."""
    browser.tools("Network.enable")
    browser.tools("Page.addScriptToEvaluateOnNewDocument", source=FIRST_TILE)
    times = []
    for _ in range(LOADS):
        browser.tools("Storage.clearDataForOrigin", origin=site.rstrip("/"), storageTypes="all")
        browser.tools("Network.clearBrowserCache")
        browser.open(f"{site}#play")
        browser.wait("return window.firstTile !== undefined")
        times.append(browser.script("return window.firstTile"))
    return times


def keys(browser, site):
    """Milliseconds from a key to the frame that shows the move."""
    browser.open(f"{site}#play?seed=1")
    browser.wait("return document.querySelector('.container .tile') !== null")
    browser.script(KEY_TIMES)
    for number in range(KEYS):
        key = "\uE012\uE015\uE014\uE015"[number % 4]
        steps = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        browser.post("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})
    browser.wait(f"return window.keyTimes.length === {KEYS}")
    return browser.script("return window.keyTimes")


def frames(browser, site):
    """Frames a second while a player thinks in the worker."""
    browser.open(f"{site}#watch?player=ntuple:depth=5&seed=1")
    browser.wait("return document.querySelector('#view-watch .button.primary') !== null")
    browser.script("document.querySelector('#view-watch .button.primary').click()")
    browser.wait("return document.querySelector('#view-watch .bars-chosen') !== null")
    return browser.script(FRAMES.replace("MILLISECONDS", str(1000 * SECONDS)))


def native(program, network):
    """Moves a second of the program on one thread."""
    command = [program, "arena", f"ntuple:net={network},depth=3", "--games", "4", "--max-moves", "3000",
               "--seed", "1", "--threads", "1", "--json"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)["players"][0]["moves_per_second"]


def speeds(browser, site, program, network):
    """Moves a second in the page and of the program, in turn, and the time to read the network."""
    found = []
    for _ in range(ROUNDS):
        browser.open(f"{site}#play")
        browser.wait("return document.querySelector('.container .tile') !== null")
        script = PLAY.replace("NET", network).replace("MILLISECONDS", str(1000 * SECONDS))
        inside = browser.script(script)
        found.append((inside["rate"], native(program, network), inside["loaded"]))
    return found


def row(name, values, digits=0):
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"| {name} | {middle:,.{digits}f} | {least:,.{digits}f} to {most:,.{digits}f} | {len(values)} |"


def main():
    folder, program, commit = begin(__doc__)
    program = str(program)
    with page(program) as (browser, site):
        version = browser.version
        first, key, frame = loads(browser, site), keys(browser, site), frames(browser, site)
        by_network = {name: speeds(browser, site, program, name) for name in ("small", "default")}
    (folder / "page.json").write_text(json.dumps(
        {"commit": commit, "browser": version, "loads": first, "keys": key, "frames": frame,
         "speeds": by_network}, indent=1) + "\n", encoding="utf-8")
    size = sizes()
    lines = [
        "# The page in Chromium", "",
        f"`benchmarks/page.py`, commit {commit}, {version}, headless, {processor()}.",
        "Over loopback from `lab2048 serve`, with nothing else running. The raw figures are in `page.json`.", "",
        "| as sent | bytes | with gzip |", "|---|--:|--:|",
        f"| the engine (`{MODULE}`) | {size['module'][0]:,} | {size['module'][1]:,} |",
        f"| everything else, without pictures and examples | {size['rest'][0]:,} | {size['rest'][1]:,} |", "",
        "`serve` sends the files as they are; most web hosts compress them.", "",
        "| milliseconds | median | range | measured |", "|---|--:|--:|--:|",
        row("from the navigation to the first board, nothing cached", first),
        row("from a key to the frame that shows its move", key, 1), "",
        f"While `ntuple:depth=5` thinks in the worker, the page draws {frame['rate']:.1f} frames a second",
        f"({SECONDS} s; the longest gap was {frame['longest']:.0f} ms).", "",
        "Moves a second of `ntuple:depth=3`, in the page and natively on one thread, in turn:", "",
        "| network | in the page | native | ratio | reading the network in the page |", "|---|--:|--:|--:|--:|",
    ]
    for name, found in by_network.items():
        middle = [statistics.median(column) for column in zip(*found)]
        ratio = statistics.median(inside / outside for inside, outside, _ in found)
        lines.append(f"| `{name}` | {middle[0]:,.0f} | {middle[1]:,.0f} | {ratio:.2f} | {middle[2]:,.0f} ms |")
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
