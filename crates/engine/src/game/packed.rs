//! A running game on packed boards.

use super::{Game, Rules, SpawnSource};
use crate::board::{Board, Packed, PackedAfter, TOP_PACKED_RANK};

/// A running game on packed boards. It plays exactly as [`Game`] does while packed slides are
/// exact. The caller slides the board and chooses a move; the game adds the score and the spawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedGame<const R: usize = 4, const C: usize = 4> {
    board: Packed<R, C>,
    spawns: SpawnSource,
    score: u64,
    turns: u64,
}

/// The result of a turn of a packed game.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    /// A tile appeared. Slides of the new board are exact.
    Spawned,
    /// A tile appeared, and two tiles of 32768 are on the board. Packed slides do not merge them,
    /// so only the exact game can continue.
    Outgrown,
    /// No cell was empty for the spawn: the game is over.
    NoRoom,
}

impl<const R: usize, const C: usize> PackedGame<R, C> {
    /// An upper bound for the points of a packed game. There are at most sixteen tiles, each worth
    /// less than 15 times 32768 points, because a tile of rank r is worth at most (r - 1) * 2^r
    /// points.
    const MOST_POINTS: u64 = (16 * 15) << TOP_PACKED_RANK;

    /// The packed form of a game. `None` if the game is over, has another size or has no exact
    /// packed form, or if its score could exceed 64 bits.
    pub(crate) fn of(game: &Game) -> Option<Self> {
        if game.ending().is_some() || game.score() > u64::MAX - Self::MOST_POINTS {
            return None;
        }
        let board = Packed::pack(game.board()).ok()?;
        Some(PackedGame { board, spawns: game.spawns(), score: game.score(), turns: game.turns() })
    }

    /// The current board.
    #[inline]
    pub(crate) fn board(&self) -> Packed<R, C> {
        self.board
    }

    /// The sum of all merged tiles.
    #[inline]
    pub(crate) fn score(&self) -> u64 {
        self.score
    }

    /// The turns played so far.
    #[inline]
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// Plays a turn. `after` is the result of a slide and `reward` the sum of the merged tiles. For
    /// a pass, `after` is the unchanged board and `reward` is 0.
    #[inline]
    pub(crate) fn play(&mut self, after: PackedAfter<R, C>, reward: u32) -> TurnEnd {
        let number = self.turns + SpawnSource::AFTER_FIRST_MOVE;
        self.turns += 1;
        let Some(board) = self.spawns.apply_packed(number, after) else { return TurnEnd::NoRoom };
        self.board = board;
        self.score += u64::from(reward);
        // A second 32768 can only come from a merge that makes a 32768.
        if reward >= 1 << TOP_PACKED_RANK && !board.slides_exactly() {
            return TurnEnd::Outgrown;
        }
        TurnEnd::Spawned
    }

    /// The same game on exact boards, with its rules and seed.
    pub(crate) fn exact(&self, rules: Rules, seed: u64) -> Game {
        Game::resumed(rules, seed, Board::from_packed(self.board), self.score, self.turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Direction;
    use crate::game::{Action, Ending, Stream};

    /// Plays the same moves in both games until one cannot continue, and compares them after every
    /// turn.
    fn play_both<const R: usize, const C: usize>(mut exact: Game, luck: Stream) -> Option<TurnEnd> {
        let mut packed = PackedGame::<R, C>::of(&exact).unwrap();
        loop {
            let slides = packed.board().slide_all();
            let ways = Direction::ALL.into_iter().filter(|way| slides.afters[way.index()].is_some());
            let ways: Vec<Direction> = ways.collect();
            if ways.is_empty() {
                assert_eq!(exact.ending(), Some(Ending::NoMoves));
                return None;
            }
            let way = ways[luck.below(packed.turns(), ways.len())];
            exact.play(Action::Move(way)).unwrap();
            let played = packed.play(slides.afters[way.index()].unwrap(), slides.reward(way));
            assert_eq!(packed.exact(exact.rules().clone(), exact.seed()), exact);
            if played != TurnEnd::Spawned {
                return Some(played);
            }
        }
    }

    #[test]
    fn packed_games_are_those_of_the_exact_game() {
        for seed in 0..50 {
            let luck = Stream::with_purpose(seed, 78);
            assert_eq!(play_both::<4, 4>(Game::new(Rules::default(), seed), luck), None);
            let small = Rules { size: "2x3".parse().unwrap(), ..Rules::default() };
            assert_eq!(play_both::<2, 3>(Game::new(small, seed), luck), None);
        }
    }

    #[test]
    fn two_tiles_of_32768_are_told() {
        // A move to the left or right makes the second 32768.
        let board: Board = "32768 16384 16384 0/0 0 0 0/0 0 0 0/0 0 0 0".parse().unwrap();
        let ends = (0..20).map(|seed| {
            let game = Game::from_board(Rules::default(), seed, board.clone());
            play_both::<4, 4>(game, Stream::with_purpose(seed, 79))
        });
        assert!(ends.filter(|&end| end == Some(TurnEnd::Outgrown)).count() > 10);
    }

    #[test]
    fn what_packed_games_cannot_play_is_left_to_the_exact_one() {
        let packs = |text: &str, score: u64| {
            let board: Board = text.parse().unwrap();
            PackedGame::<4, 4>::of(&Game::resumed(Rules::default(), 1, board, score, 0)).is_some()
        };
        let open = "32768 16384 16384 0/0 0 0 0/0 0 0 0/0 0 0 0";
        assert!(packs(open, 0) && packs(open, 1 << 63));
        assert!(!packs(open, u64::MAX - 100_000));
        assert!(!packs("32768 32768 0 0/0 0 0 0/0 0 0 0/0 0 0 0", 0));
        assert!(!packs("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2", 0), "the game is over");
        assert!(!packs("2 4/0 0", 0), "another size");
    }
}
