//! What is stored of the user's game on this screen: the unfinished game, its replay.

use std::time::Instant;

use lab2048::game::Replay;

use super::super::screen::{Next, Shared};
use super::coach::Helper;
use super::{Asked, Play};
use crate::report::whole;

impl Play {
    /// The game so far as a replay that names its players.
    pub(super) fn replay(&self) -> Result<Replay, String> {
        let replay = Replay::of_history(&self.own.history).map_err(|error| error.to_string())?;
        Ok(match &self.helper {
            _ if !self.own.is_aided() => replay.by("human"),
            None => replay.by("human with help"),
            Some(Helper { spec, network: None }) => replay.by(format!("human and {spec}")),
            Some(Helper { spec, network: Some(hash) }) => {
                replay.by(format!("human and {spec}")).with_network(hash.clone())
            }
        })
    }

    /// Saves the game for the next run, or removes the saved one if it is over.
    pub(super) fn keep(&mut self, shared: &mut Shared) {
        self.kept = Instant::now();
        self.is_behind = false;
        if let Some(reason) = self.own.keep(&mut shared.store) {
            self.refuse(format!("this game could not be saved: {reason}"));
        }
    }

    /// Whether the game is unfinished and would be lost when the user leaves it.
    pub(super) fn would_be_lost(&self) -> bool {
        let saved = self.save.is_some() || self.saved;
        self.own.is_unfinished() && !saved && self.own.keeping.why_not().is_some()
    }

    /// Leaves the game. Asks first if it would be lost.
    pub(super) fn leave_after(&mut self, asked: Option<Asked>, next: Next, shared: &mut Shared) -> Next {
        self.keep(shared);
        if !self.would_be_lost() || asked == Some(Asked::Leave) {
            return next;
        }
        self.asked = Some(Asked::Leave);
        self.say("this game will not be saved: press the same key again to leave, v to save it");
        Next::Stay
    }

    /// The summary of the game that is printed in the shell.
    pub(super) fn farewell(&self) -> String {
        let saved = self.save_as_asked().map_or_else(String::new, |saved| match saved {
            Ok(sentence) | Err(sentence) => format!("\n{sentence}"),
        });
        let game = self.game();
        let unfinished = self.own.is_unfinished();
        let words = match self.own.keeping.why_not() {
            None if unfinished => "\n`lab2048 play` continues it".to_owned(),
            Some(reason) if self.would_be_lost() => format!("\nthis game was not saved: {reason}"),
            _ => String::new(),
        };
        format!(
            "points {}   largest tile {}   moves {}   seed {}{saved}{words}",
            whole(game.score()),
            whole(game.board().largest()),
            whole(game.moves()),
            game.seed(),
        )
    }

    /// Saves the game to the file named on the command line. Returns the message about it.
    pub(super) fn save_as_asked(&self) -> Option<Result<String, String>> {
        let save = self.save.as_ref()?;
        let write = |replay| save.write(&replay).map_err(|failure| failure.to_string());
        let written = self.replay().and_then(write);
        Some(written.map(|path| format!("saved as {}", path.display())))
    }
}
