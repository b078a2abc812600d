"""Makes the pictures of the page: python3 docs/pictures/page.py [LAB2048]

Starts `lab2048 serve` and a headless Chromium, and writes docs/pictures/page-*.png. Needs Chromium
and chromedriver.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
PROJECT = HERE.parent.parent
LATE = "4096 2048 1024 128/16 64 256 512/8 4 2 8/2 0 0 4"
WIDE, PHONE = (1280, 900), (360, 720)


class Browser:
    """A window of Chromium, driven through chromedriver."""

    def __init__(self, port, profile):
        self.base = f"http://127.0.0.1:{port}/session"
        options = ["--headless=new", "--disable-gpu", "--no-sandbox", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--disable-background-networking",
                   f"--user-data-dir={profile}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": options}}
        answer = self.post("", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/" + answer["sessionId"]

    def post(self, path, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def tools(self, command, **parameters):
        return self.post("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def script(self, body):
        return self.post("/execute/sync", {"script": body, "args": []})

    def wait(self, body):
        for _ in range(1200):
            if self.script(body):
                return
            time.sleep(0.05)
        sys.exit(f"waited in vain for: {body}")

    def look(self, size, scheme):
        """Sets the size of the window and the colour scheme."""
        self.tools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                   deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce"}]
        self.tools("Emulation.setEmulatedMedia", features=features)

    def save(self, name):
        """Saves the window once nothing moves any more."""
        self.script("document.activeElement?.blur(); window.scrollTo(0, 0)")
        time.sleep(0.5)
        png = self.tools("Page.captureScreenshot", format="png")["data"]
        (HERE / f"page-{name}.png").write_bytes(base64.b64decode(png))
        print(f"docs/pictures/page-{name}.png")


def click(text, within="body"):
    """A script that clicks the button with this text."""
    return (f"const all = [...document.querySelectorAll({json.dumps(within + ' button')})];"
            f"const found = all.find((one) => one.textContent.trim().startsWith({json.dumps(text)}));"
            "found?.click(); return Boolean(found)")


def play(browser, site):
    board = urllib.request.quote(LATE)
    browser.post("/url", {"url": f"{site}#play?board={board}&score=62148&seed=3"})
    browser.wait("return document.querySelectorAll('#view-play .tile').length > 10")
    browser.wait(click("Hint"))
    browser.wait("return document.querySelector('#view-play .bars-chosen') !== null")


def watch(browser, site):
    browser.post("/url", {"url": f"{site}#watch?seed=12"})
    browser.wait(click("Turbo", "#view-watch"))
    browser.wait("return Number(document.querySelector('.watch-scores')?.textContent"
                 ".match(/Moves\\s*([\\d,]+)/)?.[1].replace(/,/g, '')) > 900")
    browser.wait(click("Pause", "#view-watch"))
    browser.wait("return document.querySelector('#view-watch .bars-chosen') !== null")


def four(browser, site):
    browser.post("/url", {"url": f"{site}#four?seed=8"})
    browser.wait(click("Turbo", "#view-four"))
    browser.wait("return document.querySelectorAll('#view-four .lab-tile-512').length > 0")
    browser.wait(click("Pause", "#view-four"))


def review(browser, site, replay):
    browser.post("/url", {"url": f"{site}#review?game={urllib.request.quote(replay)}"})
    browser.wait("return document.querySelector('#view-review [role=status]')?.textContent.includes('judged')")
    browser.script("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }))")


def tree(browser, site):
    board = urllib.request.quote("2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2")
    browser.post("/url", {"url": f"{site}#tree?board={board}&player=clairvoyant:depth=3&seed=7"})
    browser.wait("return document.querySelectorAll('#view-tree [role=treeitem]').length > 20")


def laboratory(browser, site):
    browser.post("/url", {"url": f"{site}#laboratory"})
    browser.wait(click("Open examples", "#view-laboratory"))
    browser.wait("return document.querySelectorAll('#view-laboratory canvas').length > 0")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(PROJECT / "target/release/lab2048")
    server = subprocess.Popen([program, "serve"], stdout=subprocess.PIPE, text=True, cwd=PROJECT)
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        site = re.search(r"http://\S+", server.stdout.readline())[0]
        port = next(found[1] for line in driver.stdout
                    if (found := re.search(r"started successfully on port (\d+)", line)))
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            replay = subprocess.run(
                [program, "play", "--plain", "--seed", "5", "--save", f"{profile}/game.2048"],
                input="\n".join(["l", "d", "r", "d", "l", "u"] * 60 + ["q"]), text=True,
                capture_output=True, check=False)
            text = pathlib.Path(f"{profile}/game.2048").read_text(encoding="utf-8") if replay else ""
            browser = Browser(port, f"{profile}/chromium")
            views = {"play": play, "watch": watch, "four": four, "tree": tree, "laboratory": laboratory,
                     "review": lambda browser, site: review(browser, site, text)}
            for name, prepare in views.items():
                browser.look(WIDE, "light")
                browser.post("/url", {"url": "about:blank"})
                prepare(browser, site)
                browser.save(name)
            for name in ("play", "watch"):
                browser.look(PHONE, "dark")
                browser.post("/url", {"url": "about:blank"})
                views[name](browser, site)
                browser.save(f"{name}-phone")
            browser.post("/url", {"url": "about:blank"})
    finally:
        server.terminate()
        driver.terminate()


if __name__ == "__main__":
    main()
