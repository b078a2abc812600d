//! A whole game as a short text that fits into the address of a page.
//!
//! A game whose spawns are those of its seed is its rules, its seed, its first board (if it is not
//! that of the seed) and its moves:
//!
//! ```text
//! 1.4x4.0_1.two-spawns.refused.2048.7..14-AAbD3
//! ```
//!
//! The fields are separated by `.`, except that the chance of a 4 is written with `_` for its own
//! point. The moves are two bits each (up, right, down, left), three in a character of the base64
//! alphabet for addresses (RFC 4648, section 5), lowest first; their number comes before them,
//! separated by `-`. Any other game is its replay file.

use lab2048::Game;
use lab2048::board::{BoardForm, Direction, parse_board};
use lab2048::game::{Action, History, Replay, Rules};
use serde_json::{from_value, json};

use crate::Failure;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The text of a game.
pub(crate) fn write(replay: &Replay) -> String {
    short(replay).unwrap_or_else(|| replay.to_text())
}

fn short(replay: &Replay) -> Option<String> {
    let header = replay.header();
    let seed = header.seed?;
    let direction = |action| match action {
        Action::Move(direction) => Some(direction.index()),
        Action::Pass | Action::Quit => None,
    };
    let moves: Option<Vec<usize>> = replay.steps().iter().map(|step| direction(step.action())).collect();
    let moves = moves?;
    let letter = |three: &[usize]| {
        let bits = three.iter().rev().fold(0, |bits, direction| bits << 2 | direction);
        char::from(LETTERS[bits])
    };
    let letters: String = moves.chunks(3).map(letter).collect();
    let rules = &header.rules;
    let fresh = *Game::new(rules.clone(), seed).board() == header.start;
    let start = if fresh {
        String::new()
    } else {
        header.start.to_text(BoardForm::Rows).ok()?.replace(' ', ",").replace('/', ";")
    };
    let word = |value| json!(value).as_str().map(str::to_owned);
    Some(format!(
        "1.{}.{}.{}.{}.{}.{seed}.{start}.{}-{letters}",
        rules.size,
        rules.four.to_string().replace('.', "_"),
        word(json!(rules.start))?,
        word(json!(rules.idle))?,
        rules.goal,
        moves.len(),
    ))
}

/// The replay of a short text; `None` if it is a text of another kind.
pub(crate) fn read(text: &str) -> Option<Result<Replay, Failure>> {
    let fields: Vec<&str> = text.trim().split('.').collect();
    match fields[..] {
        ["1", size, four, start, idle, goal, seed, board, moves] => {
            let game = parse(size, four, start, idle, goal, seed, board, moves);
            Some(game.ok_or_else(|| Failure("the link to this game is damaged".to_owned())))
        }
        _ => None,
    }
}

#[allow(clippy::too_many_arguments)]
fn parse(
    size: &str,
    four: &str,
    start: &str,
    idle: &str,
    goal: &str,
    seed: &str,
    board: &str,
    moves: &str,
) -> Option<Replay> {
    let rules: Rules = from_value(json!({
        "size": size,
        "four": four.replace('_', ".").parse::<f64>().ok()?,
        "start": start,
        "idle": idle,
        "goal": goal.parse::<u64>().ok()?,
    }))
    .ok()?;
    let seed = seed.parse().ok()?;
    let game = if board.is_empty() {
        Game::new(rules, seed)
    } else {
        let rows = board.replace(',', " ").replace(';', "/");
        let board = parse_board(&rows, Some(rules.size)).ok()?;
        Game::from_board(rules, seed, board)
    };
    let (count, letters) = moves.split_once('-')?;
    let count: usize = count.parse().ok()?;
    if letters.len() != count.div_ceil(3) {
        return None;
    }
    let mut history = History::new(game);
    for (index, letter) in letters.bytes().enumerate() {
        let bits = LETTERS.iter().position(|&known| known == letter)?;
        for place in 0..(count - 3 * index).min(3) {
            let direction = Direction::from_index(bits >> (2 * place) & 3)?;
            history.play(Action::Move(direction)).ok()?;
        }
    }
    Replay::of_history(&history).ok()
}

#[cfg(test)]
mod tests {
    use lab2048::game::Spawn;

    use super::*;

    fn played(game: Game, moves: usize) -> History {
        let mut history = History::new(game);
        for turn in 0..moves {
            let legal: Vec<Direction> = history.game().board().legal_moves().iter().collect();
            let Some(&direction) = legal.get(turn % legal.len().max(1)) else { break };
            history.play(Action::Move(direction)).unwrap();
        }
        history
    }

    #[test]
    fn games_come_back_from_their_links() {
        let sizes = ["4x4", "3x3", "2x5", "8x8"];
        for (number, size) in sizes.into_iter().enumerate() {
            for moves in [0, 1, 2, 3, 20, 61] {
                let rules = Rules { size: size.parse().unwrap(), ..Rules::default() };
                let replay = Replay::of_history(&played(Game::new(rules, number as u64), moves)).unwrap();
                let text = write(&replay);
                assert!(text.starts_with(&format!("1.{size}.0_1.two-spawns.refused.2048.")), "{text}");
                assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)));
                assert_eq!(read(&text).unwrap().unwrap(), replay);
            }
        }
    }

    #[test]
    fn a_chosen_board_and_chosen_tiles_come_back_too() {
        let game = Game::from_board(Rules::default(), 3, "2 2 0/0 3 0/0 0 0".parse().unwrap());
        let mut history = played(game, 5);
        let replay = Replay::of_history(&history).unwrap();
        assert_eq!(read(&write(&replay)).unwrap().unwrap(), replay);
        let cell = history.game().board().tiles().position(|tile| tile == 0).unwrap();
        let direction = history.game().board().legal_moves().iter().next().unwrap();
        let after = history.game().board().slide(direction).unwrap().unwrap().after;
        let cell = after.empty_cells().last().unwrap_or(cell);
        history.play_with(Action::Move(direction), Spawn { cell, tile: 4 }).unwrap();
        let replay = Replay::of_history(&history).unwrap();
        assert!(write(&replay).starts_with("lab2048 replay"), "only the file holds such spawns");
        assert!(read(&write(&replay)).is_none());
    }

    #[test]
    fn damaged_links_are_refused() {
        let replay = Replay::of_history(&played(Game::new(Rules::default(), 7), 40)).unwrap();
        let text = write(&replay);
        for damaged in [
            text.replace(".0_1.", ".7."),
            text.replace("-", "-?"),
            text[..text.len() - 1].to_owned(),
            text.replace(".40-", ".43-"),
            text.replace("4x4", "9x9"),
            "1.4x4.0_1.two-spawns.refused.2048.7..99999999999999999999-".to_owned(),
        ] {
            assert!(read(&damaged).is_some_and(|read| read.is_err()), "{damaged}");
        }
    }
}
