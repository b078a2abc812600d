//! Games that happen somewhere else: what the next board says about the spawn.

use thiserror::Error;

use super::{Action, Game, IllegalTurn, Spawn, Turn};
use crate::board::{Board, Direction, Size};

/// Why a board cannot follow from the one before by the move that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Inconsistent {
    /// The board has another size.
    #[error("the board was {before} and is {now}")]
    OtherSize {
        /// The size before.
        before: Size,
        /// The size now.
        now: Size,
    },
    /// A cell has another tile than the slide leaves there.
    #[error("row {row}, column {column} has {found} where {expected} belongs")]
    WrongTile {
        /// Counted from 1.
        row: usize,
        /// Counted from 1.
        column: usize,
        /// What the slide leaves there; 0 for an empty cell.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// No tile appeared.
    #[error("no tile appeared")]
    NoSpawn,
    /// More than one tile appeared.
    #[error("{0} tiles appeared instead of one")]
    SeveralSpawns(usize),
    /// A tile appeared that the rules do not have.
    #[error("a tile {0} appeared, but only 2 and 4 can")]
    StrangeSpawn(u64),
    /// The score did not grow by the merged tiles.
    #[error("the score is {found} where {expected} belongs")]
    WrongScore {
        /// The score before and the merged tiles.
        expected: u64,
        /// The score now.
        found: u64,
    },
    /// The move cannot be made at all.
    #[error(transparent)]
    Refused(#[from] IllegalTurn),
}

impl Game {
    /// Plays a move whose result was seen: the spawn is what `seen` has more than the slide
    /// leaves. `score` is the score that was seen, if any. If `seen` cannot follow from this board
    /// by this move, nothing changes.
    ///
    /// ```
    /// use lab2048::game::{Game, Inconsistent, Rules};
    /// use lab2048::Direction;
    ///
    /// let mut game = Game::from_board(Rules::default(), 0, "2 2/0 0".parse().unwrap());
    /// let seen = "4 0/0 2".parse().unwrap();
    /// let turn = game.observe(Direction::Left, &seen, Some(4)).unwrap();
    /// assert_eq!(turn.spawn.map(|spawn| spawn.cell), Some(3));
    /// let cheat = "8 0/0 4".parse().unwrap();
    /// let why = game.observe(Direction::Up, &cheat, None).unwrap_err();
    /// assert!(matches!(why, Inconsistent::WrongTile { .. }));
    /// ```
    pub fn observe(
        &mut self,
        direction: Direction,
        seen: &Board,
        score: Option<u64>,
    ) -> Result<Turn, Inconsistent> {
        let (before, now) = (self.board().size(), seen.size());
        if before != now {
            return Err(Inconsistent::OtherSize { before, now });
        }
        let mut next = self.clone();
        let mut found = Err(Inconsistent::NoSpawn);
        let played = next.play_with(Action::Move(direction), |after| {
            found = only_spawn(seen, |cell| after.tile(cell));
            found.ok()
        });
        let turn = match (found, played) {
            (Ok(_), played) => played?,
            // The reason in the board says more than "no spawn".
            (Err(reason), Err(IllegalTurn::NoSpawn)) => return Err(reason),
            (Err(_), Err(error)) => return Err(error.into()),
            (Err(reason), Ok(_)) => return Err(reason),
        };
        if let Some(found) = score.filter(|&score| score != next.score()) {
            return Err(Inconsistent::WrongScore { expected: next.score(), found });
        }
        *self = next;
        Ok(turn)
    }
}

/// The one tile that a board has more than the afterstate.
fn only_spawn(seen: &Board, after: impl Fn(usize) -> u64) -> Result<Spawn, Inconsistent> {
    let size = seen.size();
    let mut spawns = Vec::new();
    for cell in 0..size.cells() {
        match (after(cell), seen.tile(cell)) {
            (expected, found) if expected == found => {}
            (0, tile) => spawns.push(Spawn { cell, tile }),
            (expected, found) => {
                let (row, column) = size.position(cell);
                return Err(Inconsistent::WrongTile { row: row + 1, column: column + 1, expected, found });
            }
        }
    }
    match spawns.as_slice() {
        [] => Err(Inconsistent::NoSpawn),
        [Spawn { tile: 2 | 4, .. }] => Ok(spawns[0]),
        [Spawn { tile, .. }] => Err(Inconsistent::StrangeSpawn(*tile)),
        several => Err(Inconsistent::SeveralSpawns(several.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    fn game(board: &str) -> Game {
        Game::from_board(Rules::default(), 0, board.parse().unwrap())
    }

    fn seen(board: &str, by: Direction, next: &str, score: Option<u64>) -> Result<Turn, Inconsistent> {
        let mut game = game(board);
        let result = game.observe(by, &next.parse().unwrap(), score);
        match &result {
            Ok(_) => assert_eq!(*game.board(), next.parse::<Board>().unwrap()),
            Err(_) => assert_eq!(game.turns(), 0, "a refused board changes nothing"),
        }
        result
    }

    /// Every move of a real game is seen as it was, on several sizes.
    #[test]
    fn real_games_are_consistent() {
        for (rows, seed) in [(2, 1), (3, 2), (4, 3), (5, 4)] {
            let rules = Rules { size: Size::new(rows, 4).unwrap(), ..Rules::default() };
            let mut game = Game::new(rules.clone(), seed);
            let mut watched = Game::from_board(rules, 0, game.board().clone());
            while let Some(direction) = game.board().legal_moves().iter().next() {
                let turn = game.play(Action::Move(direction)).unwrap();
                let same = watched.observe(direction, game.board(), Some(game.score()));
                assert_eq!(same, Ok(turn));
            }
            assert_eq!((watched.score(), watched.ending()), (game.score(), game.ending()));
        }
    }

    /// A page that cheats is found out.
    #[test]
    fn what_the_rules_do_not_allow_is_named() {
        let board = "2 2 0/0 0 0/0 0 0";
        let of = |next, score| seen(board, Direction::Left, next, score).unwrap_err().to_string();
        assert_eq!(of("4 0 0/0 0 0/0 0 0", None), "no tile appeared");
        assert_eq!(of("4 2 0/0 2 0/0 0 0", None), "2 tiles appeared instead of one");
        assert_eq!(of("8 2 0/0 0 0/0 0 0", None), "row 1, column 1 has 8 where 4 belongs");
        assert_eq!(of("4 8 0/0 0 0/0 0 0", None), "a tile 8 appeared, but only 2 and 4 can");
        assert_eq!(of("4 2 0/0 0 0/0 0 0", Some(8)), "the score is 8 where 4 belongs");
        assert_eq!(of("4 2/0 0", None), "the board was 3x3 and is 2x2");
        let up = seen(board, Direction::Up, "2 2 0/0 2 0/0 0 0", None).unwrap_err().to_string();
        assert_eq!(up, "up does not change the board");
        assert!(seen(board, Direction::Left, "4 2 0/0 0 0/0 0 0", Some(4)).is_ok());
    }
}
