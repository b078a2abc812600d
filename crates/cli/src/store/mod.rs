//! The state that is stored between runs: best scores, statistics, settings and the unfinished
//! games, one for each size of board.
//!
//! `state.json` and `unfinished-4x4.2048` and so on (replays) are in `$LAB2048_HOME`, or otherwise
//! in `lab2048` in the user's data folder. They are written atomically. A file that cannot be read
//! is renamed and reported in one sentence. A problem with these files never stops a game.
//!
//! `unfinished` owns the files of the games, `user_game` the game that is played.

mod unfinished;
mod user_game;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab2048::board::Size;
use lab2048::files::{read_limited, user_folder, write_whole};
use lab2048::game::{Game, GameResult, IdleMove, Probability, Rules};
use lab2048::text::in_words;
use serde::{Deserialize, Serialize};

use crate::practice::Mistakes;
pub(crate) use unfinished::GameNotes;
pub(crate) use user_game::{Keeping, LONGEST_THOUGHT, UserGame, Wanted};

/// The version of `state.json`. Version 1 had one unfinished game, in `unfinished.2048`.
const VERSION: u32 = 2;
const MOST_BYTES: u64 = 4 << 20;
/// The maximum number of players with statistics.
const MOST_PLAYERS: usize = 100;

/// The content of `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    version: u32,
    /// The user's games, by kind of game.
    pub(crate) played: BTreeMap<String, GameTally>,
    /// Watched games, by player and kind of game.
    pub(crate) watched: BTreeMap<String, GameTally>,
    /// Whether moves are animated.
    pub(crate) animation: bool,
    /// The player that gives hints.
    pub(crate) coach: String,
    /// The player that was watched last.
    pub(crate) watch: String,
    /// What is known of the unfinished games besides their moves, by size.
    unfinished: BTreeMap<String, GameNotes>,
    /// The same of the one game of version 1, until its file is renamed.
    #[serde(flatten, skip_serializing_if = "unfinished::OldNotes::is_empty")]
    old: unfinished::OldNotes,
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
            unfinished: BTreeMap::new(),
            old: unfinished::OldNotes::default(),
        }
    }
}

/// Statistics of several games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GameTally {
    pub(crate) games: u64,
    pub(crate) best: u64,
    /// The sum of the scores.
    pub(crate) points: f64,
    pub(crate) moves: u64,
    pub(crate) seconds: f64,
    /// The number of games for each largest tile.
    pub(crate) largest: BTreeMap<u64, u64>,
}

impl GameTally {
    /// Adds a game.
    pub(crate) fn add(&mut self, game: &Game, time: Duration) {
        let GameResult { score, largest, moves, .. } = game.result();
        self.games += 1;
        self.best = self.best.max(score);
        self.points += score as f64;
        self.moves += moves;
        self.seconds += time.as_secs_f64();
        *self.largest.entry(largest).or_default() += 1;
    }

    /// Adds all games of another tally.
    pub(crate) fn join(&mut self, other: &GameTally) {
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
    pub(crate) fn mean(&self) -> f64 {
        if self.games == 0 { 0.0 } else { self.points / self.games as f64 }
    }
}

/// The kind of a game. Only games of the same kind are compared.
pub(crate) fn kind_of(rules: &Rules) -> String {
    let mut kind = rules.size.to_string();
    if rules.idle == IdleMove::Spawns {
        kind.push_str(" course");
    }
    if rules.four != Probability::TENTH {
        kind.push_str(&format!(" four={}", rules.four));
    }
    kind
}

/// The stored state and its folder.
pub(crate) struct Store {
    /// `None` if nothing can be stored.
    folder: Option<PathBuf>,
    /// Why nothing can be stored.
    why_not: Option<String>,
    kept: Kept,
    /// Whether `kept` is all that was stored before.
    is_read: bool,
    notice: Option<String>,
    /// The size of the game that is played here, and the lock on its file. No other window can open
    /// it meanwhile.
    claim: Option<(Size, File)>,
}

impl Store {
    /// Opens the store of the user.
    pub(crate) fn open() -> Store {
        match user_folder() {
            Some(folder) => Store::at(&folder),
            None => Store::without_a_home(),
        }
    }

    /// A store for a user without a known home folder.
    pub(crate) fn without_a_home() -> Store {
        let mut store = Store::nowhere();
        store.give_up("there is no home folder; set LAB2048_HOME to a folder".to_owned());
        store
    }

    /// A store that keeps nothing between runs.
    pub(crate) fn nowhere() -> Store {
        Store {
            folder: None,
            why_not: None,
            kept: Kept::default(),
            is_read: false,
            notice: None,
            claim: None,
        }
    }

    /// The store in a folder.
    pub(crate) fn at(folder: &Path) -> Store {
        let mut store = Store { folder: Some(folder.to_owned()), ..Store::nowhere() };
        if let Err(error) = fs::create_dir_all(folder) {
            store.give_up(format!("cannot create {}: {}", folder.display(), in_words(&error)));
            return store;
        }
        // Existing files can be read even if nothing can be written.
        store.read();
        let written = tempfile::Builder::new().prefix(".lab2048-").tempfile_in(folder);
        if let Err(error) = written.map(drop) {
            store.give_up(format!("cannot write in {}: {}", folder.display(), in_words(&error)));
        }
        store.adopt_old_game();
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
    pub(crate) fn why_not(&self) -> Option<&str> {
        self.folder.is_none().then(|| self.why_not.as_deref().unwrap_or("there is no folder for it"))
    }

    /// The list of mistakes in the same folder.
    pub(crate) fn mistakes(&self) -> Mistakes {
        Mistakes::in_folder(self.folder.clone())
    }

    /// Why the stored state is not known, if that is so. A damaged file that was renamed is no
    /// reason: nothing is stored now.
    pub(crate) fn why_unread(&self) -> Option<&str> {
        self.why_not().filter(|_| !self.is_read)
    }

    /// The stored state.
    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The notice about the files for the user. It is returned only once.
    pub(crate) fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// The best score of a kind of game.
    pub(crate) fn best(&self, kind: &str) -> u64 {
        self.kept.played.get(kind).map_or(0, |tally| tally.best)
    }

    fn lock_file(&self, name: &str) -> Option<File> {
        File::options().create(true).truncate(false).write(true).open(self.path(name)?).ok()
    }

    /// Changes the stored state. The file is locked and read again first, because another window
    /// may have changed it.
    pub(crate) fn update(&mut self, change: impl FnOnce(&mut Kept)) {
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
    pub(crate) fn add_watched(&mut self, name: &str, tally: &GameTally) {
        if tally.games == 0 {
            return;
        }
        self.update(|kept| {
            if kept.watched.len() < MOST_PLAYERS || kept.watched.contains_key(name) {
                kept.watched.entry(name.to_owned()).or_default().join(tally);
            }
        });
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    fn read(&mut self) {
        let Some(path) = self.path("state.json") else { return };
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => {
                self.is_read = true;
                return;
            }
            Err(error) => {
                return self.give_up(format!("cannot read {}: {}", path.display(), in_words(&error)));
            }
        }
        let read = read_limited(&path, MOST_BYTES).map_err(|error| error.to_string());
        match read.and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).map_err(|error| error.to_string()))
        {
            Ok(kept) if kept.version > VERSION => {
                self.give_up(format!("{} was written by a newer lab2048 and is not changed", path.display()));
            }
            Ok(kept) => (self.kept, self.is_read) = (Kept { version: VERSION, ..kept }, true),
            Err(reason) => {
                self.put_aside(&path, &reason);
                self.is_read = self.folder.is_some();
            }
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

#[cfg(test)]
mod tests;
