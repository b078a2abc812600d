//! The screen that asks for a web page, a player and a number of games, and starts
//! `lab2048 browser`.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::events::Event;
use super::field::Field;
use super::keymap;
use super::parts;
use super::screen::{Next, Screen, Shared};
use crate::commands::browser;

/// The questions, in the order of the fields.
const NAMES: [&str; 3] = ["page", "player", "games"];

/// The form.
pub(super) struct BrowserForm {
    /// Page, player and number of games.
    fields: [Field; 3],
    focus: usize,
    /// Why the last attempt failed.
    refusal: Option<String>,
}

impl BrowserForm {
    pub(super) fn new(shared: &Shared) -> BrowserForm {
        let player = shared.store.kept().watch.clone();
        let fields = [Field::new(browser::DEFAULT_URL), Field::new(player), Field::new("1")];
        BrowserForm { fields, focus: 0, refusal: None }
    }

    /// The command line of the answers, or what is wrong with them.
    fn command(&self, shared: &Shared) -> Result<Vec<String>, String> {
        let [url, player, games] = self.fields.each_ref().map(|field| field.text().trim().to_owned());
        browser::check_url(&url).map_err(|failure| failure.to_string())?;
        browser::check_player(&player, &shared.registry)?;
        browser::games()(&games).map_err(|why| format!("games: {why}"))?;
        Ok(browser::words(&url, &player, &games))
    }

    fn start(&mut self, shared: &Shared) -> Next {
        match self.command(shared) {
            Ok(words) => Next::Become(words),
            Err(why) => {
                self.refusal = Some(why);
                Next::Stay
            }
        }
    }
}

impl Screen for BrowserForm {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        let count = self.fields.len();
        match event {
            Event::Paste(text) => self.fields[self.focus].paste(text),
            Event::Key(key) => match key.code {
                KeyCode::Esc => return Next::Back,
                KeyCode::Enter => return self.start(shared),
                KeyCode::Down | KeyCode::Tab => self.focus = (self.focus + 1) % count,
                KeyCode::Up | KeyCode::BackTab => self.focus = (self.focus + count - 1) % count,
                _ => {
                    self.fields[self.focus].press(key);
                    self.refusal = None;
                }
            },
            _ => {}
        }
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, area) = (shared.theme, frame.area());
        if area.width < 40 || area.height < 12 {
            return parts::too_small(frame, "the form", (40, 12), "Esc leaves");
        }
        let width = area.width.min(76);
        let mut lines = vec![Line::styled("play in a browser", theme.title()).centered(), Line::default()];
        for (place, (name, field)) in NAMES.iter().zip(&self.fields).enumerate() {
            let text = parts::end_of(field.text(), usize::from(width) - 12);
            let (text, style) = match place == self.focus {
                true => (format!(" {text}▏"), theme.chosen()),
                false => (format!(" {text} "), theme.strong()),
            };
            lines.push(Line::from(vec![Span::raw(format!(" {name:<8}")), Span::styled(text, style)]));
        }
        lines.push(Line::default());
        let words = match &self.refusal {
            Some(why) => why.as_str(),
            None => "The menu closes and the player starts. It needs Chrome or Chromium with chromedriver.",
        };
        let style = if self.refusal.is_some() { theme.bad() } else { theme.dim() };
        lines.extend(parts::wrapped(words, width, 3).into_iter().map(|line| Line::styled(line, style)));
        let height = (lines.len() as u16).min(area.height - 1);
        let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - 1 - height) / 2);
        frame.render_widget(Paragraph::new(lines), Rect { x, y, width, height });
        parts::foot(frame, theme, None, &keymap::BROWSER.footer());
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{press, pressed, shared, text, type_in};
    use super::*;

    #[test]
    fn the_answers_become_a_command() {
        let shared = &mut shared();
        let mut form = BrowserForm::new(shared);
        golden_start(&form, shared);
        press(&mut form, shared, &[KeyCode::Delete]);
        type_in(&mut form, shared, "http://localhost/");
        press(&mut form, shared, &[KeyCode::Down, KeyCode::Delete]);
        type_in(&mut form, shared, "minimax:time=300ms");
        press(&mut form, shared, &[KeyCode::Tab, KeyCode::Delete]);
        type_in(&mut form, shared, "3");
        let Next::Become(words) = pressed(&mut form, shared, KeyCode::Enter) else { panic!("it starts") };
        assert_eq!(words.join(" "), "browser http://localhost/ --player minimax:time=300ms --games 3");
    }

    fn golden_start(form: &BrowserForm, shared: &mut Shared) {
        let shown = text(form, shared, 80, 24);
        assert!(
            shown.contains("page     https://play2048.co/▏") && shown.contains("player   auto"),
            "{shown}"
        );
    }

    #[test]
    fn wrong_answers_are_refused() {
        let shared = &mut shared();
        for (place, wrong, words) in [
            (0, "x", "http://"),
            (1, "nobody", "nobody"),
            (1, "clairvoyant", "coming tiles"),
            (2, "0", "games: "),
        ] {
            let mut form = BrowserForm::new(shared);
            press(&mut form, shared, &vec![KeyCode::Down; place]);
            press(&mut form, shared, &[KeyCode::Delete]);
            type_in(&mut form, shared, wrong);
            assert!(matches!(pressed(&mut form, shared, KeyCode::Enter), Next::Stay));
            assert!(text(&form, shared, 80, 24).contains(words), "{wrong}");
        }
        assert!(matches!(pressed(&mut BrowserForm::new(shared), shared, KeyCode::Esc), Next::Back));
    }
}
