//! The keys and words that a person types to play, and the escape sequences of the arrow keys.

use lab2048::board::Direction;
use thiserror::Error;

/// A command typed by a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Move(Direction),
    Pass,
    Hint,
    Undo,
    Redo,
    New,
    Help,
    Quit,
}

/// Input that is not a key or a word of the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not a key")]
pub(crate) struct UnknownKey(String);

/// The keys in one line.
pub(crate) const SHORT_HELP: &str =
    "w/a/s/d or up/left/down/right, ? hint, u undo, r redo, n new game, q quit, h help";

/// The keys in one line, in practice.
pub(crate) const PRACTICE_HELP: &str = "w/a/s/d or up/left/down/right, ? the exact values, u undo, \
     r the same position again, n next position, q quit, h help";

/// Parses a line: words separated by blanks, or keys one after another (`wwa`). An empty line has
/// no keys.
pub(crate) fn parse_line(line: &str) -> Result<Vec<Key>, UnknownKey> {
    let mut keys = Vec::new();
    for word in line.split_whitespace() {
        match whole_word(word) {
            Some(key) => keys.push(key),
            None => single_keys(word, &mut keys)?,
        }
    }
    Ok(keys)
}

fn whole_word(word: &str) -> Option<Key> {
    Some(match word.to_ascii_lowercase().as_str() {
        "up" => Key::Move(Direction::Up),
        "right" => Key::Move(Direction::Right),
        "down" => Key::Move(Direction::Down),
        "left" => Key::Move(Direction::Left),
        "pass" => Key::Pass,
        "hint" => Key::Hint,
        "undo" => Key::Undo,
        "redo" => Key::Redo,
        "new" => Key::New,
        "help" => Key::Help,
        "quit" | "exit" => Key::Quit,
        _ => return None,
    })
}

fn single_keys(word: &str, keys: &mut Vec<Key>) -> Result<(), UnknownKey> {
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        let (key, length) = match letter.to_ascii_lowercase() {
            'w' | '↑' => (Key::Move(Direction::Up), letter.len_utf8()),
            'd' | '→' => (Key::Move(Direction::Right), letter.len_utf8()),
            's' | '↓' => (Key::Move(Direction::Down), letter.len_utf8()),
            'a' | '←' => (Key::Move(Direction::Left), letter.len_utf8()),
            'p' => (Key::Pass, 1),
            '?' => (Key::Hint, 1),
            'u' => (Key::Undo, 1),
            'r' => (Key::Redo, 1),
            'n' => (Key::New, 1),
            'h' => (Key::Help, 1),
            'q' => (Key::Quit, 1),
            '\u{1b}' => (arrow(rest).ok_or_else(|| unknown(word))?, 3),
            _ => return Err(unknown(word)),
        };
        keys.push(key);
        rest = &rest[length..];
    }
    Ok(())
}

/// The arrow key at the start of a text: a terminal sends ESC `[` or ESC `O`, then `A` to `D`.
fn arrow(text: &str) -> Option<Key> {
    let code = text.strip_prefix("\u{1b}[").or_else(|| text.strip_prefix("\u{1b}O"))?;
    Some(Key::Move(match code.chars().next()? {
        'A' => Direction::Up,
        'B' => Direction::Down,
        'C' => Direction::Right,
        'D' => Direction::Left,
        _ => return None,
    }))
}

fn unknown(word: &str) -> UnknownKey {
    let shown: String = word.chars().take(40).flat_map(char::escape_debug).collect();
    UnknownKey(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Key = Key::Move(Direction::Up);
    const RIGHT: Key = Key::Move(Direction::Right);
    const DOWN: Key = Key::Move(Direction::Down);
    const LEFT: Key = Key::Move(Direction::Left);

    #[test]
    fn keys_words_and_arrows() {
        let keys = |line| parse_line(line).unwrap();
        assert_eq!(keys("wasd"), [UP, LEFT, DOWN, RIGHT]);
        assert_eq!(keys("W"), [UP]);
        assert_eq!(keys("up RIGHT  Down left\r"), [UP, RIGHT, DOWN, LEFT]);
        assert_eq!(keys("\u{1b}[A\u{1b}[B\u{1b}OC\u{1b}[D"), [UP, DOWN, RIGHT, LEFT]);
        assert_eq!(keys("↑→↓←"), [UP, RIGHT, DOWN, LEFT]);
        assert_eq!(
            keys("? u r n h q p"),
            [Key::Hint, Key::Undo, Key::Redo, Key::New, Key::Help, Key::Quit, Key::Pass]
        );
        assert_eq!(keys("undo"), [Key::Undo]);
        assert_eq!(keys("  "), []);
    }

    #[test]
    fn unknown_input_is_quoted_in_the_error() {
        for (line, shown) in [
            ("x", "x"),
            ("wx", "wx"),
            ("\u{1b}[Z", "\\u{1b}[Z"),
            ("\u{1b}", "\\u{1b}"),
            ("2048", "2048"),
            ("é", "é"),
        ] {
            let said = parse_line(line).unwrap_err().to_string();
            assert!(said.starts_with(&format!("'{shown}' is not a key")), "{said}");
        }
    }
}
