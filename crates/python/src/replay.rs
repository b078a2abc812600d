//! Replays as a Python class.

use std::path::PathBuf;

use lab2048::files::{read_limited, write_whole};
use lab2048::game;
use pyo3::prelude::*;

use crate::board::Board;
use crate::convert::{Made, made, rules_name, sides};
use crate::errors::{fault, file, invalid};
use crate::game::Turn;

/// A recorded game: rules, seed, start board, every move and every new tile.
#[pyclass(frozen, eq, module = "lab2048")]
#[derive(Clone, PartialEq)]
pub(crate) struct Replay(game::Replay);

impl Replay {
    pub(crate) fn new(replay: game::Replay) -> Replay {
        Replay(replay)
    }
}

#[pymethods]
impl Replay {
    /// Reads the text of a replay. InvalidInput says which line is wrong.
    #[new]
    fn from_python(text: &str) -> PyResult<Replay> {
        game::Replay::from_text(text.as_bytes()).map(Replay).map_err(invalid)
    }

    /// Reads a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Replay> {
        let bytes = py.detach(|| read_limited(&path, game::Replay::MOST_BYTES)).map_err(file)?;
        let read = py.detach(|| game::Replay::from_text(&bytes));
        read.map(Replay).map_err(|error| invalid(format!("{}: {error}", path.display())))
    }

    /// Writes a file, whole or not at all.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_whole(&path, |out| out.write_all(self.0.to_text().as_bytes()))).map_err(file)
    }

    /// The text of its file.
    fn text(&self) -> String {
        self.0.to_text()
    }

    /// The seed; None if the spawns come from somewhere else.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.header().seed
    }

    /// The spec of the player, if it is known.
    #[getter]
    fn player(&self) -> Option<&str> {
        self.0.header().player.as_deref()
    }

    /// The hash of the network that the player used, if it used one.
    #[getter]
    fn network(&self) -> Option<&str> {
        self.0.header().network.as_deref()
    }

    /// Anything else worth knowing.
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

    /// Why the game ended: 'no-moves', 'no-room' or 'quit'; None if it was left unfinished.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.0.header().ending.map(game::Ending::word)
    }

    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.0.header().rules.size)
    }

    /// The chance of a 4.
    #[getter]
    fn four(&self) -> f64 {
        self.0.header().rules.four.get()
    }

    /// The rules by name: 'original' or 'course'.
    #[getter]
    fn rules(&self) -> &'static str {
        rules_name(&self.0.header().rules)
    }

    /// The positions from the start to the end: for each the board, the score, and the turn that led there (None for the first).
    fn positions(&self, py: Python<'_>) -> PyResult<Vec<(Board, u64, Option<Turn>)>> {
        let size = self.0.header().rules.size;
        let positions: Result<Vec<_>, _> = py.detach(|| self.0.positions().collect());
        let shown = positions.map_err(fault)?.into_iter().map(|position| {
            let turn = position.turn.map(|turn| Turn::new(turn, size));
            (Board::new(position.board), position.score, turn)
        });
        Ok(shown.collect())
    }

    /// Checks everything that can be checked; ReplayFault says what does not hold.
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
