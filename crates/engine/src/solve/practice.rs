//! Practice: positions of a table to play, with an exact answer to every move.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Exact, Table, TableError};
use crate::board::{Board, Direction, Size};
use crate::game::{Action, Game, History, IllegalTurn, MoveValue, Rules, Stream, Turn};

/// A position of a table that is being played.
///
/// ```
/// use std::sync::Arc;
///
/// use lab2048::Size;
/// use lab2048::game::Probability;
/// use lab2048::solve::{Goal, Outcome, Place, Practice, Tables, draw_position};
///
/// let goal = Goal::Tile { tile: 16, place: Place::Anywhere };
/// let table = Tables::default().solved(Size::new(2, 2)?, goal, Probability::TENTH)?;
/// let start = draw_position(&table, 7, 0.5..=0.99)?.expect("there are such positions");
/// let mut practice = Practice::new(table, start, 7)?;
/// while practice.outcome() == Outcome::Open {
///     let best = practice.exact().best_direction().expect("it can be won");
///     let judged = practice.play(best)?;
///     assert_eq!(judged.kept, judged.before);
/// }
/// assert_eq!(practice.kept_share(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Practice {
    table: Arc<Table>,
    history: History,
    exact: Exact,
    /// The values on the boards before the current one.
    earlier: Vec<Exact>,
    outcome: Outcome,
    moves: Vec<PracticeMove>,
}

/// A move and what it kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PracticeMove {
    /// The board before the move.
    pub board: Board,
    /// The move.
    pub played: Direction,
    /// The best move.
    pub best: Direction,
    /// The value before the move: that of the best one.
    pub before: f64,
    /// The value of the move; 0 if it leaves the table.
    pub kept: f64,
}

/// How a practice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The next move is awaited.
    Open,
    /// The tile is made.
    Made,
    /// The tile is out of reach, or, when playing for points, the game is over.
    Over,
}

/// Why a position cannot be practised.
#[derive(Debug, Error)]
pub enum PracticeError {
    /// The table does not know the board, or nothing can be won on it.
    #[error("the table {0} does not know this board, or the board cannot be won")]
    Unknown(String),
    /// The table is of another size.
    #[error("the table {name} is of a board of {wanted}, not {given}")]
    Size {
        /// The table.
        name: String,
        /// Its size.
        wanted: Size,
        /// The size of the board.
        given: Size,
    },
    /// Nothing was drawn.
    #[error("no position was found whose best value lies in this range; try a wider one")]
    Rare,
    /// The table is damaged.
    #[error("the table cannot be used: {0}")]
    Table(#[from] TableError),
    /// The move is not possible.
    #[error(transparent)]
    Turn(#[from] IllegalTurn),
}

impl PracticeMove {
    /// The share of the value that the move kept, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.before > 0.0 { (self.kept / self.before).min(1.0) } else { 1.0 }
    }

    /// What the move lost.
    pub fn lost(&self) -> f64 {
        (self.before - self.kept).max(0.0)
    }
}

impl Exact {
    /// The best move; `None` if no move keeps anything. The first one in the order of
    /// [`Direction::ALL`] wins ties.
    pub fn best_direction(&self) -> Option<Direction> {
        let Action::Move(direction) = self.decision()?.action else { return None };
        (self.value(direction) > 0.0).then_some(direction)
    }

    /// The value of a move; 0 if it is illegal or leaves the table.
    pub fn value(&self, direction: Direction) -> f64 {
        self.values[direction.index()].worth().unwrap_or(0.0)
    }

    /// The value of a direction as it is shown: `None` if the move is illegal.
    pub fn shown(&self, direction: Direction) -> Option<f64> {
        match self.values[direction.index()] {
            MoveValue::Illegal => None,
            _ => Some(self.value(direction)),
        }
    }
}

/// A random board of a table whose best value lies in a range: a random stored afterstate, and a
/// random spawn. The same seed gives the same board. `None` if none was found in many draws.
pub fn draw_position(
    table: &Table,
    seed: u64,
    values: RangeInclusive<f64>,
) -> Result<Option<Board>, TableError> {
    // "draw" in ASCII.
    let luck = Stream::with_purpose(seed, 0x6472_6177);
    let stored = table.info().stored;
    if stored == 0 {
        return Ok(None);
    }
    for attempt in 0..MOST_DRAWS {
        let place = (luck.unit(3 * attempt) * stored as f64) as u64;
        let Some((bits, value)) = table.nth_of_all(place)? else { continue };
        // The mean over the spawns is a hint that saves most lookups.
        if value < values.start() / 4.0 {
            continue;
        }
        let mut tiles = table.tiles(bits);
        let empty: Vec<usize> = tiles.empty_cells().collect();
        if empty.is_empty() {
            continue;
        }
        let cell = empty[luck.below(3 * attempt + 1, empty.len())];
        let is_four = luck.unit(3 * attempt + 2) < table.game().four().get();
        tiles.set(cell, if is_four { 4 } else { 2 });
        let Ok(board) = Board::from_grid(tiles) else { continue };
        let exact = table.judge(&board, table.game().four())?;
        if exact.is_some_and(|exact| exact.best() > 0.0 && values.contains(&exact.best())) {
            return Ok(Some(board));
        }
    }
    Ok(None)
}

/// Checks that a board is of the size of a table, upright or lying.
pub(super) fn check_size(table: &Table, board: &Board) -> Result<(), PracticeError> {
    let (wanted, given) = (table.game().size(), board.size());
    let is_turned = (given.cols(), given.rows()) == (wanted.rows(), wanted.cols());
    if given == wanted || is_turned {
        return Ok(());
    }
    Err(PracticeError::Size { name: table.game().name(), wanted, given })
}

/// More draws than are ever needed unless hardly any position lies in the range.
const MOST_DRAWS: u64 = 20_000;

impl Practice {
    /// Begins at a board, with the spawns of a seed.
    pub fn new(table: Arc<Table>, board: Board, seed: u64) -> Result<Practice, PracticeError> {
        check_size(&table, &board)?;
        let four = table.game().four();
        let exact = table.judge(&board, four)?.filter(|exact| exact.best() > 0.0);
        let exact = exact.ok_or_else(|| PracticeError::Unknown(table.game().name()))?;
        let rules = Rules { four, ..Rules::default() };
        let history = History::new(Game::from_board(rules, seed, board));
        let (earlier, moves) = (Vec::new(), Vec::new());
        Ok(Practice { table, history, exact, earlier, outcome: Outcome::Open, moves })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.history.game()
    }

    /// The turns that led from the start to the board, without undone ones.
    pub fn turns(&self) -> impl ExactSizeIterator<Item = &Turn> {
        self.history.turns()
    }

    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The exact values on the board. Once the practice is over they are those of the last board.
    pub fn exact(&self) -> &Exact {
        &self.exact
    }

    /// How it stands.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The moves so far, also those that were undone.
    pub fn moves(&self) -> &[PracticeMove] {
        &self.moves
    }

    /// Plays a move. Once the practice is over, every move is refused.
    pub fn play(&mut self, played: Direction) -> Result<&PracticeMove, PracticeError> {
        let best = self.exact.best_direction().filter(|_| self.outcome == Outcome::Open);
        let best = best.ok_or_else(|| PracticeError::Unknown(self.table.game().name()))?;
        let board = self.game().board().clone();
        let (before, kept) = (self.exact.best(), self.exact.value(played));
        let makes_target = self.exact.makes.contains(played);
        self.history.play(Action::Move(played))?;
        let judged = self.table.judge(self.game().board(), self.table.game().four());
        if judged.is_err() {
            // A damaged table leaves everything as it was.
            self.history.undo();
        }
        let judged = judged?;
        self.earlier.push(self.exact);
        self.outcome = match judged.filter(|exact| exact.best() > 0.0) {
            _ if makes_target => Outcome::Made,
            Some(exact) => {
                self.exact = exact;
                Outcome::Open
            }
            None => Outcome::Over,
        };
        self.moves.push(PracticeMove { board, played, best, before, kept });
        Ok(self.moves.last().expect("a move was just added"))
    }

    /// Returns to the board before the last move. The move still counts: it stays among the
    /// [moves](Practice::moves). `false` if there is nothing to undo.
    pub fn undo(&mut self) -> bool {
        let Some(exact) = self.earlier.pop() else { return false };
        self.history.undo();
        (self.exact, self.outcome) = (exact, Outcome::Open);
        true
    }

    /// The product of the shares that the moves kept: how much of the value at the start a perfect
    /// player would have had left.
    pub fn kept_share(&self) -> f64 {
        self.moves.iter().map(PracticeMove::share).product()
    }

    /// The moves that lost something, the worst first.
    pub fn mistakes(&self) -> Vec<&PracticeMove> {
        let mut mistakes: Vec<_> = self.moves.iter().filter(|judged| judged.share() < EXACT).collect();
        mistakes.sort_by(|one, other| one.share().total_cmp(&other.share()));
        mistakes
    }
}

/// A move that keeps more than this is no mistake: the difference is due to the rounding of tables.
const EXACT: f64 = 0.9995;

#[cfg(test)]
mod tests {
    use super::super::{Goal, Place, Tables};
    use super::*;
    use crate::board::parse_board;
    use crate::game::Probability;

    #[test]
    fn an_undone_move_still_counts() {
        let goal = Goal::Tile { tile: 16, place: Place::Anywhere };
        let table = Tables::default().solved("2x2".parse().unwrap(), goal, Probability::TENTH).unwrap();
        // 8 4     Up or Down makes an 8 below or above the other one: 16 is certain. Left and Right
        // 8 .     only slide the 4 away.
        let board = parse_board("8 4/8 0", None).unwrap();
        let mut practice = Practice::new(table, board.clone(), 1).unwrap();
        assert!(!practice.undo(), "nothing was played");
        let exact = *practice.exact();
        let judged = practice.play(Direction::Right).unwrap().clone();
        assert!(judged.kept < judged.before && practice.turns().len() == 1, "{judged:?}");
        assert!(practice.undo());
        assert_eq!((practice.game().board(), practice.exact()), (&board, &exact));
        assert_eq!((practice.turns().len(), practice.moves().len()), (0, 1));
        let share = practice.kept_share();
        practice.play(Direction::Up).unwrap();
        assert_eq!(practice.outcome(), Outcome::Made);
        assert_eq!((practice.kept_share(), practice.mistakes()), (share, vec![&judged]));
        assert!(practice.undo() && practice.outcome() == Outcome::Open);
    }
}
