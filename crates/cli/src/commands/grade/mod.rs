//! `lab2048 grade`: the grader of a course in which programs play 2048. It grades one submission,
//! one of our players, or a whole class. `docs/reference/grading.md` describes the rules and their
//! interpretation.

mod comparison;
mod cores;
mod fence;
mod folder;
mod gradebook;
mod grading;
mod marks;
mod output;
mod python;
mod removal;
mod report_marks;
mod results;
mod show;
mod sources;
mod submission;
#[cfg(target_os = "linux")]
mod team;
#[cfg(target_os = "linux")]
mod worker;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use lab2048::text::in_words;

use self::gradebook::Format;
use self::grading::{Grade, GradingPlan, News};
use self::python::Python;
use self::show::{Conditions, One};
use self::submission::ResourceLimits;
#[cfg(target_os = "linux")]
pub(crate) use self::worker::{Arguments as WorkerArguments, run as run_worker};
use crate::failure::{Failure, Outcome};
use crate::numbers::{time, whole, whole_as};
use crate::{interrupt, out, players};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 grade search.py\n  lab2048 grade --player expectimax:depth=2\n  \
    lab2048 grade --compare submissions --reports reports.csv -o grades.html\n\n\
    A submission defines NextMove(Grid, Step) -> int: 0 up, 1 down, 2 left, 3 right, 4 quit; any other integer does nothing. One \
    Python process plays all games of a submission, in a fresh folder, with limits on time and memory. Its output is discarded \
    unless --show-output is given. With -o, a comparison keeps its grades in a file that ends in .results: run the same command \
    to resume after an interruption, or to grade the submissions that have changed. docs/reference/grading.md describes the rules."
)]
#[command(group = ArgGroup::new("subject").required(true).args(["submission", "player", "compare"]))]
pub(crate) struct Arguments {
    /// Submission: a Python file, or a folder that contains search.py
    #[arg(value_name = "SUBMISSION")]
    submission: Option<PathBuf>,
    /// Grade a lab2048 player instead (see `lab2048 players`)
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Grade and rank all submissions in a folder, NAME.py or NAME/search.py; names that begin with
    /// . or _ are ignored
    #[arg(long, value_name = "FOLDER")]
    compare: Option<PathBuf>,
    /// Marks of the reports for --compare: lines of NAME,PERCENT
    #[arg(long, value_name = "FILE", requires = "compare", conflicts_with_all = ["submission", "player"])]
    reports: Option<PathBuf>,
    /// Number of submissions at the same time with --compare, each with processors of its own
    /// [default: one for each core but one, if the memory is enough]
    #[arg(long, value_name = "N", requires = "compare", conflicts_with_all = ["submission", "player"], value_parser = whole_as::<usize>(1, 1024), allow_hyphen_values = true)]
    jobs: Option<usize>,
    /// Write the result of --compare to this file; the grades are also kept, in a file beside it
    #[arg(short, long, value_name = "FILE", requires = "compare", conflicts_with_all = ["submission", "player"])]
    output: Option<PathBuf>,
    /// Grade all submissions again, with another seed; the file with the old grades is renamed, not
    /// deleted
    #[arg(long, requires = "output")]
    fresh: bool,
    /// Output format of --compare [default: by the name of FILE, otherwise table]
    #[arg(long, value_enum, requires = "compare", conflicts_with_all = ["submission", "player"])]
    format: Option<Format>,
    /// Number of games, each from a different grid
    #[arg(long, value_name = "N", default_value_t = marks::GAMES, value_parser = whole(1, 10_000), allow_hyphen_values = true)]
    games: u64,
    /// Time limit for all games of a submission, like 90s or 40min
    #[arg(long, value_name = "TIME", default_value = "40min", value_parser = time(Duration::from_micros(1), Duration::from_secs(86_400)), allow_hyphen_values = true)]
    time: Duration,
    /// Memory limit of a submission in MiB, including its files
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = whole(64, 1 << 24), allow_hyphen_values = true, conflicts_with = "player")]
    memory: u64,
    /// Let submissions use the network, which is otherwise blocked (on Linux)
    #[arg(long, conflicts_with = "player")]
    network: bool,
    /// Python interpreter that runs submissions
    #[arg(long, value_name = "PATH", default_value = "python3", conflicts_with = "player")]
    python: PathBuf,
    /// Seed of the first game, or - to read it from standard input [default: random, and shown].
    /// Whoever knows the seed knows the coming tiles, and a submission can read the command line
    #[arg(long, value_name = "N", value_parser = seed, allow_hyphen_values = true)]
    seed: Option<Seed>,
    /// Show the output of the submission, with tracebacks: the first and the last 32 KiB, as plain
    /// text
    #[arg(long, conflicts_with_all = ["player", "compare"])]
    show_output: bool,
    /// Print JSON; same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// The hidden command that turns this program into a submission's Python. Only `lab2048 grade`
/// calls it.
#[cfg(target_os = "linux")]
#[derive(Args, Debug)]
pub(crate) struct Fenced {
    /// The user id to switch to
    #[arg(long)]
    user: Option<u32>,
    /// Keep the right to read every file
    #[arg(long, requires = "user")]
    reads_all: bool,
    /// Limit on the total bytes of its files
    #[arg(long)]
    files: u64,
    /// Give it a private file system
    #[arg(long)]
    private: bool,
    /// Let it use the network
    #[arg(long)]
    network: bool,
    /// A processor that it may use; without any, all of them
    #[arg(long)]
    processor: Vec<usize>,
    /// A file that it does not see
    #[arg(long)]
    hide: Vec<PathBuf>,
    /// The temporary folder of several graders
    #[arg(long)]
    shared: Option<PathBuf>,
    /// The program to execute
    program: PathBuf,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

#[cfg(target_os = "linux")]
pub(crate) fn run_fenced(fenced: Fenced) -> Outcome<()> {
    let Fenced { user, reads_all, files, private, network, processor, hide, shared, program, arguments } =
        fenced;
    let apart = fence::Apart { processors: processor, hidden: hide, shared };
    let who = user.map_or(fence::Who::SameUser, |user| fence::Who::OwnUser { user, reads_all });
    let place = fence::Place { who, is_private: private };
    let error =
        fence::become_fenced(place, &apart, fence::Allowance { files, network }, &program, &arguments);
    Err(Failure::Failed(format!("cannot start {}: {}", program.display(), in_words(&error))))
}

/// Where the seed of the first game comes from.
#[derive(Clone, Copy, Debug)]
enum Seed {
    /// The command line.
    Given(u64),
    /// Standard input.
    Typed,
}

fn seed(text: &str) -> Result<Seed, String> {
    if text == "-" { Ok(Seed::Typed) } else { whole(0, u64::MAX)(text).map(Seed::Given) }
}

impl Seed {
    /// The seed itself.
    fn number(self) -> Outcome<u64> {
        match self {
            Seed::Given(number) => Ok(number),
            Seed::Typed => {
                let mut line = String::new();
                // 64 bytes are more than any valid number needs.
                let read = io::stdin().lock().take(64).read_line(&mut line);
                let wrong = |why: String| Failure::BadInput(format!("the seed on standard input: {why}"));
                read.map_err(|error| wrong(in_words(&error)))?;
                whole(0, u64::MAX)(line.trim()).map_err(wrong)
            }
        }
    }
}

/// A seed that nobody can guess: the keys of a hash table come from the system's randomness. It has
/// 53 bits, which every JSON parser keeps exactly.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 11
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::heed_quit();
    let limits = ResourceLimits {
        time: arguments.time,
        memory: arguments.memory << 20,
        network: arguments.network,
        keeps_output: arguments.show_output,
    };
    let given = arguments.seed.map(Seed::number).transpose()?;
    let plan = plan_of(given.unwrap_or_else(fresh_seed), arguments.games, limits)?;
    match (&arguments.submission, &arguments.player, &arguments.compare) {
        (Some(path), _, _) => {
            let source = sources::read_one(path)?;
            let python = prepare(&arguments)?;
            let mut news = News::shown(plan.games);
            let grade = grading::grade_source(&source, &python, &plan, &mut news)?;
            drop(news);
            show_one(&grade, &plan, Some(&python), arguments.json)
        }
        (_, Some(text), _) => {
            let registry = players::registry();
            let spec = registry.parse(text).map_err(Failure::bad_input)?;
            let name = spec.to_string();
            let player = players::build(&registry, &spec)?;
            let player = player.map_err(|error| Failure::bad_input(error).at(&format!("{name}: ")))?;
            let mut news = News::shown(plan.games);
            let grade = grading::grade_player(&name, player, &plan, &mut news)?;
            drop(news);
            show_one(&grade, &plan, None, arguments.json)
        }
        (_, _, Some(folder)) => comparison::compare(folder, &arguments, limits, given),
        (None, None, None) => Err(Failure::BadInput("nothing to grade (see --help)".to_owned())),
    }
}

fn plan_of(seed: u64, games: u64, limits: ResourceLimits) -> Outcome<GradingPlan> {
    let plan = GradingPlan { seed, games, limits };
    if (plan.all_games().count() as u64) < games {
        return Err(Failure::BadInput(format!(
            "{games} games from seed {seed} on are too many: seeds end at 2^64-1"
        )));
    }
    Ok(plan)
}

/// Prepares for submissions: removes what killed graders left behind, and finds Python.
fn prepare(arguments: &Arguments) -> Outcome<Python> {
    folder::remove_leftovers();
    Python::find(&arguments.python)
}

fn show_one(grade: &Grade, plan: &GradingPlan, python: Option<&Python>, json: bool) -> Outcome<()> {
    if json {
        out::print_json(&One { conditions: Conditions::new(plan, python), grade })?;
    } else {
        out::print(&show::one_in_text(grade, plan))?;
    }
    if grade.is_interrupted() { Err(Failure::interrupted("interrupted")) } else { Ok(()) }
}
