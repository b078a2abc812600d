//! What remains of a person's game: the kept game, its best score, its place in the statistics, its replay.

use std::time::Instant;

use lab2048::game::{Game, Replay};

use super::super::screen::{Next, Shared};
use super::super::store::{GameNotes, kind_of};
use super::coach::Helper;
use super::{Asked, Play};
use crate::report::whole;

/// Why games that were asked for in a special way are not kept.
pub(super) const SPECIAL: &str = "it has a seed, a board, rules or limits of its own";

/// Whether a game is kept when it is left unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// It is.
    Kept,
    /// It is to be, but the last time it could not be written.
    Failed(String),
    /// It is not, for this reason.
    Not(String),
}

impl Keeping {
    /// Why the game is not kept, if it is not.
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
    /// Whether the game began with the seed's own tiles and ends where the rules end it: others are no records.
    fn is_comparable(&self) -> bool {
        let start = self.history.before(0).unwrap_or(self.game());
        self.setup.game.limits.is_unlimited() && *start == Game::new(start.rules().clone(), start.seed())
    }

    /// Whether a player has made some of the moves that led here.
    pub(super) fn is_aided(&self) -> bool {
        self.helped_from.is_some_and(|from| self.game().turns() > from)
    }

    /// The points that the person made alone: all of them, or those from before the help.
    pub(super) fn own_score(&self) -> u64 {
        let from = self.helped_from.and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.history.before(from)).unwrap_or(self.game()).score()
    }

    /// The game so far, and who played it.
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

    /// Keeps the game for the next start, or that it is over; and its score, if it is the best one.
    pub(super) fn keep(&mut self, shared: &mut Shared) {
        self.kept = Instant::now();
        self.is_behind = false;
        self.keep_best(shared);
        let begun = self.game().turns() > 0;
        // A game that has not begun is no loss, and leaves alone what is kept of another one.
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
                    self.refuse(format!("this game is not kept: {reason}"));
                }
                self.keeping = Keeping::Failed(reason);
            }
        }
    }

    /// Whether the game goes on, and nothing of it remains when it is left.
    pub(super) fn would_be_lost(&self) -> bool {
        let turns = self.game().turns();
        let saved = self.save.is_some() || self.saved;
        turns > 0 && !self.is_over() && !saved && self.keeping.why_not().is_some()
    }

    /// Leaves the game, after a question where it would be lost.
    pub(super) fn leave_after(&mut self, asked: Option<Asked>, next: Next, shared: &mut Shared) -> Next {
        self.keep(shared);
        if !self.would_be_lost() || asked == Some(Asked::Leave) {
            return next;
        }
        self.asked = Some(Asked::Leave);
        self.say("the same key again leaves: this game is not kept; v saves it");
        Next::Stay
    }

    /// What is said of the game to those who return to the shell.
    pub(super) fn farewell(&self) -> String {
        let saved = self.save_as_asked().map_or_else(String::new, |saved| match saved {
            Ok(sentence) | Err(sentence) => format!("\n{sentence}"),
        });
        let game = self.game();
        let unfinished = game.turns() > 0 && !self.is_over();
        let words = match self.keeping.why_not() {
            None if unfinished => "\n`lab2048 play` goes on with it".to_owned(),
            Some(reason) if self.would_be_lost() => format!("\nthis game is not kept: {reason}"),
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

    /// Keeps the person's own score if it counts and is the best one: also of a game that is given up, or taken back later.
    pub(super) fn keep_best(&self, shared: &mut Shared) {
        let (kind, score) = (kind_of(self.game().rules()), self.own_score());
        if score > shared.store.best(&kind) && self.is_comparable() {
            shared.store.update(|kept| {
                let best = &mut kept.played.entry(kind).or_default().best;
                *best = score.max(*best);
            });
        }
    }

    /// Adds the game to the statistics, once: not again after its end was taken back. Games with help are a kind of their own.
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

    /// Saves the game where the command line says; says so.
    pub(super) fn save_as_asked(&self) -> Option<Result<String, String>> {
        let save = self.save.as_ref()?;
        let write = |replay| save.write(&replay).map_err(|failure| failure.to_string());
        let written = self.replay().and_then(write);
        Some(written.map(|path| format!("saved as {}", path.display())))
    }

    /// The best score, the person's own part of this game included where it counts.
    pub(super) fn best(&self, shared: &Shared) -> u64 {
        let own = if self.is_comparable() { self.own_score() } else { 0 };
        shared.store.best(&kind_of(self.game().rules())).max(own)
    }
}
