//! The form of answers.

use lab2048::board::{BoardForm, Direction, Motion};
use lab2048::game::{Action, Decision, Game, History, MoveValue, Spawn, Turn};
use serde_json::{Map, Value, json};

/// The name of an action.
pub(crate) fn action(action: Action) -> &'static str {
    match action {
        Action::Move(direction) => direction.name(),
        Action::Pass => "pass",
        Action::Quit => "quit",
    }
}

/// A game with undo, by its number.
pub(crate) fn state(number: u32, history: &History) -> Value {
    let mut state = position_of(history.game());
    state["game"] = json!(number);
    state["undo"] = json!(history.game().turns() - history.before(0).unwrap_or(history.game()).turns());
    state["redo"] = json!(history.undone());
    state
}

/// A game as it stands.
pub(crate) fn position_of(game: &Game) -> Value {
    let (board, rules) = (game.board(), game.rules());
    let legal: Vec<&str> = match game.ending() {
        None => board.legal_moves().iter().map(Direction::name).collect(),
        Some(_) => Vec::new(),
    };
    json!({
        "size": rules.size,
        "rows": rules.size.rows(),
        "cols": rules.size.cols(),
        "board": board,
        "score": game.score(),
        "moves": game.moves(),
        "turns": game.turns(),
        "seed": game.seed().to_string(),
        "rules": rules,
        "won": game.has_won(),
        "ending": game.ending(),
        "legal": legal,
        "largest": board.largest(),
        "sum": board.tile_sum().to_string(),
        "hex": board.to_text(BoardForm::Hex).ok(),
    })
}

/// What a player needs to know of a game. `future` tells whether the coming spawns are those of the
/// seed.
pub(crate) fn position(game: &Game, future: bool) -> Value {
    json!({
        "rules": game.rules(),
        "board": game.board(),
        "score": game.score(),
        "turns": game.turns(),
        "seed": game.seed().to_string(),
        "future": future,
    })
}

/// A turn, with the motions of the tiles on the board before it.
pub(crate) fn turn(before: &Game, turn: &Turn) -> Value {
    let motions = match turn.action {
        Action::Move(direction) => before.board().motions(direction).unwrap_or_default(),
        Action::Pass | Action::Quit => Vec::new(),
    };
    json!({
        "action": action(turn.action),
        "reward": turn.reward,
        "spawn": turn.spawn.map(spawn),
        "motions": motions.iter().map(motion).collect::<Vec<_>>(),
    })
}

/// A new tile.
pub(crate) fn spawn(spawn: Spawn) -> Value {
    json!({ "cell": spawn.cell, "tile": spawn.tile })
}

/// The motion of a tile.
pub(crate) fn motion(motion: &Motion) -> Value {
    let Motion { from, to, tile, merged } = *motion;
    json!({ "from": from, "to": to, "tile": tile, "merged": merged })
}

/// The value of a move. JSON has no infinity; such a value is unknown.
pub(crate) fn value(value: MoveValue) -> Value {
    match value {
        MoveValue::Illegal => json!("illegal"),
        MoveValue::Worth(worth) if worth.is_finite() => json!({ "worth": worth }),
        MoveValue::Unknown | MoveValue::Worth(_) => json!("unknown"),
        MoveValue::Lost { turns } => json!({ "lost": turns }),
    }
}

/// The values of the four directions by name.
pub(crate) fn values(values: &[MoveValue; 4]) -> Value {
    let named = Direction::ALL.into_iter().zip(values);
    named.map(|(direction, of)| (direction.name().to_owned(), value(*of))).collect::<Map<_, _>>().into()
}

/// A decision.
pub(crate) fn decision(decision: &Decision, remark: Option<String>) -> Value {
    json!({
        "action": action(decision.action),
        "values": values(&decision.values),
        "has_values": decision.has_values(),
        "unit": decision.unit,
        "depth": decision.depth,
        "nodes": decision.nodes,
        "ms": decision.time.as_secs_f64() * 1e3,
        "remark": remark,
    })
}
