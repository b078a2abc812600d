//! Draws a watched player.

use std::time::Duration;

use lab2048::text::one_line;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Sparkline};

use super::super::parts::{self, Parts};
use super::super::runner::Picture;
use super::super::screen::Shared;
use super::super::thinker::getting_ready;
use super::super::{ending, keymap};
use super::Watch;
use crate::report::{decimal, whole};
use crate::show;
use crate::store::GameTally;

impl Watch {
    /// Draws board, panel, message and keys.
    pub(super) fn view(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let theme = shared.theme;
        let Some(picture) = &self.picture else {
            let said = self.message.as_ref().map(|(text, _)| text.clone());
            let doing = || format!("{} {}", self.job.spec, getting_ready(&shared.registry, &self.job.spec));
            return parts::in_the_middle(frame, &said.unwrap_or_else(doing));
        };
        let board = picture.game.board();
        let Some(parts) = Parts::with_board(frame, theme, board, self.moving.as_ref()) else { return };
        let over = picture.end.is_some() && self.moving.is_none();
        if parts.beside && over {
            // The box shows the figures.
        } else if parts.beside {
            self.draw_panel(frame, picture, shared, parts.panel);
        } else {
            let (time, _) = self.times(picture);
            let first = format!(
                "{}   score {}   moves {}   {}",
                self.job.spec,
                whole(picture.game.score()),
                whole(picture.game.moves()),
                parts::seconds(time)
            );
            let mut lines = vec![Line::raw(first)];
            match (self.getting_ready(&shared.registry), &picture.last) {
                (Some(doing), _) => lines.push(Line::raw(doing)),
                (None, Some((_, decision, _))) => {
                    lines.extend(parts::values_lines(theme, decision, parts.panel.width));
                }
                (None, None) => lines.push(Line::default()),
            }
            parts.draw_above(frame, lines);
        }
        if over {
            let lines = self.ending_lines(picture, shared, frame.area());
            parts::boxed(frame, theme, parts.side(), "finished", lines);
        }
        let mut keys = keymap::WATCH.footer_saying("space", if self.paused { "resume" } else { "pause" });
        let has_replay = picture.best.is_some();
        keys.retain(|(key, _)| match key.as_str() {
            // Nothing moves after the end.
            "space" | "→" | "+ -" | "t" | "o" => !over,
            "p" | "v" => !over || has_replay,
            _ => true,
        });
        parts::foot(frame, theme, self.message.as_ref().filter(|_| self.saving.is_none()), &keys);
        if let Some(saving) = &self.saving {
            saving.draw(frame, theme);
        }
    }

    fn panel(&self, picture: &Picture, shared: &Shared, width: u16) -> Vec<Line<'static>> {
        let (theme, game) = (shared.theme, &picture.game);
        let (time, _) = self.times(picture);
        let pace = match () {
            () if self.is_over() => "done".to_owned(),
            () if self.paused => format!("paused, {}", parts::pace(self.pace)),
            () => parts::pace(self.pace),
        };
        let mut lines = vec![
            Line::styled(self.job.spec.to_string(), theme.title()),
            parts::figure(theme, "seed", game.seed().to_string()),
            parts::figure(theme, "score", whole(game.score())),
            parts::figure(
                theme,
                "moves",
                format!("{}  largest {}", whole(game.moves()), whole(game.board().largest())),
            ),
            parts::figure(theme, "time", parts::seconds(time)),
            parts::figure(theme, "moves/s", self.rate(picture)),
            parts::figure(theme, "speed", pace),
            Line::default(),
        ];
        if self.job.games > 1 {
            let number = format!("{} of {}", whole(picture.number), whole(self.job.games));
            lines.insert(1, parts::figure(theme, "game", number));
        }
        if picture.needs_future {
            lines.insert(1, Line::styled("knows the coming tiles", theme.dim()));
        }
        if let Some(doing) = self.getting_ready(&shared.registry) {
            lines.push(Line::styled(doing, theme.title()));
        } else if let Some((_, decision, _)) = &picture.last {
            if decision.has_values() {
                lines.extend(parts::bars(theme, decision, width));
            } else {
                lines.push(parts::figure(theme, "chose", show::action_name(decision.action)));
            }
            let nodes = match decision.nodes {
                0 => String::new(),
                nodes => format!("depth {}, {}", decision.depth, parts::many(nodes, "node")),
            };
            lines.push(Line::styled(nodes, theme.dim()));
        }
        lines
    }

    fn statistics(&self, picture: &Picture, shared: &Shared) -> Vec<Line<'static>> {
        if self.job.games == 1 || picture.done.games == 0 {
            return Vec::new();
        }
        let theme = shared.theme;
        let done = &picture.done;
        vec![
            parts::figure(theme, "mean", format!("{}  best {}", decimal(done.mean()), whole(done.best))),
            parts::figure(theme, "reached", reached(done)),
        ]
    }

    /// The lines of the box at the end. They fit into the window, so that the keys are always seen.
    fn ending_lines(&self, picture: &Picture, shared: &Shared, window: Rect) -> Vec<Line<'static>> {
        let theme = shared.theme;
        // All of a longer reason is printed when lab2048 ends.
        const LONGEST_REASON: usize = 300;
        let failure = picture.failure.as_ref().map(ToString::to_string);
        let why = failure.or_else(|| picture.end.clone()).unwrap_or_default();
        let mut figures = Vec::new();
        let done = &picture.done;
        if done.games > 0 {
            let thinking = Duration::try_from_secs_f64(done.seconds).unwrap_or_default();
            let mut add = |name, value| figures.push(parts::wide_figure(theme, name, 13, value));
            add("games", whole(done.games));
            add("total score", whole(done.points as u64));
            add("total time", parts::seconds(picture.done_time));
            add("  thinking", parts::seconds(thinking));
            add("total moves", whole(done.moves));
            add("moves/s", parts::per_second(done.moves, thinking));
            if done.games > 1 {
                add("mean score", decimal(done.mean()));
                add("best score", whole(done.best));
            }
            figures.push(Line::default());
        }
        let replay = if self.job.games > 1 { "the best replay" } else { "watch the replay" };
        let mut keys = vec![("n", "again"), ("p", replay), ("v", "save it"), ("m", "menu"), ("q", "leave")];
        if picture.best.is_none() {
            keys.retain(|(key, _)| !matches!(*key, "p" | "v"));
        }
        let (width, height) = parts::room_in_box(window);
        // One row is for the reason, and one below it is empty.
        let left = height.saturating_sub(2 + keys.len() as u16);
        figures.truncate(if figures.len() as u16 <= left { figures.len() } else { 0 });
        let why = parts::wrapped(&one_line(&why, LONGEST_REASON), width, 1 + left - figures.len() as u16);
        let mut lines: Vec<Line<'_>> = why.into_iter().map(|line| Line::raw(line).centered()).collect();
        lines.push(Line::default());
        lines.extend(figures);
        lines.extend(ending::choices(theme, &keys));
        lines
    }

    fn draw_panel(&self, frame: &mut Frame<'_>, picture: &Picture, shared: &Shared, area: Rect) {
        let mut lines = self.panel(picture, shared, area.width);
        lines.extend(self.statistics(picture, shared));
        let used = (lines.len() as u16).min(area.height);
        frame.render_widget(Paragraph::new(lines), area);
        let left = Rect { y: area.y + used, height: area.height - used, ..area };
        if left.height >= 4 {
            let title = Rect { y: left.y + 1, height: 1, ..left };
            frame.render_widget(Line::styled("score over the moves", shared.theme.dim()), title);
            let height = (left.height - 2).min(4);
            let chart = Rect { y: left.y + 2, height, width: left.width.min(30), ..left };
            let data = picture.curve.resampled(chart.width.into());
            frame.render_widget(Sparkline::default().data(&data).style(shared.theme.bar()), chart);
        }
    }
}

/// The share of games that reached the largest tiles: `4096 10%, 2048 90%`.
fn reached(tally: &GameTally) -> String {
    let mut reached = 0;
    let mut texts = Vec::new();
    for (tile, games) in tally.largest.iter().rev().take(3) {
        reached += games;
        texts.push(format!("{tile} {:.0}%", 100.0 * reached as f64 / tally.games as f64));
    }
    texts.join(", ")
}
