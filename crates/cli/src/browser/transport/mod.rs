//! How to run scripts in a page and press keys: WebDriver, over HTTP to a driver program.
//!
//! Nothing here knows the game but its four directions.

mod driver;
mod fault;
mod webdriver;

use lab2048::board::Direction;
use serde_json::Value;

pub(crate) use driver::{BrowserKind, Start, has_display};
pub(crate) use fault::Fault;
pub(crate) use webdriver::WebDriver;

/// A window with a page in it.
pub(crate) trait Transport {
    /// Opens an address.
    fn open(&mut self, url: &str) -> Result<(), Fault>;

    /// Runs the body of a function with arguments and waits for its value; a promise is awaited.
    fn script(&mut self, body: &str, arguments: &[Value]) -> Result<Value, Fault>;

    /// Presses and releases a key.
    fn press(&mut self, key: Key) -> Result<(), Fault>;
}

/// The keys that are pressed in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// An arrow key.
    Arrow(Direction),
    /// A key that no page listens to: it costs what a real one costs.
    Unused,
}

impl Key {
    /// Its code point in the WebDriver standard (section "Keyboard actions").
    fn code(self) -> char {
        match self {
            Key::Arrow(Direction::Up) => '\u{E013}',
            Key::Arrow(Direction::Right) => '\u{E014}',
            Key::Arrow(Direction::Down) => '\u{E015}',
            Key::Arrow(Direction::Left) => '\u{E012}',
            // F9.
            Key::Unused => '\u{E039}',
        }
    }
}
