//! Solving a sub-game: what it needs, progress, the result.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lab2048::solve::{
    Estimate, Goal, Job, Phase, Place, PositionCounts, SolveError, SubGame, Table, Tables, TablesError,
    solve_in_memory, solve_to_file,
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
}

pub(super) fn run(arguments: &Arguments) -> Outcome<()> {
    let game = arguments.game.settle()?;
    let registry = players::registry();
    let mut asked = Vec::new();
    for text in &arguments.start {
        let bits = afterstate(&game, text).map_err(|failure| failure.at("--start: "))?;
        asked.push(Asked { text: text.clone(), bits, value: 0.0 });
    }
    let solved = match known(registry.tables(), &game, arguments.keep, asked)? {
        Ok(solved) => solved,
        Err(asked) => solve(arguments, registry.tables(), &game, asked)?,
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

/// The table, if it was computed before and knows everything that is asked. Otherwise what was
/// asked.
fn known(
    tables: &Tables,
    game: &SubGame,
    keep: Option<f64>,
    mut asked: Vec<Asked>,
) -> Outcome<Result<Solved, Vec<Asked>>> {
    if Tables::is_solved_on_the_fly(game) {
        return Ok(Err(asked));
    }
    let table = match tables.named(&game.name()) {
        Ok(table) => table,
        Err(TablesError::Missing { .. }) => return Ok(Err(asked)),
        Err(error @ TablesError::Unfit { .. }) => {
            warn(&format!("{error}; computing it again"));
            return Ok(Err(asked));
        }
        Err(error) => return Err(Failure::bad_input(error)),
    };
    if keep.is_some_and(|keep| keep != table.info().keep) {
        return Ok(Err(asked));
    }
    for one in &mut asked {
        match table.value_of_packed(one.bits).map_err(Failure::failed)? {
            Some(value) => one.value = value,
            None => return Ok(Err(asked)),
        }
    }
    Ok(Ok(Solved { table, asked, time: None }))
}

fn solve(arguments: &Arguments, tables: &Tables, game: &SubGame, mut asked: Vec<Asked>) -> Outcome<Solved> {
    let estimate = Estimate::of(game).map_err(Failure::bad_input)?;
    check_memory(game, &estimate, arguments.memory)?;
    let bits: Vec<u64> = asked.iter().map(|asked| asked.bits).collect();
    let progress = Mutex::new(Progress::in_percent("done"));
    let began = Instant::now();
    let job = Job {
        threads: arguments.threads.count(),
        keep: arguments.keep.unwrap_or(0.0),
        asked: &bits,
        cancel: interrupt::flag(),
        progress: &|now| {
            let words = match now.phase {
                Phase::Forwards => format!("{} afterstates found", whole(now.afterstates)),
                Phase::Backwards => format!("computing their values, tile sum {}", now.sum),
            };
            let mut shown = progress.lock().unwrap_or_else(PoisonError::into_inner);
            shown.set_share(now.share, &words);
        },
    };
    let interrupted = |hint| Failure::interrupted(format!("interrupted{hint}"));
    let (table, values) = if Tables::is_solved_on_the_fly(game) {
        let solved = solve_in_memory(game, &job).map_err(failure)?;
        let (solution, table) = solved.ok_or_else(|| interrupted(""))?;
        (Arc::new(table), solution.asked)
    } else {
        let path = tables.path_of(&game.name()).ok_or_else(|| {
            Failure::Failed("there is no home folder for tables; set LAB2048_HOME to a folder".to_owned())
        })?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::Failed(format!("cannot use {}: {error}", folder.display())))?;
        }
        let solved = solve_to_file(game, &path, &job).map_err(failure)?;
        let solution = solved.ok_or_else(|| interrupted("; run the same command to continue"))?;
        (tables.named(&game.name()).map_err(Failure::failed)?, solution.asked)
    };
    drop(progress);
    for (asked, value) in asked.iter_mut().zip(values) {
        asked.value = value;
    }
    Ok(Solved { table, asked, time: Some(began.elapsed()) })
}

/// A sub-game that no machine can solve is bad input. Everything else went wrong here.
fn failure(error: SolveError) -> Failure {
    match error {
        SolveError::TooLarge { .. } => Failure::bad_input(error),
        error => Failure::failed(error),
    }
}

/// Says how much memory is needed if it is much, and refuses what does not fit.
fn check_memory(game: &SubGame, estimate: &Estimate, limit: Option<f64>) -> Outcome<()> {
    let needed = estimate.memory as f64 / 1e9;
    let (room, whose) = match limit {
        Some(limit) => (Some(limit), "--memory allows"),
        None => (free_memory(), "are free"),
    };
    if let Some(room) = room.filter(|room| needed > *room) {
        let allowed =
            if limit.is_some() { format!("{whose} {room:.1}") } else { format!("{room:.1} GB {whose}") };
        return Err(Failure::Failed(format!(
            "{} needs up to {needed:.1} GB of memory, but {allowed}",
            game.name()
        )));
    }
    if needed >= WORTH_SAYING {
        warn(&format!("{} needs up to {needed:.1} GB of memory", game.name()));
    }
    Ok(())
}

/// Less memory than this, in GB, is not mentioned.
const WORTH_SAYING: f64 = 0.1;

/// The free memory in GB, where the system tells.
fn free_memory() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0 / 1e9)
}

fn show(arguments: &Arguments, tables: &Tables, solved: &Solved) -> Outcome<()> {
    let Solved { table, asked, time } = solved;
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
        Some(time) => writeln!(text, "time         {}", show::duration(*time)),
        None => writeln!(text, "the table was computed before; its values are rounded to five digits"),
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
