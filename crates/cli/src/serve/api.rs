//! What the server computes: the answers below `/api/`, except files.

use std::str::FromStr as _;

use hyper::StatusCode;
use lab2048::board::{Board, Size, parse_board};
use lab2048::game::{Future, Game, Probability, Rules};
use lab2048::parallel;
use lab2048::players::{Registry, Spec};
use serde_json::{Value, json};

use super::content::Problem;
use super::files::Folder;
use super::limits::{MOST_BODY, THINKING_TIME};
use super::query::Fields;
use crate::answer::ask;
use crate::failure::{Failure, Outcome};
use crate::game_options::check_moves;
use crate::numbers::whole;

/// The parameters of a question for the best move.
const PARAMETERS: &[&str] = &["board", "player", "score", "seed", "moves", "four", "size"];

/// What the server is and what it can do.
pub(super) fn version(folder: Option<&Folder>) -> Value {
    json!({
        "name": "lab2048",
        "version": env!("CARGO_PKG_VERSION"),
        "threads": parallel::cores(),
        "thinking_seconds": THINKING_TIME.as_secs(),
        "most_body_bytes": MOST_BODY,
        "folder": folder.map(Folder::name),
    })
}

/// A question for the best move, checked.
#[derive(Debug)]
pub(super) struct Question {
    spec: Spec,
    game: Game,
    future: Future,
}

impl Question {
    /// Checks the fields of a question. They mean the same as for `lab2048 best`.
    pub(super) fn of(fields: Fields, registry: &Registry) -> Result<Question, Problem> {
        let fields = fields.only(PARAMETERS)?;
        let size = fields.parsed("size", Size::from_str)?;
        let player = fields.text("player").unwrap_or("auto");
        let spec = registry.parse_untrusted(player).map_err(|error| Problem::bad(error.to_string()))?;
        let number = whole(0, u64::MAX);
        let seed = fields.parsed("seed", &number)?;
        let moves = fields.parsed("moves", &number)?;
        if moves.is_some() && seed.is_none() {
            return Err(Problem::bad("'moves' needs 'seed'"));
        }
        let score = fields.parsed("score", &number)?.unwrap_or_default();
        let four = fields.parsed("four", Probability::from_str)?.unwrap_or(Probability::TENTH);
        let rules = Rules { four, ..Rules::default() };
        let board = board(&fields, size)?;
        let future = if seed.is_some() { Future::Told } else { Future::Hidden };
        let game = Game::resumed(rules, seed.unwrap_or_default(), board, score, moves.unwrap_or_default());
        check_moves(&game).map_err(problem)?;
        Ok(Question { spec, game, future })
    }

    /// Whether the player may have to read a network first.
    pub(super) fn needs_network(&self, registry: &Registry) -> bool {
        registry.may_load_network(&self.spec)
    }

    /// Reads the network of the player, unless it is in memory already.
    pub(super) fn load(&self, registry: &Registry) -> Outcome<()> {
        let spec = registry.resolve(&self.spec, self.game.board(), self.game.rules().four);
        registry.build(&spec).map(drop).map_err(Failure::bad_input)
    }

    /// Lets the player think. The answer is that of `lab2048 best --json`.
    pub(super) fn answer(&self, registry: &Registry) -> Outcome<Value> {
        let answer = ask(registry, &self.spec, &self.game, self.future, "; give 'seed' to tell them")?;
        Ok(answer.to_json())
    }
}

/// The board of a question.
pub(super) fn board(fields: &Fields, size: Option<Size>) -> Result<Board, Problem> {
    let text = fields.text("board").ok_or_else(|| {
        Problem::bad("'board' is missing: give rows like \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\"")
    })?;
    parse_board(text, size).map_err(|error| Problem::bad(format!("not a board: {error}")))
}

/// A failure of a command as a problem of a request.
pub(super) fn problem(failure: Failure) -> Problem {
    let status = match &failure {
        Failure::BadInput(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Problem::new(status, failure.to_string())
}
