//! The screen for opening a replay, by typing a file name or choosing from a list.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::events::Event;
use super::field::Field;
use super::keymap;
use super::list::{self, Drawn};
use super::parts;
use super::replay::ReplayScreen;
use super::screen::{Next, Screen, Shared};
use crate::replay_file;

/// The maximum number of listed files.
const MOST_FILES: usize = 500;

/// A file name that is being typed, or chosen among the replays of the folder.
pub(super) struct OpenFile {
    name: Field,
    /// The replays of the folder, the newest first.
    files: Vec<String>,
    /// The file whose name was not typed. The newest one at first.
    chosen: Option<usize>,
    drawn: Drawn,
    /// Why the last attempt failed.
    refusal: Option<String>,
}

impl OpenFile {
    /// Starts with the replays of the current folder.
    pub(super) fn new() -> OpenFile {
        OpenFile::with(replays(Path::new("")))
    }

    fn with(files: Vec<String>) -> OpenFile {
        let mut screen =
            OpenFile { name: Field::default(), files, chosen: None, drawn: Drawn::default(), refusal: None };
        screen.choose_file(0);
        screen
    }

    /// Selects the next or the previous file of the list.
    fn choose(&mut self, down: bool) {
        let next = match self.chosen {
            None if down => 0,
            None => self.files.len().saturating_sub(1),
            Some(place) => list::step(place, self.files.len(), down),
        };
        self.choose_file(next);
    }

    fn choose_file(&mut self, place: usize) {
        let Some(name) = self.files.get(place) else { return };
        self.chosen = Some(place);
        self.name = Field::new(name.clone());
        self.refusal = None;
    }

    /// Begins another name if the current one was chosen and not typed.
    fn type_anew(&mut self) {
        if self.chosen.take().is_some() {
            self.name = Field::default();
        }
    }

    fn open(&mut self) -> Next {
        let path = self.name.path();
        let replay = match self.name.text().trim() {
            "" => Err("type a file name".to_owned()),
            // Reading a pipe or a terminal would block.
            _ if fs::metadata(&path).is_ok_and(|data| !data.is_file()) => {
                Err(format!("{} is not a replay file", path.display()))
            }
            _ => replay_file::read_playable(&path).map_err(|failure| failure.to_string()),
        };
        match replay {
            Ok(replay) => return Next::Swap(Box::new(ReplayScreen::new(replay))),
            Err(reason) => self.refusal = Some(reason),
        }
        Next::Stay
    }
}

/// The names of the replays in a folder, the newest first.
pub(crate) fn replays(folder: &Path) -> Vec<String> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(place).into_iter().flatten().filter_map(Result::ok);
    let is_replay = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "2048");
    let mut files: Vec<(SystemTime, String)> = entries
        .map(|entry| folder.join(entry.file_name()))
        .filter(is_replay)
        .filter_map(|path| {
            let data = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            // A name that is not UTF-8 could not be typed either.
            Some((data.modified().unwrap_or(SystemTime::UNIX_EPOCH), path.to_str()?.to_owned()))
        })
        .collect();
    files.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    files.truncate(MOST_FILES);
    files.into_iter().map(|(_, name)| name).collect()
}

impl Screen for OpenFile {
    fn handle(&mut self, event: &Event, _: &mut Shared) -> Next {
        match event {
            Event::Paste(text) => {
                self.type_anew();
                self.name.paste(text);
            }
            Event::Click { column, row } => match self.drawn.entry(*column, *row, self.files.len()) {
                Some(place) if self.chosen == Some(place) => return self.open(),
                Some(place) => self.choose_file(place),
                None => {}
            },
            Event::Wheel { down } => self.choose(*down),
            Event::Key(key) => match key.code {
                KeyCode::Esc => return Next::Back,
                KeyCode::Enter => return self.open(),
                KeyCode::Down | KeyCode::Tab => self.choose(true),
                KeyCode::Up | KeyCode::BackTab => self.choose(false),
                _ => {
                    if matches!(key.code, KeyCode::Char(_)) {
                        self.type_anew();
                    }
                    self.name.press(key);
                    self.chosen = None;
                    self.refusal = None;
                }
            },
            _ => {}
        }
        Next::Stay
    }

    fn takes_clicks(&self) -> bool {
        true
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, area) = (shared.theme, frame.area());
        if area.width < 30 || area.height < 6 {
            return parts::too_small(frame, "a file name", (30, 6), "Esc leaves");
        }
        let width = usize::from(area.width);
        let mut lines = vec![
            Line::styled("open a replay", theme.title()),
            Line::default(),
            Line::from(vec![
                Span::styled("file ", theme.strong()),
                Span::styled(format!(" {}▏", parts::end_of(self.name.text(), width - 8)), theme.chosen()),
            ]),
            Line::default(),
        ];
        let refusal = parts::wrapped(self.refusal.as_deref().unwrap_or_default(), area.width, 3);
        lines.extend(refusal.into_iter().map(|line| Line::styled(line, theme.bad())));
        lines.push(Line::default());
        let head = lines.len() as u16;
        let words = match self.files.len() {
            0 => "no .2048 files in this folder",
            _ => "in this folder, the newest first:",
        };
        lines.push(Line::styled(words, theme.dim()));
        // As many files as fit, including the chosen one.
        let room = usize::from(area.height.saturating_sub(head + 3));
        let first = self.chosen.map_or(0, |place| (place + 1).saturating_sub(room));
        for (place, name) in self.files.iter().enumerate().skip(first).take(room) {
            let style = if self.chosen == Some(place) { theme.chosen() } else { theme.strong() };
            lines.push(Line::styled(format!(" {} ", parts::end_of(name, width - 4)), style));
        }
        let height = (lines.len() as u16).min(area.height - 1);
        let y = area.y + (area.height - 1 - height) / 2;
        let lines: Vec<Line<'_>> = lines.into_iter().map(Line::centered).collect();
        frame.render_widget(Paragraph::new(lines), Rect { y, height, ..area });
        let above = head + 1;
        self.drawn.set(Rect { y: y + above, height: height.saturating_sub(above), ..area }, first);
        let keys = Rect { y: area.bottom() - 1, height: 1, ..area };
        frame.render_widget(parts::keys_line(theme, &keymap::OPEN.footer(), area.width), keys);
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
        replay_file::SaveFile::new(&path).unwrap().write(&replay.by("somebody")).unwrap();
        let shared = &mut shared();
        let mut screen = OpenFile::with(Vec::new());
        press(&mut screen, shared, &[KeyCode::Enter]);
        assert!(text(&screen, shared, 80, 24).contains("type a file name"));
        type_in(&mut screen, shared, "no-such-file");
        press(&mut screen, shared, &[KeyCode::Enter]);
        assert!(text(&screen, shared, 80, 24).contains("cannot read no-such-file"));
        // Opening a pipe without a writer must not block.
        let pipe = folder.path().join("pipe.2048");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), folder.path()] {
            press(&mut screen, shared, &[KeyCode::Delete]);
            screen.handle(&Event::Paste(path.display().to_string()), shared);
            press(&mut screen, shared, &[KeyCode::Enter]);
            assert!(screen.refusal.as_ref().unwrap().ends_with("is not a replay file"));
        }
        press(&mut screen, shared, &[KeyCode::Delete]);
        screen.handle(&Event::Paste(path.display().to_string()), shared);
        let Next::Swap(opened) = pressed(&mut screen, shared, KeyCode::Enter) else {
            panic!("the replay is opened")
        };
        assert!(text(opened.as_ref(), shared, 80, 24).contains("somebody"));
        // So is the text of a replay of 2048verse.
        let verse = folder.path().join("verse.txt");
        std::fs::write(&verse, "4x4-1_00000g005¾ôj").unwrap();
        let mut screen = OpenFile::with(Vec::new());
        screen.handle(&Event::Paste(verse.display().to_string()), shared);
        assert!(matches!(pressed(&mut screen, shared, KeyCode::Enter), Next::Swap(_)), "the text is opened");
        let mut screen = OpenFile::with(Vec::new());
        assert!(text(&screen, shared, 80, 24).contains("no .2048 files in this folder"));
        // The list contains only the replays of the folder.
        for name in ["a.2048", "b.2048", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("c.2048")).unwrap();
        let mut names = replays(folder.path());
        names.sort();
        assert_eq!(
            names,
            ["a.2048", "b.2048", "game.2048"].map(|name| folder.path().join(name).display().to_string())
        );
        screen.files = names;
        press(&mut screen, shared, &[KeyCode::Down, KeyCode::Down]);
        assert_eq!(screen.name.text(), screen.files[1]);
        press(&mut screen, shared, &[KeyCode::Up, KeyCode::Up]);
        let Next::Swap(_) = pressed(&mut screen, shared, KeyCode::Enter) else {
            panic!("the last file is opened")
        };
        // The newest file is chosen at first. A letter begins another name.
        let mut newest = OpenFile::with(vec!["game.2048".to_owned(), "other.2048".to_owned()]);
        assert_eq!((newest.chosen, newest.name.text()), (Some(0), "game.2048"));
        let shown = text(&newest, shared, 80, 24);
        let row = shown.lines().position(|line| line.contains("other.2048")).unwrap() as u16;
        newest.handle(&Event::Click { column: 40, row }, shared);
        assert_eq!(newest.name.text(), "other.2048");
        newest.handle(&Event::Wheel { down: false }, shared);
        press(&mut newest, shared, &[KeyCode::Backspace]);
        assert_eq!((newest.chosen, newest.name.text()), (None, "game.204"));
        press(&mut newest, shared, &[KeyCode::Down]);
        type_in(&mut newest, shared, "x");
        assert_eq!((newest.chosen, newest.name.text()), (None, "x"));
        screen.files = (0..100).map(|number| format!("game-{number}.2048")).collect();
        screen.chosen = None;
        press(&mut screen, shared, &[KeyCode::Up]);
        let shown = text(&screen, shared, 80, 24);
        assert_eq!(shown.matches("game-99.2048").count(), 2, "the list is scrolled to it:\n{shown}");
        for (width, height) in [(1, 1), (30, 6), (20, 24)] {
            text(&screen, shared, width, height);
        }
    }
}
