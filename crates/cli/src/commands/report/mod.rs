//! `lab2048 report`: shows, compares and plots the records of arenas.

mod games;
mod part;
mod picture;
mod summary;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lab2048::arena::USUAL_POWER;

use crate::failure::{Failure, Outcome};
use crate::numbers::number;
use crate::place::{self, Content, FileKind, Kind};
use crate::report::{FIGURES, Format as ResultFormat, Style, csv_line, write_file};
use crate::{interrupt, out};
use part::Part;
use summary::Summary;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 report runs.jsonl\n  lab2048 report old.jsonl new.jsonl -o comparison.svg\n  lab2048 report runs.jsonl --plot scores -o scores.svg\n  lab2048 report runs.jsonl --format games -o games.csv\n\n\
    Players of all files are compared with each other: game by game where they played the same seeds, by their means \
    elsewhere. Files with different rules are shown one after another. A game lists its time in ms; loading a network or \
    starting a bot is not part of it."
)]
pub(crate) struct Arguments {
    /// Files of records, written by `lab2048 arena -o`; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Output format [default: table, or by the ending of the output file]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Same as --format json
    #[arg(long, conflicts_with_all = ["format", "plot"])]
    json: bool,
    /// Draw a picture (SVG) of one or several of these, separated by commas; an output file that
    /// ends in .svg gets all of them
    #[arg(long, value_enum, value_name = "PLOT", value_delimiter = ',', conflicts_with = "format")]
    plot: Vec<Plot>,
    /// Write to this file: .txt, .md, .csv, .json or .svg; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Power for the number of further games needed, 0.5 to 0.999
    #[arg(long, value_name = "P", default_value_t = USUAL_POWER, value_parser = number(0.5, 0.999), allow_hyphen_values = true)]
    power: f64,
}

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Columns for a terminal
    Table,
    /// Markdown tables
    Markdown,
    /// One line for each figure of each player, as in the arena
    #[value(alias = "figures")]
    Csv,
    /// One line for each game, as CSV
    Games,
    /// All figures and comparisons, unrounded
    Json,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Plot {
    /// Everything below, one below the other
    All,
    /// Histograms of the scores
    Scores,
    /// The share of games with at least a score
    Cumulative,
    /// How often each tile was reached
    Tiles,
    /// The differences of the mean scores, with their intervals
    Differences,
}

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text(Format),
    Picture(Plots),
}

/// The parts of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plots {
    pub(super) scores: bool,
    pub(super) cumulative: bool,
    pub(super) tiles: bool,
    pub(super) differences: bool,
    /// Whether all parts are wanted that there are, and not only named ones.
    pub(super) all: bool,
}

impl Plots {
    /// The named parts.
    fn of(names: &[Plot]) -> Plots {
        let all = names.contains(&Plot::All);
        let wants = |plot: Plot| all || names.contains(&plot);
        Plots {
            scores: wants(Plot::Scores),
            cumulative: wants(Plot::Cumulative),
            tiles: wants(Plot::Tiles),
            differences: wants(Plot::Differences),
            all,
        }
    }
}

impl Form {
    /// Its name on the command line.
    fn name(self) -> &'static str {
        match self {
            Form::Text(Format::Table) => "table",
            Form::Text(Format::Markdown) => "markdown",
            Form::Text(Format::Csv) => "csv",
            Form::Text(Format::Games) => "games",
            Form::Text(Format::Json) => "json",
            Form::Picture(_) => "svg",
        }
    }

    /// What a file of this name holds if nothing else is said.
    fn of_name(kind: FileKind) -> Option<Form> {
        match kind {
            FileKind::Open | FileKind::Records | FileKind::Html | FileKind::Foreign => None,
            FileKind::Svg => Some(Form::Picture(Plots::of(&[Plot::All]))),
            FileKind::Text => Some(Form::Text(Format::Table)),
            FileKind::Markdown => Some(Form::Text(Format::Markdown)),
            FileKind::Csv => Some(Form::Text(Format::Csv)),
            FileKind::Json => Some(Form::Text(Format::Json)),
        }
    }

    /// Refuses a misleading name, and to replace a file of another kind.
    fn check_place(self, path: &Path) -> Outcome<()> {
        let (games, figures) = (csv_line(games::COLUMNS), csv_line(FIGURES));
        let (beginning, name, format): (&[u8], _, _) = match self {
            Form::Text(Format::Table) => (b"Report: ", "a report as text", ResultFormat::Table),
            Form::Text(Format::Markdown) => (b"**Report:** ", "a report in Markdown", ResultFormat::Markdown),
            Form::Text(Format::Games) => (games.as_bytes(), "a CSV file of games", ResultFormat::Csv),
            Form::Text(Format::Csv) => (figures.as_bytes(), "a CSV file of figures", ResultFormat::Csv),
            Form::Text(Format::Json) => {
                (b"{\n  \"lab2048\": \"report\"", "a report in JSON", ResultFormat::Json)
            }
            Form::Picture(_) => return place::check(path, &place::SVG),
        };
        place::check(path, &Kind { name, content: Content::Begins(&[beginning]), endings: format.endings() })
    }
}

impl Arguments {
    /// The file to write, if any, and what is made.
    fn form(&self) -> Outcome<(Option<&Path>, Form)> {
        let format = if self.json { Some(Format::Json) } else { self.format };
        let plots = (!self.plot.is_empty()).then(|| Form::Picture(Plots::of(&self.plot)));
        let asked = plots.or(format.map(Form::Text));
        let path = self.output.as_deref().filter(|path| path.as_os_str() != "-");
        let Some(path) = path else { return Ok((None, asked.unwrap_or(Form::Text(Format::Table)))) };
        let (kind, shown) = (FileKind::of(path), path.display());
        let Some(form) = asked.or_else(|| Form::of_name(kind)) else {
            return Err(Failure::BadInput(format!(
                "the name {shown} does not say what to write; use .txt, .md, .csv, .json or .svg, or give --format"
            )));
        };
        form.check_place(path)?;
        Ok((Some(path), form))
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::end_at_once();
    let (path, form) = arguments.form()?;
    part::check_different(&arguments.files)?;
    if form == Form::Text(Format::Games) {
        return games::write(&arguments.files, path);
    }
    let parts: Vec<Part> = arguments.files.iter().map(|path| Part::read(path)).collect::<Outcome<_>>()?;
    let summary = Summary::of(parts, arguments.power);
    let width = if path.is_some() { out::WIDTH } else { out::width() };
    let text = match form {
        Form::Text(Format::Table) => summary.written(Style::Text(width)),
        Form::Text(Format::Markdown) => summary.written(Style::Markdown),
        Form::Text(Format::Csv | Format::Games) => summary.figures(),
        Form::Text(Format::Json) => out::json(&summary.to_json())?,
        Form::Picture(plots) => picture::draw(&summary, plots)?,
    };
    match path {
        Some(path) => out::print(&write_file(path, &format!("report as {}", form.name()), &text)?),
        None => out::print(&text),
    }
}
