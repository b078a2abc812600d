//! Why the player of a spec cannot be had.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::SpecError;
use crate::game::{Cannot, PlayerError};
use crate::ntuple::NetworkError;
use crate::search::NoMemory;

/// A player that cannot be had: its parameters do not go together, a file is missing or damaged, a
/// program does not start.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The spec is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The parameters do not go together, or nothing can be made of them.
    #[error("{0}")]
    Impossible(Cow<'static, str>),
    /// There is no memory for the table of a search.
    #[error("{0}; every thread that plays has one, and table=N sets its size")]
    Table(#[from] NoMemory),
    /// The file of a network is not there.
    #[error("cannot read the network {}: {source}", path.display())]
    MissingNetwork {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file of a network cannot be used.
    #[error("cannot use {} as a network: {source}", path.display())]
    UnfitNetwork {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A network that ships as a file of its own is not there.
    #[error("{source}; {hint}")]
    MissingShipped {
        /// Why it cannot be read.
        source: Box<BuildError>,
        /// What to do.
        hint: &'static str,
    },
    /// The built-in network cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The file of a program cannot be used.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Program(#[from] crate::evolve::ProgramFileError),
    /// The file of a shipped network cannot be read.
    #[cfg(feature = "files")]
    #[error(transparent)]
    File(#[from] crate::files::FileError),
    /// The player refuses the game.
    #[error(transparent)]
    Refused(#[from] Cannot),
    /// The player failed.
    #[error(transparent)]
    Failed(#[from] PlayerError),
}

impl BuildError {
    /// In words.
    pub fn impossible(words: impl Into<Cow<'static, str>>) -> BuildError {
        BuildError::Impossible(words.into())
    }
}
