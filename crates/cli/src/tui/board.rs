//! Paints a board on the screen, and finds the largest tile size that fits.
//!
//! With colours, tiles are painted in dots of one column by half a row, which are nearly square: a
//! half block shows two dots in one character. So gaps are even, and tiles move smoothly in both
//! directions. Without colours, tiles are boxes of lines, and heavier lines mean larger tiles.
//! Numbers on large tiles have large digits where they fit (`digits`).

use lab2048::board::{Board, Size};
use lab2048_draw::number::number;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::digits::Digits;
use super::motion::{Moving, Stage};
use super::theme::{Colours, Theme};

/// The size of tiles on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// The columns of a tile.
    cols: u16,
    /// The rows of a tile, including the gap above it.
    rows: u16,
}

impl Scale {
    /// All scales, from the largest to the smallest.
    const ALL: [Scale; 12] = [
        Scale { cols: 26, rows: 13 },
        Scale { cols: 24, rows: 12 },
        Scale { cols: 22, rows: 11 },
        Scale { cols: 20, rows: 10 },
        Scale { cols: 18, rows: 9 },
        Scale { cols: 16, rows: 8 },
        Scale { cols: 14, rows: 7 },
        Scale { cols: 12, rows: 6 },
        Scale { cols: 10, rows: 5 },
        Scale { cols: 8, rows: 4 },
        Scale { cols: 7, rows: 3 },
        Scale { cols: 6, rows: 2 },
    ];

    /// The largest scale at which a board fits an area.
    pub(super) fn fitting(size: Size, width: u16, height: u16) -> Option<Scale> {
        Scale::ALL.into_iter().find(|scale| {
            let (cols, rows) = scale.board(size);
            cols <= width && rows <= height
        })
    }

    /// Columns and rows of a whole board.
    pub(super) fn board(self, size: Size) -> (u16, u16) {
        (size.cols() as u16 * (self.cols + 1) + 1, size.rows() as u16 * self.rows + 1)
    }

    /// Columns and rows of a board at the smallest scale.
    pub(super) fn least(size: Size) -> (u16, u16) {
        Scale::ALL[Scale::ALL.len() - 1].board(size)
    }

    /// The columns of a tile.
    pub(super) fn tile_width(self) -> usize {
        self.cols.into()
    }

    /// The tile of a cell, in dots from the board's top left.
    fn dots(self, size: Size, cell: usize) -> Dots {
        let (row, col) = size.position(cell);
        Dots {
            x: col as i32 * i32::from(self.cols + 1) + 1,
            y: row as i32 * i32::from(2 * self.rows) + 1,
            width: self.cols.into(),
            height: i32::from(2 * self.rows) - 1,
        }
    }

    /// The screen row of a cell's number, counted from the board's top.
    pub(super) fn number_row(self, size: Size, cell: usize) -> u16 {
        self.dots(size, cell).number_row() as u16
    }
}

/// A rectangle in dots.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dots {
    x: i32,
    y: i32,
    width: i32,
    height: i32,
}

impl Dots {
    /// A place on the way to another one. `part` is the share of the way.
    fn towards(self, to: Dots, part: f32) -> Dots {
        let between = |from: i32, to: i32| from + ((to - from) as f32 * part).round() as i32;
        Dots { x: between(self.x, to.x), y: between(self.y, to.y), ..self }
    }

    /// The same rectangle, larger on every side.
    fn grown(self, by: i32) -> Dots {
        Dots { x: self.x - by, y: self.y - by, width: self.width + 2 * by, height: self.height + 2 * by }
    }

    /// A smaller rectangle with the same centre.
    fn shrunk(self, part: f32) -> Dots {
        let keep = |length: i32| ((length as f32 * part).round() as i32).clamp(1, length);
        let (width, height) = (keep(self.width), keep(self.height));
        Dots { x: self.x + (self.width - width) / 2, y: self.y + (self.height - height) / 2, width, height }
    }

    fn number_row(self) -> i32 {
        (self.y + self.height / 2).div_euclid(2)
    }

    /// The number of a label in large digits, if the rectangle is large enough. `edge` is the width
    /// that must stay free.
    fn digits(self, label: &Label, edge: i32) -> Option<Digits> {
        /// The height that must stay free.
        const FREE: i32 = 6;
        // A text with a style of its own is being edited.
        if label.text.is_empty() || label.style != Style::new() {
            return None;
        }
        let (width, height) = (self.width - edge, self.height - FREE);
        // Where only one or two digits would fit, all numbers are plain.
        Digits::fitting("128", width, height)?;
        Digits::fitting(&label.text, width, height)
    }
}

/// The content of a cell.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// The tile whose colours the cell has. 0 for an empty cell.
    pub(super) tile: u64,
    /// The text on it.
    pub(super) text: String,
    /// The additional style of the text.
    pub(super) style: Style,
}

impl Label {
    /// A tile with its number.
    pub(super) fn of(tile: u64, scale: Scale) -> Label {
        let text = if tile == 0 { String::new() } else { number(tile, scale.tile_width()) };
        Label { tile, text, style: Style::new() }
    }
}

/// Paints a board. `moving` is the animation of the last move, if it is still running.
pub(super) fn paint(
    buffer: &mut Buffer,
    place: Rect,
    scale: Scale,
    theme: Theme,
    board: &Board,
    moving: Option<&Moving>,
) {
    let size = board.size();
    let mut canvas = Canvas::new(scale, size, theme);
    match moving.map(|moving| (moving, moving.stage())) {
        Some((moving, Stage::Slide(part))) => {
            for motion in moving.motions() {
                let (from, to) = (scale.dots(size, motion.from), scale.dots(size, motion.to));
                canvas.tile(from.towards(to, part), Label::of(motion.tile, scale));
            }
        }
        Some((moving, Stage::Appear(part))) => {
            let spawned = moving.spawn().map(|spawn| spawn.cell);
            for (cell, tile) in
                board.tiles().enumerate().filter(|&(cell, tile)| tile > 0 && spawned != Some(cell))
            {
                let dots = scale.dots(size, cell);
                let pops = moving.merges_at(cell) && part < 0.7;
                canvas.tile(if pops { dots.grown(1) } else { dots }, Label::of(tile, scale));
            }
            if let Some(spawn) = moving.spawn() {
                let dots = scale.dots(size, spawn.cell).shrunk(part);
                let label = Label::of(spawn.tile, scale);
                canvas.tile(dots, if part < 0.5 { Label { text: String::new(), ..label } } else { label });
            }
        }
        Some((_, Stage::Over)) | None => {
            for (cell, tile) in board.tiles().enumerate().filter(|&(_, tile)| tile > 0) {
                canvas.tile(scale.dots(size, cell), Label::of(tile, scale));
            }
        }
    }
    canvas.show(buffer, place);
}

/// Paints cells with arbitrary texts, row by row.
pub(super) fn paint_labels(
    buffer: &mut Buffer,
    place: Rect,
    scale: Scale,
    theme: Theme,
    size: Size,
    labels: Vec<Label>,
) {
    let mut canvas = Canvas::new(scale, size, theme);
    for (cell, label) in labels.into_iter().enumerate() {
        canvas.tile(scale.dots(size, cell), label);
    }
    canvas.show(buffer, place);
}

/// The tiles to show. Later ones cover earlier ones.
struct Canvas {
    scale: Scale,
    size: Size,
    theme: Theme,
    tiles: Vec<(Dots, Label)>,
}

impl Canvas {
    /// A board with empty cells.
    fn new(scale: Scale, size: Size, theme: Theme) -> Canvas {
        let empty =
            |cell| (scale.dots(size, cell), Label { tile: 0, text: String::new(), style: Style::new() });
        Canvas { scale, size, theme, tiles: (0..size.cells()).map(empty).collect() }
    }

    fn tile(&mut self, dots: Dots, label: Label) {
        self.tiles.push((dots, label));
    }

    fn show(self, buffer: &mut Buffer, place: Rect) {
        let (cols, rows) = self.scale.board(self.size);
        let place = Rect { width: cols, height: rows, ..place }.intersection(*buffer.area());
        match self.theme.colours {
            Colours::None => self.show_lines(buffer, place),
            Colours::True | Colours::Sixteen => self.show_dots(buffer, place),
        }
    }

    fn show_dots(self, buffer: &mut Buffer, place: Rect) {
        let (width, height) = (i32::from(place.width), 2 * i32::from(place.height));
        // The board ends in the middle of its last row.
        let board = |y: i32| if y < height - 1 { self.theme.board() } else { Color::Reset };
        let mut dots: Vec<Color> = (0..width * height).map(|index| board(index / width)).collect();
        for (area, label) in &self.tiles {
            let fill = self.theme.tile(label.tile).fill;
            for y in area.y.max(0)..(area.y + area.height).min(height) {
                for x in area.x.max(0)..(area.x + area.width).min(width) {
                    dots[(y * width + x) as usize] = fill;
                }
            }
            if let Some(digits) = area.digits(label, 2) {
                let left = area.x + (area.width - digits.width) / 2;
                let top = area.y + (area.height - digits.height) / 2;
                for (x, y) in digits.ink.into_iter().map(|(x, y)| (left + x, top + y)) {
                    if (0..width).contains(&x) && (0..height).contains(&y) {
                        dots[(y * width + x) as usize] = self.theme.tile(label.tile).ink;
                    }
                }
            }
        }
        let columns = usize::from(place.width);
        for (row, pair) in dots.chunks_exact(2 * columns.max(1)).enumerate() {
            let (upper, lower) = pair.split_at(columns);
            for (col, (&above, &below)) in upper.iter().zip(lower).enumerate() {
                let Some(cell) = buffer.cell_mut((place.x + col as u16, place.y + row as u16)) else {
                    continue;
                };
                cell.reset();
                match above == below {
                    true => cell.set_char(' ').set_bg(above),
                    false => cell.set_char('▀').set_fg(above).set_bg(below),
                };
            }
        }
        let is_small =
            |(area, label): &&(Dots, Label)| !label.text.is_empty() && area.digits(label, 2).is_none();
        for (area, label) in self.tiles.iter().filter(is_small) {
            let paint = self.theme.tile(label.tile);
            let style =
                Style::new().fg(paint.ink).bg(paint.fill).add_modifier(Modifier::BOLD).patch(label.style);
            write_number(buffer, place, *area, &label.text, style);
        }
    }

    fn show_lines(self, buffer: &mut Buffer, place: Rect) {
        for row in place.rows() {
            buffer.set_string(row.x, row.y, " ".repeat(row.width.into()), Style::new());
        }
        let boxed = self.scale.rows >= 3;
        for (area, label) in &self.tiles {
            // Without colours, a tile and its gap occupy whole rows.
            let height = if area.height >= i32::from(2 * self.scale.rows) - 1 { self.scale.rows } else { 1 };
            let top = place.y.saturating_add_signed((area.y / 2) as i16);
            let left = place.x.saturating_add_signed(area.x as i16);
            let space = Rect { x: left, y: top, width: area.width as u16, height }.intersection(place);
            if boxed && height >= 3 && space.width >= 2 && space.height >= 2 {
                draw_box(buffer, space, label.tile);
            }
            let text = if label.tile == 0 && label.text.is_empty() { "·" } else { label.text.as_str() };
            let style = Style::new().add_modifier(Modifier::BOLD).patch(label.style);
            let style = if label.tile == 0 { label.style } else { style };
            // The lines of the box and a column beside each stay free.
            match area.digits(label, 4).filter(|_| boxed) {
                Some(digits) => write_digits(buffer, place, space, &digits, style),
                None => write_number(buffer, place, *area, text, style),
            }
        }
    }
}

fn write_number(buffer: &mut Buffer, place: Rect, area: Dots, text: &str, style: Style) {
    let length = text.chars().count() as i32;
    let (x, y) = (area.x + (area.width - length) / 2, area.number_row());
    let inside = x >= 0 && y >= 0 && x + length <= i32::from(place.width) && y < i32::from(place.height);
    if inside {
        buffer.set_string(place.x + x as u16, place.y + y as u16, text, style);
    }
}

/// Writes large digits in the middle of a tile's box.
fn write_digits(buffer: &mut Buffer, place: Rect, space: Rect, digits: &Digits, style: Style) {
    let rows = digits.rows();
    let x = space.x + space.width.saturating_sub(digits.width as u16) / 2;
    let top = space.y + space.height.saturating_sub(rows.len() as u16) / 2;
    for (y, row) in (top..place.bottom()).zip(&rows) {
        if x + digits.width as u16 <= place.right() {
            buffer.set_string(x, y, row, style);
        }
    }
}

/// Draws the box of a tile: thin lines below 128, thick lines from 128, double lines from 2048, and
/// none for an empty cell.
fn draw_box(buffer: &mut Buffer, area: Rect, tile: u64) {
    let [across, down, corners] = match tile {
        0 => [" ", " ", "    "],
        1..=127 => ["─", "│", "┌┐└┘"],
        128..=2047 => ["━", "┃", "┏┓┗┛"],
        _ => ["═", "║", "╔╗╚╝"],
    };
    let corners: Vec<char> = corners.chars().collect();
    let inner = usize::from(area.width) - 2;
    for row in 0..area.height {
        let (left, fill, right) = match row {
            0 => (corners[0].to_string(), across, corners[1].to_string()),
            last if last + 1 == area.height => (corners[2].to_string(), across, corners[3].to_string()),
            _ => (down.to_owned(), " ", down.to_owned()),
        };
        buffer.set_string(area.x, area.y + row, format!("{left}{}{right}", fill.repeat(inner)), Style::new());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_largest_scale_that_fits() {
        assert_eq!(Scale::fitting(Size::FOUR, 80, 21), Some(Scale { cols: 10, rows: 5 }));
        assert_eq!(
            Scale::fitting(Size::FOUR, 44, 21),
            Some(Scale { cols: 8, rows: 4 }),
            "one column too few"
        );
        assert_eq!(Scale::fitting(Size::FOUR, 29, 9), Some(Scale { cols: 6, rows: 2 }));
        assert_eq!(Scale::fitting(Size::FOUR, 28, 9), None);
        assert_eq!(Scale::fitting(Size::FOUR, 29, 8), None);
        assert_eq!(Scale::least(Size::FOUR), (29, 9));
        let largest = Size::new(8, 8).unwrap();
        assert_eq!(Scale::fitting(largest, 80, 22), Some(Scale { cols: 6, rows: 2 }));
    }

    /// A board at a scale, in a window of its size.
    fn painted(rows: &str, scale: Scale, colours: Colours) -> Buffer {
        let board: Board = rows.parse().unwrap();
        let (width, height) = scale.board(board.size());
        let place = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(place);
        paint(&mut buffer, place, scale, Theme { colours }, &board, None);
        buffer
    }

    /// The dots of a buffer that have a colour.
    fn dots(buffer: &Buffer, colour: Color) -> BTreeSet<(i32, i32)> {
        let mut found = BTreeSet::new();
        for position in buffer.area.positions() {
            let cell = &buffer[position];
            let above = if cell.symbol() == "▀" { cell.fg } else { cell.bg };
            for (y, seen) in [(2 * position.y, above), (2 * position.y + 1, cell.bg)] {
                if seen == colour {
                    found.insert((position.x.into(), y.into()));
                }
            }
        }
        found
    }

    #[test]
    fn large_tiles_have_large_digits_inside_them() {
        let scale = Scale { cols: 18, rows: 9 };
        let theme = Theme { colours: Colours::True };
        let area = scale.dots(Size::new(2, 2).unwrap(), 3);
        // Numbers of up to three digits fit in the larger face.
        for (tile, width, height) in [(16, 9, 7), (256, 14, 7), (2048, 15, 5)] {
            let digits = Digits::fitting(&tile.to_string(), width, height).unwrap();
            let (left, top) = ((area.width - width) / 2, (area.height - height) / 2);
            assert!(left > 0 && top > 0 && left + width < area.width && top + height < area.height);
            let ink = digits.ink.iter().map(|(x, y)| (area.x + left + x, area.y + top + y));
            let buffer = painted(&format!("0 0/0 {tile}"), scale, Colours::True);
            let seen = dots(&buffer, theme.tile(tile).ink);
            assert_eq!(seen, ink.collect(), "{tile}: exactly these dots have ink");
        }
    }

    #[test]
    fn digits_that_do_not_fit_are_plain() {
        // The columns of a tile from which on four, five and six digits are large.
        let with_colours = [("2048", 18), ("16384", 22), ("131072", 26), ("1048576", 99)];
        let in_boxes = [("2048", 20), ("16384", 24), ("131072", 99), ("1048576", 99)];
        for (colours, numbers) in
            [(Colours::True, with_colours), (Colours::Sixteen, with_colours), (Colours::None, in_boxes)]
        {
            for scale in Scale::ALL {
                let buffer = painted("2048 16384/131072 1048576", scale, colours);
                let text: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
                for (number, from) in numbers {
                    let plain = scale.cols < from && number.len() <= scale.cols.into();
                    assert_eq!(text.contains(number), plain, "{number} at {scale:?}, {colours:?}");
                }
            }
        }
    }

    #[test]
    fn large_digits_without_colours() {
        let scale = Scale { cols: 20, rows: 10 };
        let buffer = painted("16 256/0 2048", scale, Colours::None);
        let rows = buffer.content().chunks(usize::from(buffer.area.width));
        let text: Vec<String> =
            rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>()).collect();
        super::super::testing::golden(
            "board-large",
            &text.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n"),
        );
    }
}
