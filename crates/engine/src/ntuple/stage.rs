//! Stages: separate tables of a network for the phases of a game, distinguished by the large tiles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::{capped, count_at_least, rank_of, tile_of};
use crate::text::shortened;

/// The condition of a stage: at least `count` tiles of at least rank `rank`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Threshold {
    rank: u8,
    count: u8,
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "{}", tile_of(self.rank)),
            count => write!(f, "{}*{count}", tile_of(self.rank)),
        }
    }
}

/// The stages of a network. A board belongs to the last stage whose condition it meets, or to the
/// first stage if it meets none. The text form is `one`, or the conditions of the later stages:
/// `16384` (a tile of at least 16384), `4096*2 4096*3` (two or three tiles of at least 4096).
/// `/8192` after a stage, or alone for the first one, makes all tiles from 8192 up look the same
/// there.
///
/// ```
/// use lab2048::ntuple::Stages;
///
/// let stages: Stages = "/8192 4096*2 16384/16384".parse().unwrap();
/// assert_eq!(stages.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stages {
    /// The conditions of the second and later stages.
    thresholds: Vec<Threshold>,
    /// The highest rank that each stage distinguishes.
    tops: Vec<u8>,
}

/// The text is not a list of stages.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{}' is not a list of stages: write 'one', or the condition of each later stage, like '16384' or '4096*2 4096*3/16384'",
    shortened(.0)
)]
pub struct StageError(pub String);

/// A stage contains no boards.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EmptyStage {
    /// Its tile is larger than the network knows.
    #[error("the stage {0} would have no boards: the largest tile of the network is {1}")]
    TooLarge(String, u64),
    /// An afterstate cannot have that many large tiles.
    #[error("the stage {0} would have no boards: an afterstate cannot have that many of these tiles")]
    TooMany(String),
    /// A later stage contains all its boards.
    #[error("the stage {0} would have no boards: the later stage {1} contains all of them")]
    Later(String, String),
}

impl Stages {
    /// One stage that distinguishes all ranks.
    pub fn one() -> Stages {
        Stages { thresholds: Vec::new(), tops: vec![15] }
    }

    /// The number of stages.
    #[allow(clippy::len_without_is_empty, reason = "there is always one stage")]
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// Whether these stages start with `old`, possibly followed by more.
    pub(crate) fn go_on_from(&self, old: &Stages) -> bool {
        self.thresholds.starts_with(&old.thresholds) && self.tops.starts_with(&old.tops)
    }

    /// Checks that each stage contains some afterstate of `cells` cells, for a network with the
    /// largest rank `top`.
    pub(crate) fn check(&self, cells: usize, top: u8) -> Result<(), EmptyStage> {
        // Every afterstate meets this. The first stage has no other condition.
        let first = Threshold { rank: 1, count: 1 };
        let stages: Vec<&Threshold> = [&first].into_iter().chain(&self.thresholds).collect();
        for (place, stage) in stages.iter().enumerate() {
            let name = if place == 0 { "one".to_owned() } else { stage.to_string() };
            if stage.rank > top {
                return Err(EmptyStage::TooLarge(name, tile_of(top)));
            }
            // An afterstate has at least one empty cell, and a second 32768 would be downgraded.
            if usize::from(stage.count) >= cells || (stage.rank == 15 && stage.count > 1) {
                return Err(EmptyStage::TooMany(name));
            }
            let takes_all = |later: &&&Threshold| stage.rank >= later.rank && stage.count >= later.count;
            if let Some(later) = stages[place + 1..].iter().find(takes_all) {
                return Err(EmptyStage::Later(name, later.to_string()));
            }
        }
        Ok(())
    }

    /// The stage of a packed board, and its cells as that stage sees them.
    #[inline(always)]
    pub(crate) fn of(&self, bits: u64) -> (usize, u64) {
        let mut stage = 0;
        for (place, threshold) in self.thresholds.iter().enumerate() {
            if count_at_least(bits, threshold.rank) >= u32::from(threshold.count) {
                stage = place + 1;
            }
        }
        (stage, capped(bits, self.tops[stage]))
    }
}

fn parse_rank(text: &str) -> Option<u8> {
    let tile = text.parse().ok()?;
    rank_of(tile).filter(|rank| (1..=15).contains(rank))
}

impl FromStr for Stages {
    type Err = StageError;

    fn from_str(text: &str) -> Result<Stages, StageError> {
        let wrong = || StageError(text.to_owned());
        let mut stages = Stages::one();
        for (place, word) in text.split_whitespace().enumerate() {
            let (condition, top) = match word.split_once('/') {
                Some((condition, top)) => (condition, parse_rank(top).ok_or_else(wrong)?),
                None => (word, 15),
            };
            if condition.is_empty() || condition == "one" {
                if place != 0 {
                    return Err(wrong());
                }
                stages.tops[0] = top;
                continue;
            }
            let (tile, count) = condition.split_once('*').unwrap_or((condition, "1"));
            let count = count.parse().ok().filter(|count| (1..=16).contains(count)).ok_or_else(wrong)?;
            stages.thresholds.push(Threshold { rank: parse_rank(tile).ok_or_else(wrong)?, count });
            stages.tops.push(top);
        }
        if text.trim().is_empty() { Err(wrong()) } else { Ok(stages) }
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        let top = |stage: usize| match self.tops[stage] {
            15 => String::new(),
            top => format!("/{}", tile_of(top)),
        };
        if self.tops[0] != 15 || self.thresholds.is_empty() {
            words.push(format!("{}{}", if self.tops[0] == 15 { "one" } else { "" }, top(0)));
        }
        for (place, threshold) in self.thresholds.iter().enumerate() {
            words.push(format!("{threshold}{}", top(place + 1)));
        }
        f.write_str(&words.join(" "))
    }
}

impl TryFrom<String> for Stages {
    type Error = StageError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Stages> for String {
    fn from(stages: Stages) -> String {
        stages.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PackedAfter;

    #[test]
    fn a_stage_without_boards_is_found() {
        let check = |text: &str, top| text.parse::<Stages>().unwrap().check(6, top);
        for text in ["one", "/16", "4", "8192 16384 8192*2", "4096*2 4096*3", "8 16*5", "2*2"] {
            assert_eq!(check(text, 14), Ok(()), "{text}");
        }
        let later = |stage: &str, later: &str| EmptyStage::Later(stage.to_owned(), later.to_owned());
        assert_eq!(check("16 16", 14), Err(later("16", "16")));
        assert_eq!(check("16 8", 14), Err(later("16", "8")));
        assert_eq!(check("4*3 16*2 8", 14), Err(later("16*2", "8")));
        assert_eq!(check("16*2 16 8192", 14), Err(later("16*2", "16")));
        assert_eq!(check("2 8192", 14), Err(later("one", "2")));
        assert_eq!(check("8 16*6", 14), Err(EmptyStage::TooMany("16*6".to_owned())));
        assert_eq!(check("8192 32768", 14), Err(EmptyStage::TooLarge("32768".to_owned(), 16384)));
        assert_eq!(check("8192 32768", 15), Ok(()));
        assert_eq!(check("32768*2", 15), Err(EmptyStage::TooMany("32768*2".to_owned())));
    }

    /// The slow twin: all 2x2 afterstates with tiles up to 32, and all lists of one or two
    /// conditions.
    #[test]
    fn a_stage_is_empty_where_no_afterstate_belongs_to_it() {
        const TOP: u8 = 5;
        let afters: Vec<u64> = (1..6u64.pow(4))
            .map(|code| (0..4).map(|cell| (code / 6u64.pow(cell) % 6) << (4 * cell)).sum())
            .filter(|bits| count_at_least(*bits, 1) < 4)
            .collect();
        let conditions: Vec<Threshold> =
            (1..=6).flat_map(|rank| (1..=4).map(move |count| Threshold { rank, count })).collect();
        for one in &conditions {
            for two in conditions.iter().map(Some).chain([None]) {
                let thresholds: Vec<Threshold> = [Some(one), two].into_iter().flatten().copied().collect();
                let stages = Stages { tops: vec![15; thresholds.len() + 1], thresholds };
                let mut found = vec![false; stages.len()];
                afters.iter().for_each(|bits| found[stages.of(*bits).0] = true);
                assert_eq!(stages.check(4, TOP).is_ok(), found.iter().all(|found| *found), "{stages}");
            }
        }
    }

    #[test]
    fn stages_are_written_as_read() {
        for text in ["one", "/8192", "16384", "4096*2 4096*3/16384", "/8192 4096*2 16384/16384"] {
            assert_eq!(text.parse::<Stages>().unwrap().to_string(), text);
        }
        for text in ["", "two", "17", "65536", "4096*0", "4096*17", "16384 one", "4096/", "4096*"] {
            assert!(text.parse::<Stages>().is_err(), "{text}");
        }
    }

    #[test]
    fn stages_go_on_from_those_that_they_begin_with() {
        let goes_on =
            |new: &str, old: &str| new.parse::<Stages>().unwrap().go_on_from(&old.parse::<Stages>().unwrap());
        assert!(goes_on("16384", "one") && goes_on("512 1024", "512") && goes_on("512", "512"));
        for (new, old) in [("one", "512"), ("1024", "512"), ("512/1024", "512"), ("/512 1024", "1024")] {
            assert!(!goes_on(new, old), "{new} after {old}");
        }
    }

    #[test]
    fn a_board_belongs_to_the_last_stage_it_fulfils() {
        // 4096 and 8192, then 16384 and 8192.
        let stages: Stages = "/8192 4096*2 16384/4096".parse().unwrap();
        let board = |ranks: [u8; 2]| {
            let mut cells = [0; 16];
            cells[..2].copy_from_slice(&ranks);
            PackedAfter::<4, 4>::from_ranks(&cells).bits()
        };
        assert_eq!(stages.of(board([12, 3])), (0, board([12, 3])));
        assert_eq!(stages.of(board([15, 3])).0, 2);
        assert_eq!(stages.of(board([12, 13])), (1, board([12, 13])));
        assert_eq!(stages.of(board([14, 13])), (2, board([12, 12])));
    }
}
