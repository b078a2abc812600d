//! The list of what can be practised, line by line.

use lab2048::solve::Tables;
use lab2048::text::shortened;

use crate::failure::{Outcome, warn};
use crate::out;
use crate::practice::{Choice, Choices, HOW, Mistakes, PositionOptions};
use crate::questions::{Answer, ask, numbered, place_of};
use crate::subgame_options::SubGameOptions;

/// Shows the list and asks for an entry: its number or its name, or the name of any other table. A
/// table that cannot be used is not accepted.
pub(crate) fn ask_what(tables: &Tables, options: &PositionOptions) -> Outcome<Answer<Choice>> {
    let Choices { entries, has_tables, problem } = Choices::find(tables, &Mistakes::of_user(), options);
    problem.iter().for_each(|problem| warn(problem));
    let words: Vec<(String, String)> = entries.iter().map(Choice::words).collect();
    out::print(&numbered(words.iter().map(|(name, about)| (name.as_str(), about.as_str()))))?;
    if !has_tables {
        out::print(&format!("{HOW}\n"))?;
    }
    let read_choice = |line: &str| {
        if let Some(place) = place_of(line, words.iter().map(|(name, _)| name.as_str())) {
            return Ok(entries[place].clone());
        }
        let game = SubGameOptions::of_name(line).settle();
        game.map(|game| Choice::Table(game.name())).map_err(|_| {
            format!(
                "'{}' is not a choice: type a number from 1 to {}, or the name of a table like block-512",
                shortened(line),
                entries.len()
            )
        })
    };
    let read = |line: &str| {
        let choice = read_choice(line)?;
        choice.check(tables).map(|()| choice).map_err(|error| error.to_string())
    };
    ask("what to practise", Some("1"), read)
}
