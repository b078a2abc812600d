//! Why a player cannot be built.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::SpecError;
use crate::game::{PlayerError, PlayerFilesError, Refusal};
use crate::ntuple::NetworkError;
use crate::search::NoMemory;
use crate::solve::{TableError, TablesError};
use crate::text::in_words;

/// A player that cannot be built: its parameters do not fit together, a file is missing or damaged,
/// or a program does not start.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The spec is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The parameters do not fit together or cannot be used.
    #[error("{0}")]
    Impossible(Cow<'static, str>),
    /// There is not enough memory for the table of a search.
    #[error("{0}; every playing thread has a table, and table=N sets its size")]
    Table(#[from] NoMemory),
    /// The file of a network is missing.
    #[error("cannot read the network {}: {}", path.display(), in_words(source))]
    MissingNetwork {
        /// The file.
        path: PathBuf,
        /// The error of the system.
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
    /// A network that ships as a separate file is missing.
    #[error("{source}; {hint}")]
    MissingShipped {
        /// The error of reading it.
        source: Box<BuildError>,
        /// What to do.
        hint: &'static str,
    },
    /// A network has not been handed over yet.
    #[error("the network '{name}' is not loaded")]
    NotHandedOver {
        /// Its name.
        name: &'static str,
    },
    /// A table of exact values is missing or cannot be used.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// A table of exact values is damaged.
    #[error("a table cannot be used: {0}")]
    DamagedTable(#[from] TableError),
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
    /// The files of a foreign program are not known.
    #[error(transparent)]
    Files(#[from] PlayerFilesError),
    /// The player refuses the game.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The player failed.
    #[error(transparent)]
    Failed(#[from] PlayerError),
}

impl BuildError {
    /// With a message.
    pub fn impossible(words: impl Into<Cow<'static, str>>) -> BuildError {
        BuildError::Impossible(words.into())
    }
}
