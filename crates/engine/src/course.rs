//! The rules of a course assignment in which students' programs play 2048: the meaning of a
//! program's answers, and the start grids.
//!
//! The assignment is CS 165A, Artificial Intelligence, Fall 2021, Machine Problem 2.
//! [`Rules::COURSE`] are the rules of its games. The grading itself is in `lab2048 grade`.

use std::collections::HashSet;

use crate::board::Direction;
use crate::game::{Action, Game, Rules};

/// The number of grids with two 2-tiles on 16 cells.
const DIFFERENT_GRIDS: usize = 16 * 15 / 2;

/// The action of a program's answer: 0 up, 1 down, 2 left, 3 right, 4 quit. Any other integer is a
/// pass.
pub const fn action(code: i64) -> Action {
    match code {
        0 => Action::Move(Direction::Up),
        1 => Action::Move(Direction::Down),
        2 => Action::Move(Direction::Left),
        3 => Action::Move(Direction::Right),
        4 => Action::Quit,
        _ => Action::Pass,
    }
}

/// The games of a grading, each from a different grid. Seeds are used in order from `first` on; a
/// seed whose grid was used before is skipped. Grids repeat only after all 120 were used.
pub fn games(first: u64) -> impl Iterator<Item = Game> {
    let mut met = HashSet::new();
    (first..=u64::MAX).map(|seed| Game::new(Rules::COURSE, seed)).filter(move |game| {
        if met.len() == DIFFERENT_GRIDS {
            met.clear();
        }
        met.insert(game.board().clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_codes() {
        let moves = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];
        for (code, direction) in (0..).zip(moves) {
            assert_eq!(action(code), Action::Move(direction));
        }
        assert_eq!(action(4), Action::Quit);
        for code in [-1, 5, 6, i64::MIN, i64::MAX] {
            assert_eq!(action(code), Action::Pass);
        }
    }

    #[test]
    fn every_game_starts_from_another_grid_of_two_twos() {
        let grids = |first: u64, count: usize| -> Vec<String> {
            games(first).take(count).map(|game| game.board().to_string()).collect()
        };
        for first in [1, 2, 1000] {
            let all = grids(first, 2 * DIFFERENT_GRIDS);
            for round in all.chunks(DIFFERENT_GRIDS) {
                assert_eq!(round.iter().collect::<HashSet<_>>().len(), DIFFERENT_GRIDS);
            }
            assert_eq!(grids(first, 10), all[..10], "a longer list begins with the same games");
        }
        for game in games(7).take(DIFFERENT_GRIDS) {
            let grid = game.board().to_grid();
            let mut tiles: Vec<u64> = grid.rows().flatten().copied().collect();
            tiles.sort_unstable();
            assert_eq!((tiles.len(), &tiles[13..]), (16, &[0, 2, 2][..]));
        }
        assert_eq!(games(u64::MAX).count(), 1, "the last seed ends the list");
    }

    // A full board on which only left and right move, and one with room:
    //   2  2  4  8        2  0  0  0
    //  16 32 64  2        0  0  0  0
    //   4  8 16 32        0  0  0  0
    //  64  2  4  8        2  0  0  0
    #[test]
    fn a_move_that_does_nothing_still_gets_a_tile_and_ends_the_game_where_there_is_no_room() {
        use crate::game::Ending;

        let game = |text: &str| Game::from_board(Rules::COURSE, 1, text.parse().unwrap());
        for code in [2, 5, -1, i64::MAX] {
            let mut open = game("2 0 0 0/0 0 0 0/0 0 0 0/2 0 0 0");
            let turn = open.play(action(code)).unwrap();
            assert_eq!((turn.action, open.ending()), (Action::Pass, None));
            assert_eq!(open.board().empty_count(), 13, "the tiles stay and one appears");
        }
        let full = "2 2 4 8/16 32 64 2/4 8 16 32/64 2 4 8";
        for code in [0, 1, 7] {
            let mut game = game(full);
            let before = game.board().clone();
            game.play(action(code)).unwrap();
            assert_eq!((game.ending(), game.board()), (Some(Ending::NoRoom), &before), "code {code}");
        }
        let mut moved = game(full);
        moved.play(action(2)).unwrap();
        assert_ne!(moved.ending(), Some(Ending::NoRoom));
        assert_eq!(moved.turns(), 1);
        let mut quit = game(full);
        quit.play(action(4)).unwrap();
        assert_eq!(quit.ending(), Some(Ending::Quit));
    }
}
