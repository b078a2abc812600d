//! The tables in the data folder: `solve --list`, `--info`, `--remove`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use lab2048::solve::{SubGame, Table as ExactTable, TablesError};
use lab2048::text::shortened;
use serde_json::{Value, json};

use super::solving::{facts, json_of};
use crate::exact::value_text;
use crate::failure::{Failure, Outcome, warn};
use crate::report::{Table, whole};
use crate::{out, players};

/// Prints the tables of the data folder, a line each, and what is unfinished.
pub(super) fn list(as_json: bool) -> Outcome<()> {
    let registry = players::registry();
    let tables = registry.tables();
    let mut found = Vec::new();
    for name in tables.names().map_err(Failure::bad_input)? {
        match tables.named(&name) {
            Ok(table) => found.push((name, table)),
            Err(error) => warn(&error.to_string()),
        }
    }
    let unfinished = tables.unfinished().map_err(Failure::bad_input)?;
    if as_json {
        let table =
            |(name, table): &(String, Arc<ExactTable>)| json_of(name, table, tables.path_of(name).as_deref());
        let all: Vec<Value> = found.iter().map(table).collect();
        return out::print_json(&json!({ "tables": all, "unfinished": unfinished }));
    }
    let mut list = Table::new(["table", "start", "positions", "MB"]);
    for (name, table) in &found {
        let info = table.info();
        let megabytes = format!("{:.2}", table.bytes() as f64 / 1e6);
        let start = value_text(info.start, info.game.goal());
        list.push(vec![name.clone(), start, whole(info.stored), megabytes]);
    }
    let mut text = match found.is_empty() {
        true => {
            "there are no tables yet; compute one, for example: lab2048 solve block --tile 512\n".to_owned()
        }
        false => list.to_text(),
    };
    for name in unfinished {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} is unfinished; to continue: lab2048 solve {name}");
    }
    out::print(&text)
}

/// Prints what a table holds, after verifying all of it.
pub(super) fn info(table: &str, as_json: bool) -> Outcome<()> {
    let registry = players::registry();
    let path = Path::new(table);
    let cannot = |error| Failure::BadInput(format!("cannot use {table}: {error}"));
    let (found, path) = match registry.tables().path_of(table).filter(|path| path.is_file()) {
        Some(path) => (ExactTable::open(&path).map_err(cannot)?, path),
        None if path.exists() => (ExactTable::open(path).map_err(cannot)?, path.to_owned()),
        None => {
            let why = match SubGame::named(table) {
                Ok(game) => TablesError::Missing { name: game.name() }.to_string(),
                Err(_) => format!("there is no file '{}'", shortened(table)),
            };
            return Err(Failure::BadInput(why));
        }
    };
    found.verify().map_err(cannot)?;
    let name = found.game().name();
    if as_json {
        let mut json = json_of(&name, &found, Some(&path));
        json["verified"] = json!(true);
        return out::print_json(&json);
    }
    out::print(&format!("{}all checksums match\n", facts(&found, Some(&path))))
}

/// Removes a table, and what an unfinished run left.
pub(super) fn remove(name: &str) -> Outcome<()> {
    let registry = players::registry();
    let removed = registry.tables().remove(name).map_err(|error| match error {
        TablesError::Missing { .. } | TablesError::Name(_) => {
            let name = shortened(name);
            Failure::BadInput(format!("there is no table '{name}'; lab2048 solve --list lists them"))
        }
        error => Failure::failed(error),
    })?;
    let lines = removed.iter().map(|path| format!("removed {}\n", path.display()));
    out::print(&lines.collect::<String>())
}
