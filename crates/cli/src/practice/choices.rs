//! The list of what can be practised: the user's tables, small boards, collected mistakes.

use std::sync::Arc;

use lab2048::solve::{SubGame, Table, Tables, TablesError};

use super::{Mistakes, PositionOptions, Source};
use crate::failure::{Failure, Outcome};
use crate::show::count;

/// Boards that are solved at once, by the names of their tables.
const SMALL: [&str; 4] = ["2x3-64", "2x3", "2x2-16", "2x2"];
/// How to get a table, for users without any.
pub(crate) const HOW: &str = "For endgames, compute a table: lab2048 solve block --tile 256";

/// What can be practised.
pub(crate) struct Choices {
    /// At least the small boards.
    pub(crate) entries: Vec<Choice>,
    /// Whether there are tables of the user.
    pub(crate) has_tables: bool,
    /// Why the user's tables are not in the list.
    pub(crate) problem: Option<String>,
}

/// Something to practise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The table with this name.
    Table(String),
    /// The file with this name, which cannot be used as a table.
    Unfit(String),
    /// This number of mistakes.
    Mistakes(usize),
}

impl Choices {
    /// Looks for tables and mistakes. Mistakes are no choice if a range of values was given.
    pub(crate) fn find(tables: &Tables, mistakes: &Mistakes, options: &PositionOptions) -> Choices {
        let (names, problem) = match tables.names() {
            Ok(names) => (names, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let has_tables = !names.is_empty();
        let small = SMALL.map(str::to_owned).into_iter().filter(|name| !names.contains(name));
        let small: Vec<String> = small.collect();
        let found = |name: String| match table(tables, &name) {
            Ok(_) => Choice::Table(name),
            Err(_) => Choice::Unfit(name),
        };
        let mut entries: Vec<Choice> = names.into_iter().map(found).collect();
        entries.extend(small.into_iter().map(Choice::Table));
        let mistakes = mistakes.read().map_or(0, |collected| collected.list.len());
        if mistakes > 0 && !options.has_range() {
            entries.push(Choice::Mistakes(mistakes));
        }
        Choices { entries, has_tables, problem }
    }
}

impl Choice {
    /// Name and description.
    pub(crate) fn words(&self) -> (String, String) {
        match self {
            Choice::Mistakes(number) => {
                ("mistakes".to_owned(), format!("drill {}", count(*number as u64, "mistake")))
            }
            Choice::Table(name) => {
                let about = SubGame::named(name).map_or_else(|_| String::new(), |game| game.to_string());
                (name.clone(), about)
            }
            Choice::Unfit(name) => (name.clone(), "cannot be used".to_owned()),
        }
    }

    /// Checks that it can be practised.
    pub(crate) fn check(&self, tables: &Tables) -> Result<(), TablesError> {
        match self {
            Choice::Mistakes(_) => Ok(()),
            Choice::Table(name) | Choice::Unfit(name) => table(tables, name).map(drop),
        }
    }

    /// Where its positions come from.
    pub(crate) fn source(&self, tables: &Tables, options: &PositionOptions) -> Outcome<Source> {
        let name = match self {
            Choice::Mistakes(_) => return Ok(Source::Drill { table: None, queue: Vec::new() }),
            Choice::Table(name) | Choice::Unfit(name) => name,
        };
        options.drawn(table(tables, name).map_err(Failure::bad_input)?)
    }

    /// The argument of `lab2048 practice` that means it.
    pub(crate) fn argument(&self) -> String {
        match self {
            Choice::Mistakes(_) => "--mistakes".to_owned(),
            Choice::Table(name) | Choice::Unfit(name) => name.clone(),
        }
    }
}

/// The table with a name. A file in the folder of tables may have any name.
fn table(tables: &Tables, name: &str) -> Result<Arc<Table>, TablesError> {
    match SubGame::named(name) {
        Ok(game) => tables.of(&game),
        Err(_) => tables.named(name),
    }
}
