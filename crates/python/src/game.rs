//! A running game as a Python class.

use lab2048::board::Size;
use lab2048::game::{self, Action, Ending, History, Replay, Spawn};
use pyo3::prelude::*;

use crate::board::Board;
use crate::convert::{
    BoardArg, Dir, Restored, SizeArg, Whole, action_code, action_name, action_of, check_size, restored,
    rules, rules_name, seed_or_fresh, sides, spawn_tuple,
};
use crate::errors::{illegal, invalid};
use crate::replay::Replay as PyReplay;

/// A running game with its history: rules, seed, board, score. The same rules and seed always give
/// the same game.
#[pyclass(eq, module = "lab2048")]
pub(crate) struct Game(History);

/// Games are equal if their current states are equal. Undone turns do not count.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.running() == other.running()
    }
}

/// The result of one action.
#[pyclass(frozen, eq, module = "lab2048")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    turn: game::Turn,
    size: Size,
}

/// The pickled state of a game: rules, seed, start board, actions, undone actions.
type GameState = (String, u64, Board, Vec<u8>, Vec<u8>);
/// The pickled state of a turn: action, reward, cell and value of the new tile, rows and columns.
type TurnState = (u8, u64, Option<(usize, u64)>, (usize, usize));

impl Turn {
    pub(crate) fn new(turn: game::Turn, size: Size) -> Turn {
        Turn { turn, size }
    }
}

impl Game {
    /// The current game of the engine.
    pub(crate) fn running(&self) -> &game::Game {
        self.0.game()
    }

    /// Plays the actions of a copy of this game.
    pub(crate) fn follow(&mut self, actions: &[Action]) -> PyResult<()> {
        actions.iter().try_for_each(|&action| self.0.play(action).map(drop)).map_err(illegal)
    }

    fn act(&mut self, action: Action) -> PyResult<Turn> {
        let turn = self.0.play(action).map_err(illegal)?;
        Ok(self.shown(turn))
    }

    fn shown(&self, turn: game::Turn) -> Turn {
        Turn::new(turn, self.running().board().size())
    }
}

#[pymethods]
impl Game {
    /// A new game with two start tiles, or from a board. Without a seed it gets a fresh one.
    #[new]
    #[pyo3(signature = (size=None, *, seed=None, rules="original", four=None, board=None))]
    fn from_python(
        py: Python<'_>,
        size: Option<SizeArg>,
        seed: Option<Whole>,
        rules: &str,
        four: Option<f64>,
        board: Option<BoardArg>,
    ) -> PyResult<Game> {
        let rules = self::rules(rules, size, four)?;
        let seed = seed_or_fresh(py, seed)?;
        let game = match board {
            None => game::Game::new(rules, seed),
            Some(BoardArg(board)) => {
                check_size(size, &board)?;
                game::Game::from_board(rules, seed, board)
            }
        };
        Ok(Game(History::new(game)))
    }

    /// The current board.
    #[getter]
    fn board(&self) -> Board {
        Board::new(self.running().board().clone())
    }

    /// The sum of all merged tiles.
    #[getter]
    fn score(&self) -> u64 {
        self.running().score()
    }

    /// The number of moves and passes so far.
    #[getter]
    fn moves(&self) -> u64 {
        self.running().moves()
    }

    /// The seed of the spawns.
    #[getter]
    fn seed(&self) -> u64 {
        self.running().seed()
    }

    /// Rows and columns.
    #[getter]
    fn size(&self) -> (usize, usize) {
        sides(self.running().rules().size)
    }

    /// The probability of a 4.
    #[getter]
    fn four(&self) -> f64 {
        self.running().rules().four.get()
    }

    /// The name of the rules: 'original' or 'course'.
    #[getter]
    fn rules(&self) -> &'static str {
        rules_name(self.running().rules())
    }

    /// Whether the game has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.running().ending().is_some()
    }

    /// Why the game ended: 'no-moves', 'no-room' or 'quit'; None while it is running.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.running().ending().map(Ending::word)
    }

    /// Whether the winning tile is on the board.
    #[getter]
    fn has_won(&self) -> bool {
        self.running().has_won()
    }

    /// The directions in which a slide changes the board; empty if the game has ended.
    fn legal_moves(&self) -> Vec<Dir> {
        let game = self.running();
        if game.ending().is_some() {
            Vec::new()
        } else {
            game.board().legal_moves().iter().map(Dir).collect()
        }
    }

    /// Plays one move. Raises IllegalMove if it is not allowed; then nothing changes.
    fn play(&mut self, direction: Dir) -> PyResult<Turn> {
        self.act(Action::Move(direction.0))
    }

    /// Passes: leaves the board as it is and gets a new tile, if the rules allow it.
    fn pass_turn(&mut self) -> PyResult<Turn> {
        self.act(Action::Pass)
    }

    /// Ends the game.
    fn quit(&mut self) -> PyResult<Turn> {
        self.act(Action::Quit)
    }

    /// Undoes the last turn; None if there is none.
    fn undo(&mut self) -> Option<Turn> {
        let turn = self.0.undo()?;
        Some(self.shown(turn))
    }

    /// Redoes the last undone turn; None if there is none.
    fn redo(&mut self) -> Option<Turn> {
        let turn = self.0.redo()?;
        Some(self.shown(turn))
    }

    /// The game so far as a replay.
    #[pyo3(signature = (player=None, note=None))]
    fn replay(&self, player: Option<String>, note: Option<String>) -> PyResult<PyReplay> {
        let mut replay = Replay::of_history(&self.0).map_err(invalid)?;
        if let Some(player) = player {
            replay = replay.by(player);
        }
        if let Some(note) = note {
            replay = replay.noting(note);
        }
        Ok(PyReplay::new(replay))
    }

    /// An independent copy of the game.
    fn copy(&self) -> Game {
        Game(self.0.clone())
    }

    /// Pickles rules, seed, start board, actions and undone actions.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, GameState>> {
        let game = self.running();
        let rules = serde_json::to_string(game.rules()).expect("valid JSON");
        let start = self.0.before(0).unwrap_or(game).board().clone();
        let actions = self.0.turns().map(|turn| action_code(turn.action)).collect();
        let mut ahead = self.0.clone();
        let undone = std::iter::from_fn(|| ahead.redo()).map(|turn| action_code(turn.action)).collect();
        restored::<Game, _>(py, (rules, game.seed(), Board::new(start), actions, undone))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(
        rules: &str,
        seed: u64,
        start: BoardArg,
        actions: Vec<u8>,
        undone: Vec<u8>,
    ) -> PyResult<Game> {
        let rules = serde_json::from_str(rules).map_err(invalid)?;
        let mut game = Game(History::new(game::Game::from_board(rules, seed, start.0)));
        let taken_back = undone.len();
        let actions = actions.into_iter().chain(undone).map(action_of);
        game.follow(&actions.collect::<PyResult<Vec<Action>>>()?)?;
        for _ in 0..taken_back {
            game.0.undo();
        }
        Ok(game)
    }

    fn __copy__(&self) -> Game {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.copy()
    }

    fn __str__(&self) -> String {
        self.running().board().to_string()
    }

    fn __repr__(&self) -> String {
        let game = self.running();
        let state = game.ending().map_or_else(|| "running".to_owned(), |ending| ending.to_string());
        format!(
            "<Game {}, seed {}, {} moves, score {}, {state}>",
            game.rules().size,
            game.seed(),
            game.moves(),
            game.score()
        )
    }
}

#[pymethods]
impl Turn {
    /// 'move', 'pass' or 'quit'.
    #[getter]
    fn action(&self) -> &'static str {
        action_name(self.turn.action)
    }

    /// The direction of a move; None for a pass or a quit.
    #[getter]
    fn direction(&self) -> Option<Dir> {
        match self.turn.action {
            Action::Move(direction) => Some(Dir(direction)),
            Action::Pass | Action::Quit => None,
        }
    }

    /// The sum of the merged tiles.
    #[getter]
    fn reward(&self) -> u64 {
        self.turn.reward
    }

    /// The new tile as (row, column, tile); None if no tile appeared.
    #[getter]
    fn spawn(&self) -> Option<(usize, usize, u64)> {
        self.turn.spawn.map(|spawn| spawn_tuple(spawn, self.size))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Restored<'py, TurnState>> {
        let game::Turn { action, reward, spawn } = self.turn;
        let spawn = spawn.map(|spawn| (spawn.cell, spawn.tile));
        restored::<Turn, _>(py, (action_code(action), reward, spawn, sides(self.size)))
    }

    /// Restores a pickled value.
    #[staticmethod]
    fn _restore(action: u8, reward: u64, spawn: Option<(usize, u64)>, size: SizeArg) -> PyResult<Turn> {
        let spawn = spawn.map(|(cell, tile)| Spawn { cell, tile });
        Ok(Turn::new(game::Turn { action: action_of(action)?, reward, spawn }, size.0))
    }

    fn __repr__(&self) -> String {
        let name = match self.turn.action {
            Action::Move(direction) => direction.name(),
            other => action_name(other),
        };
        match self.spawn() {
            Some((row, col, tile)) => {
                format!("<Turn: {name} +{}, a {tile} at ({row}, {col})>", self.turn.reward)
            }
            None => format!("<Turn: {name} +{}>", self.turn.reward),
        }
    }
}
