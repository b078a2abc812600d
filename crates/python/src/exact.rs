//! Exact values of small boards and endgames: solving, and tables as a Python class.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lab2048::board::{Direction, Directions};
use lab2048::game::Unit;
use lab2048::solve as engine;
use lab2048::solve::{
    Estimate, Goal, Job, PositionCounts, SolveError, SubGame, TableError, Tables, TablesError, free_memory,
    solve_in_memory, solve_to_file, unfinished_work,
};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyUserWarning};
use pyo3::prelude::*;

use crate::board::Afterstate;
use crate::convert::{BoardArg, Dir, Restored, Threads, restored, sides};
use crate::errors::{invalid, of_system};
use crate::player::{ValueState, value_of_state, value_state};
use crate::registry;
use crate::waiting::{elsewhere, reporting};

/// The error if the thread of the solver ended without a result.
const BROKE_DOWN: &str = "the solver crashed";

/// The error if somebody else cancels the work, which nobody can.
const CANCELLED: &str = "the solution was cancelled";

/// The exact values of a small board or of an endgame.
#[pyclass(frozen, module = "lab2048")]
pub(crate) struct Table {
    table: Arc<engine::Table>,
    path: Option<PathBuf>,
}

/// What a table says about a board.
#[pyclass(frozen, eq, module = "lab2048")]
#[derive(PartialEq)]
pub(crate) struct Exact(engine::Exact);

/// The pickled values of a board: values, goal as JSON, numbers of the moves that make the tile.
type ExactState = ([ValueState; 4], String, Vec<usize>);

fn table_error(path: &Path, error: &TableError) -> PyErr {
    let sentence = format!("cannot use the table {}: {error}", path.display());
    match error {
        TableError::Io(source) => of_system(source.kind(), sentence),
        _ => invalid(sentence),
    }
}

fn tables_error(error: TablesError) -> PyErr {
    match &error {
        TablesError::Unfit { path, source } => table_error(path, source),
        TablesError::Folder { source, .. } => of_system(source.kind(), &error),
        TablesError::Work(_) => PyOSError::new_err(error.to_string()),
        _ => invalid(error),
    }
}

fn solve_error(error: SolveError) -> PyErr {
    match &error {
        SolveError::TooLarge { .. } => invalid(error),
        SolveError::Io(source) => of_system(source.kind(), &error),
        SolveError::Folder(_) => PyOSError::new_err(error.to_string()),
    }
}

fn sub_game(name: &str) -> PyResult<SubGame> {
    SubGame::named(name.trim()).map(SubGame::upright).map_err(invalid)
}

/// The names of the tables in the data folder.
#[pyo3::pyfunction]
pub(crate) fn tables() -> PyResult<Vec<String>> {
    registry().tables().names().map_err(tables_error)
}

/// Solves a small board or an endgame exactly, or takes its table from the data folder. With `save`
/// the table is written there; an interrupted call with `save` continues where it stopped.
/// `progress(share)` is called from time to time; if it raises, the work ends.
#[pyo3::pyfunction]
#[pyo3(signature = (name, *, save=false, again=false, keep=None, threads=None, progress=None))]
pub(crate) fn solve(
    py: Python<'_>,
    name: &str,
    save: bool,
    again: bool,
    keep: Option<f64>,
    threads: Option<Threads>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let game = sub_game(name)?;
    if let Some(keep) = keep {
        if !(0.0..=0.999).contains(&keep) {
            return Err(invalid(format!("keep must be from 0 to 0.999, not {keep}")));
        }
        if game.goal() == Goal::Score {
            return Err(invalid("keep is for chances: all points are kept"));
        }
    }
    let found = existing(py, &game, again)?;
    let old_keep = found.as_ref().map(|found| found.table.info().keep);
    match found {
        Some(table) if !again && keep.is_none_or(|keep| Some(keep) == old_keep) => return Ok(table),
        _ => {}
    }
    check_memory(&game)?;
    let target = if save { target(&game)? } else { None };
    let threads = Threads::or_all(threads);
    let keep = keep.or(old_keep);
    let work = move |cancel: &AtomicBool, tell: &(dyn Fn(f64) + Sync)| match target {
        None => {
            let keep = keep.unwrap_or(0.0);
            let job = Job { threads, keep, asked: &[], cancel, progress: &|now| tell(now.share) };
            let solved = solve_in_memory(&game, &job).map_err(solve_error)?;
            let (_, table) = solved.ok_or_else(|| PyOSError::new_err(CANCELLED))?;
            Ok(Table { table: Arc::new(table), path: None })
        }
        Some(path) => {
            // The options of an unfinished run hold until it is done.
            let unfinished = unfinished_work(&path);
            let asked = unfinished.as_ref().map(|work| work.asked.clone()).unwrap_or_default();
            let keep = keep.or_else(|| unfinished.map(|work| work.keep)).unwrap_or(0.0);
            let job = Job { threads, keep, asked: &asked, cancel, progress: &|now| tell(now.share) };
            let solved = solve_to_file(&game, &path, &job).map_err(solve_error)?;
            solved.ok_or_else(|| PyOSError::new_err(CANCELLED))?;
            let table = registry().tables().named(&game.name()).map_err(tables_error)?;
            Ok(Table { table, path: Some(path) })
        }
    };
    reporting(py, BROKE_DOWN, work, |share| {
        progress.as_ref().map_or(Ok(()), |progress| progress.call1((share,)).map(drop))
    })?
}

/// The table from the data folder, if it is there. One that is damaged is solved again; with
/// `again`, so is one of a later version.
fn existing(py: Python<'_>, game: &SubGame, again: bool) -> PyResult<Option<Table>> {
    let found = registry().tables().computed(game);
    let is_replaced = match &found {
        Err(TablesError::Unfit { source: TableError::Damaged(_) | TableError::Foreign, .. }) => true,
        Err(TablesError::Unfit { source: TableError::Version(_), .. }) => again,
        _ => false,
    };
    match found {
        Ok(table) => {
            let path = || registry().tables().path_of(&game.name());
            Ok(table.map(|table| Table { table, path: path() }))
        }
        Err(error) if is_replaced => {
            let warning = (format!("{error}; solving again"), py.get_type::<PyUserWarning>());
            py.import("warnings")?.call_method1("warn", warning)?;
            Ok(None)
        }
        Err(error) => Err(tables_error(error)),
    }
}

/// Refuses what does not fit into the free memory.
fn check_memory(game: &SubGame) -> PyResult<()> {
    let needed = Estimate::of(game).map_err(solve_error)?.memory;
    match free_memory().filter(|&free| needed > free) {
        Some(free) => Err(PyMemoryError::new_err(format!(
            "{} needs up to {:.1} GB of memory, but {:.1} GB are free",
            game.name(),
            needed as f64 / 1e9,
            free as f64 / 1e9
        ))),
        None => Ok(()),
    }
}

/// The file of a table, in a folder that exists. A board that is solved on the fly has none.
fn target(game: &SubGame) -> PyResult<Option<PathBuf>> {
    if Tables::is_solved_on_the_fly(game) {
        return Ok(None);
    }
    let path = registry().tables().path_of(&game.name()).ok_or_else(|| {
        PyOSError::new_err("there is no home folder for tables; set LAB2048_HOME to a folder")
    })?;
    if let Some(folder) = path.parent() {
        let cannot = |error: std::io::Error| {
            of_system(error.kind(), format!("cannot use {}: {error}", folder.display()))
        };
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    Ok(Some(path))
}

impl Table {
    fn aim(&self) -> Goal {
        self.table.game().goal()
    }

    fn counts(&self) -> PositionCounts {
        self.table.info().counts
    }
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Points => "points",
        Unit::Chance => "chance",
        Unit::Preference => "preference",
    }
}

#[pymethods]
impl Table {
    /// Opens a table file.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Table> {
        let table = engine::Table::open(&path).map_err(|error| table_error(&path, &error))?;
        Ok(Table { table: Arc::new(table), path: Some(path) })
    }

    /// Its name, such as '3x3' or 'block-512'.
    #[getter]
    fn name(&self) -> String {
        self.table.game().name()
    }

    /// What it solves, in words.
    #[getter]
    fn goal(&self) -> String {
        self.table.game().to_string()
    }

    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.table.game().size())
    }

    /// The cells of the walls of an endgame, from 0, the inner wall last.
    #[getter]
    fn walls(&self) -> Vec<usize> {
        self.table.game().walls().cells().iter().map(|&cell| cell.into()).collect()
    }

    /// The tile to make; None if points count.
    #[getter]
    fn tile(&self) -> Option<u64> {
        self.aim().tile()
    }

    /// The unit of the values: 'points', or the 'chance' to make the tile.
    #[getter]
    fn unit(&self) -> &'static str {
        match self.aim() {
            Goal::Score => unit_name(Unit::Points),
            Goal::Tile { .. } => unit_name(Unit::Chance),
        }
    }

    /// The probability of a 4.
    #[getter]
    fn four(&self) -> f64 {
        self.table.game().four().get()
    }

    /// The value of the start: the expected score of perfect play, or the chance to make the tile.
    #[getter]
    fn start(&self) -> f64 {
        self.table.info().start
    }

    /// The number of boards that games can reach. Symmetric images count once.
    #[getter]
    fn boards(&self) -> u64 {
        self.counts().boards
    }

    /// The number of afterstates.
    #[getter]
    fn afterstates(&self) -> u64 {
        self.counts().afterstates
    }

    /// The number of boards on which no move is allowed.
    #[getter]
    fn terminal(&self) -> u64 {
        self.counts().terminal
    }

    /// Chances of at most this are not in the table.
    #[getter]
    fn keep(&self) -> f64 {
        self.table.info().keep
    }

    /// The number of afterstates in the table.
    #[getter]
    fn stored(&self) -> u64 {
        self.table.info().stored
    }

    /// The hash that identifies the table in records.
    #[getter]
    fn hash(&self) -> &str {
        self.table.hash()
    }

    /// Its file; None if it is only in memory.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// The exact values of the moves on a board; None if the table does not know the board.
    fn judge(&self, board: BoardArg) -> PyResult<Option<Exact>> {
        let judged = self.table.judge(&board.0, self.table.game().four());
        Ok(judged.map_err(|error| self.unusable(&error))?.map(Exact))
    }

    /// The exact value of an afterstate; None if the table does not know it.
    fn value(&self, after: &Afterstate) -> PyResult<Option<f64>> {
        self.table.value_of(after.inner()).map_err(|error| self.unusable(&error))
    }

    /// Verifies all checksums. Raises InvalidInput if the table is damaged.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let table = Arc::clone(&self.table);
        elsewhere(py, BROKE_DOWN, move || table.verify())?.map_err(|error| self.unusable(&error))
    }

    fn __repr__(&self) -> String {
        format!("<Table {}: {} from the start>", self.name(), self.start())
    }
}

impl Table {
    fn unusable(&self, error: &TableError) -> PyErr {
        let name = PathBuf::from(self.name());
        table_error(self.path.as_ref().unwrap_or(&name), error)
    }
}

#[pymethods]
impl Exact {
    /// The value of the best move.
    #[getter]
    fn value(&self) -> f64 {
        self.0.best()
    }

    /// The best move; None if no move keeps anything.
    #[getter]
    fn best(&self) -> Option<Dir> {
        self.0.best_direction().map(Dir)
    }

    /// The value of each direction, in the order of Direction; None if it is illegal. A move that
    /// leaves the table has the value 0.
    #[getter]
    fn values(&self) -> (Option<f64>, Option<f64>, Option<f64>, Option<f64>) {
        let [up, right, down, left] = Direction::ALL.map(|direction| self.0.shown(direction));
        (up, right, down, left)
    }

    /// The moves that make the tile.
    #[getter]
    fn makes(&self) -> Vec<Dir> {
        self.0.makes.iter().map(Dir).collect()
    }

    /// The tile to make; None if points count.
    #[getter]
    fn tile(&self) -> Option<u64> {
        self.0.goal.tile()
    }

    /// The unit of the values: 'points' to come, or the 'chance' to make the tile.
    #[getter]
    fn unit(&self) -> &'static str {
        unit_name(self.0.unit())
    }

    fn __repr__(&self) -> String {
        let value = |direction: Direction| {
            let value = self.0.shown(direction)?;
            Some(format!("{direction} {value:.4}"))
        };
        let values: Vec<String> = Direction::ALL.into_iter().filter_map(value).collect();
        format!("<Exact: {} ({})>", values.join(", "), self.unit())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, ExactState>> {
        let engine::Exact { values, goal, makes } = self.0;
        let goal = serde_json::to_string(&goal).expect("valid JSON");
        let makes = makes.iter().map(Direction::index).collect();
        restored::<Exact, _>(py, (values.map(value_state), goal, makes))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(values: [ValueState; 4], goal: &str, makes: Vec<usize>) -> PyResult<Exact> {
        let goal = serde_json::from_str(goal).map_err(invalid)?;
        let makes = makes.into_iter().filter_map(Direction::from_index);
        let makes = makes.fold(Directions::NONE, Directions::with);
        Ok(Exact(engine::Exact { values: values.map(value_of_state), goal, makes }))
    }
}
