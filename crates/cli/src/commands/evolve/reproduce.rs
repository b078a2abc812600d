//! `lab2048 evolve reproduce`: repeats the tests of the paper (Long and Zamurovic, "A Genetic 2048
//! Player") and shows the results beside its figures. The figures can be read in two ways, so both
//! are measured: the best single game of a program, and the champion played again.

use clap::Args;
use lab2048::arena::Moments;
use lab2048::evolve::{Bounds, Evolution, EvolutionSettings, Mutation};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::Kind;
use super::options::TableFormat;
use super::run::numbered;
use super::trial::{self, Trial};
use super::work::{Job, WorkOptions, work};
use crate::failure::Outcome;
use crate::numbers::whole;
use crate::report::Table;
use crate::show::count;
use crate::{out, players};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 evolve reproduce\n  lab2048 evolve reproduce --populations 2 --generations 10 --markdown"
)]
pub(super) struct Arguments {
    /// Initial populations per test
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(1, 10_000))]
    populations: u64,
    /// Number of generations; the paper does not say how many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 100_000))]
    generations: u64,
    /// Games in which each champion is measured again
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(1, 1_000_000))]
    again: u64,
    /// Games of the random baseline
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = whole(65, 10_000_000))]
    random_games: u64,
    /// Probability of crossover in the second half of the table
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = super::options::chance)]
    crossover: f64,
    /// Seed of the first population of each test
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX))]
    seed: u64,
    #[command(flatten)]
    format: TableFormat,
    #[command(flatten)]
    work: WorkOptions,
}

/// The settings that determine the populations and their games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReproductionPlan {
    populations: u64,
    generations: u64,
    again: u64,
    crossover: f64,
    seed: u64,
}

/// The result of one population.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    /// The best score and the best largest tile. Each program plays one game.
    best: (f64, f64),
    /// Score and largest tile of the program with the best score, played again.
    again: (f64, f64),
}

/// A test of the paper: its mutation probability and depths, and the score and largest tile that it
/// reports.
struct DocumentTest {
    name: &'static str,
    mutation: f64,
    depths: (usize, usize),
    score: u32,
    largest: u32,
}

const TESTS: [DocumentTest; 4] = [
    DocumentTest { name: "test 1: mutation 100%", mutation: 1.0, depths: (3, 7), score: 3302, largest: 319 },
    DocumentTest { name: "test 2: mutation 35%", mutation: 0.35, depths: (3, 7), score: 2965, largest: 247 },
    DocumentTest { name: "test 3: mutation 0%", mutation: 0.0, depths: (3, 7), score: 3293, largest: 287 },
    DocumentTest { name: "test 4: depth 1-4", mutation: 1.0, depths: (1, 4), score: 2476, largest: 220 },
];

/// The paper's random baseline, and its upper bound: a single game of another program.
const RANDOM: (u32, u32) = (1095, 107);
const UPPER_BOUND: u32 = 794_076;

/// A row of the table: means over the populations with their standard errors.
#[derive(Clone, Debug, Serialize)]
struct Row {
    name: String,
    document: Option<(u32, u32)>,
    /// The best score and the best largest tile of the last generation. Each program plays one
    /// game.
    best: Pair,
    /// The program with the best score of the last generation, played again.
    again: Pair,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Pair {
    score: f64,
    error: f64,
    largest: f64,
}

impl Pair {
    fn of(results: &[(f64, f64)]) -> Pair {
        let moments =
            |of: fn(&(f64, f64)) -> f64| Moments::of(results.iter().map(of)).expect("at least one result");
        let score = moments(|result| result.0);
        Pair { score: score.mean, error: score.error(), largest: moments(|result| result.1).mean }
    }

    fn words(self) -> [String; 2] {
        [format!("{:.0} ± {:.0}", self.score, self.error), format!("{:.0}", self.largest)]
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let &Arguments { populations, generations, again, crossover, seed, .. } = arguments;
    let plan = ReproductionPlan { populations, generations, again, crossover, seed };
    let threads = arguments.work.threads();
    let tests: Vec<(&DocumentTest, f64)> = [0.0, crossover]
        .into_iter()
        .flat_map(|chance| TESTS.iter().map(move |test| (test, chance)))
        .collect();
    let job = |&(test, chance): &(&DocumentTest, f64), number: u64| Job {
        name: format!("{}, population {} of {populations}", test.title(chance), number + 1),
        settings: numbered(&test.settings(chance, seed), number),
        generations,
    };
    let jobs: Vec<Job> =
        tests.iter().flat_map(|test| (0..populations).map(|number| job(test, number))).collect();
    let check = |number: usize, _: &Reading| {
        if number < jobs.len() { Ok(()) } else { Err("it has too many populations".to_owned()) }
    };
    let mut checkpoint = arguments.work.open(Kind::Reproduction, plan, check)?;
    work(&arguments.work, Kind::Reproduction, &mut checkpoint, &jobs, |evolution| {
        reading(evolution, again, threads)
    })?;
    let mut rows = random_rows(arguments, threads)?;
    for ((test, chance), readings) in tests.iter().zip(checkpoint.finished.chunks(populations as usize)) {
        let pair = |of: fn(&Reading) -> (f64, f64)| Pair::of(&readings.iter().map(of).collect::<Vec<_>>());
        rows.push(Row {
            name: test.title(*chance),
            document: (*chance == 0.0).then_some((test.score, test.largest)),
            best: pair(|reading| reading.best),
            again: pair(|reading| reading.again),
        });
    }
    if arguments.format.json {
        return out::print_json(&json!({
            "populations": populations, "generations": generations, "again": again,
            "random_games": arguments.random_games, "seed": seed, "upper_bound_of_the_document": UPPER_BOUND,
            "rows": rows,
        }));
    }
    show(arguments, &rows)
}

impl DocumentTest {
    /// Its name in the table, with the probability of crossover unless that is 0.
    fn title(&self, crossover: f64) -> String {
        match crossover {
            0.0 => self.name.to_owned(),
            chance => format!("{}, crossover {:.0}%", self.name, 100.0 * chance),
        }
    }

    fn settings(&self, crossover: f64, seed: u64) -> EvolutionSettings {
        let (least, most) = self.depths;
        EvolutionSettings {
            mutation: self.mutation,
            mutate: Mutation::Function,
            crossover,
            bounds: Bounds { least, most, size: 255 },
            seed,
            ..EvolutionSettings::document()
        }
    }
}

/// Reads the last generation in both ways.
fn reading(evolution: &Evolution, again: u64, threads: usize) -> Outcome<Reading> {
    let last = evolution.reports().last().expect("at least one generation");
    let population = evolution.population();
    let best = population.iter().max_by(|a, b| a.marks.score.total_cmp(&b.marks.score));
    let best = best.expect("a population with programs");
    let played = Trial::of(&trial::play(&best.program, again, threads)?);
    Ok(Reading { best: (last.best_score, last.best_largest), again: (played.score, played.largest) })
}

/// Random moves: the mean of all games, and the mean of the best in each group of 65.
fn random_rows(arguments: &Arguments, threads: usize) -> Outcome<Vec<Row>> {
    let played = trial::play_player(&players::registry(), "random", arguments.random_games, threads)?;
    let all: Vec<(f64, f64)> = played.iter().map(|game| (game.score as f64, game.largest as f64)).collect();
    let best: Vec<(f64, f64)> = all
        .chunks_exact(65)
        .map(|games| {
            let most = |of: fn(&(f64, f64)) -> f64| games.iter().map(of).fold(0.0, f64::max);
            (most(|game| game.0), most(|game| game.1))
        })
        .collect();
    Ok(vec![Row {
        name: "random moves (best: of 65 games)".to_owned(),
        document: Some(RANDOM),
        best: Pair::of(&best),
        again: Pair::of(&all),
    }])
}

fn show(arguments: &Arguments, rows: &[Row]) -> Outcome<()> {
    let head = ["", "paper", "tile", "best in its one game", "tile", "played again", "tile"];
    let mut table = Table::new(head);
    for row in rows {
        let blank = || ["-".to_owned(), "-".to_owned()];
        let document = row.document.map_or_else(blank, |(score, tile)| [score.to_string(), tile.to_string()]);
        let cells = [document, row.best.words(), row.again.words()].into_iter().flatten();
        table.push(std::iter::once(row.name.clone()).chain(cells).collect());
    }
    let table = arguments.format.write(&table);
    out::print(&format!(
        "{table}\n{} of 65, {}, tournaments of 5, one game each; champions played again in {} games; \
         ± is a standard error; the paper's upper bound is one game of {UPPER_BOUND} points by another program\n",
        count(arguments.populations, "population"),
        count(arguments.generations, "generation"),
        arguments.again,
    ))
}
