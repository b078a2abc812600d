//! Shows gradings as text and as JSON.

use lab2048::text::one_line;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::fence::Protections;
use super::grading::{Grade, GradingPlan, LONGEST_NAME, time_in_words};
use super::marks::{self, Marks};
use super::python::Python;
use crate::report::{Table, decimal, whole};
use crate::show;

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
    time_in_words(Duration::from_millis((seconds * 1000.0).round() as u64))
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

    pub(super) fn to_text(&self) -> String {
        let head = [
            "submission",
            "rank",
            "game score",
            "report %",
            "code %",
            "play %",
            "mark",
            "bonus",
            "total",
            "time",
            "what happened",
        ];
        let or_dash = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), decimal);
        let mut table = Table::new(head).with_words(10);
        for row in &self.submissions {
            let grade = row.grade;
            table.push(vec![
                name_of(grade),
                row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string()),
                decimal(grade.game_score),
                or_dash(row.report),
                decimal(grade.code),
                decimal(grade.play),
                decimal(row.mark),
                or_dash(row.bonus),
                or_dash(row.total),
                seconds(grade.seconds),
                grade.reason.clone().unwrap_or_default(),
            ]);
        }
        let mut text = format!("{}seed  {}\n", table.to_text(), self.conditions.seed);
        if let Some(interruption) = self.interrupted {
            text.push_str(&format!("note  {interruption}, so there are no ranks or bonuses\n"));
        }
        text
    }
}
