//! Row tables of the packed board, computed at compile time.
//!
//! A row has four cells of 4 bits, with the first cell in the lowest bits. `LEFT` slides towards
//! the first cell, `RIGHT` towards the last. `REWARD` is the sum of the merged tiles, which is the
//! same both ways. Ranks end at 15: two tiles of rank 15 do not merge in a packed row. Callers
//! exclude such boards, see `packing`.

/// Slides one packed row towards its first cell; returns the row and the sum of the merged tiles.
const fn slide_row(row: u16) -> (u16, u32) {
    let (mut out, mut reward) = (0u16, 0u32);
    let mut place = 0; // where the next tile goes
    let mut open = 0; // the rank just placed, if it may still merge
    let mut cell = 0;
    while cell < 4 {
        let rank = row >> (4 * cell) & 0xf;
        if rank != 0 {
            if rank == open && rank != 15 {
                out += 1 << (4 * (place - 1));
                reward += 2 << rank;
                open = 0;
            } else {
                out |= rank << (4 * place);
                place += 1;
                open = rank;
            }
        }
        cell += 1;
    }
    (out, reward)
}

/// The slow reference for [`slide_row`]. It follows the text of the rules: push together, then
/// merge pairs.
#[cfg(test)]
fn slide_row_slowly(row: [u8; 4]) -> ([u8; 4], u32) {
    let tiles: Vec<u8> = row.into_iter().filter(|&rank| rank != 0).collect();
    let (mut out, mut reward) = ([0; 4], 0);
    let mut place = 0;
    let mut next = 0;
    while next < tiles.len() {
        let rank = tiles[next];
        let pair = tiles.get(next + 1) == Some(&rank) && rank < 15;
        out[place] = if pair { rank + 1 } else { rank };
        reward += if pair { 1 << (rank + 1) } else { 0 };
        place += 1;
        next += if pair { 2 } else { 1 };
    }
    (out, reward)
}

/// The row read from the other end.
pub(super) const fn reverse_row(row: u16) -> u16 {
    row >> 12 | (row >> 4 & 0xf0) | (row << 4 & 0xf00) | row << 12
}

const ROWS: usize = 1 << 16;

const fn slides() -> ([u16; ROWS], [u16; ROWS], [u32; ROWS]) {
    let (mut left, mut right, mut reward) = ([0; ROWS], [0; ROWS], [0; ROWS]);
    let mut row = 0;
    while row < ROWS {
        let (slid, points) = slide_row(row as u16);
        left[row] = slid;
        right[reverse_row(row as u16) as usize] = reverse_row(slid);
        reward[row] = points;
        row += 1;
    }
    (left, right, reward)
}

const SLIDES: ([u16; ROWS], [u16; ROWS], [u32; ROWS]) = slides();

/// Each row slid towards its first cell.
pub(super) static LEFT: [u16; ROWS] = SLIDES.0;
/// Each row slid towards its last cell.
pub(super) static RIGHT: [u16; ROWS] = SLIDES.1;
/// The sum of the tiles that merge when a row slides, in either direction.
pub(super) static REWARD: [u32; ROWS] = SLIDES.2;

/// A packed line slid towards its first cell. Looks up what [`slide_row`] computes.
#[inline]
pub(crate) fn slid_left(line: u16) -> u16 {
    LEFT[line as usize]
}

/// A packed line slid towards its last cell.
#[inline]
pub(crate) fn slid_right(line: u16) -> u16 {
    RIGHT[line as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(row: u16) -> [u8; 4] {
        [0, 4, 8, 12].map(|shift| (row >> shift & 0xf) as u8)
    }

    fn reversed(mut ranks: [u8; 4]) -> [u8; 4] {
        ranks.reverse();
        ranks
    }

    #[test]
    fn all_rows_slide_both_ways_like_the_slow_twin() {
        for row in 0..=u16::MAX {
            let cells = ranks(row);
            let (left, reward) = slide_row_slowly(cells);
            assert_eq!(ranks(slide_row(row).0), left, "{cells:?}");
            assert_eq!(slide_row(row).1, reward, "{cells:?}");
            assert_eq!(ranks(slid_left(row)), left, "{cells:?}");
            assert_eq!(REWARD[row as usize], reward, "{cells:?}");

            let (right, reward_right) = slide_row_slowly(reversed(cells));
            assert_eq!(ranks(slid_right(row)), reversed(right), "{cells:?}");
            assert_eq!(
                reward_right, reward,
                "{cells:?}: both ways merge equally many pairs of the same tiles"
            );
        }
    }

    #[test]
    fn all_rows_without_a_pair_of_the_top_rank_slide_like_the_grid() {
        use crate::board::{Direction, Grid, Size, tile_of};
        let size = Size::new(2, 4).expect("2x4 is a size");
        for row in 0..=u16::MAX {
            let cells = ranks(row);
            if cells.iter().filter(|&&rank| rank == 15).count() > 1 {
                continue;
            }
            let tiles = cells.into_iter().chain([0; 4]).map(tile_of).collect();
            let slide =
                Grid::from_cells(size, tiles).slide(Direction::Left).expect("small tiles do not overflow");
            let left = ranks(LEFT[row as usize]).map(tile_of);
            assert_eq!(slide.grid.cells()[..4], left, "{cells:?}");
            assert_eq!(slide.reward, u64::from(REWARD[row as usize]), "{cells:?}");
        }
    }

    #[test]
    fn tiles_of_the_top_rank_do_not_merge() {
        assert_eq!(slide_row(0x00ff), (0x00ff, 0));
        assert_eq!(slide_row(0xf0f0), (0x00ff, 0));
        assert_eq!(slide_row(0xee11), (0x00f2, 4 + (1 << 15)), "16384 and 16384 still make 32768");
    }

    #[test]
    fn reversing_twice_changes_nothing() {
        for row in 0..=u16::MAX {
            assert_eq!(ranks(reverse_row(row)), reversed(ranks(row)));
        }
    }
}
