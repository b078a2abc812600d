//! A comparison as a gradebook: CSV for a spreadsheet, and one HTML file to look at and print.
//!
//! Names and messages come from students. In HTML they are escaped, and the page contains no script
//! and may load nothing. In CSV a cell that a spreadsheet would take for a formula begins with an
//! apostrophe.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use clap::ValueEnum;
use lab2048::text::one_line;
use lab2048_draw::palette::tile_paint;
use lab2048_draw::svg::escaped;

use super::grading::{Grade, GradedEnd, GradedGame, LONGEST_NAME};
use super::show::{Leaderboard, MARKS, Row};
use crate::failure::Outcome;
use crate::place::{self, Content, FileKind, Kind};
use crate::report::{Format as ResultFormat, Table, decimal, whole};
use crate::show;

/// The output format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Columns for a terminal
    Table,
    /// One line for each submission, for a spreadsheet
    Csv,
    /// A page to open in a browser and to print
    Html,
    /// Everything, unrounded
    Json,
}

impl Format {
    /// The format of a file of this kind.
    pub(super) fn of_file(kind: FileKind) -> Option<Format> {
        match kind {
            FileKind::Csv => Some(Format::Csv),
            FileKind::Json => Some(Format::Json),
            FileKind::Text => Some(Format::Table),
            FileKind::Html => Some(Format::Html),
            FileKind::Markdown | FileKind::Svg | FileKind::Records | FileKind::Foreign | FileKind::Open => {
                None
            }
        }
    }

    /// How files of this format begin.
    const fn beginning(self) -> &'static str {
        match self {
            Format::Table => "submission  ",
            Format::Csv => "\u{feff}name,rank,",
            Format::Html => "<!doctype html>\n<html lang=\"en\">\n<!-- lab2048 grade -->",
            Format::Json => "{\n  \"rules\": \"course\",",
        }
    }

    /// Refuses a misleading name, and to replace a file of another kind.
    pub(super) fn check_place(self, path: &Path) -> Outcome<()> {
        let (name, endings) = match self {
            Format::Table => ("a gradebook as text", ResultFormat::Table.endings()),
            Format::Csv => ("a gradebook in CSV", ResultFormat::Csv.endings()),
            Format::Html => ("a gradebook in HTML", place::HTML),
            Format::Json => ("a gradebook in JSON", ResultFormat::Json.endings()),
        };
        place::check(path, &Kind { name, content: Content::Begins(&[self.beginning().as_bytes()]), endings })
    }
}

/// The maximum number of characters of a message.
const LONGEST_MESSAGE: usize = 1000;

/// A cell of a spreadsheet. Programs take a text that begins with one of these characters for a
/// formula (OWASP, "CSV Injection").
fn harmless(text: &str) -> String {
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

/// What happened, in one line.
fn message(grade: &Grade) -> String {
    one_line(grade.reason.as_deref().unwrap_or_default(), LONGEST_MESSAGE)
}

fn name(grade: &Grade) -> String {
    one_line(&grade.name, LONGEST_NAME)
}

impl Leaderboard<'_> {
    /// One line for each submission. It begins with a byte order mark: without it, Excel does not
    /// read the file as UTF-8.
    pub(super) fn to_csv(&self) -> String {
        let mut table = Table::new([
            "name",
            "rank",
            "game_score",
            "report",
            "code",
            "play",
            "mark",
            "bonus",
            "total",
            "largest_tiles",
            "what_happened",
        ]);
        let number = |number: f64| format!("{number:.2}");
        let or_empty = |one: Option<f64>| one.map(number).unwrap_or_default();
        for row in &self.submissions {
            let grade = row.grade;
            let tiles: Vec<String> = grade.games.iter().map(|game| game.result.largest.to_string()).collect();
            table.push(vec![
                harmless(&name(grade)),
                row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
                number(grade.game_score),
                or_empty(row.report),
                number(grade.code),
                number(grade.play),
                number(row.mark),
                or_empty(row.bonus),
                or_empty(row.total),
                tiles.join(" "),
                harmless(&message(grade)),
            ]);
        }
        format!("\u{feff}{}", table.to_csv())
    }

    /// A page without scripts that needs no other file.
    pub(super) fn to_html(&self) -> String {
        let mut page = Format::Html.beginning().to_owned();
        let title = escaped(&one_line(self.title, LONGEST_NAME));
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>Grades: {title}</title>\n<style>\n{}</style>\n</head>\n<body>\n<h1>Grades: <bdi>{title}</bdi></h1>\n",
            include_str!("gradebook.css"),
        );
        if let Some(interruption) = self.interrupted {
            let _ = writeln!(
                page,
                "<p class=\"notice\">Not complete: {interruption}, so there are no ranks or bonuses.</p>"
            );
        }
        page.push_str(&self.overview());
        page.push_str(
            "<div class=\"sheet\"><table>\n<thead><tr><th>Rank</th><th class=\"words\">Submission</th><th>Total</th><th>Bonus</th>\
             <th>Mark</th><th>Report</th><th>Code</th><th>Play</th><th>Game score</th>\
             <th class=\"words games\">Largest tile of each game</th></tr></thead>\n",
        );
        self.submissions.iter().for_each(|row| page.push_str(&html_row(row)));
        let _ = write!(
            page,
            "</table></div>\n<p class=\"small\">Game score: the mean of the largest tiles, or 0 if the time ran out. {}. \
             A dashed frame marks a game that did not end by the rules.</p>\n\
             <p class=\"small\">{}</p>\n</body>\n</html>\n",
            MARKS,
            escaped(&self.conditions.in_words())
        );
        page
    }

    /// How many submissions have reached each tile.
    fn overview(&self) -> String {
        let mut best: BTreeMap<u64, usize> = BTreeMap::new();
        for row in &self.submissions {
            let largest = row.grade.games.iter().map(|game| game.result.largest).max().unwrap_or(0);
            *best.entry(largest).or_default() += 1;
        }
        let count = show::count(self.submissions.len(), "submission");
        let mut text = format!("<p class=\"overview\">{count}. Best tile: ");
        let parts: Vec<String> = best
            .iter()
            .rev()
            .map(|(&tile, count)| {
                let tile = if tile == 0 { "none".to_owned() } else { chip(tile, "", "") };
                format!("<span class=\"count\">{tile} &times; {count}</span>")
            })
            .collect();
        text.push_str(&parts.join(" "));
        text.push_str("</p>\n");
        text
    }
}

/// A tile in its colours.
fn chip(tile: u64, class: &str, title: &str) -> String {
    let paint = tile_paint(tile);
    // Light numbers on light tiles cannot be read in this size.
    let ink = if (8..4096).contains(&tile) && paint.fill != tile_paint(64).fill {
        "#3c3a32".to_owned()
    } else {
        paint.ink.to_string()
    };
    let shown = if tile == 0 { "&ndash;".to_owned() } else { tile.to_string() };
    let title = if title.is_empty() { String::new() } else { format!(" title=\"{}\"", escaped(title)) };
    format!(
        "<span class=\"tile {class}\" style=\"background:{};color:{ink}\"{title}>{shown}</span>",
        paint.fill
    )
}

fn html_row(row: &Row<'_>) -> String {
    let grade = row.grade;
    let or_dash = |number: Option<f64>| number.map_or_else(|| "&ndash;".to_owned(), decimal);
    let game = |game: &GradedGame| {
        let class = if matches!(game.end, GradedEnd::Over(_)) { "" } else { "broken" };
        let (number, moves) = (game.game, whole(game.result.moves));
        chip(game.result.largest, class, &format!("game {number}: {}, {moves} moves", game.end))
    };
    let was_played = grade.games.iter().any(|game| game.end != GradedEnd::NotPlayed);
    let tiles = match was_played {
        true => {
            let tiles: Vec<String> = grade.games.iter().map(game).collect();
            format!("<div class=\"tiles\">{}</div>", tiles.join("\n"))
        }
        false => String::new(),
    };
    let happened = match message(grade) {
        text if text.is_empty() => String::new(),
        text => format!("<div class=\"happened\"><bdi>{}</bdi></div>", escaped(&text)),
    };
    let numbers = [
        or_dash(row.bonus),
        decimal(row.mark),
        or_dash(row.report),
        decimal(grade.code),
        decimal(grade.play),
    ];
    let numbers: String = numbers.iter().map(|number| format!("<td>{number}</td>")).collect();
    format!(
        "<tr><td>{}</td><td class=\"words name\"><bdi>{}</bdi></td><td class=\"total\">{}</td>{numbers}<td>{}</td>\
         <td class=\"words\">{tiles}{happened}</td></tr>\n",
        row.rank.map_or_else(|| "&ndash;".to_owned(), |rank| rank.to_string()),
        escaped(&name(grade)),
        or_dash(row.total),
        decimal(grade.game_score),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_texts() {
        for (cell, shown) in [
            ("=cmd|'/c calc'!A1", "'=cmd|'/c calc'!A1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "' =1"),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            assert_eq!(harmless(cell), shown);
        }
    }
}
