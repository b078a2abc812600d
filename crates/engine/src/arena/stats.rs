//! Statistics of a contest: a summary for each player, and comparisons of players.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use super::compare::{Difference, SeededScores};
use super::intervals::{Interval, Moments, wilson};
use super::{ContestPlan, Record, StopReason};

/// Collects the records of a contest, in order. Contests with the same setup can be joined, to
/// compare their players.
#[derive(Clone, Debug)]
pub struct ContestTally {
    players: Vec<PlayerTally>,
}

#[derive(Clone, Debug, Default)]
struct PlayerTally {
    /// The spec, or another name.
    name: String,
    /// The seed of the first game.
    seed: u64,
    /// In the order of the seeds: game `i` of every player has the same seed.
    scores: Vec<u64>,
    score_sum: f64,
    /// The number of games by largest tile.
    largest: BTreeMap<u64, u64>,
    tile_sums: f64,
    moves: u64,
    time: Duration,
    ends: BTreeMap<&'static str, u64>,
    failure: Option<Failed>,
}

/// The statistics of a player's games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerSummary {
    /// The player's spec, or the name that it was given.
    pub player: String,
    /// The number of games.
    pub games: u64,
    /// The mean score.
    pub mean: f64,
    /// The confidence interval of the mean; `None` for a single game.
    pub interval: Option<Interval>,
    /// The median score.
    pub median: f64,
    /// The standard deviation of the score of one game.
    pub deviation: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The best score.
    pub best: u64,
    /// The seed of the first game with the best score, to show the game again.
    pub best_seed: u64,
    /// The worst score.
    pub worst: u64,
    /// The mean of the largest tiles.
    pub mean_largest: f64,
    /// The mean of the tile sums at the end.
    pub mean_sum: f64,
    /// The mean number of moves.
    pub mean_moves: f64,
    /// Moves per second on one thread; `None` if the time is too short to measure.
    pub moves_per_second: Option<f64>,
    /// How often each tile was reached.
    pub tiles: Vec<TileRate>,
    /// The number of games by ending.
    pub ends: BTreeMap<&'static str, u64>,
    /// The first game in which the player failed.
    pub failure: Option<Failed>,
}

/// How often a tile was reached: the last board had that tile or a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TileRate {
    /// The tile.
    pub tile: u64,
    /// The number of games that reached it.
    pub games: u64,
    /// Their share of all games.
    pub rate: f64,
    /// The confidence interval of the rate.
    pub interval: Interval,
}

/// A game in which the player failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// The seed.
    pub seed: u64,
    /// The reason.
    pub error: String,
}

impl ContestTally {
    /// A tally without records.
    pub fn new(plan: &ContestPlan) -> ContestTally {
        let fresh =
            |spec: &str| PlayerTally { name: spec.to_owned(), seed: plan.seed, ..PlayerTally::default() };
        ContestTally { players: plan.specs().map(fresh).collect() }
    }

    /// The same tally with other names of its players, in their order. Players without a new name
    /// keep their specs.
    #[must_use]
    pub fn with_names(mut self, names: impl IntoIterator<Item = String>) -> ContestTally {
        self.players.iter_mut().zip(names).for_each(|(player, name)| player.name = name);
        self
    }

    /// Adds the players of another contest after those that are there. No further records can be
    /// added for them.
    pub fn join(&mut self, other: ContestTally) {
        self.players.extend(other.players);
    }

    /// Adds the next record.
    pub fn add(&mut self, record: &Record) {
        let player = &mut self.players[record.player];
        let result = &record.result;
        player.scores.push(result.score);
        player.score_sum += result.score as f64;
        *player.largest.entry(result.largest).or_default() += 1;
        player.tile_sums += result.sum as f64;
        player.moves = player.moves.saturating_add(result.moves);
        player.time += record.time;
        *player.ends.entry(record.end.word()).or_default() += 1;
        if let (None, Some(error)) = (&player.failure, record.end.error()) {
            player.failure = Some(Failed { seed: record.seed, error: error.to_owned() });
        }
    }

    /// The mean scores so far, for a running contest. `None` before a player's first game.
    pub fn means(&self) -> impl Iterator<Item = Option<f64>> {
        self.players.iter().map(|player| {
            let games = player.scores.len();
            (games > 0).then(|| player.score_sum / games as f64)
        })
    }

    /// The summaries of all players that have played, in the order of the contest. All have the
    /// same list of tiles.
    pub fn summaries(&self) -> Vec<PlayerSummary> {
        let tiles = self.tiles();
        self.players.iter().filter_map(|player| player.summary(&tiles)).collect()
    }

    /// The difference of every pair of players, in the order of the contest.
    pub fn differences(&self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (index, first) in self.players.iter().enumerate() {
            for second in &self.players[index + 1..] {
                differences.extend(Difference::between(&first.seeded(), &second.seeded()));
            }
        }
        differences
    }

    /// The scores of all players that have played, in the order of the seeds.
    pub fn scores(&self) -> impl Iterator<Item = &[u64]> {
        self.players.iter().map(|player| &player.scores[..]).filter(|scores| !scores.is_empty())
    }

    /// The tiles to report rates for: every largest tile of a game, and the powers of two between
    /// them.
    fn tiles(&self) -> BTreeSet<u64> {
        let mut tiles: BTreeSet<u64> =
            self.players.iter().flat_map(|player| player.largest.keys().copied()).collect();
        let powers: Vec<u64> = tiles.iter().copied().filter(|tile| tile.is_power_of_two()).collect();
        if let (Some(least), Some(most)) = (powers.first(), powers.last()) {
            tiles.extend((least.ilog2()..=most.ilog2()).map(|rank| 1u64 << rank));
        }
        tiles
    }
}

impl PlayerSummary {
    /// The number of games in which the player failed.
    pub fn failed(&self) -> u64 {
        self.ends.get(StopReason::FAILED).copied().unwrap_or(0)
    }

    /// Whether the player failed in every game.
    pub fn always_failed(&self) -> bool {
        self.failed() == self.games
    }
}

impl PlayerTally {
    fn seeded(&self) -> SeededScores<'_> {
        SeededScores { player: &self.name, seed: self.seed, scores: &self.scores }
    }

    fn summary(&self, tiles: &BTreeSet<u64>) -> Option<PlayerSummary> {
        let scores = Moments::of(self.scores.iter().map(|&score| score as f64))?;
        let best = self.scores.iter().copied().max()?;
        let best_game = self.scores.iter().position(|&score| score == best)?;
        let games = scores.count;
        let count = games as f64;
        let seconds = self.time.as_secs_f64();
        let mean_largest =
            self.largest.iter().map(|(&tile, &games)| tile as f64 * games as f64).sum::<f64>() / count;
        Some(PlayerSummary {
            player: self.name.clone(),
            games,
            mean: scores.mean,
            interval: scores.interval(),
            median: median(&self.scores),
            deviation: scores.deviation,
            error: scores.error(),
            best,
            best_seed: self.seed + best_game as u64,
            worst: self.scores.iter().copied().min()?,
            mean_largest,
            mean_sum: self.tile_sums / count,
            mean_moves: self.moves as f64 / count,
            moves_per_second: (seconds > 0.0).then(|| self.moves as f64 / seconds),
            tiles: tiles.iter().map(|&tile| self.rate(tile, games)).collect(),
            ends: self.ends.clone(),
            failure: self.failure.clone(),
        })
    }

    fn rate(&self, tile: u64, games: u64) -> TileRate {
        let reached = self.largest.range(tile..).map(|(_, &games)| games).sum();
        TileRate {
            tile,
            games: reached,
            rate: reached as f64 / games as f64,
            interval: wilson(reached, games),
        }
    }
}

/// The median of a sample that is not empty.
fn median(scores: &[u64]) -> f64 {
    let mut scores = scores.to_vec();
    let (middle, is_even) = (scores.len() / 2, scores.len().is_multiple_of(2));
    let (below, &mut upper, _) = scores.select_nth_unstable(middle);
    match below.iter().max() {
        Some(&lower) if is_even => (lower as f64 + upper as f64) / 2.0,
        _ => upper as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{GameSetup, StopReason};
    use crate::game::{Ending, GameResult};

    fn record(seed: u64, player: usize, score: u64, largest: u64) -> Record {
        let result = GameResult { score, largest, sum: 100, moves: 50 };
        Record {
            seed,
            player,
            result,
            end: StopReason::Over(Ending::NoMoves),
            time: Duration::from_millis(10),
        }
    }

    /// A tally of these scores and largest tiles of each player.
    fn tally(games: &[&[(u64, u64)]]) -> ContestTally {
        let names = ["a", "b", "c"];
        let mut tally = ContestTally::new(&ContestPlan::of_names(
            GameSetup::default(),
            10,
            names.into_iter().take(games.len()),
        ));
        for (player, games) in games.iter().enumerate() {
            for (index, &(score, largest)) in games.iter().enumerate() {
                tally.add(&record(10 + index as u64, player, score, largest));
            }
        }
        tally
    }

    #[test]
    fn a_summary_done_by_hand() {
        let scores = [2, 4, 4, 4, 5, 5, 7, 9];
        let games: Vec<(u64, u64)> = scores.into_iter().zip([64, 64, 32, 256, 64, 64, 64, 256]).collect();
        let summary = &tally(&[&games]).summaries()[0];
        assert_eq!((summary.games, summary.mean, summary.median), (8, 5.0, 4.5));
        assert_eq!((summary.best, summary.best_seed, summary.worst), (9, 17, 2));
        assert_eq!((summary.mean_largest, summary.mean_sum, summary.mean_moves), (108.0, 100.0, 50.0));
        assert!((summary.moves_per_second.unwrap() - 5000.0).abs() < 1e-6);
        // No game ended with 128 as the largest tile, but games with 256 reached it.
        let reached: Vec<(u64, u64)> = summary.tiles.iter().map(|rate| (rate.tile, rate.games)).collect();
        assert_eq!(reached, [(32, 8), (64, 7), (128, 2), (256, 2)]);
        assert_eq!(summary.tiles[3].rate, 0.25);
        assert_eq!(summary.tiles[3].interval, wilson(2, 8));
        assert_eq!(summary.ends, BTreeMap::from([("no-moves", 8)]));
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[7]), 7.0);
        assert_eq!(median(&[9, 1]), 5.0);
        assert_eq!(median(&[9, 1, 4]), 4.0);
        assert_eq!(median(&[3, 3, 1, 8]), 3.0);
        assert_eq!(median(&[u64::MAX, u64::MAX]), u64::MAX as f64);
    }

    #[test]
    fn tiles_that_are_no_powers_of_two_are_told_too() {
        let summary = &tally(&[&[(1, 12), (2, 48), (3, 8)]]).summaries()[0];
        let reached: Vec<(u64, u64)> = summary.tiles.iter().map(|rate| (rate.tile, rate.games)).collect();
        assert_eq!(reached, [(8, 3), (12, 2), (48, 1)]);
    }

    #[test]
    fn all_players_have_the_same_tiles() {
        let summaries = tally(&[&[(1, 8)], &[(1, 64)]]).summaries();
        let tiles = |summary: &PlayerSummary| summary.tiles.iter().map(|rate| rate.tile).collect::<Vec<_>>();
        assert_eq!(tiles(&summaries[0]), [8, 16, 32, 64]);
        assert_eq!(tiles(&summaries[0]), tiles(&summaries[1]));
    }

    #[test]
    fn a_paired_difference_shows_what_two_means_do_not() {
        // The scores differ by thousands from seed to seed, but the first player is always about 5
        // ahead.
        let first: Vec<(u64, u64)> = (0..20u64).map(|i| (i * 1000 + 5 + i % 3, 8)).collect();
        let second: Vec<(u64, u64)> = (0..20u64).map(|i| (i * 1000, 8)).collect();
        let tally = tally(&[&first, &second]);
        let [a, b] = &tally.summaries()[..] else { panic!("two players") };
        assert!(a.interval.unwrap().low < b.mean);
        let difference = &tally.differences()[0];
        assert_eq!((difference.games, difference.better.as_deref()), (20, Some("a")));
        assert!((difference.mean - 5.95).abs() < 1e-9);
        assert_eq!(difference.verdict(), "a is better");
    }

    #[test]
    fn every_two_players_are_compared_in_order() {
        let low: &[(u64, u64)] = &[(10, 8), (12, 8), (11, 8), (10, 8)];
        let same: &[(u64, u64)] = &[(12, 8), (10, 8), (11, 8), (10, 8)];
        let high: &[(u64, u64)] = &[(50, 8), (52, 8), (49, 8), (55, 8)];
        let shown = tally(&[low, same, high]).differences();
        let verdicts: Vec<(&str, &str, String)> =
            shown.iter().map(|d| (d.first.as_str(), d.second.as_str(), d.verdict())).collect();
        assert_eq!(
            verdicts,
            [
                ("a", "b", "no difference shown".to_owned()),
                ("a", "c", "c is better".to_owned()),
                ("b", "c", "c is better".to_owned())
            ]
        );
    }

    #[test]
    fn one_game_shows_no_difference_and_half_a_seed_is_left_out() {
        let difference = &tally(&[&[(9, 8), (7, 8)], &[(1, 8)]]).differences()[0];
        assert_eq!((difference.games, difference.mean, difference.interval), (1, 8.0, None));
        assert_eq!(difference.verdict(), "no difference shown");
        let none = tally(&[&[(9, 8)], &[]]);
        assert!(none.differences().is_empty());
        assert_eq!(none.summaries().len(), 1);
        assert_eq!(none.means().collect::<Vec<_>>(), [Some(9.0), None]);
    }

    #[test]
    fn players_of_other_contests_can_be_joined_under_other_names() {
        let mut joined = tally(&[&[(9, 8), (7, 8)]]);
        let other = tally(&[&[(9, 8), (7, 8)], &[(4, 32)], &[]]);
        joined.join(other.with_names(["a again".to_owned()]));
        let summaries = joined.summaries();
        let names: Vec<&str> = summaries.iter().map(|summary| summary.player.as_str()).collect();
        assert_eq!(names, ["a", "a again", "b"]);
        assert!(summaries.iter().all(|summary| summary.tiles.len() == 3), "8, 16 and 32");
        let difference = &joined.differences()[0];
        assert_eq!(
            (difference.second.as_str(), difference.verdict().as_str()),
            ("a again", "the same scores")
        );
        assert_eq!(joined.scores().collect::<Vec<_>>(), [&[9, 7][..], &[9, 7], &[4]]);
    }

    #[test]
    fn failures_are_counted_and_the_first_is_told() {
        let mut tally = tally(&[&[(9, 8)]]);
        for (seed, error) in [(11, "no answer"), (12, "left does nothing")] {
            let mut failed = record(seed, 0, 4, 8);
            failed.end = StopReason::Failed(error.to_owned());
            tally.add(&failed);
        }
        let summary = &tally.summaries()[0];
        assert!(!summary.always_failed());
        assert_eq!(summary.ends, BTreeMap::from([("failed", 2), ("no-moves", 1)]));
        assert_eq!(summary.failure, Some(Failed { seed: 11, error: "no answer".to_owned() }));
    }
}
