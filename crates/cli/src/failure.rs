//! How a command ends: 0 done, 1 failed, 2 bad input of any kind, 130 interrupted (143, 129 and 131
//! by the signals TERM, HUP and QUIT).

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use lab2048::learn::TrainingError;
use lab2048::ntuple::NetworkError;
use lab2048::search::NoMemory;
use thiserror::Error as ThisError;

use crate::interrupt;

/// A command's result.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Why a command did not do what was asked. Each prints as one sentence.
#[derive(Debug, ThisError)]
pub(crate) enum Failure {
    /// What was typed, or a file that was named, is not what the command needs.
    #[error("{0}")]
    BadInput(String),
    /// The input was fine but the work failed.
    #[error("{0}")]
    Failed(String),
    /// The work failed in part, and a warning has already said why.
    #[error("the work failed in part")]
    AlreadySaid,
    /// Ctrl-C or a signal; what was reached so far has been shown. The text says what remains to be
    /// known, if anything.
    #[error("{0}")]
    Interrupted(String),
    /// Nobody reads our output any more; nothing to complain about.
    #[error("the output was closed")]
    ClosedPipe,
}

impl Failure {
    /// Input that cannot be used, in the words of the error. A lack of memory is never the fault of
    /// the input.
    pub(crate) fn bad_input(error: impl Error + 'static) -> Failure {
        let words = error.to_string();
        if is_out_of_memory(&error) { Failure::Failed(words) } else { Failure::BadInput(words) }
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

/// Whether an error, or what caused it, is a lack of memory.
fn is_out_of_memory(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| {
        let network = error.downcast_ref::<NetworkError>();
        let training = error.downcast_ref::<TrainingError>();
        let system = error.downcast_ref::<io::Error>();
        error.is::<NoMemory>()
            || network.is_some_and(|error| matches!(error, NetworkError::Memory(_)))
            || training.is_some_and(|error| matches!(error, TrainingError::Memory(_)))
            || system.is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory)
    })
}

/// Errors of writing to the standard output. Files are reported with their names where they are
/// used.
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
        Err(Failure::AlreadySaid) => return ExitCode::from(1),
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
