//! Solving a sub-game: what it needs, progress, the result.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lab2048::solve::{
    Estimate, Goal, Job, Phase, Place, PositionCounts, SolveError, SubGame, Table, TableError, Tables,
    TablesError, free_memory, solve_in_memory, solve_to_file, unfinished_work,
};
use lab2048::text::in_words;
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
    let solved = match existing(registry.tables(), &game, arguments.again)? {
        Some(table) if !arguments.again && arguments.keep.is_none_or(|keep| keep == table.info().keep) => {
            look_up(table, asked)?
        }
        old => {
            let keep = arguments.keep.or_else(|| Some(old?.info().keep));
            solve(arguments, registry.tables(), &game, keep, asked)?
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

/// The table, if it was computed before. One that is damaged will be computed again. With `--again`
/// so will one of a later version, which only that version can use otherwise.
fn existing(tables: &Tables, game: &SubGame, again: bool) -> Outcome<Option<Arc<Table>>> {
    let found = tables.computed(game);
    let is_replaced = match &found {
        Err(TablesError::Unfit { source: TableError::Damaged(_) | TableError::Foreign, .. }) => true,
        Err(TablesError::Unfit { source: TableError::Version(_), .. }) => again,
        _ => false,
    };
    match found {
        Err(error) if is_replaced => {
            warn(&format!("{error}; solving again"));
            Ok(None)
        }
        found => found.map_err(Failure::bad_input),
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

fn solve(
    arguments: &Arguments,
    tables: &Tables,
    game: &SubGame,
    keep: Option<f64>,
    mut asked: Vec<Asked>,
) -> Outcome<Solved> {
    let estimate = Estimate::of(game).map_err(Failure::bad_input)?;
    check_memory(game, &estimate, arguments.memory)?;
    let path = tables.path_of(&game.name());
    // The options of an unfinished run need not be repeated.
    let unfinished = path.as_deref().and_then(unfinished_work);
    let bits = match &unfinished {
        Some(work) if asked.is_empty() => work.asked.clone(),
        _ => asked.iter().map(|asked| asked.bits).collect(),
    };
    let continued = unfinished.is_some();
    let keep = keep.or_else(|| unfinished.map(|work| work.keep)).unwrap_or(0.0);
    let progress = Mutex::new(Progress::in_percent("done"));
    let began = Instant::now();
    let job = Job {
        threads: arguments.threads.count(),
        keep,
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
        let path = path.ok_or_else(|| {
            Failure::Failed("there is no home folder for tables; set LAB2048_HOME to a folder".to_owned())
        })?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| {
                Failure::Failed(format!("cannot use {}: {}", folder.display(), in_words(&error)))
            })?;
        }
        let solved = solve_to_file(game, &path, &job).map_err(failure)?;
        let solution = solved.ok_or_else(|| interrupted("; run the same command to continue"))?;
        (tables.named(&game.name()).map_err(Failure::failed)?, solution.asked)
    };
    drop(progress);
    for (asked, value) in asked.iter_mut().zip(values) {
        asked.value = value;
    }
    Ok(Solved { table, asked, time: Some(began.elapsed()), continued })
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
        None => (free_memory().map(|bytes| bytes as f64 / 1e9), "are free"),
    };
    if let Some(room) = room.filter(|room| needed > *room) {
        let room = format!("{room:.digits$}", digits = if room < 1.0 { 3 } else { 1 });
        let allowed = if limit.is_some() { format!("{whose} {room}") } else { format!("{room} GB {whose}") };
        return Err(Failure::Failed(format!(
            "{} needs up to {needed:.1} GB of memory, but {allowed}; try a smaller --tile or --max-sum",
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
