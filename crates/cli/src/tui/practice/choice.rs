//! The list of what can be practised: the user's tables, small boards, collected mistakes.

use std::sync::Arc;

use crossterm::event::KeyCode;
use lab2048::solve::{SubGame, Tables};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::super::events::Event;
use super::super::keymap;
use super::super::list::{self, Drawn};
use super::super::parts;
use super::super::screen::{Next, Screen, Shared};
use super::PracticeScreen;
use crate::failure::{Failure, Outcome};
use crate::game_options::fresh_seed;
use crate::practice::{Session, Source};
use crate::show::count;

/// Boards that are solved at once, by the names of their tables.
const SMALL: [&str; 4] = ["2x3-64", "2x3", "2x2-16", "2x2"];
/// How to get a table, for users without any.
const HOW: &str = "For endgames, compute a table: lab2048 solve block --tile 256";

/// The list.
pub(in super::super) struct Choice {
    entries: Vec<Entry>,
    /// Whether there are tables of the user.
    has_tables: bool,
    chosen: usize,
    drawn: Drawn,
    refusal: Option<String>,
}

/// Something to practise.
enum Entry {
    /// The table with this name.
    Table(String),
    /// This number of mistakes.
    Mistakes(usize),
}

impl Choice {
    pub(in super::super) fn new(shared: &Shared) -> Choice {
        let (entries, drawn) = (Vec::new(), Drawn::default());
        let mut choice = Choice { entries, has_tables: false, chosen: 0, drawn, refusal: None };
        choice.refresh(shared);
        choice
    }

    /// Looks again for tables and mistakes.
    fn refresh(&mut self, shared: &Shared) {
        let names = shared.registry.tables().names().unwrap_or_else(|error| {
            self.refusal = Some(error.to_string());
            Vec::new()
        });
        self.has_tables = !names.is_empty();
        let small = SMALL.map(str::to_owned).into_iter().filter(|name| !names.contains(name));
        let small: Vec<String> = small.collect();
        self.entries = names.iter().cloned().chain(small).map(Entry::Table).collect();
        let mistakes = shared.store.mistakes().read().map_or(0, |collected| collected.list.len());
        if mistakes > 0 {
            self.entries.push(Entry::Mistakes(mistakes));
        }
        self.chosen = self.chosen.min(self.entries.len() - 1);
    }

    fn open(&mut self, shared: &Shared) -> Next {
        let tables = Arc::clone(shared.registry.tables());
        let source = match &self.entries[self.chosen] {
            Entry::Mistakes(_) => Ok(Source::Drill { table: None, queue: Vec::new() }),
            Entry::Table(name) => drawn(&tables, name),
        };
        let begun = source
            .and_then(|source| Session::begin(source, tables, shared.store.mistakes(), fresh_seed(), None));
        match begun {
            Ok(session) => return Next::Push(Box::new(PracticeScreen::new(session))),
            Err(failure) => self.refusal = Some(failure.to_string()),
        }
        Next::Stay
    }
}

/// Random positions of the table with a name. A file may have any name.
fn drawn(tables: &Tables, name: &str) -> Outcome<Source> {
    let table = match SubGame::named(name) {
        Ok(game) => tables.of(&game),
        Err(_) => tables.named(name),
    };
    Ok(Source::Drawn { table: table.map_err(Failure::bad_input)?, values: None })
}

impl Entry {
    /// Name and description.
    fn words(&self) -> (String, String) {
        match self {
            Entry::Mistakes(number) => {
                ("mistakes".to_owned(), format!("drill {}", count(*number as u64, "mistake")))
            }
            Entry::Table(name) => {
                let about = SubGame::named(name).map_or_else(|_| String::new(), |game| game.to_string());
                (name.clone(), about)
            }
        }
    }
}

impl Screen for Choice {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        let length = self.entries.len();
        let code = match event {
            Event::Key(key) => keymap::PRACTICE_LIST.find(key.code),
            Event::Click { column, row } => match self.drawn.entry(*column, *row, length) {
                Some(place) if place == self.chosen => Some(KeyCode::Enter),
                Some(place) => {
                    self.chosen = place;
                    None
                }
                None => None,
            },
            Event::Wheel { down } => Some(if *down { KeyCode::Down } else { KeyCode::Up }),
            // A practice was left and may have collected mistakes.
            Event::Wake => {
                self.refresh(shared);
                return Next::Stay;
            }
            _ => return Next::Stay,
        };
        self.refusal = None;
        match code {
            Some(KeyCode::Up | KeyCode::Char('k')) => self.chosen = list::step(self.chosen, length, false),
            Some(KeyCode::Down | KeyCode::Char('j')) => self.chosen = list::step(self.chosen, length, true),
            Some(KeyCode::Enter) => return self.open(shared),
            Some(KeyCode::Char('q')) => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    fn takes_clicks(&self) -> bool {
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, area) = (shared.theme, frame.area());
        if area.width < 26 || area.height < 8 {
            return parts::too_small(frame, "the list", (26, 8), "q leaves");
        }
        let words: Vec<(String, String)> = self.entries.iter().map(Entry::words).collect();
        let longest = words.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let line = |(place, (name, about)): (usize, &(String, String))| {
            let style = if place == self.chosen { theme.chosen() } else { theme.strong() };
            let about = Span::styled(format!(" {about}"), theme.dim());
            Line::from(vec![Span::styled(format!(" {name:<longest$} "), style), about])
        };
        // As many entries as fit, including the chosen one.
        let room = usize::from(area.height.saturating_sub(6));
        let first = (self.chosen + 1).saturating_sub(room);
        let mut lines = vec![Line::styled("what to practise?", theme.title()), Line::default()];
        lines.extend(words.iter().enumerate().map(line).skip(first).take(room));
        if !self.has_tables {
            lines.extend([Line::default(), Line::styled(HOW, theme.dim())]);
        }
        let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16;
        let (width, height) = (width.min(area.width), (lines.len() as u16).min(area.height - 2));
        let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - 2 - height) / 2);
        frame.render_widget(Paragraph::new(lines), Rect { x, y, width, height });
        let shown = (words.len() - first).min(room).min(usize::from(height.saturating_sub(2)));
        self.drawn.set(Rect { x, y: y + 2, width, height: shown as u16 }, first);
        let refusal = self.refusal.as_ref().map(|refusal| (refusal.clone(), true));
        parts::foot(frame, theme, refusal.as_ref(), &keymap::PRACTICE_LIST.footer());
    }
}
