//! What a player says about a board: for `best`, and for the page's server.

use std::collections::BTreeSet;

use lab2048::Clock;
use lab2048::board::rank_of;
use lab2048::game::{Action, Decision, Future, Game, GameStart, Player as _, Situation, choose_timed};
use lab2048::players::{Registry, Spec};
use lab2048::solve::Judgement;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::{exact, show};

/// What a player says about a board.
pub(crate) struct Answer<'a> {
    /// The position.
    pub(crate) game: &'a Game,
    /// The spec as given.
    pub(crate) asked: &'a Spec,
    /// The player that answered. It differs from `asked` if that was `auto`.
    pub(crate) player: Spec,
    /// Whether the player knows the coming tiles.
    pub(crate) needs_future: bool,
    /// The move and its values.
    pub(crate) decision: Decision,
    /// What the user's tables say about the board.
    pub(crate) exact: Vec<Judgement>,
}

/// Builds a player and asks it once. `seed_hint` says how to give the coming tiles to a player that
/// needs them.
pub(crate) fn ask<'a>(
    registry: &Registry,
    asked: &'a Spec,
    game: &'a Game,
    future: Future,
    seed_hint: &str,
) -> Outcome<Answer<'a>> {
    let spec = registry.resolve(asked, game.board(), game.rules().four);
    let mut player = registry.build(&spec).map_err(Failure::bad_input)?;
    let start = GameStart::of(game, future);
    player.start(&start).map_err(|refusal| {
        let untold = player.facts().needs_future && future == Future::Hidden;
        let hint = if untold { seed_hint } else { "" };
        Failure::BadInput(format!("{refusal}{hint}"))
    })?;
    let situation = Situation::of(game, &player, future);
    let decision = choose_timed(&mut player, &situation, Clock::system()).map_err(Failure::failed)?;
    if decision.action == Action::Quit {
        return Err(Failure::Failed(format!("{spec} did not choose a move")));
    }
    let exact = exact::judgements(registry.tables(), game.board(), game.rules().four);
    Ok(Answer { game, asked, player: spec, needs_future: player.facts().needs_future, decision, exact })
}

impl Answer<'_> {
    /// The JSON of `best --json`.
    pub(crate) fn to_json(&self) -> Value {
        let board = self.game.board();
        let mut answer = show::decision_json(&self.decision);
        answer["player"] = json!(self.player.to_string());
        answer["asked"] = json!(self.asked.to_string());
        answer["knows_future"] = json!(self.needs_future);
        answer["size"] = json!(board.size().to_string());
        answer["board"] = json!(board.to_grid().rows().collect::<Vec<_>>());
        answer["exact"] = json!(self.exact);
        answer["notes"] = json!(self.notes());
        answer
    }

    /// Warnings about likely mistakes in the board.
    pub(crate) fn notes(&self) -> Vec<String> {
        let tiles: BTreeSet<u64> =
            self.game.board().tiles().filter(|&tile| rank_of(tile).is_none()).collect();
        let names: Vec<String> = tiles.iter().map(ToString::to_string).collect();
        let verb = match names.len() {
            0 => return Vec::new(),
            1 => "is not a tile",
            _ => "are not tiles",
        };
        let names = names.join(", ");
        vec![format!("{names} {verb} of 2048 (2, 4, 8, ...); check the board")]
    }
}
