//! Shared helpers: sub-games, solved tables, boards drawn as text.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lab2048::board::{Board, parse_board};
use lab2048::game::Probability;
use lab2048::solve::{Goal, Job, Place, Solution, SubGame, Table, solve_in_memory, solve_to_file};

pub(crate) const TENTH: Probability = Probability::TENTH;

/// A board drawn as rows of numbers, with dots for empty cells.
pub(crate) fn board(picture: &str) -> Board {
    parse_board(picture, None).unwrap()
}

pub(crate) fn on_board(size: &str, goal: Goal) -> SubGame {
    SubGame::on_board(size.parse().unwrap(), goal).unwrap()
}

/// The goal of a tile on a small board.
pub(crate) fn tile(tile: u64) -> Goal {
    Goal::Tile { tile, place: Place::Anywhere }
}

pub(crate) fn endgame(walls: &str, tile: u64, place: Place) -> SubGame {
    SubGame::endgame(walls.parse().unwrap(), tile, place).unwrap()
}

/// How to solve on some threads.
pub(crate) fn job<'a>(threads: usize) -> Job<'a> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Job { threads, keep: 0.0, asked: &[], cancel: &NEVER, progress: &|_| {} }
}

pub(crate) fn solved(game: &SubGame) -> (Solution, Arc<Table>) {
    let (solution, table) = solve_in_memory(game, &job(2)).unwrap().unwrap();
    (solution, Arc::new(table))
}

pub(crate) fn table(game: &SubGame) -> Arc<Table> {
    solved(game).1
}

/// Solves into a folder, under the name of the table.
pub(crate) fn solved_into(folder: &Path, game: &SubGame) {
    let path = folder.join(format!("{}.table", game.name()));
    solve_to_file(game, &path, &job(2)).unwrap().unwrap();
}

/// Whether tests that take minutes should run.
pub(crate) fn is_long() -> bool {
    std::env::var_os("LAB2048_LONG").is_some()
}
