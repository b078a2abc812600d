//! Text pages: help and statistics.

use std::cell::Cell;

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::events::Event;
use super::keymap::{self, Keys};
use super::parts;
use super::screen::{Next, Screen, Shared};
use crate::report::{decimal, whole};
use crate::store::{GameTally, Kept};

/// A page that can be scrolled.
pub(super) struct Page {
    title: &'static str,
    /// A key or a name, and its text. A heading has no text.
    rows: Vec<(String, String)>,
    /// The columns of the keys and names.
    column: usize,
    top: u16,
    /// The largest useful scroll position in the window as it was last drawn.
    last_top: Cell<u16>,
}

/// The longest line.
const WIDTH: u16 = 76;

/// The rules, for the end of the help page.
pub(crate) const RULES: [&str; 5] = [
    "All tiles slide as far as possible. Two equal tiles that meet",
    "merge into their sum, which is added to the score. After",
    "each move a 2 appears or, one time in ten, a 4. The game is",
    "over when no move is possible. 2048 wins, and you can continue.",
    "A game with its own seed, board, rules or limits is not kept.",
];

impl Page {
    fn new(title: &'static str, rows: Vec<(String, String)>) -> Page {
        let last_top = Cell::new(rows.len() as u16);
        let longest =
            rows.iter().filter(|(_, text)| !text.is_empty()).map(|(key, _)| key.chars().count()).max();
        Page { title, rows, column: longest.unwrap_or(0).max(10), top: 0, last_top }
    }

    /// All keys, those of one screen first, and the rules.
    pub(super) fn help(first: &'static Keys) -> Page {
        let mut rows: Vec<(String, String)> = Vec::new();
        let others = keymap::ALL.into_iter().filter(|keys| keys.title != first.title);
        for keys in std::iter::once(first).chain(others) {
            rows.push((keys.title.to_owned(), String::new()));
            for (names, about) in keys.help() {
                rows.push((names, about.to_owned()));
            }
            rows.push((String::new(), String::new()));
        }
        rows.push(("The rules".to_owned(), String::new()));
        rows.extend(RULES.map(|line| (String::new(), line.to_owned())));
        Page::new("help", rows)
    }

    /// The rows, with texts wrapped so that they fit into the width.
    fn wrapped(&self, width: u16) -> Vec<(String, String)> {
        let beside = width.saturating_sub(self.column as u16 + 1);
        let wrap = |(key, text): &(String, String)| {
            let room = if key.is_empty() { width } else { beside };
            let lines = parts::wrapped(text, room, u16::MAX).into_iter().enumerate();
            // A blank name keeps the text in its column.
            let blank = if key.is_empty() { "" } else { "  " };
            let key = |place| if place == 0 { key.clone() } else { blank.to_owned() };
            lines.map(move |(place, line)| (key(place), line)).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(wrap).collect()
    }

    /// The page as plain text, for use without screens.
    pub(super) fn lines(&self) -> String {
        let column = self.column;
        let line = |(key, meaning): &(String, String)| match key.as_str() {
            "" => format!("{meaning}\n"),
            key => format!("{}\n", format!("{key:<column$} {meaning}").trim_end()),
        };
        self.wrapped(WIDTH).iter().map(line).collect()
    }

    /// The statistics of games played and watched.
    pub(super) fn statistics(kept: &Kept) -> Page {
        let mut rows = vec![("Your games".to_owned(), String::new())];
        add_tallies(
            &mut rows,
            kept.played.iter(),
            "none yet: complete games that you play without help count",
        );
        rows.push((String::new(), String::new()));
        rows.push(("Watched".to_owned(), String::new()));
        add_tallies(&mut rows, kept.watched.iter(), "none yet");
        Page::new("statistics", rows)
    }
}

fn add_tallies<'a>(
    rows: &mut Vec<(String, String)>,
    tallies: impl Iterator<Item = (&'a String, &'a GameTally)>,
    none: &str,
) {
    let before = rows.len();
    for (name, tally) in tallies {
        rows.push((String::new(), name.clone()));
        let mut add = |name: &str, value: String| rows.push((format!("  {name}"), value));
        if tally.games == 0 {
            // The best score also counts games that were left or abandoned.
            add("best", format!("{}; no finished game yet", whole(tally.best)));
            continue;
        }
        add("games", whole(tally.games));
        add("best", whole(tally.best));
        add("mean", decimal(tally.mean()));
        add("moves", whole(tally.moves));
        add(
            "time",
            parts::seconds(std::time::Duration::try_from_secs_f64(tally.seconds).unwrap_or_default()),
        );
        let tiles = tally.largest.iter().rev().take(5);
        let tiles: Vec<String> = tiles.map(|(tile, games)| format!("{tile} in {games}")).collect();
        add("largest", tiles.join(", "));
    }
    if rows.len() == before {
        rows.push((String::new(), none.to_owned()));
    }
}

impl Screen for Page {
    fn handle(&mut self, event: &Event, _: &mut Shared) -> Next {
        let Event::Key(key) = event else { return Next::Stay };
        let Some(code) = keymap::PAGE.find(key.code) else { return Next::Back };
        let last = self.last_top.get();
        // The window may have grown.
        self.top = self.top.min(last);
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.top = (self.top + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top = (self.top + 10).min(last),
            KeyCode::PageUp => self.top = self.top.saturating_sub(10),
            _ => return Next::Back,
        }
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, area) = (shared.theme, frame.area());
        let width = area.width.min(WIDTH);
        let column = Rect { x: area.x + (area.width - width) / 2, width, ..area };
        let body =
            Rect { y: column.y + 2, height: column.height.saturating_sub(3), ..column }.intersection(column);
        frame.render_widget(
            Line::styled(self.title, theme.title()).centered(),
            Rect { height: area.height.min(1), ..area },
        );
        let line = |(key, meaning): &(String, String)| match (key.as_str(), meaning.as_str()) {
            (heading, "") => Line::styled(heading.to_owned(), theme.title()),
            ("", text) => Line::raw(text.to_owned()),
            (key, text) => Line::from(vec![
                Span::styled(format!("{key:<width$} ", width = self.column), theme.strong()),
                Span::raw(text.to_owned()),
            ]),
        };
        let rows = self.wrapped(width);
        let lines: Vec<Line<'_>> = rows.iter().map(line).collect();
        // The last page is a full one.
        self.last_top.set((lines.len() as u16).saturating_sub(body.height));
        let top = self.top.min(self.last_top.get());
        frame.render_widget(Paragraph::new(lines).scroll((top, 0)), body);
        if area.height > 3 {
            let keys = Rect { y: area.bottom() - 1, height: 1, ..area };
            let mut shown = keymap::PAGE.footer();
            shown.push(("any other key".to_owned(), "back"));
            frame.render_widget(parts::keys_line(theme, &shown, area.width), keys);
        }
    }
}

#[cfg(test)]
mod tests {
    use lab2048::game::{Game, Rules};

    use super::super::testing::{press, shared, text};
    use super::*;

    #[test]
    fn help_can_be_read_to_its_end_in_a_small_window() {
        let shared = &mut shared();
        let mut page = Page::help(&keymap::PLAY);
        let help = text(&page, shared, 80, 24);
        assert!(help.contains("w a s d and h j k l") && help.contains("it asks first"), "{help}");
        assert!(!text(&page, shared, 80, 12).contains("2048 wins"));
        let watch = text(&Page::help(&keymap::WATCH), shared, 80, 24);
        assert!(watch.contains("pause and resume"), "its own keys come first:\n{watch}");
        press(&mut page, shared, &[KeyCode::PageDown; 30]);
        let end = text(&page, shared, 80, 12);
        assert!(end.contains("2048 wins"));
        press(&mut page, shared, &[KeyCode::Down, KeyCode::Down, KeyCode::Up]);
        assert_ne!(
            text(&page, shared, 80, 12),
            end,
            "the next key still has an effect after scrolling past the end"
        );
        text(&page, shared, 1, 1);
    }

    #[test]
    fn pages_are_wrapped_in_a_narrow_window() {
        let shared = &mut shared();
        let mut kept = Kept::default();
        kept.played.entry("4x4".to_owned()).or_default().best = 76;
        let shown = text(&Page::statistics(&kept), shared, 34, 20);
        assert!(shown.contains("  best     76; no finished game\n           yet\n"), "{shown}");
        let help = Page::help(&keymap::PLAY);
        for (key, meaning) in help.wrapped(34) {
            let width = if key.is_empty() { 0 } else { help.column + 1 } + meaning.chars().count();
            assert!(width <= 34, "{key} {meaning}");
        }
        let shown = text(&help, shared, 34, 20);
        assert!(shown.contains("ask the coach"), "{shown}");
    }

    #[test]
    fn statistics_of_games() {
        let shared = &mut shared();
        let mut kept = Kept::default();
        assert!(text(&Page::statistics(&kept), shared, 80, 24).contains("none yet"));
        kept.watched
            .entry("greedy on 4x4".to_owned())
            .or_default()
            .add(&Game::new(Rules::default(), 1), std::time::Duration::from_secs(2));
        // Only the score is known of an abandoned game.
        kept.played.entry("4x4".to_owned()).or_default().best = 76;
        let shown = text(&Page::statistics(&kept), shared, 80, 24);
        assert!(shown.contains("best     76; no finished game yet"), "{shown}");
        assert!(!shown.contains("games    0"), "{shown}");
        let lines = Page::statistics(&kept).lines();
        assert!(lines.starts_with("Your games\n4x4\n  best     76; no finished game"), "{lines}");
        assert!(lines.contains("\ngreedy on 4x4\n  games    1\n"), "{lines}");
        assert!(shown.contains("greedy on 4x4") && shown.contains("games    1"), "{shown}");
    }
}
