//! The plan of a contest: everything that determines its records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{GameLimits, GameSetup};
use crate::board::Board;
use crate::game::{PlayerFile, Rules};
use crate::text::shortened;

/// Everything that determines the records of a contest. The numbers of games and threads are not
/// part of it: a longer contest begins with the records of a shorter one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PlanFields", into = "PlanFields")]
pub struct ContestPlan {
    /// How every game starts and when it stops.
    pub setup: GameSetup,
    /// The seed of the first game. Game `i` of each player, counted from 0, has the seed
    /// `seed + i`.
    pub seed: u64,
    /// The players, in the order of their records.
    pub players: Vec<PlannedPlayer>,
}

/// A player of a contest, as far as it determines the records.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedPlayer {
    /// Its spec.
    pub spec: String,
    /// The hash of its network or evolved program, if it has one.
    pub network: Option<String>,
    /// The files of its program, if it is a bot and they are known.
    pub files: Vec<PlayerFile>,
}

impl PlannedPlayer {
    /// A player known by its spec only.
    pub fn named(spec: impl Into<String>) -> PlannedPlayer {
        PlannedPlayer { spec: spec.into(), network: None, files: Vec::new() }
    }
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

/// A network or a bot in a file belongs to none of the players.
#[derive(Debug, Error)]
#[error("'{}' is not a player of this contest", shortened(.0))]
struct UnknownPlayer(String);

impl TryFrom<PlanFields> for ContestPlan {
    type Error = UnknownPlayer;

    fn try_from(fields: PlanFields) -> Result<ContestPlan, UnknownPlayer> {
        let PlanFields { rules, board, seed, players, networks, bots, until, max_moves } = fields;
        if let Some(stranger) = networks.keys().chain(bots.keys()).find(|spec| !players.contains(spec)) {
            return Err(UnknownPlayer(stranger.clone()));
        }
        let player = |spec: String| PlannedPlayer {
            network: networks.get(&spec).cloned(),
            files: bots.get(&spec).cloned().unwrap_or_default(),
            spec,
        };
        let setup = GameSetup { rules, board, limits: GameLimits { until, max_moves } };
        Ok(ContestPlan { setup, seed, players: players.into_iter().map(player).collect() })
    }
}

impl From<ContestPlan> for PlanFields {
    fn from(plan: ContestPlan) -> PlanFields {
        let networks = plan.networks();
        let ContestPlan { setup, seed, players } = plan;
        let GameSetup { rules, board, limits: GameLimits { until, max_moves } } = setup;
        let bots = players.iter().filter(|player| !player.files.is_empty());
        let bots = bots.map(|player| (player.spec.clone(), player.files.clone())).collect();
        let players = players.into_iter().map(|player| player.spec).collect();
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
    pub fn of_names<S: Into<String>>(
        setup: GameSetup,
        seed: u64,
        specs: impl IntoIterator<Item = S>,
    ) -> ContestPlan {
        ContestPlan { setup, seed, players: specs.into_iter().map(PlannedPlayer::named).collect() }
    }

    /// The specs of the players.
    pub fn specs(&self) -> impl Iterator<Item = &str> {
        self.players.iter().map(|player| player.spec.as_str())
    }

    /// The hashes of networks and evolved programs by spec, as in the file.
    pub(super) fn networks(&self) -> BTreeMap<String, String> {
        let hash = |player: &PlannedPlayer| Some((player.spec.clone(), player.network.clone()?));
        self.players.iter().filter_map(hash).collect()
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
        ContestPlan::of_names(GameSetup::default(), seed, players.iter().copied())
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

    #[test]
    fn networks_and_bots_belong_to_players() {
        let file = PlayerFile { file: "bot.py".to_owned(), sha256: "b0".to_owned() };
        let network = PlannedPlayer { network: Some("5eb5".to_owned()), ..PlannedPlayer::named("net") };
        let bot = PlannedPlayer { files: vec![file], ..PlannedPlayer::named("bot") };
        let plan = ContestPlan { players: vec![network, PlannedPlayer::named("a"), bot], ..plan(1, &[]) };
        let text = serde_json::to_string(&plan).unwrap();
        let written = "\"players\":[\"net\",\"a\",\"bot\"],\"networks\":{\"net\":\"5eb5\"},\
                       \"bots\":{\"bot\":[{\"file\":\"bot.py\",\"sha256\":\"b0\"}]},";
        assert!(text.contains(written), "{text}");
        assert_eq!(serde_json::from_str::<ContestPlan>(&text).unwrap(), plan);
        let stranger = text.replace("{\"net\":", "{\"ten\":");
        let error = serde_json::from_str::<ContestPlan>(&stranger).unwrap_err().to_string();
        assert!(error.starts_with("'ten' is not a player of this contest"), "{error}");
    }
}
