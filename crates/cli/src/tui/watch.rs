//! The screen on which a player is watched.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};
use lab2048::game::Replay;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Sparkline};

use super::ending::{self, Message, SaveAs};
use super::events::{self, Event};
use super::motion::Moving;
use super::pages::Page;
use super::parts::{self, Parts};
use super::replay::ReplayScreen;
use super::runner::{Job, Picture, Runner};
use super::screen::{Next, Screen, Shared};
use super::store::{Tally, kind_of};
use super::thinker::next_pace;
use super::{Watching, board};
use crate::report::{decimal, whole};
use crate::show;

/// The time between moves unless something else is asked for.
const PACE: Duration = Duration::from_millis(300);
/// The clock on the screen goes on while a player thinks.
const CLOCK: Duration = Duration::from_millis(250);
/// The pictures of turbo.
const FRAME: Duration = Duration::from_millis(33);

/// A player at work.
pub(super) struct Watch {
    job: Job,
    runner: Option<Runner>,
    picture: Option<Picture>,
    pace: Duration,
    paused: bool,
    moving: Option<Moving>,
    message: Option<Message>,
    saving: Option<SaveAs>,
    /// Whether the games are in the statistics already.
    counted: bool,
}

impl Watch {
    /// As asked for on the command line.
    pub(super) fn open(watching: Watching, shared: &mut Shared) -> Watch {
        let Watching { spec, setup, games, pace, save } = watching;
        let first_seed = setup.seed_or_fresh();
        let pace = pace.unwrap_or(if shared.turbo { Duration::ZERO } else { PACE });
        Watch::start(Job { spec, setup, first_seed, games, save, saved_before: 0 }, pace, shared)
    }

    fn start(job: Job, pace: Duration, shared: &Shared) -> Watch {
        let runner = Runner::start(&shared.registry, job.clone(), pace, shared.mail.clone());
        Watch {
            job,
            runner: Some(runner),
            picture: None,
            pace,
            paused: false,
            moving: None,
            message: None,
            saving: None,
            counted: false,
        }
    }

    fn is_over(&self) -> bool {
        self.picture.as_ref().is_some_and(|picture| picture.end.is_some())
    }

    /// Looks at what the player has done.
    fn look(&mut self, shared: &mut Shared) {
        let Some(runner) = &self.runner else { return };
        if let Some(picture) = runner.take() {
            self.show(picture, shared);
        } else if runner.is_broken() && !self.is_over() {
            self.runner = None;
            self.message = Some((format!("the player {} broke down", self.job.spec), true));
        }
    }

    fn show(&mut self, picture: Picture, shared: &mut Shared) {
        let known = self.picture.as_ref().map(|picture| (picture.number, picture.game.turns()));
        let follows = known
            .is_some_and(|(number, turns)| (number, turns + 1) == (picture.number, picture.game.turns()));
        let slow = self.paused || self.pace >= Moving::TIME;
        self.moving = match &picture.last {
            Some((before, _, turn)) if follows && slow && shared.store.kept().animation => {
                Moving::start(before, turn)
            }
            _ => None,
        };
        if let Some(failure) = &picture.failure {
            self.message = Some((failure.clone(), true));
        }
        let over = picture.end.is_some();
        self.picture = Some(picture);
        if over {
            self.count(shared);
        }
    }

    /// Adds the games that are over to the statistics, once. Games that were cut short or began elsewhere are no results.
    fn count(&mut self, shared: &mut Shared) {
        let counts = self.job.setup.board.is_none() && !self.job.setup.has_limits();
        let Some(picture) = self.picture.as_ref().filter(|_| counts && !self.counted) else { return };
        self.counted = true;
        let kind = kind_of(&self.job.setup.rules);
        shared.store.add_watched(&format!("{} on {kind}", self.job.spec), &picture.sound);
    }

    fn set_pace(&mut self, pace: Duration) {
        self.pace = pace;
        self.paused = false;
        if let Some(runner) = &self.runner {
            runner.set_delay(pace);
            runner.set_paused(false);
            runner.want();
        }
    }

    fn again(&self, shared: &Shared) -> Next {
        let Some(first_seed) = self.job.first_seed.checked_add(self.job.games) else { return Next::Stay };
        let saved_before = self.job.saved_before.saturating_add(self.job.games);
        let job = Job { first_seed, saved_before, ..self.job.clone() };
        Next::Swap(Box::new(Watch::start(job, self.pace, shared)))
    }

    fn best_replay(&self) -> Result<Replay, String> {
        let best = self.picture.as_ref().and_then(|picture| picture.best.as_ref());
        best.map(|replay| replay.as_ref().clone()).ok_or_else(|| "no game is over yet".to_owned())
    }

    fn press(&mut self, key: &KeyEvent, shared: &mut Shared) -> Next {
        let Some(code) = events::plain(key) else { return Next::Stay };
        match code {
            KeyCode::Char(' ') if !self.is_over() => {
                self.paused = !self.paused;
                if let Some(runner) = &self.runner {
                    runner.set_paused(self.paused);
                }
            }
            KeyCode::Right | KeyCode::Char('.') if !self.is_over() => {
                self.paused = true;
                if let Some(runner) = &self.runner {
                    runner.step();
                }
            }
            KeyCode::Up | KeyCode::Char('+' | '=') => self.set_pace(next_pace(self.pace, true)),
            KeyCode::Down | KeyCode::Char('-') => self.set_pace(next_pace(self.pace, false)),
            KeyCode::Char('t' | 'T') => {
                self.set_pace(if self.pace.is_zero() { PACE } else { Duration::ZERO });
            }
            KeyCode::Char('n' | 'N' | 'a' | 'A') if self.is_over() => return self.again(shared),
            KeyCode::Char('p' | 'P') => match self.best_replay() {
                Ok(replay) => {
                    self.paused = !self.is_over();
                    if let Some(runner) = self.runner.as_ref().filter(|_| self.paused) {
                        runner.set_paused(true);
                    }
                    return Next::Push(Box::new(ReplayScreen::new(replay)));
                }
                Err(reason) => self.message = Some((reason, true)),
            },
            KeyCode::Char('v' | 'V') => match self.best_replay() {
                Ok(replay) => self.saving = Some(SaveAs::new(replay.header().seed)),
                Err(reason) => self.message = Some((reason, true)),
            },
            KeyCode::Char('m' | 'M') => return Next::Menu,
            KeyCode::F(1) | KeyCode::Char('i' | 'I' | '?') => return Next::Push(Box::new(Page::help())),
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    /// The time of this game by now, and the player's part of it.
    fn times(&self, picture: &Picture) -> (Duration, Duration) {
        let runs = self.runner.is_some() && !self.paused && picture.end.is_none();
        // Between moves the clock goes on by itself.
        let since = if runs { picture.made.elapsed() } else { Duration::ZERO };
        let thinks = since.saturating_sub(self.pace);
        (picture.time + since, picture.thinking + thinks)
    }

    fn panel(&self, picture: &Picture, shared: &Shared, width: u16) -> Vec<Line<'static>> {
        let (theme, game) = (shared.theme, &picture.game);
        let (time, thinking) = self.times(picture);
        let pace = match () {
            () if self.is_over() => "done".to_owned(),
            () if self.paused => "paused".to_owned(),
            () if self.pace.is_zero() => "turbo".to_owned(),
            () => format!("{} ms a move", self.pace.as_millis()),
        };
        let number = match self.job.games {
            1 => format!("seed {}", game.seed()),
            games => format!("{} of {}, seed {}", whole(picture.number), whole(games), game.seed()),
        };
        let mut lines = vec![
            Line::styled(self.job.spec.to_string(), theme.title()),
            parts::figure(theme, "game", number),
            parts::figure(theme, "score", whole(game.score())),
            parts::figure(
                theme,
                "moves",
                format!("{}  largest {}", whole(game.moves()), whole(game.board().largest())),
            ),
            parts::figure(theme, "time", parts::seconds(time)),
            parts::figure(theme, "moves/s", parts::per_second(game.moves(), thinking)),
            parts::figure(theme, "speed", pace),
            Line::default(),
        ];
        if picture.knows_future {
            lines.insert(1, Line::styled("knows the coming tiles", theme.dim()));
        }
        if let Some((_, decision, _)) = &picture.last {
            if decision.values.iter().any(Option::is_some) {
                lines.extend(parts::bars(theme, decision, width));
            } else {
                lines.push(parts::figure(theme, "chose", show::action_name(decision.action)));
            }
            let nodes = match decision.nodes {
                0 => String::new(),
                nodes => format!("depth {}, {}", decision.depth, show_nodes(nodes)),
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

    fn ending_lines(&self, picture: &Picture, shared: &Shared) -> Vec<Line<'static>> {
        let theme = shared.theme;
        let mut lines = vec![Line::raw(picture.end.clone().unwrap_or_default()).centered(), Line::default()];
        let done = &picture.done;
        if done.games > 0 {
            let thinking = Duration::try_from_secs_f64(done.seconds).unwrap_or_default();
            let mut add = |name, value| lines.push(parts::wide_figure(theme, name, 13, value));
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
            lines.push(Line::default());
        }
        let replay = if self.job.games > 1 { "replay of the best" } else { "watch the replay" };
        let keys = [("n", "again"), ("p", replay), ("v", "save it"), ("m", "menu"), ("q", "leave")];
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

/// Nodes in a few letters.
fn show_nodes(nodes: u64) -> String {
    format!("{} node{}", whole(nodes), if nodes == 1 { "" } else { "s" })
}

/// How many of the games reached the largest tiles: `4096 10%, 2048 90%`.
fn reached(tally: &Tally) -> String {
    let mut reached = 0;
    let mut texts = Vec::new();
    for (tile, games) in tally.largest.iter().rev().take(3) {
        reached += games;
        texts.push(format!("{tile} {:.0}%", 100.0 * reached as f64 / tally.games as f64));
    }
    texts.join(", ")
}

impl Screen for Watch {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        self.look(shared);
        if self.moving.as_ref().is_some_and(Moving::is_over) {
            self.moving = None;
        }
        if let Some(saving) = self.saving.take() {
            let (saving, said) = saving.handle(event, || self.best_replay());
            self.saving = saving;
            self.message = said.or(self.message.take());
            return Next::Stay;
        }
        match event {
            Event::Tick => {
                if let Some(runner) = &self.runner {
                    runner.want();
                }
                Next::Stay
            }
            Event::Key(key) => self.press(key, shared),
            _ => Next::Stay,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let theme = shared.theme;
        let Some(picture) = &self.picture else {
            let text = self.message.as_ref().map_or("the player gets ready…", |(text, _)| text.as_str());
            let area = frame.area();
            let middle = Rect { y: area.y + area.height / 2, height: area.height.min(1), ..area };
            return frame.render_widget(Line::raw(text.to_owned()).centered(), middle);
        };
        let size = picture.game.board().size();
        let parts = match Parts::of(frame.area(), size) {
            Ok(parts) => parts,
            Err(needs) => return parts::too_small(frame, &format!("a board of {size}"), needs),
        };
        let board = picture.game.board();
        board::paint(frame.buffer_mut(), parts.board, parts.scale, theme, board, self.moving.as_ref());
        let over = picture.end.is_some() && self.moving.is_none();
        if parts.beside && over {
            // The box has the figures.
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
            let values = picture.last.as_ref().map(|(_, decision, _)| parts::values_line(theme, decision));
            let lines = vec![Line::raw(first).centered(), values.unwrap_or_default().centered()];
            frame.render_widget(Paragraph::new(lines), parts.panel);
        }
        if over {
            parts::boxed(frame, theme, parts.side(), "it is over", self.ending_lines(picture, shared));
        }
        if let Some(saving) = &self.saving {
            frame.render_widget(saving.line(theme), parts.message);
        } else if let Some((message, bad)) = &self.message {
            let style = if *bad { theme.bad() } else { theme.strong() };
            frame.render_widget(Line::styled(message.clone(), style).centered(), parts.message);
        }
        let keys = [
            ("space", if self.paused { "go on" } else { "pause" }),
            ("→", "step"),
            ("+ -", "faster, slower"),
            ("t", "turbo"),
            ("q", "leave"),
            ("m", "menu"),
            ("p", "replay"),
            ("v", "save"),
        ];
        frame.render_widget(parts::keys_line(theme, &keys, parts.keys.width), parts.keys);
    }

    fn tick(&self) -> Option<Instant> {
        let frame = self.moving.as_ref().map(Moving::next_frame);
        let runs = self.runner.is_some() && !self.paused && !self.is_over();
        let clock = runs.then(|| Instant::now() + if self.pace.is_zero() { FRAME } else { CLOCK });
        frame.into_iter().chain(clock).min()
    }

    fn leave(&mut self, shared: &mut Shared) -> Option<String> {
        self.count(shared);
        let broken_off = self.runner.as_ref().and_then(Runner::break_off);
        let saved = broken_off.and_then(|recorded| self.job.save_broken_off(recorded));
        let saved = saved.map_or_else(String::new, |saved| match saved {
            Ok(path) => format!("\nsaved as {}", path.display()),
            Err(failure) => format!("\n{failure}"),
        });
        let picture = self.picture.as_ref()?;
        let over = picture.end.is_some();
        // The game that was broken off counts as far as it went.
        let (more_score, more_moves) =
            if over { (0, 0) } else { (picture.game.score(), picture.game.moves()) };
        let (time, thinking) = if over { (Duration::ZERO, Duration::ZERO) } else { self.times(picture) };
        let moves = picture.done.moves + more_moves;
        let thinking = Duration::try_from_secs_f64(picture.done.seconds).unwrap_or_default() + thinking;
        Some(format!(
            "{}: {}: total score {}, {} in {} ({} moves/s){saved}",
            self.job.spec,
            show::count(picture.done.games + u64::from(!over), "game"),
            whole((picture.done.points + more_score as f64) as u64),
            show::count(moves, "move"),
            parts::seconds(picture.done_time + time),
            parts::per_second(moves, thinking),
        ))
    }
}

#[cfg(test)]
mod tests;
