//! Reviews of replays as Python classes.

use std::sync::Arc;

use lab2048::board;
use lab2048::game::{Action, Player as _, Replay};
use lab2048::review as engine;
use lab2048::review::{Grade, ReviewError, ReviewSummary, Verdict};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::board::Board;
use crate::convert::{BoardArg, Dir, Restored, Threads, action_code, action_name, action_of, restored};
use crate::errors::{failed, fault, invalid};
use crate::player::{ValueState, value_of_state, value_state};
use crate::registry;
use crate::replay::ReplayArg;
use crate::waiting::reporting;

/// The error if the thread of a review ended without a result.
const BROKE_DOWN: &str = "the review crashed";

/// The judged moves of a replay.
#[pyclass(frozen, eq, module = "lab2048")]
pub(crate) struct Review {
    judge: String,
    network: Option<String>,
    summary: ReviewSummary,
    moves: Vec<JudgedMove>,
}

impl PartialEq for Review {
    fn eq(&self, other: &Review) -> bool {
        (&self.judge, &self.network, &self.moves) == (&other.judge, &other.network, &other.moves)
    }
}

/// The judgement of one step of a replay.
#[pyclass(frozen, eq, module = "lab2048")]
#[derive(Clone, PartialEq)]
pub(crate) struct JudgedMove {
    judged: Arc<engine::JudgedMove>,
    board: board::Board,
}

/// A pickled judgement: number, score, played and best action, values, values of both actions,
/// choices, board.
type JudgedState<B> = (usize, u64, u8, u8, [ValueState; 4], Option<f64>, f64, usize, B);
/// A pickled review: judge, network, moves.
type ReviewState = (String, Option<String>, Vec<JudgedState<Board>>);

fn review_error(judge: &str, error: ReviewError) -> PyErr {
    match error {
        ReviewError::Fault(error) => fault(error),
        ReviewError::Failed { .. } => failed(format!("{judge}: {error}")),
        error => invalid(format!("{judge} cannot be the judge: {error}")),
    }
}

/// A player judges every move of a replay, a Replay or the path of its file. `progress(done,
/// total)` is called from time to time; if it raises, the review ends.
#[pyo3::pyfunction]
#[pyo3(signature = (replay, judge="auto", *, threads=None, progress=None))]
pub(crate) fn review(
    py: Python<'_>,
    replay: ReplayArg,
    judge: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Review> {
    let ReplayArg(replay) = replay;
    let (start, four) = (&replay.header().start, replay.header().rules.four);
    let spec = registry().resolve(&registry().parse(judge).map_err(invalid)?, start, four);
    let total = replay.steps().len();
    let threads = Threads::or_all(threads);
    let work = move |cancel: &_, tell: &(dyn Fn(usize) + Sync)| {
        let first = registry().build(&spec).map_err(failed)?;
        let mut done = 0;
        let made = engine::review(&replay, &registry().maker(&spec), threads, cancel, &mut |moves| {
            done += moves.len();
            tell(done);
        });
        let judge = spec.to_string();
        let made = made.map_err(|error| review_error(&judge, error))?;
        let network = first.facts().fingerprint.on(&replay.header().start);
        Ok(Review { network, summary: made.summary(), moves: with_boards(&replay, made)?, judge })
    };
    reporting(py, BROKE_DOWN, work, |done| {
        progress.as_ref().map_or(Ok(()), |progress| progress.call1((done, total)).map(drop))
    })?
}

/// The judged moves with the boards on which they were played.
fn with_boards(replay: &Replay, made: engine::Review) -> PyResult<Vec<JudgedMove>> {
    let joined = made.moves.into_iter().zip(replay.positions()).map(|(judged, position)| {
        Ok(JudgedMove { judged: Arc::new(judged), board: position.map_err(fault)?.board })
    });
    joined.collect()
}

impl JudgedMove {
    fn state(&self) -> JudgedState<Board> {
        let engine::JudgedMove { number, score, played, best, values, played_value, best_value, choices } =
            *self.judged;
        let values = values.map(value_state);
        let (played, best) = (action_code(played), action_code(best));
        (
            number,
            score,
            played,
            best,
            values,
            played_value,
            best_value,
            choices,
            Board::new(self.board.clone()),
        )
    }

    fn of_state(state: JudgedState<BoardArg>) -> PyResult<JudgedMove> {
        let (number, score, played, best, values, played_value, best_value, choices, board) = state;
        let (played, best) = (action_of(played)?, action_of(best)?);
        let values = values.map(value_of_state);
        let judged =
            engine::JudgedMove { number, score, played, best, values, played_value, best_value, choices };
        Ok(JudgedMove { judged: Arc::new(judged), board: board.0 })
    }
}

/// A direction, or 'pass' or 'quit'.
fn shown<'py>(py: Python<'py>, action: Action) -> PyResult<Bound<'py, PyAny>> {
    match action {
        Action::Move(direction) => Dir(direction).into_pyobject(py),
        other => Ok(PyString::new(py, action_name(other)).into_any()),
    }
}

#[pymethods]
impl Review {
    /// The spec of the player that judged.
    #[getter]
    fn judge(&self) -> &str {
        &self.judge
    }

    /// The hash of the judge's network or table, if it used one.
    #[getter]
    fn network(&self) -> Option<&str> {
        self.network.as_deref()
    }

    /// All steps of the replay, in order.
    #[getter]
    fn moves(&self) -> Vec<JudgedMove> {
        self.moves.clone()
    }

    /// What the graded moves cost, compared with random moves in the same positions: 1 if they lost
    /// nothing, 0 if they cost as much as random moves or more; None if no move could lose
    /// anything.
    #[getter]
    fn accuracy(&self) -> Option<f64> {
        self.summary.accuracy()
    }

    /// The share of graded moves that were the judge's best.
    #[getter]
    fn agreement(&self) -> Option<f64> {
        self.summary.agreement()
    }

    /// The product of the shares that the graded moves kept.
    #[getter]
    fn kept(&self) -> Option<f64> {
        self.summary.kept()
    }

    /// The expected points that all graded moves lost.
    #[getter]
    fn loss(&self) -> f64 {
        self.summary.loss()
    }

    /// The mean expected points lost by a graded move.
    #[getter]
    fn mean_loss(&self) -> Option<f64> {
        self.summary.mean_loss()
    }

    /// The number of graded moves.
    #[getter]
    fn graded(&self) -> usize {
        self.summary.graded()
    }

    /// The number of graded moves that were the judge's best.
    #[getter]
    fn best(&self) -> usize {
        self.summary.best
    }

    /// The number of moves without an alternative.
    #[getter]
    fn forced(&self) -> usize {
        self.summary.forced
    }

    /// The number of moves for which the judge has no value.
    #[getter]
    fn unjudged(&self) -> usize {
        self.summary.unjudged
    }

    /// For each grade, the best first: the number of moves and the expected points that they lost.
    #[getter]
    fn grades<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let grades = PyDict::new(py);
        for grade in Grade::ALL {
            let (tally, shown) = (self.summary.with(grade), PyDict::new(py));
            shown.set_item("moves", tally.moves)?;
            shown.set_item("loss", tally.loss)?;
            grades.set_item(grade.name(), shown)?;
        }
        Ok(grades)
    }

    /// The moves that lost most, the worst first. Moves without a loss are left out.
    #[pyo3(signature = (count=5))]
    fn worst(&self, count: usize) -> Vec<JudgedMove> {
        let places = engine::places_of_worst(self.moves.iter().map(|one| &*one.judged), count);
        places.into_iter().map(|place| self.moves[place].clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.moves.len()
    }

    fn __repr__(&self) -> String {
        let accuracy =
            self.summary.accuracy().map_or("none".to_owned(), |share| format!("{:.2}%", 100.0 * share));
        format!("<Review of {} moves by {}: accuracy {accuracy}>", self.moves.len(), self.judge)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, ReviewState>> {
        let moves = self.moves.iter().map(JudgedMove::state).collect();
        restored::<Review, _>(py, (self.judge.clone(), self.network.clone(), moves))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(
        judge: String,
        network: Option<String>,
        moves: Vec<JudgedState<BoardArg>>,
    ) -> PyResult<Review> {
        let moves: Vec<JudgedMove> = moves.into_iter().map(JudgedMove::of_state).collect::<PyResult<_>>()?;
        let mut summary = ReviewSummary::default();
        moves.iter().for_each(|one| summary.add(&one.judged));
        Ok(Review { judge, network, summary, moves })
    }
}

#[pymethods]
impl JudgedMove {
    /// The number of the step, from 1.
    #[getter]
    fn number(&self) -> usize {
        self.judged.number
    }

    /// The board before the step.
    #[getter]
    fn board(&self) -> Board {
        Board::new(self.board.clone())
    }

    /// The score before the step.
    #[getter]
    fn score(&self) -> u64 {
        self.judged.score
    }

    /// What was played: a direction, 'pass' or 'quit'.
    #[getter]
    fn played<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        shown(py, self.judged.played)
    }

    /// The judge's best action, which is the played one if nothing is better.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        shown(py, self.judged.best)
    }

    /// Whether no better move was possible.
    #[getter]
    fn is_best(&self) -> bool {
        self.judged.is_best()
    }

    /// The expected points to come for each direction, in the order of Direction; None if it is
    /// illegal or was not judged.
    #[getter]
    fn values(&self) -> (Option<f64>, Option<f64>, Option<f64>, Option<f64>) {
        let [up, right, down, left] = self.judged.values.map(|value| value.worth());
        (up, right, down, left)
    }

    /// The expected points to come after what was played.
    #[getter]
    fn played_value(&self) -> Option<f64> {
        self.judged.played_value
    }

    /// The expected points to come after the best action.
    #[getter]
    fn best_value(&self) -> f64 {
        self.judged.best_value
    }

    /// The expected points that the move gave away.
    #[getter]
    fn loss(&self) -> Option<f64> {
        self.judged.loss()
    }

    /// The share of the expected final score that the move keeps.
    #[getter]
    fn ratio(&self) -> Option<f64> {
        self.judged.ratio()
    }

    /// What the move cost: 0 for the best move, 0.5 if it lost 2.5% of the expected final score,
    /// less than 1 if it lost everything; None if the step has no grade.
    #[getter]
    fn cost(&self) -> Option<f64> {
        self.judged.cost()
    }

    /// What a random legal move would have cost here on average; None if the step has no grade.
    #[getter]
    fn random_cost(&self) -> Option<f64> {
        self.judged.random_cost()
    }

    /// The grade, such as 'excellent' or 'blunder'; None if the step has none.
    #[getter]
    fn grade(&self) -> Option<&'static str> {
        self.judged.grade().map(Grade::name)
    }

    /// The grade, or why there is none: 'forced', 'unjudged' or 'quit'.
    #[getter]
    fn verdict(&self) -> &'static str {
        Verdict::name(self.judged.verdict())
    }

    fn __repr__(&self) -> String {
        let name = |action: Action| match action {
            Action::Move(direction) => direction.name(),
            other => action_name(other),
        };
        let engine::JudgedMove { number, played, best, .. } = *self.judged;
        let loss = self.judged.loss().map_or_else(String::new, |loss| format!(", lost {loss:.1}"));
        format!(
            "<JudgedMove {number}: {}, best {}{loss} ({})>",
            name(played),
            name(best),
            Verdict::name(self.judged.verdict())
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, (JudgedState<Board>,)>> {
        restored::<JudgedMove, _>(py, (self.state(),))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(state: JudgedState<BoardArg>) -> PyResult<JudgedMove> {
        JudgedMove::of_state(state)
    }
}
