//! Replays as files that were named on the command line.

use std::path::{Path, PathBuf};

use lab2048::files::{numbered, read_limited, write_whole};
use lab2048::game::{Game, Recorder, Replay};

use crate::draw::place;
use crate::failure::{Failure, Outcome};

/// Reads a replay in our own format.
pub(crate) fn read(path: &Path) -> Outcome<Replay> {
    let bytes = read_bytes(path)?;
    Replay::from_text(&bytes).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

/// Reads a replay all of whose steps can be played.
pub(crate) fn read_playable(path: &Path) -> Outcome<Replay> {
    let replay = read(path)?;
    let playable = replay.positions().try_for_each(|position| position.map(drop));
    playable.map_err(|fault| {
        Failure::BadInput(format!("{}: the replay does not hold: {fault}", path.display()))
    })?;
    Ok(replay)
}

/// Reads a file that may be a replay.
pub(crate) fn read_bytes(path: &Path) -> Outcome<Vec<u8>> {
    read_limited(path, Replay::MOST_BYTES).map_err(Failure::bad_input)
}

/// Writes a replay, whole or not at all.
pub(crate) fn write(path: &Path, replay: &Replay) -> Outcome<()> {
    write_whole(path, |out| out.write_all(replay.to_text().as_bytes())).map_err(Failure::failed)
}

/// What was recorded of a player's game, with all that is known of where it comes from: the player, the hash of its network,
/// and the error that ended it.
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

/// Writes the replay of game `number` where several are saved, but not in place of a file that is no replay; returns its path.
pub(crate) fn write_numbered(path: &Path, number: u64, replay: &Replay) -> Outcome<PathBuf> {
    let path = numbered(path, number);
    check_place(&path)?;
    write(&path, replay)?;
    Ok(path)
}

/// Says before long games that one of so many replays has no place, as [`check_place`] does for one.
pub(crate) fn check_places(path: &Path, games: u64) -> Outcome<()> {
    // More files than that are looked at when they are written.
    (1..=games.min(1000)).try_for_each(|number| check_place(&numbered(path, number)))
}

/// Says before a long game, instead of after it, that its replay has no folder to go to, or that it would replace a file
/// that is no replay.
pub(crate) fn check_place(path: &Path) -> Outcome<()> {
    // A replay of any version begins so.
    place::check(path, b"lab2048 replay", "a replay")
}
