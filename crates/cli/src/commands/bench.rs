//! `lab2048 bench`: how fast the game is here, and a signature that says whether it still does the same.

use std::time::{Duration, Instant};

use clap::Args;
use lab2048::board::{Board, Direction, Packed};
use lab2048::game::{Action, Game, Player, Rules, Situation};
use lab2048::players::Random;
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::{interrupt, out};

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  lab2048 bench --seconds 5\n\nThe figures are for one thread. A slide is one direction tried on one board."
)]
pub(crate) struct Arguments {
    /// How long to measure each figure, in seconds
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| (0.01..=600.0).contains(value));
    value.ok_or_else(|| "a number of seconds from 0.01 to 600".to_owned())
}

/// The games whose turns make up the signature.
const SIGNATURE_GAMES: u64 = 1000;

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let (signature, boards) = signature()?;
    let time = Duration::from_secs_f64(arguments.seconds);
    let mut seed = 0;
    let games = rate(time, || {
        seed += 1;
        random_game(seed).map(|_| 1)
    })?;
    let exact =
        rate(time, || Ok(slides(&boards, |board, d| board.slide(d).is_ok_and(|slid| slid.is_some()))))?;
    let packed: Vec<Packed> = boards.iter().filter_map(|board| Packed::pack(board).ok()).collect();
    let packed = rate(time, || Ok(slides(&packed, |board, d| board.slide(d).is_some())))?;
    if arguments.json {
        return out::print_json(&json!({
            "random_games_per_second": games,
            "exact_slides_per_second": exact,
            "packed_slides_per_second": packed,
            "signature": signature,
        }));
    }
    out::print(&format!(
        "random games   {:>12} a second\nexact slides   {:>12} a second\npacked slides  {:>12} a second\n\
         signature      {signature} (turns of the random games with seeds 1 to {SIGNATURE_GAMES})\n",
        games.round(),
        exact.round(),
        packed.round(),
    ))
}

/// Plays one random game and returns its turns; the boards on the way go to `seen`.
fn random_game_seen(seed: u64, mut seen: impl FnMut(&Board)) -> Outcome<u64> {
    let mut game = Game::new(Rules::default(), seed);
    while game.ending().is_none() {
        seen(game.board());
        let decision = Random.choose(&Situation::of(&game)).map_err(Failure::failed)?;
        debug_assert!(matches!(decision.action, Action::Move(_)));
        game.play(decision.action).map_err(Failure::failed)?;
    }
    Ok(game.turns())
}

fn random_game(seed: u64) -> Outcome<u64> {
    random_game_seen(seed, |_| ())
}

/// The number of turns in fixed games, and boards from the first of them to measure slides on.
fn signature() -> Outcome<(u64, Vec<Board>)> {
    let mut boards = Vec::new();
    let mut turns = 0;
    for seed in 1..=SIGNATURE_GAMES {
        turns += random_game_seen(seed, |board| {
            if boards.len() < 10_000 {
                boards.push(board.clone());
            }
        })?;
    }
    Ok((turns, boards))
}

/// Tries all four directions on every board; returns how many slides that were.
fn slides<B>(boards: &[B], mut slide: impl FnMut(&B, Direction) -> bool) -> u64 {
    let mut legal = 0u64;
    for board in boards {
        for direction in Direction::ALL {
            legal += u64::from(slide(board, direction));
        }
    }
    std::hint::black_box(legal);
    boards.len() as u64 * 4
}

/// Repeats work for about `time` and returns its amount per second.
fn rate(time: Duration, mut work: impl FnMut() -> Outcome<u64>) -> Outcome<f64> {
    let started = Instant::now();
    let mut amount = 0;
    while started.elapsed() < time {
        if interrupt::raised() {
            return Err(Failure::Interrupted("interrupted before all figures were measured".to_owned()));
        }
        amount += work()?;
    }
    Ok(amount as f64 / started.elapsed().as_secs_f64())
}
