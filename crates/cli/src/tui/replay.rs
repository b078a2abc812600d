//! The screen that shows a replay, forwards and backwards.

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;
use lab2048::game::Replay;
use lab2048::game::replay::Position;
use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::ending::Message;
use super::events::{self, Event};
use super::keymap;
use super::motion::Moving;
use super::pages::Page;
use super::parts::{self, Parts};
use super::review::{self, Judgement, ReviewScreen};
use super::screen::{Next, Screen, Shared};
use super::thinker::next_pace;
use crate::report::whole;
use crate::show;

/// The default time between moves.
const PACE: Duration = Duration::from_millis(300);

/// A replay and the current position in it.
pub(super) struct ReplayScreen {
    replay: Replay,
    positions: Vec<Position>,
    at: usize,
    pace: Duration,
    /// When the next move is shown. `None` while paused.
    due: Option<Instant>,
    moving: Option<Moving>,
    /// The answer to the last key.
    said: Option<Message>,
    /// The review, once it has been started.
    judgement: Option<Judgement>,
}

impl ReplayScreen {
    /// Shows a replay from its start.
    pub(super) fn new(replay: Replay) -> ReplayScreen {
        // The positions end at the first invalid step. The start position always exists.
        let positions: Vec<Position> = replay.positions().map_while(Result::ok).collect();
        let due = Some(Instant::now() + PACE);
        let (moving, said, judgement) = (None, None, None);
        ReplayScreen { replay, positions, at: 0, pace: PACE, due, moving, said, judgement }
    }

    fn last(&self) -> usize {
        self.positions.len().saturating_sub(1)
    }

    fn go(&mut self, to: usize, shared: &Shared) {
        let to = to.min(self.last());
        let slow = self.due.is_none() || self.pace >= Moving::TIME;
        let animated = to == self.at + 1 && slow && shared.store.kept().animation;
        self.moving = match (self.positions.get(self.at), self.positions.get(to).and_then(|next| next.turn)) {
            (Some(before), Some(turn)) if animated => Moving::start(&before.board, &turn),
            _ => None,
        };
        self.at = to;
    }

    fn step(&mut self, back: bool, by: usize, shared: &Shared) {
        self.due = None;
        self.go(if back { self.at.saturating_sub(by) } else { self.at + by }, shared);
    }

    fn panel(&self, position: &Position, shared: &Shared) -> Vec<Line<'static>> {
        let theme = shared.theme;
        let turn = position.turn.map(|turn| show::turn_text(&turn, position.board.size()));
        let state = match self.due {
            None => "paused".to_owned(),
            Some(_) if self.pace.is_zero() => "as fast as possible".to_owned(),
            Some(_) => format!("{} ms a move", self.pace.as_millis()),
        };
        vec![
            Line::styled("replay", theme.title()),
            parts::figure(
                theme,
                "player",
                self.replay.header().player.clone().unwrap_or_else(|| "unknown".to_owned()),
            ),
            parts::figure(
                theme,
                "move",
                format!("{} of {}", whole(self.at as u64), whole(self.last() as u64)),
            ),
            parts::figure(theme, "score", whole(position.score)),
            parts::figure(theme, "largest", whole(position.board.largest())),
            parts::figure(theme, "speed", state),
            Line::default(),
            Line::raw(turn.unwrap_or_else(|| "the start".to_owned())),
            Line::raw(position.ending.map_or_else(String::new, |ending| ending.to_string())),
        ]
    }
}

impl Screen for ReplayScreen {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        if self.moving.as_ref().is_some_and(Moving::is_over) {
            self.moving = None;
        }
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.go(self.at + 1, shared);
            self.due = (self.at < self.last()).then(|| Instant::now() + self.pace);
        }
        let Event::Key(key) = event else { return Next::Stay };
        let Some(code) = events::plain(key).and_then(|code| keymap::REPLAY.find(code)) else {
            return Next::Stay;
        };
        self.said = None;
        match code {
            KeyCode::Char(' ') => {
                let starts = self.due.is_none();
                if starts && self.at == self.last() {
                    self.go(0, shared);
                }
                self.due = starts.then(|| Instant::now() + self.pace);
            }
            KeyCode::Right | KeyCode::Char('.' | 'l') => self.step(false, 1, shared),
            KeyCode::Left | KeyCode::Char(',' | 'h') => self.step(true, 1, shared),
            KeyCode::PageDown => self.step(false, 50, shared),
            KeyCode::PageUp => self.step(true, 50, shared),
            KeyCode::Home => self.step(true, usize::MAX, shared),
            KeyCode::End => {
                self.due = None;
                self.go(self.last(), shared);
            }
            KeyCode::Up | KeyCode::Char('+' | '=') => self.pace = next_pace(self.pace, true),
            KeyCode::Down | KeyCode::Char('-') => self.pace = next_pace(self.pace, false),
            KeyCode::Char('t') => {
                self.pace = if self.pace.is_zero() { PACE } else { Duration::ZERO };
                self.due = (self.at < self.last()).then(|| Instant::now() + self.pace);
            }
            KeyCode::Char('o') => self.said = Some((shared.toggle_animation().to_owned(), false)),
            KeyCode::Char('i') => {
                self.due = None;
                return Next::Push(Box::new(Page::help(&keymap::REPLAY)));
            }
            KeyCode::Char('g') if review::has_moves(&self.replay) => {
                self.due = None;
                let judgement = self.judgement.get_or_insert_with(|| Judgement::begin(&self.replay, shared));
                let review = ReviewScreen::new(self.replay.clone(), judgement.clone(), self.at);
                return Next::Push(Box::new(review));
            }
            KeyCode::Char('m') => return Next::Menu,
            KeyCode::Char('q') => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        let Some(position) = self.positions.get(self.at) else { return };
        let (theme, moving) = (shared.theme, self.moving.as_ref());
        let Some(parts) = Parts::with_board(frame, theme, &position.board, moving) else { return };
        let lines = if parts.beside {
            self.panel(position, shared)
        } else {
            let (at, last, score) = (self.at, self.last(), whole(position.score));
            vec![Line::raw(format!("move {at} of {last}   score {score}")).centered()]
        };
        frame.render_widget(Paragraph::new(lines), parts.panel);
        let keys = keymap::REPLAY.footer_saying("space", if self.due.is_some() { "pause" } else { "play" });
        parts::foot(frame, theme, self.said.as_ref(), &keys);
    }

    fn tick(&self) -> Option<Instant> {
        let frame = self.moving.as_ref().map(Moving::next_frame);
        frame.into_iter().chain(self.due).min()
    }
}

#[cfg(test)]
mod tests {
    use lab2048::game::{Action, Game, History, Rules};

    use super::super::testing::{press, pressed, shared, text};
    use super::*;

    #[test]
    fn a_game_is_seen_forwards_and_backwards() {
        let mut history = History::new(Game::new(Rules::default(), 7));
        for _ in 0..120 {
            let direction = history.game().board().legal_moves().nth(0).expect("the game is not over");
            history.play(Action::Move(direction)).unwrap();
        }
        let shared = &mut shared();
        let mut screen = ReplayScreen::new(Replay::of_history(&history).unwrap().by("greedy"));
        let mut at = |keys: &[KeyCode]| {
            press(&mut screen, shared, keys);
            let shown = text(&screen, shared, 80, 24);
            let line =
                shown.lines().find(|line| line.contains(" of 120")).unwrap_or_else(|| panic!("{shown}"));
            line.split_whitespace().rev().nth(2).unwrap().parse::<usize>().unwrap()
        };
        assert_eq!(at(&[KeyCode::Right]), 1);
        assert_eq!(at(&[KeyCode::PageDown, KeyCode::Right]), 52);
        assert_eq!(at(&[KeyCode::Left]), 51);
        assert_eq!(at(&[KeyCode::End, KeyCode::Right]), 120);
        assert_eq!(at(&[KeyCode::Home, KeyCode::Left]), 0);
        let shown = text(&screen, shared, 80, 24);
        assert!(
            shown.contains("greedy") && shown.contains("paused") && shown.contains("the start"),
            "{shown}"
        );
        press(&mut screen, shared, &[KeyCode::Char(' ')]);
        assert!(screen.tick().is_some());
        // The review opens at the current move, and continues after its screen is left.
        press(&mut screen, shared, &[KeyCode::Home, KeyCode::PageDown]);
        for _ in 0..2 {
            let Next::Push(review) = pressed(&mut screen, shared, KeyCode::Char('g')) else {
                panic!("a review")
            };
            let shown = text(review.as_ref(), shared, 80, 24);
            assert!(shown.contains("move    50 "), "{shown}");
            drop(review);
            assert!(screen.judgement.is_some());
        }
    }
}
