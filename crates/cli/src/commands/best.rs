//! `lab2048 best`: the move that a player chooses on a board, and its values for all four moves.

mod batch;

use std::fmt::Write as _;

use clap::Args;
use lab2048::board::{Direction, Size};
use lab2048::game::{Action, Decision, Future, Game, MoveValue, Probability, Rules, Unit};

use crate::answer::{Answer, ask};
use crate::failure::{Failure, Outcome, warn};
use crate::game_options::{MoreWords, board_text, check_moves, read_boards};
use crate::report::{percent, whole};
use crate::{exact, interrupt, numbers, out, players, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 best \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\"\n  lab2048 best @board.txt --player expectimax:time=1s --json\n  lab2048 best 2 4 8 16 / 0 2 4 8 / 0 0 2 4 / 0 0 0 2\n  lab2048 best - < boards.txt\n  lab2048 best --batch < lines.txt\n\n\
    A file or standard input can hold several boards, separated by empty lines. Each answer names the size of the board and \
    the player that answered, because auto stands for one player on 4x4 and another on other sizes.\n\n\
    A value in points is the score that the player expects to add from here on. A preference only ranks moves: larger is \
    better, but values of different players or evaluators cannot be compared. A move is lost if the game can end within the \
    search depth: for minimax with the worst spawns, for clairvoyant with the coming ones. A move is cut off if the beam \
    dropped it. Nodes are the boards and afterstates visited.\n\n\
    If tables of lab2048 solve know the board, their exact values follow: the chance to make the tile after each move, or the \
    expected points."
)]
pub(crate) struct Arguments {
    /// Board: rows like "0 2 0 0/...", the numbers of a square board, a hex code, JSON, the saved
    /// game of the web game, @FILE, or - for standard input; separate several boards by empty lines
    #[arg(value_name = "BOARD", allow_hyphen_values = true, required_unless_present = "batch")]
    board: Option<String>,
    #[command(flatten)]
    more: MoreWords,
    /// Read a board from each line of a file or of standard input, and print a line of JSON for
    /// each; BOARD is the file or - [default: -]
    #[arg(long)]
    batch: bool,
    /// Player to ask
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Score so far, for players that use it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = numbers::whole(0, u64::MAX))]
    score: u64,
    /// Seed of the coming tiles, for players that know them
    #[arg(long, value_name = "N", value_parser = numbers::whole(0, u64::MAX))]
    seed: Option<u64>,
    /// Moves already made in the game with that seed; this determines the next tiles
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = numbers::whole(0, u64::MAX), requires = "seed")]
    moves: u64,
    /// Probability of a 4
    #[arg(long, value_name = "P", default_value_t = Probability::TENTH)]
    four: Probability,
    /// Board size, rows x columns, if BOARD does not determine it
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Print JSON (for several boards, one object per line)
    #[arg(long)]
    json: bool,
}

/// How to give the coming tiles to a player that needs them.
const HINT: &str = "; use --seed N to give them";

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::end_at_once();
    // A batch may ask for thousands of moves.
    let registry = if arguments.batch { players::registry() } else { players::registry_for_few_moves() };
    let spec = registry.parse(&arguments.player).map_err(Failure::bad_input)?;
    let rules = Rules { four: arguments.four, ..Rules::default() };
    let seed = arguments.seed.unwrap_or_default();
    let future = if arguments.seed.is_some() { Future::Told } else { Future::Hidden };
    let resumed = |board| Game::resumed(rules.clone(), seed, board, arguments.score, arguments.moves);
    if arguments.batch {
        let source = batch::Source::of(&arguments.more.after(arguments.board))?;
        let ask = |game: &Game| Ok(ask(&registry, &spec, game, future, HINT)?.to_json());
        return batch::run(&source, arguments.size, resumed, ask);
    }
    let boards = read_boards(&board_text(&arguments.more.after(arguments.board))?, arguments.size)?;
    let count = boards.len();
    let games: Vec<Game> = boards.into_iter().map(resumed).collect();
    // Checks all boards before the first answer, so that a mistake in the last one is found at
    // once.
    for (index, game) in games.iter().enumerate() {
        check_moves(game).map_err(|failure| failure.at(&label(index, count)))?;
    }
    for (index, game) in games.iter().enumerate() {
        let label = label(index, count);
        let answer = ask(&registry, &spec, game, future, HINT).map_err(|failure| failure.at(&label))?;
        match (arguments.json, count) {
            (true, 1) => out::print_json(&answer.to_json())?,
            (true, _) => out::print_json_line(&answer.to_json())?,
            (false, _) => {
                answer.notes().iter().for_each(|note| warn(&format!("note: {label}{note}")));
                let space = if index > 0 { "\n" } else { "" };
                out::print(&format!("{space}{label}{}", text(&answer)))?;
            }
        }
    }
    Ok(())
}

/// The number of the board, if there are several.
fn label(index: usize, count: usize) -> String {
    if count == 1 { String::new() } else { format!("board {} of {count}: ", index + 1) }
}

/// The answer for people.
fn text(answer: &Answer<'_>) -> String {
    let (board, player) = (answer.game.board(), &answer.player);
    let asked = if player == answer.asked { String::new() } else { format!(" ({})", answer.asked) };
    let mark = if answer.needs_future { format!("{player} knows the coming tiles\n") } else { String::new() };
    let decision = self::answer(&answer.decision);
    let exact: String =
        answer.exact.iter().map(|judgement| format!("{}\n", exact::sentence(judgement))).collect();
    format!("{}, player {player}{asked}\n\n{board}\n\n{decision}{exact}{mark}", board.size())
}

/// The four values, the search statistics and the move.
pub(super) fn answer(decision: &Decision) -> String {
    let mut text = String::new();
    if decision.has_values() {
        let values = decision.values.map(|value| match value {
            MoveValue::Worth(value) if decision.unit == Unit::Chance => percent(value),
            MoveValue::Worth(value) => number(value),
            MoveValue::Lost { .. } => "lost".to_owned(),
            MoveValue::Unknown => "cut off".to_owned(),
            MoveValue::Illegal => "-".to_owned(),
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

/// A value with three decimals below 100, otherwise one.
fn number(value: f64) -> String {
    let decimals = if value.abs() < 100.0 { 3 } else { 1 };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_answer_names_all_four_moves() {
        let with_right = |right| {
            let worth = MoveValue::Worth;
            let values = [worth(1234.56), right, worth(-7.25), worth(20_000.0)];
            let decision = Decision::best_of(values, Unit::Points, 3, 1_234_567).unwrap();
            Decision { time: Duration::from_micros(1500), ..decision }
        };
        let expected = "up      1234.6\nright        -\ndown    -7.250\nleft   20000.0  best\n(points to come)\n\n\
            3 moves ahead, 1,234,567 nodes, 1.50 ms\nbest: left\n";
        assert_eq!(answer(&with_right(MoveValue::Illegal)), expected);
        let cut = expected.replace("right        -", "right  cut off");
        assert_eq!(answer(&with_right(MoveValue::Unknown)), cut);
        let lost = expected.replace("right        -", "right     lost");
        assert_eq!(answer(&with_right(MoveValue::Lost { turns: 1 })), lost);
    }

    #[test]
    fn a_player_without_values_just_says_its_move() {
        let decision = Decision::of(Action::Move(Direction::Down));
        assert_eq!(answer(&decision), "0 moves ahead, 0 nodes, 0.00 ms\nbest: down\n");
    }
}
