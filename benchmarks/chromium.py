"""A headless Chromium behind chromedriver, and `lab2048 serve`, for the other scripts."""

import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Browser:
    """A window of Chromium, driven through chromedriver."""

    def __init__(self, port, profile):
        self.base = f"http://127.0.0.1:{port}/session"
        options = ["--headless=new", "--disable-gpu", "--no-sandbox", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--disable-background-networking",
                   f"--user-data-dir={profile}"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": options},
                  "timeouts": {"script": 120_000}}
        answer = self.post("", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/" + answer["sessionId"]
        found = answer["capabilities"]
        self.version = f"{found['browserName']} {found['browserVersion']}"

    def post(self, path, body):
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{path}: {json.load(error)['value']['message']}")

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self.base, method="DELETE"), timeout=20).close()

    def open(self, url):
        """Opens an address in a new document, even if only what follows # is new."""
        self.post("/url", {"url": "about:blank"})
        self.post("/url", {"url": url})

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


@contextlib.contextmanager
def page(program):
    """A browser, and the address of the page that the program serves."""
    server = subprocess.Popen([program, "serve"], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        site = re.search(r"http://\S+", server.stdout.readline())[0]
        said = (re.search(r"started successfully on port (\d+)", line) for line in driver.stdout)
        port = next(found[1] for found in said if found)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = Browser(port, profile)
            yield browser, site
            browser.close()
    finally:
        server.terminate()
        driver.terminate()
