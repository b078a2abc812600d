//! What is stored of the user's game: the unfinished game, its best score, its statistics, its
//! replay.

use std::time::Instant;

use lab2048::game::{Game, Replay};

use super::super::screen::{Next, Shared};
use super::super::store::{GameNotes, kind_of};
use super::coach::Helper;
use super::{Asked, Play};
use crate::report::whole;

/// Why games with special settings are not saved.
pub(super) const SPECIAL: &str = "it has its own seed, board, rules or limits";

/// Whether an unfinished game is saved when it is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// It is saved.
    Kept,
    /// It should be saved, but the last attempt to write it failed.
    Failed(String),
    /// It is not saved, for this reason.
    Not(String),
}

impl Keeping {
    /// Why the game is not saved, if it is not.
    pub(super) fn why_not(&self) -> Option<&str> {
        match self {
            Keeping::Kept => None,
            Keeping::Failed(reason) | Keeping::Not(reason) => Some(reason),
        }
    }
}

impl From<Result<(), String>> for Keeping {
    fn from(claimed: Result<(), String>) -> Keeping {
        claimed.map_or_else(Keeping::Not, |()| Keeping::Kept)
    }
}

impl Play {
    /// Whether the game began with the seed's own tiles and ends only by the rules. Only such games
    /// count as records.
    fn is_comparable(&self) -> bool {
        let start = self.history.before(0).unwrap_or(self.game());
        self.setup.game.limits.is_unlimited() && *start == Game::new(start.rules().clone(), start.seed())
    }

    /// Whether the coach has made some of the moves that led here.
    pub(super) fn is_aided(&self) -> bool {
        self.helped_from.is_some_and(|from| self.game().turns() > from)
    }

    /// The points that the user made alone: all of them, or those before the coach's first move.
    pub(super) fn own_score(&self) -> u64 {
        let from = self.helped_from.and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.history.before(from)).unwrap_or(self.game()).score()
    }

    /// The game so far as a replay that names its players.
    pub(super) fn replay(&self) -> Result<Replay, String> {
        let replay = Replay::of_history(&self.history).map_err(|error| error.to_string())?;
        Ok(match &self.helper {
            _ if !self.is_aided() => replay.by("human"),
            None => replay.by("human with help"),
            Some(Helper { spec, network: None }) => replay.by(format!("human and {spec}")),
            Some(Helper { spec, network: Some(hash) }) => {
                replay.by(format!("human and {spec}")).with_network(hash.clone())
            }
        })
    }

    /// Saves the game for the next run, or removes the saved one if it is over. Also saves the best
    /// score.
    pub(super) fn keep(&mut self, shared: &mut Shared) {
        self.kept = Instant::now();
        self.is_behind = false;
        self.keep_best(shared);
        let begun = self.game().turns() > 0;
        // A game without moves is not saved and does not replace another one.
        if matches!(self.keeping, Keeping::Not(_)) || !(begun || self.is_kept) {
            return;
        }
        if !begun || self.is_over() {
            shared.store.forget_game();
            self.is_kept = false;
            return;
        }
        let helped_from = self.helped_from.filter(|_| self.is_aided());
        let notes = GameNotes { time: self.time, helped_from, counted: self.counted };
        match shared.store.keep_game(&self.history, notes) {
            Ok(()) => {
                self.keeping = Keeping::Kept;
                self.is_kept = true;
            }
            Err(reason) => {
                if self.keeping == Keeping::Kept {
                    self.refuse(format!("this game could not be saved: {reason}"));
                }
                self.keeping = Keeping::Failed(reason);
            }
        }
    }

    /// Whether the game is unfinished and would be lost when the user leaves it.
    pub(super) fn would_be_lost(&self) -> bool {
        let turns = self.game().turns();
        let saved = self.save.is_some() || self.saved;
        turns > 0 && !self.is_over() && !saved && self.keeping.why_not().is_some()
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
        let unfinished = game.turns() > 0 && !self.is_over();
        let words = match self.keeping.why_not() {
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

    /// Saves the user's own score if it counts and is the best one. This includes games that are
    /// abandoned or undone later.
    pub(super) fn keep_best(&self, shared: &mut Shared) {
        let (kind, score) = (kind_of(self.game().rules()), self.own_score());
        if score > shared.store.best(&kind) && self.is_comparable() {
            shared.store.update(|kept| {
                let best = &mut kept.played.entry(kind).or_default().best;
                *best = score.max(*best);
            });
        }
    }

    /// Adds the game to the statistics, only once: undoing its end does not count it again. Games
    /// with help are counted separately.
    pub(super) fn count(&mut self, shared: &mut Shared) {
        if self.counted || !self.is_comparable() {
            return;
        }
        self.counted = true;
        let (game, time) = (self.history.game(), self.time);
        let help = if self.is_aided() { " with help" } else { "" };
        let kind = format!("{}{help}", kind_of(game.rules()));
        shared.store.update(|kept| kept.played.entry(kind).or_default().add(game, time));
    }

    /// Saves the game to the file named on the command line. Returns the message about it.
    pub(super) fn save_as_asked(&self) -> Option<Result<String, String>> {
        let save = self.save.as_ref()?;
        let write = |replay| save.write(&replay).map_err(|failure| failure.to_string());
        let written = self.replay().and_then(write);
        Some(written.map(|path| format!("saved as {}", path.display())))
    }

    /// The best score, including the user's own part of this game if it counts.
    pub(super) fn best(&self, shared: &Shared) -> u64 {
        let own = if self.is_comparable() { self.own_score() } else { 0 };
        shared.store.best(&kind_of(self.game().rules())).max(own)
    }
}
