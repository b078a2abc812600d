//! Shared helpers: pictures of boards, random boards, the list of packed sizes, golden files.

use std::fs;
use std::path::PathBuf;

use lab2048::board::{Board, Direction, Grid, Size, parse_board, tile_of};
use lab2048::game::Stream;

/// Runs a generic check for each of the nine packed sizes.
macro_rules! for_packed_sizes {
    ($check:ident) => {
        $check::<2, 2>();
        $check::<2, 3>();
        $check::<2, 4>();
        $check::<3, 2>();
        $check::<3, 3>();
        $check::<3, 4>();
        $check::<4, 2>();
        $check::<4, 3>();
        $check::<4, 4>();
    };
}
pub(crate) use for_packed_sizes;

/// A board drawn as rows of numbers, with dots for empty cells.
pub(crate) fn board(picture: &str) -> Board {
    parse_board(picture, None).unwrap()
}

/// Two boards drawn side by side with `=>` between them.
pub(crate) fn before_and_after(picture: &str) -> (Board, Board) {
    let lines = picture.lines().filter(|line| !line.trim().is_empty());
    let (before, after): (Vec<&str>, Vec<&str>) = lines.map(|line| line.split_once("=>").unwrap()).unzip();
    (board(&before.join("\n")), board(&after.join("\n")))
}

pub(crate) fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

/// Every size from 2x2 to 8x8.
pub(crate) fn all_sizes() -> impl Iterator<Item = Size> {
    (2..=8).flat_map(|rows| (2..=8).map(move |cols| size(rows, cols)))
}

/// A sequential RNG for tests.
pub(crate) struct Dice {
    stream: Stream,
    place: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { stream: Stream::with_purpose(seed, 0x7465_7374), place: 0 }
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.place += 1;
        self.stream.below(self.place, bound)
    }

    /// A random choice.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A grid whose cells are drawn from `tiles`.
pub(crate) fn random_grid(dice: &mut Dice, size: Size, tiles: &[u64]) -> Grid {
    Grid::from_cells(size, (0..size.cells()).map(|_| dice.pick(tiles)).collect())
}

/// The tiles of some ranks.
pub(crate) fn tiles_of(ranks: impl IntoIterator<Item = u8>) -> Vec<u64> {
    ranks.into_iter().map(tile_of).collect()
}

/// The directions that change the grid, by definition and without shortcuts.
pub(crate) fn grid_moves(grid: &Grid) -> Vec<Direction> {
    let changes = |direction: &Direction| grid.slide(*direction).is_ok_and(|slide| slide.grid != *grid);
    Direction::ALL.into_iter().filter(changes).collect()
}

/// The path of a file of expected results in `crates/engine/tests`.
pub(crate) fn golden_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Whether to write golden files instead of comparing them.
pub(crate) fn updating() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1")
}

/// Compares with a golden file line by line, or writes it.
pub(crate) fn assert_golden(name: &str, actual: &str) {
    let path = golden_path(name);
    if updating() {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE_GOLDEN=1 writes it", path.display()));
    for (number, (expected, actual)) in (1..).zip(expected.lines().zip(actual.lines())) {
        assert_eq!(expected, actual, "{name}, line {number} (UPDATE_GOLDEN=1 rewrites the file)");
    }
    assert_eq!(expected.lines().count(), actual.lines().count(), "{name} has a different number of lines");
}
