//! A line of text that a person types: names, numbers, parameters.

use crossterm::event::{KeyCode, KeyEvent};

use super::events::plain;

/// The longest text; longer than any file name or spec that a person types.
const LONGEST: usize = 500;

/// A text that is being typed; the cursor is always at its end.
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

    /// Takes a key, if it is one for a text.
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

    /// Takes a pasted text as one line.
    pub(super) fn paste(&mut self, text: &str) {
        text.trim().chars().filter(|letter| !letter.is_control()).for_each(|letter| self.push(letter));
    }

    fn push(&mut self, letter: char) {
        if self.text.len() < LONGEST {
            self.text.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
