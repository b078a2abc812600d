//! `lab2048 arena`: several players play the same seeded games. The results are written to a file
//! and shown in tables.

use std::path::PathBuf;

use clap::Args;
use lab2048::arena::{Completion, ContestTally, Log, LogError, PlayerSummary, Record, Workload};
use lab2048::parallel;
use lab2048::players::{BotFiles, Entrant, ReadyContest, Registry};
use lab2048::text::{SENTENCE, one_line};

use crate::failure::{Failure, Outcome, warn};
use crate::game_options::GameOptions;
use crate::numbers::{Threads, whole};
use crate::place::FileKind;
use crate::progress::Progress;
use crate::report::{Contest, Format, LONGEST_ERROR, write_file};
use crate::{interrupt, interruptible, out, place, players};

/// The default seed of the first game. It is fixed, so that the same command repeats the same
/// contest.
const FIRST_SEED: u64 = 1;

/// How to be able to resume a contest whose result goes to a file.
const KEEP_RECORDS: &str = "write records to a file such as runs.jsonl to be able to resume";

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 arena random greedy --games 1000\n  lab2048 arena random --games 1000000 -o runs.jsonl\n\n\
    All players play the same games: game i, counted from 0, has the seed N + i, where N is --seed. With -o, each game is \
    written as one line of JSON, its record; `lab2048 report` shows, compares and plots records. If the name ends in .csv, .md \
    or .txt, or in .json with --format json, the file gets the result in that format instead, and no records are kept. Run the same command to resume after an interruption, or with more games to extend the file. \
    If a bot has changed since the file was started, the file is refused; --fresh starts a new file and renames the old one.\n\n\
    If a player fails in all of its games, the exit code is 1. A --board on which no move is possible is refused."
)]
pub(crate) struct Arguments {
    /// Players: NAME or NAME:key=value,... (see `lab2048 players`)
    #[arg(value_name = "PLAYER", required = true)]
    players: Vec<String>,
    /// Number of games per player
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    games: u64,
    #[command(flatten)]
    threads: Threads,
    /// Write the records to this file; an existing file is continued. A name that ends in .csv, .md
    /// or .txt gets the result instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Start a new file; the old one is renamed, not deleted
    #[arg(long, requires = "output")]
    fresh: bool,
    /// Output format [default: table, or by the ending of the output file]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    game: GameOptions,
}

/// Where the output goes.
enum Output {
    /// The result is printed.
    Screen,
    /// The result is printed; the records go to a file.
    Records(PathBuf),
    /// The result goes to a file.
    Result(PathBuf),
}

impl Arguments {
    /// Where the output goes, and the format of the result. Conflicts and files of other kinds are
    /// refused before the first game.
    fn output(&self) -> Outcome<(Output, Format)> {
        let format = if self.json { Some(Format::Json) } else { self.format };
        let asked = format.unwrap_or(Format::Table);
        let Some(path) = &self.output else { return Ok((Output::Screen, asked)) };
        if path.as_os_str() == "-" {
            return Err(Failure::BadInput(
                "the arena does not write records to the standard output; write them to a file such as runs.jsonl, \
                 or leave out -o to print the result"
                    .to_owned(),
            ));
        }
        let shown = path.display();
        let kind = FileKind::of(path);
        let of_name = match kind {
            // A file of records may have this name, too.
            FileKind::Json if format != Some(Format::Json) => None,
            FileKind::Text
            | FileKind::Markdown
            | FileKind::Csv
            | FileKind::Json
            | FileKind::Records
            | FileKind::Open => Format::of(kind),
            FileKind::Svg | FileKind::Html | FileKind::Foreign => {
                return Err(Failure::BadInput(format!(
                    "the arena does not write files like {shown}; write the records to a file such as runs.jsonl, \
                     then show, convert or plot them with `lab2048 report`"
                )));
            }
        };
        let Some(of_name) = of_name else { return Ok((Output::Records(path.clone()), asked)) };
        if self.fresh {
            return Err(Failure::BadInput(format!(
                "--fresh starts a new file of records, but {shown} gets the result; leave it out"
            )));
        }
        let format = format.unwrap_or(of_name);
        format.check_place(path)?;
        Ok((Output::Result(path.clone()), format))
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let (output, format) = arguments.output()?;
    let records = match &output {
        Output::Records(path) => {
            place::check_folder(path)?;
            Some(path)
        }
        Output::Screen | Output::Result(_) => None,
    };
    let registry = players::registry();
    let setup = arguments.game.settle()?;
    setup.check_start()?;
    let (specs, seed) = (arguments.players, setup.seed.unwrap_or(FIRST_SEED));
    let bot_files = if records.is_some() { BotFiles::Hashed } else { BotFiles::Ignored };
    let theirs = registry.clone();
    let prepare = move || theirs.contest(&specs, setup.game, seed, bot_files);
    let ready = interruptible::work("the setup of the contest", prepare)?;
    let ReadyContest { arena, entrants } = ready.map_err(Failure::bad_input)?;
    let plan = arena.plan();
    let games = arguments.games;
    let total = plan.records(games).map_err(Failure::bad_input)?;

    let mut tally = ContestTally::new(plan);
    let mut log = match records {
        Some(path) if arguments.fresh => Log::start_anew(path, plan).map_err(open_failure)?,
        Some(path) => Log::open(path, plan, games, &mut |record| tally.add(record)).map_err(open_failure)?,
        None => Log::without_file(plan),
    };
    if let Some(path) = records.filter(|_| !log.checks_bots()) {
        warn(&format!(
            "'{}' has version 1 of the arena records, which does not name the files of bots: \
             bots were not checked for changes",
            path.display()
        ));
    }
    let threads = arguments.threads.count_or(|| default_threads(&registry, &entrants));
    let work = Workload { games, done: log.records(), threads };
    let mut progress = Progress::resumed(work.done, total, "games");
    interrupt::explain_delay();
    let mut is_told = false;
    let finish = arena.run(&work, interrupt::flag(), &mut |batch: &[Record]| {
        let appended = log.append(batch);
        if let Some(aside) = log.set_aside().filter(|_| !is_told) {
            warn(&format!("the old file was renamed to '{}'", aside.display()));
            is_told = true;
        }
        appended?;
        batch.iter().for_each(|record| tally.add(record));
        progress.set(log.records(), &words(&tally));
        Ok(())
    });
    drop(progress);
    let finish = finish?;
    let kept = log.check_in_place().map_err(|error| error.to_string());

    let contest = Contest {
        plan,
        games,
        records: log.records(),
        before: records.is_some().then_some(work.done),
        played: log.records() - work.done,
        digest: log.digest(),
        players: tally.summaries(),
        differences: tally.differences(),
        entrants: &entrants,
    };
    match finish {
        Completion::Complete => {
            show(&contest, format, &output)?;
            kept.map_err(Failure::Failed)?;
            // Figures as CSV do not say why.
            let says_why = format != Format::Csv && !matches!(output, Output::Result(_));
            failure(&contest.players, says_why).map_or(Ok(()), |said| Err(Failure::Failed(said)))
        }
        Completion::Cancelled => {
            let (format, hint) = match &output {
                // Part of a result never replaces the file of a whole one.
                Output::Result(_) => (Format::Table, KEEP_RECORDS),
                Output::Screen => (format, interrupt::how_to_go_on(false)),
                Output::Records(_) => (format, interrupt::how_to_go_on(true)),
            };
            if contest.records > 0 {
                show(&contest, format, &Output::Screen)?;
            }
            let hint = kept.err().unwrap_or_else(|| hint.to_owned());
            let done = contest.records;
            Err(Failure::interrupted(format!("interrupted after {done} of {total} games; {hint}")))
        }
    }
}

/// All cores, but one thread for a person, who plays one game at a time.
fn default_threads(registry: &Registry, entrants: &[Entrant]) -> usize {
    if entrants.iter().any(|entrant| registry.is_person(&entrant.spec)) {
        return 1;
    }
    parallel::cores()
}

/// The mean scores so far, for the progress bar.
fn words(tally: &ContestTally) -> String {
    let means = tally.means().map(|mean| mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.1}")));
    format!("mean {}", means.collect::<Vec<_>>().join(" / "))
}

fn show(contest: &Contest<'_>, format: Format, output: &Output) -> Outcome<()> {
    let width = if matches!(output, Output::Result(_)) { out::WIDTH } else { out::width() };
    let text = match format {
        Format::Table => contest.to_text(width),
        Format::Markdown => contest.to_markdown(),
        Format::Csv => contest.to_csv(),
        Format::Json => out::json(contest)?,
    };
    match output {
        Output::Screen | Output::Records(_) => out::print(&text),
        Output::Result(path) => {
            out::print(&write_file(path, &format!("result as {}", format.name()), &text)?)
        }
    }
}

/// What is wrong if players failed in all of their games. The first error of each is left out if
/// the result on the screen says it.
fn failure(players: &[PlayerSummary], says_why: bool) -> Option<String> {
    let clause = |summary: &PlayerSummary| {
        let name = one_line(&summary.player, SENTENCE);
        let first = summary.failure.as_ref().filter(|_| !says_why);
        let reason = first.map(|first| format!(": {}", one_line(&first.error, LONGEST_ERROR)));
        format!("{name} failed in all of its games{}", reason.unwrap_or_default())
    };
    let failed = players.iter().filter(|summary| summary.always_failed());
    let clauses: Vec<String> = failed.map(clause).collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// A file that cannot be opened is a failure. A file with other content than expected is bad input.
fn open_failure(error: LogError) -> Failure {
    match error {
        LogError::Io { .. } | LogError::Busy(_) => Failure::failed(error),
        LogError::Other { .. } | LogError::ChangedBot { .. } => {
            Failure::BadInput(format!("{error}, or start a new file with --fresh"))
        }
        _ => Failure::bad_input(error),
    }
}
