//! Reading and writing replay files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use lab2048::files::{FileError, check_writable, numbered, read_limited, write_new};
use lab2048::game::replay::ReplayError;
use lab2048::game::{Game, Recorder, Replay};

use crate::failure::{Failure, Outcome};
use crate::place;

/// Reads a replay of any known kind: ours, or the replay text of 2048verse.
pub(crate) fn read(path: &Path) -> Outcome<Replay> {
    Replay::read_any(&read_bytes(path)?).map_err(|error| no_replay(path, &error))
}

/// The failure for a file that is not a replay.
pub(crate) fn no_replay(path: &Path, error: &ReplayError) -> Failure {
    Failure::BadInput(format!("{}: {error}", path.display()))
}

/// Reads a replay and checks that all its steps can be played.
pub(crate) fn read_playable(path: &Path) -> Outcome<Replay> {
    let replay = read(path)?;
    let playable = replay.positions().try_for_each(|position| position.map(drop));
    playable.map_err(|fault| {
        Failure::BadInput(format!("{}: the replay is not valid: {fault}", path.display()))
    })?;
    Ok(replay)
}

/// Reads the bytes of a file, up to the longest replay.
pub(crate) fn read_bytes(path: &Path) -> Outcome<Vec<u8>> {
    read_limited(path, Replay::MOST_BYTES).map_err(Failure::bad_input)
}

/// Whether games are saved: as typed.
#[derive(Args, Clone, Debug)]
pub(crate) struct SaveOption {
    /// Save every game as a replay. Existing files are never overwritten: if game.2048 exists, the
    /// next game is saved as game-2.2048, then game-3.2048, and so on
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

impl SaveOption {
    /// Where games are saved, if they are.
    pub(crate) fn file(&self) -> Outcome<Option<SaveFile>> {
        self.save.as_ref().map(SaveFile::new).transpose()
    }
}

/// Where replays are saved. An existing file is never overwritten: each replay gets the first free
/// name of `game.2048`, `game-2.2048`, `game-3.2048` and so on.
#[derive(Clone, Debug)]
pub(crate) struct SaveFile {
    path: PathBuf,
    /// All smaller numbers are taken. Clones share it, so that no name is tried twice.
    next: Arc<AtomicU64>,
}

impl SaveFile {
    /// Refuses a name under which a finished game would be lost: in a missing folder, not writable,
    /// or that of an existing file of another kind.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Outcome<SaveFile> {
        let path = path.into();
        // Replays of every version start like this.
        let (content, endings) = (place::Content::Begins(&[b"lab2048 replay"]), &["2048", "txt"]);
        place::check_kind(&path, &place::Kind { name: "a replay of lab2048", content, endings })?;
        if !path.exists() || path.is_file() {
            // All names of the series are in the same folder. This one is hardly ever taken, so no
            // existing file is touched.
            check_writable(&numbered(&path, u64::MAX)).map_err(|error| match error {
                FileError::Write { source, .. } => {
                    Failure::failed(FileError::Write { path: path.clone(), source })
                }
                other => Failure::failed(other),
            })?;
        }
        Ok(SaveFile { path, next: Arc::new(AtomicU64::new(1)) })
    }

    /// Writes a replay completely or not at all. Returns the file that it was written to.
    pub(crate) fn write(&self, replay: &Replay) -> Outcome<PathBuf> {
        let mut number = self.next.load(Ordering::Relaxed);
        let names = std::iter::from_fn(|| {
            let name = numbered(&self.path, number);
            number = number.checked_add(1)?;
            Some(name)
        });
        let written = write_new(names, |out| out.write_all(replay.to_text().as_bytes()));
        let path = written.map_err(Failure::failed)?;
        // A pipe or a device keeps its name for any number of replays.
        if path != self.path {
            self.next.fetch_max(number, Ordering::Relaxed);
        }
        Ok(path)
    }
}

/// The replay of a player's game, with its origin: the player, the hash of its network, and the
/// error that ended the game.
pub(crate) fn finished(
    recorder: Recorder,
    game: &Game,
    player: &str,
    network: Option<String>,
    error: Option<&str>,
) -> Replay {
    let mut replay = recorder.finish(game).by(player);
    if let Some(hash) = network {
        replay = replay.with_network(hash);
    }
    match error {
        Some(error) => replay.noting(error),
        None => replay,
    }
}

#[cfg(test)]
mod tests {
    use lab2048::game::Rules;

    use super::*;

    #[test]
    fn every_replay_takes_the_next_free_name() {
        let folder = tempfile::tempdir().unwrap();
        let game = Game::new(Rules::default(), 1);
        let replay = Recorder::new(&game).unwrap().finish(&game);
        std::fs::write(folder.path().join("g-2.2048"), "precious").unwrap();
        let save = SaveFile::new(folder.path().join("g.2048")).unwrap();
        let written = [&save, &save.clone(), &save].map(|save| save.write(&replay).unwrap());
        assert_eq!(written, ["g.2048", "g-3.2048", "g-4.2048"].map(|name| folder.path().join(name)));
        assert_eq!(std::fs::read(folder.path().join("g-2.2048")).unwrap(), b"precious");
        assert!(SaveFile::new(folder.path().join("g-2.2048")).is_err(), "it is not a replay");
        assert!(SaveFile::new(folder.path().join("none/g.2048")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_takes_every_replay() {
        let game = Game::new(Rules::default(), 1);
        let replay = Recorder::new(&game).unwrap().finish(&game);
        let save = SaveFile::new("/dev/null").unwrap();
        for _ in 0..3 {
            assert_eq!(save.write(&replay).unwrap(), Path::new("/dev/null"));
        }
    }
}
