//! How a command ends: 0 done, 1 failed, 2 bad input of any kind, 130 interrupted (143, 129 and 131
//! by the signals TERM, HUP and QUIT).

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use lab2048::arena::RunError;
use lab2048::learn::TrainingError;
use lab2048::ntuple::{NetworkError, TdlError};
use lab2048::search::NoMemory;
use lab2048::text::in_words;
use thiserror::Error as ThisError;

use crate::interrupt;

/// A command's result.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Why a command failed. Each variant prints as one sentence.
#[derive(Clone, Debug, ThisError)]
pub(crate) enum Failure {
    /// The arguments or a named file cannot be used.
    #[error("{0}")]
    BadInput(String),
    /// The input was valid but the work failed.
    #[error("{0}")]
    Failed(String),
    /// Part of the work failed, and a warning has already said why.
    #[error("part of the work failed")]
    AlreadySaid,
    /// Ctrl-C or a signal. Results so far have been shown. `None` prints nothing.
    #[error("{}", .0.as_deref().unwrap_or("interrupted"))]
    Interrupted(Option<String>),
    /// The reader of our output has closed it. This is not an error for the user.
    #[error("the output was closed")]
    ClosedPipe,
}

impl Failure {
    /// An input error with the error's own message. Running out of memory is never blamed on the
    /// input.
    pub(crate) fn bad_input(error: impl Error + 'static) -> Failure {
        let words = error.to_string();
        if is_out_of_memory(&error) { Failure::Failed(words) } else { Failure::BadInput(words) }
    }

    /// Failed work, with the error's own message.
    pub(crate) fn failed(error: impl ToString) -> Failure {
        Failure::Failed(error.to_string())
    }

    /// An interruption that is reported with these words.
    pub(crate) fn interrupted(words: impl Into<String>) -> Failure {
        Failure::Interrupted(Some(words.into()))
    }

    /// The same failure, with `place` before its message to say where it happened.
    pub(crate) fn at(self, place: &str) -> Failure {
        match self {
            Failure::BadInput(reason) => Failure::BadInput(format!("{place}{reason}")),
            Failure::Failed(reason) => Failure::Failed(format!("{place}{reason}")),
            other => other,
        }
    }
}

/// Whether an error or one of its causes is a lack of memory.
fn is_out_of_memory(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| {
        let network = error.downcast_ref::<NetworkError>();
        let imported = error.downcast_ref::<TdlError>();
        let training = error.downcast_ref::<TrainingError>();
        let system = error.downcast_ref::<io::Error>();
        error.is::<NoMemory>()
            || network.is_some_and(|error| matches!(error, NetworkError::Memory(_)))
            || imported.is_some_and(|error| matches!(error, TdlError::Memory(_)))
            || training.is_some_and(|error| matches!(error, TrainingError::Memory(_)))
            || system.is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory)
    })
}

/// Errors when writing to the standard output. Errors of files are reported with their names by the
/// code that uses them.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(format!("cannot write the output: {}", in_words(&error))),
        }
    }
}

/// Errors of an arena. A player that cannot be built or refuses the games is bad input, as is a
/// number of games that is too large.
impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Unmade { .. } | RunError::Refused { .. } | RunError::TooMany(_) => {
                Failure::bad_input(error)
            }
            RunError::Changed { .. } | RunError::Panicked { .. } | RunError::Sink(_) => {
                Failure::failed(error)
            }
        }
    }
}

/// Prints what went wrong and returns the exit code of the process.
pub(crate) fn exit_code(outcome: Outcome<()>) -> ExitCode {
    let (code, words) = match outcome {
        Ok(()) | Err(Failure::ClosedPipe) => return ExitCode::SUCCESS,
        Err(Failure::AlreadySaid) => (1, None),
        Err(Failure::Failed(words)) => (1, Some(words)),
        Err(Failure::BadInput(words)) => (2, Some(words)),
        Err(Failure::Interrupted(words)) => (interrupt::exit_code(), words),
    };
    if let Some(words) = words {
        warn(&words);
    }
    ExitCode::from(code)
}

/// Prints a warning. It does not change the exit code.
pub(crate) fn warn(text: &str) {
    // If the standard error is closed, nobody can read the warning.
    let _ = writeln!(io::stderr(), "lab2048: {text}");
}
