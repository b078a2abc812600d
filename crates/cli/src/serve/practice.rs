//! Practice with the tables of the data folder: their list, drawn positions, exact values.

use std::str::FromStr as _;

use hyper::StatusCode;
use lab2048::board::{Board, Size};
use lab2048::solve::{Drawn, PracticeError, Standing, Table, TableError, Tables, TablesError};
use serde_json::{Value, json};

use super::api::board;
use super::content::Problem;
use super::query::Fields;
use crate::numbers::{number, whole};

/// The tables. One that cannot be used says why.
pub(super) fn list(tables: &Tables) -> Result<Value, Problem> {
    let names = tables.names().map_err(|error| unusable(&error))?;
    let entry = |name: String| match tables.named(&name) {
        Ok(table) => entry(&name, &table),
        Err(error) => json!({ "table": name, "error": sentence(&error) }),
    };
    Ok(names.into_iter().map(entry).collect())
}

fn entry(name: &str, table: &Table) -> Value {
    let game = table.game();
    json!({
        "table": name,
        "goal": game.to_string(),
        "size": game.size(),
        "tile": game.target(),
        "four": game.four(),
        "start": table.info().start,
    })
}

/// What a practice asks for.
#[derive(Debug)]
pub(super) struct Exercise {
    table: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A position whose best value lies in a range.
    Draw { seed: u64, from: f64, to: f64 },
    /// The values on a board.
    Judge(Board),
}

impl Exercise {
    /// Checks the fields of a question for a position.
    pub(super) fn draw(fields: Fields) -> Result<Exercise, Problem> {
        let fields = fields.only(&["table", "seed", "from", "to"])?;
        let seed = fields.parsed("seed", whole(0, u64::MAX))?;
        let seed = seed.ok_or_else(|| Problem::bad("'seed' is missing: give a whole number"))?;
        let value = number(0.0, f64::MAX);
        let from = fields.parsed("from", &value)?.unwrap_or_default();
        let to = fields.parsed("to", &value)?.unwrap_or(f64::MAX);
        Ok(Exercise { table: table(&fields)?, kind: Kind::Draw { seed, from, to } })
    }

    /// Checks the fields of a question for the values on a board.
    pub(super) fn judge(fields: Fields) -> Result<Exercise, Problem> {
        let fields = fields.only(&["table", "board", "size"])?;
        let size = fields.parsed("size", Size::from_str)?;
        Ok(Exercise { table: table(&fields)?, kind: Kind::Judge(board(&fields, size)?) })
    }

    /// Looks it up.
    pub(super) fn answer(&self, tables: &Tables) -> Result<Value, Problem> {
        let table = tables.named(&self.table).map_err(|error| unusable(&error))?;
        let answer = match &self.kind {
            Kind::Draw { seed, from, to } => {
                Drawn::from(&table, *seed, *from..=*to).map(|drawn| json!(drawn))
            }
            Kind::Judge(board) => Standing::of(&table, board).map(|standing| json!(standing)),
        };
        answer.map_err(|error| {
            let status = match error {
                PracticeError::Table(_) => StatusCode::INTERNAL_SERVER_ERROR,
                PracticeError::Rare => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::BAD_REQUEST,
            };
            Problem::new(status, error.to_string())
        })
    }
}

fn table(fields: &Fields) -> Result<String, Problem> {
    let name = fields.text("table");
    name.map(str::to_owned).ok_or_else(|| Problem::bad("'table' is missing: give a name of /api/tables"))
}

fn unusable(error: &TablesError) -> Problem {
    let status = match error {
        TablesError::Missing { .. } => StatusCode::NOT_FOUND,
        TablesError::Name(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Problem::new(status, sentence(error))
}

/// What is wrong, without the paths of this machine.
fn sentence(error: &TablesError) -> String {
    match error {
        TablesError::Unfit { source: TableError::Io(_), .. } => "the table cannot be read".to_owned(),
        TablesError::Unfit { source, .. } => format!("the table cannot be used: {source}"),
        TablesError::Folder { .. } => "the folder of the tables cannot be read".to_owned(),
        other => other.to_string(),
    }
}
