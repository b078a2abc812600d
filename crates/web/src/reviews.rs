//! Reviews: a judge grades the moves of a replay, some at a time.

use std::time::Duration;

use lab2048::game::Replay;
use lab2048::game::replay::Position;
use lab2048::review::{Grade, Judge, JudgedMove, Review};
use serde_json::{Value, json};

use crate::games::read_replay;
use crate::players::Built;
use crate::{Answer, Failure, Host, view};

/// How many of the worst moves a summary lists.
const WORST: usize = 10;

/// A review under way.
pub(crate) struct Reviewing {
    judge: Judge,
    replay: Replay,
    positions: Vec<Position>,
    moves: Vec<JudgedMove>,
}

impl Host {
    pub(crate) fn review(&mut self, text: &str, spec: &str) -> Answer {
        let replay = read_replay(text)?;
        let positions: Vec<Position> =
            replay.positions().collect::<Result<_, _>>().map_err(Failure::because)?;
        let spec = self.resolved(&self.spec(spec)?, &replay.header().start, replay.header().rules.four);
        let player = match self.build(&spec)? {
            Built::Ready(player) => player,
            Built::Needs(network) => {
                return Ok(json!({ "review": null, "spec": spec.to_string(), "network": network }));
            }
        };
        let judge = Judge::new(player, &replay).map_err(Failure::because)?;
        let moves = replay.steps().len();
        let number = self.reviews.add(Reviewing { judge, replay, positions, moves: Vec::new() });
        Ok(json!({ "review": number, "moves": moves, "spec": spec.to_string(), "network": null }))
    }

    pub(crate) fn judge(&mut self, number: u32, time: Duration) -> Answer {
        let clock = self.clock;
        let started = clock.now();
        let Reviewing { judge, replay, positions, moves } = self.reviews.get_mut(number)?;
        let first = moves.len();
        let steps = replay.steps();
        while moves.len() < steps.len() && (moves.len() == first || clock.since(started) < time) {
            let next = moves.len();
            match judge.judge(&positions[next], steps[next].action()) {
                Ok(judged) => moves.push(judged),
                // The next call fails; the moves so far are told.
                Err(_) if next > first => break,
                Err(error) => return Err(Failure::because(error)),
            }
        }
        let judged: Vec<Value> = moves[first..].iter().map(judged).collect();
        Ok(json!({ "moves": judged, "done": moves.len() == steps.len() }))
    }

    pub(crate) fn summary(&mut self, number: u32) -> Answer {
        let Reviewing { moves, replay, .. } = self.reviews.remove(number)?;
        let review = Review { complete: moves.len() == replay.steps().len(), moves };
        let summary = review.summary();
        let grades = Grade::ALL.map(|grade| {
            let tally = summary.with(grade);
            json!({ "name": grade.name(), "least": grade.least(), "moves": tally.moves, "loss": tally.loss })
        });
        Ok(json!({
            "moves": summary.moves,
            "forced": summary.forced,
            "unjudged": summary.unjudged,
            "best": summary.best,
            "graded": summary.graded(),
            "loss": summary.loss(),
            "mean_loss": summary.mean_loss(),
            "agreement": summary.agreement(),
            "accuracy": summary.accuracy(),
            "kept": summary.kept(),
            "grades": grades,
            "worst": review.worst(WORST).into_iter().map(judged).collect::<Vec<_>>(),
            "complete": review.complete,
        }))
    }
}

/// The judgement of a move.
fn judged(judged: &JudgedMove) -> Value {
    json!({
        "number": judged.number,
        "score": judged.score,
        "played": view::action(judged.played),
        "best": view::action(judged.best),
        "values": view::values(&judged.values),
        "played_value": judged.played_value,
        "best_value": judged.best_value,
        "choices": judged.choices,
        "loss": judged.loss(),
        "ratio": judged.ratio(),
        "grade": judged.grade().map(Grade::name),
        "verdict": judged.verdict().name(),
        "expected": judged.expected(),
        "expected_after": judged.expected_after(),
    })
}
