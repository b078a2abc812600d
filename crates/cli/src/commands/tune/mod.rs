//! `lab2048 tune`: optimises the weights of a player's evaluator by playing games.

mod journal;

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lab2048::arena::{Arena, Completion, ContestPlan, Record, Workload};
use lab2048::evolve::{Judged, Knob, Objective, TuneError, TuneSettings, Tuning, tune};
use lab2048::players::{Kind, Registry, Spec};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::failure::{Failure, Outcome};
use crate::game_options::GameOptions;
use crate::numbers::{Threads, number, whole};
use crate::progress::Progress;
use crate::{interrupt, out, place, players};

use journal::Journal;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 tune expectimax:eval=rows,depth=2 --games 200 --generations 50 -o rows.jsonl\n  \
    lab2048 tune expectimax:eval=rows,depth=3 --weights empty,merge,lost\n\n\
    The method is CMA-ES. All candidates of a generation play the same seeded games; each generation plays new ones. \
    With -o, the result of each candidate is written as one line of JSON. Run the same command to resume after an \
    interruption, or with more generations to extend the file. The result is the centre of the search distribution, \
    printed as a player spec."
)]
pub(crate) struct Arguments {
    /// Player whose evaluator is tuned; weights start from the values in its spec, or from their
    /// defaults
    #[arg(value_name = "PLAYER")]
    player: String,
    /// Weights to tune, separated by commas [default: all weights of the evaluator]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    weights: Vec<String>,
    /// Number of games per candidate
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1, 1_000_000))]
    games: u64,
    /// Number of generations
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 1_000_000))]
    generations: u64,
    /// Number of candidates per generation [default: 4 + 3 ln(weights)]
    #[arg(long, value_name = "N", value_parser = whole(4, 10_000))]
    population: Option<u64>,
    /// Spread of the first generation, in steps. A step multiplies a weight by e. If the weight
    /// starts at 0 or may be negative, a step adds the magnitude of its start value (1 for 0), at
    /// most a quarter of the range. If the range is narrow, a step adds a quarter of the range
    #[arg(long, value_name = "S", default_value_t = 0.5, value_parser = number(0.001, 10.0))]
    spread: f64,
    /// Fitness of a candidate
    #[arg(long, value_enum, default_value_t = Fitness::Log)]
    fitness: Fitness,
    #[command(flatten)]
    threads: Threads,
    /// Write the results to this file; an existing file is continued
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    game: GameOptions,
}

/// The fitness of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Fitness {
    /// Mean score
    Mean,
    /// Mean of the logarithm of the score; a few lucky games count less
    Log,
}

impl Fitness {
    /// The fitness of one score.
    fn of(self, score: u64) -> f64 {
        match self {
            Fitness::Mean => score as f64,
            // The logarithm of 0 is not finite.
            Fitness::Log => (score.max(1) as f64).ln(),
        }
    }

    /// Converts a mean fitness back to points.
    fn points(self, fitness: f64) -> f64 {
        match self {
            Fitness::Mean => fitness,
            Fitness::Log => fitness.exp(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Fitness::Mean => "mean score",
            Fitness::Log => "geometric mean score",
        }
    }
}

/// All that determines a tuning, except the numbers of generations and threads. It is the first
/// line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    /// The player without the tuned weights, and the games of the first generation.
    plan: ContestPlan,
    games: u64,
    fitness: Fitness,
    search: TuneSettings,
}

/// The file of a tuning.
const RESULTS: place::Kind<'static> =
    place::Kind { name: "the results of tune", content: place::Content::Any, endings: &["jsonl", "json"] };

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let registry = players::registry();
    let spec = registry.parse(&arguments.player).map_err(Failure::bad_input)?;
    let knobs = knobs(&registry, &spec, &arguments.weights)?;
    let rest = without(&spec, &knobs);
    let setup = arguments.game.settle()?;
    setup.check_start()?;
    let population = arguments.population.unwrap_or_else(|| 4 + (3.0 * (knobs.len() as f64).ln()) as u64);
    let seed = setup.seed.unwrap_or(1);
    let task = Task {
        plan: ContestPlan::of_names(setup.game, seed, [rest.to_string()]),
        games: arguments.games,
        fitness: arguments.fitness,
        search: TuneSettings { knobs, spread: arguments.spread, population: population as usize, seed },
    };
    interrupt::explain_delay();
    let (journal, known) = match &arguments.output {
        Some(path) => {
            place::check_resumed(path, &RESULTS)?;
            Journal::open(path, &task)?
        }
        None => (Journal::without_file(), Vec::new()),
    };
    let total = arguments.generations * population;
    let mut games = Games {
        registry: &registry,
        task: &task,
        rest: &rest,
        threads: arguments.threads.count(),
        journal,
        done: known.len() as u64,
        progress: Progress::resumed((known.len() as u64).min(total), total, "candidates"),
        reached: None,
        failure: None,
    };
    let tuned = tune(&task.search, &known, arguments.generations, &mut games);
    let Games { progress, reached, failure, journal, .. } = games;
    drop(progress);
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Some(tuning) = &reached {
        show(&registry, &task, &rest, tuning, arguments.json)?;
    }
    journal.check_in_place()?;
    match tuned {
        Ok(_) => Ok(()),
        Err(TuneError::Interrupted) => {
            let hint = interrupt::how_to_go_on(arguments.output.is_some());
            Err(Failure::interrupted(format!("interrupted; {hint}")))
        }
        Err(error @ (TuneError::OtherTuning(_) | TuneError::Settings(_))) => Err(Failure::bad_input(error)),
        Err(error) => Err(Failure::failed(error)),
    }
}

/// The weights to tune. Each starts from the value in the spec, or from its default.
fn knobs(registry: &Registry, spec: &Spec, wanted: &[String]) -> Outcome<Vec<Knob>> {
    let entry = registry.find(spec.name()).map_err(Failure::bad_input)?;
    let params = registry.params(spec).map_err(Failure::bad_input)?;
    let weights: Vec<_> = params
        .into_iter()
        .skip(entry.params.len())
        .filter_map(|param| match param.kind {
            Kind::Number(least, most) if most.is_finite() => Some((param, least, most)),
            _ => None,
        })
        .collect();
    let names: Vec<&str> = weights.iter().map(|(param, ..)| param.name).collect();
    if names.is_empty() {
        return Err(Failure::BadInput(format!("{spec} has no weights that could be tuned")));
    }
    if let Some(wrong) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        let there = names.join(", ");
        return Err(Failure::BadInput(format!(
            "'{wrong}' is not a weight of {spec}; its weights are: {there}"
        )));
    }
    if let Some(twice) = (1..wanted.len()).find(|&place| wanted[..place].contains(&wanted[place])) {
        return Err(Failure::BadInput(format!("the weight '{}' is given twice", wanted[twice])));
    }
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let knob = |(param, least, most): &(&'static lab2048::players::Param, f64, f64)| {
        let text = spec.value(param.name).or(param.default).unwrap_or_default();
        let start =
            text.parse().map_err(|_| Failure::BadInput(format!("{}={text} is not a number", param.name)))?;
        Knob::new(param.name, start, *least, *most).map_err(Failure::bad_input)
    };
    weights.iter().filter(|(param, ..)| is_wanted(param.name)).map(knob).collect()
}

/// The spec without the tuned weights.
fn without(spec: &Spec, knobs: &[Knob]) -> Spec {
    spec.clone().without(|param| knobs.iter().any(|knob| knob.name == param))
}

/// The player with these weights, rounded to five digits.
fn with_values(registry: &Registry, rest: &Spec, knobs: &[Knob], values: &[f64]) -> Outcome<Spec> {
    let weights = knobs.iter().zip(values);
    let spec = weights.fold(rest.clone(), |spec, (knob, value)| spec.with(&knob.name, digits(*value, knob)));
    registry.parse(&spec.to_string()).map_err(Failure::failed)
}

/// A value rounded to five significant digits, within its range.
fn digits(value: f64, knob: &Knob) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    rounded.clamp(knob.least, knob.most).to_string()
}

/// Judges candidates by playing games, and shows progress.
struct Games<'a> {
    registry: &'a Registry,
    task: &'a Task,
    rest: &'a Spec,
    threads: usize,
    journal: Journal,
    done: u64,
    progress: Progress,
    /// The state after the last complete generation.
    reached: Option<Tuning>,
    failure: Option<Failure>,
}

impl Games<'_> {
    fn play(&mut self, generation: u64, values: &[f64]) -> Outcome<Option<f64>> {
        let spec = with_values(self.registry, self.rest, &self.task.search.knobs, values)?;
        let games = self.task.games;
        let first = generation.checked_mul(games).and_then(|games| games.checked_add(self.task.plan.seed));
        let first = first.ok_or_else(|| Failure::BadInput("there are no seeds left".to_owned()))?;
        let plan = ContestPlan::of_names(self.task.plan.setup.clone(), first, [spec.to_string()]);
        let work = Workload { games, done: 0, threads: self.threads };
        let mut sum = 0.0;
        let finish = Arena::new(plan, vec![self.registry.maker(&spec)]).run(
            &work,
            interrupt::flag(),
            &mut |batch: &[Record]| {
                // Added one by one: the size of a batch depends on the threads, and the rounding of
                // the sum must not.
                batch.iter().for_each(|record| sum += self.task.fitness.of(record.result.score));
                Ok(())
            },
        );
        match finish? {
            Completion::Complete => Ok(Some(sum / games as f64)),
            Completion::Cancelled => Ok(None),
        }
    }
}

impl Objective for Games<'_> {
    fn judge(&mut self, generation: u64, values: &[f64]) -> Option<f64> {
        // After a failure to write, a further judgement would leave a gap in the file.
        if self.failure.is_some() {
            return None;
        }
        match self.play(generation, values) {
            Ok(fitness) => fitness,
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }

    fn judged(&mut self, judged: &Judged) {
        self.done += 1;
        if let Err(failure) = self.journal.append(judged) {
            self.failure.get_or_insert(failure);
        }
        let words = self.reached.as_ref().map_or_else(String::new, |tuning| {
            let points = self.task.fitness.points(tuning.fitness);
            let (what, spread) = (self.task.fitness.words(), tuning.spread);
            format!("generation {}: {what} {points:.0}, spread {spread:.3}", tuning.generations)
        });
        self.progress.set(self.done, &words);
    }

    fn finished(&mut self, tuning: &Tuning) {
        self.reached = Some(tuning.clone());
    }
}

/// Prints the result: each weight before and after, and the spec of the tuned player.
fn show(registry: &Registry, task: &Task, rest: &Spec, tuning: &Tuning, as_json: bool) -> Outcome<()> {
    let knobs = &task.search.knobs;
    let spec = with_values(registry, rest, knobs, &tuning.mean)?.to_string();
    let points = task.fitness.points(tuning.fitness);
    if as_json {
        let weights = knobs.iter().zip(&tuning.mean).map(|(knob, value)| (knob.name.clone(), json!(value)));
        return out::print_json(&json!({
            "player": spec,
            "weights": weights.collect::<serde_json::Map<_, _>>(),
            "generations": tuning.generations,
            "candidates": task.search.population,
            "games": task.games,
            "fitness": task.fitness,
            "points": points,
            "spread": tuning.spread,
            "best": tuning.best,
        }));
    }
    let mut text = String::new();
    let width = knobs.iter().map(|knob| knob.name.len()).max().unwrap_or(0);
    for (knob, &value) in knobs.iter().zip(&tuning.mean) {
        let (name, before, after) = (&knob.name, digits(knob.start, knob), digits(value, knob));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<width$}  {before:>10} -> {after:>10}");
    }
    let (what, generations) = (task.fitness.words(), tuning.generations);
    let each = task.search.population as u64 * task.games;
    let _ = writeln!(text, "\n{what} of generation {generations} ({each} games): {points:.0}\n{spec}");
    out::print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_start_from_the_spec_or_their_defaults() {
        let registry = players::registry();
        let spec = registry.parse("expectimax:eval=rows,depth=2,empty=123").unwrap();
        let all = knobs(&registry, &spec, &[]).unwrap();
        assert!(all.len() > 5 && all.iter().all(|knob| knob.name != "cut"), "only weights of the evaluator");
        let some = knobs(&registry, &spec, &["lost".to_owned(), "empty".to_owned()]).unwrap();
        assert_eq!(some.iter().map(|knob| knob.name.as_str()).collect::<Vec<_>>(), ["empty", "lost"]);
        assert_eq!(some[0].start, 123.0);
        let rest = without(&spec, &some);
        assert_eq!(rest.to_string(), "expectimax:eval=rows,depth=2");
        let tuned = with_values(&registry, &rest, &some, &[1234.5678, 1e9]).unwrap();
        assert_eq!(tuned.to_string(), "expectimax:eval=rows,depth=2,empty=1234.6,lost=1000000000");
    }

    #[test]
    fn unknown_weights_are_refused() {
        let registry = players::registry();
        let greedy = registry.parse("greedy").unwrap();
        assert!(matches!(knobs(&registry, &greedy, &[]), Err(Failure::BadInput(_))));
        let rows = registry.parse("expectimax").unwrap();
        let error = knobs(&registry, &rows, &["emty".to_owned()]).unwrap_err();
        assert!(
            error.to_string().starts_with("'emty' is not a weight of expectimax; its weights are: empty, ")
        );
    }

    #[test]
    fn fitness_is_shown_in_points() {
        assert_eq!(Fitness::Mean.points(Fitness::Mean.of(1000)), 1000.0);
        assert!((Fitness::Log.points(Fitness::Log.of(1000)) - 1000.0).abs() < 1e-9);
        assert_eq!(Fitness::Log.of(0), 0.0);
    }
}
