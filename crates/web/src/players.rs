//! Players: their list, their specs, and their thoughts in bounded steps.

use std::time::Duration;

use lab2048::board::Board;
use lab2048::game::{Action, Decision, Future, Game, GameStart, Player, Situation, Thought, choose_timed};
use lab2048::players::{BuildError, Kind, Param, Spec};
use serde_json::{Value, json};

use crate::request::Position;
use crate::{Answer, Failure, Host, view};

/// A player in a game.
pub(crate) struct Seat {
    player: Box<dyn Player>,
    future: Future,
    /// The time that the current thought has taken.
    thought_for: Duration,
}

/// A player, or the network that has to be handed over first.
pub(crate) enum Built {
    Ready(Box<dyn Player>),
    Needs(&'static str),
}

impl Host {
    /// Builds the player of a spec.
    pub(crate) fn build(&self, spec: &Spec) -> Result<Built, Failure> {
        match self.registry.build(spec) {
            Ok(player) => Ok(Built::Ready(player)),
            Err(BuildError::NotHandedOver { name }) => Ok(Built::Needs(name)),
            Err(error) => Err(Failure::because(error)),
        }
    }

    /// The checked spec of a text. Texts come from outside, so they cannot name files; there are
    /// none here anyway.
    pub(crate) fn spec(&self, text: &str) -> Result<Spec, Failure> {
        self.registry.parse(text).map_err(Failure::because)
    }

    pub(crate) fn list_players(&self) -> Value {
        let params = |params: &[Param]| params.iter().map(param).collect::<Vec<_>>();
        let players = self.registry.entries().iter().map(|entry| {
            json!({
                "name": entry.name,
                "summary": entry.summary,
                "knows_future": entry.needs_future,
                "person": entry.is_person,
                "tree": entry.drawing.is_some() || entry.stands_for.is_some(),
                "params": params(entry.params),
            })
        });
        let evaluators = self.registry.evaluators().iter().map(
            |entry| json!({ "name": entry.name, "summary": entry.summary, "params": params(entry.params) }),
        );
        json!({ "players": players.collect::<Vec<_>>(), "evaluators": evaluators.collect::<Vec<_>>() })
    }

    pub(crate) fn check(&self, text: &str, board: Option<&Board>) -> Answer {
        let spec = self.spec(text)?;
        let resolved = match board {
            Some(board) => self.registry.resolve(&spec, board),
            None => self.registry.resolve(&spec, Game::new(Default::default(), 0).board()),
        };
        let (network, knows_future) = match self.build(&resolved)? {
            Built::Ready(player) => (None, player.facts().needs_future),
            Built::Needs(name) => (Some(name), false),
        };
        Ok(json!({
            "spec": spec.to_string(),
            "resolved": resolved.to_string(),
            "network": network,
            "knows_future": knows_future,
        }))
    }

    pub(crate) fn take_network(&self, name: &str, bytes: Option<&[u8]>) -> Answer {
        let bytes = bytes.ok_or_else(|| Failure("the file of the network is missing".to_owned()))?;
        let hash = self.registry.hand_over(name, bytes).map_err(Failure::because)?;
        Ok(json!({ "name": name, "fingerprint": hash }))
    }

    pub(crate) fn seat(&mut self, text: &str, position: Position) -> Answer {
        let spec = self.spec(text)?;
        let future = if position.future { Future::Told } else { Future::Hidden };
        let game = position.game();
        let resolved = self.registry.resolve(&spec, game.board());
        let mut player = match self.build(&resolved)? {
            Built::Ready(player) => player,
            Built::Needs(network) => {
                return Ok(json!({ "player": null, "spec": resolved.to_string(), "network": network }));
            }
        };
        player.start(&GameStart::of(&game, future)).map_err(Failure::because)?;
        let number = self.players.add(Seat { player, future, thought_for: Duration::ZERO });
        Ok(json!({ "player": number, "spec": resolved.to_string(), "network": null }))
    }

    pub(crate) fn think(&mut self, number: u32, position: Position, nodes: u64) -> Answer {
        let clock = self.clock;
        let seat = self.players.get_mut(number)?;
        let game = position.game();
        refuse_stuck(&game)?;
        let started = clock.now();
        let situation = Situation::of(&game, &seat.player, seat.future);
        let thought = seat.player.think(&situation, nodes.max(1)).map_err(Failure::because)?;
        seat.thought_for += clock.since(started);
        let (done, decision) = match thought {
            Thought::Unfinished(decision) => (false, decision),
            Thought::Decided(decision) => (true, Some(decision)),
        };
        let decision = decision.map(|decision| Decision { time: seat.thought_for, ..decision });
        if done {
            seat.thought_for = Duration::ZERO;
        }
        let shown = decision.map(|decision| view::decision(&decision, seat.player.remark()));
        Ok(json!({ "done": done, "decision": shown }))
    }

    pub(crate) fn run(
        &mut self,
        number: u32,
        position: Position,
        time: Duration,
        most: Option<u64>,
        until: Option<u64>,
    ) -> Answer {
        let clock = self.clock;
        let seat = self.players.get_mut(number)?;
        let future = position.future;
        let mut game = position.game();
        let started = clock.now();
        let (mut turns, mut last) = (Vec::new(), None);
        let reached = |game: &Game| until.is_some_and(|tile| game.board().largest() >= tile);
        while game.ending().is_none()
            && !reached(&game)
            && most.is_none_or(|most| (turns.len() as u64) < most)
            && (turns.is_empty() || clock.since(started) < time)
        {
            let situation = Situation::of(&game, &seat.player, seat.future);
            let decision = choose_timed(&mut seat.player, &situation, clock).map_err(Failure::because)?;
            let turn = game.play(decision.action).map_err(Failure::because)?;
            turns.push(json!({ "move": view::action(turn.action), "spawn": turn.spawn.map(view::spawn) }));
            last = Some(view::decision(&decision, seat.player.remark()));
            if decision.action == Action::Quit {
                break;
            }
        }
        Ok(json!({
            "turns": turns,
            "decision": last,
            "position": view::position(&game, future),
            "ended": game.ending().is_some() || reached(&game),
            "reason": game.ending(),
            "score": game.score(),
        }))
    }
}

/// Players are only asked where a move is possible.
fn refuse_stuck(game: &Game) -> Result<(), Failure> {
    if game.ending().is_some() {
        return Err(Failure("no move is possible on this board".to_owned()));
    }
    Ok(())
}

/// A parameter, with its kind in a form from which a field can be made.
fn param(param: &Param) -> Value {
    let (kind, least, most, values) = match param.kind {
        Kind::Whole(least, most) => ("whole", json!(least), json!(most), Value::Null),
        Kind::WholeOrNone(least, most) => ("whole or none", json!(least), json!(most), Value::Null),
        Kind::Number(least, most) => ("number", json!(least), json!(most), Value::Null),
        Kind::TimeOrNone => ("time or none", Value::Null, Value::Null, Value::Null),
        Kind::Flag => ("flag", Value::Null, Value::Null, Value::Null),
        Kind::Choice(words) => ("choice", Value::Null, Value::Null, json!(words)),
        Kind::Evaluator => ("evaluator", Value::Null, Value::Null, Value::Null),
        Kind::Text => ("text", Value::Null, Value::Null, Value::Null),
        Kind::Command => ("command", Value::Null, Value::Null, Value::Null),
        Kind::File => ("file", Value::Null, Value::Null, Value::Null),
    };
    json!({
        "name": param.name,
        "default": param.default,
        "kind": kind,
        "least": least,
        "most": most,
        "values": values,
        "unit": param.unit,
        "help": param.help,
        "allowed": param.kind.describe(),
    })
}
