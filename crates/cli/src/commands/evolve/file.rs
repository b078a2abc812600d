//! The checkpoint of `evolve`, `evolve sweep` and `evolve reproduce`: what is finished and where the current run stands, as one JSON
//! file that is written whole.

use std::path::Path;

use lab2048::evolve::Evolution;
use lab2048::files::{read_limited, write_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Outcome};

/// The largest checkpoint that is read.
const MOST_BYTES: u64 = 1 << 30;
const VERSION: u32 = 1;

/// What work a checkpoint is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Evolution,
    Sweep,
    Reproduction,
}

/// What every checkpoint begins with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    lab2048: Kind,
    version: u32,
}

/// Everything that is kept. `P` decides what is done, `D` is what a finished run comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint<P, D> {
    lab2048: Kind,
    version: u32,
    pub(super) settings: P,
    pub(super) finished: Vec<D>,
    pub(super) current: Option<Evolution>,
}

impl<P: Serialize + DeserializeOwned + PartialEq, D: Serialize + DeserializeOwned> Checkpoint<P, D> {
    pub(super) fn new(kind: Kind, settings: P) -> Checkpoint<P, D> {
        Checkpoint { lab2048: kind, version: VERSION, settings, finished: Vec::new(), current: None }
    }

    /// Reads the checkpoint of these settings; a fresh one if there is no file.
    pub(super) fn open(path: &Path, kind: Kind, settings: P) -> Outcome<Checkpoint<P, D>> {
        if !path.exists() {
            return Ok(Checkpoint::new(kind, settings));
        }
        let bad = |reason: String| refused(path, kind, &reason);
        let bytes = read_limited(path, MOST_BYTES).map_err(Failure::bad_input)?;
        let head: Head = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if head != (Head { lab2048: kind, version: VERSION }) {
            return Err(bad(format!("it is version {} of that of a {}", head.version, head.lab2048.name())));
        }
        let found: Checkpoint<P, D> =
            serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if found.settings != settings {
            return Err(bad("it was made with other settings".to_owned()));
        }
        if let Some(current) = &found.current {
            current.check().map_err(|error| bad(error.to_string()))?;
        }
        Ok(found)
    }

    pub(super) fn write(&self, path: &Path) -> Outcome<()> {
        let text = serde_json::to_string(self).map_err(Failure::failed)?;
        write_whole(path, |out| out.write_all(text.as_bytes())).map_err(Failure::failed)
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Evolution => "evolution",
            Kind::Sweep => "sweep",
            Kind::Reproduction => "reproduction",
        }
    }
}

/// A file that cannot be gone on with.
pub(super) fn refused(path: &Path, kind: Kind, reason: &str) -> Failure {
    Failure::BadInput(format!("{} is not the checkpoint of this {}: {reason}", path.display(), kind.name()))
}
