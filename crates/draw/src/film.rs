//! A game as frames: the board with its tiles, at rest or sliding, with the score and the number of
//! moves above it.

use std::collections::HashMap;

use lab2048::board::{Board, Motion, Size};
use lab2048::game::Spawn;

use crate::indexed::{Canvas, Colours, Sprite};
use crate::palette::{BOARD, EMPTY, INK, LIGHT_INK, PAGE, tile_paint};

/// The side of a tile at scale 1, in pixels.
const TILE: f32 = 64.0;

/// The numbers above the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The score.
    pub score: u64,
    /// The number of moves played.
    pub moves: u64,
}

/// Draws the frames of games on boards of one size.
pub struct Film {
    size: Size,
    layout: Layout,
    colours: Colours,
    /// The fixed background: the page, the title, the boxes and the empty board.
    ground: Canvas,
    /// A cache of drawn tiles, by value and side.
    tiles: HashMap<(u64, usize), Sprite>,
}

/// The positions of all parts, in pixels.
struct Layout {
    /// The side of a tile.
    tile: usize,
    /// The distance between two tiles.
    gap: usize,
    /// The top left corner of the board.
    left: usize,
    top: usize,
    /// The boxes for the score and the moves: left, top, width, height.
    boxes: [[usize; 4]; 2],
}

impl Layout {
    fn new(size: Size, scale: f32) -> Layout {
        let tile = ((TILE * scale).round() as usize).max(8);
        let gap = (tile / 8).max(1);
        let margin = 2 * gap;
        let width = size.cols() * (tile + gap) + gap;
        let height = tile * 11 / 16;
        // The boxes leave room for a title if there is one.
        let room = if has_title(size) { width * 3 / 5 } else { width };
        let side = (room - gap) / 2;
        let right = margin + width - side;
        let boxes = [[right - gap - side, margin, side, height], [right, margin, side, height]];
        Layout { tile, gap, left: margin, top: margin + height + margin, boxes }
    }

    /// The top left corner of a cell.
    fn cell(&self, size: Size, cell: usize) -> (usize, usize) {
        let (row, col) = size.position(cell);
        let step = self.tile + self.gap;
        (self.left + self.gap + col * step, self.top + self.gap + row * step)
    }

    /// Width and height of the board.
    fn board(&self, size: Size) -> (usize, usize) {
        let step = self.tile + self.gap;
        (size.cols() * step + self.gap, size.rows() * step + self.gap)
    }
}

/// Whether there is room for a title beside the score.
fn has_title(size: Size) -> bool {
    size.cols() >= 4
}

impl Film {
    /// A film for boards of this size, with tiles of 64 pixels times `scale`. The title is `goal`.
    pub fn new(size: Size, scale: f32, goal: u64) -> Film {
        let layout = Layout::new(size, scale);
        let mut colours = Colours::of_the_game();
        let (board_width, board_height) = layout.board(size);
        let (width, height) = (board_width + 2 * layout.left, layout.top + board_height + layout.left);
        let mut ground = Canvas::new(width, height, colours.number(PAGE));
        let (tile, gap) = (layout.tile as f32, layout.gap as f32);
        let wood = colours.number(BOARD);
        if has_title(size) {
            let [left, top, _, high] = layout.boxes[0];
            let room = (left - layout.left) as f32 - 2.0 * gap;
            let title = Sprite::text(&goal.to_string(), 0.57 * tile, room, colours.number(INK));
            let place = (layout.left as i32, (top + (high - title.height) / 2) as i32);
            ground.stamp(&title, place.0, place.1, &mut colours);
        }
        for (label, [left, top, width, high]) in ["SCORE", "MOVES"].into_iter().zip(layout.boxes) {
            let plate = Sprite::rectangle(width, high, 0.75 * gap, wood);
            ground.stamp(&plate, left as i32, top as i32, &mut colours);
            let ink = colours.number(tile_paint(2).fill);
            let text = Sprite::text(label, 0.15 * tile, width as f32 - 2.0 * gap, ink);
            let place = (left + (width - text.width) / 2, top + high * 2 / 11);
            ground.stamp(&text, place.0 as i32, place.1 as i32, &mut colours);
        }
        let plate = Sprite::rectangle(board_width, board_height, 1.5 * gap, wood);
        ground.stamp(&plate, layout.left as i32, layout.top as i32, &mut colours);
        let hole = Sprite::rectangle(layout.tile, layout.tile, gap, colours.number(EMPTY));
        for cell in 0..size.cells() {
            let (left, top) = layout.cell(size, cell);
            ground.stamp(&hole, left as i32, top as i32, &mut colours);
        }
        Film { size, layout, colours, ground, tiles: HashMap::new() }
    }

    /// Width and height of the frames.
    pub fn picture_size(&self) -> (usize, usize) {
        (self.ground.width, self.ground.height)
    }

    /// The colour table of the frames, three bytes per entry.
    pub fn colours(&self) -> Vec<u8> {
        self.colours.bytes()
    }

    /// A board at rest.
    pub fn still(&mut self, board: &Board, head: Head) -> Canvas {
        let mut canvas = self.with_head(head);
        for (cell, tile) in board.tiles().enumerate().filter(|(_, tile)| *tile != 0) {
            self.put(&mut canvas, tile, self.layout.cell(self.size, cell), 1.0);
        }
        canvas
    }

    /// A frame within a move. `phase` goes from 0 to 1. First the tiles slide, then merged tiles
    /// swell and the new tile grows.
    pub fn moving(&mut self, motions: &[Motion], spawn: Option<Spawn>, head: Head, phase: f32) -> Canvas {
        const SLIDING: f32 = 0.6;
        let mut canvas = self.with_head(head);
        let share = (phase / SLIDING).clamp(0.0, 1.0);
        // Ease in and out.
        let share = share * share * (3.0 - 2.0 * share);
        let arrived = phase >= SLIDING;
        // Tiles that stay lie below tiles that slide over them.
        let mut in_order: Vec<&Motion> = motions.iter().collect();
        in_order.sort_by_key(|motion| motion.from != motion.to);
        for motion in in_order.iter().filter(|motion| !(arrived && motion.merged)) {
            let (from, to) =
                (self.layout.cell(self.size, motion.from), self.layout.cell(self.size, motion.to));
            let between =
                |from: usize, to: usize| (from as f32 + (to as f32 - from as f32) * share).round() as usize;
            self.put(&mut canvas, motion.tile, (between(from.0, to.0), between(from.1, to.1)), 1.0);
        }
        if arrived {
            let late = (phase - SLIDING) / (1.0 - SLIDING);
            if let Some(spawn) = spawn {
                let place = self.layout.cell(self.size, spawn.cell);
                self.put(&mut canvas, spawn.tile, place, 0.35 + 0.65 * late);
            }
            // Up and down again. Each merged tile has two motions, and both draw the same picture.
            let swelling = 1.0 + 0.16 * (1.0 - (2.0 * late - 0.6).abs()).max(0.0);
            for motion in motions.iter().filter(|motion| motion.merged) {
                let place = self.layout.cell(self.size, motion.to);
                self.put(&mut canvas, motion.tile.saturating_mul(2), place, swelling);
            }
        }
        canvas
    }

    /// The background with the score and the moves.
    fn with_head(&mut self, head: Head) -> Canvas {
        let mut canvas = self.ground.clone();
        let ink = self.colours.number(LIGHT_INK);
        for (number, [left, top, width, high]) in [head.score, head.moves].into_iter().zip(self.layout.boxes)
        {
            let most_width = (width - self.layout.gap) as f32;
            let text = Sprite::text(&number.to_string(), 0.26 * self.layout.tile as f32, most_width, ink);
            let place = (left + (width - text.width) / 2, top + high * 15 / 22 - text.height / 2);
            canvas.stamp(&text, place.0 as i32, place.1 as i32, &mut self.colours);
        }
        canvas
    }

    /// Draws a tile, scaled around its centre.
    fn put(&mut self, canvas: &mut Canvas, tile: u64, (left, top): (usize, usize), swelling: f32) {
        let whole = self.layout.tile;
        let side = ((whole as f32 * swelling / 2.0).round() as usize * 2 + whole % 2).max(2);
        let colours = &mut self.colours;
        let sprite = self.tiles.entry((tile, side)).or_insert_with(|| Sprite::tile(tile, side, colours));
        let shift = (side as i32 - whole as i32) / 2;
        canvas.stamp(sprite, left as i32 - shift, top as i32 - shift, colours);
    }
}

#[cfg(test)]
mod tests {
    use lab2048::board::Direction;

    use super::*;

    fn board(text: &str) -> Board {
        text.parse().unwrap()
    }

    const HEAD: Head = Head { score: 3_932_100, moves: 100_000 };

    #[test]
    fn every_size_and_scale_can_be_drawn() {
        for size in ["2x2", "2x8", "8x2", "3x5", "8x8"] {
            for scale in [0.125, 0.25, 1.0, 1.7] {
                let size: Size = size.parse().unwrap();
                let mut film = Film::new(size, scale, 2048);
                let cells = (0..size.cells()).map(|cell| 1 << (cell % 63 + 1)).collect();
                let full = Board::from_grid(lab2048::board::Grid::from_cells(size, cells)).unwrap();
                let picture = film.still(&full, HEAD);
                assert_eq!((picture.width, picture.height), film.picture_size());
                assert!(usize::from(*picture.pixels.iter().max().unwrap()) < film.colours().len() / 3);
            }
        }
    }

    #[test]
    fn a_tile_has_its_colour_where_it_stands() {
        let mut film = Film::new(Size::FOUR, 1.0, 2048);
        let picture = film.still(&board("2 0 0 0/0 0 0 0/0 0 64 0/0 0 0 0"), HEAD);
        for (cell, tile) in [(0, 2), (1, 0), (10, 64)] {
            let (left, top) = film.layout.cell(Size::FOUR, cell);
            let pixel = picture.pixels[(top + 8) * picture.width + left + 12];
            assert_eq!(pixel, film.colours.number(tile_paint(tile).fill), "cell {cell}");
        }
    }

    #[test]
    fn a_move_begins_and_ends_as_the_boards_do() {
        let mut film = Film::new("2x3".parse().unwrap(), 0.5, 2048);
        let before = board("2 0 2/4 0 0");
        let motions = before.motions(Direction::Left).unwrap();
        let spawn = Spawn { cell: 5, tile: 2 };
        let start = film.moving(&motions, Some(spawn), HEAD, 0.0);
        assert_eq!(start, film.still(&before, HEAD));
        let middle = film.moving(&motions, Some(spawn), HEAD, 0.3);
        let (left, top) = film.layout.cell(film.size, 1);
        let pixel = middle.pixels[(top + 3) * middle.width + left + 16];
        assert_eq!(pixel, film.colours.number(tile_paint(2).fill), "the right 2 is halfway");
        let late = film.moving(&motions, Some(spawn), HEAD, 0.9);
        let (left, top) = film.layout.cell(film.size, 0);
        let pixel = late.pixels[(top + 3) * late.width + left + 16];
        assert_eq!(pixel, film.colours.number(tile_paint(4).fill), "the 2s have become a 4");
    }
}
