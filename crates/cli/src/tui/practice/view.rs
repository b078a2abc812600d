//! Draws the practice.

use lab2048::solve::Exact;
use ratatui::Frame;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::super::parts::{self, Parts};
use super::super::screen::Shared;
use super::super::theme::Theme;
use super::super::{board, ending, keymap};
use super::PracticeScreen;
use crate::exact::value_text;
use crate::practice::{is_mistake, words};
use crate::report::{percent, whole};

/// The number of worst moves in the list.
const WORST: usize = 5;

impl PracticeScreen {
    /// Draws board, panel, message and keys.
    pub(super) fn view(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let theme = shared.theme;
        let shown = self.looked.as_ref().map(|looked| &looked.judged.board);
        let shown = shown.unwrap_or(self.session.practice().game().board());
        let parts = Parts::or_too_small(frame, shown.size(), "q leaves");
        self.hidden.set(parts.is_none());
        let Some(parts) = parts else { return };
        board::paint(frame.buffer_mut(), parts.board, parts.scale, theme, shown, self.moving.as_ref());
        let ended = self.session.is_over() && !self.session.is_drill() && self.moving.is_none();
        if !parts.beside {
            parts.draw_above(frame, self.top_panel(theme, parts.panel.width));
        } else if !ended {
            let panel = Paragraph::new(self.side_panel(theme, parts.panel.width)).wrap(Wrap { trim: false });
            frame.render_widget(panel, parts.panel);
        }
        // In a narrow window, the box would cover the board that is looked at.
        if ended && (parts.beside || self.looked.is_none()) {
            let lines = self.ending_lines(theme);
            parts::boxed(frame, theme, parts.side(), "the position is over", lines);
        }
        let (is_over, is_drill) = (self.session.is_over(), self.session.is_drill());
        let has_worst = !is_drill && !self.session.practice().mistakes().is_empty();
        let is_useful = |key: &str| match key {
            "x" => !is_drill,
            "?" => !is_over,
            "n" => !self.session.is_last(),
            "←↑↓→" => !is_over || has_worst,
            _ => true,
        };
        let keys = keymap::PRACTICE.footer_saying("←↑↓→", if is_over { "worst moves" } else { "move" });
        let mut keys: Vec<_> = keys.into_iter().filter(|(key, _)| is_useful(key)).collect();
        if let Some((key, _)) = keys.first_mut().filter(|_| is_over && has_worst) {
            *key = "↑↓".to_owned();
        }
        parts::foot(frame, theme, self.message.as_ref(), &keys);
    }

    /// The exact values that may be seen: asked for, or of a move that is looked at.
    fn values(&self) -> Option<&Exact> {
        match &self.looked {
            Some(looked) => looked.exact.as_ref(),
            None => self.hint.then(|| self.session.practice().exact()),
        }
    }

    /// Name and figure of the value of the board that is shown.
    fn value(&self) -> (&'static str, String) {
        let practice = self.session.practice();
        let name = if practice.table().counts_points() { "points" } else { "chance" };
        let looked = self.looked.as_ref().map(|looked| looked.judged.before);
        (name, value_text(looked.unwrap_or(practice.exact().best()), self.session.goal()))
    }

    fn side_panel(&self, theme: Theme, width: u16) -> Vec<Line<'static>> {
        let figure = |name, value| parts::wide_figure(theme, name, 10, value);
        let practice = self.session.practice();
        let (name, value) = self.value();
        let mut lines = vec![Line::styled(self.session.table(), theme.title())];
        let what = parts::wrapped(&practice.table().game().to_string(), width, 3);
        lines.extend(what.into_iter().map(|line| Line::styled(line, theme.dim())));
        lines.push(Line::default());
        if self.session.is_drill() {
            lines.push(figure(name, value));
            let tally = self.session.tally();
            lines.push(figure("drilled", whole(tally.drilled)));
            lines.push(figure("solved", whole(tally.solved)));
        } else {
            lines.push(figure(name, value));
            lines.push(figure("kept", percent(practice.kept_share())));
            lines.push(figure("moves", whole(practice.moves().len() as u64)));
            let mistakes = practice.moves().iter().filter(|judged| is_mistake(judged)).count();
            lines.push(figure("mistakes", whole(mistakes as u64)));
            lines.push(figure(
                "position",
                format!("{} (seed {})", self.session.number(), self.session.seed()),
            ));
        }
        lines.push(Line::default());
        match self.values().and_then(Exact::decision) {
            Some(decision) => {
                lines.extend(parts::bars(theme, &decision, width));
                lines.push(Line::styled(parts::depth_text(&decision), theme.dim()));
            }
            None if self.session.is_drill() => {
                lines.push(Line::styled("find the best move: you missed it before", theme.dim()));
            }
            None => lines.push(Line::styled("? for the exact value of every move", theme.dim())),
        }
        lines
    }

    fn top_panel(&self, theme: Theme, width: u16) -> Vec<Line<'static>> {
        let named = |name: &str, value: String| {
            [Span::styled(format!(" {name} "), theme.dim()), Span::styled(value, theme.strong())]
        };
        let practice = self.session.practice();
        let (name, value) = self.value();
        let figures = [
            named(name, value),
            named("kept", percent(practice.kept_share())),
            named("moves", whole(practice.moves().len() as u64)),
        ];
        let mut lines = vec![Line::from(figures.concat())];
        match self.values().and_then(Exact::decision) {
            Some(decision) => lines.extend(parts::values_lines(theme, &decision, width)),
            None => lines.push(Line::styled(self.session.table(), theme.dim())),
        }
        lines
    }

    fn ending_lines(&self, theme: Theme) -> Vec<Line<'static>> {
        let practice = self.session.practice();
        let worst = practice.mistakes();
        let mut lines = vec![
            Line::styled(words::ending(practice), theme.strong()).centered(),
            Line::raw(words::kept(practice)).centered(),
            Line::default(),
        ];
        let place = self.looked.as_ref().and_then(|looked| looked.place);
        if !worst.is_empty() {
            lines.push(Line::styled("worst moves", theme.title()));
            let first = place.map_or(0, |place| (place + 1).saturating_sub(WORST));
            for (number, judged) in worst.iter().enumerate().skip(first).take(WORST) {
                let style = if place == Some(number) { theme.chosen() } else { theme.strong() };
                let what = format!(" {:<5} kept {:>6} ", judged.played.name(), percent(judged.share()));
                lines.push(Line::styled(what, style));
            }
            lines.push(Line::default());
        }
        if let Some(decision) = self.values().and_then(Exact::decision) {
            lines.extend(parts::bars(theme, &decision, 34));
        } else {
            let mut keys = vec![("r", "the same again"), ("x", "drill mistakes"), ("q", "leave")];
            if !self.session.is_last() {
                keys.insert(0, ("n", "next position"));
            }
            if !worst.is_empty() {
                keys.insert(0, ("↑↓", "look at the worst moves"));
            }
            lines.extend(ending::choices(theme, &keys));
        }
        lines
    }
}
