//! One position of a game, or one board, as a picture.

use lab2048::board::Board;
use lab2048::game::replay::Position;

use crate::palette::INK;
use crate::svg::{Anchor, BoardLook, Font, Svg, board_height};

/// The width of a cell, including its gap.
const CELL: f64 = 72.0;
const MARGIN: f64 = 20.0;
/// The height of the line below the board.
const LINE: f64 = 34.0;

/// Draws a position of a game that has `moves` moves: the board with the new tile framed, and a
/// line of text below it.
pub fn draw(position: &Position, moves: usize) -> String {
    let tiles = position.board.to_grid();
    let width = CELL * tiles.size().cols() as f64;
    let height = board_height(&tiles, width);
    let mut svg = Svg::new();
    let new = position.turn.and_then(|turn| turn.spawn).map(|spawn| spawn.cell);
    svg.board(MARGIN, MARGIN, width, &tiles, BoardLook { new, ..BoardLook::default() });
    let words = format!("move {} of {moves}, score {}", position.number, position.score);
    // A narrow board has less room for text.
    let size = (1.7 * width / words.len() as f64).min(15.0);
    let font = Font { size, bold: true, ink: INK, anchor: Anchor::Middle };
    svg.text(MARGIN + width / 2.0, MARGIN + height + LINE / 2.0 + 4.0, font, &words);
    svg.finish(width + 2.0 * MARGIN, height + MARGIN + LINE + 10.0)
}

/// Draws a board without any text.
pub fn board(board: &Board) -> String {
    let tiles = board.to_grid();
    let width = CELL * tiles.size().cols() as f64;
    let height = board_height(&tiles, width);
    let mut svg = Svg::new();
    svg.board(MARGIN, MARGIN, width, &tiles, BoardLook::default());
    svg.finish(width + 2.0 * MARGIN, height + 2.0 * MARGIN)
}
