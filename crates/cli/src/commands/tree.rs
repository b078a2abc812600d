//! `lab2048 tree`: draws the search tree of a player.

use std::path::PathBuf;

use clap::Args;
use lab2048::board::Size;
use lab2048::files::write_whole;
use lab2048::game::{Game, Probability, Rules};
use lab2048::search::{Step, Tree};
use lab2048_draw::search_tree;

use crate::failure::{Failure, Outcome};
use crate::game_options::{MoreWords, board_text, check_moves, read_board};
use crate::numbers::{whole, whole_as};
use crate::{interrupt, out, place, players, show};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 tree \"2 4 8 16/0 2 4 8/0 0 2 4/0 0 0 2\" -o tree.svg\n  lab2048 tree @board.txt --player minimax --depth 2 --top 3 -o tree.svg"
)]
pub(crate) struct Arguments {
    /// Board: rows like "0 2 0 0/...", the numbers of a square board, a hex code, JSON, the saved
    /// game of the web game, @FILE, or - for standard input
    #[arg(value_name = "BOARD", allow_hyphen_values = true)]
    board: String,
    #[command(flatten)]
    more: MoreWords,
    /// Player whose search is drawn
    #[arg(long, value_name = "PLAYER", default_value = "auto")]
    player: String,
    /// Number of moves to search and draw [default: depth or limits of the spec; if it has none,
    /// the first 2 moves of the search, or 3 if the coming tiles are known]
    #[arg(long, value_name = "D", value_parser = whole_as::<u32>(1, u32::MAX.into()))]
    depth: Option<u32>,
    /// Draw only the K most important branches of each board (trees without chance nodes are drawn
    /// whole)
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = whole_as::<u32>(1, u32::MAX.into()))]
    top: u32,
    /// SVG file to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Score so far, for players that use it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0, u64::MAX))]
    score: u64,
    /// Seed of the coming tiles
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0, u64::MAX))]
    seed: u64,
    /// Moves already made in the game with that seed; this determines the next tiles
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0, u64::MAX))]
    moves: u64,
    /// Probability of a 4
    #[arg(long, value_name = "P", default_value_t = Probability::TENTH)]
    four: Probability,
    /// Board size, rows x columns, if BOARD does not determine it
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::end_at_once();
    if arguments.output.as_os_str() != "-" {
        place::check(&arguments.output, &place::SVG)?;
    }
    let registry = players::registry_for_few_moves();
    let spec = registry.parse(&arguments.player).map_err(Failure::bad_input)?;
    let board = read_board(&board_text(&arguments.more.after(Some(arguments.board)))?, arguments.size)?;
    let rules = Rules { four: arguments.four, ..Rules::default() };
    let game = Game::resumed(rules, arguments.seed, board, arguments.score, arguments.moves);
    check_moves(&game)?;
    let tree =
        registry.tree(&spec, &game, arguments.depth, arguments.top as usize).map_err(Failure::bad_input)?;
    let best = best_move(&tree);
    let real = registry.resolve_drawn(&spec, &game);
    // The title names the depth anyway, so the spec of the real player is not needed.
    let name = if real == spec { spec.to_string() } else { format!("{spec} ({})", real.name()) };
    let title = title_of(&name, &tree, arguments.seed);
    let picture = search_tree::draw(&tree, &title);
    if arguments.output.as_os_str() == "-" {
        return out::print(&picture);
    }
    write_whole(&arguments.output, |file| file.write_all(picture.as_bytes())).map_err(Failure::failed)?;
    let nodes = show::count(tree.nodes.len(), "board");
    let (path, best) = (arguments.output.display(), best.unwrap_or("none"));
    out::print(&format!("{path}: {}: {nodes}, best {best}\n", whose(&name, &tree)))
}

/// The player, its depth, the seed if it knows the coming tiles, and the best move.
fn title_of(player: &str, tree: &Tree, seed: u64) -> String {
    let mut title = whose(player, tree);
    if tree.needs_future {
        title += &format!(", the tiles of seed {seed} known");
    }
    if let Some(best) = best_move(tree) {
        title += &format!(": {best}");
    }
    title
}

/// The player and the depth of its tree.
fn whose(player: &str, tree: &Tree) -> String {
    let depth = show::count(tree.depth as usize, "move");
    let drawn = if tree.drawn < tree.depth { format!(", {} drawn", tree.drawn) } else { String::new() };
    format!("{player}, {depth} ahead{drawn}")
}

/// The direction of the best move.
fn best_move(tree: &Tree) -> Option<&'static str> {
    let first = tree.nodes.iter().find(|node| node.best && node.parent == Some(0))?;
    match first.step {
        Step::Move { direction, .. } => Some(direction.name()),
        Step::Root | Step::Spawn { .. } => None,
    }
}
