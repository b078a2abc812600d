//! Tile-downgrading on packed cells, for boards with larger tiles than a network knows.

use super::stage::{count_at_least, merge_above};

/// Whether packed cells are beyond a network that knows ranks up to `top` (1 to 15): a larger one is there, or two of
/// rank 15, which packed boards cannot merge.
#[inline(always)]
pub(crate) const fn is_beyond(bits: u64, top: u8) -> bool {
    if top < 15 { count_at_least(bits, top + 1) != 0 } else { count_at_least(bits, 15) > 1 }
}

/// The packed cells within what a network knows: while they are beyond it, the largest rank missing below the largest
/// present is looked up and every rank above it is lowered by one. Different tiles stay different, so the same moves
/// merge. Where no rank is missing, all ranks above `top` become `top`.
#[inline(always)]
pub(crate) fn downgraded(bits: u64, top: u8) -> u64 {
    if is_beyond(bits, top) { downgrade(bits, top) } else { bits }
}

/// The packed cells of ranks of any height as a network knows them: the same rule, applied before packing. 65536 and
/// 131072 have no packed form of their own.
pub(crate) fn pack_within(ranks: &[u8], cols: usize, top: u8) -> u64 {
    let mut ranks = ranks.to_vec();
    loop {
        let largest = ranks.iter().copied().max().unwrap_or(0);
        let tops = ranks.iter().filter(|&&rank| rank == 15).count();
        if largest <= top && tops <= 1 {
            break;
        }
        let Some(missing) = (1..largest).rev().find(|rank| !ranks.contains(rank)) else {
            ranks.iter_mut().for_each(|rank| *rank = top.min(*rank));
            break;
        };
        ranks.iter_mut().filter(|rank| **rank > missing).for_each(|rank| *rank -= 1);
    }
    let place = |cell: usize| 4 * (4 * (cell / cols) + cell % cols);
    ranks.iter().enumerate().map(|(cell, &rank)| u64::from(rank) << place(cell)).sum()
}

#[cold]
#[inline(never)]
fn downgrade(bits: u64, top: u8) -> u64 {
    let ranks = |bits: u64| (0..16).map(move |cell| (bits >> (4 * cell) & 0xf) as u8);
    let mut bits = bits;
    while is_beyond(bits, top) {
        let largest = ranks(bits).max().unwrap_or(0);
        let present = ranks(bits).fold(0u32, |present, rank| present | 1 << rank);
        let Some(missing) = (1..largest).rev().find(|rank| present >> rank & 1 == 0) else {
            return merge_above(bits, top);
        };
        let lowered = |rank: u8| u64::from(if rank > missing { rank - 1 } else { rank });
        bits = ranks(bits).enumerate().map(|(cell, rank)| lowered(rank) << (4 * cell)).sum();
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Grid, Packed, Size, tile_of};
    use crate::game::Stream;

    #[test]
    fn agrees_with_the_rule_for_exact_boards() {
        let stream = Stream::with_purpose(5, 6);
        let mut refused = 0;
        for number in 0..20_000u64 {
            // Ranks 7 to 15, so that large tiles are frequent; at most one of rank 15, as packed boards have.
            let mut ranks: Vec<u8> =
                (0..16).map(|cell| 7 + stream.below(16 * number + cell, 8) as u8).collect();
            ranks[(number % 16) as usize] = 15;
            if number % 3 == 0 {
                ranks = (0..16).map(|cell| (number / 3 + cell) as u8 % 15 + 1).collect();
            }
            let packed = Packed::<4, 4>::from_ranks(&ranks);
            let grid = Grid::from_cells(Size::FOUR, ranks.iter().map(|&rank| tile_of(rank)).collect());
            let board = Board::from_grid(grid).unwrap();
            for top in [12, 13, 14, 15] {
                assert_eq!(pack_within(&ranks, 4, top), downgraded(packed.bits(), top));
                match Packed::<4, 4>::pack_downgraded(&board, top) {
                    Ok((expected, _)) => {
                        assert_eq!(downgraded(packed.bits(), top), expected.bits(), "{ranks:?} {top}")
                    }
                    Err(_) => {
                        refused += 1;
                        assert!(
                            Packed::<4, 4>::from_bits(downgraded(packed.bits(), top)).unwrap().max_rank()
                                <= top
                        );
                    }
                }
            }
        }
        assert!(refused > 0, "some boards have no missing rank");
    }

    #[test]
    fn tiles_that_no_packed_board_holds_are_lowered() {
        // 65536 32768 2 -> 16384 8192 2: the gap below 32768 is closed first, then the one below that.
        assert_eq!(pack_within(&[16, 15, 1, 0], 2, 14), pack_within(&[14, 13, 1, 0], 2, 14));
        // 131072 alone becomes the largest tile known.
        assert_eq!(pack_within(&[17, 0, 0, 0], 2, 14), 14);
    }
}
