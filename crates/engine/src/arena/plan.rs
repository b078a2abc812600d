//! What a contest consists of: all that determines its records, and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::GameLimits;
use crate::board::Board;
use crate::game::{Game, PlayerFile, Rules};

/// All that determines the records of a contest. How many games are played, and by how many threads, is no part of it:
/// a longer contest begins with the records of a shorter one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestPlan {
    /// The rules.
    pub rules: Rules,
    /// The board that every game starts from, instead of two start tiles.
    pub board: Option<Board>,
    /// The seed of the first game; game `i`, counted from 0, has the seed `seed + i`, for each player.
    pub seed: u64,
    /// The specs of the players, in the order of their records.
    pub players: Vec<String>,
    /// The hashes of the networks and evolved programs that players ask, by spec; nothing is written where there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub networks: BTreeMap<String, String>,
    /// The files of foreign programs, by spec; nothing is written where there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bots: BTreeMap<String, Vec<PlayerFile>>,
    /// The tile that ends a game.
    pub until: Option<u64>,
    /// The number of moves that ends a game.
    pub max_moves: Option<u64>,
}

/// One game by one player: a place in the order of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) seed: u64,
    pub(super) player: usize,
}

impl ContestPlan {
    /// A contest from fresh starts, without limits.
    pub fn new(rules: Rules, seed: u64, players: Vec<String>) -> ContestPlan {
        ContestPlan {
            rules,
            board: None,
            seed,
            players,
            networks: BTreeMap::new(),
            bots: BTreeMap::new(),
            until: None,
            max_moves: None,
        }
    }

    /// The same from a given board; the rules take its size.
    #[must_use]
    pub fn from_board(mut self, board: Board) -> ContestPlan {
        self.rules.size = board.size();
        self.board = Some(board);
        self
    }

    /// Where a game stops although it could go on.
    pub fn limits(&self) -> GameLimits {
        GameLimits { until: self.until, max_moves: self.max_moves }
    }

    /// The game with a seed.
    pub fn game(&self, seed: u64) -> Game {
        match &self.board {
            Some(board) => Game::from_board(self.rules.clone(), seed, board.clone()),
            None => Game::new(self.rules.clone(), seed),
        }
    }

    /// How many records so many games of each player make; `None` if the seeds or the records cannot be counted in 64
    /// bits.
    pub fn records(&self, games: u64) -> Option<u64> {
        self.seed.checked_add(games.saturating_sub(1))?;
        games.checked_mul(self.players.len() as u64)
    }

    /// What the record at a place is of: records are ordered by seed, then by player.
    pub(super) fn task(&self, place: u64) -> Task {
        let players = self.players.len() as u64;
        // A damaged log may hold more records than there are seeds; they are then compared with a seed that is not theirs.
        Task { seed: self.seed.wrapping_add(place / players), player: (place % players) as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;

    fn plan(seed: u64, players: &[&str]) -> ContestPlan {
        ContestPlan::new(Rules::default(), seed, players.iter().map(|&player| player.to_owned()).collect())
    }

    #[test]
    fn records_are_ordered_by_seed_then_by_player() {
        let plan = plan(7, &["a", "b"]);
        let tasks: Vec<(u64, usize)> =
            (0..5).map(|place| plan.task(place)).map(|t| (t.seed, t.player)).collect();
        assert_eq!(tasks, [(7, 0), (7, 1), (8, 0), (8, 1), (9, 0)]);
    }

    #[test]
    fn seeds_end_with_64_bits() {
        assert_eq!(plan(u64::MAX, &["a", "b"]).records(1), Some(2));
        assert_eq!(plan(u64::MAX, &["a", "b"]).records(2), None);
        assert_eq!(plan(0, &["a", "b"]).records(u64::MAX), None);
        assert_eq!(plan(0, &["a"]).records(u64::MAX), Some(u64::MAX));
        assert_eq!(
            plan(u64::MAX, &["a"]).task(1).seed,
            0,
            "a log with a line too many is read without a panic"
        );
    }

    #[test]
    fn a_start_board_brings_its_size() {
        let plan = plan(1, &["a"]).from_board("2 4 0/0 0 2".parse().unwrap());
        assert_eq!(plan.rules.size, Size::new(2, 3).unwrap());
        assert_eq!(plan.game(9).board(), plan.board.as_ref().unwrap());
    }

    #[test]
    fn a_plan_reads_back_what_it_wrote() {
        let plan = ContestPlan { until: Some(2048), ..plan(3, &["a:x=\"1,2\"", "b"]) }
            .from_board("3 0/0 9223372036854775808".parse().unwrap());
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<ContestPlan>(&text).unwrap(), plan);
    }
}
