//! Start boards for training games, arranged as a strong player would.
//!
//! A network that learns only from its own games settles on one arrangement of its large tiles and
//! never sees that another one is better. So a share of the games starts on boards whose large
//! tiles lie in order along a path from a corner. The network learns the values of these boards.
//! Games from the beginning then build the best of these arrangements.

use crate::board::PackedAfter;
use crate::game::Stream;

/// Paths through the cells from a corner. To a network the eight images of a path are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    /// 4x4: a two-column snake through the 2x3 block of the six largest tiles, then back up along
    /// the right half.
    BlockUp,
    /// 4x4: the same block, then down and around.
    BlockDown,
    /// Row by row, every second row reversed.
    Snake,
    /// Row by row.
    Lines,
    /// Diagonal by diagonal.
    Diagonals,
}

impl Path {
    /// Picks a path. On 4x4 half of the boards have a block. Of the rest, half follow the snake.
    fn pick<const R: usize, const C: usize>(luck: Stream, place: u64) -> Path {
        // On a smaller board the two-column snake equals the snake seen from another corner.
        let blocks = if const { R == 4 && C == 4 } { 4 } else { 0 };
        match luck.below(place, 4 + blocks) {
            0 | 1 => Path::Snake,
            2 => Path::Lines,
            3 => Path::Diagonals,
            4 | 5 => Path::BlockUp,
            _ => Path::BlockDown,
        }
    }

    /// The cells in the order of the path.
    fn cells(self, rows: usize, cols: usize) -> Vec<usize> {
        // Neighbours on the path are neighbours on the board for as long as possible. A chain of
        // merges stops where they are not.
        match self {
            Path::BlockUp => return vec![0, 1, 5, 4, 8, 9, 10, 6, 2, 3, 7, 11, 15, 14, 13, 12],
            Path::BlockDown => return vec![0, 1, 5, 4, 8, 9, 13, 14, 10, 6, 2, 3, 7, 11, 15, 12],
            Path::Snake | Path::Lines | Path::Diagonals => {}
        }
        let mut cells: Vec<usize> = (0..rows * cols).collect();
        cells.sort_by_key(|&cell| {
            let (row, col) = (cell / cols, cell % cols);
            match self {
                Path::Snake if row % 2 == 1 => (row, cols - 1 - col),
                Path::Diagonals => (row + col, row),
                _ => (row, col),
            }
        });
        cells
    }
}

/// A board with its tiles in order along a path, the largest in the corner. All tiles differ, and
/// none is above rank `top`. One board in eight has two tiles swapped.
pub(crate) fn formation<const R: usize, const C: usize>(luck: Stream, top: u8) -> PackedAfter<R, C> {
    let mut cells = Path::pick::<R, C>(luck, 0).cells(R, C);
    // The rank to make next: `top + 1` on half of the boards, `top` on a quarter, and so on.
    let below = luck.draw(1).trailing_zeros().min(u32::from(top) - 1);
    let next = u32::from(top) + 1 - below;
    // The amount missing from that tile is between 64 and nearly all of it, log-uniform. Games that
    // start close to the goal are short, and the network must learn the last part of the way before
    // it can learn the first.
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
    // At least two cells stay empty, for the spawn and a move.
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

    /// The six largest tiles fill a 2x3 block, with the sixth at its inner corner. Consecutive
    /// cells of the path are neighbours, except for the last step of `BlockDown`.
    #[test]
    fn blocks_are_connected() {
        for (path, connected) in [(Path::BlockUp, 16), (Path::BlockDown, 15)] {
            let cells = path.cells(4, 4);
            let mut block = cells[..6].to_vec();
            block.sort_unstable();
            assert_eq!((block, cells[5]), (vec![0, 1, 4, 5, 8, 9], 9));
            let mut all = cells.clone();
            all.sort_unstable();
            assert_eq!(all, (0..16).collect::<Vec<_>>());
            for two in cells[..connected].windows(2) {
                let apart = |of: fn(usize) -> usize| of(two[0]).abs_diff(of(two[1]));
                assert_eq!(apart(|cell| cell / 4) + apart(|cell| cell % 4), 1, "{two:?}");
            }
        }
    }

    #[test]
    fn formations_have_different_tiles_and_room_for_a_spawn() {
        let (mut descending, mut blocks) = (0, 0);
        for number in 0..2000 {
            let luck = Stream::with_purpose(number, 9);
            let after = formation::<4, 4>(luck, 14);
            let ranks: Vec<u8> = (0..16).map(|cell| (after.bits() >> (4 * cell) & 0xf) as u8).collect();
            let used: Vec<u8> = ranks.iter().copied().filter(|&rank| rank > 0).collect();
            assert!(used.len() <= 14 && used.iter().all(|&rank| rank <= 14), "{ranks:?}");
            assert!((1..=14).all(|rank| used.iter().filter(|&&other| other == rank).count() <= 1));
            let follows = |path: Path| path.cells(4, 4).windows(2).all(|two| ranks[two[0]] >= ranks[two[1]]);
            descending += u32::from(follows(Path::Snake));
            blocks += u32::from(follows(Path::BlockUp) || follows(Path::BlockDown));
        }
        // A quarter and a half of the boards, minus those with swapped tiles. A board with few
        // tiles can follow several paths.
        assert!((400..800).contains(&descending), "{descending}");
        assert!((800..1200).contains(&blocks), "{blocks}");
        // A small board has fewer cells than the formation has tiles.
        assert!(formation::<2, 2>(Stream::with_purpose(1, 1), 14).empty_mask() != 0);
    }
}
