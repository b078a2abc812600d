//! What a table says about a board that is practised, for pages that hold the game themselves.

use std::ops::RangeInclusive;

use serde::Serialize;

use super::practice::check_size;
use super::{Exact, Outcome, PracticeError, Table, draw_position};
use crate::board::Board;

/// What a table says about a board that is practised.
///
/// As JSON: `{"state": "open", "exact": {...}}`, see [`Exact`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// How the practice stands.
    #[serde(rename = "state")]
    pub outcome: Outcome,
    /// The exact values; always known while the next move is awaited.
    pub exact: Option<Exact>,
}

/// A position that was drawn, with what the table says about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawn {
    /// The position.
    pub board: Board,
    /// How it stands.
    #[serde(flatten)]
    pub standing: Standing,
}

impl Standing {
    /// Judges a board of the table's size. A board that the table does not know is out of reach.
    pub fn of(table: &Table, board: &Board) -> Result<Standing, PracticeError> {
        check_size(table, board)?;
        if table.game().is_made(board) {
            return Ok(Standing { outcome: Outcome::Made, exact: None });
        }
        let exact = table.judge(board, table.game().four())?;
        let is_open = exact.is_some_and(|exact| exact.best() > 0.0);
        Ok(Standing { outcome: if is_open { Outcome::Open } else { Outcome::Over }, exact })
    }
}

impl Drawn {
    /// Draws a position with [`draw_position`].
    pub fn from(table: &Table, seed: u64, values: RangeInclusive<f64>) -> Result<Drawn, PracticeError> {
        let board = draw_position(table, seed, values)?.ok_or(PracticeError::Rare)?;
        let standing = Standing::of(table, &board)?;
        Ok(Drawn { board, standing })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Goal, Place, Practice, Tables};
    use super::*;
    use crate::board::Direction;
    use crate::game::Probability;

    /// A page that asks about every board sees what a practice in the engine sees.
    #[test]
    fn a_standing_is_that_of_the_practice() {
        let tables = Tables::default();
        let mut ended = [0; 2];
        for goal in [Goal::Score, Goal::Tile { tile: 64, place: Place::Anywhere }] {
            let table = tables.solved("2x3".parse().unwrap(), goal, Probability::TENTH).unwrap();
            for seed in 0..40 {
                let Drawn { board, standing } = Drawn::from(&table, seed, 0.0..=1e6).unwrap();
                let mut practice = Practice::new(Arc::clone(&table), board, seed).unwrap();
                assert_eq!(standing, Standing::of(&table, practice.game().board()).unwrap());
                while practice.outcome() == Outcome::Open {
                    let legal = practice.game().board().legal_moves();
                    let played = legal.iter().max_by_key(|&one| one == Direction::ALL[seed as usize % 4]);
                    let makes = practice.exact().makes.contains(played.unwrap());
                    practice.play(played.unwrap()).unwrap();
                    assert_eq!(makes, practice.outcome() == Outcome::Made);
                    let standing = Standing::of(&table, practice.game().board()).unwrap();
                    assert_eq!(standing.outcome, practice.outcome());
                    if practice.outcome() == Outcome::Open {
                        assert_eq!(standing.exact, Some(*practice.exact()));
                    }
                }
                ended[usize::from(practice.outcome() == Outcome::Made)] += 1;
            }
        }
        assert!(ended.iter().all(|&count| count > 0), "{ended:?}");
    }
}
