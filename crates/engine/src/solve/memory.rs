//! The memory of this machine: whether there is room for a solution.

use std::fs;

use thiserror::Error;

use super::{Estimate, SubGame};

/// A solution needs more memory than there is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} needs up to {} of memory, but {}", gigabytes(*.needed), room_in_words(*.room, *.limited))]
pub struct NoRoom {
    /// The name of the table.
    pub name: String,
    /// The memory that it needs, in bytes, at most.
    pub needed: u64,
    /// The memory that it may use, in bytes.
    pub room: u64,
    /// Whether somebody set a limit. Otherwise the system has no more.
    pub limited: bool,
}

fn room_in_words(room: u64, limited: bool) -> String {
    let room = gigabytes(room);
    if limited { format!("the limit is {room}") } else { format!("{room} are free") }
}

fn gigabytes(bytes: u64) -> String {
    let number = bytes as f64 / 1e9;
    format!("{number:.digits$} GB", digits = if number < 1.0 { 3 } else { 1 })
}

impl Estimate {
    /// Refuses a sub-game that needs more than the limit in bytes, or without one more than what is
    /// free, where the system tells.
    pub fn check(&self, game: &SubGame, limit: Option<u64>) -> Result<(), NoRoom> {
        let needed = self.memory;
        match limit.or_else(free_memory).filter(|room| needed > *room) {
            Some(room) => Err(NoRoom { name: game.name(), needed, room, limited: limit.is_some() }),
            None => Ok(()),
        }
    }
}

/// The free memory in bytes, where the system tells.
fn free_memory() -> Option<u64> {
    bytes_of(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The whole memory of the machine in bytes, where the system tells.
pub fn total_memory() -> Option<u64> {
    bytes_of(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// A line of `/proc/meminfo`, which counts in units of 1,024 bytes.
fn bytes_of(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_in_words() {
        let game = SubGame::named("block-512").unwrap();
        let estimate = Estimate { memory: 3_000_000_000, numbers: 1 };
        let said = estimate.check(&game, Some(100_000_000)).unwrap_err().to_string();
        assert_eq!(said, "block-512 needs up to 3.0 GB of memory, but the limit is 0.100 GB");
        assert_eq!(estimate.check(&game, Some(3_000_000_000)), Ok(()));
        let endless = Estimate { memory: u64::MAX, numbers: 1 };
        if free_memory().is_some() {
            let said = endless.check(&game, None).unwrap_err().to_string();
            assert!(said.ends_with(" GB are free"), "{said}");
        }
    }

    #[test]
    fn lines_are_found_by_name() {
        let meminfo = "MemTotal:       8048488 kB\nMemFree:         1 kB\nMemAvailable:    2000 kB\n";
        assert_eq!(bytes_of(meminfo, "MemTotal:"), Some(8_048_488 << 10));
        assert_eq!(bytes_of(meminfo, "MemAvailable:"), Some(2_000 << 10));
        assert_eq!((bytes_of("", "MemTotal:"), bytes_of("MemTotal: many kB\n", "MemTotal:")), (None, None));
    }
}
