//! The end of a game: its points, time and moves, and saving it as a replay.

use std::path::Path;
use std::time::Duration;

use crossterm::event::KeyCode;
use lab2048::game::{Game, GameResult, Replay};
use ratatui::Frame;
use ratatui::text::{Line, Span};

use super::events::Event;
use super::field::Field;
use super::parts::{self, figure, seconds};
use super::theme::Theme;
use crate::replay_file::SaveFile;
use crate::report::whole;

/// A file name for a replay that is being typed.
pub(super) struct SaveAs {
    name: Field,
    /// Why the last attempt failed.
    refusal: Option<String>,
}

/// A sentence for the message line of a screen, and whether it is an error.
pub(super) type Message = (String, bool);

impl SaveAs {
    /// Starts with a suggested name.
    pub(super) fn new(seed: Option<u64>) -> SaveAs {
        let name = seed.map_or_else(|| "game.2048".to_owned(), |seed| format!("game-{seed}.2048"));
        SaveAs { name: Field::new(name), refusal: None }
    }

    /// Handles an event. Enter writes the result of `replay`. Returns itself until the replay is
    /// saved or the user cancels, and a message if there is one.
    pub(super) fn handle(
        mut self,
        event: &Event,
        replay: impl FnOnce() -> Result<Replay, String>,
    ) -> (Option<SaveAs>, Option<Message>) {
        match event {
            Event::Paste(text) => {
                self.name.paste(text);
                self.refusal = None;
            }
            Event::Key(key) => match key.code {
                KeyCode::Esc => return (None, None),
                KeyCode::Enter => {
                    let path = self.name.path();
                    match replay().and_then(|replay| save(&path, &replay)) {
                        Ok(sentence) => return (None, Some((sentence, false))),
                        Err(reason) => self.refusal = Some(reason),
                    }
                }
                _ => {
                    self.name.press(key);
                    self.refusal = None;
                }
            },
            _ => {}
        }
        (Some(self), None)
    }

    /// Draws the input line, and below it the keys or the error.
    pub(super) fn draw(&self, frame: &mut Frame<'_>, theme: Theme) {
        const NAME: &str = "save as ";
        let width = frame.area().width;
        let (about, style) = match &self.refusal {
            Some(reason) => (reason.as_str(), theme.bad()),
            None => ("Enter saves it, Esc cancels", theme.dim()),
        };
        let name = parts::end_of(self.name.text(), usize::from(width).saturating_sub(NAME.len() + 2));
        let typed =
            vec![Span::styled(NAME, theme.strong()), Span::styled(format!(" {name}▏"), theme.chosen())];
        let mut lines = vec![Line::from(typed).centered()];
        let about = parts::wrapped(about, width, 3);
        lines.extend(about.into_iter().map(|line| Line::styled(line, style).centered()));
        parts::last_lines(frame, lines);
    }
}

/// Writes a replay. If the name is taken, it uses the next free one.
fn save(path: &Path, replay: &Replay) -> Result<String, String> {
    if path.as_os_str().is_empty() {
        return Err("type a file name".to_owned());
    }
    let saved = SaveFile::new(path).and_then(|save| save.write(replay));
    saved.map(|path| format!("saved as {}", path.display())).map_err(|failure| failure.to_string())
}

/// The figures of a finished game.
pub(super) fn figures(theme: Theme, game: &Game, time: Duration) -> Vec<Line<'static>> {
    let GameResult { score, largest, moves, .. } = game.result();
    vec![
        figure(theme, "points", whole(score)),
        figure(theme, "time", seconds(time)),
        figure(theme, "moves", whole(moves)),
        figure(theme, "largest", whole(largest)),
    ]
}

/// Keys and what they do, one per line.
pub(super) fn choices(theme: Theme, keys: &[(&str, &str)]) -> Vec<Line<'static>> {
    let line = |(key, meaning): &(&str, &str)| {
        Line::from(vec![Span::styled(format!("{key:<7}"), theme.title()), Span::raw((*meaning).to_owned())])
    };
    keys.iter().map(line).collect()
}
