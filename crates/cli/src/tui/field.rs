//! A line of text input: names, numbers, parameters.

use std::env;
use std::path::{Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent};

use super::events::plain;

/// The maximum length. It is longer than any file name or spec that a person types.
const LONGEST: usize = 500;

/// A text input. The cursor is always at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    text: String,
}

impl Field {
    pub(super) fn new(text: impl Into<String>) -> Field {
        Field { text: text.into() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The text as a path. `~/` is the home folder, as in a shell.
    pub(super) fn path(&self) -> PathBuf {
        let home = env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        expanded(self.text.trim(), home.as_deref())
    }

    /// Handles a key. Returns whether it edits text.
    pub(super) fn press(&mut self, key: &KeyEvent) -> bool {
        match plain(key) {
            Some(KeyCode::Char(letter)) => self.push(letter),
            Some(KeyCode::Backspace) => {
                self.text.pop();
            }
            Some(KeyCode::Delete) => self.text.clear(),
            _ => return false,
        }
        true
    }

    /// Appends a pasted text as one line.
    pub(super) fn paste(&mut self, text: &str) {
        text.trim().chars().filter(|letter| !letter.is_control()).for_each(|letter| self.push(letter));
    }

    fn push(&mut self, letter: char) {
        if self.text.len() < LONGEST {
            self.text.push(letter);
        }
    }
}

fn expanded(name: &str, home: Option<&Path>) -> PathBuf {
    match (name.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_begin_at_home() {
        let home = Some(Path::new("/home/me"));
        let path = |name: &str| expanded(name, home).display().to_string();
        assert_eq!(path("~/x.2048"), "/home/me/x.2048");
        assert_eq!(path("~//etc/x"), "/home/me/etc/x", "never outside the home folder");
        assert_eq!([path("~x"), path("a~/x"), path("/x")], ["~x", "a~/x", "/x"]);
        assert_eq!(expanded("~/x", None), Path::new("~/x"));
    }

    #[test]
    fn typing_and_pasting() {
        let mut field = Field::new("a");
        assert!(field.press(&KeyCode::Char('b').into()));
        assert!(!field.press(&KeyCode::Enter.into()));
        assert_eq!(field.text(), "ab");
        field.press(&KeyCode::Backspace.into());
        field.paste(" x\ny\u{1b} ");
        assert_eq!(field.text(), "axy");
        field.paste(&"z".repeat(10_000));
        assert_eq!(field.text().len(), LONGEST);
        field.press(&KeyCode::Delete.into());
        assert_eq!(field.text(), "");
    }
}
