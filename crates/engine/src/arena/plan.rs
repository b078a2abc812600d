//! The plan of a contest: everything that determines its records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{GameLimits, GameSetup};
use crate::board::Board;
use crate::game::{PlayerFile, Rules};

/// Everything that determines the records of a contest. The numbers of games and threads are not
/// part of it: a longer contest begins with the records of a shorter one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "PlanFields", into = "PlanFields")]
pub struct ContestPlan {
    /// How every game starts and when it stops.
    pub setup: GameSetup,
    /// The seed of the first game. Game `i` of each player, counted from 0, has the seed
    /// `seed + i`.
    pub seed: u64,
    /// The specs of the players, in the order of their records.
    pub players: Vec<String>,
    /// The hashes of the networks and evolved programs of the players, by spec.
    pub networks: BTreeMap<String, String>,
    /// The files of foreign programs, by spec.
    pub bots: BTreeMap<String, Vec<PlayerFile>>,
}

/// The file form of a plan. The names and the order of the fields are part of the format.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFields {
    rules: Rules,
    board: Option<Board>,
    seed: u64,
    players: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    networks: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    bots: BTreeMap<String, Vec<PlayerFile>>,
    until: Option<u64>,
    max_moves: Option<u64>,
}

impl From<PlanFields> for ContestPlan {
    fn from(fields: PlanFields) -> ContestPlan {
        let PlanFields { rules, board, seed, players, networks, bots, until, max_moves } = fields;
        let setup = GameSetup { rules, board, limits: GameLimits { until, max_moves } };
        ContestPlan { setup, seed, players, networks, bots }
    }
}

impl From<ContestPlan> for PlanFields {
    fn from(plan: ContestPlan) -> PlanFields {
        let ContestPlan { setup, seed, players, networks, bots } = plan;
        let GameSetup { rules, board, limits: GameLimits { until, max_moves } } = setup;
        PlanFields { rules, board, seed, players, networks, bots, until, max_moves }
    }
}

/// The seeds or the records of a contest exceed 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{games} games from seed {seed} on are too many: seeds end at 2^64-1")]
pub struct TooManyGames {
    /// The requested games.
    pub games: u64,
    /// The first seed.
    pub seed: u64,
}

/// One game of one player: a place in the order of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) seed: u64,
    pub(super) player: usize,
}

impl ContestPlan {
    /// A contest of players known by name only, without hashes of networks and files of bots.
    /// `players::Registry::contest` makes complete plans.
    pub fn of_names(setup: GameSetup, seed: u64, players: Vec<String>) -> ContestPlan {
        ContestPlan { setup, seed, players, networks: BTreeMap::new(), bots: BTreeMap::new() }
    }

    /// The number of records of `games` games per player. Fails if the seeds or the records exceed
    /// 64 bits.
    pub fn records(&self, games: u64) -> Result<u64, TooManyGames> {
        let last_seed = self.seed.checked_add(games.saturating_sub(1));
        let records = games.checked_mul(self.players.len() as u64);
        last_seed.and(records).ok_or(TooManyGames { games, seed: self.seed })
    }

    /// The task of the record at a place. Records are ordered by seed, then by player.
    pub(super) fn task(&self, place: u64) -> Task {
        let players = self.players.len() as u64;
        // A damaged log may hold more records than there are seeds. They then fail the comparison
        // with the wrapped seed.
        Task { seed: self.seed.wrapping_add(place / players), player: (place % players) as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64, players: &[&str]) -> ContestPlan {
        ContestPlan::of_names(
            GameSetup::default(),
            seed,
            players.iter().map(|&player| player.to_owned()).collect(),
        )
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
        assert_eq!(plan(u64::MAX, &["a", "b"]).records(1), Ok(2));
        let too_many = |games, seed| Err(TooManyGames { games, seed });
        assert_eq!(plan(u64::MAX, &["a", "b"]).records(2), too_many(2, u64::MAX));
        assert_eq!(plan(0, &["a", "b"]).records(u64::MAX), too_many(u64::MAX, 0));
        assert_eq!(plan(0, &["a"]).records(u64::MAX), Ok(u64::MAX));
        assert_eq!(
            plan(u64::MAX, &["a"]).task(1).seed,
            0,
            "a log with too many lines does not cause a panic"
        );
    }

    #[test]
    fn a_plan_reads_back_what_it_wrote() {
        let board = "3 0/0 9223372036854775808".parse().unwrap();
        let limits = GameLimits { until: Some(2048), max_moves: None };
        let setup = GameSetup { limits, ..GameSetup::from_board(Rules::default(), board) };
        let plan = ContestPlan { setup, ..plan(3, &["a:x=\"1,2\"", "b"]) };
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(
            text,
            "{\"rules\":{\"size\":\"2x2\",\"four\":0.1,\"start\":\"two-spawns\",\"idle\":\"refused\",\
             \"goal\":2048},\"board\":[[3,0],[0,9223372036854775808]],\"seed\":3,\
             \"players\":[\"a:x=\\\"1,2\\\"\",\"b\"],\"until\":2048,\"max_moves\":null}"
        );
        assert_eq!(serde_json::from_str::<ContestPlan>(&text).unwrap(), plan);
    }
}
