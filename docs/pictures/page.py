"""Makes the pictures of the page: python3 docs/pictures/page.py [LAB2048]

Starts `lab2048 serve` and a headless Chromium, and writes docs/pictures/page-*.png. Needs Chromium
and chromedriver.
"""

import base64
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path.append(str(PROJECT / "benchmarks"))

from chromium import page  # noqa: E402
LATE = "4096 2048 1024 128/16 64 256 512/8 4 2 8/2 0 0 4"
WIDE, PHONE = (1280, 900), (360, 720)


def look(browser, size, scheme):
    """Sets the size of the window and the colour scheme."""
    browser.tools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
               deviceScaleFactor=1, mobile=False)
    features = [{"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.tools("Emulation.setEmulatedMedia", features=features)


def save(browser, name):
    """Saves the window once nothing moves any more."""
    browser.script("document.activeElement?.blur(); window.scrollTo(0, 0)")
    time.sleep(0.5)
    png = browser.tools("Page.captureScreenshot", format="png")["data"]
    (HERE / f"page-{name}.png").write_bytes(base64.b64decode(png))
    print(f"docs/pictures/page-{name}.png")


def click(text, within="body"):
    """A script that clicks the button with this text."""
    return (f"const all = [...document.querySelectorAll({json.dumps(within + ' button')})];"
            f"const found = all.find((one) => one.textContent.trim().startsWith({json.dumps(text)}));"
            "found?.click(); return Boolean(found)")


def play(browser, site):
    board = quote(LATE)
    browser.open(f"{site}#play?board={board}&score=62148&seed=3")
    browser.wait("return document.querySelectorAll('#view-play .tile').length > 10")
    browser.wait(click("Hint"))
    browser.wait("return document.querySelector('#view-play .bars-chosen') !== null")


def practice(browser, site):
    browser.open(f"{site}#practice?table=2x3-64&board={quote('8 8 4/2 16 2')}&seed=3")
    browser.wait("return /^Make/.test(document.querySelector('.practice-line')?.textContent)")
    for key in ("ArrowLeft", "i"):
        browser.script(f"document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))")
        browser.wait("return document.querySelector('.practice-line').textContent.startsWith('Left kept')"
                     "&& !document.querySelector('#view-practice [aria-keyshortcuts=i]').disabled")
    browser.wait("return document.querySelector('#view-practice .bars-chosen') !== null")


def watch(browser, site):
    browser.open(f"{site}#watch?seed=12")
    browser.wait(click("Turbo", "#view-watch"))
    browser.wait("return Number(document.querySelector('.watch-scores')?.textContent"
                 ".match(/Moves\\s*([\\d,]+)/)?.[1].replace(/,/g, '')) > 900")
    browser.wait(click("Pause", "#view-watch"))
    browser.wait("return document.querySelector('#view-watch .bars-chosen') !== null")


def four(browser, site):
    browser.open(f"{site}#four?seed=8")
    browser.wait(click("Turbo", "#view-four"))
    browser.wait("return document.querySelectorAll('#view-four .lab-tile-512').length > 0")
    browser.wait(click("Pause", "#view-four"))


def review(browser, site, replay):
    browser.open(f"{site}#review?game={quote(replay)}")
    browser.wait("return / judged \\d+ moves?\\.$/.test("
                 "document.querySelector('#view-review [role=status]')?.textContent)")
    browser.script("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }))")


def tree(browser, site):
    board = quote("2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2")
    browser.open(f"{site}#tree?board={board}&player=clairvoyant:depth=3&seed=7")
    browser.wait("return document.querySelectorAll('#view-tree [role=treeitem]').length > 20")


def laboratory(browser, site):
    browser.open(f"{site}#laboratory")
    browser.wait(click("Open examples", "#view-laboratory"))
    browser.wait("return document.querySelectorAll('#view-laboratory canvas').length > 0")


def played(program):
    """The replay of a game with a few hundred moves."""
    keys = "\n".join(["a", "s", "d", "s", "a", "w"] * 60 + ["q"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "game.2048")
        command = [program, "play", "--plain", "--seed", "5", "--save", str(file)]
        subprocess.run(command, input=keys, text=True, capture_output=True, check=False)
        return file.read_text(encoding="utf-8")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(PROJECT / "target/release/lab2048")
    replay = played(program)
    views = {"play": play, "practice": practice, "watch": watch, "four": four, "tree": tree, "laboratory": laboratory,
             "review": lambda browser, site: review(browser, site, replay)}
    with page(program) as (browser, site):
        for name, prepare in views.items():
            look(browser, WIDE, "light")
            prepare(browser, site)
            save(browser, name)
        for name in ("play", "watch"):
            look(browser, PHONE, "dark")
            views[name](browser, site)
            save(browser, f"{name}-phone")


if __name__ == "__main__":
    main()
