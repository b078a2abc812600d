//! The checkpoint of `evolve`: what is finished and where the current run stands, as one JSON file that is written whole.

use std::path::Path;

use lab2048::evolve::{Champion, Evolution, Report, Settings};
use lab2048::files::{read_limited, write_whole};
use serde::{Deserialize, Serialize};

use super::trial::Trial;
use crate::failure::{Failure, Outcome};

/// The largest checkpoint that is read.
const MOST_BYTES: u64 = 1 << 30;
const VERSION: u32 = 1;

/// A run that has come to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Finished {
    pub(super) seed: u64,
    pub(super) champion: Champion,
    pub(super) reports: Vec<Report>,
    /// The champion in fresh games.
    pub(super) trial: Trial,
    /// The scores of the champion in those games, in the order of the seeds.
    pub(super) scores: Vec<u64>,
}

/// Everything that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    lab2048: String,
    version: u32,
    /// The settings of the first run; further runs have the seeds after it.
    pub(super) settings: Settings,
    pub(super) finished: Vec<Finished>,
    pub(super) current: Option<Evolution>,
}

impl Checkpoint {
    pub(super) fn new(settings: Settings) -> Checkpoint {
        Checkpoint {
            lab2048: "evolution".to_owned(),
            version: VERSION,
            settings,
            finished: Vec::new(),
            current: None,
        }
    }

    /// Reads the checkpoint of these settings; a fresh one if there is no file. Its finished runs must have so many generations.
    pub(super) fn open(path: &Path, settings: &Settings, generations: u64) -> Outcome<Checkpoint> {
        if !path.exists() {
            return Ok(Checkpoint::new(settings.clone()));
        }
        let bad = |reason: String| {
            Failure::BadInput(format!("{} is not the checkpoint of this evolution: {reason}", path.display()))
        };
        let bytes = read_limited(path, MOST_BYTES).map_err(Failure::bad_input)?;
        let found: Checkpoint = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if found.lab2048 != "evolution" || found.version != VERSION {
            return Err(bad(format!("it has the format {} {}", found.lab2048, found.version)));
        }
        if found.settings != *settings {
            return Err(bad("it was made with other settings".to_owned()));
        }
        if let Some(run) = found.finished.iter().find(|run| run.reports.len() as u64 != generations) {
            return Err(bad(format!("its finished runs have {} generations", run.reports.len())));
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
