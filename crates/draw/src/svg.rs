//! A small SVG writer: shapes, text and boards.

use std::fmt::Write as _;

use lab2048::board::Grid;

use crate::palette::{ACCENT, BOARD, PAGE, Rgb, tile_paint};

/// A picture under construction.
#[derive(Default)]
pub struct Svg {
    body: String,
}

/// How a text is aligned to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// The direction in which a tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grows {
    /// From the top down.
    Down,
    /// From left to right.
    Across,
}

/// The style of a text.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    /// The font size, in pixels.
    pub size: f64,
    /// Whether the text is bold.
    pub bold: bool,
    /// The colour.
    pub ink: Rgb,
    /// The alignment.
    pub anchor: Anchor,
}

/// The style of a board.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardLook {
    /// The cell whose tile has just appeared.
    pub new: Option<usize>,
    /// Whether the board has a frame that makes it stand out.
    pub framed: bool,
    /// Whether the frame is dashed: the spawn has not happened yet.
    pub dashed: bool,
}

/// How every picture in a file begins. The attribute tells them from pictures of other programs.
pub const BEGINNING: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" data-program=\"lab2048\"";

impl Svg {
    /// An empty picture.
    pub fn new() -> Svg {
        Svg::default()
    }

    /// The finished picture as an SVG document of this size.
    pub fn finish(self, width: f64, height: f64) -> String {
        format!(
            "{BEGINNING} width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"'Clear Sans', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{PAGE}\"/>\n{}</svg>\n",
            self.body
        )
    }

    /// The finished picture without a background, for embedding in a page. `words` describe it for
    /// screen readers.
    pub fn inline(self, width: f64, height: f64, words: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\" \
             font-family=\"'Clear Sans', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n{}</svg>\n",
            escaped(words),
            self.body
        )
    }

    /// Adds a line of SVG.
    pub(crate) fn line(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(arguments);
        self.body.push('\n');
    }

    /// Draws a title with lines of text below it in the upper left corner. Returns the right edge
    /// and the bottom of that text.
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

    /// The outline of a rectangle with round corners.
    fn frame(&mut self, at: (f64, f64), size: (f64, f64), radius: f64, ink: Rgb, width: f64, dashed: bool) {
        let dashes = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        let ((x, y), (w, h)) = (at, size);
        self.line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"{radius:.1}\" fill=\"none\" \
             stroke=\"{ink}\" stroke-width=\"{width:.1}\"{dashes}/>"
        ));
    }

    /// A curve that leaves its start and reaches its end in the direction in which a tree grows.
    pub fn curve(&mut self, from: (f64, f64), to: (f64, f64), grows: Grows, ink: Rgb, width: f64) {
        let ((x, y), (u, v)) = (from, to);
        let (one, other) = match grows {
            Grows::Down => ((x, f64::midpoint(y, v)), (u, f64::midpoint(y, v))),
            Grows::Across => ((f64::midpoint(x, u), y), (f64::midpoint(x, u), v)),
        };
        self.line(format_args!(
            "<path d=\"M{x:.1} {y:.1}C{:.1} {:.1} {:.1} {:.1} {u:.1} {v:.1}\" fill=\"none\" stroke=\"{ink}\" \
             stroke-width=\"{width:.1}\"/>",
            one.0, one.1, other.0, other.1
        ));
    }

    /// A text that is vertically centred at `y`.
    pub fn text(&mut self, x: f64, y: f64, font: Font, text: &str) {
        let anchor = match font.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if font.bold { " font-weight=\"bold\"" } else { "" };
        // The baseline lies about a third of the size below the middle. Not every viewer supports
        // `dominant-baseline`.
        let base = y + 0.35 * font.size;
        let (size, ink) = (font.size, font.ink);
        let text = escaped(text);
        self.line(format_args!(
            "<text x=\"{x:.1}\" y=\"{base:.1}\" font-size=\"{size:.1}\" fill=\"{ink}\"{anchor}{weight}>{text}</text>"
        ));
    }

    /// Draws a board of this width. Its height follows from its shape.
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
                // Numbers shrink to fit their tile.
                let size = (0.62 * cell).min(1.3 * cell / number.len() as f64);
                let font = Font { size, bold: true, ink: paint.ink, anchor: Anchor::Middle };
                self.text(left + cell / 2.0, top + cell / 2.0, font, &number);
            }
        }
    }
}

/// The default text size.
pub const TEXT: f64 = 12.0;

/// The approximate width of a text.
pub fn text_width(text: &str, size: f64) -> f64 {
    0.62 * size * text.chars().count() as f64
}

/// The height of a board of this width.
pub fn board_height(tiles: &Grid, width: f64) -> f64 {
    let size = tiles.size();
    width * (9.0 * size.rows() as f64 + 1.0) / (9.0 * size.cols() as f64 + 1.0)
}

/// Escapes a text for use between tags and in attributes.
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
