//! The recording of a watched game, and saving it.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use lab2048::game::{
    Decision, Game, GameStart, Player, PlayerError, Recorder, Refusal, Replay, Situation, Turn,
};

use super::super::ending::Message;
use super::super::events::Mail;
use super::super::parts;
use super::{Control, Job};
use crate::failure::Outcome;
use crate::replay_file;

/// The recording of the current game. It can be saved without waiting for the player.
pub(in super::super) struct Recorded {
    recorder: Recorder,
    /// The game. It is up to date only if games are saved.
    game: Game,
    network: Option<String>,
}

impl Recorded {
    /// Starts a recording. `None` if the game cannot be recorded.
    pub(super) fn begin(game: &Game) -> Option<Recorded> {
        let recorder = Recorder::new(game).ok()?;
        Some(Recorded { recorder, game: game.clone(), network: None })
    }

    /// Records a move, and the game after it if games are saved. Returns whether it still fits into
    /// a replay.
    pub(super) fn push(&mut self, turn: &Turn, game: Option<&Game>) -> bool {
        if let Some(game) = game {
            self.game = game.clone();
        }
        self.recorder.push(turn).is_ok()
    }
}

/// The results of saving games.
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
    /// Adds a game: the file that it was written to, or the error.
    pub(in super::super) fn add(&mut self, written: Outcome<PathBuf>) {
        match written {
            Ok(last) => {
                let before = self.written.as_ref().map_or(0, |written| written.games);
                self.written = Some(Written { games: before + 1, last });
            }
            Err(failure) => self.failure = Some(failure.to_string()),
        }
    }

    /// The message about saved games, and whether it is an error. `None` if no game was to be
    /// saved.
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

    /// Saves the replay of a game, if games are saved.
    pub(super) fn save(&self, replay: &Replay) -> Option<Outcome<PathBuf>> {
        Some(self.save.as_ref()?.write(replay))
    }

    /// Saves an unfinished game up to the current move, unless it has no moves.
    pub(in super::super) fn save_broken_off(&self, recorded: Recorded) -> Option<Outcome<PathBuf>> {
        let game = recorded.game.clone();
        let save = self.save.is_some() && game.turns() > 0;
        save.then(|| self.replay(recorded, &game, None)).and_then(|replay| self.save(&replay))
    }
}

/// Wraps a player to note its network, and that it is ready, when a game begins. Later, while the
/// player thinks, it cannot be asked.
pub(super) struct Noting<'a> {
    pub(super) player: &'a mut dyn Player,
    pub(super) control: &'a Control,
    pub(super) mail: &'a Mail,
}

impl Player for Noting<'_> {
    fn inner(&self) -> Option<&dyn Player> {
        Some(&*self.player)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        Some(&mut *self.player)
    }

    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
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
}
