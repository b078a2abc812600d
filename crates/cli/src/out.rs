//! The standard output. A closed pipe ends a command quietly instead of with a panic.

use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;

use crate::failure::{Failure, Outcome};

/// A buffered standard output; it must be flushed before input is awaited, and at the end.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Prints a text as it is.
pub(crate) fn print(text: &str) -> Outcome<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a value as JSON, readable by people too.
pub(crate) fn print_json(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}

/// Prints a value as JSON on one line, at once, for output that programs follow while it grows.
pub(crate) fn print_json_line(value: &impl Serialize) -> Outcome<()> {
    let text = serde_json::to_string(value).map_err(Failure::failed)?;
    print(&format!("{text}\n"))
}
