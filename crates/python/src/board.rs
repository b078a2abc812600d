//! Boards and afterstates as Python classes.

use lab2048::board::{self, BoardForm, CannotWrite, NotPackable, Size};
use lab2048::game::{IllegalTurn, Probability, outcomes};
use lab2048::text::shortened;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::convert::{Dir, Made, Restored, SizeArg, Whole, board_from, made, restored, sides};
use crate::errors::{illegal, invalid};

/// A position with the player to move. Sizes from 2x2 to 8x8; tiles are any 64-bit numbers.
#[pyclass(frozen, eq, hash, module = "lab2048")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Board(board::Board);

/// A position after a slide and before the spawn.
#[pyclass(frozen, eq, hash, module = "lab2048")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Afterstate(board::Afterstate);

/// One possible spawn on an afterstate.
#[pyclass(frozen, eq, get_all, module = "lab2048")]
pub(crate) struct Outcome {
    /// The row of the new tile, from 0.
    row: usize,
    /// The column of the new tile, from 0.
    col: usize,
    /// The new tile.
    tile: u64,
    /// Its probability.
    probability: f64,
    /// The board with the new tile.
    board: Py<Board>,
}

/// The motion of one tile during a slide.
#[pyclass(frozen, eq, hash, get_all, module = "lab2048")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Motion {
    /// The cell where it starts, as (row, column) from 0.
    start: (usize, usize),
    /// The cell where it ends.
    end: (usize, usize),
    /// The tile before it merges.
    tile: u64,
    /// Whether it merges with another tile.
    merged: bool,
}

type AfterstateState = ((usize, usize), Vec<u64>);
type OutcomeState = (usize, usize, u64, f64, Py<Board>);
type MotionState = ((usize, usize), (usize, usize), u64, bool);

impl PartialEq for Outcome {
    fn eq(&self, other: &Outcome) -> bool {
        let plain = |outcome: &Outcome| (outcome.row, outcome.col, outcome.tile, outcome.probability);
        plain(self) == plain(other) && self.board.get() == other.board.get()
    }
}

impl Afterstate {
    pub(crate) fn inner(&self) -> &board::Afterstate {
        &self.0
    }
}

impl Board {
    pub(crate) fn new(board: board::Board) -> Board {
        Board(board)
    }

    pub(crate) fn inner(&self) -> &board::Board {
        &self.0
    }
}

fn rows_of(grid: &board::Grid) -> Vec<Vec<u64>> {
    grid.rows().map(<[u64]>::to_vec).collect()
}

/// The tile values as an array, converted to `dtype` if given.
fn array_of<'py>(
    py: Python<'py>,
    grid: &board::Grid,
    dtype: Option<Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    if copy == Some(false) {
        return Err(PyValueError::new_err("a board is not an array, so its tiles must be copied"));
    }
    let (rows, cols) = sides(grid.size());
    let array: Bound<'py, PyArray2<u64>> = grid.cells().to_pyarray(py).reshape([rows, cols])?;
    match dtype {
        Some(dtype) => array.into_any().call_method1("astype", (dtype,)),
        None => Ok(array.into_any()),
    }
}

/// The index of a cell. Negative rows and columns count from the end, as usual in Python.
fn cell_at(size: Size, row: isize, col: isize) -> PyResult<usize> {
    let place = |index: isize, length: usize| {
        let index = if index < 0 { index + length as isize } else { index };
        usize::try_from(index).ok().filter(|&index| index < length)
    };
    match (place(row, size.rows()), place(col, size.cols())) {
        (Some(row), Some(col)) => Ok(size.cell(row, col)),
        _ => Err(PyIndexError::new_err(format!("a {size} board has no row {row}, column {col}"))),
    }
}

fn place_of(cell: &Bound<'_, PyAny>) -> PyResult<(isize, isize)> {
    let sentence = "a cell is named by its row and its column: board[0, 1]";
    cell.extract().map_err(|_| PyTypeError::new_err(sentence))
}

fn form_of(name: &str) -> PyResult<BoardForm> {
    match name {
        "rows" => Ok(BoardForm::Rows),
        "hex" => Ok(BoardForm::Hex),
        "json" => Ok(BoardForm::Json),
        _ => Err(invalid(format!(
            "'{}' is not a text form of a board: use rows, hex or json",
            shortened(name)
        ))),
    }
}

#[pymethods]
impl Board {
    /// A board from a text, from rows of numbers (lists, tuples, a numpy array; 0 or None is an
    /// empty cell), or from a board.
    #[new]
    #[pyo3(signature = (cells, size=None))]
    fn from_python(cells: &Bound<'_, PyAny>, size: Option<SizeArg>) -> PyResult<Board> {
        board_from(cells, size.map(|size| size.0)).map(Board)
    }

    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.0.size())
    }

    /// The largest tile.
    #[getter]
    fn largest(&self) -> u64 {
        self.0.largest()
    }

    /// The sum of all tiles.
    #[getter]
    fn tile_sum(&self) -> u128 {
        self.0.tile_sum()
    }

    /// The number of empty cells.
    #[getter]
    fn empty_count(&self) -> usize {
        self.0.empty_count()
    }

    /// Whether no move is possible.
    #[getter]
    fn is_over(&self) -> bool {
        !self.0.has_moves()
    }

    /// The tiles as nested lists; 0 is an empty cell.
    fn tolist(&self) -> Vec<Vec<u64>> {
        rows_of(&self.0.to_grid())
    }

    /// The ranks as an array: 0 for an empty cell, 1 for a 2, 2 for a 4 and so on. Raises
    /// InvalidInput if a tile is not a power of two.
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let rank = |tile| board::rank_of(tile).ok_or_else(|| invalid(NotPackable::Tile(tile)));
        let ranks: Vec<u8> = self.0.tiles().map(rank).collect::<PyResult<_>>()?;
        let (rows, cols) = self.size();
        ranks.into_pyarray(py).reshape([rows, cols])
    }

    /// The directions in which a slide changes the board, in the order of Direction.
    fn legal_moves(&self) -> Vec<Dir> {
        self.0.legal_moves().iter().map(Dir).collect()
    }

    /// Slides the tiles. Returns the afterstate and the sum of the merged tiles. Raises IllegalMove
    /// if nothing changes.
    fn slide(&self, direction: Dir) -> PyResult<(Afterstate, u64)> {
        let slid = self.0.slide(direction.0).map_err(illegal)?;
        let slid = slid.ok_or_else(|| illegal(IllegalTurn::Idle(direction.0)))?;
        Ok((Afterstate(slid.after), slid.reward))
    }

    /// The motion of every tile during a slide, for animations.
    fn motions(&self, direction: Dir) -> PyResult<Vec<Motion>> {
        let size = self.0.size();
        let motions = self.0.motions(direction.0).map_err(illegal)?;
        let motion = |motion: board::Motion| Motion {
            start: size.position(motion.from),
            end: size.position(motion.to),
            tile: motion.tile,
            merged: motion.merged,
        };
        Ok(motions.into_iter().map(motion).collect())
    }

    /// The board as a text that Board can read: 'rows', 'hex' (4x4, tiles up to 32768) or 'json'.
    #[pyo3(signature = (form="rows"))]
    fn text(&self, form: &str) -> PyResult<String> {
        self.0.to_text(form_of(form)?).map_err(|error: CannotWrite| invalid(error))
    }

    fn __getitem__(&self, cell: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (row, col) = place_of(cell)?;
        Ok(self.0.tile(cell_at(self.0.size(), row, col)?))
    }

    /// The rows as lists.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tolist().into_pyobject(py)?.try_iter()
    }

    /// The tiles for `numpy.asarray(board)`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        array_of(py, &self.0.to_grid(), dtype, copy)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let rows = self.0.to_text(BoardForm::Rows).unwrap_or_default();
        format!("Board('{rows}')")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Made<'py, (Vec<Vec<u64>>,)> {
        made::<Board, _>(py, (self.tolist(),))
    }
}

#[pymethods]
impl Afterstate {
    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.0.size())
    }

    /// The number of empty cells.
    #[getter]
    fn empty_count(&self) -> usize {
        self.0.empty_count()
    }

    /// The tiles as nested lists; 0 is an empty cell.
    fn tolist(&self) -> Vec<Vec<u64>> {
        rows_of(&self.0.to_grid())
    }

    /// The empty cells as (row, column), from 0.
    fn empty_cells(&self) -> Vec<(usize, usize)> {
        self.0.empty_cells().map(|cell| self.0.size().position(cell)).collect()
    }

    /// All possible spawns with their probabilities, which sum to 1.
    #[pyo3(signature = (four=0.1))]
    fn spawns(&self, py: Python<'_>, four: f64) -> PyResult<Vec<Outcome>> {
        let four = Probability::new(four).map_err(invalid)?;
        let outcome = |outcome: lab2048::game::ChanceOutcome| {
            let (row, col) = self.0.size().position(outcome.spawn.cell);
            let board = self.0.spawn(outcome.spawn.cell, outcome.spawn.tile).map_err(invalid)?;
            let board = Py::new(py, Board(board))?;
            Ok(Outcome { row, col, tile: outcome.spawn.tile, probability: outcome.probability, board })
        };
        outcomes(&self.0, four).map(outcome).collect()
    }

    /// The board with a new tile in an empty cell.
    fn spawn(&self, row: isize, col: isize, tile: Whole) -> PyResult<Board> {
        let cell = cell_at(self.0.size(), row, col)?;
        let Whole(tile) = tile;
        // The messages name row and column as the caller gave them.
        match (tile, self.0.tile(cell)) {
            (0, _) => Err(illegal("0 is not a tile: it marks an empty cell")),
            (_, 0) => self.0.spawn(cell, tile).map(Board).map_err(illegal),
            (_, there) => Err(illegal(format!(
                "a tile {tile} cannot appear at row {row}, column {col}: the cell holds a {there}"
            ))),
        }
    }

    fn __getitem__(&self, cell: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (row, col) = place_of(cell)?;
        Ok(self.0.tile(cell_at(self.0.size(), row, col)?))
    }

    /// The rows as lists.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tolist().into_pyobject(py)?.try_iter()
    }

    /// The tiles for `numpy.asarray(afterstate)`.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        array_of(py, &self.0.to_grid(), dtype, copy)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Afterstate {:?}>", self.tolist())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, AfterstateState>> {
        restored::<Afterstate, _>(py, (self.size(), self.0.to_grid().cells().to_vec()))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(size: SizeArg, cells: Vec<u64>) -> PyResult<Afterstate> {
        let tiles = cells.into_iter().enumerate().filter(|&(_, tile)| tile != 0);
        let empty = board::Afterstate::empty(size.0);
        let after = tiles.into_iter().try_fold(empty, |after, (cell, tile)| after.set_out(cell, tile));
        after.map(Afterstate).map_err(invalid)
    }
}

#[pymethods]
impl Outcome {
    fn __repr__(&self) -> String {
        let Outcome { row, col, tile, probability, .. } = self;
        format!("<Outcome: a {tile} at ({row}, {col}) with probability {probability}>")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, OutcomeState>> {
        let Outcome { row, col, tile, probability, board } = self;
        restored::<Outcome, _>(py, (*row, *col, *tile, *probability, board.clone_ref(py)))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(row: usize, col: usize, tile: u64, probability: f64, board: Py<Board>) -> Outcome {
        Outcome { row, col, tile, probability, board }
    }
}

#[pymethods]
impl Motion {
    fn __repr__(&self) -> String {
        let merged = if self.merged { ", merged" } else { "" };
        format!("<Motion: {} from {:?} to {:?}{merged}>", self.tile, self.start, self.end)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, MotionState>> {
        restored::<Motion, _>(py, (self.start, self.end, self.tile, self.merged))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(start: (usize, usize), end: (usize, usize), tile: u64, merged: bool) -> Motion {
        Motion { start, end, tile, merged }
    }
}
