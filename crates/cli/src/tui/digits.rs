//! Large digits for large tiles, drawn in dots of one column by half a row.

/// A typeface in which every digit is equally large.
struct Face {
    width: i32,
    height: i32,
    /// The rows of the digits from 0 to 9.
    digits: [&'static [&'static str]; 10],
}

/// All faces, from the largest to the smallest.
const FACES: [Face; 2] = [
    Face {
        width: 4,
        height: 7,
        digits: [
            &[".##.", "#..#", "#..#", "#..#", "#..#", "#..#", ".##."],
            &["..#.", ".##.", "..#.", "..#.", "..#.", "..#.", "..#."],
            &[".##.", "#..#", "...#", "..#.", ".#..", "#...", "####"],
            &["###.", "...#", "...#", ".##.", "...#", "...#", "###."],
            &["#..#", "#..#", "#..#", "####", "...#", "...#", "...#"],
            &["####", "#...", "#...", "###.", "...#", "...#", "###."],
            &[".##.", "#...", "#...", "###.", "#..#", "#..#", ".##."],
            &["####", "...#", "...#", "..#.", "..#.", ".#..", ".#.."],
            &[".##.", "#..#", "#..#", ".##.", "#..#", "#..#", ".##."],
            &[".##.", "#..#", "#..#", ".###", "...#", "...#", ".##."],
        ],
    },
    Face {
        width: 3,
        height: 5,
        digits: [
            &["###", "#.#", "#.#", "#.#", "###"],
            &[".#.", "##.", ".#.", ".#.", "###"],
            &["###", "..#", "###", "#..", "###"],
            &["###", "..#", "###", "..#", "###"],
            &["#.#", "#.#", "###", "..#", "..#"],
            &["###", "#..", "###", "..#", "###"],
            &["###", "#..", "###", "#.#", "###"],
            &["###", "..#", "..#", "..#", "..#"],
            &["###", "#.#", "###", "#.#", "###"],
            &["###", "#.#", "###", "..#", "###"],
        ],
    },
];

/// A number in large digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    pub(super) width: i32,
    pub(super) height: i32,
    /// The dots with ink, from the top left of the number.
    pub(super) ink: Vec<(i32, i32)>,
}

impl Digits {
    /// The number in the largest face that fits a space. `None` if none fits, or if the text is not
    /// a number. Numbers with equally many digits have the same face.
    pub(super) fn fitting(text: &str, width: i32, height: i32) -> Option<Digits> {
        let digits: Vec<usize> = text
            .chars()
            .map(|letter| letter.to_digit(10).map(|digit| digit as usize))
            .collect::<Option<_>>()?;
        let length = |face: &Face| digits.len() as i32 * (face.width + 1) - 1;
        let fits = |face: &&Face| length(face) <= width && face.height <= height;
        let face = FACES.iter().find(fits).filter(|_| !digits.is_empty())?;
        let mut ink = Vec::new();
        for (place, &digit) in (0..).zip(&digits) {
            for (y, row) in (0..).zip(face.digits[digit]) {
                let left = place * (face.width + 1);
                ink.extend((0..).zip(row.bytes()).filter(|dot| dot.1 == b'#').map(|(x, _)| (left + x, y)));
            }
        }
        Some(Digits { width: length(face), height: face.height, ink })
    }

    /// The number in rows of half blocks, for a terminal without colours.
    pub(super) fn rows(&self) -> Vec<String> {
        let inked = |x, y| self.ink.contains(&(x, y));
        let half = |x, y| match (inked(x, y), inked(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        (0..self.height).step_by(2).map(|y| (0..self.width).map(|x| half(x, y)).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_has_the_size_of_its_face_and_its_own_shape() {
        for face in &FACES {
            for (digit, rows) in face.digits.iter().enumerate() {
                assert_eq!(rows.len() as i32, face.height, "{digit}");
                assert!(rows.iter().all(|row| row.len() as i32 == face.width), "{digit}");
                assert!(face.digits[..digit].iter().all(|other| other != rows), "{digit}");
            }
        }
    }

    #[test]
    fn the_largest_face_that_fits() {
        let size = |text, width, height| {
            Digits::fitting(text, width, height).map(|digits| (digits.width, digits.height))
        };
        assert_eq!(size("2048", 19, 7), Some((19, 7)));
        assert_eq!(size("2048", 18, 7), Some((15, 5)));
        assert_eq!(size("1111", 18, 7), Some((15, 5)), "a 1 is as wide as the other digits");
        assert_eq!(size("2048", 19, 6), Some((15, 5)));
        assert_eq!([size("2048", 14, 7), size("2048", 15, 4), size("2", -1, -1)], [None; 3]);
        assert_eq!([size("", 9, 9), size("2^17", 99, 9), size("1.2e7", 99, 9), size(" 2", 9, 9)], [None; 4]);
    }

    #[test]
    fn digits_in_half_blocks() {
        let rows = Digits::fitting("20", 8, 6).unwrap().rows();
        assert_eq!(rows, ["▀▀█ █▀█", "█▀▀ █ █", "▀▀▀ ▀▀▀"]);
    }
}
