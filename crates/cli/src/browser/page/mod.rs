//! How pages keep a 2048 game, and how they are told to do something.
//!
//! `driver.js` does the work inside the page. This side installs it, calls it and turns its answers
//! into boards. Nothing here knows how a script reaches the page.

use std::thread;
use std::time::{Duration, Instant};

use lab2048::board::{Board, Direction};
use lab2048::text::one_line;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::transport::{Fault, Key, Transport};
use crate::interrupt;

/// The part that runs inside the page.
const DRIVER: &str = include_str!("driver.js");
/// One call of that part, or a mark if a reload has removed it. A promise costs time, so there is
/// one only where the page must be waited for. The answer is one text: a driver needs longer to
/// copy the parts of an object.
const CALL: &str = "const driver = window.__lab2048; \
    if (!driver) return 'gone'; \
    const text = (value) => JSON.stringify(value ?? null); \
    const value = driver[arguments[0]](...arguments[1]); \
    return typeof value?.then === 'function' ? value.then(text) : text(value);";

/// How long a page may take until its game can be read.
const LOADING: Duration = Duration::from_secs(10);
/// How long a page may take to show a move.
const MOVING: Duration = Duration::from_secs(2);
/// How often we look while a page loads.
const GLANCE: Duration = Duration::from_millis(100);

/// A way in which pages keep their game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// The original's GameManager object, or a copy of it.
    Object,
    /// The original's saved game in the local storage.
    Storage,
    /// A saved board of rows in the local storage.
    Board,
    /// A store that a module of the page exports, as on play2048.co.
    Store,
    /// The tile elements of the page.
    Tiles,
}

impl Model {
    /// All models, the fastest and surest first.
    pub(crate) const ALL: [Model; 5] =
        [Model::Object, Model::Storage, Model::Board, Model::Store, Model::Tiles];

    /// Its name here, in records and in `driver.js`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Model::Object => "object",
            Model::Storage => "storage",
            Model::Board => "board",
            Model::Store => "store",
            Model::Tiles => "tiles",
        }
    }

    /// What it is, in a few words.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Model::Object => "The game object of the original page and its copies",
            Model::Storage => "The saved game of the original page in the local storage",
            Model::Board => "A saved board of rows in the local storage",
            Model::Store => "The store that a module exports, as on play2048.co",
            Model::Tiles => "The tile elements of the page",
        }
    }
}

/// How moves are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Real key presses, as a person makes them.
    Keys,
    /// One script call per move.
    Script,
}

/// Whether a page's game continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageEnd {
    /// It does.
    Playing,
    /// The page asks whether to continue after the winning tile.
    Won,
    /// It does not.
    Over,
}

/// A game as a page shows it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Seen {
    /// The board.
    #[serde(rename = "rows")]
    pub(crate) board: Board,
    /// The score, if the page has one.
    pub(crate) score: Option<u64>,
    /// Whether the game continues.
    pub(crate) end: PageEnd,
}

/// Why a page cannot be used.
#[derive(Debug, Error)]
pub(crate) enum PageFault {
    /// The browser, the driver or a script failed.
    #[error(transparent)]
    Transport(#[from] Fault),
    /// No model fits the page.
    #[error("found no 2048 game on {url} (title '{title}'); looked for {}", looked.join("; "))]
    Unknown {
        /// The address.
        url: String,
        /// The page's title.
        title: String,
        /// What was looked for.
        looked: Vec<String>,
    },
    /// The page shows something that is not a board.
    #[error("the page does not show a board that can be played: {0}")]
    Unreadable(String),
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
}

impl PageFault {
    /// Whether only a new browser helps.
    pub(crate) fn ends_session(&self) -> bool {
        matches!(self, PageFault::Transport(fault) if fault.ends_session())
    }
}

/// A page with a game in it.
pub(crate) struct Page<T> {
    transport: T,
    url: String,
    model: Model,
    /// How the game is read, in words.
    how: String,
}

/// The answer of `probe`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Probed {
    Found { model: String, how: String },
    Nothing { looked: Vec<String>, title: String },
}

impl<T: Transport> Page<T> {
    /// Opens a page and finds out how it keeps its game, trying these models in order.
    pub(crate) fn open(mut transport: T, url: &str, models: &[Model]) -> Result<Page<T>, PageFault> {
        transport.open(url)?;
        let mut page = Page { transport, url: url.to_owned(), model: Model::Object, how: String::new() };
        page.find(models)?;
        Ok(page)
    }

    /// Opens the address again.
    pub(crate) fn reopen(&mut self) -> Result<(), PageFault> {
        self.transport.open(&self.url)?;
        self.find(&[self.model])
    }

    /// How the game is read.
    pub(crate) fn model(&self) -> Model {
        self.model
    }

    /// How the game is read, in words.
    pub(crate) fn how(&self) -> &str {
        &self.how
    }

    /// The window around the page.
    pub(crate) fn transport(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Looks for a game until the page has loaded one.
    fn find(&mut self, models: &[Model]) -> Result<(), PageFault> {
        let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
        let started = Instant::now();
        loop {
            self.transport.script(DRIVER, &[])?;
            match serde_json::from_value(self.ask("probe", json!([names]))?.unwrap_or_default()) {
                Ok(Probed::Found { model, how }) => {
                    let found = Model::ALL.into_iter().find(|known| known.name() == model);
                    self.model = found.ok_or_else(|| Fault::Protocol(format!("a model '{model}'")))?;
                    self.how = how;
                    return Ok(());
                }
                Ok(Probed::Nothing { looked, title }) if started.elapsed() >= LOADING => {
                    let title = one_line(&title, 80);
                    return Err(PageFault::Unknown { url: self.url.clone(), title, looked });
                }
                // The page may have been replaced while the script ran.
                _ if started.elapsed() < LOADING => {}
                _ => return Err(Fault::Protocol("no answer to the probe".to_owned()).into()),
            }
            if interrupt::raised() {
                return Err(PageFault::Interrupted);
            }
            thread::sleep(GLANCE);
            self.ask("clear", json!([]))?;
        }
    }

    /// Calls a function of `driver.js`. After a reload it is installed again, and `again` is called
    /// instead: the page may have done what was asked before it was reloaded.
    fn call(&mut self, name: &str, arguments: Value, again: &str) -> Result<Value, PageFault> {
        if let Some(answer) = self.ask(name, arguments)? {
            return Ok(answer);
        }
        self.find(&[self.model])?;
        let answer = self.ask(again, json!([]))?;
        answer.ok_or_else(|| Fault::Script("the page is reloaded again and again".to_owned()).into())
    }

    /// Calls a function of `driver.js`, if it is there. While the page asks a question of its own,
    /// the answer is null.
    fn ask(&mut self, name: &str, arguments: Value) -> Result<Option<Value>, Fault> {
        let answer = self.transport.script(CALL, &[json!(name), arguments])?;
        match answer.as_str() {
            Some("gone") => Ok(None),
            Some(text) => {
                serde_json::from_str(text).map(Some).map_err(|error| Fault::Protocol(error.to_string()))
            }
            None => Ok(Some(Value::Null)),
        }
    }

    /// Reads the game.
    pub(crate) fn read(&mut self) -> Result<Seen, PageFault> {
        seen(self.call("read", json!([]), "read")?)
    }

    /// Waits until the game differs from the last one that was read, or until `time` has passed.
    pub(crate) fn changed(&mut self, time: Duration) -> Result<Seen, PageFault> {
        seen(self.call("changed", json!([time.as_millis() as u64]), "read")?)
    }

    /// Makes a move and waits until the page shows it, or has had its time.
    pub(crate) fn play(&mut self, direction: Direction, input: Input) -> Result<Seen, PageFault> {
        match input {
            Input::Keys => {
                self.transport.press(Key::Arrow(direction))?;
                self.changed(MOVING)
            }
            Input::Script => {
                let arguments = json!([direction.index(), MOVING.as_millis() as u64]);
                seen(self.call("slide", arguments, "read")?)
            }
        }
    }

    /// Starts a new game; false if the page offers no way. There is no answer while the page asks
    /// a question of its own, which the driver accepts before the next command.
    pub(crate) fn restart(&mut self) -> Result<bool, PageFault> {
        Ok(self.call("restart", json!([]), "restart")? != json!(false))
    }

    /// Continues after the winning tile; false if the page offers no way.
    pub(crate) fn resume(&mut self) -> Result<bool, PageFault> {
        Ok(self.call("resume", json!([]), "resume")? != json!(false))
    }

    /// Answers dialogs that cover the page.
    pub(crate) fn clear(&mut self) -> Result<(), PageFault> {
        self.call("clear", json!([]), "clear").map(drop)
    }

    /// The time of one bare move: the calls that a move needs, without a game.
    pub(crate) fn bare_move(&mut self, input: Input) -> Result<Duration, PageFault> {
        let started = Instant::now();
        if input == Input::Keys {
            self.transport.press(Key::Unused)?;
        }
        self.transport.script("return 1;", &[])?;
        Ok(started.elapsed())
    }
}

fn seen(value: Value) -> Result<Seen, PageFault> {
    let text = one_line(&value.to_string(), 200);
    serde_json::from_value(value).map_err(|error| PageFault::Unreadable(format!("{error}, in {text}")))
}
