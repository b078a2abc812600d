//! Many games stepped together, with numpy arrays.

use lab2048::board::Direction;
use lab2048::game::{self, Seen};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::convert::{SizeArg, Threads, Whole, not_an_index, rules, rules_name, sides};
use crate::errors::invalid;

/// Many games that are stepped together. Each lane plays one game after another, and every array
/// has one entry per lane.
#[pyclass(module = "lab2048")]
pub(crate) struct Batch(game::Batch);

/// Ranks, rewards, moved, over, legal moves, scores.
type SeenArrays<'py> = (
    Bound<'py, PyArray3<u8>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray2<bool>>,
    Bound<'py, PyArray1<u64>>,
);

impl Batch {
    fn arrays<'py>(&self, py: Python<'py>, seen: Seen) -> PyResult<SeenArrays<'py>> {
        let (rows, cols) = sides(self.0.rules().size);
        Ok((
            seen.ranks.into_pyarray(py).reshape([self.0.len(), rows, cols])?,
            seen.rewards.into_pyarray(py),
            seen.moved.into_pyarray(py),
            seen.over.into_pyarray(py),
            seen.legal.into_pyarray(py).reshape([self.0.len(), 4])?,
            seen.scores.into_pyarray(py),
        ))
    }
}

/// The actions as 64-bit integers. Other integer types are converted.
fn whole_numbers<'py>(py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, i64>> {
    if let Ok(array) = actions.extract::<PyReadonlyArray1<'py, i64>>() {
        return Ok(array);
    }
    let how: Bound<'py, PyDict> = [("casting", "same_kind")].into_py_dict(py)?;
    let array = py.import("numpy")?.call_method1("asarray", (actions,))?;
    let array = array.call_method("astype", ("int64",), Some(&how))?;
    let not_a_row = |_| invalid("the actions must be a one-dimensional array with one number per game");
    array.extract::<PyReadonlyArray1<'py, i64>>().map_err(not_a_row)
}

fn directions(actions: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<Direction>> {
    let direction = |(lane, &action): (usize, &i64)| {
        let direction = usize::try_from(action).ok().and_then(Direction::from_index);
        direction.ok_or_else(|| invalid(format!("action {lane}: {}", not_an_index(action))))
    };
    actions.as_array().iter().enumerate().map(direction).collect()
}

#[pymethods]
impl Batch {
    /// One lane per seed; the first game of a lane is Game(size, seed=seed). Steps run on this
    /// number of threads (default: all cores).
    #[new]
    #[pyo3(signature = (seeds, size=None, *, rules="original", four=None, threads=None))]
    fn from_python(
        py: Python<'_>,
        seeds: Vec<Whole>,
        size: Option<SizeArg>,
        rules: &str,
        four: Option<f64>,
        threads: Option<Threads>,
    ) -> PyResult<Batch> {
        let rules = self::rules(rules, size, four)?;
        let (seeds, threads) =
            (seeds.into_iter().map(|seed| seed.0).collect::<Vec<u64>>(), Threads::or_all(threads));
        Ok(Batch(py.detach(|| game::Batch::new(rules, &seeds, threads))))
    }

    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.0.rules().size)
    }

    /// The rules by name.
    #[getter]
    fn rules(&self) -> &'static str {
        rules_name(self.0.rules())
    }

    /// The seeds of the current games.
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.0.seeds().collect::<Vec<u64>>().into_pyarray(py)
    }

    /// The current games: ranks, rewards (0), moved (False), over, legal moves, scores.
    fn see<'py>(&self, py: Python<'py>) -> PyResult<SeenArrays<'py>> {
        let seen = py.detach(|| self.0.see());
        self.arrays(py, seen)
    }

    /// Plays one action (0 up, 1 right, 2 down, 3 left) in each lane. Returns ranks, rewards,
    /// moved, over, legal moves, scores.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<SeenArrays<'py>> {
        let actions = directions(&whole_numbers(py, actions)?)?;
        let seen = py.detach(|| self.0.step(&actions)).map_err(invalid)?;
        self.arrays(py, seen)
    }

    fn __copy__(&self) -> Batch {
        Batch(self.0.clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Batch {
        self.__copy__()
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} games of {}, rules {}>", self.0.len(), self.0.rules().size, self.rules())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
