//! `lab2048 best`: what a player would do on a board, and what it thinks of all four moves.

use std::fmt::Write as _;

use clap::Args;
use lab2048::board::{Direction, Directions, Size};
use lab2048::game::{Action, Decision, Game, GameStart, Player as _, Probability, Rules, Situation, Timed};
use lab2048::search::LOST;
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::game_options::{check_moves, read_board};
use crate::report::whole;
use crate::{interrupt, out, players, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 best \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\"\n  lab2048 best @board.txt --player expectimax:time=1s --json\n\n\
    A value in points is what the player expects to score from here on. A preference only says that more is better: it \
    cannot be compared with that of another player or evaluator. A move is lost if the game can be brought to its end within \
    the depth: for minimax by the worst spawns, for clairvoyant by those that come. It is cut off if a beam gave it up. Nodes \
    are the boards and afterstates visited."
)]
pub(crate) struct Arguments {
    /// The board: rows like "0 2 0 0/...", a hex code, JSON, @FILE, or - for the standard input
    #[arg(value_name = "BOARD", allow_hyphen_values = true)]
    board: String,
    /// The player that is asked
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// The score so far, for players that look at it
    #[arg(long, value_name = "N", default_value_t = 0)]
    score: u64,
    /// The seed of the coming tiles, for a player that knows them
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The chance of a 4
    #[arg(long, value_name = "P", default_value_t = Probability::TENTH)]
    four: Probability,
    /// Rows x columns, where the board does not say it
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::end_at_once();
    let registry = players::registry();
    let spec = registry.parse(&arguments.player).map_err(Failure::bad_input)?;
    let board = read_board(&arguments.board, arguments.size)?;
    let rules = Rules { four: arguments.four, ..Rules::default() };
    let game = Game::from_board(rules, arguments.seed.unwrap_or_default(), board);
    check_moves(&game)?;
    let mut player = Timed(registry.build(&spec).map_err(Failure::bad_input)?);
    let knows_future = arguments.seed.is_some();
    let start = GameStart { rules: game.rules(), board: game.board(), knows_future };
    player.start(&start).map_err(|refusal| {
        let hint = if player.uses_future() && !knows_future { "; --seed N tells them" } else { "" };
        Failure::BadInput(format!("{refusal}{hint}"))
    })?;
    let here = Situation::of(&game);
    let situation =
        Situation { score: arguments.score, future: here.future.filter(|_| knows_future), ..here };
    let decision = player.choose(&situation).map_err(Failure::failed)?;
    if decision.action == Action::Quit {
        return Err(Failure::Failed(format!("{spec} names no move")));
    }
    if arguments.json {
        let mut answer = show::decision_json(&decision);
        answer["player"] = json!(spec.to_string());
        answer["knows_future"] = json!(player.uses_future());
        answer["board"] = json!(game.board().to_grid().rows().collect::<Vec<_>>());
        return out::print_json(&answer);
    }
    let mark = if player.uses_future() { format!("{spec} knows the coming tiles\n") } else { String::new() };
    let can_move = |direction: &Direction| matches!(game.board().slide(*direction), Ok(Some(_)));
    let answer = answer(&decision, Direction::ALL.into_iter().filter(can_move).collect());
    out::print(&format!("{}\n\n{answer}{mark}", game.board()))
}

/// The four values, how they were found, and the move. A legal move has no value only where a beam cut it off.
fn answer(decision: &Decision, legal: Directions) -> String {
    let mut text = String::new();
    if decision.values.iter().any(Option::is_some) {
        let values = Direction::ALL.map(|direction| match decision.values[direction.index()] {
            Some(value) => number(value),
            None if legal.contains(direction) => "cut off".to_owned(),
            None => "-".to_owned(),
        });
        let width = values.iter().map(String::len).max().unwrap_or(0);
        for (direction, value) in Direction::ALL.into_iter().zip(values) {
            let best = if decision.action == Action::Move(direction) { "  best" } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{direction:<5}  {value:>width$}{best}");
        }
        let _ = writeln!(text, "({})\n", decision.unit);
    }
    let depth = show::count(decision.depth, "move");
    let (nodes, milliseconds) = (whole(decision.nodes), decision.time.as_secs_f64() * 1e3);
    let _ = writeln!(text, "{depth} ahead, {nodes} nodes, {milliseconds:.2} ms");
    let _ = writeln!(text, "best: {}", show::action_name(decision.action));
    text
}

/// A value with as many decimals as matter at its size.
fn number(value: f64) -> String {
    if value <= LOST {
        return "lost".to_owned();
    }
    let decimals = if value.abs() < 100.0 { 3 } else { 1 };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lab2048::game::Unit;

    use super::*;

    #[test]
    fn the_answer_names_all_four_moves() {
        let values = [Some(1234.56), None, Some(-7.25), Some(20_000.0)];
        let decision = Decision::best_of(values, Unit::Points, 3, 1_234_567).unwrap();
        let decision = Decision { time: Duration::from_micros(1500), ..decision };
        let expected = "up      1234.6\nright        -\ndown    -7.250\nleft   20000.0  best\n(points to come)\n\n\
            3 moves ahead, 1,234,567 nodes, 1.50 ms\nbest: left\n";
        let legal: Directions = [Direction::Up, Direction::Down, Direction::Left].into_iter().collect();
        assert_eq!(answer(&decision, legal), expected);
        let cut = expected.replace("right        -", "right  cut off");
        assert_eq!(answer(&decision, legal.with(Direction::Right)), cut);
        assert_eq!(number(-2e120), "lost");
    }

    #[test]
    fn a_player_without_values_just_says_its_move() {
        let decision = Decision::of(Action::Move(Direction::Down));
        assert_eq!(answer(&decision, Directions::NONE), "0 moves ahead, 0 nodes, 0.00 ms\nbest: down\n");
    }
}
