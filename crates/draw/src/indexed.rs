//! Indexed-colour pictures: a colour table, canvases of colour indices, and sprites that are drawn
//! onto a canvas.

use std::collections::HashMap;

use crate::letters::Lettering;
use crate::number::number;
use crate::palette::{BOARD, EMPTY, PAGE, Rgb, tile_paint};

/// The colour table of a picture: the colours of the game, and blends of those that meet at edges.
pub(crate) struct Colours {
    table: Vec<Rgb>,
    nearest: HashMap<Rgb, u8>,
    blends: HashMap<(u8, u8, u8), u8>,
}

impl Colours {
    /// The maximum number of colours. One more index is reserved for transparent pixels.
    const MOST: usize = 255;

    /// All colours that pictures of the game need.
    pub(crate) fn of_the_game() -> Colours {
        let mut colours = Colours { table: Vec::new(), nearest: HashMap::new(), blends: HashMap::new() };
        let paints: Vec<_> = (1..=12).map(|rank| tile_paint(1 << rank)).collect();
        let plain = [PAGE, BOARD, EMPTY].into_iter();
        plain
            .chain(paints.iter().flat_map(|paint| [paint.fill, paint.ink]))
            .for_each(|colour| colours.add(colour));
        let edges = paints.iter().map(|paint| (paint.fill, BOARD, 3));
        let numbers = paints.iter().map(|paint| (paint.fill, paint.ink, 7));
        let head = [
            (PAGE, BOARD, 3),
            (EMPTY, BOARD, 2),
            (PAGE, tile_paint(2).ink, 7),
            (BOARD, tile_paint(2).fill, 7),
        ];
        let moving = paints.iter().map(|paint| (paint.fill, EMPTY, 3));
        for (one, other, steps) in head.into_iter().chain(numbers).chain(edges).chain(moving) {
            for step in 1..=steps {
                colours.add(mixed(one, other, (255 * step / (steps + 1)) as u8));
            }
        }
        colours
    }

    /// Adds a colour, unless the table has one that looks the same.
    fn add(&mut self, colour: Rgb) {
        const SAME: u32 = 12;
        if self.table.len() < Colours::MOST
            && self.table.iter().all(|&other| difference(colour, other) > SAME)
        {
            self.table.push(colour);
        }
    }

    /// The index of the nearest colour.
    pub(crate) fn number(&mut self, colour: Rgb) -> u8 {
        let table = &self.table;
        *self.nearest.entry(colour).or_insert_with(|| {
            let nearest = (0..table.len()).min_by_key(|&number| difference(colour, table[number]));
            nearest.map_or(0, |number| number as u8)
        })
    }

    /// The index of the blend of two colours. `share` is how much `over` covers `under`, in 255ths.
    fn blend(&mut self, under: u8, over: u8, share: u8) -> u8 {
        if share == 255 || under == over {
            return over;
        }
        if let Some(&known) = self.blends.get(&(under, over, share)) {
            return known;
        }
        let colour = mixed(self.table[usize::from(under)], self.table[usize::from(over)], share);
        let number = self.number(colour);
        self.blends.insert((under, over, share), number);
        number
    }

    /// The whole table in order, three bytes per colour.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.table.iter().flat_map(|colour| [colour.0, colour.1, colour.2]).collect()
    }
}

/// Blends two colours. `share` is how much `over` covers `under`, in 255ths.
fn mixed(under: Rgb, over: Rgb, share: u8) -> Rgb {
    let share = u32::from(share);
    let mix = |under: u8, over: u8| {
        ((u32::from(under) * (255 - share) + u32::from(over) * share + 127) / 255) as u8
    };
    Rgb(mix(under.0, over.0), mix(under.1, over.1), mix(under.2, over.2))
}

/// The squared distance of two colours.
fn difference(one: Rgb, other: Rgb) -> u32 {
    let square = |one: u8, other: u8| u32::from(one.abs_diff(other)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

/// A picture of colour indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// The colour indices, row by row.
    pub pixels: Vec<u8>,
}

impl Canvas {
    /// A picture filled with one colour.
    pub fn new(width: usize, height: usize, colour: u8) -> Canvas {
        Canvas { width, height, pixels: vec![colour; width * height] }
    }

    /// The pixels row by row, three bytes each. `colours` is the colour table of the picture, three
    /// bytes per entry.
    pub fn rgb(&self, colours: &[u8]) -> Vec<u8> {
        let colour = |&pixel: &u8| colours.get(3 * usize::from(pixel)..).and_then(<[u8]>::first_chunk::<3>);
        self.pixels.iter().flat_map(|pixel| colour(pixel).copied().unwrap_or_default()).collect()
    }

    /// Draws a sprite with its upper left corner at the given place. Parts outside the canvas are
    /// clipped.
    pub(crate) fn stamp(&mut self, sprite: &Sprite, left: i32, top: i32, colours: &mut Colours) {
        for (row, pixels) in sprite.pixels.chunks_exact(sprite.width.max(1)).enumerate() {
            let Ok(y) = usize::try_from(top + row as i32) else { continue };
            if y >= self.height {
                break;
            }
            for (column, &(colour, share)) in pixels.iter().enumerate() {
                let x = usize::try_from(left + column as i32).ok().filter(|&x| x < self.width);
                if let Some(x) = x.filter(|_| share > 0) {
                    let pixel = &mut self.pixels[y * self.width + x];
                    *pixel = colours.blend(*pixel, colour, share);
                }
            }
        }
    }
}

/// A small picture with smooth edges.
#[derive(Clone, Debug)]
pub(crate) struct Sprite {
    pub width: usize,
    pub height: usize,
    /// A colour index and how much of the pixel it covers, in 255ths.
    pixels: Vec<(u8, u8)>,
}

/// Longer numbers would be too small to read.
const MOST_DIGITS: usize = 7;

impl Sprite {
    /// A rectangle with round corners.
    pub(crate) fn rectangle(width: usize, height: usize, radius: f32, colour: u8) -> Sprite {
        let (middle_x, middle_y) = (width as f32 / 2.0, height as f32 / 2.0);
        let radius = radius.min(middle_x).min(middle_y);
        let share = |x: f32, y: f32| {
            // The signed distance from the edge: the distances beyond the centres of the corner
            // circles, combined.
            let beyond_x = (x - middle_x).abs() - (middle_x - radius);
            let beyond_y = (y - middle_y).abs() - (middle_y - radius);
            let corner = beyond_x.max(0.0).hypot(beyond_y.max(0.0)) + beyond_x.max(beyond_y).min(0.0);
            radius - corner + 0.5
        };
        let pixel = |place: usize| {
            let (x, y) = ((place % width) as f32 + 0.5, (place / width) as f32 + 0.5);
            (colour, steps_of(share(x, y)))
        };
        Sprite { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    /// A text with the given height, scaled down if it would be wider than `most_width`.
    pub(crate) fn text(text: &str, height: f32, most_width: f32, colour: u8) -> Sprite {
        let lettering = Lettering::new(text, height, most_width);
        // Rounding must not make the text a pixel wider than `most_width`.
        let pixels = |length: f32| (length - 1e-3).ceil().max(0.0) as usize;
        let (width, height) = (pixels(lettering.width), pixels(lettering.height));
        let pixel = |place: usize| {
            let (x, y) = ((place % width) as f32 + 0.5, (place / width) as f32 + 0.5);
            (colour, steps_of(lettering.coverage(x, y)))
        };
        Sprite { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    /// A tile with its number.
    pub(crate) fn tile(tile: u64, side: usize, colours: &mut Colours) -> Sprite {
        let paint = tile_paint(tile);
        let mut sprite = Sprite::rectangle(side, side, side as f32 / 8.0, colours.number(paint.fill));
        if tile == 0 {
            return sprite;
        }
        let side = side as f32;
        // Even on a tiny tile, one pixel of it stays visible on each side of the number.
        let most_width = (0.82 * side).min(side - 2.0).max(1.0);
        let digits = number(tile, MOST_DIGITS);
        let number = Sprite::text(&digits, 0.43 * side, most_width, colours.number(paint.ink));
        let (left, top) = ((sprite.width - number.width) / 2, (sprite.height - number.height) / 2);
        for (place, &(ink, share)) in number.pixels.iter().enumerate() {
            let (x, y) = (left + place % number.width, top + place / number.width);
            let (colour, _) = &mut sprite.pixels[y * sprite.width + x];
            *colour = colours.blend(*colour, ink, share);
        }
        sprite
    }
}

/// A share in 255ths, in sixteen steps. Finer steps are not visible and only make files larger.
fn steps_of(share: f32) -> u8 {
    ((share.clamp(0.0, 1.0) * 15.0).round() * 17.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_numbers_can_be_read() {
        for tile in [1 << 20, 1 << 63, u64::MAX] {
            let text = Sprite::text(&number(tile, MOST_DIGITS), 0.43 * 64.0, 0.82 * 64.0, 1);
            assert!(text.height >= 10, "{tile} is {} pixels high", text.height);
        }
    }

    #[test]
    fn there_are_enough_colours_and_the_games_own_are_exact() {
        let mut colours = Colours::of_the_game();
        assert!(colours.table.len() <= Colours::MOST && colours.table.len() > 100);
        for rank in 0..20 {
            let fill = tile_paint(1 << rank).fill;
            let number = colours.number(fill);
            assert!(difference(colours.table[usize::from(number)], fill) <= 12, "{fill}");
        }
        let between = mixed(BOARD, tile_paint(8).fill, 128);
        let number = colours.number(between);
        assert!(difference(colours.table[usize::from(number)], between) < 100, "edges look soft");
    }

    #[test]
    fn the_pixels_have_the_colours_of_the_table() {
        let canvas = Canvas { width: 2, height: 2, pixels: vec![0, 2, 1, 9] };
        let colours = [1, 2, 3, 10, 20, 30, 100, 200, 250];
        // The last pixel has no entry, which no canvas of a film can have.
        assert_eq!(canvas.rgb(&colours), [1, 2, 3, 100, 200, 250, 10, 20, 30, 0, 0, 0]);
    }

    #[test]
    fn sprites_are_clipped_at_the_edge() {
        let mut colours = Colours::of_the_game();
        let mut canvas = Canvas::new(10, 10, 0);
        let sprite = Sprite::rectangle(6, 6, 0.0, 5);
        canvas.stamp(&sprite, -3, 8, &mut colours);
        let painted = canvas.pixels.iter().filter(|&&pixel| pixel == 5).count();
        assert_eq!(painted, 3 * 2);
        assert_eq!((canvas.pixels[8 * 10 + 2], canvas.pixels[8 * 10 + 3]), (5, 0));
    }

    #[test]
    fn corners_are_round_and_numbers_stay_inside_their_tile() {
        let mut colours = Colours::of_the_game();
        for tile in [2, 1024, 131_072, u64::MAX] {
            for side in [9, 16, 64, 200] {
                let sprite = Sprite::tile(tile, side, &mut colours);
                assert_eq!(sprite.pixels[side / 2 * side].1, 255, "the edge is covered");
                assert!(sprite.pixels[0].1 < 255, "the corner is not");
                let fill = colours.number(tile_paint(tile).fill);
                let border =
                    |place: usize| place.is_multiple_of(side) || place % side == side - 1 || place < side;
                let clean = |place: usize| sprite.pixels[place].0 == fill;
                assert!((0..side * side).filter(|&place| border(place)).all(clean), "{tile} at {side}");
                assert!(side < 64 || !(0..side * side).all(clean), "{tile} at {side} has a number");
            }
        }
    }
}
