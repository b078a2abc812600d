//! Draws the user's game.

use ratatui::Frame;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::super::parts::{self, Parts};
use super::super::screen::Shared;
use super::super::thinker::Thinker;
use super::super::{board, ending, keymap};
use super::Play;
use crate::exact;
use crate::report::whole;
use crate::show::clock;

impl Play {
    /// Draws board, panel, message and keys.
    pub(super) fn view(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let (theme, game) = (shared.theme, self.game());
        let size = game.board().size();
        let parts = Parts::of(frame.area(), size);
        self.hidden.set(parts.is_err());
        let parts = match parts {
            Ok(parts) => parts,
            Err(needs) => {
                let leave = match self.would_be_lost() {
                    true if self.asked.is_some() => "this game will not be saved: press q again to leave",
                    _ => "q leaves",
                };
                return parts::too_small(frame, &format!("a board of {size}"), needs, leave);
            }
        };
        board::paint(frame.buffer_mut(), parts.board, parts.scale, theme, game.board(), self.moving.as_ref());
        let over = self.is_over() && self.moving.is_none();
        if !parts.beside {
            parts.draw_above(frame, self.top_panel(shared, parts.panel.width));
        } else if !over {
            // At the end, the box shows the figures.
            let lines = self.side_panel(shared, parts.panel.width);
            frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), parts.panel);
        }
        if over {
            parts::boxed(frame, theme, parts.side(), "the game is over", self.ending_lines(shared));
        }
        parts::foot(
            frame,
            theme,
            self.message.as_ref().filter(|_| self.saving.is_none()),
            &keymap::PLAY.footer(),
        );
        if let Some(words) = self.victory().filter(|_| self.message.is_none()) {
            let width = parts.message.width.into();
            let words =
                if words.chars().count() <= width { words } else { words.replace(" You can continue.", "") };
            frame.render_widget(Line::styled(format!("{words:^width$}"), theme.victory()), parts.message);
        }
        if let Some(saving) = &self.saving {
            saving.draw(frame, theme);
        }
    }

    fn side_panel(&self, shared: &Shared, width: u16) -> Vec<Line<'static>> {
        let (theme, game) = (shared.theme, self.game());
        let mut lines = vec![
            parts::figure(theme, "score", whole(game.score())),
            parts::figure(theme, "best", whole(self.own.best(&shared.store))),
            parts::figure(theme, "moves", whole(game.moves())),
            parts::figure(theme, "time", clock(self.own.time)),
            parts::figure(theme, "seed", game.seed().to_string()),
            Line::default(),
        ];
        if self.own.is_aided() {
            let own = format!("{} before the help", whole(self.own.own_score()));
            lines.insert(1, parts::figure(theme, "alone", own));
        }
        let mut coach = vec![
            Span::styled(format!("{:<8}", "coach"), theme.dim()),
            Span::raw(self.coach.spec.to_string()),
        ];
        let thinking = self.coach.thinker.as_ref().is_some_and(Thinker::is_thinking);
        let doing = self.coach.doing(&shared.registry);
        if let Some(doing) = doing.filter(|_| self.coach.auto.is_none() || self.coach.gets_ready()) {
            coach.push(Span::styled(format!("  {doing}"), theme.title()));
        }
        lines.push(Line::from(coach));
        if let Some(auto) = self.coach.auto {
            let pace = if auto.pace.is_zero() {
                "turbo".to_owned()
            } else {
                format!("{} ms", auto.pace.as_millis())
            };
            lines.push(Line::styled(format!("playing, {pace} (+ -)"), theme.title()));
        }
        if let Some(hint) = self.coach.hint.filter(|hint| hint.has_values()) {
            lines.extend(parts::bars(theme, &hint, width));
            lines.push(Line::styled(parts::depth_text(&hint), theme.dim()));
            if let Some(judgement) = self.coach.thinker.as_ref().and_then(Thinker::exact) {
                lines.push(Line::styled(exact::summary(judgement), theme.title()));
            }
        } else if self.coach.auto.is_none() && !thinking {
            lines.push(Line::styled("? for a hint, space to let it play", theme.dim()));
        }
        lines
    }

    fn top_panel(&self, shared: &Shared, width: u16) -> Vec<Line<'static>> {
        let (theme, game) = (shared.theme, self.game());
        let named = |name: &str, value: String| {
            [Span::styled(format!(" {name} "), theme.dim()), Span::styled(value, theme.strong())]
        };
        let figures = [
            named("score", whole(game.score())),
            named("best", whole(self.own.best(&shared.store))),
            named("moves", whole(game.moves())),
        ];
        let hint = self.coach.hint.filter(|hint| hint.has_values());
        let mut lines = vec![Line::from(figures.concat())];
        match hint {
            Some(hint) => lines.extend(parts::values_lines(theme, &hint, width)),
            None => lines.push(
                self.coach
                    .doing(&shared.registry)
                    .map_or_else(Line::default, |doing| Line::raw(format!("the coach {doing}"))),
            ),
        }
        lines
    }

    fn ending_lines(&self, shared: &Shared) -> Vec<Line<'static>> {
        let theme = shared.theme;
        let why =
            self.own.setup.game.limits.reached(self.game()).map(|end| end.to_string()).unwrap_or_default();
        let mut lines = vec![Line::raw(why).centered(), Line::default()];
        lines.extend(ending::figures(theme, self.game(), self.own.time));
        if self.own.is_aided() {
            let own = format!("with help; {} points were your own", whole(self.own.own_score()));
            lines.push(Line::styled(own, theme.dim()));
        } else if self.own.counted
            && self.game().score() > 0
            && self.game().score() == self.own.best(&shared.store)
        {
            lines.push(Line::styled("your best score", theme.title()));
        }
        lines.push(Line::default());
        let keys = [
            ("n", "play again"),
            ("p", "watch the replay"),
            ("v", "save it"),
            ("u", "undo"),
            ("m", "menu"),
            ("q", "leave"),
        ];
        lines.extend(ending::choices(theme, &keys));
        lines
    }
}
