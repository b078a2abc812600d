//! `lab2048 solve`: solves small boards and endgames exactly, manages the tables, and compares
//! players with perfect play.

mod compare;
mod library;
mod solving;

use clap::{ArgGroup, Args};

use crate::failure::Outcome;
use crate::numbers::{Threads, number, whole};
use crate::subgame_options::SubGameOptions;

#[derive(Args, Debug)]
#[command(
    group = ArgGroup::new("other work").args(["list", "info", "remove"]).conflicts_with_all([
        "what", "walls", "tile", "target", "four", "max_sum", "threads",
    ]),
    after_help = "Examples:\n  lab2048 solve 2x3\n  lab2048 solve 2x3 --tile 64\n  lab2048 solve block --tile 512\n  \
    lab2048 solve block --tile 512 --start \"16384 2048 1024 4/8192 4096 512 2/0 0 0 0/0 0 0 2\"\n  \
    lab2048 solve 2x3 --compare greedy\n  lab2048 solve --list\n\n\
    A small board is solved for the expected score, or with --tile for the chance to make a tile. An endgame fixes large \
    tiles as walls; the goal is to make one more tile in the free cells. Formations: block (2x3), snake (the first row and \
    two cells below), t, row.\n\n\
    Solving prints the number of positions up to symmetry and the value of the start, and writes a table to the data folder. \
    The players optimal and endgame use tables, and so do best, hints and practice. Run the same command to continue after \
    an interruption."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    game: SubGameOptions,
    /// Print the value of this afterstate too: a board after a move, before the new tile. Can be
    /// given several times
    #[arg(long, value_name = "BOARD", conflicts_with = "other work")]
    start: Vec<String>,
    /// Leave chances of at most P out of the table, which makes it smaller. They are still computed
    /// [default: 0, or that of the existing table]
    #[arg(long, value_name = "P", value_parser = number(0.0, 0.999), allow_hyphen_values = true, conflicts_with = "other work")]
    keep: Option<f64>,
    /// Refuse to use more memory than this, in GB [default: what is free]
    #[arg(long, value_name = "GB", value_parser = number(0.001, 1e6), allow_hyphen_values = true, conflicts_with = "other work")]
    memory: Option<f64>,
    /// Solve again, even if there is a table
    #[arg(long, conflicts_with_all = ["other work", "compare"])]
    again: bool,
    #[command(flatten)]
    threads: Threads,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: TableOptions,
    #[command(flatten)]
    compare: CompareOptions,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Tables")]
struct TableOptions {
    /// List the tables in the data folder
    #[arg(long)]
    list: bool,
    /// Show what a table holds and verify its checksums: a file, or the name of a table
    #[arg(long, value_name = "TABLE")]
    info: Option<String>,
    /// Remove a table from the data folder, or what an unfinished run left there
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Comparison")]
struct CompareOptions {
    /// Show how much a player loses against perfect play. Exact for players that depend only on the
    /// board and for random, if that takes at most 30 minutes; otherwise by sampled games
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["other work", "start", "keep"])]
    compare: Option<String>,
    /// Sample N games [default: 10000, if the exact value is not possible or takes too long]
    #[arg(long, value_name = "N", value_parser = whole(1, 1_000_000_000), requires = "compare", conflicts_with = "exact")]
    games: Option<u64>,
    /// Compute the exact value however long it takes
    #[arg(long, requires = "compare")]
    exact: bool,
    /// Seed of the first sampled game
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX), requires = "compare")]
    seed: u64,
    /// Draw the N positions where the player loses most
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole(0, 1000), requires = "compare")]
    worst: u64,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let TableOptions { list, info, remove } = &arguments.tables;
    match (info, remove, &arguments.compare.compare) {
        (Some(table), ..) => library::info(table, arguments.json),
        (_, Some(name), _) => library::remove(name),
        _ if *list => library::list(arguments.json),
        (_, _, Some(player)) => compare::run(player, &arguments),
        _ => solving::run(&arguments),
    }
}
