//! How a command ends: 0 done, 1 failed, 2 bad input of any kind, 130 interrupted (143, 129 and 131
//! by the signals TERM, HUP and QUIT).

use std::io::{self, Write};
use std::process::ExitCode;

use thiserror::Error;

use crate::interrupt;

/// A command's result.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Why a command did not do what was asked. Each prints as one sentence.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// What was typed, or a file that was named, is not what the command needs.
    #[error("{0}")]
    BadInput(String),
    /// The input was fine but the work failed. The text is empty where it was said already.
    #[error("{0}")]
    Failed(String),
    /// Ctrl-C or a signal; what was reached so far has been shown. The text says what remains to be known, if anything.
    #[error("{0}")]
    Interrupted(String),
    /// Nobody reads our output any more; nothing to complain about.
    #[error("the output was closed")]
    ClosedPipe,
}

impl Failure {
    /// Input that cannot be used, in the words of the error.
    pub(crate) fn bad_input(error: impl ToString) -> Failure {
        Failure::BadInput(error.to_string())
    }

    /// Work that failed, in the words of the error.
    pub(crate) fn failed(error: impl ToString) -> Failure {
        Failure::Failed(error.to_string())
    }

    /// The same failure with words before its sentence that say where it happened.
    pub(crate) fn at(self, place: &str) -> Failure {
        match self {
            Failure::BadInput(reason) => Failure::BadInput(format!("{place}{reason}")),
            Failure::Failed(reason) => Failure::Failed(format!("{place}{reason}")),
            other => other,
        }
    }
}

/// Errors of writing to the standard output. Files are reported with their names where they are used.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(format!("cannot write the output: {error}")),
        }
    }
}

/// Says what went wrong and gives the process its exit code.
pub(crate) fn exit_code(outcome: Outcome<()>) -> ExitCode {
    let (code, text) = match &outcome {
        Ok(()) | Err(Failure::ClosedPipe) => return ExitCode::SUCCESS,
        Err(failure @ Failure::Failed(_)) => (1, failure.to_string()),
        Err(failure @ Failure::BadInput(_)) => (2, failure.to_string()),
        Err(failure @ Failure::Interrupted(_)) => (interrupt::exit_code(), failure.to_string()),
    };
    if !text.is_empty() {
        warn(&text);
    }
    ExitCode::from(code)
}

/// Says something that people should know, whatever comes of it.
pub(crate) fn warn(text: &str) {
    // A closed standard error leaves nobody to tell.
    let _ = writeln!(io::stderr(), "lab2048: {text}");
}
