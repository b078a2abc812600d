//! A review as one self-contained HTML page, without scripts or external files. All text from the
//! replay is escaped.

use std::fmt::Write as _;

use lab2048::board::{Board, Direction, Grid};
use lab2048::game::{Action, Unit};
use lab2048::review::{Grade, Verdict};
use lab2048_draw::svg::{BoardLook, Svg, board_height, escaped};

use super::{Mistake, Report, curve, text};
use crate::report::{decimal, percent, whole};
use crate::show;

/// The first bytes of every review page.
pub(super) const BEGINNING: &str = "<!DOCTYPE html>\n<!-- lab2048 review -->\n";

const STYLE: &str = "\
:root { color-scheme: light dark; --page: #faf8ef; --card: #fffdf9; --ink: #4d463f; --soft: #8a7f73; --rule: #e5ddd3; }
@media (prefers-color-scheme: dark) {
  :root { --page: #1f1c19; --card: #2a2622; --ink: #ece4d9; --soft: #a89c8f; --rule: #443d36; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 60rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 'Clear Sans', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif; }
h1 { margin: 0; font-size: 1.7rem; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.2rem; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; margin: 1.5rem 0; }
.card { padding: .8rem 1rem; border: 1px solid var(--rule); border-radius: .6rem; background: var(--card); }
.card b { display: block; font-size: 1.6rem; line-height: 1.2; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--rule); text-align: right; }
th { color: var(--soft); font-weight: normal; }
th:first-child, td:first-child { text-align: left; }
.dot { display: inline-block; width: .7em; height: .7em; margin-right: .5em; border-radius: 50%; }
.chart > svg { display: block; width: 100%; border: 1px solid var(--rule); border-radius: .6rem; }
.chart > svg > rect { fill: var(--card); }
.chart > svg > line { stroke: var(--rule); }
.chart > svg > text:not([fill]) { fill: var(--ink); }
.mistake { margin: 1rem 0; padding: 1rem; border: 1px solid var(--rule); border-radius: .6rem; background: var(--card); }
.mistake h3 { margin: 0 0 .3rem; font-size: 1rem; }
.boards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 1rem; margin: .8rem 0; }
.boards figure { margin: 0; text-align: center; }
.boards svg { width: 100%; max-width: 13rem; }
figcaption { font-weight: bold; }
figcaption.best { color: #4f9d69; }
figcaption.played { color: #e8543a; }
table + p { margin-top: 1rem; }
.values { display: grid; grid-template-columns: 4rem 1fr 6rem; gap: .2rem .6rem; align-items: center; }
.bar { height: .7rem; border-radius: .35rem; background: var(--rule); }
.bar i { display: block; height: 100%; border-radius: .35rem; background: #a08a74; }
.values .best { background: #4f9d69; }
.values .played { background: #e8543a; }
.values span:last-child, .number { text-align: right; font-variant-numeric: tabular-nums; }
@media (max-width: 34rem) { .boards { grid-template-columns: repeat(2, 1fr); } }
";

/// The whole page.
pub(super) fn page(report: &Report<'_>) -> String {
    let title = escaped(&report.title());
    let mut page = format!(
        "{BEGINNING}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>Review: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p class=\"soft\">{}; judged by {}</p>\n",
        escaped(&report.file),
        escaped(&report.judge),
    );
    if let Some(note) = &report.replay.header().note {
        add(&mut page, format_args!("<p>{}</p>", escaped(note)));
    }
    cards(&mut page, report);
    add(&mut page, format_args!("<div class=\"chart\">\n{}</div>", curve::draw(report.review)));
    grades(&mut page, report);
    for sentence in text::sentences(report) {
        let (first, rest) = sentence.split_at(1);
        add(&mut page, format_args!("<p>{}{}.</p>", first.to_uppercase(), escaped(rest)));
    }
    if !report.worst.is_empty() {
        page.push_str("<h2>The moves that lost most</h2>\n");
    }
    for mistake in &report.worst {
        add_mistake(&mut page, mistake);
    }
    if let Some(network) = &report.network {
        add(&mut page, format_args!("<p class=\"soft\">The judge's network: {}</p>", escaped(network)));
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn add(page: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = page.write_fmt(arguments);
    page.push('\n');
}

/// The most important figures.
fn cards(page: &mut String, report: &Report<'_>) {
    let summary = &report.summary;
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), percent);
    let cards = [
        (whole(report.score()), "points"),
        (whole(summary.moves as u64), "moves"),
        (share(summary.accuracy()), "accuracy"),
        (share(summary.agreement()), "the judge's own moves"),
        (summary.mean_loss().map_or_else(|| "-".to_owned(), decimal), "points lost by a move, on average"),
    ];
    page.push_str("<div class=\"cards\">\n");
    for (figure, words) in cards {
        add(
            page,
            format_args!("<div class=\"card\"><b>{figure}</b><span class=\"soft\">{words}</span></div>"),
        );
    }
    page.push_str("</div>\n");
}

fn grades(page: &mut String, report: &Report<'_>) {
    let summary = &report.summary;
    page.push_str(
        "<h2>Grades</h2>\n<table>\n<tr><th>grade</th><th>keeps at least</th><th>moves</th><th>points lost</th></tr>\n",
    );
    for grade in Grade::ALL {
        let tally = summary.with(grade);
        add(
            page,
            format_args!(
                "<tr><td><i class=\"dot\" style=\"background: {}\"></i>{grade}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                curve::COLOURS[grade.index()],
                grade.least(),
                whole(tally.moves as u64),
                decimal(tally.loss)
            ),
        );
    }
    if summary.forced > 0 {
        let forced = whole(summary.forced as u64);
        add(page, format_args!("<tr><td>forced</td><td></td><td>{forced}</td><td></td></tr>"));
    }
    page.push_str("</table>\n");
}

/// A mistake: the board before it, after the played move and after the best move, and all four
/// values.
fn add_mistake(page: &mut String, mistake: &Mistake<'_>) {
    let judged = mistake.judged;
    let board = &mistake.position.board;
    let colour = match judged.verdict() {
        Verdict::Graded(grade) => curve::COLOURS[grade.index()],
        _ => "none",
    };
    add(
        page,
        format_args!(
            "<div class=\"mistake\">\n<h3><i class=\"dot\" style=\"background: {colour}\"></i>Move {}: {}</h3>\n\
             <p class=\"soft\">Score so far {}</p>\n<div class=\"boards\">",
            whole(judged.number as u64),
            escaped(&text::sentence(mistake)),
            whole(judged.score),
        ),
    );
    figure(page, &board.to_grid(), "before", "before");
    figure(page, &after(board, judged.played), "played", &format!("played: {}", arrow(judged.played)));
    figure(page, &after(board, judged.best), "best", &format!("best: {}", arrow(judged.best)));
    page.push_str("</div>\n<div class=\"values\">\n");
    let lengths = show::bar_lengths(&judged.values, Unit::Points);
    for direction in Direction::ALL {
        let value = judged.values[direction.index()].worth();
        let width = 100.0 * lengths[direction.index()];
        let class = match Action::Move(direction) {
            action if action == judged.best => " class=\"best\"",
            action if action == judged.played => " class=\"played\"",
            _ => "",
        };
        let number = value.map_or_else(|| "-".to_owned(), decimal);
        add(
            page,
            format_args!(
                "<span>{direction}</span><span class=\"bar\"><i{class} style=\"width: {width:.1}%\"></i></span><span class=\"number\">{number}</span>"
            ),
        );
    }
    page.push_str("</div>\n</div>\n");
}

/// The board after an action, before the spawn.
fn after(board: &Board, action: Action) -> Grid {
    let slid = match action {
        Action::Move(direction) => board.slide(direction).ok().flatten(),
        Action::Pass | Action::Quit => None,
    };
    slid.map_or_else(|| board.to_grid(), |slid| slid.after.to_grid())
}

fn arrow(action: Action) -> String {
    let arrow = match action {
        Action::Move(Direction::Up) => "↑ ",
        Action::Move(Direction::Right) => "→ ",
        Action::Move(Direction::Down) => "↓ ",
        Action::Move(Direction::Left) => "← ",
        Action::Pass | Action::Quit => "",
    };
    format!("{arrow}{}", show::action_name(action))
}

fn figure(page: &mut String, tiles: &Grid, class: &str, words: &str) {
    const WIDTH: f64 = 200.0;
    const EDGE: f64 = 4.0;
    let mut svg = Svg::new();
    svg.board(EDGE, EDGE, WIDTH, tiles, BoardLook::default());
    let rows: Vec<String> =
        tiles.rows().map(|row| row.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")).collect();
    let picture = svg.inline(WIDTH + 2.0 * EDGE, board_height(tiles, WIDTH) + 2.0 * EDGE, &rows.join("; "));
    add(
        page,
        format_args!(
            "<figure>{picture}<figcaption class=\"{class}\">{}</figcaption></figure>",
            escaped(words)
        ),
    );
}
