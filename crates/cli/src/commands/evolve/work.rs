//! Runs evolutions one after another, with progress and a checkpoint: the common part of `evolve`,
//! `evolve sweep` and `evolve reproduce`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use lab2048::evolve::{Evolution, EvolutionSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file::{Checkpoint, Kind, is_stdout, refused};
use super::live::Live;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::numbers::Threads;

/// The time between checkpoints.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(10);

/// Options that do not change the results.
#[derive(Args, Debug)]
pub(super) struct WorkOptions {
    #[command(flatten)]
    threads: Threads,
    /// Write checkpoints to this file; an existing checkpoint is resumed
    #[arg(short, long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

impl WorkOptions {
    /// The number of threads; all cores by default.
    pub(super) fn threads(&self) -> usize {
        self.threads.count()
    }

    /// The path of the checkpoint.
    pub(super) fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    /// Opens the checkpoint of this work. `check` is called with the number and the result of each
    /// finished run.
    pub(super) fn open<P, D>(
        &self,
        kind: Kind,
        settings: P,
        check: impl Fn(usize, &D) -> Result<(), String>,
    ) -> Outcome<Checkpoint<P, D>>
    where
        P: Serialize + DeserializeOwned + PartialEq,
        D: Serialize + DeserializeOwned,
    {
        match &self.checkpoint {
            Some(path) if is_stdout(path) => {
                Err(Failure::BadInput("the checkpoint must be a file, not the standard output".to_owned()))
            }
            Some(path) => Checkpoint::open(path, kind, settings, check),
            None => Ok(Checkpoint::new(kind, settings)),
        }
    }

    /// The error for a checkpoint that does not fit the command.
    pub(super) fn refuse(&self, kind: Kind, reason: &str) -> Failure {
        refused(self.checkpoint.as_deref().unwrap_or(Path::new("")), kind, reason)
    }
}

/// One evolution.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// Its name in the progress display.
    pub(super) name: String,
    pub(super) settings: EvolutionSettings,
    pub(super) generations: u64,
}

/// Runs every job that is not finished yet. `conclude` makes the result of an evolution. After an
/// interruption, the state so far is in `checkpoint` and in its file.
pub(super) fn work<P, D>(
    options: &WorkOptions,
    kind: Kind,
    checkpoint: &mut Checkpoint<P, D>,
    jobs: &[Job],
    conclude: impl Fn(&Evolution) -> Outcome<D>,
) -> Outcome<()>
where
    P: Serialize + DeserializeOwned + PartialEq,
    D: Serialize + DeserializeOwned,
{
    let threads = options.threads();
    let of = |jobs: &[Job]| jobs.iter().map(|job| job.generations).sum::<u64>();
    let done = |finished: usize, current: Option<&Evolution>| {
        of(&jobs[..finished.min(jobs.len())]) + current.map_or(0, |current| current.reports().len() as u64)
    };
    let before = done(checkpoint.finished.len(), checkpoint.current.as_ref());
    let mut live = Live::new(before, of(jobs));
    let mut saved = Instant::now();
    while let Some(job) = jobs.get(checkpoint.finished.len()) {
        let generations = job.generations;
        let mut evolution = match checkpoint.current.take() {
            Some(current) => resumed(current, job).map_err(|why| options.refuse(kind, why))?,
            None => Evolution::new(job.settings.clone()).map_err(Failure::bad_input)?,
        };
        while (evolution.reports().len() as u64) < generations && !interrupt::raised() {
            if evolution.step(threads, interrupt::flag()).is_some() {
                let done = done(checkpoint.finished.len(), Some(&evolution));
                live.show(&job.name, evolution.reports(), generations, done);
            }
            if let Some(path) = options.checkpoint.as_ref().filter(|_| saved.elapsed() >= BETWEEN_CHECKPOINTS)
            {
                checkpoint.current = Some(evolution.clone());
                checkpoint.write(path)?;
                saved = Instant::now();
            }
        }
        let concluded = if interrupt::raised() { None } else { Some(conclude(&evolution)) };
        match concluded {
            Some(Ok(result)) => {
                checkpoint.current = None;
                checkpoint.finished.push(result);
            }
            Some(Err(Failure::Interrupted(_))) | None => {
                checkpoint.current = Some(evolution);
                return Err(interrupted(options, checkpoint));
            }
            Some(Err(failure)) => return Err(failure),
        }
        if let Some(path) = &options.checkpoint {
            checkpoint.write(path)?;
        }
    }
    Ok(())
}

/// Checks that the evolution of a checkpoint belongs to the next job.
fn resumed(current: Evolution, job: &Job) -> Result<Evolution, &'static str> {
    if current.settings() != &job.settings {
        return Err("the running evolution has other settings");
    }
    if current.reports().len() as u64 > job.generations {
        return Err("the running evolution has more generations already");
    }
    Ok(current)
}

fn interrupted<P, D>(options: &WorkOptions, checkpoint: &Checkpoint<P, D>) -> Failure
where
    P: Serialize + DeserializeOwned + PartialEq,
    D: Serialize + DeserializeOwned,
{
    let hint = match &options.checkpoint {
        Some(path) => match checkpoint.write(path) {
            Ok(()) => "run the same command to resume",
            Err(failure) => return failure,
        },
        None => "use --checkpoint FILE to be able to resume",
    };
    Failure::interrupted(format!("interrupted; {hint}"))
}
