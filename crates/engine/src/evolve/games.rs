//! The games that programs are judged by: normal games, played on packed boards for speed.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::compiled::Scorer;
use super::directions::{DirectionsPlayer, Runner, Senses};
use super::program::{Program, Style};
use super::reward_player::RewardPlayer;
use crate::arena::{GameLimits, play_game};
use crate::board::{Direction, Packed, PackedAfter, tile_of};
use crate::game::{Game, GameResult, PackedGame, Player, Rules, Stream, TurnEnd};
use crate::parallel;

/// Plays one game by the original rules for each seed. An evaluator takes the move whose afterstate
/// has the highest value.
pub(crate) fn play_games(program: &Program, seeds: impl Iterator<Item = u64>) -> Vec<GameResult> {
    let rules = Rules::default();
    play_from(program, seeds.map(|seed| Game::new(rules.clone(), seed)))
}

/// Plays games from their current positions to the end.
fn play_from(program: &Program, games: impl Iterator<Item = Game>) -> Vec<GameResult> {
    match program.style() {
        Style::Directions(_) => {
            let Some(runner) = Runner::new(program) else { return Vec::new() };
            let play = |game: Game| {
                let luck = Stream::player(game.seed());
                let quick = quick_game(&game, |board, turn| {
                    let (senses, slides) = Senses::of_packed(board);
                    let direction = runner.choose(senses, luck, turn)?;
                    slides.afters[direction.index()].map(|after| (after, slides.reward(direction)))
                });
                quick.unwrap_or_else(|| plain_game(program, game))
            };
            games.map(play).collect()
        }
        Style::Evaluator => {
            let mut scorer = Scorer::new(program);
            let play = |game: Game| {
                let quick = quick_game(&game, |board, _| {
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
                quick.unwrap_or_else(|| plain_game(program, game))
            };
            games.map(play).collect()
        }
    }
}

/// Plays the games of many seeds on several threads. Results are in the order of the seeds. Returns
/// `None` if `cancel` was set before all games were finished.
pub fn play_many(
    program: &Program,
    seeds: Range<u64>,
    threads: usize,
    cancel: &AtomicBool,
) -> Option<Vec<GameResult>> {
    // All games of a piece share one cache of line values.
    const PIECE: u64 = 50;
    let starts: Vec<u64> = seeds.clone().step_by(PIECE as usize).collect();
    let games = parallel::map(starts.len(), threads, cancel, |piece| {
        let start = starts[piece];
        play_games(program, start..start.saturating_add(PIECE).min(seeds.end))
    })?;
    Some(games.into_iter().flatten().collect())
}

/// A game on packed boards; `None` if a tile becomes too large for them.
fn quick_game(
    start: &Game,
    mut choose: impl FnMut(Packed, u64) -> Option<(PackedAfter, u32)>,
) -> Option<GameResult> {
    let mut game = PackedGame::of(start)?;
    while let Some((after, reward)) = choose(game.board(), game.turns()) {
        if game.play(after, reward) != TurnEnd::Spawned {
            return None;
        }
    }
    let board = game.board();
    let ranks = || (0..16).map(|cell| (board.bits() >> (4 * cell) & 0xf) as u8);
    let sum = ranks().map(|rank| u128::from(tile_of(rank))).sum();
    Some(GameResult { score: game.score(), largest: tile_of(board.max_rank()), sum, moves: game.turns() })
}

/// The same game on exact boards, as fallback and reference.
fn plain_game(program: &Program, mut game: Game) -> GameResult {
    let mut player: Box<dyn Player> = match DirectionsPlayer::new(program) {
        Some(player) => Box::new(player),
        None => Box::new(RewardPlayer::new(program.clone())),
    };
    let played =
        play_game(&mut game, &mut player, &GameLimits::default()).expect("the player plays every game");
    played.result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::evolve::Dice;
    use crate::evolve::testing::{directions, evaluators};

    #[test]
    fn packed_games_are_those_of_the_player() {
        // The first board has one 32768 after a merge, and stays packed. The second one gets two.
        let large: Board = "16384 16384 2 4/0 0 0 0/0 0 0 0/0 0 2 0".parse().unwrap();
        let too_large: Board = "16384 16384 2 4/16384 16384 2 4/0 0 0 0/0 0 2 0".parse().unwrap();
        for seed in 0..12 {
            let dice = &mut Dice::new(seed, 0, 0);
            let gardens = [directions(1), directions(4), evaluators(1)];
            let mut games: Vec<Game> =
                (seed..seed + 3).map(|seed| Game::new(Rules::default(), seed)).collect();
            let boards = [large.clone(), too_large.clone()];
            games.extend(boards.map(|board| Game::from_board(Rules::default(), seed, board)));
            for program in gardens.map(|garden| garden.grow(dice)) {
                let quick = play_from(&program, games.iter().cloned());
                let plain: Vec<GameResult> =
                    games.iter().map(|game| plain_game(&program, game.clone())).collect();
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
        // The player `greedy` has a mean of 3,108 over 200,000 games; the standard deviation is
        // about 1,600.
        assert!((mean - 3108.0).abs() < 200.0, "{mean}");
    }
}
