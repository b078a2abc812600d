//! Where the positions come from.

use std::ops::RangeInclusive;
use std::sync::Arc;

use lab2048::board::Board;
use lab2048::solve::{Practice, SubGame, Table, Tables, draw_position};

use super::{Mistake, Mistakes};
use crate::exact::value_text;
use crate::failure::{Failure, Outcome};
use crate::report::percent;

/// The chances at which a position is neither hopeless nor easy.
const INTERESTING: RangeInclusive<f64> = 0.3..=0.95;
/// The same for points: at least this share of the points at the start.
const ENOUGH: f64 = 0.1;

/// Where the positions come from.
pub(crate) enum Source {
    /// Random positions of a table whose value lies in a range, by default an interesting one.
    Drawn {
        /// The table.
        table: Arc<Table>,
        /// The range.
        values: Option<RangeInclusive<f64>>,
    },
    /// One position.
    Board {
        /// The table.
        table: Arc<Table>,
        /// The position.
        board: Board,
    },
    /// Mistakes, the least solved and then the worst first.
    Drill {
        /// The name of their table; all tables if it is missing.
        table: Option<String>,
        /// Those of this round that are left, the next one last.
        queue: Vec<Mistake>,
    },
}

impl Source {
    /// The table whose mistakes are drilled, if it is only one.
    pub(super) fn drilled_table(&self) -> Option<&str> {
        match self {
            Source::Drill { table, .. } => table.as_deref(),
            Source::Drawn { .. } | Source::Board { .. } => None,
        }
    }

    /// Says that a drawn position is outside the default range, because none was found in it.
    pub(super) fn remark(&self, practice: &Practice) -> Option<String> {
        let Source::Drawn { table, values: None } = self else { return None };
        if usual(table).contains(&practice.exact().best()) {
            return None;
        }
        let range = match table.counts_points() {
            true => format!("at least {} of the points of the whole game", percent(ENOUGH)),
            false => format!("chance {} to {}", INTERESTING.start(), INTERESTING.end()),
        };
        let name = table.game().name();
        Some(format!("no position of the table {name} was found in the default range ({range}): any is used"))
    }

    /// The next position. `None` if there are no mistakes.
    pub(super) fn next(
        &mut self,
        tables: &Tables,
        mistakes: &Mistakes,
        seed: u64,
    ) -> Outcome<Option<Practice>> {
        match self {
            Source::Drawn { table, values } => {
                let board = drawn(table, values.as_ref(), seed)?;
                begun(table, board, seed).map(Some)
            }
            Source::Board { table, board } => begun(table, board.clone(), seed).map(Some),
            Source::Drill { table, queue } => {
                if queue.is_empty() {
                    *queue = round(mistakes, table.as_deref())?;
                }
                // Skip mistakes whose table is missing.
                let mut failure = None;
                while let Some(mistake) = queue.pop() {
                    match drilled(tables, &mistake, seed) {
                        Ok(practice) => return Ok(Some(practice)),
                        Err(error) => failure = Some(error),
                    }
                }
                failure.map_or(Ok(None), Err)
            }
        }
    }
}

/// The default range of values.
fn usual(table: &Table) -> RangeInclusive<f64> {
    match table.counts_points() {
        true => ENOUGH * table.info().start..=f64::MAX,
        false => INTERESTING,
    }
}

fn begun(table: &Arc<Table>, board: Board, seed: u64) -> Outcome<Practice> {
    Practice::new(Arc::clone(table), board, seed).map_err(Failure::bad_input)
}

/// A random position.
fn drawn(table: &Table, values: Option<&RangeInclusive<f64>>, seed: u64) -> Outcome<Board> {
    let place = format!("the table {} cannot be used: ", table.game().name());
    let draw =
        |values| draw_position(table, seed, values).map_err(|error| Failure::bad_input(error).at(&place));
    let found = draw(values.cloned().unwrap_or_else(|| usual(table)))?;
    let found = match values {
        // Some tables have no interesting positions.
        None if found.is_none() => draw(0.0..=f64::MAX)?,
        _ => found,
    };
    found.ok_or_else(|| {
        let name = table.game().name();
        Failure::BadInput(match values {
            None => format!("the table {name} has no position that can be won"),
            Some(values) => format!(
                "no position of the table {name} was found with a value from {} to {}: change --from or --to",
                value_text(*values.start(), table.game().goal()),
                value_text(*values.end(), table.game().goal()),
            ),
        })
    })
}

/// All collected mistakes, the next one last.
fn round(mistakes: &Mistakes, table: Option<&str>) -> Outcome<Vec<Mistake>> {
    let mut list = mistakes.read().map_err(Failure::bad_input)?.list;
    list.retain(|mistake| table.is_none_or(|table| mistake.table == table));
    list.sort_by(|one, other| {
        let by_share = || other.judged.share().total_cmp(&one.judged.share());
        other.solved.cmp(&one.solved).then_with(by_share)
    });
    Ok(list)
}

fn drilled(tables: &Tables, mistake: &Mistake, seed: u64) -> Outcome<Practice> {
    let game = SubGame::named(&mistake.table).map_err(Failure::bad_input)?;
    let table = tables.of(&game).map_err(Failure::bad_input)?;
    begun(&table, mistake.judged.board.clone(), seed)
}
