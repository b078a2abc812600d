//! Shows gradings as text and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use lab2048::text::one_line;
use serde::Serialize;

use super::fence::Protections;
use super::grading::{Grade, GradingPlan, LONGEST_NAME, time_in_words};
use super::marks::{self, Marks};
use super::python::Python;
use crate::report::{GAP, Table, decimal, whole, wrapped};
use crate::show;

/// How the columns of a comparison belong together.
pub(super) const MARKS: &str =
    "Mark = 20% report + 20% code + 60% play. Total = mark + bonus. All in per cent of the assignment";

/// The conditions of a grading, for JSON.
#[derive(Serialize)]
pub(super) struct Conditions<'a> {
    rules: &'static str,
    seed: u64,
    games_asked: u64,
    seconds_allowed: f64,
    /// Only submissions have a memory limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_allowed_mib: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    python: Option<&'a str>,
    /// The protections that applied to submissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<Protections>,
    /// How the submissions of a comparison shared the machine.
    #[serde(flatten)]
    sharing: Option<Sharing>,
}

/// How the submissions of a comparison shared the machine.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Sharing {
    /// The number of submissions at the same time.
    pub(super) jobs: usize,
    /// The number of processors that each of them could use.
    pub(super) processors_each: usize,
}

impl<'a> Conditions<'a> {
    pub(super) fn new(plan: &GradingPlan, python: Option<&'a Python>) -> Conditions<'a> {
        Conditions {
            rules: "course",
            seed: plan.seed,
            games_asked: plan.games,
            seconds_allowed: plan.limits.time.as_secs_f64(),
            memory_allowed_mib: python.map(|_| plan.limits.memory >> 20),
            python: python.map(|python| python.version.as_str()),
            fence: python.map(|python| python.protections),
            sharing: None,
        }
    }

    pub(super) fn shared(self, sharing: Sharing) -> Conditions<'a> {
        Conditions { sharing: Some(sharing), ..self }
    }

    /// The conditions in one line.
    pub(super) fn in_words(&self) -> String {
        let games = show::count(self.games_asked, "game");
        let time = seconds(self.seconds_allowed);
        let mut words =
            format!("Rules of the course. {games} and {time} for each submission, seed {}", self.seed);
        if let (Some(memory), Some(python)) = (self.memory_allowed_mib, self.python) {
            words.push_str(&format!(", {} MiB of memory, Python {python}", whole(memory)));
        }
        if let Some(Sharing { processors_each: count, .. }) = self.sharing {
            words.push_str(&format!(", {}", show::count(count, "processor")));
        }
        words.push_str(&format!(". Graded by lab2048 {}.", env!("CARGO_PKG_VERSION")));
        words
    }
}

/// The grading of one submission, for JSON.
#[derive(Serialize)]
pub(super) struct One<'a> {
    #[serde(flatten)]
    pub(super) conditions: Conditions<'a>,
    #[serde(flatten)]
    pub(super) grade: &'a Grade,
}

/// The games of one submission and its grade, as text.
pub(super) fn one_in_text(grade: &Grade, plan: &GradingPlan) -> String {
    let mut table = Table::new(["game", "seed", "largest tile", "moves", "points", "end"]).with_words(5);
    for game in &grade.games {
        let end = match &game.reason {
            Some(reason) => format!("{}: {reason}", game.end),
            None => game.end.to_string(),
        };
        table.push(vec![
            game.game.to_string(),
            game.seed.to_string(),
            whole(game.result.largest),
            whole(game.result.moves),
            whole(game.result.score),
            end,
        ]);
    }
    let mut text = format!("{}\n\n{}\n", name_of(grade), table.to_text());
    text.push_str(&format!(
        "game score (mean of the largest tiles)  {}\nplay  {}%\ncode  {}%\ntime  {} of {}\n",
        decimal(grade.game_score),
        decimal(grade.play),
        decimal(grade.code),
        seconds(grade.seconds),
        time_in_words(plan.limits.time),
    ));
    text.push_str(&format!("seed  {}\n", plan.seed));
    if let Some(reason) = &grade.reason {
        text.push_str(&format!("note  {reason}\n"));
    }
    match grade.output.as_deref().map(str::trim_end) {
        Some("") => text.push_str("\nThe submission printed nothing.\n"),
        Some(printed) => text.push_str(&format!("\nOutput, with tracebacks:\n{printed}\n")),
        None => {}
    }
    text
}

/// The name, safe to show on a terminal. File names may contain anything.
fn name_of(grade: &Grade) -> String {
    one_line(&grade.name, LONGEST_NAME)
}

fn seconds(seconds: f64) -> String {
    time_in_words(duration(seconds))
}

fn duration(seconds: f64) -> Duration {
    Duration::from_millis((seconds * 1000.0).round() as u64)
}

/// A row of the leaderboard.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    /// `None` if the grading was interrupted: submissions that were not graded may be better.
    pub(super) rank: Option<usize>,
    /// The mark of the report. `None` if there is none, which counts as 0.
    pub(super) report: Option<f64>,
    /// The mark of the assignment without the bonus.
    pub(super) mark: f64,
    /// `None` without a rank.
    pub(super) bonus: Option<f64>,
    /// The mark with the bonus.
    pub(super) total: Option<f64>,
    #[serde(flatten)]
    pub(super) grade: &'a Grade,
}

/// How far a grading got before the user interrupted it.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Interruption {
    /// The number of graded submissions.
    pub(super) graded: usize,
    /// The number of all submissions.
    pub(super) submissions: usize,
}

impl fmt::Display for Interruption {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "interrupted after {} of {} submissions", self.graded, self.submissions)
    }
}

/// Several submissions, the best first. If the grading was interrupted, they are sorted by name.
#[derive(Serialize)]
pub(super) struct Leaderboard<'a> {
    #[serde(flatten)]
    pub(super) conditions: Conditions<'a>,
    pub(super) interrupted: Option<Interruption>,
    /// What a gradebook is called.
    #[serde(skip)]
    pub(super) title: &'a str,
    pub(super) submissions: Vec<Row<'a>>,
}

impl<'a> Leaderboard<'a> {
    /// Ranks the submissions and awards the bonuses, if all of them were graded.
    pub(super) fn new(
        conditions: Conditions<'a>,
        title: &'a str,
        grades: &'a [Grade],
        reports: &BTreeMap<String, f64>,
        interrupted: Option<Interruption>,
    ) -> Leaderboard<'a> {
        let scores: Vec<f64> = grades.iter().map(|grade| grade.game_score).collect();
        let rows = grades.iter().zip(marks::ranks(&scores)).map(|(grade, rank)| {
            let report = reports.get(&grade.name).copied();
            let marks = Marks { report: report.unwrap_or(0.0), code: grade.code, play: grade.play };
            let mark = marks.total();
            let rank = interrupted.is_none().then_some(rank);
            let bonus = rank.map(|rank| marks::bonus(rank, grade.game_score));
            Row { rank, report, mark, bonus, total: bonus.map(|bonus| mark + bonus), grade }
        });
        let mut submissions: Vec<Row<'_>> = rows.collect();
        submissions.sort_by_key(|row| row.rank);
        Leaderboard { conditions, interrupted, title, submissions }
    }

    /// A table in lines of at most `width` characters, and what happened below it. Long names are
    /// shortened in the table.
    pub(super) fn to_text(&self, width: usize) -> String {
        let names: Vec<String> = self.submissions.iter().map(|row| name_of(row.grade)).collect();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(SUBMISSION.len());
        // Beside a name there is room for at least the widest of the other columns.
        let most = longest.min(width.saturating_sub(GAP + GAME_SCORE.len()));
        let others = self.table(&names).text_width() - longest;
        let least = width.saturating_sub(others).max(SUBMISSION.len());
        // If names would become equal, they get more room, and some columns follow below.
        let short = |room: usize| names.iter().map(|name| shortened(name, room)).collect::<Vec<String>>();
        let room = (least..most).find(|&room| number_of(&short(room)) == number_of(&names)).unwrap_or(most);
        let mut text = self.table(&short(room)).to_text_within(width);
        let reasons = self.submissions.iter().map(|row| row.grade.reason.as_deref());
        let happened: Vec<String> = names
            .iter()
            .zip(reasons)
            .filter_map(|(name, reason)| Some(wrapped(&format!("{name}: {}", reason?), width, 2)))
            .collect();
        if !happened.is_empty() {
            text.push_str(&format!("\nwhat happened\n{}\n", happened.join("\n")));
        }
        text.push_str(&format!(
            "\n{}\nseed  {}\n",
            wrapped(&format!("{MARKS}."), width, 0),
            self.conditions.seed
        ));
        if let Some(interruption) = self.interrupted {
            text.push_str(&format!("note  {interruption}, so there are no ranks or bonuses\n"));
        }
        text
    }

    /// The table with these names of the submissions.
    fn table(&self, names: &[String]) -> Table {
        let head =
            [SUBMISSION, "rank", GAME_SCORE, "report", "code", "play", "mark", "bonus", "total", "time"];
        let or_dash = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), decimal);
        let mut table = Table::new(head);
        for (row, name) in self.submissions.iter().zip(names) {
            let grade = row.grade;
            table.push(vec![
                name.clone(),
                row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string()),
                decimal(grade.game_score),
                or_dash(row.report),
                decimal(grade.code),
                decimal(grade.play),
                decimal(row.mark),
                or_dash(row.bonus),
                or_dash(row.total),
                show::clock(duration(grade.seconds)),
            ]);
        }
        table
    }
}

/// The heads of the first and the widest other column.
const SUBMISSION: &str = "submission";
const GAME_SCORE: &str = "game score";

/// A name in at most this many characters: the beginning and the end, which often has the number
/// of a student.
fn shortened(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let end = most.saturating_sub(1) / 2;
    let letters = |from: usize, count: usize| name.chars().skip(from).take(count).collect::<String>();
    format!("{}…{}", letters(0, most.saturating_sub(1 + end)), letters(length - end, end))
}

/// The number of different names.
fn number_of(names: &[String]) -> usize {
    names.iter().collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::grade::submission::ResourceLimits;

    fn text(names: &[&str], width: usize) -> String {
        let limits = ResourceLimits {
            time: Duration::from_secs(2400),
            memory: 1 << 30,
            network: false,
            keeps_output: false,
        };
        let plan = GradingPlan { seed: 7, games: 1, limits };
        let reason = "an error ended 1 of 1 games, first in game 1: ValueError: a long sentence of its own";
        let grade =
            |name: &&str| Grade::without_games(name, &plan, Duration::from_secs(83), reason.to_owned());
        let grades: Vec<Grade> = names.iter().map(grade).collect();
        Leaderboard::new(Conditions::new(&plan, None), "class", &grades, &BTreeMap::new(), None)
            .to_text(width)
    }

    #[test]
    fn the_table_fits_the_width() {
        let long = ["submission_of_jane_doe_20481", "submission_of_john_doe_20482"];
        for width in [40, 60, 80, 100] {
            for names in [&["ann", "bob"][..], &long, &["x".repeat(200).as_str(), "y"]] {
                let text = text(names, width);
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
            }
        }
        let text = text(&long, 80);
        assert!(text.starts_with("submission        rank  game score  report"), "{text}");
        let row = "\nsubmissi…e_20481     1         0.0       -";
        assert!(text.contains(row) && text.contains("  1:23\n"), "{text}");
        assert!(text.contains("\nsubmission_of_jane_doe_20481: an error ended 1 of 1 games"), "{text}");
    }

    /// Names that differ only in the middle stay different. The last columns then follow below.
    #[test]
    fn shortened_names_stay_different() {
        let names = ["a_first_group_of_three_students", "a_first_group_of_seven_students"];
        let text = text(&names, 80);
        let rows = |name: &str| text.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!([rows("a_first_gr…e_students"), rows("submission")], [2, 2], "{text}");
    }

    #[test]
    fn a_file_has_whole_names() {
        let name = "n".repeat(100);
        assert!(text(&[&name], usize::MAX).lines().nth(1).is_some_and(|line| line.starts_with(&name)));
    }
}
