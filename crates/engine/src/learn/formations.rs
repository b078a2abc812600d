//! Boards to start training games from that good players would have built.
//!
//! A network that learns only from its own games finds one way to arrange its large tiles and stays with it, even where that
//! way ends: no game gets far enough to show that another one is better. So a share of all games starts on boards whose large
//! tiles lie in order along a path from a corner, for any sum of tiles; what they are worth is then learned like everything
//! else, and the games from the beginning come to build what is worth most.

use crate::board::PackedAfter;
use crate::game::Stream;

/// Ways through the cells from a corner, as the place of a cell in the order of the tiles. Eight images of each are the same
/// to a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// Row by row, every second one backwards.
    Snake,
    /// Row by row.
    Lines,
    /// Diagonal by diagonal.
    Diagonals,
}

impl Path {
    /// The cells in the order of the path.
    fn cells(self, rows: usize, cols: usize) -> Vec<usize> {
        let mut cells: Vec<usize> = (0..rows * cols).collect();
        cells.sort_by_key(|&cell| {
            let (row, col) = (cell / cols, cell % cols);
            match self {
                Path::Snake if row % 2 == 1 => (row, cols - 1 - col),
                Path::Snake | Path::Lines => (row, col),
                Path::Diagonals => (row + col, row),
            }
        });
        cells
    }
}

/// A board with its tiles in order along a path, the largest in the corner; all different, none above rank `top`. Half of the
/// boards follow the snake, and one in eight has two tiles exchanged.
pub(crate) fn formation<const R: usize, const C: usize>(luck: Stream, top: u8) -> PackedAfter<R, C> {
    let path = match luck.below(0, 4) {
        0 | 1 => Path::Snake,
        2 => Path::Lines,
        _ => Path::Diagonals,
    };
    let mut cells = path.cells(R, C);
    // The tile to be made next: half of the boards are on the way to the largest, a quarter to the one below, and so on.
    let below = luck.draw(1).trailing_zeros().min(u32::from(top) - 1);
    let next = u32::from(top) + 1 - below;
    // What is missing to its sum is anything from 64 to all of it, small amounts as often as large ones: games that begin
    // near their aim are short, and the end of a way must be known before its beginning.
    let least = next.saturating_sub(1).min(6);
    let octave = least + luck.below(2, (next - least) as usize) as u32;
    let missing = (1 << octave) + luck.below(3, 1 << octave) as u32;
    let sum = (1u32 << next) - missing;
    let ranks: Vec<u8> = (1..=top).rev().filter(|rank| sum >> rank & 1 == 1).collect();
    if luck.below(4, 8) == 0 && ranks.len() > 1 {
        let among = ranks.len().min(cells.len());
        cells.swap(luck.below(5, among), luck.below(6, among));
    }
    let mut board = vec![0; R * C];
    // Two cells at least stay empty, for the spawn and a move.
    for (&cell, &rank) in cells.iter().take(R * C - 2).zip(&ranks) {
        board[cell] = rank;
    }
    PackedAfter::from_ranks(&board)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_in_a_corner_and_see_every_cell_once() {
        assert_eq!(Path::Snake.cells(3, 3), [0, 1, 2, 5, 4, 3, 6, 7, 8]);
        assert_eq!(Path::Lines.cells(2, 3), [0, 1, 2, 3, 4, 5]);
        assert_eq!(Path::Diagonals.cells(2, 3), [0, 1, 3, 2, 4, 5]);
    }

    #[test]
    fn formations_have_different_tiles_and_room_for_a_spawn() {
        let mut descending = 0;
        for number in 0..2000 {
            let luck = Stream::with_purpose(number, 9);
            let after = formation::<4, 4>(luck, 14);
            let ranks: Vec<u8> = (0..16).map(|cell| (after.bits() >> (4 * cell) & 0xf) as u8).collect();
            let used: Vec<u8> = ranks.iter().copied().filter(|&rank| rank > 0).collect();
            assert!(used.len() <= 14 && used.iter().all(|&rank| rank <= 14), "{ranks:?}");
            assert!((1..=14).all(|rank| used.iter().filter(|&&other| other == rank).count() <= 1));
            descending +=
                u32::from(Path::Snake.cells(4, 4).windows(2).all(|two| ranks[two[0]] >= ranks[two[1]]));
        }
        // Half of them minus those with exchanged tiles; some other paths look the same.
        assert!((800..1200).contains(&descending), "{descending}");
        // A small board has fewer cells than there are tiles.
        assert!(formation::<2, 2>(Stream::with_purpose(1, 1), 14).empty_mask() != 0);
    }
}
