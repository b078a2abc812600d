//! `lab2048 grade --compare`: grades and ranks a folder of submissions, several at the same time,
//! and continues after an interruption.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab2048::files::write_whole;
use lab2048::parallel;
use lab2048::solve::total_memory;
use lab2048::text::one_line;

use super::cores::Cores;
use super::fence::{self, Apart};
use super::gradebook::Format;
use super::grading::{self, Grade, GradingPlan, LONGEST_NAME, News};
use super::python::Python;
use super::results::{self, Results};
use super::show::{Conditions, Interruption, Leaderboard, Sharing};
use super::sources::Source;
use super::submission::ResourceLimits;
use super::{Arguments, fresh_seed, plan_of, prepare, report_marks, sources};
use crate::failure::{Failure, Outcome, warn};
use crate::place::FileKind;
use crate::progress::Progress;
use crate::{interrupt, out};

/// Grades the submissions of a folder. `seed` is the one that the user gave.
pub(super) fn compare(
    folder: &Path,
    arguments: &Arguments,
    limits: ResourceLimits,
    seed: Option<u64>,
) -> Outcome<()> {
    let book = Book::new(arguments)?;
    let sources = sources::read_all(folder)?;
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let reports = match &arguments.reports {
        Some(path) => report_marks::read(path, &names)?,
        None => BTreeMap::new(),
    };
    let cores = Cores::of_machine();
    let asked = arguments.jobs.map(|jobs| checked_jobs(jobs, &cores, limits.memory)).transpose()?;
    let mut python = prepare(arguments)?;
    let jobs = number_of_jobs(asked, &cores, limits.memory, &python);
    let mut shares = cores.shares(jobs);
    let processors_each = if jobs > 1 { shares[0].len() } else { parallel::cores() };

    let picked = results::Seed::Picked { seed: fresh_seed(), is_secret: python.place.keeps_secrets() };
    let wanted = seed.map_or(picked, results::Seed::Given);
    let conditions = results::Conditions {
        grader: env!("CARGO_PKG_VERSION").to_owned(),
        rules: "course".to_owned(),
        games: arguments.games,
        seconds: limits.time.as_secs_f64(),
        memory_mib: limits.memory >> 20,
        network: limits.network,
        python: format!("{} {}", python.version, python.path.display()),
        processors: processors_each,
    };
    let (mut results, seed) = match (&book.results, wanted) {
        (Some(path), _) => Results::open(path, conditions, wanted, arguments.fresh)?,
        (None, results::Seed::Given(seed) | results::Seed::Picked { seed, .. }) => (Results::none(), seed),
    };
    let plan = plan_of(seed, arguments.games, limits)?;
    python.apart.hidden = book.files();

    let mut grades: Vec<Option<Grade>> =
        sources.iter().map(|source| results.grade_of(source, &plan)).collect();
    let before = grades.iter().flatten().count();
    let queue: VecDeque<usize> = (0..sources.len()).filter(|&one| grades[one].is_none()).collect();
    shares.truncate(queue.len().max(1));
    let mut failures = Vec::new();
    let mut is_interrupted = false;
    let mut graded = |one: usize, grade: Result<Grade, String>| match grade {
        Ok(grade) if grade.is_interrupted() => is_interrupted = true,
        Ok(grade) => {
            results.keep(&sources[one], &grade);
            grades[one] = Some(grade);
        }
        // If one submission cannot be graded, the others still are.
        Err(reason) => {
            let name = &sources[one].name;
            failures.push(format!("{}: {reason}", one_line(name, LONGEST_NAME)));
            grades[one] = Some(Grade::without_games(name, &plan, Duration::ZERO, reason));
        }
    };
    grade_all(&sources, queue, &plan, &mut python, &shares, &mut graded)?;

    let all = sources.len();
    // Submissions without a grade are left only after an interruption.
    let is_interrupted = is_interrupted || grades.iter().any(Option::is_none);
    let grades: Vec<Grade> = grades.into_iter().flatten().collect();
    let interruption = is_interrupted.then_some(Interruption { graded: grades.len(), submissions: all });
    let sharing = Sharing { jobs, processors_each };
    let title = folder.file_name().map_or_else(|| folder.to_string_lossy(), |name| name.to_string_lossy());
    let conditions = Conditions::new(&plan, Some(&python)).shared(sharing);
    let board = Leaderboard::new(conditions, &title, &grades, &reports, interruption);
    book.show(&board, before)?;
    results.check_in_place();
    let has_failed = results.has_failed();
    match (interruption, failures.first()) {
        (Some(interruption), _) => {
            let hint = match results.needs_seed() {
                true => format!("run the same command with --seed {} to resume", plan.seed),
                false => interrupt::how_to_go_on(book.results.is_some()).to_owned(),
            };
            Err(Failure::interrupted(format!("{interruption}; {hint}")))
        }
        (None, Some(first)) => {
            let failed = failures.len();
            Err(Failure::Failed(format!("{failed} of {all} submissions could not be graded, first {first}")))
        }
        (None, None) if has_failed => Err(Failure::AlreadySaid),
        (None, None) => Ok(()),
    }
}

/// Where the result goes.
struct Book {
    format: Format,
    file: Option<PathBuf>,
    /// Where the grades so far are kept.
    results: Option<PathBuf>,
}

impl Book {
    fn new(arguments: &Arguments) -> Outcome<Book> {
        let file = arguments.output.clone().filter(|path| path.as_os_str() != "-");
        let named = if arguments.json { Some(Format::Json) } else { arguments.format };
        let format = match (&file, named) {
            (None, named) => named.unwrap_or(Format::Table),
            (Some(path), named) => format_of(path, named)?,
        };
        if arguments.fresh && file.is_none() {
            return Err(Failure::BadInput(
                "--fresh starts a new file of grades, but the standard output has none; leave it out"
                    .to_owned(),
            ));
        }
        // A pipe or a device, such as /dev/stdout, has no place for results beside it.
        let is_plain = |path: &&Path| path.is_file() || !path.exists();
        let results = file.as_deref().filter(is_plain).map(results::path_beside);
        if let Some(path) = &file {
            if results.as_ref() == Some(path) {
                return Err(Failure::BadInput(format!(
                    "{} is the name of the file in which grades are kept; choose another ending",
                    path.display()
                )));
            }
            format.check_place(path)?;
        }
        Ok(Book { format, file, results })
    }

    /// The files of this grading that no submission needs to see.
    fn files(&self) -> Vec<PathBuf> {
        let files = self.results.iter().chain(&self.file);
        files.filter_map(|path| fs::canonicalize(path).ok()).filter(|path| path.is_file()).collect()
    }

    /// Writes the file, if the grading is complete, and prints the table beside it; without a file,
    /// prints the result. `before` submissions were graded by an earlier command.
    fn show(&self, board: &Leaderboard<'_>, before: usize) -> Outcome<()> {
        let Some(path) = &self.file else {
            return match self.format {
                Format::Table if board.submissions.is_empty() => Ok(()),
                format => out::print(&written(board, format, out::width())?),
            };
        };
        if board.interrupted.is_none() {
            // Names are whole in a file.
            let text = written(board, self.format, usize::MAX)?;
            // Another program may have made a file of this name during the grading.
            self.format.check_place(path)?;
            write_whole(path, |out| out.write_all(text.as_bytes())).map_err(Failure::failed)?;
        }
        if board.submissions.is_empty() {
            return Ok(());
        }
        let mut text = board.to_text(out::width());
        if let Some(results) = self.results.as_ref().filter(|_| before > 0) {
            let results = results.display();
            text.push_str(&format!("note  {before} of them were graded before and kept in {results}\n"));
        }
        out::print(&text)
    }
}

/// The format of a file: the one that is asked for, or else that of its name.
fn format_of(path: &Path, named: Option<Format>) -> Outcome<Format> {
    named.or_else(|| Format::of_file(FileKind::of(path))).ok_or_else(|| {
        Failure::BadInput(format!(
            "the format of {} is not clear; name it .csv, .html, .json or .txt, or use --format",
            path.display()
        ))
    })
}

fn written(board: &Leaderboard<'_>, format: Format, width: usize) -> Outcome<String> {
    Ok(match format {
        Format::Table => board.to_text(width),
        Format::Csv => board.to_csv(),
        Format::Html => board.to_html(),
        Format::Json => serde_json::to_string_pretty(board).map_err(Failure::failed)? + "\n",
    })
}

/// A number of jobs that the user asked for. Each needs a processor and its memory.
fn checked_jobs(jobs: usize, cores: &Cores, memory: u64) -> Outcome<usize> {
    let most = cores.processors();
    if jobs > most {
        let verb = if most == 1 { "is" } else { "are" };
        return Err(Failure::BadInput(format!(
            "--jobs {jobs} is too many: every submission needs a processor of its own, and there {verb} only {most}"
        )));
    }
    let room = jobs_with_memory(memory);
    if jobs > 1 && jobs > room {
        return Err(Failure::BadInput(format!(
            "--jobs {jobs} is too many: with --memory {} the memory of this machine is enough for {room} at a time",
            memory >> 20
        )));
    }
    Ok(jobs)
}

/// How many submissions run at the same time.
fn number_of_jobs(asked: Option<usize>, cores: &Cores, memory: u64, python: &Python) -> usize {
    let jobs = asked.unwrap_or_else(|| cores.default_jobs().min(jobs_with_memory(memory)));
    match python.place.why_alone() {
        Some(why) if jobs > 1 => {
            if asked.is_some() {
                warn(&format!("submissions are graded one at a time, because here {why}"));
            }
            1
        }
        _ => jobs,
    }
}

/// How many submissions with this memory limit fit into the memory that this process may use: that
/// of the machine or, in a container, of its control group. At least 1.
fn jobs_with_memory(limit: u64) -> usize {
    let ours = [total_memory(), fence::memory_limit()].into_iter().flatten().min();
    ours.map_or(1, |bytes| usize::try_from(bytes / limit).unwrap_or(usize::MAX).max(1))
}

/// Grades the submissions in the queue, several at the same time if there are several shares of the
/// processors.
fn grade_all(
    sources: &[Source],
    mut queue: VecDeque<usize>,
    plan: &GradingPlan,
    python: &mut Python,
    shares: &[Vec<usize>],
    graded: &mut dyn FnMut(usize, Result<Grade, String>),
) -> Outcome<()> {
    let all = sources.len() as u64 * plan.games;
    let mut before = all - queue.len() as u64 * plan.games;
    let mut progress = Progress::resumed(before, all, "games");
    // Submissions that cannot be read need no process.
    queue.retain(|&one| match &sources[one].files {
        Ok(_) => true,
        Err(reason) => {
            let name = &sources[one].name;
            graded(one, Ok(Grade::without_games(name, plan, Duration::ZERO, reason.clone())));
            before += plan.games;
            false
        }
    });
    #[cfg(target_os = "linux")]
    if shares.len() > 1 && queue.len() > 1 && !interrupt::raised() {
        let mut team = super::team::Team::start(plan, python, shares)?;
        team.grade(sources, &mut queue, &mut progress, graded);
        if let Some(reason) = team.refusal().filter(|_| !interrupt::raised()) {
            warn(&format!("fewer than {} submissions were graded at the same time: {reason}", shares.len()));
        }
        drop(team);
        before = all - queue.len() as u64 * plan.games;
    }
    // One at a time, with the same share of the processors.
    let processors = shares.first().cloned().unwrap_or_default();
    python.apart = Apart { processors, ..std::mem::take(&mut python.apart) };
    while let Some(one) = queue.pop_front() {
        // This check is needed in case no submission gets as far as a game.
        if interrupt::raised() {
            break;
        }
        let mut news = News::told(|done, words| progress.set(before + done, words));
        let grade = grading::grade_source(&sources[one], python, plan, &mut news);
        drop(news);
        before += plan.games;
        graded(one, grade.map_err(|failure| failure.to_string()));
    }
    Ok(())
}
