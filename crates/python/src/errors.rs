//! The mapping of errors to exceptions. The classes are defined in `python/lab2048/_errors.py`.

use std::fmt::Display;
use std::io;

use lab2048::arena::RunError;
use lab2048::files::FileError;
use pyo3::PyErr;
use pyo3::exceptions::PyOSError;

pyo3::import_exception!(lab2048._errors, IllegalMove);
pyo3::import_exception!(lab2048._errors, InvalidInput);
pyo3::import_exception!(lab2048._errors, PlayerFailed);
pyo3::import_exception!(lab2048._errors, ReplayFault);

/// An argument is not valid.
pub(crate) fn invalid(error: impl Display) -> PyErr {
    InvalidInput::new_err(error.to_string())
}

/// The game does not allow this.
pub(crate) fn illegal(error: impl Display) -> PyErr {
    IllegalMove::new_err(error.to_string())
}

/// A player cannot be built, or does not answer.
pub(crate) fn failed(error: impl Display) -> PyErr {
    PlayerFailed::new_err(error.to_string())
}

/// A replay is not valid.
pub(crate) fn fault(error: impl Display) -> PyErr {
    ReplayFault::new_err(error.to_string())
}

/// A file cannot be read or written.
pub(crate) fn file(error: FileError) -> PyErr {
    match &error {
        FileError::Read { source, .. } | FileError::Write { source, .. } => of_system(source.kind(), &error),
        FileError::TooLarge { .. } => PyOSError::new_err(error.to_string()),
    }
}

/// The system reported an error: FileNotFoundError, PermissionError and so on, or just OSError.
pub(crate) fn of_system(kind: io::ErrorKind, error: impl Display) -> PyErr {
    io::Error::new(kind, error.to_string()).into()
}

/// A contest failed.
pub(crate) fn run(error: RunError) -> PyErr {
    match error {
        RunError::TooMany { .. } => invalid(error),
        RunError::Sink(error) => PyOSError::new_err(error.to_string()),
        _ => failed(error),
    }
}
