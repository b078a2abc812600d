//! Replays as files that were named on the command line.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lab2048::files::{read_limited, write_whole};
use lab2048::game::Replay;

use crate::failure::{Failure, Outcome};

/// Reads a replay in our own format.
pub(crate) fn read(path: &Path) -> Outcome<Replay> {
    let bytes = read_bytes(path)?;
    Replay::from_text(&bytes).map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))
}

/// Reads a file that may be a replay.
pub(crate) fn read_bytes(path: &Path) -> Outcome<Vec<u8>> {
    read_limited(path, Replay::MOST_BYTES).map_err(Failure::bad_input)
}

/// Writes a replay, whole or not at all.
pub(crate) fn write(path: &Path, replay: &Replay) -> Outcome<()> {
    write_whole(path, |out| out.write_all(replay.to_text().as_bytes())).map_err(Failure::failed)
}

/// Says before a long game, instead of after it, that its replay has no folder to go to, or that it would replace a file
/// that is no replay.
pub(crate) fn check_place(path: &Path) -> Outcome<()> {
    if path.is_file() && !is_replay_or_empty(path)? {
        let sentence =
            format!("{} is there already and is not a replay; choose another name", path.display());
        return Err(Failure::BadInput(sentence));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(Failure::Failed(format!("cannot write {}: there is no such folder", path.display())))
        }
        _ if path.is_dir() => {
            Err(Failure::Failed(format!("cannot write {}: it is a folder", path.display())))
        }
        _ => Ok(()),
    }
}

/// Whether a file begins as a replay of any version does, or has nothing to lose.
fn is_replay_or_empty(path: &Path) -> Outcome<bool> {
    let cannot = |error| Failure::BadInput(format!("cannot read {}: {error}", path.display()));
    let mut start = Vec::new();
    File::open(path).map_err(cannot)?.take(14).read_to_end(&mut start).map_err(cannot)?;
    Ok(start.is_empty() || start == b"lab2048 replay")
}

/// The file of game `number`, counted from 1, where several are saved: `game.2048`, `game-2.2048`, `game-3.2048`.
pub(crate) fn numbered(path: &Path, number: u64) -> PathBuf {
    let Some(stem) = path.file_stem().filter(|_| number > 1) else { return path.to_owned() };
    let mut name = stem.to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_games_have_a_number_before_the_ending() {
        let name = |path: &str, number| numbered(Path::new(path), number).display().to_string();
        assert_eq!(name("a/game.2048", 1), "a/game.2048");
        assert_eq!(name("a/game.2048", 2), "a/game-2.2048");
        assert_eq!(name("game", 12), "game-12");
    }
}
