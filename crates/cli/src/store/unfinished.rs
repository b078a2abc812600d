//! The files of the unfinished games, one for each size of board.

use std::fs::{self, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lab2048::board::Size;
use lab2048::files::{read_limited, write_whole};
use lab2048::game::{Game, History, Replay};
use lab2048::text::in_words;
use serde::{Deserialize, Serialize};

use super::Store;

/// The one game of version 1, and its lock.
const OLD_GAME: &str = "unfinished.2048";
const OLD_LOCK: &str = "game.lock";

/// The player of a replay that the user played alone.
const UNAIDED: &str = "human";
const AIDED: &str = "human with help";

/// A game that was left unfinished.
pub(crate) struct Unfinished {
    pub(crate) history: History,
    pub(crate) notes: GameNotes,
}

/// What is stored about a game besides its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GameNotes {
    /// The playing time, in seconds.
    pub(crate) seconds: f64,
    /// The number of turns before the coach's first one, if the coach has played.
    pub(crate) helped_from: Option<u64>,
    /// Whether the game had ended before and is already in the statistics.
    pub(crate) counted: bool,
}

impl GameNotes {
    pub(crate) fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.seconds).unwrap_or_default()
    }
}

/// The notes about the one game of version 1, under the names that they had there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct OldNotes {
    unfinished_seconds: Option<f64>,
    unfinished_counted: Option<bool>,
    unfinished_helped_from: Option<u64>,
}

impl OldNotes {
    pub(super) fn is_empty(&self) -> bool {
        *self == OldNotes::default()
    }
}

impl Store {
    /// Locks the unfinished game of this size, or the place of the next one, for this window. The
    /// error says why a game played here cannot be saved. The system releases the lock when a
    /// program ends, however it ends.
    pub(crate) fn claim_game(&mut self, size: Size) -> Result<(), String> {
        if let Some(reason) = self.why_not() {
            return Err(reason.to_owned());
        }
        if self.claim.as_ref().is_some_and(|(claimed, _)| *claimed == size) {
            return Ok(());
        }
        self.claim = None;
        // A file system without locks is no reason not to save a game.
        let Some(file) = self.lock_file(&format!("game-{size}.lock")) else { return Ok(()) };
        match file.try_lock() {
            Ok(()) => self.claim = Some((size, file)),
            Err(TryLockError::WouldBlock) => {
                return Err(format!("your {size} game is open in another window"));
            }
            Err(TryLockError::Error(_)) => {}
        }
        Ok(())
    }

    /// Unlocks the game for other windows.
    pub(crate) fn release_game(&mut self) {
        self.claim = None;
    }

    /// The sizes of the unfinished games, the one that was played last first.
    pub(crate) fn unfinished_sizes(&self) -> Vec<Size> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut games: Vec<(SystemTime, Size)> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let size: Size = name.strip_prefix("unfinished-")?.strip_suffix(".2048")?.parse().ok()?;
                // `04x4` would be another name of the same size.
                let data = (name == file_name(size)).then(|| entry.metadata().ok())??;
                data.is_file().then(|| (data.modified().unwrap_or(SystemTime::UNIX_EPOCH), size))
            })
            .collect();
        games.sort_by(|one, other| {
            other
                .0
                .cmp(&one.0)
                .then_with(|| (one.1.rows(), one.1.cols()).cmp(&(other.1.rows(), other.1.cols())))
        });
        games.into_iter().map(|(_, size)| size).collect()
    }

    /// The unfinished game of this size, if there is one.
    pub(crate) fn unfinished(&mut self, size: Size) -> Option<Unfinished> {
        let path = self.game_path(size).filter(|path| path.exists())?;
        // Another window may have stored the game, so its notes are read again too.
        self.read();
        let notes = self.kept.unfinished.get(&size.to_string()).copied().unwrap_or_default();
        let read = read_game(&path).and_then(|game| match game.history.game().rules().size {
            found if found == size => Ok(game),
            found => Err(format!("it is a game of {found}")),
        });
        match read {
            Ok(game) => {
                let helped_from = game.aided.then_some(notes.helped_from.unwrap_or(0));
                Some(Unfinished { history: game.history, notes: GameNotes { helped_from, ..notes } })
            }
            Err(reason) => {
                self.put_aside(&path, &reason);
                None
            }
        }
    }

    /// Stores a game that is not over. The error says why that failed.
    pub(crate) fn keep_game(&mut self, history: &History, notes: GameNotes) -> Result<(), String> {
        let size = history.game().rules().size;
        let Some(path) = self.game_path(size) else {
            return Err(self.why_not().unwrap_or_default().to_owned());
        };
        let player = if notes.helped_from.is_none() { UNAIDED } else { AIDED };
        let replay = Replay::of_history(history).map_err(|error| error.to_string())?;
        let text = replay.by(player).to_text();
        write_whole(&path, |out| out.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
        self.update(|kept| {
            kept.unfinished.insert(size.to_string(), notes);
        });
        Ok(())
    }

    /// Removes the stored game of this size.
    pub(crate) fn forget_game(&mut self, size: Size) {
        let Some(path) = self.game_path(size) else { return };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                self.note(format!("cannot remove {}: {}", path.display(), in_words(&error)));
            }
            _ => {}
        }
    }

    /// Gives the one game of version 1 the name of its size. Does nothing while an older lab2048
    /// plays it.
    pub(super) fn adopt_old_game(&mut self) {
        let Some(old) = self.path(OLD_GAME).filter(|path| path.is_file()) else { return };
        let Some(lock) = self.lock_file(OLD_LOCK) else { return };
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return;
        }
        let size = match read_game(&old) {
            Ok(game) => game.history.game().rules().size,
            Err(reason) => return self.put_aside(&old, &reason),
        };
        let Some(new) = self.game_path(size).filter(|path| !path.exists()) else { return };
        // The notes come first: without them, the file would count as a new game.
        self.update(|kept| {
            let old = std::mem::take(&mut kept.old);
            if !old.is_empty() {
                let notes = GameNotes {
                    seconds: old.unfinished_seconds.unwrap_or_default(),
                    helped_from: old.unfinished_helped_from,
                    counted: old.unfinished_counted.unwrap_or_default(),
                };
                kept.unfinished.insert(size.to_string(), notes);
            }
        });
        if let Err(error) = fs::rename(&old, &new) {
            self.note(format!("cannot rename {}: {}", old.display(), in_words(&error)));
        }
    }

    fn game_path(&self, size: Size) -> Option<PathBuf> {
        self.path(&file_name(size))
    }
}

fn file_name(size: Size) -> String {
    format!("unfinished-{size}.2048")
}

/// A game that was read from its file.
struct ReadGame {
    history: History,
    /// Whether the coach has played.
    aided: bool,
}

fn read_game(path: &Path) -> Result<ReadGame, String> {
    let bytes = read_limited(path, Replay::MOST_BYTES).map_err(|error| error.to_string())?;
    let replay = Replay::from_text(&bytes).map_err(|error| error.to_string())?;
    let aided = replay.header().player.as_deref() != Some(UNAIDED);
    Ok(ReadGame { history: replayed(&replay)?, aided })
}

/// Rebuilds a game by replaying all its moves.
fn replayed(replay: &Replay) -> Result<History, String> {
    let header = replay.header();
    let seed = header.seed.ok_or("it has no seed")?;
    replay.verify().map_err(|fault| fault.to_string())?;
    let mut history = History::new(Game::from_board(header.rules.clone(), seed, header.start.clone()));
    for step in replay.steps() {
        history.play(step.action()).map_err(|error| error.to_string())?;
    }
    match history.game().ending() {
        Some(ending) => Err(format!("the game is over: {ending}")),
        None => Ok(history),
    }
}
