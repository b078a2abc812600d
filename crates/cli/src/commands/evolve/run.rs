//! `lab2048 evolve`: one or several runs and their champions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use lab2048::arena::Moments;
use lab2048::evolve::{Evolution, EvolutionSettings};
use serde_json::{Value, json};

use super::champion::{CHAMPION, Files, Finished, Stage, best_of};
use super::file::{Kind, check_writable, is_same_file, is_stdout, lock_of, write_text};
use super::options::SettingsOptions;
use super::trial::{self, BASELINES, Comparison, FIRST_SEED, Trial};
use super::work::{Job, WorkOptions, work};
use crate::failure::{Failure, Outcome};
use crate::numbers::whole;
use crate::show::count;
use crate::{out, place, players};

#[derive(Args, Debug)]
pub(super) struct RunOptions {
    /// Generations per run, including the first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 1_000_000))]
    generations: u64,
    /// Number of runs, with the seeds SEED, SEED + 1 and so on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 10_000))]
    runs: u64,
    /// Fresh games for the champion of each run
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(1, 10_000_000))]
    trial: u64,
    /// Write the best champion to this file, even after an interruption; with -, standard output
    /// receives only the champion
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the curve of the best run as SVG, even after an interruption; with -, standard output
    /// receives only the curve
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    settings: SettingsOptions,
}

pub(super) fn run(options: &RunOptions) -> Outcome<()> {
    let settings = options.settings.settle()?;
    options.check_files()?;
    let check = |number: usize, run: &Finished| {
        run.check(&numbered(&settings, number as u64), options.generations, options.trial)
    };
    let mut checkpoint = options.work.open(Kind::Evolution, settings.clone(), check)?;
    let threads = options.work.threads();
    let job = |number| {
        let settings = numbered(&settings, number);
        let name = match options.runs {
            1 => format!("seed {}", settings.seed),
            runs => format!("run {} of {runs}, seed {}", number + 1, settings.seed),
        };
        Job { name, settings, generations: options.generations }
    };
    let jobs: Vec<Job> = (0..options.runs).map(job).collect();
    let worked = work(&options.work, Kind::Evolution, &mut checkpoint, &jobs, |evolution| {
        finished(evolution, options.trial, threads)
    });
    // A checkpoint may have more runs, or have begun another one, if there were more --runs before.
    let wanted = checkpoint.finished.len().min(options.runs as usize);
    let runs = &checkpoint.finished[..wanted];
    let (stage, failure) = match worked {
        Err(failure) => (Stage::Evolution(checkpoint.current.as_ref()), failure),
        Ok(()) => match compared(runs, options.trial, threads) {
            Err(failure) => (Stage::Comparison, failure),
            Ok(comparisons) => return conclude(options, &settings, runs, comparisons),
        },
    };
    let Failure::Interrupted(words) = failure else { return Err(failure) };
    let words = words.unwrap_or_else(|| "interrupted".to_owned());
    Err(broken_off(options, &settings, runs, stage, words)?)
}

impl RunOptions {
    /// Refuses files that cannot be written or would be written twice, before the evolution starts.
    fn check_files(&self) -> Outcome<()> {
        let lock = self.work.checkpoint().map(lock_of);
        let files = [
            ("-o", self.output.as_deref()),
            ("--curve", self.curve.as_deref()),
            ("--checkpoint", self.work.checkpoint()),
            ("the lock of --checkpoint", lock.as_deref()),
        ];
        let wrong = |text: String| Err(Failure::BadInput(text));
        for (place, (name, path)) in files.iter().enumerate() {
            let Some(path) = path else { continue };
            let same = |other: &Option<&Path>| other.is_some_and(|other| is_same_file(other, path));
            if let Some((other, _)) = files[..place].iter().find(|(_, other)| same(other)) {
                return wrong(format!("{other} and {name} cannot both write to {}", path.display()));
            }
            if is_stdout(path) && self.json {
                return wrong(format!("{name} and --json cannot both write to the standard output"));
            }
            if !is_stdout(path) {
                check_writable(path)?;
            }
        }
        let replaced = |path: &Option<PathBuf>| path.clone().filter(|path| !is_stdout(path));
        if let Some(path) = replaced(&self.output) {
            let content = place::Content::Begins(&[CHAMPION.as_bytes()]);
            let endings = &["gp", "txt"];
            place::check(&path, &place::Kind { name: "an evolved program", content, endings })?;
        }
        if let Some(path) = replaced(&self.curve) {
            place::check(&path, &place::SVG)?;
        }
        Ok(())
    }

    /// Whether the standard output is used for a file (`-`), so that nothing else is printed there.
    fn gives_stdout_away(&self) -> bool {
        self.output.iter().chain(&self.curve).any(|path| is_stdout(path))
    }
}

/// Handles an interruption: prints the finished runs and writes the best champion so far and the
/// curve of its run. Returns the failure to report.
fn broken_off(
    options: &RunOptions,
    settings: &EvolutionSettings,
    finished: &[Finished],
    stage: Stage<'_>,
    mut words: String,
) -> Outcome<Failure> {
    if !finished.is_empty() && !options.gives_stdout_away() {
        Results::of(options, settings, finished, Vec::new()).print(false)?;
    }
    let Some(Files { seed, program, curve }) = Files::after_interruption(settings, finished, stage) else {
        return Ok(Failure::interrupted(words));
    };
    let so_far = match stage {
        Stage::Evolution(_) => " so far",
        Stage::Comparison => "",
    };
    for (path, text, what) in
        [(&options.output, program, "the best program"), (&options.curve, curve, "the curve of the best run")]
    {
        let Some(path) = path else { continue };
        write_text(path, &text)?;
        if !is_stdout(path) {
            let _ = write!(words, "; {} holds {what}{so_far}, from seed {seed}", path.display());
        }
    }
    Ok(Failure::interrupted(words))
}

/// The settings of one of several runs.
pub(super) fn numbered(settings: &EvolutionSettings, number: u64) -> EvolutionSettings {
    EvolutionSettings { seed: settings.seed.wrapping_add(number), ..settings.clone() }
}

/// The result of an evolution: its champion plays fresh games.
fn finished(evolution: &Evolution, games: u64, threads: usize) -> Outcome<Finished> {
    let champion = evolution.champion().expect("a champion after the first generation").clone();
    let played = trial::play(&champion.program, games, threads)?;
    Ok(Finished {
        seed: evolution.settings().seed,
        trial: Trial::of(&played),
        scores: played.iter().map(|game| game.score).collect(),
        champion,
        reports: evolution.reports().to_vec(),
    })
}

/// Prints the results and writes the requested files. If a file cannot be written, the results are
/// still printed.
fn conclude(
    options: &RunOptions,
    settings: &EvolutionSettings,
    runs: &[Finished],
    comparisons: Vec<Comparison>,
) -> Outcome<()> {
    let best = best_of(runs).expect("at least one run");
    let Files { program, curve, .. } = best.files(settings);
    let output = options.output.as_ref().map(|path| write_text(path, &program));
    let curve = options.curve.as_ref().map(|path| write_text(path, &curve));
    if !options.gives_stdout_away() {
        Results::of(options, settings, runs, comparisons).print(matches!(output, Some(Ok(()))))?;
    }
    output.transpose()?;
    curve.transpose()?;
    Ok(())
}

/// The results of finished runs.
struct Results<'a> {
    options: &'a RunOptions,
    settings: &'a EvolutionSettings,
    runs: &'a [Finished],
    comparisons: Vec<Comparison>,
    scores: Moments,
    largest: Moments,
    best: &'a Finished,
}

impl<'a> Results<'a> {
    /// `runs` must not be empty.
    fn of(
        options: &'a RunOptions,
        settings: &'a EvolutionSettings,
        runs: &'a [Finished],
        comparisons: Vec<Comparison>,
    ) -> Results<'a> {
        let moments = |of: fn(&Finished) -> f64| Moments::of(runs.iter().map(of)).expect("at least one run");
        Results {
            options,
            settings,
            runs,
            comparisons,
            scores: moments(|run| run.trial.score),
            largest: moments(|run| run.trial.largest),
            best: best_of(runs).expect("at least one run"),
        }
    }

    fn print(&self, written: bool) -> Outcome<()> {
        if self.options.json {
            return out::print_json(&self.json());
        }
        out::print(&self.text(written))
    }

    fn json(&self) -> Value {
        json!({
            "settings": self.settings,
            "generations": self.options.generations,
            "complete": self.runs.len() as u64 == self.options.runs,
            "runs": self.runs.iter().map(|run| json!({
                "seed": run.seed, "trial": run.trial, "champion": run.champion, "generations": run.reports,
            })).collect::<Vec<_>>(),
            "first_seed_of_trial": FIRST_SEED,
            "mean_score": self.scores.mean,
            "deviation_between_runs": self.scores.deviation,
            "mean_largest": self.largest.mean,
            "best_seed": self.best.seed,
            "comparisons": self.comparisons.iter().map(Comparison::json).collect::<Vec<_>>(),
        })
    }

    fn text(&self, written: bool) -> String {
        let mut text = String::new();
        for run in self.runs {
            let nodes = count(run.champion.program.size(), "node");
            let (seed, generation) = (run.seed, run.champion.generation);
            let _ = writeln!(
                text,
                "seed {seed}: champion of generation {generation}, {nodes}: {}",
                run.trial.words()
            );
        }
        if self.runs.len() > 1 {
            let _ = writeln!(
                text,
                "{} runs: mean {:.1}, spread {:.1}, largest tile {:.1}",
                self.runs.len(),
                self.scores.mean,
                self.scores.deviation,
                self.largest.mean
            );
        }
        for comparison in &self.comparisons {
            let _ = writeln!(text, "{}", comparison.words());
        }
        let _ = write!(text, "\n{}", self.best.champion.program);
        if let Some(path) = self.options.output.as_ref().filter(|_| written) {
            let _ = writeln!(text, "\nwritten to {0}; lab2048 watch program:file={0}", path.display());
        }
        text
    }
}

/// Compares the champions with the baseline players. A single run is compared game by game. Several
/// runs are compared by their means with the mean of the player.
fn compared(runs: &[Finished], games: u64, threads: usize) -> Outcome<Vec<Comparison>> {
    let registry = players::registry();
    let mut comparisons = Vec::new();
    for baseline in BASELINES {
        let played = trial::play_player(&registry, baseline, games, threads)?;
        let mean = Trial::of(&played).score;
        let pairs: Vec<(f64, f64)> = match runs {
            [only] => only
                .scores
                .iter()
                .zip(&played)
                .map(|(&ours, game)| (ours as f64, game.score as f64))
                .collect(),
            _ => runs.iter().map(|run| (run.trial.score, mean)).collect(),
        };
        comparisons.push(Comparison::of(baseline, mean, &pairs));
    }
    Ok(comparisons)
}
