//! The judgement of one move.

use thiserror::Error;

use super::Grade;
use crate::board::{Board, Direction};
use crate::game::replay::{Position, ReplayFault};
use crate::game::{
    Action, Decision, Future, GameStart, MakeError, MoveValue, Player, PlayerError, Probability, Refusal,
    Replay, Situation, Stream, Unit, outcomes,
};

/// Why a game cannot be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReviewError {
    /// The replay contains an impossible step.
    #[error("the replay is not valid: {0}")]
    Fault(#[from] ReplayFault),
    /// The judge cannot be made.
    #[error("it cannot judge this game: {0}")]
    Unmade(#[from] MakeError),
    /// The judge cannot play this game.
    #[error("it cannot judge this game: {0}")]
    Refused(#[from] Refusal),
    /// The judge knows the coming tiles, which no player of the game knew.
    #[error("it knows the coming tiles, so it would grade luck instead of decisions")]
    KnowsFuture,
    /// The judge's values are not points.
    #[error(
        "its values on this board are preferences, not points; use a judge that counts points, \
         such as ntuple on 4x4"
    )]
    NoPoints,
    /// The judge failed.
    #[error("it failed at step {step}: {reason}")]
    Failed {
        /// Counted from 1.
        step: usize,
        /// The player's error.
        #[source]
        reason: PlayerError,
    },
}

/// The judgement of one step of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedMove {
    /// The number of the step, counted from 1.
    pub number: usize,
    /// The score before it.
    pub score: u64,
    /// What was done.
    pub played: Action,
    /// The judge's best action. This is the played action if nothing is better.
    pub best: Action,
    /// The judge's expected points to come for each direction, in the order of
    /// [`Direction::ALL`].
    pub values: [MoveValue; 4],
    /// The expected points to come after the played action, including its own reward. `None` for a
    /// quit, and if the judge has no value.
    pub played_value: Option<f64>,
    /// The expected points to come after the best action.
    pub best_value: f64,
    /// The number of legal directions.
    pub choices: usize,
}

/// The result for a step in a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The move was one of several and has this grade.
    Graded(Grade),
    /// It was the only legal move.
    Forced,
    /// The judge has no value for it.
    Unjudged,
    /// The player quit, which is not a move.
    Quit,
}

impl Verdict {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Graded(grade) => grade.name(),
            Verdict::Forced => "forced",
            Verdict::Unjudged => "unjudged",
            Verdict::Quit => "quit",
        }
    }
}

impl JudgedMove {
    /// The expected points that the move gave away.
    pub fn loss(&self) -> Option<f64> {
        self.played_value.map(|value| self.best_value - value)
    }

    /// The points to come of each direction that has a value, as the grade counts them.
    pub(super) fn points(&self) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| points_of(&self.values, Action::Move(direction)))
    }

    /// The final score that the judge expects after the best move.
    pub fn expected(&self) -> f64 {
        self.score as f64 + self.best_value
    }

    /// The final score that the judge expects after what was played.
    pub fn expected_after(&self) -> Option<f64> {
        self.played_value.map(|value| self.score as f64 + value)
    }

    /// The share of the expected final score that the move keeps; 1 if no points are expected.
    pub fn ratio(&self) -> Option<f64> {
        let after = self.expected_after()?;
        Some(if self.expected() > 0.0 { after / self.expected() } else { 1.0 })
    }

    /// Whether no better move was possible.
    pub fn is_best(&self) -> bool {
        self.played == self.best
    }

    /// The grade, or why there is none.
    pub fn verdict(&self) -> Verdict {
        match (self.played, self.ratio()) {
            (Action::Quit, _) => Verdict::Quit,
            (Action::Move(_), _) if self.choices == 1 => Verdict::Forced,
            (_, Some(ratio)) => Verdict::Graded(Grade::of_ratio(ratio)),
            (_, None) => Verdict::Unjudged,
        }
    }

    /// The grade, if the step has one.
    pub fn grade(&self) -> Option<Grade> {
        match self.verdict() {
            Verdict::Graded(grade) => Some(grade),
            _ => None,
        }
    }
}

/// A player that judges the moves of one replay.
pub struct Judge {
    player: Box<dyn Player>,
    four: Probability,
    luck: Stream,
}

impl Judge {
    /// Prepares a player to judge a game. Fails if the player cannot judge it.
    pub fn new(mut player: Box<dyn Player>, replay: &Replay) -> Result<Judge, ReviewError> {
        if player.facts().needs_future {
            return Err(ReviewError::KnowsFuture);
        }
        let header = replay.header();
        player.start(&GameStart { rules: &header.rules, board: &header.start, future: Future::Hidden })?;
        let luck = Stream::player(header.seed.unwrap_or_default());
        Ok(Judge { player, four: header.rules.four, luck })
    }

    /// Judges an action at a position.
    pub fn judge(&mut self, position: &Position, played: Action) -> Result<JudgedMove, ReviewError> {
        let number = position.number + 1;
        let failed = |reason| ReviewError::Failed { step: number, reason };
        let decision = self.ask(&position.board, position.score, position.number as u64).map_err(failed)?;
        if decision.unit != Unit::Points {
            return Err(ReviewError::NoPoints);
        }
        let values = decision.values.map(|value| match value {
            MoveValue::Worth(points) if !points.is_finite() => MoveValue::Unknown,
            value => value,
        });
        let best = Decision::best_of(values, Unit::Points, 0, 0).map(|decision| decision.action);
        let best = best.and_then(|action| Some((action, points_of(&values, action)?)));
        let (best, best_value) = best.ok_or(ReviewError::NoPoints)?;
        let played_value = match played {
            Action::Move(_) => points_of(&values, played),
            Action::Pass => Some(self.value_of_pass(position).map_err(failed)?),
            Action::Quit => None,
        };
        // The judge itself never passes, so a pass is only judged if it was played.
        let (best, best_value) = match played_value {
            Some(value) if value >= best_value => (played, value),
            _ => (best, best_value),
        };
        Ok(JudgedMove {
            number,
            score: position.score,
            played,
            best,
            values,
            played_value,
            best_value,
            choices: position.board.legal_moves().len(),
        })
    }

    /// The judge's expected points after a pass: the mean over all possible spawns. On a full board
    /// a pass ends the game.
    fn value_of_pass(&mut self, position: &Position) -> Result<f64, PlayerError> {
        let after = position.board.pass();
        let mut mean = 0.0;
        for outcome in outcomes(&after, self.four) {
            let board = after.spawn(outcome.spawn.cell, outcome.spawn.tile);
            let board = board.expect("a tile can appear where a spawn is possible");
            if board.has_moves() {
                let decision = self.ask(&board, position.score, position.number as u64 + 1)?;
                let best = decision
                    .values
                    .into_iter()
                    .filter_map(MoveValue::worth)
                    .filter(|value| value.is_finite());
                mean += outcome.probability * best.fold(0.0, f64::max);
            }
        }
        Ok(mean)
    }

    fn ask(&mut self, board: &Board, score: u64, turns: u64) -> Result<Decision, PlayerError> {
        self.player.choose(&Situation { board, score, turns, four: self.four, luck: self.luck, future: None })
    }
}

/// The points to come of a direction. Points are never lost, so a negative value counts as 0. A
/// network may give one to a board that is nearly lost.
fn points_of(values: &[MoveValue; 4], action: Action) -> Option<f64> {
    let Action::Move(direction) = action else { return None };
    match values[direction.index()] {
        MoveValue::Worth(points) => Some(points.max(0.0)),
        MoveValue::Lost { .. } => Some(0.0),
        MoveValue::Illegal | MoveValue::Unknown => None,
    }
}
