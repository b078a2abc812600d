//! The output of `play`: text and boards for people, one JSON object per line for programs.

use std::path::Path;

use lab2048::game::{Decision, Game, Turn};
use lab2048::solve::Judgement;
use serde_json::json;

use crate::failure::Outcome;
use crate::{exact, keyboard, keys, out, show};

pub(super) struct Screen {
    pub(super) json: bool,
}

impl Screen {
    pub(super) fn beginning(&self, game: &Game, number: u64) -> Outcome<()> {
        if self.json {
            let (seed, rules) = (game.seed(), game.rules());
            return out::print_json_line(
                &json!({ "event": "start", "game": number, "seed": seed, "rules": rules }),
            );
        }
        let size = game.board().size();
        out::print(&format!("game {number}, {size}, seed {}: {}\n", game.seed(), keys::SHORT_HELP))
    }

    pub(super) fn prompt(&self) -> Outcome<()> {
        if self.json || !keyboard::is_terminal() { Ok(()) } else { out::print("> ") }
    }

    /// A remark for people.
    pub(super) fn say(&self, sentence: &str) -> Outcome<()> {
        if self.json { Ok(()) } else { out::print(&format!("{sentence}\n")) }
    }

    pub(super) fn turn(&self, game: &Game, turn: &Turn) -> Outcome<()> {
        let size = game.board().size();
        if self.json {
            let turn = show::turn_json(turn, size);
            return out::print_json_line(&json!({ "event": "move", "move": game.turns(), "turn": turn }));
        }
        out::print(&format!("{}\n", show::turn_text(turn, size)))
    }

    pub(super) fn position(&self, game: &Game, best: u64) -> Outcome<()> {
        if self.json {
            let legal: Vec<_> = game.board().legal_moves().iter().map(|direction| direction.name()).collect();
            return out::print_json_line(&json!({
                "event": "position", "move": game.turns(), "score": game.score(), "best": best,
                "board": game.board(), "legal": legal, "ending": game.ending(),
            }));
        }
        let (score, moves) = (game.score(), game.turns());
        out::print(&format!("{}\nscore {score}   best {best}   moves {moves}\n", game.board()))
    }

    pub(super) fn refused(&self, reason: &str) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({ "event": "refused", "reason": reason }));
        }
        out::print(&format!("{reason}\n"))
    }

    /// Shows the advice of a player that may know the coming tiles.
    pub(super) fn hint(&self, decision: &Decision, needs_future: bool, exact: &[Judgement]) -> Outcome<()> {
        if self.json {
            let decision = show::decision_json(decision);
            let hint = json!({
                "event": "hint", "decision": decision, "knows_future": needs_future, "exact": exact,
            });
            return out::print_json_line(&hint);
        }
        let values = show::values_text(decision).map_or_else(String::new, |values| format!("   {values}"));
        let mark = if needs_future { "   knows the coming tiles" } else { "" };
        let exact: String =
            exact.iter().map(|judgement| format!("{}\n", exact::sentence(judgement))).collect();
        out::print(&format!("hint: {}{values}{mark}\n{exact}", show::action_name(decision.action)))
    }

    pub(super) fn help(&self) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({ "event": "help", "keys": keys::SHORT_HELP }));
        }
        out::print(&format!("{}\n", keys::SHORT_HELP))
    }

    pub(super) fn victory(&self, game: &Game) -> Outcome<()> {
        let goal = game.rules().goal;
        if self.json {
            return out::print_json_line(&json!({ "event": "goal", "tile": goal, "move": game.turns() }));
        }
        out::print(&format!("You made {goal}! The game continues.\n"))
    }

    pub(super) fn over(&self, game: &Game) -> Outcome<()> {
        let why = game.ending().map_or_else(|| "it reached a limit".to_owned(), |ending| ending.to_string());
        if self.json {
            return out::print_json_line(&json!({ "event": "over", "reason": why }));
        }
        out::print(&format!("The game is over: {why}.\nPlay again? n new game, u undo, q quit\n"))
    }

    /// Ends the line of a prompt that got no answer.
    pub(super) fn end_of_input(&self) -> Outcome<()> {
        if self.json || !keyboard::is_terminal() { Ok(()) } else { out::print("\n") }
    }

    pub(super) fn points(&self, game: &Game, best: u64) -> Outcome<()> {
        let (points, largest) = (game.score(), game.board().largest());
        let moves = game.moves();
        if self.json {
            return out::print_json_line(&json!({
                "event": "end", "points": points, "best": best, "largest": largest, "moves": moves,
                "ending": game.ending(),
            }));
        }
        out::print(&format!("points {points}   best {best}   largest tile {largest}   moves {moves}\n"))
    }

    pub(super) fn saved(&self, path: &Path) -> Outcome<()> {
        if self.json {
            return out::print_json_line(&json!({ "event": "saved", "file": path.to_string_lossy() }));
        }
        out::print(&format!("saved as {}\n", path.display()))
    }
}
