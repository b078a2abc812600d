//! Colours for the capabilities of the terminal: true colour, the basic sixteen, or none.

use lab2048_draw::palette::{self, Rgb};
use std::env;

use ratatui::style::{Color, Modifier, Style};

/// The colours that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    True,
    Sixteen,
    None,
}

/// The styles of all parts of the screens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    pub(super) colours: Colours,
}

/// The colours of a tile and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paint {
    pub(super) fill: Color,
    pub(super) ink: Color,
}

/// The tiles from 2 on in sixteen colours: warm ones first, as in the original game, then the
/// others. Neighbouring tiles never look the same. Bright fills have black ink.
const SIXTEEN: [(Color, Color); 16] = [
    (Color::Gray, Color::Black),
    (Color::White, Color::Black),
    (Color::Yellow, Color::Black),
    (Color::LightYellow, Color::Black),
    (Color::LightRed, Color::Black),
    (Color::Red, Color::White),
    (Color::LightMagenta, Color::Black),
    (Color::Magenta, Color::White),
    (Color::LightCyan, Color::Black),
    (Color::Cyan, Color::Black),
    (Color::LightGreen, Color::Black),
    (Color::Green, Color::Black),
    (Color::LightBlue, Color::Black),
    (Color::Blue, Color::White),
    (Color::White, Color::Red),
    (Color::White, Color::Blue),
];

impl Theme {
    /// The theme for the current terminal.
    pub(super) fn of_terminal() -> Theme {
        let word = |name| env::var(name).ok();
        let (no_color, colorterm, term) = (word("NO_COLOR"), word("COLORTERM"), word("TERM"));
        Theme { colours: Colours::by(no_color.as_deref(), colorterm.as_deref(), term.as_deref()) }
    }

    fn rgb(Rgb(red, green, blue): Rgb) -> Color {
        Color::Rgb(red, green, blue)
    }

    /// Selects a colour for the kind of terminal.
    fn colour(self, true_colour: Rgb, of_sixteen: Color) -> Color {
        match self.colours {
            Colours::True => Theme::rgb(true_colour),
            Colours::Sixteen => of_sixteen,
            Colours::None => Color::Reset,
        }
    }

    /// The colours of a tile; 0 is an empty cell.
    pub(super) fn tile(self, tile: u64) -> Paint {
        let paint = palette::tile_paint(tile);
        let rank = tile.checked_ilog2().unwrap_or(0) as usize;
        let (fill, ink) = match rank.checked_sub(1) {
            _ if tile == 0 => (Color::Black, Color::Gray),
            None => SIXTEEN[0],
            Some(place) => SIXTEEN[place.min(SIXTEEN.len() - 1)],
        };
        Paint { fill: self.colour(paint.fill, fill), ink: self.colour(paint.ink, ink) }
    }

    /// The board between the tiles.
    pub(super) fn board(self) -> Color {
        self.colour(palette::BOARD, Color::DarkGray)
    }

    /// Headings.
    pub(super) fn title(self) -> Style {
        Style::new().fg(self.colour(palette::ACCENT, Color::LightRed)).add_modifier(Modifier::BOLD)
    }

    /// Less important text.
    pub(super) fn dim(self) -> Style {
        match self.colours {
            Colours::None => Style::new(),
            Colours::Sixteen => Style::new().fg(Color::DarkGray),
            Colours::True => Style::new().fg(Theme::rgb(palette::INK)),
        }
    }

    /// Figures and other important text.
    pub(super) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Errors.
    pub(super) fn bad(self) -> Style {
        Style::new().fg(self.colour(palette::ACCENT, Color::LightRed)).add_modifier(Modifier::BOLD)
    }

    /// The victory message.
    pub(super) fn victory(self) -> Style {
        let Paint { fill, ink } = self.tile(2048);
        match self.colours {
            Colours::None => Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
            _ => Style::new().fg(ink).bg(fill).add_modifier(Modifier::BOLD),
        }
    }

    /// Bars and curves.
    pub(super) fn bar(self) -> Style {
        Style::new().fg(self.colour(palette::tile_paint(8).fill, Color::Yellow))
    }

    /// The bar of the best move.
    pub(super) fn best_bar(self) -> Style {
        Style::new().fg(self.colour(palette::tile_paint(2048).fill, Color::LightGreen))
    }

    /// The selected line or field. It must be visible without colours too.
    pub(super) fn chosen(self) -> Style {
        match self.colours {
            Colours::None => Style::new().add_modifier(Modifier::REVERSED),
            _ => {
                let Paint { fill, ink } = self.tile(64);
                Style::new().fg(ink).bg(fill).add_modifier(Modifier::BOLD)
            }
        }
    }
}

impl Colours {
    /// Chooses by environment variables: `NO_COLOR` (no-color.org: any non-empty text),
    /// `COLORTERM`, `TERM`.
    fn by(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Colours {
        let term = term.unwrap_or("");
        let colourless = ["vt52", "vt100", "vt102", "vt220", "vt320"];
        if no_color.is_some_and(|word| !word.is_empty())
            || term.ends_with("-m")
            || term.ends_with("-mono")
            || colourless.contains(&term)
        {
            return Colours::None;
        }
        match colorterm {
            Some("truecolor" | "24bit") => Colours::True,
            _ if term.ends_with("-direct") => Colours::True,
            _ => Colours::Sixteen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_by_the_words_of_the_environment() {
        assert_eq!(Colours::by(None, Some("truecolor"), Some("xterm-256color")), Colours::True);
        assert_eq!(Colours::by(None, None, Some("xterm-256color")), Colours::Sixteen);
        assert_eq!(Colours::by(Some("1"), Some("truecolor"), Some("xterm-256color")), Colours::None);
        assert_eq!(Colours::by(Some(""), Some("24bit"), None), Colours::True);
        assert_eq!(Colours::by(None, None, Some("vt100")), Colours::None);
        assert_eq!(Colours::by(None, None, Some("xterm-mono")), Colours::None);
        assert_eq!(Colours::by(None, None, None), Colours::Sixteen);
    }

    #[test]
    fn tiles_have_the_colours_of_every_other_picture() {
        let theme = Theme { colours: Colours::True };
        assert_eq!(theme.tile(2048).fill, Color::Rgb(0xed, 0xc2, 0x2e));
        let sixteen = Theme { colours: Colours::Sixteen };
        let fills: Vec<Color> = (1..=14).map(|rank| sixteen.tile(1 << rank).fill).collect();
        for (index, fill) in fills.iter().enumerate() {
            assert!(!fills[..index].contains(fill), "two tiles look the same: {fill}");
        }
        assert_eq!(sixteen.tile(3), sixteen.tile(2));
        assert_eq!(sixteen.tile(1), sixteen.tile(2));
        assert_eq!(sixteen.tile(u64::MAX), sixteen.tile(1 << 40));
        let none = Theme { colours: Colours::None };
        assert_eq!(none.tile(64), Paint { fill: Color::Reset, ink: Color::Reset });
    }
}
