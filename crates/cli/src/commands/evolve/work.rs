//! Evolutions one after another, shown while they run and kept in a checkpoint: what `evolve`, `evolve sweep` and `evolve reproduce` have
//! in common.

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

/// A checkpoint is written this often.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(10);

/// How long work is done; it changes no result.
#[derive(Args, Debug)]
pub(super) struct WorkOptions {
    #[command(flatten)]
    threads: Threads,
    /// Write checkpoints to this file; an existing checkpoint is resumed
    #[arg(short, long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

impl WorkOptions {
    /// All cores, if nothing else is said.
    pub(super) fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Where a checkpoint is kept.
    pub(super) fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    /// What is there of this work; `check` looks at each finished run, by its number.
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
                Err(Failure::BadInput("a checkpoint is a file, and not the standard output".to_owned()))
            }
            Some(path) => Checkpoint::open(path, kind, settings, check),
            None => Ok(Checkpoint::new(kind, settings)),
        }
    }

    /// A checkpoint that cannot be gone on with, for a reason that only the command knows.
    pub(super) fn refuse(&self, kind: Kind, reason: &str) -> Failure {
        refused(self.checkpoint.as_deref().unwrap_or(Path::new("")), kind, reason)
    }
}

/// One evolution of many.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// What it is called while it runs.
    pub(super) name: String,
    pub(super) settings: EvolutionSettings,
    pub(super) generations: u64,
}

/// Breeds the generations of every job that is not finished yet; `conclude` says what each comes to. When interrupted, the
/// checkpoint is as far as it got, in memory and in its file.
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

/// An evolution from a checkpoint, if it is the one that is due.
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
            Ok(()) => "the same command goes on where it stopped",
            Err(failure) => return failure,
        },
        None => "with --checkpoint FILE it could go on where it stopped",
    };
    Failure::Interrupted(format!("interrupted; {hint}"))
}
