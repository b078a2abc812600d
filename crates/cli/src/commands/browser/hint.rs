//! Advice while a person plays in the browser.

use std::time::Duration;

use lab2048::Clock;
use lab2048::board::Board;
use lab2048::game::{Future, Game, GameStart, Rules, Situation, choose_timed};
use lab2048::players::{Registry, Spec};

use super::super::best;
use crate::browser::{Page, WebDriver};
use crate::failure::{Failure, Outcome};
use crate::{interrupt, out};

/// How long one look at the page waits for a move of the person.
const LOOK: Duration = Duration::from_millis(500);

/// Shows the best move for every board that comes, until the user stops it or the page is gone.
pub(super) fn run(mut page: Page<WebDriver>, registry: &Registry, spec: &Spec) -> Outcome<()> {
    let mut seen = page.read().map_err(super::page_failure)?;
    let mut advised: Option<Board> = None;
    loop {
        if advised.as_ref() != Some(&seen.board) {
            out::print(&advice(registry, spec, &seen.board, seen.score.unwrap_or(0))?)?;
            advised = Some(seen.board.clone());
        }
        if interrupt::raised() {
            return Err(Failure::Interrupted(String::new()));
        }
        seen = page.changed(LOOK).map_err(super::page_failure)?;
    }
}

/// The board, the values of the moves and the best one. Any board is taken as it is.
fn advice(registry: &Registry, spec: &Spec, board: &Board, score: u64) -> Outcome<String> {
    let game = Game::resumed(Rules::default(), 0, board.clone(), score, 0);
    let head = format!("\n{board}\nscore {score}\n");
    if let Some(ending) = game.ending() {
        return Ok(format!("{head}{ending}\n"));
    }
    let resolved = registry.resolve(spec, board);
    let mut player = registry.build(&resolved).map_err(Failure::bad_input)?;
    player.start(&GameStart::of(&game, Future::Hidden)).map_err(Failure::bad_input)?;
    let situation = Situation::of(&game, &player, Future::Hidden);
    let decision = choose_timed(&mut player, &situation, Clock::system()).map_err(Failure::failed)?;
    Ok(format!("{head}{}", best::answer(&decision)))
}
