//! Advice while a person plays in the browser.

use std::time::Duration;

use lab2048::Clock;
use lab2048::board::Board;
use lab2048::game::{Action, Future, Game, GameStart, Player, Rules, Situation, choose_timed};
use lab2048::players::Spec;

use super::super::best;
use crate::browser::{Page, WebDriver};
use crate::failure::{Failure, Outcome};
use crate::interruptible::Interruptible;
use crate::{interrupt, out};

/// How long one look at the page waits for a move of the person.
const LOOK: Duration = Duration::from_millis(500);

/// Refuses advice that nobody could use.
pub(super) fn check(spec: &Spec, has_window: bool) -> Outcome<()> {
    if spec.name() == "human" {
        return Err(Failure::BadInput("--hint needs an adviser; human is you".to_owned()));
    }
    if !has_window {
        return Err(Failure::BadInput(
            "--hint needs a window to play in, but there is no display".to_owned(),
        ));
    }
    Ok(())
}

/// Shows the best move for every board that comes, until the user stops it or the page is gone.
pub(super) fn run(mut page: Page<WebDriver>, player: Box<dyn Player>) -> Outcome<()> {
    let mut player = Interruptible::new(player);
    let mut seen = page.read().map_err(super::page_failure)?;
    let mut advised: Option<Board> = None;
    loop {
        if advised.as_ref() != Some(&seen.board) {
            out::print(&advice(&mut player, &seen.board, seen.score.unwrap_or(0))?)?;
            advised = Some(seen.board.clone());
        }
        if interrupt::raised() {
            return Err(Failure::Interrupted(None));
        }
        seen = page.changed(LOOK).map_err(super::page_failure)?;
    }
}

/// The board, the values of the moves and the best one. Any board is taken as it is.
fn advice(player: &mut Interruptible<Box<dyn Player>>, board: &Board, score: u64) -> Outcome<String> {
    let game = Game::resumed(Rules::default(), 0, board.clone(), score, 0);
    let head = format!("\n{board}\nscore {score}\n");
    if let Some(ending) = game.ending() {
        return Ok(format!("{head}{ending}\n"));
    }
    // The next board need not follow from this one, so each is a game of its own.
    player.start(&GameStart::of(&game, Future::Hidden)).map_err(Failure::bad_input)?;
    let situation = Situation::of(&game, player, Future::Hidden);
    let decision = choose_timed(player, &situation, Clock::system()).map_err(Failure::failed)?;
    player.end(&game);
    if decision.action == Action::Quit {
        return Err(Failure::Interrupted(None));
    }
    Ok(format!("{head}{}", best::answer(&decision)))
}
