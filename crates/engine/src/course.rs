//! The rules of a course assignment that has 2048 played by students' programs: what the codes of a program's answers
//! mean, which grids its games start from, and what comes out in marks.
//!
//! The assignment: CS 165A, Artificial Intelligence, Fall 2021, Machine Problem 2. How a game goes on is
//! [`Rules::COURSE`]; this module is about everything around it.

use std::collections::HashSet;

use crate::board::Direction;
use crate::game::{Action, Game, Rules};

/// The games of a grading.
pub const GAMES: u64 = 10;

/// The seconds within which all games of a grading must end: 40 minutes.
pub const SECONDS: u64 = 40 * 60;

/// Game score (the mean of the largest tiles) and the percentage for it; in between, percentages lie on a line.
/// Below the first one there is nothing, above the last one nothing more.
const TABLE: [(f64, f64); 4] = [(128.0, 20.0), (1024.0, 80.0), (2048.0, 100.0), (2500.0, 110.0)];

/// The shares of report, code and play in the marks.
const WEIGHTS: [f64; 3] = [0.2, 0.2, 0.6];

/// How many grids with two 2-tiles there are: 16 cells, 2 of them taken.
const DIFFERENT_GRIDS: usize = 16 * 15 / 2;

/// What a program's answer means: 0 up, 1 down, 2 left, 3 right, 4 quit; any other integer does nothing.
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

/// The games of a grading, each from another grid: the games with the seeds from `first` on, without those that start
/// from a grid that was there before. After all 120 grids they may come again.
pub fn games(first: u64) -> impl Iterator<Item = Game> {
    let mut met = HashSet::new();
    (first..=u64::MAX).map(|seed| Game::new(Rules::COURSE, seed)).filter(move |game| {
        if met.len() == DIFFERENT_GRIDS {
            met.clear();
        }
        met.insert(game.board().clone())
    })
}

/// The percentage for play that a game score, the mean of the largest tiles, is worth: 0 to 110.
///
/// ```
/// use lab2048::course::play_percent;
///
/// assert_eq!(play_percent(127.9), 0.0);
/// assert_eq!(play_percent(576.0), 50.0);
/// assert_eq!(play_percent(14_000.0), 110.0);
/// ```
pub fn play_percent(game_score: f64) -> f64 {
    let (_, most) = TABLE[TABLE.len() - 1];
    let within = TABLE.windows(2).find(|pair| game_score < pair[1].0);
    match within {
        None if game_score.is_nan() => 0.0,
        None => most,
        Some(pair) if game_score < pair[0].0 => 0.0,
        Some(pair) => {
            let ((low, least), (high, most)) = (pair[0], pair[1]);
            least + (most - least) * (game_score - low) / (high - low)
        }
    }
}

/// The parts of a mark, each in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marks {
    /// The report.
    pub report: f64,
    /// Executable code that matches the specification.
    pub code: f64,
    /// Play, see [`play_percent`].
    pub play: f64,
}

impl Marks {
    /// The mark of the assignment in per cent, without a bonus: report 20, code 20, play 60 of a hundred.
    pub fn total(self) -> f64 {
        let [report, code, play] = WEIGHTS;
        report * self.report + code * self.code + play * self.play
    }
}

/// The rank of each game score, 1 being the best; equal scores have the same rank.
pub fn ranks(game_scores: &[f64]) -> Vec<usize> {
    let better = |score: f64| game_scores.iter().filter(|&&other| other > score).count();
    game_scores.iter().map(|&score| better(score) + 1).collect()
}

/// The extra credit of a rank in per cent of the assignment: 50 for the first, 25 for the others among the top three.
/// Only scorers are ranked: who has no game score gets none.
pub fn bonus(rank: usize, game_score: f64) -> f64 {
    match rank {
        _ if game_score <= 0.0 => 0.0,
        1 => 50.0,
        2 | 3 => 25.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_lines_between_its_rows() {
        let cases = [
            (0.0, 0.0),
            (127.999, 0.0),
            (128.0, 20.0),
            (576.0, 50.0),
            (1024.0, 80.0),
            (1536.0, 90.0),
            (2048.0, 100.0),
            (2274.0, 105.0),
            (2500.0, 110.0),
            (2500.001, 110.0),
            (131_072.0, 110.0),
            (f64::INFINITY, 110.0),
            (f64::NAN, 0.0),
        ];
        for (score, percent) in cases {
            assert!((play_percent(score) - percent).abs() < 1e-9, "{score}: {}", play_percent(score));
        }
        let percents: Vec<f64> = (0..3000).map(|score| play_percent(f64::from(score))).collect();
        assert!(percents.is_sorted());
    }

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
            assert_eq!(grids(first, 10), all[..10], "more games begin with the same ones");
        }
        for game in games(7).take(DIFFERENT_GRIDS) {
            let grid = game.board().to_grid();
            let mut tiles: Vec<u64> = grid.rows().flatten().copied().collect();
            tiles.sort_unstable();
            assert_eq!((tiles.len(), &tiles[13..]), (16, &[0, 2, 2][..]));
        }
        assert_eq!(games(u64::MAX).count(), 1, "seeds end");
    }

    #[test]
    fn report_code_and_play_have_their_weights() {
        let total = |report, code, play| Marks { report, code, play }.total();
        assert!((total(100.0, 100.0, 110.0) - 106.0).abs() < 1e-9);
        assert!((total(50.0, 0.0, 0.0) - 10.0).abs() < 1e-9);
        assert!((total(0.0, 100.0, 50.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn equal_scores_share_a_rank_and_its_bonus() {
        let scores = [512.0, 2048.0, 0.0, 2048.0, 1024.0, 256.0];
        let ranks = ranks(&scores);
        assert_eq!(ranks, [4, 1, 6, 1, 3, 5]);
        let bonuses: Vec<f64> = ranks.iter().zip(scores).map(|(&rank, score)| bonus(rank, score)).collect();
        assert_eq!(bonuses, [0.0, 50.0, 0.0, 50.0, 25.0, 0.0]);
        assert_eq!(bonus(1, 0.0), 0.0, "there is no winner without a score");
        assert!(super::ranks(&[]).is_empty());
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
            assert_eq!(open.board().empty_count(), 13, "the grid stays and gets a tile");
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
