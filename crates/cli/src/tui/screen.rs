//! What a screen is: it takes events, says what comes next, and draws itself. It never waits and never prints.

use std::time::Instant;

use lab2048::board::Size;
use lab2048::players::{Registry, Spec};
use ratatui::Frame;

use super::Watching;
use super::events::{Event, Mail};
use super::store::Store;
use super::theme::Theme;
use super::watch::Watch;
use crate::game_options::SeededSetup;

/// A screen.
pub(super) trait Screen {
    /// Takes what happened.
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next;

    /// Draws itself as it is.
    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared);

    /// When it wants a tick; a screen on which nothing moves wants none.
    fn tick(&self) -> Option<Instant> {
        None
    }

    /// Takes what the screen above it was asked for: a player to be watched, unless it was asked for something else.
    fn answered(&mut self, answer: Answer, shared: &mut Shared) -> Next {
        let Answer::Player { spec, games, setup } = answer;
        let watching = Watching { spec, setup, games, pace: None, save: None };
        Next::Push(Box::new(Watch::open(watching, shared)))
    }

    /// Told before it goes: keeps what is to be kept, and says a last sentence for those who return to the shell.
    fn leave(&mut self, shared: &mut Shared) -> Option<String> {
        let _ = shared;
        None
    }
}

/// What follows an event.
pub(super) enum Next {
    /// This screen.
    Stay,
    /// Another one above this one.
    Push(Box<dyn Screen>),
    /// Another one in place of this one.
    Swap(Box<dyn Screen>),
    /// The one below; from the last one, the shell.
    Back,
    /// The one below, with what it asked for.
    Answer(Answer),
    /// The menu, whatever is open.
    Menu,
}

/// What a screen was asked for.
pub(super) enum Answer {
    /// A player, and how many games it is to play from where.
    Player { spec: Spec, games: u64, setup: SeededSetup },
}

/// What all screens have in common.
pub(super) struct Shared {
    pub(super) registry: Registry,
    pub(super) theme: Theme,
    pub(super) store: Store,
    pub(super) mail: Mail,
    /// Whether players play as fast as they can.
    pub(super) turbo: bool,
    /// The size of new games.
    pub(super) size: Size,
}

impl Shared {
    /// The original game on a board of the size chosen in the menu.
    pub(super) fn setup(&self) -> SeededSetup {
        SeededSetup::of_size(self.size)
    }
}
