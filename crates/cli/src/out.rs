//! The standard output. If its reader closes it, the command ends quietly instead of panicking.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

use serde::Serialize;

use crate::failure::{Failure, Outcome};

/// A buffered standard output. Flush it before waiting for input, and at the end.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// The width of everything that is not printed to a terminal, in columns.
pub(crate) const WIDTH: usize = 80;

/// The narrowest output. In a smaller terminal, lines are broken by the terminal.
const LEAST_WIDTH: usize = 20;

/// The number of columns for tables: those of the terminal, or [`WIDTH`].
pub(crate) fn width() -> usize {
    let size = io::stdout().is_terminal().then(crossterm::terminal::size).and_then(Result::ok);
    let columns = size.map(|(columns, _)| usize::from(columns)).filter(|&columns| columns > 0);
    columns.unwrap_or(WIDTH).max(LEAST_WIDTH)
}

/// Prints a text unchanged.
pub(crate) fn print(text: &str) -> Outcome<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Outcome<()> {
    print(&json(value)?)
}

/// A value as indented JSON with a line feed.
pub(crate) fn json(value: &impl Serialize) -> Outcome<String> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::failed)?;
    Ok(format!("{text}\n"))
}

/// Prints a value as one line of JSON and flushes it, for programs that follow the output.
pub(crate) fn print_json_line(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string(value).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}
