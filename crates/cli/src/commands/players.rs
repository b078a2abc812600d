//! `lab2048 players`: what can be named, and how.

use std::fmt::Write as _;

use clap::Args;
use lab2048::players::{Entry, Param};
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::{out, players};

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  lab2048 players random")]
pub(crate) struct Arguments {
    /// Show only this player
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let registry = players::registry();
    let entries: Vec<&Entry> = match &arguments.name {
        Some(name) => vec![registry.find(name).map_err(Failure::bad_input)?],
        None => registry.entries().iter().collect(),
    };
    if arguments.json {
        return out::print_json(&entries.iter().map(|entry| entry_json(entry)).collect::<Vec<_>>());
    }
    let mut text = String::from("A player is NAME or NAME:key=value,key=value.\n");
    for entry in entries {
        text.push_str(&entry_text(entry));
    }
    out::print(&text)
}

fn entry_text(entry: &Entry) -> String {
    let future = if entry.knows_future { " (knows the coming tiles)" } else { "" };
    let mut text = format!("\n{}{future}\n    {}\n", entry.name, entry.summary);
    for param in entry.params {
        let default =
            param.default.map_or_else(|| "must be given".to_owned(), |value| format!("default {value}"));
        let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {:<10} {}", param.name, param.help);
        let _ = writeln!(text, "    {:<10} {}, {default}{unit}", "", param.kind.describe());
    }
    text
}

fn entry_json(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "knows_future": entry.knows_future,
        "parameters": entry.params.iter().map(param_json).collect::<Vec<_>>(),
    })
}

fn param_json(param: &Param) -> Value {
    json!({
        "name": param.name,
        "default": param.default,
        "values": param.kind.describe(),
        "unit": param.unit,
        "help": param.help,
    })
}
