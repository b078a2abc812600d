//! `lab2048 players`: lists the players and evaluators with their parameters.

use clap::Args;
use lab2048::players::{Entry, EvaluatorEntry, Param, Registry};
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::{out, players};

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  lab2048 players\n  lab2048 players expectimax\n  lab2048 players rows")]
pub(crate) struct Arguments {
    /// Player or evaluator to explain, with all its parameters
    name: Option<String>,
    /// Print JSON: the list, or one player or evaluator; a list of both if they share the name
    #[arg(long)]
    json: bool,
}

/// A player or an evaluator in the listing.
struct Listed {
    /// The heading of its details.
    title: String,
    name: &'static str,
    summary: &'static str,
    params: &'static [Param],
    needs_future: bool,
}

impl From<&Entry> for Listed {
    fn from(entry: &Entry) -> Listed {
        let Entry { name, summary, params, needs_future, .. } = *entry;
        Listed { title: name.to_owned(), name, summary, params, needs_future }
    }
}

impl From<&EvaluatorEntry> for Listed {
    fn from(entry: &EvaluatorEntry) -> Listed {
        let EvaluatorEntry { name, summary, params, .. } = *entry;
        Listed { title: format!("eval={name}"), name, summary, params, needs_future: false }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let registry = players::registry();
    if let Some(name) = &arguments.name {
        let found = find(&registry, name)?;
        if arguments.json {
            return out::print_json(&json_of(&found));
        }
        return out::print(&found.iter().map(Listed::details).collect::<Vec<_>>().join("\n"));
    }
    let players: Vec<Listed> = registry.entries().iter().map(Listed::from).collect();
    let evaluators: Vec<Listed> = registry.evaluators().iter().map(Listed::from).collect();
    if arguments.json {
        return out::print_json(&json_list(&players, &evaluators));
    }
    let lines = |listed: &[Listed]| listed.iter().map(Listed::overview).collect::<String>();
    out::print(&format!(
        "Players: NAME or NAME:key=value,key=value\n\n{}\n\
         Evaluators: eval=NAME in the spec of a searching player; parameters of the evaluator go in the same spec\n\n{}\n\
         'lab2048 players NAME' explains one of them.\n",
        lines(&players),
        lines(&evaluators),
    ))
}

/// The player and the evaluator with a name; at least one of them exists.
fn find(registry: &Registry, name: &str) -> Outcome<Vec<Listed>> {
    let (player, evaluator) = registry.find_either(name).map_err(Failure::bad_input)?;
    Ok(player.map(Listed::from).into_iter().chain(evaluator.map(Listed::from)).collect())
}

/// The JSON of what [`find`] found. A player and an evaluator with the same name are a list.
fn json_of(found: &[Listed]) -> Value {
    match found {
        [one] => one.json(),
        _ => json_list(&found[..1], &found[1..]),
    }
}

/// The list of what specs from outside may use, as JSON.
pub(crate) fn open_json(registry: &Registry) -> Value {
    let players = registry.entries().iter().filter(|entry| entry.is_open()).map(Listed::from);
    let evaluators = registry.evaluators().iter().filter(|entry| entry.is_open()).map(Listed::from);
    json_list(&players.collect::<Vec<_>>(), &evaluators.collect::<Vec<_>>())
}

fn json_list(players: &[Listed], evaluators: &[Listed]) -> Value {
    let all = |listed: &[Listed]| listed.iter().map(Listed::json).collect::<Vec<_>>();
    json!({ "players": all(players), "evaluators": all(evaluators) })
}

impl Listed {
    /// The summary, and the parameters with their defaults.
    fn overview(&self) -> String {
        let given = |param: &Param| format!("{}={}", param.name, param.default.unwrap_or("..."));
        let params = self.params.iter().map(given).collect::<Vec<_>>().join(", ");
        let mut text = format!("  {:<12} {}", self.name, wrapped(self.summary, 15));
        if !params.is_empty() {
            text.push_str(&format!("{:15}{}", "", wrapped(&params, 15)));
        }
        text
    }

    /// The summary, and every parameter with its help, range and default.
    fn details(&self) -> String {
        let mut text = wrapped(&format!("{}: {}", self.title, self.summary), 4);
        for param in self.params {
            text.push_str(&format!("\n  {:<12} {}", param.name, wrapped(param.help, 15)));
            text.push_str(&format!("{:15}{}", "", wrapped(&values(param), 15)));
        }
        text
    }

    fn json(&self) -> Value {
        let param = |param: &Param| {
            json!({
                "name": param.name,
                "default": param.default,
                "values": param.kind.describe(),
                "unit": param.unit.unwrap_or_default(),
                "help": param.help,
            })
        };
        json!({
            "name": self.name,
            "summary": self.summary,
            "knows_future": self.needs_future,
            "parameters": self.params.iter().map(param).collect::<Vec<_>>(),
        })
    }
}

/// The range of a parameter with its unit, and its default.
fn values(param: &Param) -> String {
    let possible = param.kind.describe();
    let (range, or_none) = match possible.strip_suffix(", or none") {
        Some(range) => (range, ", or none"),
        None => (possible.as_str(), ""),
    };
    let unit = param.unit_in_brackets();
    let default = param.default.map_or("must be given".to_owned(), |value| format!("default {value}"));
    format!("{range}{unit}{or_none}; {default}")
}

/// Breaks a text that starts at column `indent` between words at column 100. The other lines are
/// indented to the same column. The result ends with a new line.
fn wrapped(text: &str, indent: usize) -> String {
    const WIDTH: usize = 100;
    let mut lines = String::new();
    let mut column = indent;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > indent && column + 1 + length > WIDTH {
            lines.push_str(&format!("\n{:indent$}", ""));
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_between_words() {
        let text = "word ".repeat(30);
        let broken = wrapped(text.trim_end(), 15);
        let lines: Vec<&str> = broken.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[1].starts_with(&" ".repeat(15)) && 15 + lines[0].len() <= 100 && lines[1].len() <= 100);
        assert_eq!(wrapped("short", 4), "short\n");
    }

    #[test]
    fn every_player_and_evaluator_can_be_explained() {
        let registry = players::registry();
        for name in registry.entries().iter().map(|entry| entry.name) {
            assert!(find(&registry, name).unwrap()[0].details().starts_with(name));
        }
        for name in registry.evaluators().iter().map(|entry| entry.name) {
            let found = find(&registry, name).unwrap();
            assert!(found.last().unwrap().details().starts_with(&format!("eval={name}: ")));
        }
        assert!(find(&registry, "nobody").is_err());
    }

    #[test]
    fn json_has_both_a_player_and_an_evaluator_of_the_same_name() {
        let registry = players::registry();
        let shown = |name: &str| json_of(&find(&registry, name).unwrap());
        assert_eq!((&shown("greedy")["name"], &shown("rows")["name"]), (&json!("greedy"), &json!("rows")));
        let both = shown("ntuple");
        let (player, evaluator) = (&both["players"][0], &both["evaluators"][0]);
        assert_eq!((&player["name"], &evaluator["name"]), (&json!("ntuple"), &json!("ntuple")));
        assert_ne!(player["parameters"], evaluator["parameters"]);
    }

    #[test]
    fn summaries_say_which_players_know_the_coming_tiles() {
        for entry in players::registry().entries() {
            assert_eq!(
                entry.summary.contains("knows the coming tiles"),
                entry.needs_future,
                "{}",
                entry.name
            );
        }
    }

    #[test]
    fn units_stand_beside_the_numbers() {
        let registry = players::registry();
        let shown = |player: &str, name: &str| {
            let listed = &find(&registry, player).unwrap()[0];
            values(listed.params.iter().find(|param| param.name == name).unwrap())
        };
        assert_eq!(
            shown("expectimax", "depth"),
            "a whole number from 1 to 100 (moves), or none; default none"
        );
        assert_eq!(shown("sum", "table"), "a whole number from 0 to 65,536 (MiB); default 32");
        assert_eq!(shown("minimax", "finish"), "true or false; default true");
        assert_eq!(shown("exec", "cmd"), "a command; must be given");
    }
}
