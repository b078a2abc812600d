//! The screen on which the user plays.

mod coach;
mod keeping;
mod view;

use std::cell::Cell;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};
use lab2048::board::{Board, Direction};
use lab2048::game::{Action, Game, IllegalTurn, Turn};
use lab2048::players::Spec;
use ratatui::Frame;

use super::Playing;
use super::choose::Choose;
use super::ending::{Message, SaveAs};
use super::events::{self, Event};
use super::keymap;
use super::motion::Moving;
use super::pages::Page;
use super::replay::ReplayScreen;
use super::screen::{Answer, Next, Screen, Shared};
use crate::game_options::GameRequest;
use crate::replay_file::SaveFile;
use crate::report::whole;
use crate::store::{Keeping, LONGEST_THOUGHT, UserGame};
use coach::{Coach, Helper};

/// The number of moves for which the victory message is shown.
const VICTORY: u64 = 10;
/// The maximum time between two saves of a changed game. A kill loses no more than that.
const BETWEEN_KEEPS: Duration = Duration::from_secs(2);

/// A game of the user.
pub(super) struct Play {
    own: UserGame,
    /// The game's number on this screen, counted from 1.
    number: u64,
    /// When the game was last saved.
    kept: Instant,
    /// Whether the game has changed since it was last saved.
    is_behind: bool,
    /// The player that made the last of the coach's moves, if they were made on this screen.
    helper: Option<Helper>,
    /// The turn at which the winning tile was made. 0 if it was on the board from the start.
    won_at: Option<u64>,
    moving: Option<Moving>,
    coach: Coach,
    message: Option<Message>,
    saving: Option<SaveAs>,
    save: Option<SaveFile>,
    /// Whether the user has saved the current position as a replay.
    saved: bool,
    /// The question that the same key confirms.
    asked: Option<Asked>,
    /// Whether the window was too small for the board when it was last drawn.
    hidden: Cell<bool>,
}

/// An action that needs a second press of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Starting a new game during this one.
    New,
    /// Leaving a game that is not saved.
    Leave,
}

impl Play {
    /// Opens a game as requested on the command line.
    pub(super) fn open(playing: Playing, shared: &mut Shared) -> Play {
        let Playing { setup, wanted, hint, save } = playing;
        let mut play = Play::begin(UserGame::open(setup, wanted, &mut shared.store), shared);
        play.save = save;
        if let Some(spec) = hint {
            play.coach.spec = spec;
        }
        if let Some(notice) = shared.store.take_notice() {
            play.refuse(notice);
        }
        play
    }

    /// A game from a board that the user has entered.
    pub(super) fn fresh(setup: GameRequest, shared: &Shared) -> Play {
        Play::begin(UserGame::special(setup), shared)
    }

    /// A new game that is saved when the user leaves it.
    pub(super) fn fresh_kept(setup: GameRequest, shared: &mut Shared) -> Play {
        Play::begin(UserGame::fresh(setup, &mut shared.store), shared)
    }

    fn begin(own: UserGame, shared: &Shared) -> Play {
        let mut play = Play::new(own, shared);
        if let Some(reason) = play.own.keeping.why_not() {
            play.say(format!("this game will not be saved: {reason}"));
        } else if play.own.is_kept {
            play.say("continuing your game; n starts a new one");
        }
        play
    }

    fn new(own: UserGame, shared: &Shared) -> Play {
        let spec = shared.registry.parse(&shared.store.kept().coach);
        let spec = spec.unwrap_or_else(|_| Spec::named("auto"));
        Play {
            won_at: own.game().has_won().then_some(0),
            own,
            number: 1,
            kept: Instant::now(),
            is_behind: false,
            helper: None,
            moving: None,
            coach: Coach { spec, thinker: None, hint: None, auto: None },
            message: None,
            saving: None,
            save: None,
            saved: false,
            asked: None,
            hidden: Cell::new(false),
        }
    }

    fn game(&self) -> &Game {
        self.own.game()
    }

    fn is_over(&self) -> bool {
        self.own.is_over()
    }

    /// Adds the time since the last key. While the coach plays, all of it counts.
    fn pass_time(&mut self) {
        self.own.pass_time(if self.coach.auto.is_some() { Duration::MAX } else { LONGEST_THOUGHT });
    }

    /// The message for some moves after the winning tile was made.
    fn victory(&self) -> Option<String> {
        let since = self.game().turns().checked_sub(self.won_at.filter(|turn| *turn > 0)?)?;
        let goal = self.game().rules().goal;
        (since < VICTORY && !self.is_over()).then(|| format!("★ You made {goal}! You can continue. ★"))
    }

    fn say(&mut self, sentence: impl Into<String>) {
        self.message = Some((sentence.into(), false));
    }

    fn refuse(&mut self, sentence: impl Into<String>) {
        self.message = Some((sentence.into(), true));
    }

    /// Plays a move of the coach.
    fn act(&mut self, action: Action, shared: &mut Shared) {
        let before = self.game().board().clone();
        let played = self.own.history.play(action);
        self.show_turn(&before, played, shared);
    }

    /// Plays a move of the user.
    fn move_alone(&mut self, direction: Direction, shared: &mut Shared) {
        let before = self.game().board().clone();
        let played = self.own.play_alone(Action::Move(direction));
        self.show_turn(&before, played, shared);
    }

    fn show_turn(&mut self, before: &Board, played: Result<Turn, IllegalTurn>, shared: &mut Shared) {
        match played {
            Ok(turn) => {
                let pace = self.coach.auto.map(|auto| auto.pace);
                let slow = pace.is_none_or(|pace| pace >= Moving::TIME);
                let animated = shared.store.kept().animation && slow;
                self.moving = if animated { Moving::start(before, &turn) } else { None };
                self.message = None;
                self.after_turn(&turn, shared);
            }
            Err(error) => self.refuse(error.to_string()),
        }
    }

    fn after_turn(&mut self, turn: &Turn, shared: &mut Shared) {
        self.changed(shared);
        if turn.reward > 0 && self.victory().is_none() {
            self.say(format!("+{}", whole(turn.reward)));
        }
        if self.is_over() {
            self.coach.auto = None;
            self.own.count(&mut shared.store);
            self.keep(shared);
        }
    }

    /// Called after every change of the board. Earlier hints are then obsolete.
    fn changed(&mut self, shared: &mut Shared) {
        let turns = self.game().turns();
        self.won_at = self.game().has_won().then(|| self.won_at.unwrap_or(turns));
        self.coach.hint = None;
        self.saved = false;
        self.is_behind = true;
        if let Some(thinker) = &mut self.coach.thinker {
            thinker.forget();
        }
        if self.coach.auto.is_some() && !self.is_over() {
            self.ask(shared);
        }
    }

    fn step_in_time(&mut self, done: bool, refusal: &str, shared: &mut Shared) {
        self.coach.auto = None;
        self.moving = None;
        if done {
            self.message = None;
            self.changed(shared);
            // A finished game is not stored. After an undo it continues and is stored again.
            if !self.own.is_kept {
                self.keep(shared);
            }
        } else {
            self.refuse(refusal);
        }
    }

    fn new_game(&mut self, asked: Option<Asked>, shared: &mut Shared) -> Next {
        if !self.is_over() && self.game().turns() > 0 && asked != Some(Asked::New) {
            self.asked = Some(Asked::New);
            self.say("press n again to abandon this game and start a new one");
            return Next::Stay;
        }
        let Some(seed) = self.own.next_seed() else {
            self.refuse("there is no next seed");
            return Next::Stay;
        };
        let saved = self.save_as_asked();
        let (number, spec, save) = (self.number, self.coach.spec.clone(), self.save.take());
        let own = self.own.next(seed, &mut shared.store);
        *self = Play { number: number + 1, save, ..Play::new(own, shared) };
        self.coach.spec = spec;
        match saved {
            Some(Err(sentence)) => self.refuse(sentence),
            Some(Ok(sentence)) => self.say(sentence),
            None => {}
        }
        Next::Stay
    }

    fn press(&mut self, key: &KeyEvent, shared: &mut Shared) -> Next {
        let Some(code) = events::plain(key).and_then(|code| keymap::PLAY.find(code)) else {
            return Next::Stay;
        };
        let leaves = matches!(code, KeyCode::Char('q' | 'm'));
        if self.hidden.get() && !leaves {
            // The user cannot see the board, so keys do not play.
            return Next::Stay;
        }
        self.pass_time();
        let asked = self.asked.take();
        if let Some(direction) = events::direction(code) {
            if self.is_over() {
                self.refuse("the game is over: n starts a new one, u undoes a move");
            } else {
                self.coach.auto = None;
                self.move_alone(direction, shared);
            }
            return Next::Stay;
        }
        match code {
            KeyCode::Char('?') if !self.is_over() => {
                self.coach.auto = None;
                self.message = None;
                self.ask(shared);
            }
            KeyCode::Char('u') => {
                let undone = self.own.undo(&mut shared.store);
                self.step_in_time(undone, "nothing to undo", shared);
            }
            KeyCode::Char('r') => {
                let redone = self.own.history.redo().is_some();
                self.step_in_time(redone, "nothing to redo", shared);
            }
            KeyCode::Char(' ') if !self.is_over() => self.toggle_auto(shared),
            KeyCode::Char('+' | '=') => self.change_pace(true),
            KeyCode::Char('-') => self.change_pace(false),
            KeyCode::Char('t') => self.toggle_turbo(shared),
            KeyCode::Char('o') => self.say(shared.toggle_animation()),
            KeyCode::Char('c') => {
                self.coach.auto = None;
                return Next::Push(Box::new(Choose::coach(&self.coach.spec, shared)));
            }
            KeyCode::Char('n') => return self.new_game(asked, shared),
            KeyCode::Char('v') => {
                // The coach stops, so that the saved position is the one on the screen.
                self.coach.auto = None;
                self.saving = Some(SaveAs::new(Some(self.game().seed())));
            }
            KeyCode::Char('p') if self.is_over() => match self.replay() {
                Ok(replay) => return Next::Push(Box::new(ReplayScreen::new(replay))),
                Err(reason) => self.refuse(reason),
            },
            KeyCode::Char('m') => return self.leave_after(asked, Next::Menu, shared),
            KeyCode::Char('i') => {
                self.coach.auto = None;
                return Next::Push(Box::new(Page::help(&keymap::PLAY)));
            }
            KeyCode::Char('q') => return self.leave_after(asked, Next::Back, shared),
            _ => {}
        }
        Next::Stay
    }
}

impl Screen for Play {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        match event {
            Event::Suspend => self.pass_time(),
            // The time while the program was stopped is not playing time.
            Event::Continue => self.own.touched = Instant::now(),
            _ => {}
        }
        self.look(shared);
        if self.is_behind && self.kept.elapsed() >= BETWEEN_KEEPS {
            self.keep(shared);
        }
        if self.moving.as_ref().is_some_and(Moving::is_over) {
            self.moving = None;
        }
        if let Some(saving) = self.saving.take() {
            let (saving, said) = saving.handle(event, || self.replay());
            self.saving = saving;
            if said.as_ref().is_some_and(|(_, bad)| !bad) {
                self.saved = true;
            }
            self.message = said.or(self.message.take());
            return Next::Stay;
        }
        self.auto_move(shared);
        match event {
            Event::Key(key) => self.press(key, shared),
            _ => Next::Stay,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        self.view(frame, shared);
    }

    fn tick(&self) -> Option<Instant> {
        let frame = self.moving.as_ref().map(Moving::next_frame);
        let due = self.coach.auto.and_then(|auto| auto.ready.map(|_| auto.due));
        let keep = self.is_behind && !matches!(self.own.keeping, Keeping::Not(_));
        frame.into_iter().chain(due).chain(keep.then(|| self.kept + BETWEEN_KEEPS)).min()
    }

    fn answered(&mut self, answer: Answer, shared: &mut Shared) -> Next {
        let Answer::Player { spec, .. } = answer;
        self.say(format!("{spec} gives hints from now on"));
        shared.store.update(|kept| kept.coach = spec.to_string());
        self.coach = Coach { spec, thinker: None, hint: None, auto: None };
        Next::Stay
    }

    fn leave(&mut self, shared: &mut Shared) -> Option<String> {
        self.coach.auto = None;
        self.keep(shared);
        if !matches!(self.own.keeping, Keeping::Not(_)) {
            shared.store.release_game();
            // The menu shows the game that was just left.
            shared.size = self.game().rules().size;
        }
        Some(self.farewell())
    }
}

#[cfg(test)]
mod tests;
