//! The settings of a training run, and its progress.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Order;
use crate::game::Probability;
use crate::ntuple::{Shape, Stages};

/// Everything that determines what is learned, except the duration and the number of threads.
///
/// ```
/// use lab2048::board::Size;
/// use lab2048::learn::{Limit, Recipe, start};
/// use lab2048::ntuple::{Patterns, Shape, Stages};
///
/// let patterns = Patterns::parse(Size::new(2, 2)?, "0123")?;
/// let shape = Shape { patterns, stages: Stages::one(), top: 15, start_value: 0.0 };
/// let mut training = start(Recipe { seed: 7, ..Recipe::new(shape) })?;
/// training.run(1, Limit { games: Some(10), ..Limit::default() });
/// assert_eq!(training.progress().games, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The shape of the network.
    pub shape: Shape,
    /// The update rule.
    pub rule: UpdateRule,
    /// When the weights change.
    pub order: Order,
    /// The learning rate.
    pub rate: Schedule,
    /// After a lost episode of at least this many moves, the next one restarts from its middle with
    /// a different random stream. So each game is followed by shorter ones that train its end. 0
    /// disables restarts.
    pub restart: u32,
    /// The share of games that start on a board of a later stage, where an earlier game entered it.
    #[serde(default = "none")]
    pub stage_starts: Probability,
    /// The share of games that start on a board with its large tiles in order.
    #[serde(default = "none")]
    pub formations: Probability,
    /// The share of the other games, including restarts, that are cut after an opening.
    #[serde(default = "none")]
    pub openings: Probability,
    /// The probability that a spawned tile is a 4.
    pub four: Probability,
    /// The seed of all random streams.
    pub seed: u64,
    /// The hash of the network that the run started from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The networks that were mixed into the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Mixed>,
    /// The number of games at the start that are played on one thread, because at first all games
    /// share the same few weights.
    pub single_games: u64,
}

/// The default of shares that a file does not have.
fn none() -> Probability {
    Probability::ZERO
}

impl Recipe {
    /// The usual recipe for a network: temporal coherence at rate 1, learning backward. Each game
    /// starts from the beginning or from the middle of the previous one.
    pub fn new(shape: Shape) -> Recipe {
        let rule = UpdateRule::Tc;
        Recipe {
            shape,
            rule,
            order: Order::Backward,
            rate: rule.usual_rate(),
            restart: 100,
            stage_starts: Probability::ZERO,
            formations: Probability::ZERO,
            openings: Probability::ZERO,
            four: Probability::TENTH,
            seed: 1,
            from: None,
            mixed: Vec::new(),
            single_games: 1000,
        }
    }

    /// The recipe with `changes` applied.
    #[must_use]
    pub fn changed(mut self, changes: Changes) -> Recipe {
        let Changes { rate, stages, new_stages: _, stage_starts, formations, openings } = changes;
        self.rate = rate.unwrap_or(self.rate);
        self.shape.stages = stages.unwrap_or(self.shape.stages);
        self.stage_starts = stage_starts.unwrap_or(self.stage_starts);
        self.formations = formations.unwrap_or(self.formations);
        self.openings = openings.unwrap_or(self.openings);
        self
    }
}

/// Changes to a paused run. `None` means unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// A new learning rate.
    pub rate: Option<Schedule>,
    /// The existing stages of the network, followed by new ones.
    pub stages: Option<Stages>,
    /// The initial weights of the new stages.
    pub new_stages: NewStages,
    /// A new [`Recipe::stage_starts`].
    pub stage_starts: Option<Probability>,
    /// A new [`Recipe::formations`].
    pub formations: Option<Probability>,
    /// A new [`Recipe::openings`].
    pub openings: Option<Probability>,
}

/// How weights change after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpdateRule {
    /// Temporal coherence: every weight has its own learning rate.
    Tc,
    /// Plain temporal differences, TD(0).
    Td,
}

impl UpdateRule {
    /// The default learning rate of the rule.
    pub fn usual_rate(self) -> Schedule {
        Schedule {
            steps: vec![match self {
                UpdateRule::Tc => (0, 1.0),
                UpdateRule::Td => (0, 0.1),
            }],
        }
    }
}

impl fmt::Display for UpdateRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            UpdateRule::Tc => "tc",
            UpdateRule::Td => "td",
        })
    }
}

/// The initial weights of a stage that is added to a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewStages {
    /// The weights of the last existing stage, with the statistics of the update rule. When the
    /// statistics were reset instead, the network played late boards worse even a billion moves
    /// later.
    #[default]
    Copy,
    /// No knowledge: every afterstate has the start value. The stage can then learn a different
    /// arrangement than the stages before it.
    Fresh,
}

/// A network that was mixed into the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    /// The hash of the network.
    pub network: String,
    /// How far the weights were moved towards those of the network.
    pub share: Probability,
    /// The number of moves of the run at that time.
    pub moves: u64,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of episodes: games and restarts.
    pub episodes: u64,
    /// The number of whole games.
    pub games: u64,
    /// The number of moves in all episodes.
    pub moves: u64,
    /// The training time in seconds.
    pub seconds: f64,
}

/// A learning rate that changes at given numbers of moves: `1`, or `1 0.5@2e9 0.1@3e9` (0.5 after 2
/// billion moves, 0.1 after 3 billion).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Schedule {
    steps: Vec<(u64, f32)>,
}

/// The text is not a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is not a learning rate: write 1, or '1 0.5@2e9' for 0.5 after two billion moves, in ascending order"
)]
pub struct ScheduleError(pub String);

impl Schedule {
    /// The rate after a number of moves.
    pub fn at(&self, moves: u64) -> f32 {
        let passed = self.steps.iter().rev().find(|(from, _)| *from <= moves);
        passed.map_or(self.steps[0].1, |(_, rate)| *rate)
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let wrong = || ScheduleError(text.to_owned());
        let mut steps: Vec<(u64, f32)> = Vec::new();
        for word in text.split_whitespace() {
            let (rate, from) = word.split_once('@').unwrap_or((word, "0"));
            let rate =
                rate.parse().ok().filter(|rate: &f32| rate.is_finite() && *rate >= 0.0).ok_or_else(wrong)?;
            let from =
                from.parse().ok().filter(|from: &f64| (0.0..1e18).contains(from)).ok_or_else(wrong)? as u64;
            if steps.last().is_some_and(|&(last, _)| from <= last) || (steps.is_empty() && from != 0) {
                return Err(wrong());
            }
            steps.push((from, rate));
        }
        if steps.is_empty() { Err(wrong()) } else { Ok(Schedule { steps }) }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (from, rate)) in self.steps.iter().enumerate() {
            if place == 0 {
                write!(f, "{rate}")?;
            } else {
                write!(f, " {rate}@{from}")?;
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Schedule {
    type Error = ScheduleError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Schedule> for String {
    fn from(schedule: Schedule) -> String {
        schedule.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_written_as_they_are_shown() {
        for rule in [UpdateRule::Tc, UpdateRule::Td] {
            assert_eq!(serde_json::to_string(&rule).unwrap(), format!("\"{rule}\""));
        }
        assert!(serde_json::from_str::<UpdateRule>("\"sarsa\"").is_err());
    }

    #[test]
    fn schedules_change_where_they_say() {
        let schedule: Schedule = "1 0.5@2e3 0.1@3000".parse().unwrap();
        assert_eq!(
            [0, 1999, 2000, 2999, 3000, u64::MAX].map(|moves| schedule.at(moves)),
            [1.0, 1.0, 0.5, 0.5, 0.1, 0.1]
        );
        assert_eq!(schedule.to_string(), "1 0.5@2000 0.1@3000");
        assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), schedule);
        for text in ["", "x", "1@5", "1 0.5@0", "1 0.5@7 0.2@7", "-1", "nan", "1 2@-3"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
