//! Replays as a Python class.

use std::path::PathBuf;

use lab2048::files::{read_limited, write_whole};
use lab2048::game;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::board::Board;
use crate::convert::{Made, made, rules_name, sides};
use crate::errors::{fault, file, invalid};
use crate::game::Turn;

/// A recorded game: rules, seed, start board, every move and every new tile.
#[pyclass(frozen, eq, module = "lab2048")]
#[derive(Clone, PartialEq)]
pub(crate) struct Replay(game::Replay);

/// A replay: a Replay, or the path of its file.
pub(crate) struct ReplayArg(pub(crate) game::Replay);

impl<'py> FromPyObject<'_, 'py> for ReplayArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<ReplayArg> {
        if let Ok(replay) = value.cast::<Replay>() {
            return Ok(ReplayArg(replay.get().0.clone()));
        }
        let neither = |_| PyTypeError::new_err("a replay is a Replay or the path of its file");
        let path: PathBuf = value.extract().map_err(neither)?;
        Replay::read(value.py(), path).map(|replay| ReplayArg(replay.0))
    }
}

impl Replay {
    pub(crate) fn new(replay: game::Replay) -> Replay {
        Replay(replay)
    }
}

#[pymethods]
impl Replay {
    /// Reads the text of a replay, of this program or of 2048verse. InvalidInput names the line or
    /// the step that is wrong.
    #[new]
    fn from_python(text: &str) -> PyResult<Replay> {
        game::Replay::read_any(text.as_bytes()).map(Replay).map_err(invalid)
    }

    /// Reads a replay file, of this program or of 2048verse.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Replay> {
        let bytes = py.detach(|| read_limited(&path, game::Replay::MOST_BYTES)).map_err(file)?;
        let read = py.detach(|| game::Replay::read_any(&bytes));
        read.map(Replay).map_err(|error| invalid(format!("{}: {error}", path.display())))
    }

    /// Writes a replay file, completely or not at all.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_whole(&path, |out| out.write_all(self.0.to_text().as_bytes()))).map_err(file)
    }

    /// The replay as text, in the format of its file.
    fn text(&self) -> String {
        self.0.to_text()
    }

    /// The seed; None if the spawns are not from a seed.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.header().seed
    }

    /// The spec of the player, if known.
    #[getter]
    fn player(&self) -> Option<&str> {
        self.0.header().player.as_deref()
    }

    /// The hash of the player's network, if it used one.
    #[getter]
    fn network(&self) -> Option<&str> {
        self.0.header().network.as_deref()
    }

    /// A free-text note.
    #[getter]
    fn note(&self) -> Option<&str> {
        self.0.header().note.as_deref()
    }

    /// The board before the first step.
    #[getter]
    fn start(&self) -> Board {
        Board::new(self.0.header().start.clone())
    }

    /// The score after the last step.
    #[getter]
    fn score(&self) -> u64 {
        self.0.header().score
    }

    /// Why the game ended: 'no-moves', 'no-room' or 'quit'; None if it is unfinished.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.0.header().ending.map(game::Ending::word)
    }

    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.0.header().rules.size)
    }

    /// The probability of a 4.
    #[getter]
    fn four(&self) -> f64 {
        self.0.header().rules.four.get()
    }

    /// The name of the rules: 'original' or 'course'.
    #[getter]
    fn rules(&self) -> &'static str {
        rules_name(&self.0.header().rules)
    }

    /// All positions from start to end, each as (board, score, turn). The turn led to the position;
    /// it is None for the first.
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<(Board, u64, Option<Turn>)>> {
        let size = self.0.header().rules.size;
        let positions: Result<Vec<_>, _> = py.detach(|| self.0.positions().collect());
        let shown = positions.map_err(fault)?.into_iter().map(|position| {
            let turn = position.turn.map(|turn| Turn::new(turn, size));
            (Board::new(position.board), position.score, turn)
        });
        Ok(shown.collect())
    }

    /// Checks every step, the score and the ending. Raises ReplayFault if something is wrong.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.verify()).map(drop).map_err(fault)
    }

    fn __len__(&self) -> usize {
        self.0.steps().len()
    }

    fn __repr__(&self) -> String {
        format!("<Replay of {} turns, score {}>", self.0.steps().len(), self.0.header().score)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Made<'py, (String,)> {
        made::<Replay, _>(py, (self.text(),))
    }
}
