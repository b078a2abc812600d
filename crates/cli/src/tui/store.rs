//! The state that is stored between runs: best scores, statistics, settings and the unfinished
//! game.
//!
//! `state.json` and `unfinished.2048` (a replay) are in `$LAB2048_HOME`, or otherwise in `lab2048`
//! in the user's data folder. They are written atomically. A file that cannot be read is renamed
//! and reported in one sentence. A problem with these files never stops a game.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab2048::files::{read_limited, user_folder, write_whole};
use lab2048::game::{Game, GameResult, History, IdleMove, Probability, Replay, Rules};
use lab2048::text::in_words;
use serde::{Deserialize, Serialize};

use crate::practice::Mistakes;

/// The version of `state.json`.
const VERSION: u32 = 1;
const MOST_BYTES: u64 = 4 << 20;
/// The maximum number of players with statistics.
const MOST_PLAYERS: usize = 100;

/// The content of `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    version: u32,
    /// The user's games, by kind of game.
    pub(super) played: BTreeMap<String, GameTally>,
    /// Watched games, by player and kind of game.
    pub(super) watched: BTreeMap<String, GameTally>,
    /// Whether moves are animated.
    pub(super) animation: bool,
    /// The player that gives hints.
    pub(super) coach: String,
    /// The player that was watched last.
    pub(super) watch: String,
    /// The playing time of the unfinished game, in seconds.
    unfinished_seconds: f64,
    /// Whether the unfinished game had ended before and is already in the statistics.
    unfinished_counted: bool,
    /// The number of turns of the unfinished game before the coach's first one.
    unfinished_helped_from: u64,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept {
            version: VERSION,
            played: BTreeMap::new(),
            watched: BTreeMap::new(),
            animation: true,
            coach: "auto".to_owned(),
            watch: "auto".to_owned(),
            unfinished_seconds: 0.0,
            unfinished_counted: false,
            unfinished_helped_from: 0,
        }
    }
}

/// Statistics of several games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct GameTally {
    pub(super) games: u64,
    pub(super) best: u64,
    /// The sum of the scores.
    pub(super) points: f64,
    pub(super) moves: u64,
    pub(super) seconds: f64,
    /// The number of games for each largest tile.
    pub(super) largest: BTreeMap<u64, u64>,
}

impl GameTally {
    /// Adds a game.
    pub(super) fn add(&mut self, game: &Game, time: Duration) {
        let GameResult { score, largest, moves, .. } = game.result();
        self.games += 1;
        self.best = self.best.max(score);
        self.points += score as f64;
        self.moves += moves;
        self.seconds += time.as_secs_f64();
        *self.largest.entry(largest).or_default() += 1;
    }

    /// Adds all games of another tally.
    pub(super) fn join(&mut self, other: &GameTally) {
        self.games += other.games;
        self.best = self.best.max(other.best);
        self.points += other.points;
        self.moves += other.moves;
        self.seconds += other.seconds;
        for (tile, games) in &other.largest {
            *self.largest.entry(*tile).or_default() += games;
        }
    }

    /// The mean score.
    pub(super) fn mean(&self) -> f64 {
        if self.games == 0 { 0.0 } else { self.points / self.games as f64 }
    }
}

/// The kind of a game. Only games of the same kind are compared.
pub(super) fn kind_of(rules: &Rules) -> String {
    let mut kind = rules.size.to_string();
    if rules.idle == IdleMove::Spawns {
        kind.push_str(" course");
    }
    if rules.four != Probability::TENTH {
        kind.push_str(&format!(" four={}", rules.four));
    }
    kind
}

/// A game that was left unfinished.
pub(super) struct Unfinished {
    pub(super) history: History,
    pub(super) time: Duration,
    /// The number of turns before the coach's first one, if the coach has played.
    pub(super) helped_from: Option<u64>,
    /// Whether it is already in the statistics.
    pub(super) counted: bool,
}

/// What is stored about a game besides its moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameNotes {
    /// The playing time.
    pub(super) time: Duration,
    /// The number of turns before the coach's first one, if the coach has played.
    pub(super) helped_from: Option<u64>,
    /// Whether it is already in the statistics.
    pub(super) counted: bool,
}

/// The stored state and its folder.
pub(super) struct Store {
    /// `None` if nothing can be stored.
    folder: Option<PathBuf>,
    /// Why nothing can be stored.
    why_not: Option<String>,
    kept: Kept,
    notice: Option<String>,
    /// The lock on the stored game, held while it is played here. No other window can open it
    /// meanwhile.
    claim: Option<File>,
}

impl Store {
    /// Opens the store of the user.
    pub(super) fn open() -> Store {
        match user_folder() {
            Some(folder) => Store::at(&folder),
            None => Store::without_a_home(),
        }
    }

    /// A store for a user without a known home folder.
    pub(super) fn without_a_home() -> Store {
        let mut store = Store::nowhere();
        store.give_up("there is no home folder; set LAB2048_HOME to a folder".to_owned());
        store
    }

    /// A store that keeps nothing between runs.
    pub(super) fn nowhere() -> Store {
        Store { folder: None, why_not: None, kept: Kept::default(), notice: None, claim: None }
    }

    /// The store in a folder.
    pub(super) fn at(folder: &Path) -> Store {
        let mut store = Store { folder: Some(folder.to_owned()), ..Store::nowhere() };
        if let Err(error) = fs::create_dir_all(folder) {
            store.give_up(format!("cannot create {}: {}", folder.display(), in_words(&error)));
            return store;
        }
        // Existing files can be read even if nothing can be written.
        store.read();
        let written = tempfile::Builder::new().prefix(".lab2048-").tempfile_in(folder);
        if let Err(error) = written.map(drop) {
            store.give_up(format!("cannot write in {}: {}", folder.display(), error.kind()));
        }
        store
    }

    /// Adds a sentence to the notice for the user.
    fn note(&mut self, sentence: String) {
        match &mut self.notice {
            None => self.notice = Some(sentence),
            Some(notice) if notice.contains(&sentence) => {}
            Some(notice) => *notice = format!("{notice}; {sentence}"),
        }
    }

    /// Stops storing anything, for this reason.
    fn give_up(&mut self, reason: String) {
        if self.why_not.is_none() {
            self.note(format!("games and best scores cannot be saved: {reason}"));
            self.why_not = Some(reason);
        }
        self.folder = None;
    }

    /// Why nothing can be stored, if that is so.
    pub(super) fn why_not(&self) -> Option<&str> {
        self.folder.is_none().then(|| self.why_not.as_deref().unwrap_or("there is no folder for it"))
    }

    /// The list of mistakes in the same folder.
    pub(super) fn mistakes(&self) -> Mistakes {
        Mistakes::in_folder(self.folder.clone())
    }

    /// The stored state.
    pub(super) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The notice about the files for the user. It is returned only once.
    pub(super) fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// The best score of a kind of game.
    pub(super) fn best(&self, kind: &str) -> u64 {
        self.kept.played.get(kind).map_or(0, |tally| tally.best)
    }

    /// Locks the unfinished game, or the place of the next one, for this window. The error says why
    /// a game played here cannot be saved. The system releases the lock when a program ends,
    /// however it ends.
    pub(super) fn claim_game(&mut self) -> Result<(), String> {
        if let Some(reason) = self.why_not() {
            return Err(reason.to_owned());
        }
        // A file system without locks is no reason not to save a game.
        let Some(file) = self.lock_file("game.lock").filter(|_| self.claim.is_none()) else { return Ok(()) };
        match file.try_lock() {
            Ok(()) => self.claim = Some(file),
            Err(TryLockError::WouldBlock) => return Err("your game is open in another window".to_owned()),
            Err(TryLockError::Error(_)) => {}
        }
        Ok(())
    }

    /// Unlocks the game for other windows.
    pub(super) fn release_game(&mut self) {
        self.claim = None;
    }

    fn lock_file(&self, name: &str) -> Option<File> {
        File::options().create(true).truncate(false).write(true).open(self.path(name)?).ok()
    }

    /// Changes the stored state. The file is locked and read again first, because another window
    /// may have changed it.
    pub(super) fn update(&mut self, change: impl FnOnce(&mut Kept)) {
        // The lock lasts as long as the file is open.
        let _locked = self.lock_file("state.lock").inspect(|file| {
            let _ = file.lock();
        });
        self.read();
        change(&mut self.kept);
        let Some(path) = self.path("state.json") else { return };
        // Serializing to a string cannot fail: every key is a string or a number.
        let text = serde_json::to_string_pretty(&self.kept).unwrap_or_default();
        if let Err(error) = write_whole(&path, |out| writeln!(out, "{text}")) {
            self.note(error.to_string());
        }
    }

    /// Adds watched games.
    pub(super) fn add_watched(&mut self, name: &str, tally: &GameTally) {
        if tally.games == 0 {
            return;
        }
        self.update(|kept| {
            if kept.watched.len() < MOST_PLAYERS || kept.watched.contains_key(name) {
                kept.watched.entry(name.to_owned()).or_default().join(tally);
            }
        });
    }

    /// Removes the stored game.
    pub(super) fn forget_game(&mut self) {
        let Some(path) = self.path("unfinished.2048") else { return };
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                self.note(format!("cannot remove {}: {}", path.display(), in_words(&error)));
            }
            _ => {}
        }
    }

    /// Stores a game that is not over. The error says why that failed.
    pub(super) fn keep_game(&mut self, history: &History, notes: GameNotes) -> Result<(), String> {
        let Some(path) = self.path("unfinished.2048") else {
            return Err(self.why_not().unwrap_or_default().to_owned());
        };
        let player = if notes.helped_from.is_none() { UNAIDED } else { AIDED };
        let replay = Replay::of_history(history).map_err(|error| error.to_string())?;
        let text = replay.by(player).to_text();
        write_whole(&path, |out| out.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
        self.update(|kept| {
            kept.unfinished_seconds = notes.time.as_secs_f64();
            kept.unfinished_counted = notes.counted;
            kept.unfinished_helped_from = notes.helped_from.unwrap_or(0);
        });
        Ok(())
    }

    /// The unfinished game, if there is one.
    pub(super) fn unfinished(&mut self) -> Option<Unfinished> {
        let path = self.path("unfinished.2048").filter(|path| path.exists())?;
        // Another window may have stored the game, so its notes are read again too.
        self.read();
        let read = read_limited(&path, Replay::MOST_BYTES).map_err(|error| error.to_string());
        let history = read.and_then(|bytes| {
            let replay = Replay::from_text(&bytes).map_err(|error| error.to_string())?;
            let unaided = replay.header().player.as_deref() == Some(UNAIDED);
            Ok((replayed(&replay)?, unaided))
        });
        match history {
            Ok((history, unaided)) => {
                let time = Duration::try_from_secs_f64(self.kept.unfinished_seconds).unwrap_or_default();
                let helped_from = (!unaided).then_some(self.kept.unfinished_helped_from);
                Some(Unfinished { history, time, helped_from, counted: self.kept.unfinished_counted })
            }
            Err(reason) => {
                self.put_aside(&path, &reason);
                None
            }
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    fn read(&mut self) {
        let Some(path) = self.path("state.json").filter(|path| path.exists()) else { return };
        let read = read_limited(&path, MOST_BYTES).map_err(|error| error.to_string());
        match read.and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).map_err(|error| error.to_string()))
        {
            Ok(kept) if kept.version > VERSION => {
                self.give_up(format!("{} was written by a newer lab2048 and is not changed", path.display()));
            }
            Ok(kept) => self.kept = kept,
            Err(reason) => self.put_aside(&path, &reason),
        }
    }

    /// Renames a damaged file, so that it is not lost and not in the way.
    fn put_aside(&mut self, path: &Path, reason: &str) {
        let aside = (1..).map(|number: u32| {
            let mut name = path.as_os_str().to_owned();
            name.push(if number == 1 { ".bad".to_owned() } else { format!(".bad{number}") });
            PathBuf::from(name)
        });
        let free = aside.take(100).find(|aside| !aside.exists());
        let moved = free.and_then(|aside| fs::rename(path, &aside).is_ok().then_some(aside));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match moved {
            Some(aside) => {
                let aside = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.note(format!("{name} could not be used and is now {aside}: {reason}"));
            }
            None => self.give_up(format!("{name} cannot be used: {reason}")),
        }
    }
}

const UNAIDED: &str = "human";
const AIDED: &str = "human with help";

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

#[cfg(test)]
mod tests;
