//! What a training run does, and how far it has come.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Order;
use crate::game::Probability;
use crate::ntuple::{Shape, Stages};

/// Everything that decides what is learned, apart from how long and on how many threads.
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
    /// The network.
    pub shape: Shape,
    /// The update rule.
    pub rule: UpdateRule,
    /// When the weights change.
    pub order: Order,
    /// The learning rate.
    pub rate: Schedule,
    /// After a game of at least this many moves the next one starts at its middle, with other luck;
    /// so every game is followed by shorter ones that train its end. 0 starts every game anew.
    pub restart: u32,
    /// The share of games that start on a board of a later stage, taken from where earlier games
    /// entered it.
    #[serde(default = "none")]
    pub stage_starts: Probability,
    /// The share of games that start on a board with its large tiles in order.
    #[serde(default = "none")]
    pub formations: Probability,
    /// The share of the other games, restarts included, that are cut after the length of an
    /// opening.
    #[serde(default = "none")]
    pub openings: Probability,
    /// The chance of a 4.
    pub four: Probability,
    /// What all luck comes from.
    pub seed: u64,
    /// The hash of the network whose weights it began with, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The networks that were mixed in on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed: Vec<Mixed>,
    /// The first games are played on one thread, while every weight is still shared by all of them.
    pub single_games: u64,
}

/// The share where a file has none.
fn none() -> Probability {
    Probability::ZERO
}

impl Recipe {
    /// The usual recipe for a network: temporal coherence at rate 1, backwards, every game from the
    /// beginning or from the middle of the one before.
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

    /// The recipe with changes.
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

/// What may change while a run is paused. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Another learning rate.
    pub rate: Option<Schedule>,
    /// The stages that the network had, and others after them.
    pub stages: Option<Stages>,
    /// What these others begin with.
    pub new_stages: NewStages,
    /// Another [`Recipe::stage_starts`].
    pub stage_starts: Option<Probability>,
    /// Another [`Recipe::formations`].
    pub formations: Option<Probability>,
    /// Another [`Recipe::openings`].
    pub openings: Option<Probability>,
}

/// How weights answer errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpdateRule {
    /// Temporal coherence: every weight has a learning rate of its own.
    Tc,
    /// Plain temporal differences, TD(0).
    Td,
}

impl UpdateRule {
    /// A learning rate that the rule does well with.
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

/// What a stage that is added to a network begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewStages {
    /// The weights of the last stage before it, with what the rule remembers about them. Made to
    /// forget that, late boards were played worse even a billion moves later.
    #[default]
    Copy,
    /// Nothing known: every afterstate has the start value. So the stage can learn another
    /// arrangement than the one that the stages before it know.
    Fresh,
}

/// A network that was mixed in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixed {
    /// Its hash.
    pub network: String,
    /// How far the weights were moved towards its own.
    pub share: Probability,
    /// After how many moves of the run.
    pub moves: u64,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Episodes: games and restarts.
    pub episodes: u64,
    /// Games from the beginning.
    pub games: u64,
    /// Moves of all episodes.
    pub moves: u64,
    /// The time spent training.
    pub seconds: f64,
}

/// A learning rate that changes at given numbers of moves: `1`, or `1 0.5@2e9 0.1@3e9` (0.5 from 2
/// billion moves on).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Schedule {
    steps: Vec<(u64, f32)>,
}

/// A text that is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' is not a learning rate: write 1, or 1 0.5@2e9 for 0.5 from two billion moves on, in ascending order"
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
