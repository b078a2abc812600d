//! The screen of mid-game positions to start from, which skip the early moves.

use crossterm::event::KeyCode;
use lab2048::board::{Board, parse_board};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::board;
use super::choose::Choose;
use super::events::Event;
use super::keymap;
use super::list::{self, Drawn};
use super::parts::{self, Parts};
use super::play::Play;
use super::screen::{Next, Screen, Shared};
use crate::game_options::GameRequest;

/// Name, description, board.
const POSITIONS: &[(&str, &str, &str)] = &[
    (
        "debug",
        "the middle of a game: the slow beginning is over",
        "0 2 0 4/2 8 4 16/16 32 64 32/512 256 128 64",
    ),
    ("almost 2048", "one chain of merges from the goal", "0 0 2 0/0 4 2 0/8 16 32 4/1024 512 256 256"),
    ("tight", "one empty cell: what now?", "2 4 8 2/16 64 32 8/4 128 256 16/512 2 0 4"),
    ("buried", "the largest tile is away from the corner", "4 2 0 0/32 512 8 2/16 256 64 4/2 128 8 2"),
    ("two halves", "the largest tiles in opposite corners", "512 8 2 0/64 16 4 2/2 8 32 64/4 2 128 512"),
    ("late", "a game on its way to 32768", "2 0 0 4/4 16 8 2/64 128 256 512/16384 8192 4096 2048"),
    ("threes", "numbers that are not powers of two", "0 3 0 0/3 6 0 0/12 6 3 0/48 24 12 3"),
    ("large", "more room: five by five", "0 0 2 0 0/0 4 2 0 0/8 16 4 2 0/64 32 16 8 2/512 256 128 64 32"),
];

/// The list, and the chosen board beside it.
pub(super) struct Positions {
    boards: Vec<(&'static str, &'static str, Board)>,
    chosen: usize,
    drawn: Drawn,
}

/// The positions: name, description, board.
pub(crate) fn positions() -> Vec<(&'static str, &'static str, Board)> {
    let read = |(name, about, text): &(&'static str, &'static str, &str)| {
        parse_board(text, None).ok().map(|board| (*name, *about, board))
    };
    POSITIONS.iter().filter_map(read).collect()
}

impl Positions {
    pub(super) fn new() -> Positions {
        Positions { boards: positions(), chosen: 0, drawn: Drawn::default() }
    }
}

impl Screen for Positions {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        let length = self.boards.len();
        let Some((_, _, board)) = self.boards.get(self.chosen) else { return Next::Back };
        let code = match event {
            Event::Key(key) => keymap::POSITIONS.find(key.code),
            Event::Click { column, row } => match self.drawn.entry(*column, *row, length) {
                Some(place) if place == self.chosen => Some(KeyCode::Char('m')),
                Some(place) => {
                    self.chosen = place;
                    None
                }
                None => None,
            },
            Event::Wheel { down } => Some(if *down { KeyCode::Down } else { KeyCode::Up }),
            _ => None,
        };
        let Some(code) = code else { return Next::Stay };
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.chosen = list::step(self.chosen, length, false),
            KeyCode::Down | KeyCode::Char('j') => self.chosen = list::step(self.chosen, length, true),
            KeyCode::Char('m') => {
                return Next::Push(Box::new(Play::fresh(GameRequest::of_board(board.clone()), shared)));
            }
            KeyCode::Char('a') => {
                return Next::Push(Box::new(Choose::watch(1, Some(board.clone()), shared)));
            }
            KeyCode::Char('q') => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    fn takes_clicks(&self) -> bool {
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let theme = shared.theme;
        let Some((name, about, board)) = self.boards.get(self.chosen) else { return };
        let parts = match Parts::of(frame.area(), board.size()) {
            Ok(parts) => parts,
            Err(needs) => return parts::too_small(frame, "a position", needs, "q leaves"),
        };
        board::paint(frame.buffer_mut(), parts.board, parts.scale, theme, board, None);
        if !parts.beside {
            let title = format!("{name} ({} of {})", self.chosen + 1, self.boards.len());
            let about = parts::wrapped(about, parts.panel.width, 2).into_iter().map(Line::raw);
            let lines = [Line::styled(title, theme.strong())].into_iter().chain(about).collect();
            parts.draw_above(frame, lines);
            self.drawn.set(Rect::default(), 0);
            return parts::foot(frame, theme, None, &keymap::POSITIONS.footer());
        }
        let line = |(place, (name, ..)): (usize, &(&str, &str, Board))| {
            let style = if place == self.chosen { theme.chosen() } else { theme.strong() };
            Line::styled(format!(" {name:<12} "), style)
        };
        let mut lines = vec![Line::styled("positions", theme.title()), Line::default()];
        lines.extend(self.boards.iter().enumerate().map(line));
        lines.extend([Line::default(), Line::raw((*about).to_owned())]);
        let area = Rect { height: parts.panel.height.min(lines.len() as u16 + 2), ..parts.panel };
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), area);
        let rows = area.height.saturating_sub(2);
        self.drawn.set(Rect { y: area.y + 2, height: rows, ..area }, 0);
        parts::foot(frame, theme, None, &keymap::POSITIONS.footer());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{press, pressed, shared, text};
    use super::*;

    #[test]
    fn every_position_can_be_played() {
        let positions = Positions::new();
        assert_eq!(positions.boards.len(), POSITIONS.len());
        for (name, _, board) in &positions.boards {
            assert!(board.has_moves(), "{name}");
        }
    }

    #[test]
    fn a_position_is_chosen_and_played() {
        let shared = &mut shared();
        let mut positions = Positions::new();
        press(&mut positions, shared, &[KeyCode::Down]);
        let shown = text(&positions, shared, 80, 24);
        assert!(shown.contains("1024") && shown.contains("one chain of merges"), "{shown}");
        let narrow = text(&positions, shared, 34, 20);
        assert!(narrow.contains("almost 2048 (2 of 8)") && narrow.contains("from the goal"), "{narrow}");
        let Next::Push(play) = pressed(&mut positions, shared, KeyCode::Char('m')) else {
            panic!("the game starts")
        };
        assert!(text(play.as_ref(), shared, 80, 24).contains("1024"));
        let Next::Push(choose) = pressed(&mut positions, shared, KeyCode::Char('a')) else {
            panic!("the list of players opens")
        };
        let shown = text(choose.as_ref(), shared, 80, 24);
        assert!(shown.contains("who plays?") && !shown.contains("│ size"), "{shown}");
    }
}
