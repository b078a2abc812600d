//! Many games stepped together, for learners that need millions of steps per second.
//!
//! Every game is played exactly as [`Game`] plays it: on packed boards while they fit, otherwise
//! (two tiles of 32768, or a board larger than 4x4) as a [`Game`].

use std::fmt;

use thiserror::Error;

use super::{Action, Game, IdleMove, IllegalTurn, PackedGame, Rules, Stream, TurnEnd};
use crate::board::{Direction, Directions, Size, WithSides, rank_of};
use crate::parallel;

/// The purpose of the stream for the seeds of a lane's later games ("lane" in ASCII).
const LATER_GAMES: u64 = 0x6c61_6e65;

/// The number of lanes that a thread takes at a time, which take 0.3 ms. Threads are started for
/// each step. With fewer lanes they gained nothing, and on a busy machine they lost time.
const SHARE: usize = 4096;

/// A number of lanes. Each lane plays one game after another.
#[derive(Debug)]
pub struct Batch {
    rules: Rules,
    lanes: Box<dyn Lanes>,
    threads: usize,
}

impl Clone for Batch {
    fn clone(&self) -> Batch {
        Batch { rules: self.rules.clone(), lanes: self.lanes.copy(), threads: self.threads }
    }
}

/// The state after a step: one entry per lane, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The ranks of the boards, one board after another, each row by row.
    pub ranks: Vec<u8>,
    /// The sum of the tiles that the step merged.
    pub rewards: Vec<f64>,
    /// Whether the action changed the board.
    pub moved: Vec<bool>,
    /// Whether the game is over.
    pub over: Vec<bool>,
    /// The legal moves: four entries for each lane, in the order of [`Direction::ALL`].
    pub legal: Vec<bool>,
    /// The scores.
    pub scores: Vec<u64>,
}

/// The number of actions differs from the number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there are {lanes} games, but {actions} actions")]
pub struct WrongCount {
    /// The lanes.
    pub lanes: usize,
    /// The actions.
    pub actions: usize,
}

#[derive(Clone, Debug)]
struct Lane<const R: usize, const C: usize> {
    first_seed: u64,
    seed: u64,
    /// The number of games started in this lane.
    games: u64,
    held: Held<R, C>,
    over: bool,
}

/// A running game in the fastest form that can hold it.
#[derive(Clone, Debug)]
enum Held<const R: usize, const C: usize> {
    Packed(PackedGame<R, C>),
    Exact(Box<Game>),
}

/// The effect of a step in one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Step {
    reward: u64,
    moved: bool,
}

impl Batch {
    /// One lane per seed. Its first game is `Game::new(rules, seed)`; the seeds of its later games
    /// are derived from it. A step uses up to `threads` threads.
    pub fn new(rules: Rules, seeds: &[u64], threads: usize) -> Batch {
        let new = NewLanes { rules: &rules, seeds };
        // Larger boards are never packed, so any sides will do.
        let lanes = rules.size.with_sides(new).unwrap_or_else(|| new.with_sides::<4, 4>());
        Batch { rules, lanes, threads: threads.max(1) }
    }

    /// The number of lanes.
    pub fn len(&self) -> usize {
        self.lanes.count()
    }

    /// Whether there are no lanes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The seeds of the current games.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        self.lanes.seeds()
    }

    /// The current state, without a step.
    pub fn see(&self) -> Seen {
        let mut seen = Seen::for_lanes(self.len(), self.rules.size);
        self.lanes.show(self.rules.size, &mut seen);
        seen
    }

    /// Plays one action in each lane. A move that changes nothing does what the rules say: nothing,
    /// or a pass. If a game was over before the step, the next game starts instead and the action
    /// is ignored.
    pub fn step(&mut self, actions: &[Direction]) -> Result<Seen, WrongCount> {
        if actions.len() != self.len() {
            return Err(WrongCount { lanes: self.len(), actions: actions.len() });
        }
        let mut seen = Seen::for_lanes(self.len(), self.rules.size);
        let share = if self.threads == 1 { self.len().max(1) } else { SHARE };
        let parts = self.lanes.parts(share, &self.rules, actions, &mut seen);
        let threads = self.threads.min(parts.len());
        parallel::for_each(parts.into_iter(), threads, || |part: Part<'_>| part());
        Ok(seen)
    }
}

/// The output of one lane.
struct Place<'a> {
    ranks: &'a mut [u8],
    reward: &'a mut f64,
    moved: &'a mut bool,
    over: &'a mut bool,
    legal: &'a mut [bool],
    score: &'a mut u64,
}

/// The output of several lanes.
struct Places<'a> {
    ranks: &'a mut [u8],
    rewards: &'a mut [f64],
    moved: &'a mut [bool],
    over: &'a mut [bool],
    legal: &'a mut [bool],
    scores: &'a mut [u64],
}

impl<'a> Places<'a> {
    fn each(self, size: Size) -> impl Iterator<Item = Place<'a>> {
        let ranks = self.ranks.chunks_exact_mut(size.cells());
        let figures = self.rewards.iter_mut().zip(self.scores);
        let flags = self.moved.iter_mut().zip(self.over).zip(self.legal.chunks_exact_mut(4));
        ranks.zip(figures).zip(flags).map(|((ranks, (reward, score)), ((moved, over), legal))| Place {
            ranks,
            reward,
            moved,
            over,
            legal,
            score,
        })
    }
}

impl Seen {
    fn for_lanes(lanes: usize, size: Size) -> Seen {
        Seen {
            ranks: vec![0; lanes * size.cells()],
            rewards: vec![0.0; lanes],
            moved: vec![false; lanes],
            over: vec![false; lanes],
            legal: vec![false; lanes * 4],
            scores: vec![0; lanes],
        }
    }

    fn places(&mut self, size: Size) -> impl Iterator<Item = Place<'_>> {
        let lanes = self.over.len().max(1);
        self.parts(lanes, size).flat_map(move |places| places.each(size))
    }

    /// The output of all lanes in parts of `share` lanes.
    fn parts(&mut self, share: usize, size: Size) -> impl Iterator<Item = Places<'_>> {
        let ranks = self.ranks.chunks_mut(share * size.cells());
        let figures = self.rewards.chunks_mut(share).zip(self.scores.chunks_mut(share));
        let flags = self.moved.chunks_mut(share).zip(self.over.chunks_mut(share));
        let flags = flags.zip(self.legal.chunks_mut(share * 4));
        ranks.zip(figures).zip(flags).map(|((ranks, (rewards, scores)), ((moved, over), legal))| Places {
            ranks,
            rewards,
            moved,
            over,
            legal,
            scores,
        })
    }
}

/// A part of a step: it steps some lanes and writes their output.
type Part<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The lanes of a batch. The size of the boards is part of the type, so it is chosen once for all
/// steps.
trait Lanes: fmt::Debug + Send + Sync {
    fn copy(&self) -> Box<dyn Lanes>;

    fn count(&self) -> usize;

    /// The seeds of the current games.
    fn seeds(&self) -> Box<dyn Iterator<Item = u64> + '_>;

    /// Writes the current state of every lane.
    fn show(&self, size: Size, seen: &mut Seen);

    /// The work of a step in parts of `share` lanes.
    fn parts<'a>(
        &'a mut self,
        share: usize,
        rules: &'a Rules,
        actions: &'a [Direction],
        seen: &'a mut Seen,
    ) -> Vec<Part<'a>>;
}

/// The lanes of a new batch.
#[derive(Clone, Copy)]
struct NewLanes<'a> {
    rules: &'a Rules,
    seeds: &'a [u64],
}

impl WithSides for NewLanes<'_> {
    type Output = Box<dyn Lanes>;

    fn with_sides<const R: usize, const C: usize>(self) -> Box<dyn Lanes> {
        Box::new(self.seeds.iter().map(|&seed| Lane::<R, C>::new(self.rules, seed)).collect::<Vec<_>>())
    }
}

impl<const R: usize, const C: usize> Lanes for Vec<Lane<R, C>> {
    fn copy(&self) -> Box<dyn Lanes> {
        Box::new(self.clone())
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn seeds(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        Box::new(self.iter().map(|lane| lane.seed))
    }

    fn show(&self, size: Size, seen: &mut Seen) {
        for (lane, place) in self.iter().zip(seen.places(size)) {
            lane.show(place);
        }
    }

    fn parts<'a>(
        &'a mut self,
        share: usize,
        rules: &'a Rules,
        actions: &'a [Direction],
        seen: &'a mut Seen,
    ) -> Vec<Part<'a>> {
        let parts = self.chunks_mut(share).zip(actions.chunks(share)).zip(seen.parts(share, rules.size));
        let part = |((lanes, actions), places): ((&'a mut [Lane<R, C>], _), _)| -> Part<'a> {
            Box::new(move || step_lanes(rules, lanes, actions, places))
        };
        parts.map(part).collect()
    }
}

fn step_lanes<const R: usize, const C: usize>(
    rules: &Rules,
    lanes: &mut [Lane<R, C>],
    actions: &[Direction],
    places: Places<'_>,
) {
    for ((lane, &action), place) in lanes.iter_mut().zip(actions).zip(places.each(rules.size)) {
        let step = lane.step(rules, action);
        *place.reward = step.reward as f64;
        *place.moved = step.moved;
        lane.show(place);
    }
}

impl<const R: usize, const C: usize> Lane<R, C> {
    fn new(rules: &Rules, seed: u64) -> Self {
        Lane { first_seed: seed, seed, games: 1, held: Held::fresh(rules, seed), over: false }
    }

    fn start_next(&mut self, rules: &Rules) {
        let later = Stream::with_purpose(self.first_seed, LATER_GAMES);
        self.seed = later.draw(self.games - 1);
        self.games += 1;
        self.held = Held::fresh(rules, self.seed);
        self.over = false;
    }

    fn step(&mut self, rules: &Rules, direction: Direction) -> Step {
        if self.over {
            self.start_next(rules);
            return Step::default();
        }
        let game = match &mut self.held {
            Held::Packed(game) => game,
            Held::Exact(game) => {
                let (step, over) = step_exact(game, direction);
                self.over = over;
                return step;
            }
        };
        let (after, reward, moved) = match game.board().slide(direction) {
            Some((after, reward)) => (after, reward, true),
            None if rules.idle == IdleMove::Refused => return Step::default(),
            None => (game.board().pass(), 0, false),
        };
        self.over = match game.play(after, reward) {
            TurnEnd::Spawned => !game.board().has_moves(),
            TurnEnd::NoRoom => true,
            TurnEnd::Outgrown => {
                let exact = game.exact(rules.clone(), self.seed);
                let over = exact.ending().is_some();
                self.held = Held::Exact(Box::new(exact));
                over
            }
        };
        Step { reward: reward.into(), moved }
    }

    /// Writes the current state of the lane.
    fn show(&self, place: Place<'_>) {
        *place.over = self.over;
        let (score, legal) = match &self.held {
            Held::Packed(game) => {
                let board = game.board();
                for (row, ranks) in place.ranks.chunks_exact_mut(C).enumerate() {
                    for (col, rank) in ranks.iter_mut().enumerate() {
                        *rank = board.rank(row, col);
                    }
                }
                (game.score(), if self.over { Directions::NONE } else { board.legal_moves() })
            }
            Held::Exact(game) => {
                for (rank, tile) in place.ranks.iter_mut().zip(game.board().tiles()) {
                    *rank = rank_of(tile).expect("2, 4 and their merges are powers of two");
                }
                let legal = if self.over { Directions::NONE } else { game.board().legal_moves() };
                (game.score(), legal)
            }
        };
        *place.score = score;
        for (direction, is_legal) in Direction::ALL.into_iter().zip(place.legal) {
            *is_legal = legal.contains(direction);
        }
    }
}

impl<const R: usize, const C: usize> Held<R, C> {
    fn fresh(rules: &Rules, seed: u64) -> Self {
        let game = Game::new(rules.clone(), seed);
        PackedGame::of(&game).map_or_else(|| Held::Exact(Box::new(game)), Held::Packed)
    }
}

/// Plays a turn. The second value tells whether the game is over.
fn step_exact(game: &mut Game, direction: Direction) -> (Step, bool) {
    let step = match game.play(Action::Move(direction)) {
        Ok(turn) => Step { reward: turn.reward, moved: turn.action == Action::Move(direction) },
        Err(IllegalTurn::Idle(_)) => Step::default(),
        // The only other error is a number beyond 64 bits, and a tile of 2^63 takes at least 2^61
        // moves.
        Err(error) => unreachable!("a running game accepts every direction: {error}"),
    };
    (step, game.ending().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    /// The slow reference: lanes of plain games.
    struct Slow {
        rules: Rules,
        lanes: Vec<(u64, u64, Game)>,
    }

    impl Slow {
        fn new(rules: &Rules, seeds: &[u64]) -> Slow {
            let lane = |&seed: &u64| (seed, 0, Game::new(rules.clone(), seed));
            Slow { rules: rules.clone(), lanes: seeds.iter().map(lane).collect() }
        }

        fn step(&mut self, actions: &[Direction]) -> Seen {
            let mut seen = Seen::default();
            for ((first, later, game), &action) in self.lanes.iter_mut().zip(actions) {
                let (mut reward, mut moved) = (0, false);
                if game.ending().is_some() {
                    *game =
                        Game::new(self.rules.clone(), Stream::with_purpose(*first, LATER_GAMES).draw(*later));
                    *later += 1;
                } else if let Ok(turn) = game.play(Action::Move(action)) {
                    (reward, moved) = (turn.reward, turn.action == Action::Move(action));
                }
                let over = game.ending().is_some();
                seen.ranks.extend(game.board().tiles().map(|tile| rank_of(tile).unwrap()));
                seen.rewards.push(reward as f64);
                seen.moved.push(moved);
                seen.over.push(over);
                let legal = game.board().legal_moves();
                seen.legal.extend(Direction::ALL.map(|direction| !over && legal.contains(direction)));
                seen.scores.push(game.score());
            }
            seen
        }
    }

    fn actions(lanes: usize, round: u64) -> Vec<Direction> {
        let luck = Stream::with_purpose(round, 77);
        (0..lanes as u64).map(|lane| Direction::ALL[luck.below(lane, 4)]).collect()
    }

    #[test]
    fn every_size_and_rule_steps_as_single_games_do() {
        for (rows, cols) in
            [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4), (5, 5), (3, 6)]
        {
            for rules in [Rules::ORIGINAL, Rules::COURSE] {
                let rules = Rules { size: Size::new(rows, cols).unwrap(), ..rules };
                let seeds: Vec<u64> = (100..120).collect();
                let mut batch = Batch::new(rules.clone(), &seeds, 1);
                let mut slow = Slow::new(&rules, &seeds);
                let mut ended = 0;
                for round in 0..300 {
                    let actions = actions(seeds.len(), round);
                    let seen = batch.step(&actions).unwrap();
                    assert_eq!(seen, slow.step(&actions), "{rows}x{cols}, round {round}");
                    ended += seen.over.iter().filter(|&&over| over).count();
                    let still = Seen { rewards: vec![0.0; 20], moved: vec![false; 20], ..seen };
                    assert_eq!(batch.see(), still);
                }
                assert!(ended > 0 || rows * cols > 16, "{rows}x{cols}: no game ended");
            }
        }
    }

    #[test]
    fn threads_change_nothing() {
        let seeds: Vec<u64> = (0..3 * SHARE as u64 + 7).collect();
        let mut one = Batch::new(Rules::default(), &seeds, 1);
        let mut three = Batch::new(Rules::default(), &seeds, 3);
        for round in 0..40 {
            let actions = actions(seeds.len(), round);
            assert_eq!(one.step(&actions), three.step(&actions));
        }
    }

    /// A lane with this game.
    fn lane_of(game: &Game) -> Lane<4, 4> {
        let (seed, held) = (game.seed(), Held::Packed(PackedGame::of(game).unwrap()));
        Lane { first_seed: seed, seed, games: 1, held, over: false }
    }

    /// ```text
    /// 16384 16384 2  8      left makes a second 32768 and fills the board; the only move left
    /// 32768     8 16 32     merges the two
    ///     2     4  8 16
    ///     4     8 16 32
    /// ```
    #[test]
    fn a_game_with_two_tiles_of_32768_to_merge_is_not_over() {
        let board: Board = "16384 16384 2 8/32768 8 16 32/2 4 8 16/4 8 16 32".parse().unwrap();
        let mut lane = lane_of(&Game::from_board(Rules::default(), 1, board));
        assert_eq!(lane.step(&Rules::default(), Direction::Left), Step { reward: 32768, moved: true });
        let mut seen = Seen::for_lanes(1, Size::FOUR);
        lane.show(seen.places(Size::FOUR).next().unwrap());
        assert_eq!((seen.over, seen.legal), (vec![false], vec![true, false, true, false]));
        assert_eq!(lane.step(&Rules::default(), Direction::Up), Step { reward: 65536, moved: true });
    }

    /// ```text
    /// 16384 16384 32768 .      left makes a second 32768, and left again a 65536,
    ///     .     .     . .      which no packed board holds
    /// ```
    #[test]
    fn tiles_beyond_32768_are_exact() {
        let board: Board = "16384 16384 32768 0/0 0 0 0/0 0 0 0/0 0 0 0".parse().unwrap();
        let mut game = Game::from_board(Rules::default(), 5, board);
        let mut lane = lane_of(&game);
        for direction in [Direction::Left, Direction::Left, Direction::Down, Direction::Right] {
            let step = lane.step(&Rules::default(), direction);
            let turn = game.play(Action::Move(direction)).unwrap();
            assert_eq!(step, Step { reward: turn.reward, moved: true });
            let mut seen = Seen::for_lanes(1, Size::FOUR);
            lane.show(seen.places(Size::FOUR).next().unwrap());
            let ranks: Vec<u8> = game.board().tiles().map(|tile| rank_of(tile).unwrap()).collect();
            assert_eq!((seen.ranks, seen.scores), (ranks, vec![game.score()]));
        }
        assert_eq!(game.board().largest(), 65536);
    }

    #[test]
    fn actions_must_be_as_many_as_lanes() {
        let mut batch = Batch::new(Rules::default(), &[1, 2], 2);
        let error = batch.step(&[Direction::Up]).unwrap_err();
        assert_eq!(error.to_string(), "there are 2 games, but 1 actions");
        assert_eq!(Batch::new(Rules::default(), &[], 2).step(&[]), Ok(Seen::default()));
    }

    #[test]
    fn the_seeds_of_a_lane_are_its_own() {
        let mut lane = Lane::<4, 4>::new(&Rules::default(), 9);
        let seeds: Vec<u64> = (0..3)
            .map(|_| {
                let seed = lane.seed;
                lane.start_next(&Rules::default());
                seed
            })
            .collect();
        assert_eq!(seeds[0], 9);
        assert!(seeds[1] != seeds[2] && !seeds[1..].contains(&9));
    }
}
