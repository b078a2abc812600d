//! The recording of a watched game, and where it is saved.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use lab2048::game::{
    Cannot, Decision, Game, GameStart, Player, PlayerError, PlayerFacts, QuickPlayer, Recorder, Replay,
    Situation, Turn,
};

use super::super::ending::Message;
use super::super::events::Mail;
use super::super::parts;
use super::{Control, Job};
use crate::failure::Outcome;
use crate::replay_file;

/// A game under way, as far as it has been recorded: also those who no longer wait for the player
/// can save it.
pub(in super::super) struct Recorded {
    recorder: Recorder,
    /// The game; only where games are saved it is the newest.
    game: Game,
    network: Option<String>,
}

impl Recorded {
    /// A game that begins; none if it cannot be recorded.
    pub(super) fn begin(game: &Game) -> Option<Recorded> {
        let recorder = Recorder::new(game).ok()?;
        Some(Recorded { recorder, game: game.clone(), network: None })
    }

    /// Records a move, and the game after it where games are saved; whether it still fits into a
    /// replay.
    pub(super) fn push(&mut self, turn: &Turn, game: Option<&Game>) -> bool {
        if let Some(game) = game {
            self.game = game.clone();
        }
        self.recorder.push(turn).is_ok()
    }
}

/// What became of the games that were to be saved.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Saved {
    written: Option<Written>,
    failure: Option<String>,
}

/// The games that were written.
#[derive(Clone, Debug)]
struct Written {
    games: u64,
    last: PathBuf,
}

impl Saved {
    /// Adds a game: the file that it was written to, or why it was not written.
    pub(in super::super) fn add(&mut self, written: Outcome<PathBuf>) {
        match written {
            Ok(last) => {
                let before = self.written.as_ref().map_or(0, |written| written.games);
                self.written = Some(Written { games: before + 1, last });
            }
            Err(failure) => self.failure = Some(failure.to_string()),
        }
    }

    /// What to say about it, and whether that is bad news; none if no game was to be saved.
    pub(in super::super) fn message(&self) -> Option<Message> {
        let saved = self.written.as_ref().map(|Written { games, last }| match games {
            1 => format!("saved as {}", last.display()),
            _ => format!("{} saved, the last one as {}", parts::many(*games, "game"), last.display()),
        });
        let sentences: Vec<String> = self.failure.clone().into_iter().chain(saved).collect();
        (!sentences.is_empty()).then(|| (sentences.join("; "), self.failure.is_some()))
    }
}

impl Job {
    /// The replay of a game of this job.
    pub(super) fn replay(&self, recorded: Recorded, game: &Game, error: Option<&str>) -> Replay {
        replay_file::finished(recorded.recorder, game, &self.spec.to_string(), recorded.network, error)
    }

    /// Saves the replay of a game, where games are saved.
    pub(super) fn save(&self, replay: &Replay) -> Option<Outcome<PathBuf>> {
        Some(self.save.as_ref()?.write(replay))
    }

    /// Saves a game that was broken off, as far as it went. A game without moves is no loss.
    pub(in super::super) fn save_broken_off(&self, recorded: Recorded) -> Option<Outcome<PathBuf>> {
        let game = recorded.game.clone();
        let save = self.save.is_some() && game.turns() > 0;
        save.then(|| self.replay(recorded, &game, None)).and_then(|replay| self.save(&replay))
    }
}

/// A player whose network is noted when a game begins, and that it is ready: while it thinks, it
/// cannot be asked.
pub(super) struct Noting<'a> {
    pub(super) player: &'a mut dyn Player,
    pub(super) control: &'a Control,
    pub(super) mail: &'a Mail,
}

impl Player for Noting<'_> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.player.start(game)?;
        if !self.control.ready.swap(true, Ordering::Relaxed) {
            self.mail.wake();
        }
        let network = self.player.facts().fingerprint.on(game.board);
        if let Some(recorded) = self.control.recorded().as_mut() {
            recorded.network = network;
        }
        Ok(())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        self.player.choose(situation)
    }

    fn end(&mut self, game: &Game) {
        self.player.end(game);
    }

    fn facts(&self) -> PlayerFacts<'_> {
        self.player.facts()
    }

    fn remark(&self) -> Option<String> {
        self.player.remark()
    }

    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        self.player.quick()
    }
}
