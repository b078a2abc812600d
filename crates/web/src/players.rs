//! Players: their list, their specs, and their thoughts in bounded steps.

use std::time::Duration;

use lab2048::board::Board;
use lab2048::game::{
    Action, Decision, Future, Game, GameStart, Player, Probability, Situation, Thought, choose_timed,
};
use lab2048::players::{BuildError, Entry, Kind, Param, ShippedNetwork, Spec};
use serde_json::{Value, json};

use crate::request::Position;
use crate::{Answer, Failure, Host, NETWORKS, view};

/// The parameter that names a network.
const NET: &str = "net";

/// A player in a game.
pub(crate) struct Seat {
    asked: Spec,
    /// The player that really plays, with the name of its network.
    spec: Spec,
    player: Box<dyn Player>,
    future: Future,
    thought: Option<Thinking>,
}

/// A thought under way.
struct Thinking {
    board: Board,
    turns: u64,
    /// The time that it has taken so far.
    time: Duration,
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

    /// The checked spec of a text, which comes from outside: from a field or a link.
    pub(crate) fn spec(&self, text: &str) -> Result<Spec, Failure> {
        self.registry.parse_untrusted(text).map_err(Failure::because)
    }

    /// The player that really plays a board. The default network is named, because it is another
    /// one in the command.
    pub(crate) fn resolved(&self, spec: &Spec, board: &Board, four: Probability) -> Spec {
        let spec = self.registry.resolve(spec, board, four);
        let params = self.registry.params(&spec).unwrap_or_default();
        let is_default = spec.value(NET).is_none_or(|name| name == ShippedNetwork::BUILT_IN);
        match params.iter().any(|param| param.name == NET) && is_default {
            true => spec.with(NET, NETWORKS[0].name),
            false => spec,
        }
    }

    /// The player of a seat, made anew if another one plays this position.
    fn seated(&mut self, number: u32, game: &Game, future: Future) -> Result<&mut Seat, Failure> {
        let seat = self.players.get(number)?;
        let spec = self.resolved(&seat.asked, game.board(), game.rules().four);
        if seat.spec != spec || seat.future != future {
            let asked = seat.asked.clone();
            let seat = match self.build(&spec)? {
                Built::Ready(player) => Seat { asked, spec, player, future, thought: None },
                Built::Needs(name) => return Err(Failure(format!("the network '{name}' is not loaded"))),
            };
            let there = self.players.get_mut(number)?;
            *there = seat;
            there.player.start(&GameStart::of(game, future)).map_err(Failure::because)?;
        }
        self.players.get_mut(number)
    }

    pub(crate) fn list_players(&self) -> Value {
        let params = |params: &[Param]| params.iter().map(param).collect::<Vec<_>>();
        // Tables are files, and the page has none.
        let needs_table = |entry: &&Entry| entry.params.iter().any(|param| param.kind == Kind::Table);
        let players = self.registry.entries().iter().filter(|entry| !needs_table(entry)).map(|entry| {
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
            Some(board) => self.resolved(&spec, board, Probability::TENTH),
            None => self.resolved(&spec, Game::new(Default::default(), 0).board(), Probability::TENTH),
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
        let asked = self.spec(text)?;
        let future = position.told();
        let game = position.game();
        let spec = self.resolved(&asked, game.board(), game.rules().four);
        let shown = spec.to_string();
        let mut player = match self.build(&spec)? {
            Built::Ready(player) => player,
            Built::Needs(network) => {
                return Ok(json!({ "player": null, "spec": shown, "network": network }));
            }
        };
        player.start(&GameStart::of(&game, future)).map_err(Failure::because)?;
        let number = self.players.add(Seat { asked, spec, player, future, thought: None });
        Ok(json!({ "player": number, "spec": shown, "network": null }))
    }

    pub(crate) fn think(&mut self, number: u32, position: Position, nodes: u64) -> Answer {
        let clock = self.clock;
        let future = position.told();
        let game = position.game();
        refuse_stuck(&game)?;
        let seat = self.seated(number, &game, future)?;
        let (board, turns) = (game.board(), game.turns());
        let continued =
            seat.thought.take().filter(|thought| thought.board == *board && thought.turns == turns);
        let started = clock.now();
        let situation = Situation::of(&game, &seat.player, future);
        let thought = seat.player.think(&situation, nodes.max(1)).map_err(Failure::because)?;
        let time = continued.map_or(Duration::ZERO, |thought| thought.time) + clock.since(started);
        let (done, decision) = match thought {
            Thought::Unfinished(decision) => (false, decision),
            Thought::Decided(decision) => (true, Some(decision)),
        };
        seat.thought = (!done).then(|| Thinking { board: board.clone(), turns, time });
        let shown = decision.map(|decision| seat.shown(&Decision { time, ..decision }, board));
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
        let future = position.told();
        let mut game = position.game();
        let seat = self.seated(number, &game, future)?;
        let started = clock.now();
        let (mut turns, mut last) = (Vec::new(), None);
        let reached = |game: &Game| until.is_some_and(|tile| game.board().largest() >= tile);
        while game.ending().is_none()
            && !reached(&game)
            && most.is_none_or(|most| (turns.len() as u64) < most)
            && (turns.is_empty() || clock.since(started) < time)
        {
            let situation = Situation::of(&game, &seat.player, future);
            let decision = match choose_timed(&mut seat.player, &situation, clock) {
                Ok(decision) => decision,
                // The next call fails; the turns so far count.
                Err(_) if !turns.is_empty() => break,
                Err(error) => return Err(Failure::because(error)),
            };
            last = Some(seat.shown(&decision, game.board()));
            let turn = game.play(decision.action).map_err(Failure::because)?;
            turns.push(json!({ "move": view::action(turn.action), "spawn": turn.spawn.map(view::spawn) }));
            if decision.action == Action::Quit {
                break;
            }
        }
        Ok(json!({
            "turns": turns,
            "decision": last,
            "position": view::position(&game, future == Future::Told),
            "ended": game.ending().is_some() || reached(&game),
            "reason": game.ending(),
            "score": game.score(),
        }))
    }
}

impl Seat {
    /// A decision, with the player that made it.
    fn shown(&self, decision: &Decision, board: &Board) -> Value {
        let mut shown = view::decision(decision, self.player.remark());
        shown["player"] = json!(self.spec.to_string());
        shown["fingerprint"] = json!(self.player.facts().fingerprint.on(board));
        shown
    }
}

/// Players are only asked where a move is possible.
pub(crate) fn refuse_stuck(game: &Game) -> Result<(), Failure> {
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
        Kind::Player => ("player", Value::Null, Value::Null, Value::Null),
        Kind::Table => ("table", Value::Null, Value::Null, Value::Null),
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
