//! Measures a champion in fresh games, beside baseline players.

use lab2048::arena::{Arena, Completion, ContestPlan, GameSetup, Moments, Workload, sign_test};
use lab2048::evolve::{Program, play_many};
use lab2048::game::GameResult;
use lab2048::players::Registry;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::show::count;

/// The seed of the first fresh game. Evolutions use random 64-bit seeds, so the games do not
/// overlap.
pub(super) const FIRST_SEED: u64 = 1;

/// The players that a champion is compared with.
pub(super) const BASELINES: [&str; 2] = ["random", "greedy"];

/// The statistics of fresh games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trial {
    pub(super) games: u64,
    pub(super) score: f64,
    /// The standard error of the mean score.
    pub(super) error: f64,
    pub(super) largest: f64,
    pub(super) sum: f64,
}

impl Trial {
    pub(super) fn of(games: &[GameResult]) -> Trial {
        let count = games.len() as f64;
        let mean = |of: fn(&GameResult) -> f64| games.iter().map(of).sum::<f64>() / count;
        let scores = Moments::of(games.iter().map(|game| game.score as f64));
        Trial {
            games: games.len() as u64,
            score: mean(|game| game.score as f64),
            error: scores.map_or(0.0, |scores| scores.error()),
            largest: mean(|game| game.largest as f64),
            sum: mean(|game| game.sum as f64),
        }
    }

    /// The statistics as text.
    pub(super) fn words(&self) -> String {
        let Trial { games, score, error, largest, .. } = *self;
        let error = if games > 1 { format!(" (s.e. {error:.1})") } else { String::new() };
        format!("{score:.1} points{error}, largest tile {largest:.1} in {}", count(games, "fresh game"))
    }
}

/// Plays fresh games with a program.
pub(super) fn play(program: &Program, games: u64, threads: usize) -> Outcome<Vec<GameResult>> {
    let played = play_many(program, FIRST_SEED..FIRST_SEED + games, threads, interrupt::flag());
    played.ok_or_else(|| Failure::interrupted("interrupted"))
}

/// Plays the fresh games with the player of a spec.
pub(super) fn play_player(
    registry: &Registry,
    spec: &str,
    games: u64,
    threads: usize,
) -> Outcome<Vec<GameResult>> {
    let parsed = registry.parse(spec).map_err(Failure::bad_input)?;
    let plan = ContestPlan::of_names(GameSetup::default(), FIRST_SEED, [spec]);
    let mut played = Vec::new();
    let work = Workload { games, done: 0, threads };
    let arena = Arena::new(plan, vec![registry.maker(&parsed)]);
    let finish = arena.run(&work, interrupt::flag(), &mut |records| {
        played.extend(records.iter().map(|record| record.result));
        Ok(())
    })?;
    match finish {
        Completion::Complete => Ok(played),
        Completion::Cancelled => Err(Failure::interrupted("interrupted")),
    }
}

/// The difference to a baseline: the mean, its interval, and the p-value of a sign test.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) baseline: &'static str,
    pub(super) mean: f64,
    /// The mean of the differences.
    pub(super) difference: f64,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// The two-sided sign test.
    pub(super) p: f64,
}

impl Comparison {
    /// Compares pairs of results: champion and baseline. `mean` is the baseline's mean score.
    pub(super) fn of(baseline: &'static str, mean: f64, pairs: &[(f64, f64)]) -> Comparison {
        let differences = || pairs.iter().map(|(ours, theirs)| ours - theirs);
        let wins = differences().filter(|&difference| difference > 0.0).count() as u64;
        let losses = differences().filter(|&difference| difference < 0.0).count() as u64;
        let moments = Moments::of(differences());
        let interval = moments.and_then(|moments| moments.interval());
        Comparison {
            baseline,
            mean,
            difference: moments.map_or(0.0, |moments| moments.mean),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            p: sign_test(wins, losses),
        }
    }

    pub(super) fn words(&self) -> String {
        let interval = match (self.low, self.high) {
            (Some(low), Some(high)) => format!(" (95% interval {low:.0} to {high:.0})"),
            _ => String::new(),
        };
        let p = if self.p < 0.001 { format!("{:.1e}", self.p) } else { format!("{:.3}", self.p) };
        format!(
            "against {} ({:.1}): {:+.1}{interval}, sign test p = {p}",
            self.baseline, self.mean, self.difference
        )
    }

    pub(super) fn json(&self) -> Value {
        json!(self)
    }
}
