//! `lab2048 evolve sweep`: runs every combination of some settings and tabulates the results.

use std::collections::HashMap;

use clap::{Args, Parser};
use lab2048::arena::Moments;
use lab2048::evolve::{EvolutionSettings, Program};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::Kind;
use super::options::{SettingsOptions, TableFormat};
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
    /// A setting of evolve, or generations, and its values: NAME=VALUE,VALUE,... Repeat the option
    /// to make a grid. A plus sign joins the nodes of one value: without=add+max,first
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    grid: Vec<String>,
    /// Generations per run, unless the grid sets them
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 1_000_000))]
    generations: u64,
    /// Runs per combination, with the seeds SEED, SEED + 1 and so on
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole(1, 10_000))]
    runs: u64,
    /// Fresh games for each champion
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(1, 10_000_000))]
    trial: u64,
    #[command(flatten)]
    format: TableFormat,
    #[command(flatten)]
    work: WorkOptions,
    #[command(flatten)]
    settings: SettingsOptions,
}

/// The settings that determine every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepPlan {
    runs: u64,
    trial: u64,
    cells: Vec<Cell>,
}

/// One combination of the grid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    generations: u64,
    settings: EvolutionSettings,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    seed: u64,
    trial: Trial,
    program: Program,
}

/// Parses one value of the grid like the option of the same name.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct OneOption {
    #[command(flatten)]
    settings: SettingsOptions,
}

/// An axis of the grid.
struct Axis {
    name: String,
    values: Vec<(String, Choice)>,
}

/// The setting that a value of an axis changes.
enum Choice {
    Generations(u64),
    Settings(Box<SettingsOptions>),
}

impl Axis {
    fn parse(text: &str) -> Outcome<Axis> {
        let wrong = || Failure::BadInput(format!("'{text}' is not NAME=VALUE,VALUE,..."));
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let read = |value: &str| {
            let bad = |why: &str| Failure::BadInput(format!("--grid {name}={value}: {why}"));
            if name == "generations" {
                let generations = whole(1, 1_000_000)(value).map_err(|why| bad(&why))?;
                return Ok((value.to_owned(), Choice::Generations(generations)));
            }
            if matches!(name, "runs" | "trial" | "threads" | "checkpoint") {
                return Err(bad("it is the same for the whole grid"));
            }
            let list = if matches!(name, "nodes" | "with" | "without") {
                value.replace('+', ",")
            } else {
                value.to_owned()
            };
            let parsed = OneOption::try_parse_from([format!("--{name}"), list]).map_err(|error| {
                let text = error.to_string();
                bad(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
            })?;
            Ok((value.to_owned(), Choice::Settings(Box::new(parsed.settings))))
        };
        let values =
            values.split(',').filter(|value| !value.is_empty()).map(read).collect::<Outcome<Vec<_>>>()?;
        if name.is_empty() || values.is_empty() {
            return Err(wrong());
        }
        if let Some(place) =
            (1..values.len()).find(|&place| values[..place].iter().any(|v| v.0 == values[place].0))
        {
            return Err(Failure::BadInput(format!("--grid {name} has the value {} twice", values[place].0)));
        }
        Ok(Axis { name: name.to_owned(), values })
    }
}

/// Parses the axes. Each option may be used only once.
fn axes(arguments: &Arguments) -> Outcome<Vec<Axis>> {
    let axes = arguments.grid.iter().map(|text| Axis::parse(text)).collect::<Outcome<Vec<_>>>()?;
    let typed = arguments.settings.typed();
    for (place, Axis { name, .. }) in axes.iter().enumerate() {
        if axes[..place].iter().any(|other| other.name == *name) {
            return Err(Failure::BadInput(format!("--grid {name} is given twice")));
        }
        if typed.contains(&name.as_str()) {
            return Err(Failure::BadInput(format!("--{name} and --grid {name} cannot both be given")));
        }
    }
    Ok(axes)
}

/// Refuses combinations with the same settings, such as 1 and 1.0.
fn check_different(cells: &[(Vec<String>, Cell)]) -> Outcome<()> {
    let mut seen: HashMap<String, &[String]> = HashMap::new();
    for (names, cell) in cells {
        let text = serde_json::to_string(cell).map_err(Failure::failed)?;
        if let Some(other) = seen.insert(text, names) {
            let (one, other) = (other.join(", "), names.join(", "));
            return Err(Failure::BadInput(format!("--grid: {one} and {other} mean the same")));
        }
    }
    Ok(())
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let axes = axes(arguments)?;
    let count = axes.iter().map(|axis| axis.values.len()).fold(1, usize::saturating_mul);
    if count > 100_000 {
        return Err(Failure::BadInput(format!("{count} combinations are too many")));
    }
    // Every combination is checked before the first one runs.
    let cells = (0..count).map(|number| cell(arguments, &axes, number)).collect::<Outcome<Vec<_>>>()?;
    check_different(&cells)?;
    let &Arguments { runs, trial, .. } = arguments;
    let plan = SweepPlan { runs, trial, cells: cells.iter().map(|(_, cell)| cell.clone()).collect() };
    let job = |(names, cell): &(Vec<String>, Cell), number: u64| {
        let named = axes.iter().zip(names).map(|(axis, value)| format!("{} {value}", axis.name));
        let name = format!("{}, run {} of {runs}", named.collect::<Vec<_>>().join(", "), number + 1);
        Job { name, settings: numbered(&cell.settings, number), generations: cell.generations }
    };
    let jobs: Vec<Job> =
        cells.iter().flat_map(|cell| (0..runs).map(move |number| job(cell, number))).collect();
    let check = |number: usize, run: &Finished| match jobs.get(number) {
        Some(job)
            if run.seed == job.settings.seed
                && run.trial.games == trial
                && job.settings.could_breed(&run.program) =>
        {
            Ok(())
        }
        _ => Err(format!("its finished run {} does not belong to this grid", number + 1)),
    };
    let mut checkpoint = arguments.work.open(Kind::Sweep, plan, check)?;
    let threads = arguments.work.threads();
    work(&arguments.work, Kind::Sweep, &mut checkpoint, &jobs, |evolution| {
        let champion = evolution.champion().expect("a champion after the first generation");
        Ok(Finished {
            seed: evolution.settings().seed,
            trial: Trial::of(&trial::play(&champion.program, trial, threads)?),
            program: champion.program.clone(),
        })
    })?;
    let head = axes.iter().map(|axis| axis.name.as_str());
    let mut table = Table::new(head.chain(["runs", "score", "s.e.", "spread", "largest", "best", "nodes"]));
    let mut rows = Vec::new();
    for ((names, cell), runs) in cells.iter().zip(checkpoint.finished.chunks(runs as usize)) {
        let moments =
            |of: &dyn Fn(usize) -> f64| Moments::of((0..runs.len()).map(of)).expect("at least one run");
        let score = moments(&|run| runs[run].trial.score);
        let largest = moments(&|run| runs[run].trial.largest).mean;
        let nodes = moments(&|run| runs[run].program.size() as f64).mean;
        let best = runs.iter().map(|run| run.trial.score).fold(0.0, f64::max);
        // A single run has no spread.
        let between = |figure: f64| if runs.len() > 1 { format!("{figure:.1}") } else { "-".to_owned() };
        let figure = |figure: f64| format!("{figure:.1}");
        let figures = [
            figure(score.mean),
            between(score.error()),
            between(score.deviation),
            figure(largest),
            figure(best),
            figure(nodes),
        ];
        let counted = std::iter::once(arguments.runs.to_string());
        table.push(names.iter().cloned().chain(counted).chain(figures).collect());
        rows.push(json!({
            "generations": cell.generations, "settings": cell.settings, "runs": runs, "mean_score": score.mean,
            "error": score.error(), "deviation": score.deviation, "mean_largest": largest,
        }));
    }
    if arguments.format.json {
        return out::print_json(&json!({ "grid": arguments.grid, "cells": rows }));
    }
    out::print(&arguments.format.write(&table))
}

/// The values and the settings of a combination.
fn cell(arguments: &Arguments, axes: &[Axis], number: usize) -> Outcome<(Vec<String>, Cell)> {
    let (mut rest, mut names) = (number, Vec::new());
    let mut generations = arguments.generations;
    let mut chosen = vec![&arguments.settings];
    // The last axis runs fastest.
    for axis in axes.iter().rev() {
        let (name, choice) = &axis.values[rest % axis.values.len()];
        rest /= axis.values.len();
        names.push(name.clone());
        match choice {
            Choice::Generations(given) => generations = *given,
            Choice::Settings(options) => chosen.push(options),
        }
    }
    names.reverse();
    let settings = SettingsOptions::settle_all(&chosen)
        .map_err(|error| Failure::BadInput(format!("{}: {error}", names.join(" "))))?;
    Ok((names, Cell { generations, settings }))
}
