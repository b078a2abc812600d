//! `lab2048 evolve`: one run or several, with their champions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use lab2048::arena::Moments;
use lab2048::evolve::{Champion, Evolution, Report, Settings};
use lab2048::files::write_whole;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::Kind;
use super::options::SettingsOptions;
use super::picture;
use super::trial::{self, BASELINES, Comparison, FIRST_SEED, Trial};
use super::work::{Job, WorkOptions, work};
use crate::failure::{Failure, Outcome};
use crate::numbers::whole;
use crate::{out, players};

#[derive(Args, Debug)]
pub(super) struct RunOptions {
    /// The generations of each run, the first one included
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 1_000_000))]
    generations: u64,
    /// Repeat with other seeds: seed, seed + 1 and so on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1, 10_000))]
    runs: u64,
    /// The fresh games that the champion of each run plays
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(1, 10_000_000))]
    trial: u64,
    /// Write the best champion to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the course of the best run as SVG
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

/// A run that has come to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    seed: u64,
    champion: Champion,
    reports: Vec<Report>,
    /// The champion in fresh games.
    trial: Trial,
    /// The scores of the champion in those games, in the order of the seeds.
    scores: Vec<u64>,
}

pub(super) fn run(options: &RunOptions) -> Outcome<()> {
    let settings = options.settings.settle()?;
    let mut checkpoint = options.work.open::<_, Finished>(Kind::Evolution, settings.clone())?;
    let generations = |run: &Finished| run.reports.len() as u64;
    if let Some(other) =
        checkpoint.finished.iter().map(generations).find(|&count| count != options.generations)
    {
        let reason = format!("its finished runs have {other} generations");
        return Err(options.work.refuse(Kind::Evolution, &reason));
    }
    let threads = options.work.threads();
    let job = |number| {
        let settings = numbered(&settings, number);
        let name = match options.runs {
            1 => format!("seed {}", settings.seed),
            runs => format!("run {} of {runs}, seed {}", number + 1, settings.seed),
        };
        Job { name, settings }
    };
    let jobs: Vec<Job> = (0..options.runs).map(job).collect();
    let worked =
        work(&options.work, Kind::Evolution, &mut checkpoint, &jobs, options.generations, |evolution| {
            finished(evolution, options.trial, threads)
        });
    let champion = checkpoint.current.as_ref().and_then(Evolution::champion);
    if let (Err(Failure::Interrupted(_)), Some(path), Some(champion)) = (&worked, &options.output, champion) {
        write_text(path, &champion.program.to_string())?;
    }
    worked?;
    conclude(options, &settings, &checkpoint.finished[..options.runs as usize], threads)
}

/// The settings of a run of several.
pub(super) fn numbered(settings: &Settings, number: u64) -> Settings {
    Settings { seed: settings.seed.wrapping_add(number), ..settings.clone() }
}

/// The champion of an evolution that has come to its end, in fresh games.
fn finished(evolution: &Evolution, games: u64, threads: usize) -> Outcome<Finished> {
    let champion = evolution.champion().expect("a generation was judged").clone();
    let played = trial::play(&champion.program, games, threads)?;
    Ok(Finished {
        seed: evolution.settings().seed,
        trial: Trial::of(&played),
        scores: played.iter().map(|game| game.score).collect(),
        champion,
        reports: evolution.reports().to_vec(),
    })
}

pub(super) fn write_text(path: &Path, text: &str) -> Outcome<()> {
    write_whole(path, |out| out.write_all(text.as_bytes())).map_err(Failure::failed)
}

/// Writes what was asked for and says what was found.
fn conclude(options: &RunOptions, settings: &Settings, runs: &[Finished], threads: usize) -> Outcome<()> {
    let best = runs
        .iter()
        .max_by(|a, b| a.champion.marks.fitness.total_cmp(&b.champion.marks.fitness))
        .expect("there is a run");
    if let Some(path) = &options.output {
        write_text(path, &program_file(best, settings))?;
    }
    if let Some(path) = &options.curve {
        let title = format!("run with seed {}: champion {:.0} in fresh games", best.seed, best.trial.score);
        write_text(path, &picture::draw(&title, &best.reports))?;
    }
    let comparisons = compared(runs, options.trial, threads)?;
    let scores = Moments::of(runs.iter().map(|run| run.trial.score)).expect("there is a run");
    let largest = Moments::of(runs.iter().map(|run| run.trial.largest)).expect("there is a run");
    if options.json {
        return out::print_json(&json!({
            "settings": settings,
            "generations": options.generations,
            "runs": runs.iter().map(|run| json!({
                "seed": run.seed, "trial": run.trial, "champion": run.champion, "generations": run.reports,
            })).collect::<Vec<_>>(),
            "first_seed_of_trial": FIRST_SEED,
            "mean_score": scores.mean,
            "deviation_between_runs": scores.deviation,
            "mean_largest": largest.mean,
            "best_seed": best.seed,
            "comparisons": comparisons.iter().map(Comparison::json).collect::<Vec<_>>(),
        }));
    }
    let mut text = String::new();
    for run in runs {
        let Trial { games, score, error, largest, .. } = run.trial;
        let _ = writeln!(
            text,
            "run {}: champion of generation {}, {} nodes: {score:.1} ± {error:.1} points, largest tile {largest:.1} \
             ({games} fresh games)",
            run.seed,
            run.champion.generation,
            run.champion.program.size(),
        );
    }
    if runs.len() > 1 {
        let _ = writeln!(
            text,
            "{} runs: mean {:.1}, spread {:.1}, largest tile {:.1}",
            runs.len(),
            scores.mean,
            scores.deviation,
            largest.mean
        );
    }
    for comparison in &comparisons {
        let _ = writeln!(text, "{}", comparison.words());
    }
    let _ = write!(text, "\n{}", best.champion.program);
    if let Some(path) = &options.output {
        let _ = writeln!(text, "\nwritten to {0}; lab2048 watch program:file={0}", path.display());
    }
    out::print(&text)
}

/// The champions against players in the same games: paired by game for one run, by run for several.
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

/// The file of a champion: where it comes from as comments, then the program.
fn program_file(run: &Finished, settings: &Settings) -> String {
    let Trial { games, score, error, largest, .. } = run.trial;
    format!(
        "; evolved by lab2048 {}: {:?}, population {}, seed {}, generation {}\n\
         ; {score:.1} ± {error:.1} points and a largest tile of {largest:.1} on average over {games} fresh games\n{}",
        env!("CARGO_PKG_VERSION"),
        settings.genome,
        settings.population,
        run.seed,
        run.champion.generation,
        run.champion.program
    )
}
