//! The page in a real Chromium, served by our own server and driven by our own WebDriver client.
//!
//! `./test` installs Chromium, fetches axe-core and runs these tests with `--ignored`.

mod playing;
mod practising;
mod seeing;
mod studying;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lab2048::solve::Tables;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::server::{ServeOptions, Server};
use super::thoughts::registry;
use crate::browser::transport::{BrowserKind, Start, Transport as _, WebDriver};

/// The key codes of the WebDriver standard.
const UP: char = '\u{E013}';
const RIGHT: char = '\u{E014}';
const DOWN: char = '\u{E015}';
const LEFT: char = '\u{E012}';
const ENTER: char = '\u{E007}';

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// The project's folder.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A server that stops with this value.
struct Site {
    url: String,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    fn start(folder: Option<PathBuf>) -> Site {
        Site::with_tables(folder, Tables::default())
    }

    fn with_tables(folder: Option<PathBuf>, tables: Tables) -> Site {
        let port = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let free = port.local_addr().expect("an address").port();
        drop(port);
        let options = ServeOptions {
            folder,
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: Some(free),
            open: false,
            log: false,
        };
        let registry = registry().with_tables(tables);
        let server = Server::with_registry(options, registry).expect("the server listens");
        let (url, stop) = (server.url.clone(), Arc::new(Notify::new()));
        let stopping = Arc::clone(&stop);
        let run = move || server.run(&stopping, || Ok(())).expect("the server runs");
        Site { url, stop, thread: Some(thread::spawn(run)) }
    }

    fn stop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends");
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The page in a browser.
struct Page {
    browser: WebDriver,
    site: Site,
}

impl Page {
    /// Opens a view of the page in a wide window.
    fn open(view: &str) -> Page {
        Page::open_with(view, (1280, 900), None)
    }

    fn open_with(view: &str, size: (u32, u32), folder: Option<PathBuf>) -> Page {
        Page::of(Site::start(folder), view, size)
    }

    /// Opens a view of a site.
    fn of(site: Site, view: &str, (width, height): (u32, u32)) -> Page {
        let start = Start { browser: BrowserKind::Chrome, headless: true, driver: None };
        let browser = WebDriver::start(&start).expect("Chromium and chromedriver are installed");
        let mut page = Page { browser, site };
        page.window(width, height);
        page.go(view);
        page
    }

    /// Makes the inside of the window this large, as on a phone.
    fn window(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.tools("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Sends a command of Chromium's developer tools.
    fn tools(&self, command: &str, parameters: Value) -> Value {
        let sent = self.browser.send("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
        sent.expect("Chromium knows the command")
    }

    /// Loads the page at a view, and waits until the view is shown.
    fn go(&mut self, view: &str) {
        let url = format!("{}#{view}", self.site.url);
        self.browser.open(&url).expect("the page opens");
        self.shown(view);
    }

    /// Waits until a view is shown.
    fn shown(&mut self, view: &str) {
        let id = view.split('?').next().unwrap_or_default();
        self.wait(&format!("const view = document.querySelector('#view-{id}'); return view && !view.hidden"));
    }

    /// Runs the body of a function in the page.
    fn script(&mut self, body: &str) -> Value {
        self.browser.script(body, &[]).unwrap_or_else(|fault| panic!("{fault}\n{body}"))
    }

    fn text(&mut self, selector: &str) -> String {
        let found = self
            .browser
            .script("return document.querySelector(arguments[0])?.textContent ?? null", &[json!(selector)]);
        let found = found.expect("a script runs");
        found.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_owned()
    }

    /// Waits until a script returns something true, and returns it.
    fn wait(&mut self, body: &str) -> Value {
        let started = Instant::now();
        loop {
            let value = self.script(body);
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!(0) && value != json!("") {
                return value;
            }
            assert!(started.elapsed() < PATIENCE, "waited in vain for: {body}\n{:?}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys one after the other.
    fn keys(&mut self, keys: &[char]) {
        let steps: Vec<Value> = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        self.act(json!({ "type": "key", "id": "keyboard", "actions": steps }));
    }

    /// Types a text into the field that has the focus.
    fn write(&mut self, text: &str) {
        self.keys(&text.chars().collect::<Vec<_>>());
    }

    /// Moves a finger over the screen, in pixels of the page.
    fn swipe(&mut self, (x, y): (i64, i64), (dx, dy): (i64, i64)) {
        let to = |x: i64, y: i64, ms: u32| json!({ "type": "pointerMove", "duration": ms, "x": x, "y": y });
        let steps = json!([
            to(x, y, 0),
            { "type": "pointerDown", "button": 0 },
            to(x + dx / 2, y + dy / 2, 30),
            to(x + dx, y + dy, 30),
            { "type": "pointerUp", "button": 0 },
        ]);
        let finger = json!({ "pointerType": "touch" });
        self.act(json!({ "type": "pointer", "id": "finger", "parameters": finger, "actions": steps }));
    }

    fn act(&mut self, source: Value) {
        self.browser.send("actions", &json!({ "actions": [source] })).expect("the browser acts");
    }

    /// Clicks the visible button with this text, or the first visible element that a selector
    /// finds.
    fn click(&mut self, what: &str) {
        let body = "
            const wanted = arguments[0];
            const visible = (element) => element.checkVisibility();
            const texts = [...document.querySelectorAll('button, summary, a')].filter(visible);
            const found = texts.find((element) => element.textContent.trim() === wanted)
              ?? [...document.querySelectorAll(/^[\\w ]+$/.test(wanted) ? 'none' : wanted)].find(visible);
            if (!found || found.disabled) return false;
            found.scrollIntoView({ block: 'center' });
            found.click();
            return true;";
        let started = Instant::now();
        while self.browser.script(body, &[json!(what)]).expect("a script runs") != json!(true) {
            assert!(started.elapsed() < PATIENCE, "there is no '{what}' to click");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The game as the original page keeps it: the board by rows, and the score. `None` if it is
    /// over.
    fn stored(&mut self) -> Option<(Vec<Vec<u64>>, u64)> {
        let stored = self.script(
            "const state = JSON.parse(localStorage.getItem('gameState'));
             if (!state) return null;
             const { size, cells } = state.grid;
             const rows = cells[0].map((_, y) => cells.map((column) => column[y]?.value ?? 0));
             return [rows, state.score];",
        );
        serde_json::from_value(stored).expect("a game in the form of the original")
    }

    /// The board that is drawn, by rows: tiles by their class, without those that have merged.
    fn drawn(&mut self, within: &str, size: (usize, usize)) -> Vec<Vec<u64>> {
        let tiles = self
            .browser
            .script(
                "const all = document.querySelectorAll(`${arguments[0]} .tile`);
                 return [...all].map((tile) => tile.className);",
                &[json!(within)],
            )
            .expect("a script runs");
        let tiles: Vec<String> = serde_json::from_value(tiles).expect("class names");
        let mut board = vec![vec![0; size.1]; size.0];
        for tile in &tiles {
            let value = tile.split(' ').find_map(|class| class.strip_prefix("tile-")?.parse::<u64>().ok());
            let place = tile.split(' ').find_map(|class| class.strip_prefix("tile-position-"));
            let place: Vec<usize> =
                place.expect("a position").split('-').map(|part| part.parse().expect("a number")).collect();
            let cell: &mut u64 = &mut board[place[1] - 1][place[0] - 1];
            // The sources of a merge stand beside their result.
            *cell = (*cell).max(value.expect("a value"));
        }
        board
    }

    /// Warnings and errors of the console since the last call.
    fn log(&self) -> Vec<String> {
        let log = self.browser.send("se/log", &json!({ "type": "browser" })).expect("the browser's log");
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn assert_no_errors(&self) {
        assert_eq!(self.log(), Vec::<String>::new(), "the console has no warnings and no errors");
    }
}
