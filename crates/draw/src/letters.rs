//! Digits, a few signs and capitals as strokes of a round pen, so that text of any size can be
//! drawn without a font.
//!
//! A letter is drawn in a box of height 1. The centre of the pen moves between 0 at the top and 1
//! at the bottom. The outlines are made for this project.

/// The width of the pen, as a share of the letter height.
const PEN: f32 = 0.175;
/// The space between two letters, as a share of their height.
const APART: f32 = 0.1;

/// A part of the pen's path.
enum Stroke {
    /// Straight from point to point.
    Line(&'static [(f32, f32)]),
    /// Along an ellipse: its centre, its two radii, and the start and end angle in degrees. 0 is
    /// right, 90 is down.
    Arc((f32, f32), (f32, f32), (f32, f32)),
}

use Stroke::{Arc, Line};

/// The width of the pen's path and its strokes. `None` for characters that cannot be drawn.
fn letter(character: char) -> Option<(f32, &'static [Stroke])> {
    const RING: (f32, f32) = (0.0, 360.0);
    Some(match character {
        '0' => (
            0.52,
            &[
                Arc((0.26, 0.28), (0.26, 0.28), (180.0, 360.0)),
                Line(&[(0.52, 0.28), (0.52, 0.72)]),
                Arc((0.26, 0.72), (0.26, 0.28), (0.0, 180.0)),
                Line(&[(0.0, 0.72), (0.0, 0.28)]),
            ],
        ),
        '^' => (0.4, &[Line(&[(0.0, 0.3), (0.2, 0.0), (0.4, 0.3)])]),
        '.' => (0.0, &[Line(&[(0.0, 1.0), (0.0, 1.0)])]),
        'e' => (0.46, &[Line(&[(0.0, 0.68), (0.46, 0.68)]), Arc((0.23, 0.68), (0.23, 0.32), (360.0, 50.0))]),
        '1' => (0.24, &[Line(&[(0.0, 0.19), (0.24, 0.0), (0.24, 1.0)])]),
        '2' => (
            0.52,
            &[
                Arc((0.26, 0.27), (0.25, 0.27), (192.0, 402.0)),
                Line(&[(0.446, 0.451), (0.0, 1.0), (0.52, 1.0)]),
            ],
        ),
        '3' => (
            0.52,
            &[
                Arc((0.25, 0.24), (0.23, 0.24), (203.0, 450.0)),
                Line(&[(0.18, 0.48), (0.25, 0.48)]),
                Arc((0.25, 0.74), (0.27, 0.26), (270.0, 518.0)),
            ],
        ),
        '4' => (0.58, &[Line(&[(0.42, 1.0), (0.42, 0.0), (0.0, 0.7), (0.58, 0.7)])]),
        '5' => (
            0.52,
            &[
                Line(&[(0.47, 0.0), (0.08, 0.0), (0.045, 0.455)]),
                Arc((0.25, 0.68), (0.27, 0.32), (222.0, 512.0)),
            ],
        ),
        '6' => {
            (0.52, &[Arc((0.26, 0.69), (0.26, 0.31), RING), Arc((0.46, 0.69), (0.46, 0.69), (180.0, 262.0))])
        }
        '7' => (0.5, &[Line(&[(0.0, 0.0), (0.5, 0.0), (0.16, 1.0)])]),
        '8' => (0.52, &[Arc((0.26, 0.24), (0.22, 0.24), RING), Arc((0.26, 0.74), (0.26, 0.26), RING)]),
        '9' => (0.52, &[Arc((0.26, 0.31), (0.26, 0.31), RING), Arc((0.06, 0.31), (0.46, 0.69), (0.0, 82.0))]),
        'C' => (0.56, &[Arc((0.32, 0.5), (0.32, 0.5), (318.0, 42.0))]),
        'E' => (
            0.4,
            &[Line(&[(0.4, 0.0), (0.0, 0.0), (0.0, 1.0), (0.4, 1.0)]), Line(&[(0.0, 0.48), (0.35, 0.48)])],
        ),
        'M' => (0.68, &[Line(&[(0.0, 1.0), (0.0, 0.0), (0.34, 0.66), (0.68, 0.0), (0.68, 1.0)])]),
        'O' => (0.66, &[Arc((0.33, 0.5), (0.33, 0.5), RING)]),
        'R' => (
            0.5,
            &[
                Line(&[(0.0, 1.0), (0.0, 0.0), (0.24, 0.0)]),
                Arc((0.24, 0.265), (0.25, 0.265), (270.0, 450.0)),
                Line(&[(0.24, 0.53), (0.0, 0.53)]),
                Line(&[(0.24, 0.53), (0.5, 1.0)]),
            ],
        ),
        'S' => (
            0.5,
            &[
                Arc((0.25, 0.245), (0.235, 0.245), (335.0, 90.0)),
                Arc((0.25, 0.745), (0.25, 0.255), (270.0, 515.0)),
            ],
        ),
        'V' => (0.58, &[Line(&[(0.0, 0.0), (0.29, 1.0), (0.58, 0.0)])]),
        _ => return None,
    })
}

/// A text laid out for drawing, relative to the corner of its box.
pub(crate) struct Lettering {
    /// Straight segments of the pen's path, in pixels.
    pieces: Vec<[(f32, f32); 2]>,
    pen: f32,
    /// The width of the box in pixels.
    pub(crate) width: f32,
    /// Its height.
    pub(crate) height: f32,
}

impl Lettering {
    /// Lays out a text. Characters without an outline are left out. The text has the given height
    /// if it fits into `most_width`. Otherwise it is narrowed a little and then made smaller.
    pub(crate) fn new(text: &str, height: f32, most_width: f32) -> Lettering {
        const NARROWEST: f32 = 0.8;
        let letters: Vec<_> = text.chars().filter_map(letter).collect();
        let width = |stretch: f32| {
            let ways: f32 = letters.iter().map(|(width, _)| width * stretch * (1.0 - PEN) + PEN).sum();
            ways + APART * letters.len().saturating_sub(1) as f32
        };
        let wanted = most_width / height;
        // The width is a linear function of the stretch.
        let stretch =
            ((wanted - width(0.0)) / (width(1.0) - width(0.0)).max(f32::EPSILON)).clamp(NARROWEST, 1.0);
        let size = height.min(most_width / width(stretch).max(f32::EPSILON));
        let mut pieces = Vec::new();
        let mut left = 0.0;
        for (way, strokes) in &letters {
            let place = |(x, y): (f32, f32)| {
                let x = left + PEN / 2.0 + x * stretch * (1.0 - PEN);
                let y = PEN / 2.0 + y * (1.0 - PEN);
                (x * size, y * size)
            };
            for stroke in *strokes {
                let points: Vec<_> = stroke.points().into_iter().map(place).collect();
                pieces.extend(points.windows(2).map(|pair| [pair[0], pair[1]]));
            }
            left += way * stretch * (1.0 - PEN) + PEN + APART;
        }
        Lettering { pieces, pen: PEN * size, width: width(stretch) * size, height: size }
    }

    /// How much of the pixel centred here is covered, from 0 to 1.
    pub(crate) fn coverage(&self, x: f32, y: f32) -> f32 {
        let reach = self.pen / 2.0 + 0.5;
        let near = |&&[from, to]: &&[(f32, f32); 2]| {
            x >= from.0.min(to.0) - reach
                && x <= from.0.max(to.0) + reach
                && y >= from.1.min(to.1) - reach
                && y <= from.1.max(to.1) + reach
        };
        let distances = self.pieces.iter().filter(near).map(|piece| distance((x, y), *piece));
        let nearest = distances.fold(f32::INFINITY, f32::min);
        // A pen thinner than a pixel covers at most its width.
        (reach - nearest).clamp(0.0, self.pen.min(1.0))
    }
}

impl Stroke {
    /// Points close enough together to look round.
    fn points(&self) -> Vec<(f32, f32)> {
        match *self {
            Line(points) => points.to_vec(),
            Arc(middle, radii, (from, to)) => {
                const STEPS: u8 = 24;
                let angle = |step: u8| (from + (to - from) * f32::from(step) / f32::from(STEPS)).to_radians();
                let point = |angle: f32| (middle.0 + radii.0 * angle.cos(), middle.1 + radii.1 * angle.sin());
                (0..=STEPS).map(|step| point(angle(step))).collect()
            }
        }
    }
}

/// The distance of a point from a segment.
fn distance((x, y): (f32, f32), [from, to]: [(f32, f32); 2]) -> f32 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 { ((x - from.0) * dx + (y - from.1) * dy) / length } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (x - from.0 - share * dx).hypot(y - from.1 - share * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_fits_its_box() {
        for text in ["2", "1024", "131072", "18446744073709551615", "2^63", "1.8e19", "SCORE", "MOVES"] {
            for (height, most_width) in [(40.0, 56.0), (10.0, 14.0), (40.0, 9.0)] {
                let lettering = Lettering::new(text, height, most_width);
                assert!(lettering.width <= most_width + 1e-3 && lettering.height <= height, "{text}");
                let reach = lettering.pen / 2.0;
                for (x, y) in lettering.pieces.iter().flatten() {
                    assert!(*x >= reach - 1e-3 && *x <= lettering.width - reach + 1e-3, "{text}");
                    assert!(*y >= reach - 1e-3 && *y <= lettering.height - reach + 1e-3, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_short_text_has_the_height_it_may_have() {
        assert!((Lettering::new("8", 40.0, 100.0).height - 40.0).abs() < 1e-3);
        assert!(Lettering::new("", 40.0, 100.0).coverage(1.0, 1.0) == 0.0);
    }

    /// A text as pixels: `#` where more than half of a pixel is covered.
    fn picture(text: &str, height: f32) -> Vec<String> {
        let lettering = Lettering::new(text, height, 1000.0);
        let (columns, rows) = (lettering.width.ceil() as u16, lettering.height.ceil() as u16);
        let pixel =
            |row: u16, column: u16| lettering.coverage(f32::from(column) + 0.5, f32::from(row) + 0.5) > 0.5;
        (0..rows)
            .map(|row| (0..columns).map(|column| if pixel(row, column) { '#' } else { '.' }).collect())
            .collect()
    }

    #[test]
    fn every_letter_of_a_short_number_is_written() {
        let width = |text: &str| Lettering::new(text, 40.0, 1000.0).width;
        for (whole, without) in [("2^63", "263"), ("1.8e19", "18e19"), ("1e9", "19")] {
            assert!(width(whole) > width(without), "{whole}");
        }
    }

    #[test]
    fn digits_look_like_digits() {
        let seven = picture("7", 12.0);
        assert!(seven[1].matches('#').count() >= seven[1].len() - 2, "a bar on top: {seven:?}");
        assert!(seven[10].starts_with('.') && seven[10].matches('#').count() <= 3, "a foot: {seven:?}");
        let holes = |text: &str| {
            // Counts the covered runs along the middle column.
            let picture = picture(text, 24.0);
            let middle = picture[0].len() / 2;
            let column: Vec<char> = picture.iter().map(|row| row.as_bytes()[middle] as char).collect();
            column.chunk_by(|one, other| one == other).filter(|run| run[0] == '#').count()
        };
        assert_eq!(["0", "8", "3", "2"].map(holes), [2, 3, 3, 3]);
    }
}
