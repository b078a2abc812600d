//! The keys of all screens, declared once. The screens look their keys up here, so a key that is
//! not declared does nothing. The last lines of the screens, the help page and
//! docs/reference/keys.md show these declarations.
//!
//! The same key means the same wherever it can: q and Esc leave, m opens the menu, i and F1 list
//! the keys, u undoes, n goes to what is next, v saves, space starts and stops, t is turbo, o turns
//! the animation on or off.

use crossterm::event::KeyCode;
use crossterm::event::KeyCode::{
    BackTab, Backspace, Char, Delete, Down, End, Enter, Esc, F, Home, Left, PageDown, PageUp, Right, Tab, Up,
};

/// Keys that do one thing, or things that belong together.
pub(super) struct Bind {
    codes: &'static [KeyCode],
    /// The name in the last line, if each key means something of its own. Otherwise all keys mean
    /// the same, and the first one stands for them.
    group: Option<&'static str>,
    /// Input that is not a key, like a click.
    input: Option<&'static str>,
    /// The words in the last line of the screen; empty if it is not shown there.
    short: &'static str,
    about: &'static str,
}

impl Bind {
    const fn one(codes: &'static [KeyCode], short: &'static str, about: &'static str) -> Bind {
        Bind { codes, group: None, input: None, short, about }
    }

    const fn each(
        codes: &'static [KeyCode],
        shown: &'static str,
        short: &'static str,
        about: &'static str,
    ) -> Bind {
        Bind { codes, group: Some(shown), input: None, short, about }
    }

    const fn input(input: &'static str, about: &'static str) -> Bind {
        Bind { codes: &[], group: None, input: Some(input), short: "", about }
    }

    /// The name in the last line.
    fn shown(&self) -> String {
        match (self.group, self.codes.first()) {
            (Some(shown), _) => shown.to_owned(),
            (None, Some(first)) => name(*first),
            (None, None) => self.input.unwrap_or_default().to_owned(),
        }
    }

    /// The names of all keys.
    fn names(&self) -> Vec<String> {
        self.codes.iter().copied().map(name).chain(self.input.map(str::to_owned)).collect()
    }
}

/// The keys of a screen.
pub(super) struct Keys {
    pub(super) title: &'static str,
    binds: &'static [Bind],
}

impl Keys {
    /// The key that a pressed key stands for, if the screen has it. Capitals are letters too.
    pub(super) fn find(&self, code: KeyCode) -> Option<KeyCode> {
        let code = match code {
            Char(letter) => Char(letter.to_ascii_lowercase()),
            code => code,
        };
        let bind = self.binds.iter().find(|bind| bind.codes.contains(&code))?;
        if bind.group.is_some() { Some(code) } else { bind.codes.first().copied() }
    }

    /// The keys for the last line of the screen.
    pub(super) fn footer(&self) -> Vec<(String, &'static str)> {
        let shown = self.binds.iter().filter(|bind| !bind.short.is_empty());
        shown.map(|bind| (bind.shown(), bind.short)).collect()
    }

    /// The same, with other words for the meaning of one key.
    pub(super) fn footer_saying(&self, key: &str, words: &'static str) -> Vec<(String, &'static str)> {
        let said = |(name, short): (String, &'static str)| {
            let short = if name == key { words } else { short };
            (name, short)
        };
        self.footer().into_iter().map(said).collect()
    }

    /// Keys and what they do, for the help page.
    pub(super) fn help(&self) -> impl Iterator<Item = (String, &'static str)> {
        self.binds.iter().map(|bind| {
            let names = if bind.group.is_some() { bind.shown() } else { bind.names().join(" ") };
            (names, bind.about)
        })
    }
}

/// The name of a key.
fn name(code: KeyCode) -> String {
    match code {
        Up => "↑".to_owned(),
        Right => "→".to_owned(),
        Down => "↓".to_owned(),
        Left => "←".to_owned(),
        PageUp => "PgUp".to_owned(),
        PageDown => "PgDn".to_owned(),
        BackTab => "Shift-Tab".to_owned(),
        Delete => "Del".to_owned(),
        Char(' ') => "space".to_owned(),
        Char(letter) => letter.to_string(),
        F(number) => format!("F{number}"),
        other => format!("{other:?}"),
    }
}

/// The keys that move tiles.
const MOVES: &[KeyCode] = &[
    Up,
    Right,
    Down,
    Left,
    Char('w'),
    Char('d'),
    Char('s'),
    Char('a'),
    Char('k'),
    Char('l'),
    Char('j'),
    Char('h'),
];
const CHOOSE_KEYS: &[KeyCode] = &[Up, Down, Char('k'), Char('j')];
const FIELD_KEYS: &[KeyCode] = &[Up, Down, Tab, BackTab];
const STEPS: &[KeyCode] = &[Left, Right, Char(','), Char('.'), Char('h'), Char('l')];
const PACE: &[KeyCode] = &[Char('+'), Char('='), Up, Char('-'), Down];

const LEAVE: &[KeyCode] = &[Char('q'), Esc];
const ANIMATION: Bind = Bind::one(&[Char('o')], "animation", "animation on or off");
const MENU_KEY: Bind = Bind::one(&[Char('m')], "menu", "menu");
const CLICK: Bind = Bind::input("click", "choose an entry; click it again to open it");
const CLEAR: Bind = Bind::one(&[Delete], "clear", "clear the text");

pub(super) static MENU: Keys = Keys {
    title: "Menu",
    binds: &[
        Bind::each(&[Up, Down, BackTab, Tab, Char('k'), Char('j')], "↑↓", "choose", "choose an entry"),
        Bind::one(&[Enter], "or its letter", "open the chosen entry"),
        Bind::input("click", "open an entry; the wheel goes up and down"),
        Bind::one(&[Char('m')], "", "play: the unfinished game of this size, or a new one"),
        Bind::one(&[Char('n')], "", "a new game in place of the unfinished one; press it twice"),
        Bind::one(&[Char('a')], "", "watch a player"),
        Bind::one(&[Char('g')], "", "several games in a row, with statistics"),
        Bind::one(&[Char('w')], "", "let a player play a web page"),
        Bind::one(&[Char('c')], "", "a custom board"),
        Bind::one(&[Char('d')], "", "positions in the middle of a game"),
        Bind::one(&[Char('p')], "", "practice"),
        Bind::one(&[Char('r')], "", "open a replay"),
        Bind::one(&[Char('s')], "", "speed: normal or turbo; or type the word speed"),
        Bind::one(&[Char('b')], "", "the next size of board"),
        Bind::each(&[Left, Right], "← →", "size", "the size of board"),
        Bind::one(&[Char('t')], "", "statistics"),
        Bind::one(&[Char('h'), Char('i'), Char('?'), F(1)], "help", "this list, and the rules"),
        Bind::one(LEAVE, "quit", "quit"),
    ],
};

pub(super) static PLAY: Keys = Keys {
    title: "Play",
    binds: &[
        Bind::each(MOVES, "←↑↓→", "move", "move; also w a s d and h j k l"),
        Bind::one(&[Char('?')], "hint", "ask the coach for the value of each direction"),
        Bind::one(&[Char('u'), Backspace], "undo", "undo a move"),
        Bind::one(&[Char('r')], "redo", "redo it"),
        Bind::one(&[Char(' ')], "auto", "let the coach play; press it again for your turn"),
        Bind::one(&[Char('n')], "new", "a new game; after a move, press it twice"),
        Bind::one(&[Char('v')], "save", "save the game as a replay"),
        Bind::one(LEAVE, "leave", "leave; the game is kept, or it asks first"),
        Bind::one(&[Char('i'), F(1)], "help", "this list"),
        Bind::one(&[Char('c')], "coach", "choose the coach"),
        MENU_KEY,
        ANIMATION,
        Bind::each(&[Char('+'), Char('='), Char('-')], "+ -", "speed", "the coach plays faster, slower"),
        Bind::one(&[Char('t')], "turbo", "the coach plays as fast as it can, or at its usual speed"),
        Bind::one(&[Char('p')], "", "after the end: watch the replay"),
    ],
};

pub(super) static WATCH: Keys = Keys {
    title: "Watch",
    binds: &[
        Bind::one(&[Char(' ')], "pause", "pause and resume"),
        Bind::one(&[Right, Char('.')], "step", "one move"),
        Bind::each(PACE, "+ -", "speed", "faster, slower; also ↑ ↓"),
        Bind::one(&[Char('t')], "turbo", "as fast as possible, or at the usual speed"),
        Bind::one(&[Char('p')], "replay", "replay of the best game"),
        Bind::one(&[Char('v')], "save", "save the best game as a replay"),
        Bind::one(LEAVE, "leave", "leave"),
        Bind::one(&[Char('i'), Char('?'), F(1)], "help", "this list"),
        MENU_KEY,
        ANIMATION,
        Bind::one(&[Char('n'), Char('a')], "", "after the end: play again"),
    ],
};

pub(super) static REPLAY: Keys = Keys {
    title: "Replay",
    binds: &[
        Bind::one(&[Char(' ')], "play", "play and pause"),
        Bind::each(STEPS, "← →", "step", "one move back, one forward; also , . and h l"),
        Bind::one(&[Char('g')], "review", "review: best moves, cost of yours, worst mistakes"),
        Bind::each(PACE, "+ -", "speed", "faster, slower; also ↑ ↓"),
        Bind::one(&[Char('t')], "turbo", "as fast as possible, or at the usual speed"),
        Bind::one(LEAVE, "back", "back"),
        Bind::one(&[Char('i'), Char('?'), F(1)], "help", "this list"),
        Bind::each(&[Home, End], "Home End", "start, end", "the first and the last position"),
        Bind::each(&[PageUp, PageDown], "PgUp PgDn", "50 moves", "50 moves back, 50 forward"),
        MENU_KEY,
        ANIMATION,
    ],
};

pub(super) static REVIEW: Keys = Keys {
    title: "Review",
    binds: &[
        Bind::each(STEPS, "← →", "step", "one move back, one forward; also , . and h l"),
        Bind::each(
            &[Char('n'), Char(']'), Down, Char('p'), Char('['), Up],
            "n p",
            "next, previous mistake",
            "the next mistake, the previous one; also ] [ and ↓ ↑",
        ),
        Bind::each(
            &[Char('1'), Char('2'), Char('3'), Char('4'), Char('5')],
            "1-5",
            "the worst",
            "one of the worst moves",
        ),
        Bind::one(&[Char('c')], "judge", "choose the judge"),
        Bind::one(LEAVE, "back", "back; the review continues"),
        Bind::one(&[Char('i'), Char('?'), F(1)], "help", "this list"),
        Bind::each(&[PageUp, PageDown], "PgUp PgDn", "50 moves", "50 moves back, 50 forward"),
        Bind::each(&[Home, End], "Home End", "start, end", "the first and the last move"),
        MENU_KEY,
    ],
};

pub(super) static PRACTICE: Keys = Keys {
    title: "Practice",
    binds: &[
        Bind::each(MOVES, "←↑↓→", "move", "move; also w a s d and h j k l. After the end: the worst moves"),
        Bind::one(&[Char('?')], "values", "the exact value of every move"),
        Bind::one(&[Char('u'), Backspace], "undo", "undo; the move still counts"),
        Bind::one(&[Char('n')], "next", "the next position"),
        Bind::one(&[Enter], "", "the next position, after the end"),
        Bind::one(&[Char('r')], "again", "the same position again, with other tiles to come"),
        Bind::one(&[Char('x')], "mistakes", "drill the mistakes of earlier positions"),
        Bind::one(LEAVE, "leave", "back"),
        Bind::one(&[Char('i'), F(1)], "help", "this list"),
        MENU_KEY,
        ANIMATION,
    ],
};

pub(super) static POSITIONS: Keys = Keys {
    title: "Positions",
    binds: &[
        Bind::each(CHOOSE_KEYS, "↑↓", "choose", "choose a position"),
        Bind::one(&[Char('m'), Enter], "play it", "play it yourself"),
        Bind::one(&[Char('a')], "let a player play it", "let a player play it"),
        CLICK,
        Bind::one(LEAVE, "back", "back"),
    ],
};

pub(super) static PRACTICE_LIST: Keys = Keys {
    title: "List of practice",
    binds: &[
        Bind::each(CHOOSE_KEYS, "↑↓", "choose", "choose a table"),
        Bind::one(&[Enter], "practise", "practise it"),
        CLICK,
        Bind::one(LEAVE, "back", "back"),
    ],
};

pub(super) static PLAYERS: Keys = Keys {
    title: "Choice of a player",
    binds: &[
        Bind::each(
            &[Up, Down],
            "↑↓",
            "choose",
            "choose a player, or a field; also k j in the list of players",
        ),
        Bind::each(
            &[Tab, BackTab, Right, Left],
            "Tab",
            "parameters and back",
            "go to the parameters, and back",
        ),
        Bind::one(&[Enter], "accept", "accept"),
        Bind::one(&[Esc], "back", "back to the list of players; from the list back, also q"),
        CLICK,
        CLEAR,
    ],
};

pub(super) static CUSTOM: Keys = Keys {
    title: "Custom board",
    binds: &[
        Bind::each(&[Left, Up, Down, Right], "←↑↓→", "cell", "another cell"),
        Bind::one(&[Enter], "play it", "play the board: m yourself, a by a player"),
        Bind::one(&[Esc], "back", "back"),
        Bind::one(&[Delete], "empty the cell", "empty the cell"),
        Bind::input("0-9", "any number; an empty cell is 0"),
        Bind::one(&[Char('+')], "", "the next tile: a 2, or twice the number"),
        Bind::each(
            &[Char(' '), Char(','), Char('|'), Tab],
            "space",
            "",
            "the next cell; Shift-Tab the one before",
        ),
        Bind::each(&[Char('/'), Char(';')], "/", "", "the next row"),
        Bind::each(&[Char('['), Char(']')], "[ ]", "", "fewer, more columns"),
        Bind::each(&[Char('{'), Char('}')], "{ }", "", "fewer, more rows"),
        Bind::input("Ctrl-L", "clear the board"),
        Bind::input("paste", "rows, a hex code or JSON"),
    ],
};

pub(super) static OPEN: Keys = Keys {
    title: "Open a replay",
    binds: &[
        Bind::each(FIELD_KEYS, "↑↓", "choose", "choose a file; the newest one is chosen first"),
        Bind::one(&[Enter], "open", "open it"),
        CLICK,
        Bind::one(&[Esc], "back", "back"),
        CLEAR,
        Bind::input("letters", "type another name; ~/ is the home folder"),
    ],
};

pub(super) static BROWSER: Keys = Keys {
    title: "Play in a browser",
    binds: &[
        Bind::each(FIELD_KEYS, "↑↓", "field", "another field"),
        Bind::one(&[Enter], "start", "start the player"),
        CLEAR,
        Bind::one(&[Esc], "back", "back"),
    ],
};

pub(super) static SAVE: Keys = Keys {
    title: "Save a replay",
    binds: &[
        Bind::one(&[Enter], "save", "save it; no file is overwritten"),
        Bind::one(&[Esc], "cancel", "cancel"),
        CLEAR,
    ],
};

pub(super) static PAGE: Keys = Keys {
    title: "Help and statistics",
    binds: &[
        Bind::each(&[Up, Down, Char('k'), Char('j')], "↑↓", "scroll", "scroll"),
        Bind::each(&[PageUp, PageDown, Char(' ')], "PgUp PgDn", "ten lines", "ten lines; also space"),
        Bind::input("any other key", "back"),
    ],
};

pub(super) static EVERYWHERE: Keys = Keys {
    title: "Everywhere",
    binds: &[
        Bind::input("Ctrl-C", "quit; your game and statistics are kept"),
        Bind::input("Ctrl-Z", "back to the shell; fg returns"),
    ],
};

/// All screens, in the order of the documents.
pub(super) static ALL: [&Keys; 15] = [
    &MENU,
    &PLAY,
    &WATCH,
    &REPLAY,
    &REVIEW,
    &PRACTICE,
    &POSITIONS,
    &PRACTICE_LIST,
    &PLAYERS,
    &CUSTOM,
    &OPEN,
    &BROWSER,
    &SAVE,
    &PAGE,
    &EVERYWHERE,
];

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn no_screen_has_a_key_twice() {
        for keys in ALL {
            let codes: Vec<KeyCode> = keys.binds.iter().flat_map(|bind| bind.codes).copied().collect();
            for (place, code) in codes.iter().enumerate() {
                assert!(!codes[..place].contains(code), "{}: {}", keys.title, name(*code));
            }
        }
    }

    #[test]
    fn a_key_stands_for_itself_or_for_the_first_of_its_kind() {
        assert_eq!(PLAY.find(Backspace), Some(Char('u')));
        assert_eq!(PLAY.find(Char('U')), Some(Char('u')));
        assert_eq!(PLAY.find(Char('H')), Some(Char('h')));
        assert_eq!(PLAY.find(Char('z')), None);
        assert_eq!(WATCH.find(Char('.')), Some(Right));
    }

    /// Keys that mean the same on every screen that has them.
    #[test]
    fn the_same_key_means_the_same() {
        let words = |code: KeyCode| -> Vec<&str> {
            let boards = [&PLAY, &WATCH, &REPLAY, &REVIEW, &PRACTICE];
            let binds = boards.into_iter().flat_map(|keys| keys.binds);
            binds.filter(|bind| bind.codes.contains(&code)).map(|bind| bind.short).collect()
        };
        for (code, meanings) in [
            (Char('q'), &["leave", "back"][..]),
            (Char('m'), &["menu"]),
            (Char('i'), &["help"]),
            (F(1), &["help"]),
            (Char('u'), &["undo"]),
            (Char('v'), &["save"]),
            (Char('t'), &["turbo"]),
            (Char('o'), &["animation"]),
            (Char('+'), &["speed"]),
        ] {
            let words = words(code);
            assert!(
                !words.is_empty() && words.iter().all(|word| meanings.contains(word)),
                "{code:?}: {words:?}"
            );
        }
    }

    /// The tables of docs/reference/keys.md. `UPDATE_GOLDEN=1` writes them.
    #[test]
    fn the_reference_lists_exactly_these_keys() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/keys.md");
        let mut tables = String::new();
        for keys in ALL {
            write!(tables, "\n## {}\n\n| key | |\n|---|---|\n", keys.title).unwrap();
            for bind in keys.binds {
                // A bar would end the cell of the table.
                let quoted = |name: &String| format!("`{}`", name.replace('|', "\\|"));
                let names: Vec<String> = bind.names().iter().map(quoted).collect();
                writeln!(tables, "| {} | {} |", names.join(" "), bind.about).unwrap();
            }
        }
        let text = fs::read_to_string(&path).unwrap();
        let start = text.find("\n## ").unwrap_or(text.len());
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, format!("{}{tables}", &text[..start])).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(&text[text.find("\n## ").unwrap()..], tables, "set UPDATE_GOLDEN=1 to write the tables");
    }
}
