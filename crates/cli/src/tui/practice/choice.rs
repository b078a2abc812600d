//! The list of what can be practised: the user's tables, small boards, collected mistakes.

use std::sync::Arc;

use crossterm::event::KeyCode;
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
use crate::practice::{Choice, Choices, HOW, PositionOptions};

/// The list.
pub(in super::super) struct ChoiceScreen {
    options: PositionOptions,
    choices: Choices,
    chosen: usize,
    drawn: Drawn,
    refusal: Option<String>,
}

impl ChoiceScreen {
    pub(in super::super) fn new(options: PositionOptions, shared: &Shared) -> ChoiceScreen {
        let choices = found(&options, shared);
        let refusal = choices.problem.clone();
        ChoiceScreen { options, choices, chosen: 0, drawn: Drawn::default(), refusal }
    }

    /// Looks again for tables and mistakes.
    fn refresh(&mut self, shared: &Shared) {
        self.choices = found(&self.options, shared);
        self.refusal = self.choices.problem.clone().or(self.refusal.take());
        self.chosen = self.chosen.min(self.choices.entries.len() - 1);
    }

    fn open(&mut self, shared: &Shared) -> Next {
        let tables = Arc::clone(shared.registry.tables());
        let source = self.choices.entries[self.chosen].source(&tables, &self.options);
        match source.and_then(|source| self.options.begin(source, tables, shared.store.mistakes())) {
            Ok(session) => return Next::Push(Box::new(PracticeScreen::new(session))),
            Err(failure) => self.refusal = Some(failure.to_string()),
        }
        Next::Stay
    }
}

fn found(options: &PositionOptions, shared: &Shared) -> Choices {
    Choices::find(shared.registry.tables(), &shared.store.mistakes(), options)
}

impl Screen for ChoiceScreen {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        let length = self.choices.entries.len();
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
        let words: Vec<(String, String)> = self.choices.entries.iter().map(Choice::words).collect();
        let longest = words.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let line = |(place, (name, about)): (usize, &(String, String))| {
            let style = if place == self.chosen { theme.chosen() } else { theme.strong() };
            let room = area.width.saturating_sub(longest as u16 + 3);
            let about = parts::wrapped(about, room, 1).concat();
            let about = Span::styled(format!(" {about}"), theme.dim());
            Line::from(vec![Span::styled(format!(" {name:<longest$} "), style), about])
        };
        // As many entries as fit, including the chosen one.
        let room = usize::from(area.height.saturating_sub(6));
        let first = (self.chosen + 1).saturating_sub(room);
        let mut lines = vec![Line::styled("what to practise?", theme.title()), Line::default()];
        lines.extend(words.iter().enumerate().map(line).skip(first).take(room));
        if !self.choices.has_tables {
            lines.push(Line::default());
            let how = parts::wrapped(HOW, area.width, 3);
            lines.extend(how.into_iter().map(|line| Line::styled(line, theme.dim())));
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
