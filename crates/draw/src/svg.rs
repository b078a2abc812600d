//! A little SVG: shapes, text and boards, written as they come.

use std::fmt::Write as _;

use lab2048::board::Grid;

use crate::palette::{ACCENT, BOARD, PAGE, Rgb, tile_paint};

/// A picture that is being drawn.
#[derive(Default)]
pub struct Svg {
    body: String,
}

/// Where a text stands against its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text is centred there.
    Middle,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    /// The height of a line, in pixels.
    pub size: f64,
    /// Whether it is bold.
    pub bold: bool,
    /// Its colour.
    pub ink: Rgb,
    /// Where it stands.
    pub anchor: Anchor,
}

/// How a board looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardLook {
    /// The cell whose tile has just appeared.
    pub new: Option<usize>,
    /// A frame that makes it stand out.
    pub framed: bool,
    /// A dashed frame: the spawn is still to come.
    pub dashed: bool,
}

impl Svg {
    /// An empty picture.
    pub fn new() -> Svg {
        Svg::default()
    }

    /// The picture as a document of this size.
    pub fn finish(self, width: f64, height: f64) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"'Clear Sans', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{PAGE}\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// The picture without a page behind it, to stand in a text; `words` say what it shows to those who cannot see it.
    pub fn inline(self, width: f64, height: f64, words: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\" \
             font-family=\"'Clear Sans', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n{}</svg>\n",
            escaped(words),
            self.body
        )
    }

    fn line(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(arguments);
        self.body.push('\n');
    }

    /// A title and lines of words below it, from the upper left corner of the picture. Returns where
    /// they end: their right side and their bottom.
    pub fn heading(&mut self, margin: f64, title: &str, lines: &[String]) -> (f64, f64) {
        const LINE: f64 = 18.0;
        let font = Font { size: 18.0, bold: true, ink: crate::palette::INK, anchor: Anchor::Start };
        self.text(margin, 24.0, font, title);
        let mut width = text_width(title, font.size);
        let mut y = 46.0;
        for line in lines {
            self.text(margin, y, Font { size: TEXT, bold: false, ..font }, line);
            width = width.max(text_width(line, TEXT));
            y += LINE;
        }
        (margin + width, y - LINE / 2.0)
    }

    /// A rectangle with round corners.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, radius: f64, fill: Rgb) {
        self.line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius:.1}\" fill=\"{fill}\"/>"
        ));
    }

    /// The outline of such a rectangle.
    fn frame(&mut self, at: (f64, f64), size: (f64, f64), radius: f64, ink: Rgb, width: f64, dashed: bool) {
        let dashes = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        let ((x, y), (w, h)) = (at, size);
        self.line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"{radius:.1}\" fill=\"none\" \
             stroke=\"{ink}\" stroke-width=\"{width:.1}\"{dashes}/>"
        ));
    }

    /// A curve that leaves its start and reaches its end vertically.
    pub fn curve(&mut self, from: (f64, f64), to: (f64, f64), ink: Rgb, width: f64) {
        let middle = f64::midpoint(from.1, to.1);
        let ((x, y), (u, v)) = (from, to);
        self.line(format_args!(
            "<path d=\"M{x:.1} {y:.1}C{x:.1} {middle:.1} {u:.1} {middle:.1} {u:.1} {v:.1}\" fill=\"none\" stroke=\"{ink}\" \
             stroke-width=\"{width:.1}\"/>"
        ));
    }

    /// A text whose middle line is at `y`.
    pub fn text(&mut self, x: f64, y: f64, font: Font, text: &str) {
        let anchor = match font.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
        };
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        // A third of the size below the middle is the base line of most letters; not every viewer knows `dominant-baseline`.
        let base = y + 0.35 * font.size;
        let (size, ink) = (font.size, font.ink);
        let text = escaped(text);
        self.line(format_args!(
            "<text x=\"{x:.1}\" y=\"{base:.1}\" font-size=\"{size:.1}\" fill=\"{ink}\"{anchor}{weight}>{text}</text>"
        ));
    }

    /// A board of this width; its height follows from its shape.
    pub fn board(&mut self, x: f64, y: f64, width: f64, tiles: &Grid, look: BoardLook) {
        let size = tiles.size();
        let gap = width / (9.0 * size.cols() as f64 + 1.0);
        let cell = 8.0 * gap;
        let height = board_height(tiles, width);
        self.rect(x, y, width, height, 1.5 * gap, BOARD);
        if look.framed || look.dashed {
            let ink = if look.framed { ACCENT } else { crate::palette::INK };
            self.frame(
                (x - 2.0, y - 2.0),
                (width + 4.0, height + 4.0),
                1.5 * gap + 2.0,
                ink,
                2.0,
                look.dashed,
            );
        }
        for (index, &tile) in tiles.cells().iter().enumerate() {
            let (row, col) = size.position(index);
            let left = x + gap + 9.0 * gap * col as f64;
            let top = y + gap + 9.0 * gap * row as f64;
            let paint = tile_paint(tile);
            self.rect(left, top, cell, cell, gap, paint.fill);
            if look.new == Some(index) {
                self.frame((left, top), (cell, cell), gap, ACCENT, (0.8 * gap).max(1.0), false);
            }
            if tile != 0 {
                let number = tile.to_string();
                // Numbers shrink so that they fit their tile.
                let size = (0.62 * cell).min(1.3 * cell / number.len() as f64);
                let font = Font { size, bold: true, ink: paint.ink, anchor: Anchor::Middle };
                self.text(left + cell / 2.0, top + cell / 2.0, font, &number);
            }
        }
    }
}

/// The usual size of text.
pub const TEXT: f64 = 12.0;

/// About how wide a text is.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}

/// The height of a board of this width.
pub fn board_height(tiles: &Grid, width: f64) -> f64 {
    let size = tiles.size();
    width * (9.0 * size.rows() as f64 + 1.0) / (9.0 * size.cols() as f64 + 1.0)
}

/// A text as it may stand between tags and in an attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are not allowed in XML at all.
            _ if letter.is_control() => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("a<b>&\u{7}c \"d' "), "a&lt;b&gt;&amp; c &quot;d&#39; ");
    }

    #[test]
    fn boards_keep_their_shape() {
        let board: lab2048::board::Board = "2 0 0/0 4 0".parse().expect("a board");
        let height = board_height(&board.to_grid(), 28.0);
        assert!((height - 19.0).abs() < 1e-9);
    }
}
