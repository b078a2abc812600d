//! The colours of the original game (from its style sheet, gabrielecirulli/2048).

use std::fmt;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// From an RGB code such as `0xfaf8ef`.
    const fn new(code: u32) -> Rgb {
        Rgb((code >> 16) as u8, (code >> 8) as u8, code as u8)
    }
}

/// As in CSS: `#faf8ef`.
impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The page behind the board.
pub const PAGE: Rgb = Rgb::new(0xfaf8ef);
/// The board behind the cells.
pub const BOARD: Rgb = Rgb::new(0xbbada0);
/// An empty cell.
pub const EMPTY: Rgb = Rgb::new(0xcdc1b4);
/// Text, and the numbers of small tiles.
pub const INK: Rgb = Rgb::new(0x776e65);
/// The numbers of the other tiles.
pub const LIGHT_INK: Rgb = Rgb::new(0xf9f6f2);
/// Highlighted parts.
pub const ACCENT: Rgb = Rgb::new(0xf65e3b);

/// The colours of a tile and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePaint {
    /// The background of the tile.
    pub fill: Rgb,
    /// The number on it.
    pub ink: Rgb,
}

/// The colours of a tile. A tile that is not a power of two has the colours of the power below it.
pub fn tile_paint(tile: u64) -> TilePaint {
    const FILLS: [Rgb; 12] = [
        Rgb::new(0xeee4da),
        Rgb::new(0xeee4da),
        Rgb::new(0xede0c8),
        Rgb::new(0xf2b179),
        Rgb::new(0xf59563),
        Rgb::new(0xf67c5f),
        Rgb::new(0xf65e3b),
        Rgb::new(0xedcf72),
        Rgb::new(0xedcc61),
        Rgb::new(0xedc850),
        Rgb::new(0xedc53f),
        Rgb::new(0xedc22e),
    ];
    const BEYOND: Rgb = Rgb::new(0x3c3a32);
    match tile.checked_ilog2() {
        None => TilePaint { fill: EMPTY, ink: INK },
        Some(rank) => TilePaint {
            fill: FILLS.get(rank as usize).copied().unwrap_or(BEYOND),
            ink: if tile < 8 { INK } else { LIGHT_INK },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_the_colours_of_the_original_game() {
        assert_eq!(tile_paint(2).fill.to_string(), "#eee4da");
        assert_eq!(tile_paint(2048).fill.to_string(), "#edc22e");
        assert_eq!(tile_paint(4096).fill.to_string(), "#3c3a32");
        assert_eq!((tile_paint(4).ink, tile_paint(8).ink), (INK, LIGHT_INK));
        assert_eq!(tile_paint(3), tile_paint(2));
        assert_eq!(tile_paint(0).fill, EMPTY);
    }
}
