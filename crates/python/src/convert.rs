//! Conversions of Python values: boards, sizes, directions, rules, numbers.

use std::fmt::Display;
use std::num::NonZero;
use std::thread;

use lab2048::board::{Board, Direction, RawCell, Size, check_rows, parse_board};
use lab2048::game::{Action, IdleMove, Probability, Rules, Spawn, StartTiles};
use lab2048::text::shortened;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyIterator, PyString, PyType};

use crate::board::Board as PyBoard;
use crate::bot::Bot;
use crate::errors::invalid;
use crate::player::Player;

/// A direction. Python gets a member of the `IntEnum` `lab2048.Direction`; a number or a word is
/// accepted too.
#[derive(Clone, Copy)]
pub(crate) struct Dir(pub(crate) Direction);

impl<'py> FromPyObject<'_, 'py> for Dir {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Dir> {
        if let Ok(text) = value.cast::<PyString>() {
            return text_of(&text)?.parse().map(Dir).map_err(invalid);
        }
        let index: i64 = value.extract().map_err(|error: PyErr| {
            match error.is_instance_of::<PyOverflowError>(value.py()) {
                true => digits(&value)
                    .map_or_else(|error| error, |number| invalid(not_an_index(shortened(&number)))),
                false => error,
            }
        })?;
        let direction = usize::try_from(index).ok().and_then(Direction::from_index);
        direction.map(Dir).ok_or_else(|| invalid(not_an_index(index)))
    }
}

/// The message for a number that is not a direction.
pub(crate) fn not_an_index(index: impl Display) -> String {
    format!("{index} is not a direction: 0 up, 1 right, 2 down, 3 left")
}

impl<'py> IntoPyObject<'py> for Dir {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static MEMBERS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
        let members = MEMBERS.get_or_try_init(py, || {
            let class = py.import("lab2048._direction")?.getattr("Direction")?;
            let member = |direction: Direction| Ok(class.call1((direction.index(),))?.unbind());
            Direction::ALL.into_iter().map(member).collect::<PyResult<Vec<_>>>()
        })?;
        Ok(members[self.0.index()].bind(py).clone())
    }
}

/// A non-negative integer: a seed, a score, a count.
#[derive(Clone, Copy)]
pub(crate) struct Whole(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Whole> {
        value.extract().map(Whole).map_err(|error: PyErr| {
            // Values that are not integers at all keep Python's own error.
            match error.is_instance_of::<PyOverflowError>(value.py()) {
                true => digits(&value).map_or_else(
                    |error| error,
                    |number| {
                        invalid(format!("{} is not a whole number from 0 to 2^64-1", shortened(&number)))
                    },
                ),
                false => error,
            }
        })
    }
}

/// The same for an argument with a default value.
pub(crate) fn whole(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    value.extract::<Whole>().map(|number| number.0)
}

/// The number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Threads(usize);

impl Threads {
    const MOST: usize = 1024;

    /// The given number, or the number of cores.
    pub(crate) fn or_all(asked: Option<Threads>) -> usize {
        asked.map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), |asked| asked.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Threads> {
        let number: i128 = value.extract()?;
        let threads = usize::try_from(number).ok().filter(|threads| (1..=Threads::MOST).contains(threads));
        threads.map(Threads).ok_or_else(|| {
            invalid(format!(
                "{number} threads are not possible: it must be a whole number from 1 to {}",
                Threads::MOST
            ))
        })
    }
}

/// A player of a contest.
pub(crate) enum Entered {
    /// One that is named by its spec.
    Spec(String),
    /// A Python function.
    Bot(Bot),
}

impl Entered {
    /// The player of a value; `None` if it is not one, but perhaps a list of them.
    fn one(value: &Bound<'_, PyAny>) -> PyResult<Option<Entered>> {
        if let Ok(player) = value.cast::<Player>() {
            return Ok(Some(Entered::Spec(player.get().spec())));
        }
        if let Ok(bot) = value.cast::<Bot>() {
            return Ok(Some(Entered::Bot(bot.get().copy(value.py()))));
        }
        if value.is_instance_of::<PyString>() {
            return value.extract().map(|spec| Some(Entered::Spec(spec)));
        }
        if value.is_callable() {
            return Bot::of(value).map(|bot| Some(Entered::Bot(bot)));
        }
        Ok(None)
    }
}

/// Players of a contest, from one player or from a list of them.
pub(crate) struct PlayersArg(pub(crate) Vec<Entered>);

impl<'py> FromPyObject<'_, 'py> for PlayersArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<PlayersArg> {
        if let Some(one) = Entered::one(&value)? {
            return Ok(PlayersArg(vec![one]));
        }
        let neither = || PyTypeError::new_err("a player is a spec, a Player, a Bot or a Python function");
        let players = value.try_iter()?.map(|player| Entered::one(&player?)?.ok_or_else(neither));
        players.collect::<PyResult<Vec<Entered>>>().map(PlayersArg)
    }
}

/// What `__reduce__` returns: the class's `_restore` and its arguments.
pub(crate) type Restored<'py, S> = (Bound<'py, PyAny>, S);

/// Lets `pickle` restore a value by the `_restore` of its class.
pub(crate) fn restored<C: PyTypeInfo, S>(py: Python<'_>, state: S) -> PyResult<Restored<'_, S>> {
    Ok((py.get_type::<C>().getattr("_restore")?, state))
}

/// What `__reduce__` returns: the class and the arguments of its constructor.
pub(crate) type Made<'py, S> = (Bound<'py, PyType>, S);

/// Lets `pickle` restore a value by calling its class. Unlike `__getnewargs__`, this works with
/// every protocol.
pub(crate) fn made<C: PyTypeInfo, S>(py: Python<'_>, arguments: S) -> Made<'_, S> {
    (py.get_type::<C>(), arguments)
}

/// An action as a number, for `pickle`.
pub(crate) fn action_code(action: Action) -> u8 {
    match action {
        Action::Move(direction) => direction.index() as u8,
        Action::Pass => 4,
        Action::Quit => 5,
    }
}

/// The action with this number.
pub(crate) fn action_of(code: u8) -> PyResult<Action> {
    match code {
        4 => Ok(Action::Pass),
        5 => Ok(Action::Quit),
        _ => {
            let direction = Direction::from_index(code.into());
            direction.map(Action::Move).ok_or_else(|| invalid(format!("{code} is not an action")))
        }
    }
}

/// The number of the direction with this name.
#[pyo3::pyfunction]
pub(crate) fn parse_direction(text: &str) -> PyResult<usize> {
    text.parse().map(Direction::index).map_err(invalid)
}

/// A size: `4`, `"4x5"` or `(4, 5)`.
#[derive(Clone, Copy)]
pub(crate) struct SizeArg(pub(crate) Size);

impl<'py> FromPyObject<'_, 'py> for SizeArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<SizeArg> {
        let size = if let Ok(text) = value.cast::<PyString>() {
            text_of(&text)?.parse()
        } else if let Ok((rows, cols)) =
            value.extract::<i128>().map(|side| (side, side)).or_else(|_| value.extract::<(i128, i128)>())
        {
            match (usize::try_from(rows), usize::try_from(cols)) {
                (Ok(rows), Ok(cols)) => Size::new(rows, cols),
                // The message of the engine, for numbers that do not fit its types.
                _ => {
                    return Err(invalid(format!(
                        "a board of {rows}x{cols} is not possible: both sides must be from 2 to 8"
                    )));
                }
            }
        } else {
            return Err(PyTypeError::new_err(
                "a size is a number, a text like '4x5', or a pair (rows, columns)",
            ));
        };
        size.map(SizeArg).map_err(invalid)
    }
}

/// A board: a Board, a text in any form of the engine, or rows of numbers (lists, tuples, a numpy
/// array).
pub(crate) struct BoardArg(pub(crate) Board);

impl<'py> FromPyObject<'_, 'py> for BoardArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<BoardArg> {
        board_from(&value, None).map(BoardArg)
    }
}

/// The largest number of rows or columns.
const LONGEST_SIDE: usize = 8;

/// Reads a board. `size` is its size if the caller gave one. Exceptions of the caller's own objects
/// are passed on.
pub(crate) fn board_from(value: &Bound<'_, PyAny>, size: Option<Size>) -> PyResult<Board> {
    if let Ok(board) = value.cast::<PyBoard>() {
        return Ok(board.get().inner().clone());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return parse_board(text_of(text)?, size).map_err(invalid);
    }
    let listed = listed(value)?;
    let mut rows: Vec<Vec<RawCell>> = Vec::new();
    for row in iterate(&listed)? {
        let row = row?;
        // Iterators may be endless, so reading stops at the largest size.
        if rows.len() == LONGEST_SIDE {
            return Err(too_large(&listed, rows.first().map_or(0, Vec::len).to_string()));
        }
        let mut cells = Vec::new();
        for cell in iterate(&row)? {
            if cells.len() == LONGEST_SIDE {
                return Err(too_large(&listed, count_of(&row)));
            }
            cells.push(raw_cell(&cell?)?);
        }
        rows.push(cells);
    }
    let grid = check_rows(&rows, size).map_err(invalid)?;
    Board::from_grid(grid).map_err(invalid)
}

/// Converts an array to nested lists if its shape fits a board. Other values are returned
/// unchanged.
fn listed<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let has_list = value.hasattr("tolist")?;
    let value = if !has_list && value.hasattr("__array__")? {
        &value.py().import("numpy")?.call_method1("asarray", (value,))?
    } else {
        value
    };
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        match *array.shape() {
            [] => return Err(no_rows()),
            [rows, cols] if rows.max(cols) > LONGEST_SIDE => {
                Size::new(rows, cols).map_err(invalid)?;
            }
            [_, _] => {}
            ref shape => {
                let sides: Vec<String> = shape.iter().map(usize::to_string).collect();
                return Err(invalid(format!(
                    "an array of shape ({}) is not a board: a board has rows and columns",
                    sides.join(", ")
                )));
            }
        }
    }
    if value.hasattr("tolist")? { value.call_method0("tolist") } else { Ok(value.clone()) }
}

fn no_rows() -> PyErr {
    PyTypeError::new_err("a board is a text or rows of numbers")
}

/// Iterates over a value. Gives our own error if its type cannot be iterated.
fn iterate<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    let kind = value.get_type();
    if kind.hasattr("__iter__")? || kind.hasattr("__getitem__")? { value.try_iter() } else { Err(no_rows()) }
}

/// The length of a value, if it has one.
fn count_of(value: &Bound<'_, PyAny>) -> String {
    value.len().map_or_else(|_| format!("(more than {LONGEST_SIDE})"), |count| count.to_string())
}

fn too_large(rows: &Bound<'_, PyAny>, cols: String) -> PyErr {
    let rows = count_of(rows);
    invalid(format!("a board of {rows}x{cols} is not possible: both sides must be from 2 to {LONGEST_SIDE}"))
}

/// A cell: any value that Python takes as an integer (`__index__`), or as a float (`__float__`)
/// that is whole.
fn raw_cell(cell: &Bound<'_, PyAny>) -> PyResult<RawCell> {
    if cell.is_none() {
        return Ok(RawCell::Number(0));
    }
    if let Ok(number) = cell.cast::<PyInt>() {
        return whole_cell(number);
    }
    let py = cell.py();
    // Convert numpy scalars to Python numbers, because some kinds (`numpy.bool_`) have no
    // `__index__`.
    let cell = if cell.is_instance(&py.import("numpy")?.getattr("generic")?)? {
        &cell.call_method0("item")?
    } else {
        cell
    };
    let kind = cell.get_type();
    if kind.hasattr("__index__")? {
        let number = py.import("operator")?.call_method1("index", (cell,))?;
        return whole_cell(number.cast::<PyInt>()?);
    }
    if kind.hasattr("__float__")? {
        let float: f64 = cell.extract()?;
        if float.fract() == 0.0 && float.abs() < 2f64.powi(64) {
            return Ok(RawCell::Number(float as i128));
        }
    }
    Ok(RawCell::Other(cell.str()?.to_string_lossy().into_owned()))
}

fn whole_cell(number: &Bound<'_, PyInt>) -> PyResult<RawCell> {
    match number.extract::<i128>() {
        Ok(number) => Ok(RawCell::Number(number)),
        Err(_) => Ok(RawCell::Other(digits(number)?)),
    }
}

/// An integer as digits, or a description if Python refuses to print it.
fn digits(number: &Bound<'_, PyAny>) -> PyResult<String> {
    match number.str() {
        Ok(text) => Ok(text.to_string_lossy().into_owned()),
        Err(error) if error.is_instance_of::<PyValueError>(number.py()) => {
            let bits: u64 = number.call_method0("bit_length")?.extract()?;
            Ok(format!("a number of {bits} bits"))
        }
        Err(error) => Err(error),
    }
}

/// A text as UTF-8. Fails if it has lone surrogates.
fn text_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    text.to_str().map_err(|_| invalid("the text has characters that are not Unicode (lone surrogates)"))
}

/// The rules with this name, with a size and a probability of a 4.
pub(crate) fn rules(name: &str, size: Option<SizeArg>, four: Option<f64>) -> PyResult<Rules> {
    let rules = Rules::named(name).map_err(invalid)?;
    let four = four.map(Probability::new).transpose().map_err(invalid)?.unwrap_or(rules.four);
    Ok(Rules { size: size.map_or(rules.size, |size| size.0), four, ..rules })
}

/// The name of rules, by their start tiles and idle moves.
pub(crate) fn rules_name(rules: &Rules) -> &'static str {
    match (rules.start, rules.idle) {
        (StartTiles::TwoSpawns, IdleMove::Refused) => "original",
        (StartTiles::TwoTwos, IdleMove::Spawns) => "course",
        _ => "other",
    }
}

/// The seed given, or a fresh one that is short enough to write down.
pub(crate) fn seed_or_fresh(py: Python<'_>, seed: Option<Whole>) -> PyResult<u64> {
    match seed {
        Some(seed) => Ok(seed.0),
        None => py.import("secrets")?.call_method1("randbelow", (1_000_000_000u64,))?.extract(),
    }
}

/// Rows and columns.
pub(crate) fn sides(size: Size) -> (usize, usize) {
    (size.rows(), size.cols())
}

/// The name of an action.
pub(crate) fn action_name(action: Action) -> &'static str {
    match action {
        Action::Move(_) => "move",
        Action::Pass => "pass",
        Action::Quit => "quit",
    }
}

/// A new tile as row, column and value.
pub(crate) fn spawn_tuple(spawn: Spawn, size: Size) -> (usize, usize, u64) {
    let (row, col) = size.position(spawn.cell);
    (row, col, spawn.tile)
}

/// Refuses a size that differs from that of the board.
pub(crate) fn check_size(size: Option<SizeArg>, board: &lab2048::board::Board) -> PyResult<()> {
    match size {
        Some(SizeArg(wanted)) if wanted != board.size() => {
            let found = board.size();
            Err(invalid(lab2048::board::InvalidBoard::OtherSize { found, wanted }))
        }
        _ => Ok(()),
    }
}
