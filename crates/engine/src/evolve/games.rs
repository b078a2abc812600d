//! The games that judge programs: the same as any player's, on packed boards.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::compiled::Scorer;
use super::directions::{DirectionsPlayer, Runner, Senses};
use super::program::{Program, Style};
use super::reward_player::RewardPlayer;
use crate::arena::{Limits, play_game};
use crate::board::{Direction, Packed, TOP_PACKED_RANK, tile_of};
use crate::game::{Game, Player, Rules, SpawnSource, Stream};
use crate::parallel;

/// How a game of a program went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The score.
    pub score: u64,
    /// The largest tile.
    pub largest: u64,
    /// The sum of the tiles.
    pub sum: u64,
    /// The moves.
    pub moves: u64,
}

/// Plays a game by the original rules for each seed: an evaluator takes the move whose afterstate it values most.
pub fn play_games(program: &Program, seeds: impl Iterator<Item = u64>) -> Vec<Played> {
    let rules = Rules::default();
    match program.style() {
        Style::Directions(_) => {
            let Some(runner) = Runner::new(program) else { return Vec::new() };
            let play = |seed: u64| {
                let luck = Stream::player(seed);
                let quick = quick_game(&rules, seed, |board, turn| {
                    let (senses, slides) = Senses::of_packed(board);
                    let direction = runner.choose(senses, luck, turn)?;
                    slides.afters[direction.index()].map(|after| (after, slides.reward(direction)))
                });
                quick.unwrap_or_else(|| plain_game(program, &rules, seed))
            };
            seeds.map(play).collect()
        }
        Style::Evaluator => {
            let mut scorer = Scorer::new(program);
            let mut play = |seed: u64| {
                let quick = quick_game(&rules, seed, |board, _| {
                    let slides = board.slide_all();
                    let mut best: Option<(f32, _)> = None;
                    for direction in Direction::ALL {
                        let Some(after) = slides.afters[direction.index()] else { continue };
                        let reward = slides.reward(direction);
                        let value = scorer.value(after, reward);
                        if best.is_none_or(|(most, _)| value > most) {
                            best = Some((value, (after, reward)));
                        }
                    }
                    best.map(|(_, choice)| choice)
                });
                quick.unwrap_or_else(|| plain_game(program, &rules, seed))
            };
            seeds.map(&mut play).collect()
        }
    }
}

/// Plays the games of many seeds on several threads, in the order of the seeds; `None` if `cancel` was raised before the end.
pub fn play_many(
    program: &Program,
    seeds: Range<u64>,
    threads: usize,
    cancel: &AtomicBool,
) -> Option<Vec<Played>> {
    // What a program has worked out about lines serves all games of a piece.
    const PIECE: u64 = 50;
    let starts: Vec<u64> = seeds.clone().step_by(PIECE as usize).collect();
    let games = parallel::map(starts.len(), threads, cancel, |piece| {
        let start = starts[piece];
        play_games(program, start..start.saturating_add(PIECE).min(seeds.end))
    })?;
    Some(games.into_iter().flatten().collect())
}

/// A game on packed boards; `None` as soon as a tile is as large as they can hold.
fn quick_game(
    rules: &Rules,
    seed: u64,
    mut choose: impl FnMut(Packed, u64) -> Option<(crate::board::PackedAfter, u32)>,
) -> Option<Played> {
    let spawns = SpawnSource::new(rules, seed);
    let mut board = Packed::pack(Game::new(rules.clone(), seed).board()).ok()?;
    let (mut score, mut turn) = (0, 0);
    while let Some((after, reward)) = choose(board, turn) {
        score += u64::from(reward);
        board = spawns.apply_packed(turn + SpawnSource::AFTER_FIRST_MOVE, after)?;
        turn += 1;
        if reward >= 1 << TOP_PACKED_RANK && board.max_rank() >= TOP_PACKED_RANK {
            return None;
        }
    }
    let ranks = || (0..16).map(|cell| (board.bits() >> (4 * cell) & 0xf) as u8);
    let sum = ranks().map(tile_of).sum();
    Some(Played { score, largest: tile_of(board.max_rank()), sum, moves: turn })
}

/// The same game on exact boards: the slow twin.
fn plain_game(program: &Program, rules: &Rules, seed: u64) -> Played {
    let mut game = Game::new(rules.clone(), seed);
    let mut player: Box<dyn Player> = match DirectionsPlayer::new(program) {
        Some(player) => Box::new(player),
        None => Box::new(RewardPlayer::new(program.clone())),
    };
    let result = play_game(&mut game, &mut player, &Limits::default()).expect("the player plays every game");
    Played {
        score: result.score,
        largest: result.largest,
        sum: u64::try_from(result.sum).unwrap_or(u64::MAX),
        moves: result.moves,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::Dice;
    use crate::evolve::testing::{directions, evaluators};

    #[test]
    fn packed_games_are_those_of_the_player() {
        for seed in 0..12 {
            let dice = &mut Dice::new(seed, 0, 0);
            let gardens = [directions(1), directions(4), evaluators(1)];
            for program in gardens.map(|garden| garden.grow(dice)) {
                let quick = play_games(&program, seed..seed + 3);
                let plain: Vec<Played> =
                    (seed..seed + 3).map(|seed| plain_game(&program, &Rules::default(), seed)).collect();
                assert_eq!(quick, plain, "{program}");
            }
        }
    }

    #[test]
    fn many_games_are_the_same_on_any_number_of_threads() {
        let program: Program = "(evaluator (value empty))".parse().unwrap();
        let one_by_one = play_games(&program, 3..123);
        let go_on = AtomicBool::new(false);
        assert_eq!(play_many(&program, 3..123, 1, &go_on).as_ref(), Some(&one_by_one));
        assert_eq!(play_many(&program, 3..123, 8, &go_on), Some(one_by_one));
        assert_eq!(play_many(&program, 3..123, 8, &AtomicBool::new(true)), None);
    }

    #[test]
    fn a_program_that_wants_points_is_greedy() {
        let program: Program = "(evaluator (value reward))".parse().unwrap();
        let games = play_games(&program, 1..1001);
        let mean = games.iter().map(|game| game.score as f64).sum::<f64>() / games.len() as f64;
        // The player `greedy`: 3,108 over 200,000 games, one game spreads by about 1,600.
        assert!((mean - 3108.0).abs() < 200.0, "{mean}");
    }
}
