//! The screen on which the user practises positions with an exact answer to every move.

mod choice;
mod view;

use std::cell::Cell;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use lab2048::board::Direction;
use lab2048::solve::{Exact, PracticeMove};
use ratatui::Frame;

use super::ending::Message;
use super::events::{self, Event};
use super::keymap;
use super::motion::Moving;
use super::pages::Page;
use super::screen::{Next, Screen, Shared};
use crate::practice::{Session, is_mistake, words};
pub(super) use choice::ChoiceScreen;

/// Positions to practise, one after another.
pub(super) struct PracticeScreen {
    session: Session,
    moving: Option<Moving>,
    message: Option<Message>,
    /// Whether the exact values are shown.
    hint: bool,
    /// The move that is looked at.
    looked: Option<Looked>,
    /// Whether the window was too small for the board when it was last drawn.
    hidden: Cell<bool>,
}

/// A move that is looked at, on the board before it.
struct Looked {
    judged: PracticeMove,
    exact: Option<Exact>,
    /// Its place among the worst moves; `None` for the answer of a drill.
    place: Option<usize>,
}

impl PracticeScreen {
    pub(super) fn new(mut session: Session) -> PracticeScreen {
        let message = session.take_notice().map(|notice| (notice, true));
        let hidden = Cell::new(false);
        PracticeScreen { session, moving: None, message, hint: false, looked: None, hidden }
    }

    fn say(&mut self, sentence: impl Into<String>) {
        self.message = Some((sentence.into(), false));
    }

    fn refuse(&mut self, sentence: impl Into<String>) {
        self.message = Some((sentence.into(), true));
    }

    fn play(&mut self, direction: Direction, shared: &Shared) {
        if self.session.is_over() {
            return self.refuse(if self.session.is_last() { words::LAST_OVER } else { words::OVER });
        }
        let before = self.session.practice().game().board().clone();
        let said = match self.session.play(direction) {
            Ok(said) => said,
            Err(error) => return self.refuse(error.to_string()),
        };
        self.hint = false;
        let practice = self.session.practice();
        let animated = shared.store.kept().animation && !self.session.is_drill();
        let turn = practice.turns().last().filter(|_| animated);
        self.moving = turn.and_then(|turn| Moving::start(&before, turn));
        if let Some(judged) = practice.moves().last().cloned() {
            let said = match self.session.take_notice() {
                Some(notice) => format!("{said}; {notice}"),
                None => said,
            };
            self.message = Some((said, is_mistake(&judged)));
            // A drill shows the question with its answer.
            self.looked = self.session.is_drill().then(|| self.look_at(judged, None));
        }
    }

    fn look_at(&self, judged: PracticeMove, place: Option<usize>) -> Looked {
        Looked { exact: self.session.judge(&judged.board), judged, place }
    }

    /// Selects the next or the previous one of the worst moves. Before the first one comes the last
    /// board.
    fn choose(&mut self, down: bool) {
        let worst = self.session.practice().mistakes();
        let next = match (self.looked.as_ref().and_then(|looked| looked.place), down) {
            (None, true) => Some(0),
            (None, false) => worst.len().checked_sub(1),
            (Some(place), true) => Some(place + 1),
            (Some(place), false) => place.checked_sub(1),
        };
        let next = next.and_then(|place| worst.get(place).map(|judged| ((*judged).clone(), place)));
        self.looked = next.map(|(judged, place)| self.look_at(judged, Some(place)));
        self.message =
            self.looked.as_ref().map(|looked| (words::judged(&looked.judged, self.session.goal()), true));
    }

    /// Forgets what was shown about the position before.
    fn clear(&mut self) {
        (self.moving, self.message, self.looked, self.hint) = (None, None, None, false);
    }

    fn press(&mut self, key: &KeyEvent, shared: &mut Shared) -> Next {
        let Some(code) = events::plain(key).and_then(|code| keymap::PRACTICE.find(code)) else {
            return Next::Stay;
        };
        let leaves = matches!(code, KeyCode::Char('q' | 'm'));
        if self.hidden.get() && !leaves {
            // The user cannot see the board, so keys do not play.
            return Next::Stay;
        }
        let is_over = self.session.is_over();
        match code {
            KeyCode::Up | KeyCode::Down if is_over && !self.session.is_drill() => {
                self.choose(code == KeyCode::Down);
            }
            KeyCode::Char('?') if !is_over => {
                self.session.hint();
                self.hint = true;
            }
            KeyCode::Char('u') => {
                if self.session.undo() {
                    self.clear();
                    self.say("undone; the move still counts");
                } else {
                    self.refuse("nothing to undo");
                }
            }
            KeyCode::Char('r') => {
                self.clear();
                match self.session.again() {
                    Ok(()) => self.say("the same position, with other tiles to come"),
                    Err(failure) => self.refuse(failure.to_string()),
                }
            }
            KeyCode::Char('n') | KeyCode::Enter => return self.next(code == KeyCode::Enter),
            KeyCode::Char('x') if !self.session.is_drill() => match self.session.drill() {
                Ok(drill) => return Next::Push(Box::new(PracticeScreen::new(drill))),
                Err(failure) => self.refuse(failure.to_string()),
            },
            KeyCode::Char('o') => self.say(shared.toggle_animation()),
            KeyCode::Char('i') => return Next::Push(Box::new(Page::help(&keymap::PRACTICE))),
            KeyCode::Char('m') => return Next::Menu,
            KeyCode::Char('q') => return Next::Back,
            code => {
                if let Some(direction) = events::direction(code) {
                    self.play(direction, shared);
                }
            }
        }
        Next::Stay
    }

    /// Goes to the next position. Enter does so only after the end.
    fn next(&mut self, only_after_the_end: bool) -> Next {
        if only_after_the_end && !self.session.is_over() {
            return Next::Stay;
        }
        match self.session.next() {
            Ok(true) => {
                self.clear();
                self.message = self.session.take_notice().map(|notice| (notice, true));
            }
            Ok(false) if self.session.is_last() => return Next::Back,
            Ok(false) => self.say("no mistakes are left to drill; q leaves"),
            Err(failure) => self.refuse(failure.to_string()),
        }
        Next::Stay
    }
}

impl Screen for PracticeScreen {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        if self.moving.as_ref().is_some_and(Moving::is_over) {
            self.moving = None;
        }
        match event {
            Event::Key(key) => self.press(key, shared),
            _ => Next::Stay,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        self.view(frame, shared);
    }

    fn tick(&self) -> Option<Instant> {
        self.moving.as_ref().map(Moving::next_frame)
    }

    fn leave(&mut self, _: &mut Shared) -> Option<String> {
        words::summary(&self.session.tally())
    }
}

#[cfg(test)]
mod tests;
