//! Python functions as players of the arena.
//!
//! A function is called only in the thread that called `arena`, one call after another. The games
//! run in other threads, which send their boards there and wait for the moves.

use std::fmt;
use std::sync::mpsc::{self, Sender};

use lab2048::arena::MakePlayer;
use lab2048::board::{self, Board};
use lab2048::game::{
    Action, Decision, GameStart, IdleMove, Player as EnginePlayer, PlayerError, PlayerFacts, Refusal,
    Situation,
};
use lab2048::players::Spec;
use lab2048::text::one_line;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::board::Board as PyBoard;
use crate::convert::{Dir, Made, made};
use crate::errors::{InvalidInput, invalid};

/// The name of these players in specs. No player of the registry has it.
const KIND: &str = "python";

/// The maximum number of characters quoted from an answer in a message.
const LONGEST_QUOTE: usize = 100;

/// A Python function as a player of the arena: it gets a board and returns a direction.
#[pyclass(frozen, module = "lab2048")]
pub(crate) struct Bot {
    function: Py<PyAny>,
    name: String,
    version: Option<String>,
}

/// The spec of a function.
fn spec_of(name: &str, version: Option<&str>) -> Spec {
    let spec = Spec::named(KIND).with("name", name);
    match version {
        Some(version) => spec.with("version", version),
        None => spec,
    }
}

/// Whether a spec names a function whose version is unknown, so that no record can tell whether it
/// has changed.
pub(crate) fn is_unversioned(spec: &str) -> bool {
    Spec::split(spec).is_ok_and(|spec| spec.name() == KIND && spec.value("version").is_none())
}

/// Refuses an empty text, which a spec cannot hold.
fn filled(what: &str, text: &str) -> PyResult<String> {
    let text = text.trim();
    if text.is_empty() {
        Err(invalid(format!("the {what} of a bot must not be empty")))
    } else {
        Ok(text.to_owned())
    }
}

impl Bot {
    /// A function with the name that Python gives it: its `__qualname__`, or that of its class.
    pub(crate) fn of(function: &Bound<'_, PyAny>) -> PyResult<Bot> {
        Bot::new(function, None, None)
    }

    fn new(function: &Bound<'_, PyAny>, name: Option<&str>, version: Option<&str>) -> PyResult<Bot> {
        if !function.is_callable() {
            return Err(PyTypeError::new_err(
                "a bot needs a function that takes a board and returns a direction",
            ));
        }
        let name = match name {
            Some(name) => filled("name", name)?,
            None => {
                let own =
                    function.getattr("__qualname__").ok().and_then(|name| name.extract::<String>().ok());
                match own.filter(|name| !name.trim().is_empty()) {
                    Some(name) => name,
                    None => function.get_type().qualname()?.to_string(),
                }
            }
        };
        let version = version.map(|version| filled("version", version)).transpose()?;
        Ok(Bot { function: function.clone().unbind(), name, version })
    }

    pub(crate) fn copy(&self, py: Python<'_>) -> Bot {
        let Bot { function, name, version } = self;
        Bot { function: function.clone_ref(py), name: name.clone(), version: version.clone() }
    }

    /// Its spec in records.
    pub(crate) fn as_spec(&self) -> Spec {
        spec_of(&self.name, self.version.as_deref())
    }

    /// Makes its players for the threads of an arena. `index` is its place in the list of bots.
    pub(crate) fn maker(
        &self,
        index: usize,
        ask: Sender<impl From<Question> + Send + 'static>,
    ) -> MakePlayer<'static> {
        let name = self.name.clone();
        Box::new(move || {
            let (name, ask) = (name.clone(), ask.clone());
            Ok(Box::new(Distant { index, name, idle: IdleMove::Refused, ask }))
        })
    }

    /// Asks the function for its move and passes it on. Fails with the exception of the function.
    /// The game waits as long as the question exists, so cancel the run before dropping it then.
    pub(crate) fn answer(&self, py: Python<'_>, question: &Question) -> PyResult<()> {
        let returned = self.function.bind(py).call1((PyBoard::new(question.board.clone()),))?;
        let action = action_of(&returned)?;
        // Sending fails if the game was given up.
        let _ = question.answer.send(action);
        Ok(())
    }
}

/// What a function returned, as an action; or a description of what is not one. An error is an
/// exception of the caller's own objects.
fn action_of(returned: &Bound<'_, PyAny>) -> PyResult<Result<Action, String>> {
    if let Ok(word) = returned.cast::<PyString>() {
        match word.to_string_lossy().as_ref() {
            "pass" => return Ok(Ok(Action::Pass)),
            "quit" => return Ok(Ok(Action::Quit)),
            _ => {}
        }
    }
    let py = returned.py();
    match returned.extract::<Dir>() {
        Ok(direction) => Ok(Ok(Action::Move(direction.0))),
        Err(error) if error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<InvalidInput>(py) => {
            let shown = returned.repr()?.to_string_lossy().into_owned();
            Ok(Err(one_line(&shown, LONGEST_QUOTE).to_string()))
        }
        Err(error) => Err(error),
    }
}

/// A board on which a function is to move.
pub(crate) struct Question {
    /// The place of the function in the list of bots.
    pub(crate) index: usize,
    board: Board,
    answer: Sender<Result<Action, String>>,
}

/// A function, as seen from a thread of the arena.
struct Distant<N> {
    index: usize,
    name: String,
    /// Of the current game.
    idle: IdleMove,
    ask: Sender<N>,
}

impl<N> Distant<N> {
    fn fault(&self, fault: impl fmt::Display) -> PlayerError {
        PlayerError::new(format!("{KIND} ({}): {fault}", one_line(&self.name, LONGEST_QUOTE)))
    }

    /// Checks that the rules allow an action, as those of `exec` are checked.
    fn check(&self, action: Action, board: &board::Board) -> Result<Decision, PlayerError> {
        match action {
            Action::Pass if self.idle == IdleMove::Refused => {
                Err(self.fault("it returned 'pass', but these rules do not allow a pass"))
            }
            Action::Move(direction)
                if self.idle == IdleMove::Refused && !board.legal_moves().contains(direction) =>
            {
                Err(self.fault(format_args!("it returned {direction}, which does not change the board")))
            }
            action => Ok(Decision::of(action)),
        }
    }
}

impl<N: From<Question> + Send> EnginePlayer for Distant<N> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.idle = game.rules.idle;
        Ok(())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let (answer, answered) = mpsc::channel();
        let question = Question { index: self.index, board: situation.board.clone(), answer };
        // Both fail if the run has ended; the game is then dropped.
        let sent = self.ask.send(question.into()).ok();
        match sent.and_then(|()| answered.recv().ok()) {
            Some(Ok(action)) => self.check(action, situation.board),
            Some(Err(shown)) => {
                Err(self
                    .fault(format_args!("it returned {shown}, which is not a direction, 'pass' or 'quit'")))
            }
            None => Err(self.fault("the run has ended")),
        }
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts { repeatable: false, ..PlayerFacts::default() }
    }
}

#[pymethods]
impl Bot {
    /// A function with a name for the records and, if it may change, a version.
    #[new]
    #[pyo3(signature = (function, name=None, version=None))]
    fn from_python(function: &Bound<'_, PyAny>, name: Option<&str>, version: Option<&str>) -> PyResult<Bot> {
        Bot::new(function, name, version)
    }

    /// The function.
    #[getter]
    fn function(&self, py: Python<'_>) -> Py<PyAny> {
        self.function.clone_ref(py)
    }

    /// Its name in the records.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its version in the records.
    #[getter]
    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The spec that stands in the records: 'python:name=NAME,version=VERSION'.
    #[getter]
    fn spec(&self) -> String {
        self.as_spec().to_string()
    }

    /// Calls the function.
    #[pyo3(signature = (*arguments))]
    fn __call__<'py>(&self, py: Python<'py>, arguments: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        self.function.bind(py).call1(arguments.clone())
    }

    fn __repr__(&self) -> String {
        format!("<Bot {}>", self.as_spec())
    }

    #[allow(clippy::type_complexity)] // the arguments of the class
    fn __reduce__<'py>(&self, py: Python<'py>) -> Made<'py, (Py<PyAny>, String, Option<String>)> {
        made::<Bot, _>(py, (self.function.clone_ref(py), self.name.clone(), self.version.clone()))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)
    }
}
