//! What remains of a person's game: the kept game, its best score, its place in the statistics, its replay.

use std::time::Instant;

use lab2048::game::{Game, Replay};

use super::super::screen::Shared;
use super::super::store::{GameNotes, kind_of};
use super::Play;
use super::coach::Helper;
use crate::replay_file;

impl Play {
    /// Whether the game began with the seed's own tiles, ends where the rules end it, and a person alone has played it: others
    /// are no records.
    pub(super) fn counts(&self) -> bool {
        let start = self.history.before(0).unwrap_or(self.game());
        self.unaided && !self.setup.has_limits() && *start == Game::new(start.rules().clone(), start.seed())
    }

    /// The game so far, and who played it.
    pub(super) fn replay(&self) -> Result<Replay, String> {
        let replay = Replay::of_history(&self.history).map_err(|error| error.to_string())?;
        Ok(match &self.helper {
            _ if self.unaided => replay.by("human"),
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
        self.keep_best(shared);
        let begun = self.game().turns() > 0;
        // A game that has not begun is no loss, and leaves alone what is kept of another one.
        if !self.keeps || !(begun || self.is_kept) {
            return;
        }
        if begun && !self.is_over() {
            let (unaided, counted) = (self.unaided, self.counted);
            shared.store.keep_game(&self.history, GameNotes { time: self.time, unaided, counted });
            self.is_kept = true;
        } else {
            shared.store.forget_game();
            self.is_kept = false;
        }
    }

    /// Keeps the score if it counts and is the best one: also of a game that is given up, or taken back later.
    pub(super) fn keep_best(&self, shared: &mut Shared) {
        let (kind, score) = (kind_of(self.game().rules()), self.game().score());
        if score > shared.store.best(&kind) && self.counts() {
            shared.store.update(|kept| {
                let best = &mut kept.played.entry(kind).or_default().best;
                *best = score.max(*best);
            });
        }
    }

    /// Adds the game to the statistics, once: not again after its end was taken back.
    pub(super) fn count(&mut self, shared: &mut Shared) {
        if self.counted || !self.counts() {
            return;
        }
        self.counted = true;
        let (game, time) = (self.history.game(), self.time);
        shared.store.update(|kept| kept.played.entry(kind_of(game.rules())).or_default().add(game, time));
    }

    /// Saves the game where the command line says; says so.
    pub(super) fn save_as_asked(&self) -> Option<Result<String, String>> {
        let path = self.save.as_ref()?;
        let write = |replay| {
            replay_file::write_numbered(path, self.number, &replay).map_err(|failure| failure.to_string())
        };
        let written = self.replay().and_then(write);
        Some(written.map(|path| format!("saved as {}", path.display())))
    }

    /// The best score, this game's included where it counts.
    pub(super) fn best(&self, shared: &Shared) -> u64 {
        let own = if self.counts() { self.game().score() } else { 0 };
        shared.store.best(&kind_of(self.game().rules())).max(own)
    }
}
