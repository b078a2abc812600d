//! Players as a Python class. A player is built and thinks in its own thread, so that other Python
//! threads run meanwhile and Ctrl-C works while a network is loaded or during a long search.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{mem, process};

use lab2048::Clock;
use lab2048::arena::{GameLimits, play_watched};
use lab2048::board::Direction;
use lab2048::game::{self, Action, Future, GameStart, MoveValue, Rules, Situation, choose_timed};
use lab2048::parallel::Apart;
use lab2048::players::Spec;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::convert::{Dir, Made, Restored, Whole, action_code, action_of, board_from, made, restored, rules};
use crate::errors::{failed, illegal, invalid};
use crate::game::Game;
use crate::registry;
use crate::waiting::{elsewhere, listen};

/// The error if the thread of a player ended without an answer.
const BROKE_DOWN: &str = "the player crashed";

type DecisionState = (u8, [ValueState; 4], &'static str, u32, u64, (u64, u32));
/// A pickled value: its kind, and its number or turns.
pub(crate) type ValueState = (u8, f64);
type AnyPlayer = Box<dyn game::Player>;

/// A player, built from its spec: 'name' or 'name:key=value,key=value'. See players().
#[pyclass(frozen, module = "lab2048")]
pub(crate) struct Player {
    spec: Spec,
    /// `None` while it thinks, and after it was abandoned.
    seat: Mutex<Option<Seat>>,
    knows_future: bool,
    is_repeatable: bool,
}

/// Where a player runs.
enum Seat {
    /// In a thread of this process that runs one job after another.
    Apart { thread: Apart<Box<AnyPlayer>>, process: u32 },
    /// In the caller's thread, if no thread could be started.
    Here(Box<AnyPlayer>),
}

/// A player's choice and what it says about it.
#[pyclass(frozen, eq, module = "lab2048")]
pub(crate) struct Decision(game::Decision);

/// Decisions are equal if they say the same. Times do not count.
impl PartialEq for Decision {
    fn eq(&self, other: &Decision) -> bool {
        game::Decision { time: other.0.time, ..self.0 } == other.0
    }
}

impl Seat {
    fn new(player: AnyPlayer) -> Seat {
        match Apart::new("player", Box::new(player)) {
            Ok(thread) => Seat::Apart { thread, process: process::id() },
            Err(player) => Seat::Here(player),
        }
    }

    /// Whether its thread belongs to the parent: a forked process has none of its parent's threads.
    fn is_left_in_parent(&self) -> bool {
        matches!(self, Seat::Apart { process, .. } if *process != process::id())
    }
}

impl Player {
    fn build(&self, py: Python<'_>) -> PyResult<AnyPlayer> {
        let spec = self.spec.clone();
        elsewhere(py, BROKE_DOWN, move || registry().build(&spec))?.map_err(failed)
    }

    /// Runs a job with the player without holding the interpreter. `cancel` is set on Ctrl-C.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        cancel: &AtomicBool,
        job: impl FnOnce(&mut AnyPlayer) -> T + Send + 'static,
    ) -> PyResult<T> {
        let free = self.seat.lock().unwrap_or_else(PoisonError::into_inner).take();
        let seat = match free {
            // Not even dropped: the thread may have been in the middle of something at the fork.
            Some(seat) if seat.is_left_in_parent() => {
                mem::forget(seat);
                Seat::new(self.build(py)?)
            }
            Some(seat) => seat,
            // It was abandoned, or it is thinking for another thread.
            None => Seat::new(self.build(py)?),
        };
        let (seat, answer) = match seat {
            Seat::Here(mut player) => {
                let answer = py.detach(|| job(&mut player));
                (Some(Seat::Here(player)), Ok(answer))
            }
            Seat::Apart { thread, process } => {
                let answer = thread.ask(|player| job(player));
                let (answer, is_free) =
                    listen(py, answer, cancel, BROKE_DOWN, |_| true, |done| Ok(Some(done)));
                (is_free.then_some(Seat::Apart { thread, process }), answer)
            }
        };
        if let Some(seat) = seat {
            *self.seat.lock().unwrap_or_else(PoisonError::into_inner) = Some(seat);
        }
        answer
    }
}

/// Asks for one decision in a running game. The coming spawns are given only to players that know
/// them, and only if they are known here.
fn decide(
    player: &mut AnyPlayer,
    game: &game::Game,
    score: u64,
    future: Future,
) -> Result<game::Decision, String> {
    use game::Player as _;
    let start = GameStart::of(game, future);
    player.start(&start).map_err(|error| error.to_string())?;
    let situation = Situation { score, ..Situation::of(game, player, future) };
    choose_timed(player, &situation, Clock::system()).map_err(|error| error.to_string())
}

#[pymethods]
impl Player {
    /// Builds the player of a spec. Raises PlayerFailed if that is impossible, for example because
    /// a file is missing.
    #[new]
    #[pyo3(signature = (spec="auto"))]
    fn from_python(py: Python<'_>, spec: &str) -> PyResult<Player> {
        use game::Player as _;
        let spec = registry().parse(spec).map_err(invalid)?;
        let mut player = Player { spec, seat: Mutex::new(None), knows_future: false, is_repeatable: true };
        let built = player.build(py)?;
        let facts = built.facts();
        (player.knows_future, player.is_repeatable) = (facts.needs_future, facts.repeatable);
        player.seat = Mutex::new(Some(Seat::new(built)));
        Ok(player)
    }

    /// The spec in its canonical form.
    #[getter]
    pub(crate) fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// Whether it knows the coming spawns.
    #[getter]
    fn knows_future(&self) -> bool {
        self.knows_future
    }

    /// Whether the same seed always gives the same moves. Players with a time limit are not
    /// repeatable.
    #[getter]
    fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// The best move on a board or in a running game, with the values of all four moves.
    #[pyo3(signature = (position, *, four=None, score=None))]
    fn best(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        four: Option<f64>,
        score: Option<Whole>,
    ) -> PyResult<Decision> {
        let (game, future) = match position.cast::<Game>() {
            Ok(game) if four.is_none() && score.is_none() => {
                (game.try_borrow()?.running().clone(), Future::Told)
            }
            Ok(_) => {
                let known = "four and score cannot be given with a running game, which has its own";
                return Err(PyTypeError::new_err(known));
            }
            Err(_) => {
                let rules: Rules = rules("original", None, four)?;
                (game::Game::from_board(rules, 0, board_from(position, None)?), Future::Hidden)
            }
        };
        if let Some(ending) = game.ending() {
            return Err(illegal(game::IllegalTurn::Over(ending)));
        }
        let score = score.map_or(game.score(), |score| score.0);
        let cancel = AtomicBool::new(false);
        let decision = self.ask(py, &cancel, move |player| decide(player, &game, score, future))?;
        decision.map(Decision).map_err(failed)
    }

    /// Plays a running game to its end, until a tile is on the board, or for at most max_moves more
    /// moves. Returns how it stopped.
    #[pyo3(signature = (game, *, until=None, max_moves=None))]
    fn play(
        &self,
        py: Python<'_>,
        game: &Bound<'_, Game>,
        until: Option<Whole>,
        max_moves: Option<Whole>,
    ) -> PyResult<&'static str> {
        let before = game.try_borrow()?.running().clone();
        let mut running = before.clone();
        let max_moves = max_moves.map(|moves| moves.0.saturating_add(running.turns()));
        let limits = GameLimits { until: until.map(|tile| tile.0), max_moves };
        let cancel = Arc::new(AtomicBool::new(false));
        // Shared, so that the moves before an interruption are kept.
        let actions = Arc::new(Mutex::new(Vec::<Action>::new()));
        let (theirs, cancelled) = (Arc::clone(&actions), Arc::clone(&cancel));
        let end = self.ask(py, &cancel, move |player| {
            let watch = |_: &game::Game, _: &game::Decision, turn: &game::Turn| {
                if cancelled.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                theirs.lock().unwrap_or_else(PoisonError::into_inner).push(turn.action);
                ControlFlow::Continue(())
            };
            play_watched(&mut running, player, &limits, watch)
        });
        let actions = mem::take(&mut *actions.lock().unwrap_or_else(PoisonError::into_inner));
        let mut game = game.try_borrow_mut()?;
        if *game.running() != before {
            return Err(failed(
                "the game was changed while the player thought, so the player's moves were dropped",
            ));
        }
        game.follow(&actions)?;
        match end?.map_err(failed)? {
            ControlFlow::Continue(played) => match played.end.error() {
                Some(error) => Err(failed(error)),
                None => Ok(played.end.word()),
            },
            ControlFlow::Break(()) => Err(failed("the game was interrupted")),
        }
    }

    fn __repr__(&self) -> String {
        format!("Player('{}')", self.spec)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Made<'py, (String,)> {
        made::<Player, _>(py, (self.spec(),))
    }
}

#[pymethods]
impl Decision {
    /// The direction of the move; None if the player quits or passes.
    #[getter]
    fn direction(&self) -> Option<Dir> {
        match self.0.action {
            Action::Move(direction) => Some(Dir(direction)),
            Action::Pass | Action::Quit => None,
        }
    }

    /// The value of each direction, in the order of Direction; None if it is illegal or was not
    /// judged. A move that certainly loses the game has -1e120 or less; the sooner the loss, the
    /// lower the value.
    #[getter]
    fn values(&self) -> (Option<f64>, Option<f64>, Option<f64>, Option<f64>) {
        let [up, right, down, left] = self.0.values.map(|value| number(value, self.0.depth));
        (up, right, down, left)
    }

    /// The unit of the values: 'points' still to come, which can be compared between players, the
    /// 'chance' to make a certain tile, or 'preference', which only ranks the moves.
    #[getter]
    fn unit(&self) -> &'static str {
        match self.0.unit {
            game::Unit::Points => "points",
            game::Unit::Chance => "chance",
            game::Unit::Preference => "preference",
        }
    }

    /// The search depth in own moves.
    #[getter]
    fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The number of positions visited.
    #[getter]
    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    /// The time in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.time.as_secs_f64()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, DecisionState>> {
        let game::Decision { action, values, depth, nodes, time, .. } = self.0;
        let values = values.map(value_state);
        // With nanoseconds, which Python's timedelta would lose.
        let time = (time.as_secs(), time.subsec_nanos());
        restored::<Decision, _>(py, (action_code(action), values, self.unit(), depth, nodes, time))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(
        action: u8,
        values: [ValueState; 4],
        unit: &str,
        depth: u32,
        nodes: u64,
        time: (u64, u32),
    ) -> PyResult<Decision> {
        let (seconds, nanoseconds) = time;
        let time = Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanoseconds.into()));
        let unit = match unit {
            "points" => game::Unit::Points,
            "chance" => game::Unit::Chance,
            _ => game::Unit::Preference,
        };
        let values = values.map(value_of_state);
        Ok(Decision(game::Decision { action: action_of(action)?, values, unit, depth, nodes, time }))
    }

    fn __repr__(&self) -> String {
        let name = self.direction().map_or("none", |direction| direction.0.name());
        let value = |direction: Direction| match self.0.values[direction.index()] {
            MoveValue::Worth(value) => format!("{direction} {value:.1}"),
            MoveValue::Lost { .. } => format!("{direction} lost"),
            MoveValue::Illegal | MoveValue::Unknown => format!("{direction} -"),
        };
        let values = Direction::ALL.map(value).join(", ");
        format!("<Decision: {name}; {values} ({})>", self.0.unit)
    }
}

/// A value as a Python number; larger is better. A lost move, found by a search of this depth, is
/// below every value of a search.
fn number(value: MoveValue, depth: u32) -> Option<f64> {
    match value {
        MoveValue::Illegal | MoveValue::Unknown => None,
        MoveValue::Lost { turns } => Some(-1e120 * f64::from(depth.saturating_sub(turns) + 1)),
        MoveValue::Worth(value) => Some(value),
    }
}

pub(crate) fn value_state(value: MoveValue) -> ValueState {
    match value {
        MoveValue::Illegal => (0, 0.0),
        MoveValue::Unknown => (1, 0.0),
        MoveValue::Lost { turns } => (2, f64::from(turns)),
        MoveValue::Worth(value) => (3, value),
    }
}

pub(crate) fn value_of_state((kind, number): ValueState) -> MoveValue {
    match kind {
        0 => MoveValue::Illegal,
        2 => MoveValue::Lost { turns: number as u32 },
        3 => MoveValue::Worth(number),
        _ => MoveValue::Unknown,
    }
}

/// The names of all players with one-line summaries.
#[pyo3::pyfunction]
pub(crate) fn players() -> BTreeMap<&'static str, &'static str> {
    registry().entries().iter().map(|entry| (entry.name, entry.summary)).collect()
}
