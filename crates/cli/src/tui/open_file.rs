//! The screen on which a file is named whose replay is to be seen.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::events::Event;
use super::field::Field;
use super::parts;
use super::replay::ReplayScreen;
use super::screen::{Next, Screen, Shared};
use crate::replay_file;

/// A file name that is being typed.
#[derive(Default)]
pub(super) struct OpenFile {
    name: Field,
    /// Why the last one was not opened.
    refusal: Option<String>,
}

impl OpenFile {
    fn open(&mut self) -> Next {
        let replay = match self.name.text().trim() {
            "" => Err("a file needs a name".to_owned()),
            _ => replay_file::read_playable(&self.name.path()).map_err(|failure| failure.to_string()),
        };
        match replay {
            Ok(replay) => return Next::Swap(Box::new(ReplayScreen::new(replay))),
            Err(reason) => self.refusal = Some(reason),
        }
        Next::Stay
    }
}

impl Screen for OpenFile {
    fn handle(&mut self, event: &Event, _: &mut Shared) -> Next {
        match event {
            Event::Paste(text) => self.name.paste(text),
            Event::Key(key) => match key.code {
                KeyCode::Esc => return Next::Back,
                KeyCode::Enter => return self.open(),
                _ => {
                    self.name.press(key);
                    self.refusal = None;
                }
            },
            _ => {}
        }
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, area) = (shared.theme, frame.area());
        if area.width < 30 || area.height < 6 {
            return parts::too_small(frame, "a file name", (30, 6), "Esc leaves");
        }
        let lines = vec![
            Line::styled("open a replay", theme.title()).centered(),
            Line::default(),
            Line::from(vec![
                Span::styled("file ", theme.strong()),
                Span::styled(format!(" {}▏", self.name.text()), theme.chosen()),
            ])
            .centered(),
            Line::default(),
            Line::styled(self.refusal.clone().unwrap_or_default(), theme.bad()).centered(),
        ];
        let y = area.y + area.height.saturating_sub(9) / 2;
        let middle = Rect { y, height: area.bottom() - 1 - y, ..area };
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), middle);
        let keys = Rect { y: area.bottom() - 1, height: 1, ..area };
        let words = [("Enter", "open"), ("Esc", "back"), ("Del", "clear")];
        frame.render_widget(parts::keys_line(theme, &words, area.width), keys);
    }
}

#[cfg(test)]
mod tests {
    use lab2048::game::{Game, History, Replay, Rules};

    use super::super::testing::{press, pressed, shared, text, type_in};
    use super::*;

    #[test]
    fn a_replay_is_opened_and_anything_else_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.2048");
        let replay = Replay::of_history(&History::new(Game::new(Rules::default(), 7))).unwrap();
        replay_file::write(&path, &replay.by("somebody")).unwrap();
        let shared = &mut shared();
        let mut screen = OpenFile::default();
        press(&mut screen, shared, &[KeyCode::Enter]);
        assert!(text(&screen, shared, 80, 24).contains("a file needs a name"));
        type_in(&mut screen, shared, "no-such-file");
        press(&mut screen, shared, &[KeyCode::Enter]);
        assert!(text(&screen, shared, 80, 24).contains("cannot read no-such-file"));
        press(&mut screen, shared, &[KeyCode::Delete]);
        screen.handle(&Event::Paste(path.display().to_string()), shared);
        let Next::Swap(opened) = pressed(&mut screen, shared, KeyCode::Enter) else { panic!("it is there") };
        assert!(text(opened.as_ref(), shared, 80, 24).contains("somebody"));
        for (width, height) in [(1, 1), (30, 6), (20, 24)] {
            text(&screen, shared, width, height);
        }
    }
}
