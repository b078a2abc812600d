//! Plausibility checks of records. A record of a real game always passes; most forged records fail.
//!
//! - A merge keeps the sum of the tiles, so the sum is that of the start board and of the spawns.
//!   The seed determines which spawns are 4s ([`SpawnSource`]).
//! - A tile of rank r that grew from 2s has made (r-1)·2^r points, its *worth*. The score is the
//!   worth of the last board minus that of the start board, minus 4 for every 4 that appeared.
//! - The largest tile never shrinks. It is a start tile or a 2, doubled zero or more times.

use thiserror::Error;

use super::{ContestPlan, Record, StopReason};
use crate::board::{Board, rank_of, tile_of};
use crate::game::{Ending, GameResult, IdleMove, SpawnSource};

/// The maximum number of spawns that are looked up one by one. It is more than a game on 4x4 can
/// have, and fast enough. Beyond it, only the bounds of the sum are checked.
const MOST_LOOKED_UP: u64 = 1 << 20;

/// Why a record is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Impossible {
    /// Its end does not match the rules, the limits or the other numbers.
    #[error("its end '{end}' does not match {moves} moves and a largest tile of {largest}")]
    End {
        /// The name of the end.
        end: &'static str,
        /// The moves.
        moves: u64,
        /// The largest tile.
        largest: u64,
    },
    /// Its sum does not match the start and the spawns.
    #[error("its sum {sum} does not follow from {moves} moves")]
    Sum {
        /// The sum of the tiles.
        sum: u128,
        /// The moves.
        moves: u64,
    },
    /// Its largest tile is impossible, or does not match its sum.
    #[error("its largest tile {largest} is not possible with the sum {sum}")]
    Largest {
        /// The largest tile.
        largest: u64,
        /// The sum of the tiles.
        sum: u128,
    },
    /// Its score does not match the tiles.
    #[error("its score {score} is not possible with the sum {sum} and the largest tile {largest}")]
    Score {
        /// The score.
        score: u64,
        /// The sum of the tiles.
        sum: u128,
        /// The largest tile.
        largest: u64,
    },
}

impl ContestPlan {
    /// Checks whether a game of this contest can have produced this record.
    pub fn check(&self, record: &Record) -> Result<(), Impossible> {
        let GameResult { score, largest, sum, moves } = record.result;
        let end = &record.end;
        let game = self.setup.start(record.seed);
        let start = game.board();
        if !self.can_end(record, start) {
            return Err(Impossible::End { end: end.word(), moves, largest });
        }
        // The last pass finds no room, so no tile appears.
        let spawns = moves - u64::from(*end == StopReason::Over(Ending::NoRoom));
        let fours = self.fours(record.seed, spawns, start, sum).ok_or(Impossible::Sum { sum, moves })?;
        if !self.can_be_largest(largest, sum, start) || (moves == 0 && largest != start.largest()) {
            return Err(Impossible::Largest { largest, sum });
        }
        let fits = match worth_of(start) {
            Some(worth) => {
                let worth = u128::from(score) + worth + 4 * u128::from(fours);
                // The reward of every merge of powers of two is a multiple of 4.
                score.is_multiple_of(4) && possible_worth(largest, sum, start.size().cells()).contains(&worth)
            }
            None => can_be_score(score, largest, sum, start),
        };
        if !fits || (moves == 0 && score != 0) {
            return Err(Impossible::Score { score, sum, largest });
        }
        Ok(())
    }

    /// Whether a game can end like this with this number of moves and this largest tile.
    fn can_end(&self, record: &Record, start: &Board) -> bool {
        let Record { result: GameResult { largest, sum, moves, .. }, end, .. } = record;
        let is_reached = self.setup.limits.until.is_some_and(|tile| *largest >= tile);
        let of_the_end = match end {
            StopReason::Until => is_reached,
            StopReason::MaxMoves => self.setup.limits.max_moves == Some(*moves),
            StopReason::Over(Ending::NoRoom) => self.setup.rules.idle == IdleMove::Spawns && *moves > 0,
            StopReason::Over(Ending::NoMoves) if *moves == 0 => !start.has_moves(),
            StopReason::Over(Ending::NoMoves) => can_be_stuck(*sum, start),
            StopReason::Over(Ending::Quit) | StopReason::Failed(_) => true,
        };
        // A player can also refuse a game whose first board already has the tile.
        let stops_at_tile =
            !is_reached || *end == StopReason::Until || (*moves == 0 && *largest == start.largest());
        of_the_end && stops_at_tile && self.setup.limits.max_moves.is_none_or(|most| *moves <= most)
    }

    /// The number of spawned 4s; `None` if the sum does not match the start and the spawns.
    fn fours(&self, seed: u64, spawns: u64, start: &Board, sum: u128) -> Option<u64> {
        let twice_fours = sum.checked_sub(start.tile_sum())?.checked_sub(2 * u128::from(spawns))?;
        let fours = u64::try_from(twice_fours / 2).ok()?;
        if twice_fours % 2 != 0 || fours > spawns {
            return None;
        }
        let source = SpawnSource::new(&self.setup.rules, seed);
        let numbers = SpawnSource::AFTER_FIRST_MOVE..SpawnSource::AFTER_FIRST_MOVE.saturating_add(spawns);
        let is_exact = spawns > MOST_LOOKED_UP
            || numbers.filter(|&number| source.pick(number, 1).1).count() as u64 == fours;
        is_exact.then_some(fours)
    }

    /// Whether a tile can be the largest of a final board with this sum.
    fn can_be_largest(&self, largest: u64, sum: u128, start: &Board) -> bool {
        let grows_from =
            |tile: u64| tile > 0 && largest.is_multiple_of(tile) && (largest / tile).is_power_of_two();
        let cells = start.size().cells();
        // From two start tiles: the last merge that makes rank r needs one tile of each rank from
        // r-1 to 2, and a 4 that has just appeared, which is r-1 cells.
        let top = self.setup.board.is_none().then_some(cells + 1);
        (grows_from(2) || start.tiles().any(grows_from))
            && rank_of(largest).is_none_or(|rank| top.is_none_or(|top| usize::from(rank) <= top))
            && largest >= start.largest()
            && (u128::from(largest)..=u128::from(largest) * cells as u128).contains(&sum)
    }
}

/// Whether a board with this sum can be without moves. Its cells are full and neighbours differ, so
/// two neighbouring powers of two are at least a 2 and a 4.
fn can_be_stuck(sum: u128, start: &Board) -> bool {
    let cells = start.size().cells() as u128;
    let are_ranks = start.tiles().all(|tile| rank_of(tile).is_some());
    !are_ranks || sum >= 6 * (cells / 2) + 2 * (cells % 2)
}

/// The worth of a tile: the points needed to make it from 2s.
fn worth(rank: u8) -> u128 {
    u128::from(rank.saturating_sub(1)) * u128::from(tile_of(rank))
}

/// The worth of a board; `None` if a tile is not a power of two.
fn worth_of(board: &Board) -> Option<u128> {
    board.tiles().map(|tile| rank_of(tile).map(worth)).sum()
}

/// The minimum and maximum worth of a board of powers of two with this largest tile and this sum;
/// an empty range if there is no such board.
fn possible_worth(largest: u64, sum: u128, cells: usize) -> std::ops::RangeInclusive<u128> {
    #[allow(clippy::reversed_empty_ranges, reason = "it contains nothing")]
    const NOTHING: std::ops::RangeInclusive<u128> = 1..=0;
    let Some(top) = rank_of(largest).filter(|&rank| rank > 0) else { return NOTHING };
    let Some(rest) = sum.checked_sub(u128::from(largest)).filter(|rest| rest % 2 == 0) else {
        return NOTHING;
    };
    // Merging everything gives the fewest tiles and the largest worth.
    let (more, digits) = (rest / u128::from(largest), (rest % u128::from(largest)) as u64);
    let fewest = 1 + more + u128::from(digits.count_ones());
    if fewest > cells as u128 {
        return NOTHING;
    }
    let of_digits = (1..top).filter(|rank| digits >> rank & 1 == 1).map(worth).sum::<u128>();
    let most = worth(top) * (1 + more) + of_digits;
    // The rest as 2s, merged until they fit. Merging small tiles first gives the smallest worth.
    let mut least = worth(top);
    let mut pairs = rest / 4;
    let mut merges = (rest / 2).saturating_sub(cells as u128 - 1);
    for rank in 2..=top {
        let made = merges.min(pairs);
        least += made * u128::from(tile_of(rank));
        merges -= made;
        pairs = made / 2;
    }
    least..=most
}

/// Whether a game can have this score if its start board has tiles that are not powers of two.
fn can_be_score(score: u64, largest: u64, sum: u128, start: &Board) -> bool {
    let smallest = start.tiles().filter(|&tile| tile > 0).min().unwrap_or(2).min(2);
    // No part of a tile is merged more often than the smallest tile must be doubled to give the
    // largest.
    let most = sum * u128::from((largest / smallest).max(1).ilog2());
    let is_merged = largest > start.largest().max(4);
    score.is_multiple_of(2) && u128::from(score) <= most && (!is_merged || score >= largest)
}

#[cfg(test)]
mod tests;
