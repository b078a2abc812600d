//! `lab2048 bench`: measures the speed of game and search, and prints signatures that show whether
//! their behaviour has changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use lab2048::board::{Board, Direction, Packed};
use lab2048::eval::{Rows, RowsWeights};
use lab2048::game::{Action, Future, Game, Player, Rules, Situation};
use lab2048::players::Random;
use lab2048::search::bench::{DEPTH, POSITIONS, search_positions};
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::numbers::number;
use crate::report::whole;
use crate::{interrupt, out};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  lab2048 bench --seconds 5\n\n\
    The figures are for one thread. A slide is one direction tried on one board. The search is expectimax:eval=rows,depth=4 on 50 \
    fixed boards. Nodes are the boards and afterstates that it visits, repeats included: the root, the afterstate of each legal move, and the \
    board after each spawn. If the spawns on one afterstate lead to equal afterstates, these are searched once. Evaluations are \
    calls of the evaluator, repeats included: equal positions that are evaluated together count separately.\n\n\
    The signatures are the same on every machine. They change only when play or search is meant to change.")]
pub(crate) struct Arguments {
    /// Time for each measurement, in seconds
    #[arg(long, default_value_t = 2.0, value_parser = number(0.01, 600.0))]
    seconds: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The number of games whose turns make up the signature.
const SIGNATURE_GAMES: u64 = 1000;

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let (turns, boards) = signature()?;
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
    let rows = Arc::new(Rows::new(RowsWeights::default()));
    let search = || search_positions(&rows, DEPTH).map_err(Failure::failed);
    let counts = search()?;
    let nodes = rate(time, || search().map(|counts| counts.nodes))?;
    // Every repetition visits the same nodes.
    let evaluations = nodes * counts.evaluations as f64 / counts.nodes as f64;
    if arguments.json {
        return out::print_json(&json!({
            "random_games_per_second": games,
            "exact_slides_per_second": exact,
            "packed_slides_per_second": packed,
            "search_nodes_per_second": nodes,
            "search_evaluations_per_second": evaluations,
            "signature": turns,
            "search_signature": counts.nodes,
        }));
    }
    let rates = [
        ("random games", games),
        ("exact slides", exact),
        ("packed slides", packed),
        ("search nodes", nodes),
        ("evaluations", evaluations),
    ];
    let signatures = [
        (turns, format!("turns of the random games with seeds 1 to {}", whole(SIGNATURE_GAMES))),
        (
            counts.nodes,
            format!("nodes of expectimax:eval=rows,depth={DEPTH} on {} fixed boards", POSITIONS.len()),
        ),
    ];
    let mut text = String::new();
    for (name, rate) in rates {
        text += &format!("{name:<15}{:>13} a second\n", whole(rate.round() as u64));
    }
    for (name, (signature, meaning)) in ["signatures", ""].into_iter().zip(signatures) {
        text += &format!("{name:<15}{:>13} {meaning}\n", whole(signature));
    }
    out::print(&text)
}

/// Plays one random game and returns its number of turns. Calls `seen` with every board.
fn random_game_seen(seed: u64, mut seen: impl FnMut(&Board)) -> Outcome<u64> {
    let mut game = Game::new(Rules::default(), seed);
    while game.ending().is_none() {
        seen(game.board());
        let decision =
            Random.choose(&Situation::of(&game, &Random, Future::Hidden)).map_err(Failure::failed)?;
        debug_assert!(matches!(decision.action, Action::Move(_)));
        game.play(decision.action).map_err(Failure::failed)?;
    }
    Ok(game.turns())
}

fn random_game(seed: u64) -> Outcome<u64> {
    random_game_seen(seed, |_| ())
}

/// The number of turns in fixed games, and the first boards of these games for the measurement of
/// slides.
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

/// Tries all four directions on every board. Returns the number of slides tried.
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
            return Err(Failure::interrupted("interrupted before all figures were measured"));
        }
        amount += work()?;
    }
    Ok(amount as f64 / started.elapsed().as_secs_f64())
}
