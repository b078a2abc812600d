//! Solving a sub-game: what it needs, progress, the result.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lab2048::solve::{
    Estimate, Goal, Phase, Place, PositionCounts, Prepared, SolveError, SolvePlan, SolveProgress, SubGame,
    Table, TableRequest, Tables,
};
use serde_json::{Value, json};

use super::Arguments;
use crate::exact::{value_in_full, value_text};
use crate::failure::{Failure, Outcome, warn};
use crate::game_options::read_board;
use crate::progress::Progress;
use crate::report::whole;
use crate::{interrupt, out, players, show};

/// An afterstate whose value is wanted.
struct Asked {
    /// As typed.
    text: String,
    /// Its packed cells.
    bits: u64,
    /// Its value.
    value: f64,
}

/// The solved sub-game.
struct Solved {
    table: Arc<Table>,
    asked: Vec<Asked>,
    /// How long it took; `None` if the table was there already.
    time: Option<Duration>,
    /// Whether an interrupted run was continued.
    continued: bool,
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let game = arguments.game.settle()?;
    let registry = players::registry();
    let mut asked = Vec::new();
    for text in &arguments.start {
        let bits = afterstate(&game, text).map_err(|failure| failure.at("--start: "))?;
        asked.push(Asked { text: text.clone(), bits, value: 0.0 });
    }
    if arguments.keep.is_some() && game.goal() == Goal::Score {
        return Err(Failure::BadInput("--keep needs --tile: all points are kept".to_owned()));
    }
    let request = TableRequest {
        game: game.clone(),
        again: arguments.again,
        save: true,
        keep: arguments.keep,
        asked: asked.iter().map(|asked| asked.bits).collect(),
    };
    let solved = match registry.tables().prepare(request).map_err(Failure::bad_input)? {
        Prepared::Table(table) => look_up(table, asked)?,
        Prepared::Plan(plan) => {
            if let Some(error) = plan.damaged() {
                warn(&format!("{error}; solving again"));
            }
            check_memory(&game, arguments.memory)?;
            solve(arguments, registry.tables(), &plan, asked)?
        }
    };
    show(arguments, registry.tables(), &solved)
}

/// The packed cells of a board that was typed.
fn afterstate(game: &SubGame, text: &str) -> Outcome<u64> {
    let board = read_board(text, Some(game.size()).filter(|_| !text.contains('/')))?;
    let tiles: Vec<u64> = board.tiles().collect();
    game.packed(&tiles, board.size()).ok_or_else(|| Failure::BadInput(misfit(game)))
}

/// Why a board is not a position of a sub-game.
fn misfit(game: &SubGame) -> String {
    let name = game.name();
    match (game.walls().inner(), game.goal()) {
        (Some(inner), Goal::Tile { tile, place }) => {
            let order = match place {
                Place::Anywhere => format!("the smallest one at least {tile}"),
                Place::Beside => format!(
                    "the smallest one {tile} in cell {inner}, and each larger one beside the next smaller one"
                ),
            };
            format!("this board does not fit {name}: its walls must be different tiles, {order}")
        }
        _ => format!("this board is not a position of {name} before its end"),
    }
}

/// Takes the values that are asked for from a table.
fn look_up(table: Arc<Table>, mut asked: Vec<Asked>) -> Outcome<Solved> {
    for one in &mut asked {
        let value = table.value_of_packed(one.bits).map_err(Failure::failed)?;
        one.value = value.ok_or_else(|| {
            let (name, keep) = (table.game().name(), table.info().keep);
            Failure::BadInput(format!(
                "{name} does not hold {}: its chance is at most {keep}, or no game from the usual start reaches it; \
                 --again solves with it as a start",
                one.text
            ))
        })?;
    }
    Ok(Solved { table, asked, time: None, continued: false })
}

fn solve(arguments: &Arguments, tables: &Tables, plan: &SolvePlan, mut asked: Vec<Asked>) -> Outcome<Solved> {
    let progress = Mutex::new(Progress::in_percent("done"));
    let began = Instant::now();
    let tell = |now: &SolveProgress| {
        let words = match now.phase {
            Phase::Forwards => format!("{} afterstates found", whole(now.afterstates)),
            Phase::Backwards => format!("computing their values, tile sum {}", now.sum),
        };
        let mut shown = progress.lock().unwrap_or_else(PoisonError::into_inner);
        shown.set_share(now.share, &words);
    };
    let solved = tables.solve(plan, arguments.threads.count(), interrupt::flag(), &tell).map_err(failure)?;
    let (solution, table) = solved.ok_or_else(|| {
        let hint = plan.target(tables).map_or("", |_| "; run the same command to continue");
        Failure::interrupted(format!("interrupted{hint}"))
    })?;
    drop(progress);
    for (asked, value) in asked.iter_mut().zip(solution.asked) {
        asked.value = value;
    }
    Ok(Solved { table, asked, time: Some(began.elapsed()), continued: plan.continues() })
}

/// A sub-game that no machine can solve is bad input. Everything else went wrong here.
fn failure(error: SolveError) -> Failure {
    match error {
        SolveError::TooLarge { .. } => Failure::bad_input(error),
        error => Failure::failed(error),
    }
}

/// Says how much memory is needed if it is much, and refuses what does not fit. The limit is in GB.
fn check_memory(game: &SubGame, limit: Option<f64>) -> Outcome<()> {
    let estimate = Estimate::of(game).map_err(Failure::bad_input)?;
    let limit = limit.map(|gigabytes| (gigabytes * 1e9) as u64);
    estimate
        .check(game, limit)
        .map_err(|error| Failure::Failed(format!("{error}; try a smaller --tile or --max-sum")))?;
    let needed = estimate.memory as f64 / 1e9;
    if needed >= WORTH_SAYING {
        warn(&format!("{} needs up to {needed:.1} GB of memory", game.name()));
    }
    Ok(())
}

/// Less memory than this, in GB, is not mentioned.
const WORTH_SAYING: f64 = 0.1;

fn show(arguments: &Arguments, tables: &Tables, solved: &Solved) -> Outcome<()> {
    let Solved { table, asked, time, continued } = solved;
    let goal = table.game().goal();
    let path =
        if Tables::is_solved_on_the_fly(table.game()) { None } else { tables.path_of(&table.game().name()) };
    if arguments.json {
        let mut json = json_of(&table.game().name(), table, path.as_deref());
        json["starts"] = asked.iter().map(|one| json!({ "board": one.text, "value": one.value })).collect();
        json["seconds"] = json!(time.map(|time| time.as_secs_f64()));
        return out::print_json(&json);
    }
    let mut text = facts(table, path.as_deref());
    // Writing to a string cannot fail.
    let _ = match time {
        Some(time) => {
            let since = if *continued { " since the interruption" } else { "" };
            writeln!(text, "time         {}{since}", show::duration(*time))
        }
        None => writeln!(text, "read from the existing table, whose values have 16 bits"),
    };
    for one in asked {
        let value = if time.is_some() { value_in_full(one.value, goal) } else { value_text(one.value, goal) };
        let _ = writeln!(text, "{value}  from {}", one.text);
    }
    out::print(&text)
}

/// What a table holds, for people.
pub(super) fn facts(table: &Table, path: Option<&Path>) -> String {
    let info = table.info();
    let PositionCounts { boards, afterstates, terminal } = info.counts;
    let mut text = format!(
        "{}\n\nstart        {}\nboards       {}\nafterstates  {}\nterminal     {}\n",
        info.game,
        value_in_full(info.start, info.game.goal()),
        whole(boards),
        whole(afterstates),
        whole(terminal),
    );
    // Writing to a string cannot fail.
    let _ = match path {
        Some(path) => writeln!(
            text,
            "table        {}, {:.1} MB, {:.1} bits for each of {} positions{}",
            path.display(),
            table.bytes() as f64 / 1e6,
            bits(table),
            whole(info.stored),
            if info.keep > 0.0 { format!(" above {}", info.keep) } else { String::new() },
        ),
        None => writeln!(text, "table        none: boards of this size are solved when they are needed"),
    };
    text
}

/// The bits of the file for each stored position.
fn bits(table: &Table) -> f64 {
    8.0 * table.bytes() as f64 / table.info().stored.max(1) as f64
}

/// What a table holds, for programs.
pub(super) fn json_of(name: &str, table: &Table, path: Option<&Path>) -> Value {
    let info = table.info();
    let (tile, unit) = match info.game.goal() {
        Goal::Score => (None, "points"),
        Goal::Tile { tile, .. } => (Some(tile), "chance"),
    };
    json!({
        "name": name,
        "goal": info.game.to_string(),
        "size": info.game.size().to_string(),
        "walls": info.game.walls().cells(),
        "tile": tile,
        "unit": unit,
        "four": info.game.four().get(),
        "start": info.start,
        "boards": info.counts.boards,
        "afterstates": info.counts.afterstates,
        "terminal": info.counts.terminal,
        "keep": info.keep,
        "stored": info.stored,
        "bytes": path.map(|_| table.bytes()),
        "sha256": table.hash(),
        "file": path.map(|path| path.display().to_string()),
    })
}
