//! `lab2048 evolve reproduce`: the tests of the source document beside its figures, read in both ways in which they can be.

use clap::Args;
use lab2048::arena::Moments;
use lab2048::evolve::{Bounds, Evolution, Mutation, Settings};
use serde::Serialize;
use serde_json::json;

use super::run::{numbered, threads};
use super::trial::{self, Trial};
use crate::failure::{Failure, Outcome};
use crate::numbers::whole;
use crate::progress::Progress;
use crate::report::Table;
use crate::{interrupt, out, players};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// The initial populations of each test
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(1, 10_000))]
    populations: u64,
    /// The generations; the document does not say how many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = whole(1, 100_000))]
    generations: u64,
    /// The games in which a champion is played again
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole(1, 1_000_000))]
    again: u64,
    /// The games of the random baseline
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = whole(65, 10_000_000))]
    random_games: u64,
    /// The chance of crossover in the second half of the table
    #[arg(long, value_name = "P", default_value_t = 0.9, value_parser = super::options::chance)]
    crossover: f64,
    /// The seed of the first population of each test
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX))]
    seed: u64,
    /// The threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = whole(1, 1024))]
    threads: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print a table of Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// A test of the document: its mutation probability, its depths, and the score and largest tile that it reports.
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

/// The document's random baseline and its upper bound, a single game of another program.
const RANDOM: (u32, u32) = (1095, 107);
const UPPER_BOUND: u32 = 794_076;

/// What a row of the table comes to: a mean over the populations with its standard error.
#[derive(Clone, Debug, Serialize)]
struct Row {
    name: String,
    document: Option<(u32, u32)>,
    /// The best score and the best largest tile of the last population, each program in its one game.
    best: Option<Pair>,
    /// The program with the best score of the last population, played again.
    again: Option<Pair>,
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
            |of: fn(&(f64, f64)) -> f64| Moments::of(results.iter().map(of)).expect("there are results");
        let score = moments(|result| result.0);
        Pair { score: score.mean, error: score.error(), largest: moments(|result| result.1).mean }
    }

    fn words(self) -> [String; 2] {
        [format!("{:.0} ± {:.0}", self.score, self.error), format!("{:.0}", self.largest)]
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let threads = threads(arguments.threads);
    let mut rows = random_rows(arguments, threads)?;
    let total = 2 * TESTS.len() as u64 * arguments.populations;
    let mut progress = Progress::new(total, "populations");
    let mut done = 0;
    for crossover in [0.0, arguments.crossover] {
        for test in &TESTS {
            let (least, most) = test.depths;
            let settings = Settings {
                mutation: test.mutation,
                mutate: Mutation::Function,
                crossover,
                bounds: Bounds { least, most, size: 255 },
                seed: arguments.seed,
                ..Settings::document()
            };
            let (mut best, mut again) = (Vec::new(), Vec::new());
            for number in 0..arguments.populations {
                let (lucky, played) = population(arguments, &numbered(&settings, number), threads)?;
                best.push(lucky);
                again.push((played.score, played.largest));
                done += 1;
                progress.set(done, test.name);
            }
            let name = match crossover {
                0.0 => test.name.to_owned(),
                chance => format!("{}, crossover {:.0}%", test.name, 100.0 * chance),
            };
            let document = (crossover == 0.0).then_some((test.score, test.largest));
            rows.push(Row { name, document, best: Some(Pair::of(&best)), again: Some(Pair::of(&again)) });
        }
    }
    drop(progress);
    if arguments.json {
        return out::print_json(&json!({
            "populations": arguments.populations, "generations": arguments.generations, "again": arguments.again,
            "random_games": arguments.random_games, "seed": arguments.seed, "upper_bound_of_the_document": UPPER_BOUND,
            "rows": rows,
        }));
    }
    show(arguments, &rows)
}

/// Evolves one population and reads it in both ways.
fn population(arguments: &Arguments, settings: &Settings, threads: usize) -> Outcome<((f64, f64), Trial)> {
    let mut evolution = Evolution::new(settings.clone()).map_err(Failure::bad_input)?;
    for _ in 0..arguments.generations {
        evolution
            .step(threads, interrupt::flag())
            .ok_or_else(|| Failure::Interrupted("the reproduction was interrupted".to_owned()))?;
    }
    let last = evolution.reports().last().expect("there is at least one generation");
    let lucky = (last.best_score, last.best_largest);
    let population = evolution.population();
    let best = population.iter().max_by(|a, b| a.marks.score.total_cmp(&b.marks.score));
    let best = best.expect("a population is not empty");
    Ok((lucky, Trial::of(&trial::play(&best.program, arguments.again, threads))))
}

/// Random moves: all games, and the best of each 65 of them.
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
        best: Some(Pair::of(&best)),
        again: Some(Pair::of(&all)),
    }])
}

fn show(arguments: &Arguments, rows: &[Row]) -> Outcome<()> {
    let head = ["", "document", "tile", "best in its one game", "tile", "played again", "tile"];
    let mut table = Table::new(head);
    for row in rows {
        let blank = || ["-".to_owned(), "-".to_owned()];
        let document = row.document.map_or_else(blank, |(score, tile)| [score.to_string(), tile.to_string()]);
        let best = row.best.map_or_else(blank, Pair::words);
        let again = row.again.map_or_else(blank, Pair::words);
        let cells = [document, best, again].into_iter().flatten();
        table.push(std::iter::once(row.name.clone()).chain(cells).collect());
    }
    let table = if arguments.markdown { table.to_markdown() } else { table.to_text() };
    out::print(&format!(
        "{table}\n{} populations of 65, {} generations, tournaments of 5, one game each; champions played again in {} games; \
         ± is a standard error; the document's upper bound is one game of {UPPER_BOUND} points by another program\n",
        arguments.populations, arguments.generations, arguments.again,
    ))
}
