//! `lab2048 grade`: the grader of a course in which programs play 2048, for one submission, one of our players, or a whole
//! class. The rules and what they leave open are in `docs/grading.md`.

mod fence;
mod grading;
mod report_marks;
mod show;
mod sources;
mod submission;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgGroup, Args};
use lab2048::course;
use lab2048::players::parse_time;

use self::grading::{Grade, News, Plan};
use self::show::{Conditions, Leaderboard, One};
use self::submission::{Limits, Python};
use crate::failure::{Failure, Outcome};
use crate::numbers::whole;
use crate::{out, players};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 grade search.py\n  lab2048 grade --player expectimax:depth=2\n  \
    lab2048 grade --compare submissions --reports reports.csv --json\n\n\
    A submission defines NextMove(Grid, Step) -> int: 0 up, 1 down, 2 left, 3 right, 4 quit, any other integer does nothing. It \
    runs in a Python process of its own for all its games, in a fresh folder, with limits of time and memory; what it prints goes \
    nowhere. docs/grading.md tells the rules."
)]
#[command(group = ArgGroup::new("subject").required(true).args(["submission", "player", "compare"]))]
pub(crate) struct Arguments {
    /// The submission: a Python file, or a folder with search.py in it
    #[arg(value_name = "SUBMISSION")]
    submission: Option<PathBuf>,
    /// Grade a player of ours instead (see `lab2048 players`)
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
    /// Grade all submissions of a folder, NAME.py or NAME/search.py, and rank them
    #[arg(long, value_name = "FOLDER")]
    compare: Option<PathBuf>,
    /// The marks of the reports for --compare: lines of NAME,PERCENT
    #[arg(long, value_name = "FILE", requires = "compare", conflicts_with_all = ["submission", "player"])]
    reports: Option<PathBuf>,
    /// The games, each from another grid
    #[arg(long, value_name = "N", default_value_t = course::GAMES, value_parser = whole(1, 10_000), allow_hyphen_values = true)]
    games: u64,
    /// The time for all games of a submission, like 90s or 40min
    #[arg(long, value_name = "TIME", default_value = "40min", value_parser = time, allow_hyphen_values = true)]
    time: Duration,
    /// The memory of a submission in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = whole(64, 1 << 24), allow_hyphen_values = true)]
    memory: u64,
    /// The Python that runs submissions
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// The seed of the first game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX), allow_hyphen_values = true)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Where this program becomes a submission's Python: `lab2048 grade` calls itself like this, nobody else does.
#[cfg(target_os = "linux")]
#[derive(Args, Debug)]
pub(crate) struct Fenced {
    /// The user to become
    user: u32,
    /// The program to become
    program: PathBuf,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

#[cfg(target_os = "linux")]
pub(crate) fn run_fenced(Fenced { user, program, arguments }: Fenced) -> Outcome<()> {
    let error = fence::become_reader(user, &program, &arguments);
    Err(Failure::Failed(format!("cannot start {}: {error}", program.display())))
}

fn time(text: &str) -> Result<Duration, String> {
    let time = parse_time(text).filter(|time| !time.is_zero() && *time <= Duration::from_secs(86_400));
    time.ok_or_else(|| "a time like 90s or 40min, at most a day".to_owned())
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let limits = Limits { time: arguments.time, memory: arguments.memory << 20 };
    let plan = Plan { seed: arguments.seed, games: arguments.games, limits };
    if (course::games(plan.seed).take(plan.games as usize).count() as u64) < plan.games {
        let Plan { seed, games, .. } = plan;
        return Err(Failure::BadInput(format!(
            "{games} games from seed {seed} on are too many: seeds end at 2^64-1"
        )));
    }
    match (&arguments.submission, &arguments.player, &arguments.compare) {
        (Some(path), _, _) => {
            let source = sources::read_one(path)?;
            let python = Python::find(&arguments.python)?;
            let mut news = News::new(plan.games);
            let grade = grading::grade_source(&source, &python, &plan, &mut news)?;
            drop(news);
            show_one(&grade, &plan, Some(&python), arguments.json)
        }
        (_, Some(text), _) => {
            let registry = players::registry();
            let spec = registry.parse(text).map_err(Failure::bad_input)?;
            let mut player =
                registry.build(&spec).map_err(|error| Failure::BadInput(format!("{spec}: {error}")))?;
            let mut news = News::new(plan.games);
            let grade = grading::grade_player(&spec.to_string(), &mut *player, &plan, &mut news)?;
            drop(news);
            show_one(&grade, &plan, None, arguments.json)
        }
        (_, _, Some(folder)) => compare(folder, &arguments, &plan),
        (None, None, None) => Err(Failure::BadInput("there is nothing to grade (see --help)".to_owned())),
    }
}

fn show_one(grade: &Grade, plan: &Plan, python: Option<&Python>, json: bool) -> Outcome<()> {
    if json {
        out::print_json(&One { conditions: Conditions::new(plan, python), grade })?;
    } else {
        out::print(&show::one_in_text(grade, plan))?;
    }
    if grade.is_interrupted() { Err(Failure::Interrupted("interrupted".to_owned())) } else { Ok(()) }
}

/// Grades a folder of submissions, one after another, so that none takes another's time.
fn compare(folder: &Path, arguments: &Arguments, plan: &Plan) -> Outcome<()> {
    let sources = sources::read_all(folder)?;
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let reports = match &arguments.reports {
        Some(path) => report_marks::read(path, &names)?,
        None => BTreeMap::new(),
    };
    let python = Python::find(&arguments.python)?;
    let mut news = News::new(plan.games * sources.len() as u64);
    let (mut grades, mut interrupted) = (Vec::new(), false);
    for source in &sources {
        let grade = grading::grade_source(source, &python, plan, &mut news)?;
        interrupted = grade.is_interrupted();
        if interrupted {
            break;
        }
        grades.push(grade);
    }
    drop(news);
    let board = Leaderboard::new(Conditions::new(plan, Some(&python)), &grades, &reports);
    if !grades.is_empty() {
        if arguments.json {
            out::print_json(&board)?;
        } else {
            out::print(&board.to_text())?;
        }
    }
    match interrupted {
        true => {
            let (done, all) = (grades.len(), sources.len());
            Err(Failure::Interrupted(format!("interrupted after {done} of {all} submissions")))
        }
        false => Ok(()),
    }
}
