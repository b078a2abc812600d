//! `lab2048 evolve sweep`: every combination of some settings, and what each comes to.

use clap::{Args, Parser};
use lab2048::arena::Moments;
use lab2048::evolve::{Program, Settings};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::Kind;
use super::options::SettingsOptions;
use super::run::numbered;
use super::trial::{self, Trial};
use super::work::{Job, WorkOptions, work};
use crate::failure::{Failure, Outcome};
use crate::numbers::whole;
use crate::out;
use crate::report::Table;

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  lab2048 evolve sweep --genome directions --grid mutation=0,0.35,1 --grid tournament=2,5,10 --runs 5"
)]
pub(super) struct Arguments {
    /// An option of evolve with its values: NAME=VALUE,VALUE,...; several make a grid
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    grid: Vec<String>,
    /// The generations of each run
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 1_000_000))]
    generations: u64,
    /// The runs of each combination, with the seeds seed, seed + 1 and so on
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole(1, 10_000))]
    runs: u64,
    /// The fresh games that each champion plays
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(1, 10_000_000))]
    trial: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print a table of Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    settings: SettingsOptions,
}

/// What decides every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    generations: u64,
    runs: u64,
    trial: u64,
    cells: Vec<Settings>,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    seed: u64,
    trial: Trial,
    program: Program,
}

/// Reads one value of a grid as the option of the same name would.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct OneOption {
    #[command(flatten)]
    settings: SettingsOptions,
}

/// An axis of the grid.
struct Axis {
    name: String,
    values: Vec<(String, SettingsOptions)>,
}

impl Axis {
    fn parse(text: &str) -> Outcome<Axis> {
        let wrong = || Failure::BadInput(format!("'{text}' is not NAME=VALUE,VALUE,..."));
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let read = |value: &str| {
            let words = [format!("--{name}"), value.to_owned()];
            let parsed = OneOption::try_parse_from(words).map_err(|error| {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                Failure::BadInput(format!("--grid {name}={value}: {}", first.trim_start_matches("error: ")))
            })?;
            Ok((value.to_owned(), parsed.settings))
        };
        let values =
            values.split(',').filter(|value| !value.is_empty()).map(read).collect::<Outcome<Vec<_>>>()?;
        if name.is_empty() || values.is_empty() {
            return Err(wrong());
        }
        Ok(Axis { name: name.to_owned(), values })
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let axes = arguments.grid.iter().map(|text| Axis::parse(text)).collect::<Outcome<Vec<_>>>()?;
    let count = axes.iter().map(|axis| axis.values.len()).product::<usize>();
    if count > 100_000 {
        return Err(Failure::BadInput(format!("{count} combinations are too many")));
    }
    // Every combination is checked before the first one runs.
    let cells = (0..count).map(|number| cell(arguments, &axes, number)).collect::<Outcome<Vec<_>>>()?;
    let &Arguments { generations, runs, trial, .. } = arguments;
    let plan = Plan {
        generations,
        runs,
        trial,
        cells: cells.iter().map(|(_, settings)| settings.clone()).collect(),
    };
    let mut checkpoint = arguments.work.open::<_, Finished>(Kind::Sweep, plan)?;
    let job = |(names, settings): &(Vec<String>, Settings), number: u64| {
        let named = axes.iter().zip(names).map(|(axis, value)| format!("{} {value}", axis.name));
        let name = format!("{}, run {} of {runs}", named.collect::<Vec<_>>().join(", "), number + 1);
        Job { name, settings: numbered(settings, number) }
    };
    let jobs: Vec<Job> =
        cells.iter().flat_map(|cell| (0..runs).map(move |number| job(cell, number))).collect();
    let threads = arguments.work.threads();
    work(&arguments.work, Kind::Sweep, &mut checkpoint, &jobs, generations, |evolution| {
        let champion = evolution.champion().expect("a generation was judged");
        Ok(Finished {
            seed: evolution.settings().seed,
            trial: Trial::of(&trial::play(&champion.program, trial, threads)?),
            program: champion.program.clone(),
        })
    })?;
    let head = axes.iter().map(|axis| axis.name.as_str());
    let mut table = Table::new(head.chain(["runs", "score", "spread", "largest", "best", "nodes"]));
    let mut rows = Vec::new();
    for ((names, settings), runs) in cells.iter().zip(checkpoint.finished.chunks(runs as usize)) {
        let moments =
            |of: &dyn Fn(usize) -> f64| Moments::of((0..runs.len()).map(of)).expect("there is a run");
        let score = moments(&|run| runs[run].trial.score);
        let largest = moments(&|run| runs[run].trial.largest).mean;
        let nodes = moments(&|run| runs[run].program.size() as f64).mean;
        let best = runs.iter().map(|run| run.trial.score).fold(0.0, f64::max);
        let figures =
            [score.mean, score.deviation, largest, best, nodes].map(|figure| format!("{figure:.1}"));
        let counted = std::iter::once(arguments.runs.to_string());
        table.push(names.iter().cloned().chain(counted).chain(figures).collect());
        rows.push(json!({
            "settings": settings, "runs": runs, "mean_score": score.mean, "deviation": score.deviation,
            "mean_largest": largest,
        }));
    }
    if arguments.json {
        return out::print_json(
            &json!({ "generations": arguments.generations, "grid": arguments.grid, "cells": rows }),
        );
    }
    out::print(&if arguments.markdown { table.to_markdown() } else { table.to_text() })
}

/// The values of a combination and the settings that they come to.
fn cell(arguments: &Arguments, axes: &[Axis], number: usize) -> Outcome<(Vec<String>, Settings)> {
    let (mut rest, mut names) = (number, Vec::new());
    let mut chosen = Vec::new();
    // The last axis runs fastest.
    for axis in axes.iter().rev() {
        let (name, options) = &axis.values[rest % axis.values.len()];
        rest /= axis.values.len();
        names.push(name.clone());
        chosen.push(options);
    }
    names.reverse();
    let mut settings = arguments.settings.settle()?;
    for options in chosen {
        options.apply(&mut settings)?;
    }
    let wrong = |error| Failure::BadInput(format!("{}: {error}", names.join(" ")));
    settings.check().map_err(wrong)?;
    Ok((names, settings))
}
