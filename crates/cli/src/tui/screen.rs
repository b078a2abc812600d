//! The interface of a screen: it handles events, returns what comes next, and draws itself. It
//! never waits and never prints.

use std::time::Instant;

use lab2048::board::Size;
use lab2048::players::{Registry, Spec};
use ratatui::Frame;

use super::Watching;
use super::events::{Event, Mail};
use super::theme::Theme;
use super::watch::Watch;
use crate::failure::Failure;
use crate::game_options::GameRequest;
use crate::store::Store;

/// A screen.
pub(super) trait Screen {
    /// Handles an event.
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next;

    /// Draws the current state.
    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared);

    /// When it needs a tick. A screen without animation needs none.
    fn tick(&self) -> Option<Instant> {
        None
    }

    /// Whether it handles clicks. The terminal selects no text by itself meanwhile, so only lists
    /// do.
    fn takes_clicks(&self) -> bool {
        false
    }

    /// Receives the answer of the screen above. The default starts watching the chosen player.
    fn answered(&mut self, answer: Answer, shared: &mut Shared) -> Next {
        let Answer::Player { spec, games, setup } = answer;
        let watching = Watching { spec, setup, games, pace: None, save: None };
        Next::Push(Box::new(Watch::open(watching, shared)))
    }

    /// Called before the screen is removed. It saves its state and returns a line to print in the
    /// shell.
    fn leave(&mut self, shared: &mut Shared) -> Option<String> {
        let _ = shared;
        None
    }
}

/// What follows an event.
pub(super) enum Next {
    /// Stay on this screen.
    Stay,
    /// Open another screen above this one.
    Push(Box<dyn Screen>),
    /// Replace this screen by another one.
    Swap(Box<dyn Screen>),
    /// Go back to the screen below, or to the shell from the last one.
    Back,
    /// Go back to the screen below, with the answer it asked for.
    Answer(Answer),
    /// Close all screens and open the menu.
    Menu,
    /// Close all screens and run this command of the program instead.
    Become(Vec<String>),
}

/// The answer of a screen.
pub(super) enum Answer {
    /// A player, and the number and setup of its games.
    Player { spec: Spec, games: u64, setup: GameRequest },
}

/// The state that all screens share.
pub(super) struct Shared {
    pub(super) registry: Registry,
    pub(super) theme: Theme,
    pub(super) store: Store,
    pub(super) mail: Mail,
    /// Whether players play as fast as possible.
    pub(super) turbo: bool,
    /// The size of new games.
    pub(super) size: Size,
    /// Why watched games failed. They are printed when the screens are left.
    pub(super) failures: Vec<Failure>,
}

impl Shared {
    /// Turns the animation on or off. Returns what it is now.
    pub(super) fn toggle_animation(&mut self) -> &'static str {
        self.store.update(|kept| kept.animation = !kept.animation);
        if self.store.kept().animation { "animation on" } else { "animation off" }
    }

    /// The original game on a board of the size chosen in the menu.
    pub(super) fn setup(&self) -> GameRequest {
        GameRequest::of_size(self.size)
    }
}
