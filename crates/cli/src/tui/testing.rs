//! Helpers to test screens without a terminal.

use std::fs;
use std::path::Path;

use crossterm::event::KeyCode;
use lab2048::board::Size;
use lab2048::solve::Tables;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::events::{Event, Mail};
use super::screen::{Next, Screen, Shared};
use super::theme::{Colours, Theme};
use crate::players;
use crate::store::Store;

/// The shared state for tests: no colours, nothing stored, and no tables of whoever runs them. Its
/// events are not read.
pub(super) fn shared() -> Shared {
    let (mail, _) = Mail::new();
    Shared {
        registry: players::registry().with_tables(Tables::default()),
        theme: Theme { colours: Colours::None },
        store: Store::nowhere(),
        mail,
        turbo: false,
        size: Size::FOUR,
        failures: Vec::new(),
    }
}

/// Presses a key and returns what follows.
pub(super) fn pressed(screen: &mut dyn Screen, shared: &mut Shared, key: KeyCode) -> Next {
    screen.handle(&Event::Key(key.into()), shared)
}

/// Presses keys that must not leave the screen.
pub(super) fn press(screen: &mut dyn Screen, shared: &mut Shared, keys: &[KeyCode]) {
    for key in keys {
        assert!(matches!(pressed(screen, shared, *key), Next::Stay), "{key:?} leaves the screen");
    }
}

/// Types a text.
pub(super) fn type_in(screen: &mut dyn Screen, shared: &mut Shared, text: &str) {
    text.chars().for_each(|letter| press(screen, shared, &[KeyCode::Char(letter)]));
}

/// The content of a screen in a window, as text without trailing spaces.
pub(super) fn text(screen: &dyn Screen, shared: &Shared, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("the test backend works");
    terminal.draw(|frame| screen.draw(frame, shared)).expect("the test backend works");
    let buffer = terminal.backend().buffer();
    let line = |row: &[ratatui::buffer::Cell]| {
        let text: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.trim_end().to_owned()
    };
    buffer.content().chunks(usize::from(width).max(1)).map(line).collect::<Vec<_>>().join("\n")
}

/// Compares a screen with `golden/NAME.txt`. With `UPDATE_GOLDEN=1` it writes the file instead.
pub(super) fn golden(name: &str, shown: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tui/golden").join(format!("{name}.txt"));
    let shown = format!("{}\n", shown.trim_end());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &shown).expect("the golden file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(shown, expected, "{name} has changed; set UPDATE_GOLDEN=1 to accept it\n{shown}");
}
