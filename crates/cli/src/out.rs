//! The standard output. If its reader closes it, the command ends quietly instead of panicking.

use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;

use crate::failure::{Failure, Outcome};

/// A buffered standard output. Flush it before waiting for input, and at the end.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Prints a text unchanged.
pub(crate) fn print(text: &str) -> Outcome<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}

/// Prints a value as one line of JSON and flushes it, for programs that follow the output.
pub(crate) fn print_json_line(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string(value).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}
