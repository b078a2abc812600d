//! From exact boards to packed boards: which boards fit, and how the others are downgraded.
//!
//! **Downgrading.** While a board has tiles that are too large, one *gap* is closed. A gap is a
//! rank below the largest one that is missing on the board. Every rank above the gap is lowered by
//! one. Different tiles stay different, so the same moves merge until the missing tile is made.
//! Only the values of the lowered tiles change.
//!
//! [`downgrade`] implements the rule. Its users pass in three choices: which boards fit, which gap
//! is closed, and what happens to a board without a gap.
//!
//! | user | fits | gap | without a gap |
//! |---|---|---|---|
//! | networks, in play and in training ([`downgrade_to`]) | what the network knows | the largest | capped |
//! | expectimax (`search/expectimax/packing.rs`) | what the search can reach | the last to be filled | exact search |
//!
//! [`downgraded`] is [`downgrade_to`] on packed cells, for the evaluation of a network.

use thiserror::Error;

use super::packed::{pack_ranks, slides_exactly};
use super::{Board, Packed, Size, rank_of};

/// The highest rank a packed cell can hold: 32768.
pub(crate) const TOP_PACKED_RANK: u8 = 15;

/// Why a board has no packed form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotPackable {
    /// The packed type has another size.
    #[error("a board of {found} does not fit a packed board of {wanted}")]
    Size {
        /// The packed size.
        wanted: Size,
        /// The board's size.
        found: Size,
    },
    /// A tile is not a power of two.
    #[error("the tile {0} is not a power of two")]
    Tile(u64),
    /// A tile above 32768, or two tiles of 32768 that could merge.
    #[error("tiles beyond a single 32768 need more than 4 bits per cell")]
    TooLarge,
}

impl<const R: usize, const C: usize> Packed<R, C> {
    /// The same board, packed. Fails if a tile has no packed rank, or if there are two 32768 tiles,
    /// which packed slides do not merge.
    #[inline]
    pub fn pack(board: &Board) -> Result<Self, NotPackable> {
        if R == 4
            && C == 4
            && let Some(packed) = board.packed_bits().and_then(Self::from_bits)
        {
            return Ok(packed);
        }
        Self::pack_slowly(board)
    }

    #[cold]
    fn pack_slowly(board: &Board) -> Result<Self, NotPackable> {
        let wanted = Size::new(R, C).expect("packed sizes are valid");
        if board.size() != wanted {
            return Err(NotPackable::Size { wanted, found: board.size() });
        }
        let ranks = board.tiles().map(|tile| rank_of(tile).ok_or(NotPackable::Tile(tile)));
        let ranks: Vec<u8> = ranks.collect::<Result<_, _>>()?;
        if fits_within(&ranks, TOP_PACKED_RANK) {
            Ok(Self::from_ranks(&ranks))
        } else {
            Err(NotPackable::TooLarge)
        }
    }

    /// Whether packed slides are exact. They do not merge two tiles of 32768.
    pub const fn slides_exactly(self) -> bool {
        slides_exactly(self.bits())
    }
}

/// A board cannot be downgraded, because every rank below the largest is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoGap;

/// Closes gaps until the ranks fit. `gap` chooses one of the [`gaps`]. If it returns `None`, the
/// ranks stay lowered as far as they were.
pub(crate) fn downgrade(
    ranks: &mut [u8],
    fits: impl Fn(&[u8]) -> bool,
    gap: impl Fn(&[u8]) -> Option<u8>,
) -> Result<(), NoGap> {
    while !fits(ranks) {
        let gap = gap(ranks).ok_or(NoGap)?;
        ranks.iter_mut().filter(|rank| **rank > gap).for_each(|rank| *rank -= 1);
    }
    Ok(())
}

/// The ranks below the largest one that are missing, in ascending order.
pub(crate) fn gaps(ranks: impl IntoIterator<Item = u8>) -> impl DoubleEndedIterator<Item = u8> {
    let present = ranks.into_iter().fold(0u64, |present, rank| present | 1 << rank);
    let largest = present.checked_ilog2().unwrap_or(0) as u8;
    (1..largest).filter(move |rank| present >> rank & 1 == 0)
}

/// Whether no rank is above `top` (at most 15), and at most one is 15, because packed slides do not
/// merge two.
fn fits_within(ranks: &[u8], top: u8) -> bool {
    ranks.iter().all(|&rank| rank <= top)
        && ranks.iter().filter(|&&rank| rank == TOP_PACKED_RANK).count() <= 1
}

/// The packed cells that a network for ranks up to `top` (1 to 15) sees. `ranks` is row by row and
/// can have any height. The largest gap is closed first. Without a gap, ranks above `top` become
/// `top`.
pub(crate) fn downgrade_to(top: u8, mut ranks: Vec<u8>, cols: usize) -> u64 {
    let fits = |ranks: &[u8]| fits_within(ranks, top);
    let largest_gap = |ranks: &[u8]| gaps(ranks.iter().copied()).next_back();
    if downgrade(&mut ranks, fits, largest_gap) == Err(NoGap) {
        ranks.iter_mut().for_each(|rank| *rank = top.min(*rank));
    }
    pack_ranks(&ranks, cols)
}

/// [`downgrade_to`] on packed cells. Networks evaluate millions of afterstates per second, and
/// nearly all of them fit.
#[inline(always)]
pub(crate) fn downgraded(bits: u64, top: u8) -> u64 {
    if is_beyond(bits, top) { close_gaps(bits, top) } else { bits }
}

/// Whether packed cells do not fit a network for ranks up to `top` (1 to 15): a rank is larger, or
/// two are 15, which packed slides do not merge.
#[inline(always)]
pub(crate) const fn is_beyond(bits: u64, top: u8) -> bool {
    if top < TOP_PACKED_RANK {
        count_at_least(bits, top + 1) != 0
    } else {
        count_at_least(bits, TOP_PACKED_RANK) > 1
    }
}

#[cold]
#[inline(never)]
fn close_gaps(mut bits: u64, top: u8) -> u64 {
    while is_beyond(bits, top) {
        let ranks = (0..16).map(|cell| (bits >> (4 * cell) & 0xf) as u8);
        let Some(gap) = gaps(ranks).next_back() else { return capped(bits, top) };
        bits -= at_least(bits, gap + 1);
    }
    bits
}

/// The lowest bit of every packed cell of at least this rank (1 to 15).
#[inline(always)]
const fn at_least(bits: u64, rank: u8) -> u64 {
    // Every second cell gets room for a carry. Adding 16 - rank carries if the rank is large
    // enough.
    const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const CARRIES: u64 = 0x1010_1010_1010_1010;
    let add = (16 - rank as u64) * 0x0101_0101_0101_0101;
    let even = ((bits & EVEN) + add) & CARRIES;
    let odd = ((bits >> 4 & EVEN) + add) & CARRIES;
    even >> 4 | odd
}

/// How many packed cells have at least this rank (1 to 15).
#[inline(always)]
pub(crate) const fn count_at_least(bits: u64, rank: u8) -> u32 {
    at_least(bits, rank).count_ones()
}

/// The packed cells with every rank above `top` (1 to 15) replaced by `top`.
#[inline(always)]
pub(crate) const fn capped(bits: u64, top: u8) -> u64 {
    if top >= TOP_PACKED_RANK {
        return bits;
    }
    let above = at_least(bits, top + 1);
    bits & !(above * 0xf) | (above * top as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;

    /// A simple RNG (SplitMix64). The RNG of the game belongs to a higher module.
    fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ z >> 31) % below
        }
    }

    fn ranks_of(bits: u64) -> Vec<u8> {
        (0..16).map(|cell| (bits >> (4 * cell) & 0xf) as u8).collect()
    }

    /// The packed cells of a board, downgraded for a network.
    fn seen(top: u8, text: &str) -> u64 {
        let board = parse_board(text, None).unwrap();
        downgrade_to(top, board.tiles().map(|tile| rank_of(tile).unwrap()).collect(), 4)
    }

    fn packed(text: &str) -> u64 {
        Packed::<4, 4>::pack(&parse_board(text, None).unwrap()).unwrap().bits()
    }

    #[test]
    fn every_tile_above_the_largest_gap_is_lowered() {
        // 4096 is the largest tile missing below 65536.
        let before = "65536 32768 16384 8192/2048 64 2 2/. . . ./. . . .";
        assert_eq!(seen(15, before), packed("32768 16384 8192 4096/2048 64 2 2/. . . ./. . . ."));
        // With 8192 as the largest tile, two more steps close the gaps at 1024 and 512.
        assert_eq!(seen(13, before), packed("8192 4096 2048 1024/512 64 2 2/. . . ./. . . ."));
        // A single 131072 becomes the largest known tile.
        assert_eq!(seen(14, "131072 . . ./. . . ./. . . ./. . . ."), 14);
    }

    #[test]
    fn pairs_stay_pairs_and_what_fits_stays() {
        let pair = "32768 32768 8 2/. . . ./. . . ./. . . .";
        assert_eq!(seen(15, pair), packed("16384 16384 8 2/. . . ./. . . ./. . . ."));
        let fits = "32768 4 8 2/. . . ./. . . ./. . . .";
        assert_eq!(seen(15, fits), packed(fits));
    }

    #[test]
    fn without_a_gap_the_rule_says_so_and_networks_cap() {
        // Every rank from 1 to 16, so there is no gap.
        let all: Vec<u8> = (1..=16).collect();
        let mut ranks = all.clone();
        assert_eq!(downgrade(&mut ranks, |_| false, |ranks| gaps(ranks.to_vec()).next()), Err(NoGap));
        assert_eq!(ranks, all);
        let capped: Vec<u8> = all.iter().map(|&rank| rank.min(14)).collect();
        assert_eq!(ranks_of(downgrade_to(14, all, 4)), capped);
    }

    #[test]
    fn gaps_are_what_is_missing_below_the_largest() {
        assert_eq!(gaps([0, 5, 1, 3, 3]).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(gaps([63, 0]).next_back(), Some(62));
        assert_eq!(gaps([0, 1, 2]).count() + gaps([0, 0]).count() + gaps([]).count(), 0);
    }

    #[test]
    fn packed_cells_are_downgraded_as_ranks_are() {
        let mut draw = draws(5);
        let mut capped_boards = 0;
        for number in 0..20_000u64 {
            // Ranks 7 to 14 and one 15, so that large tiles are frequent. Every third board has a
            // run of all ranks, every fifth has two of rank 15.
            let mut ranks: Vec<u8> = (0..16).map(|_| 7 + draw(8) as u8).collect();
            ranks[(number % 16) as usize] = 15;
            if number % 3 == 0 {
                ranks = (0..16).map(|cell| (number / 3 + cell) as u8 % 15 + 1).collect();
            }
            if number % 5 == 0 {
                ranks[(number % 7) as usize] = 15;
            }
            let bits = Packed::<4, 4>::from_ranks(&ranks).bits();
            for top in [1, 3, 12, 13, 14, 15] {
                let fast = downgraded(bits, top);
                assert_eq!(fast, downgrade_to(top, ranks.clone(), 4), "{ranks:?} {top}");
                assert!(ranks_of(fast).iter().all(|&rank| rank <= top), "{ranks:?} {top}");
                capped_boards += usize::from(gaps(ranks_of(fast)).count() == 0);
            }
        }
        assert!(capped_boards > 0, "some boards have no gap");
    }

    #[test]
    fn downgraded_boards_move_like_the_real_ones() {
        let mut draw = draws(21);
        let mut lowered = 0;
        for _ in 0..3000 {
            let mut ranks: Vec<u8> =
                (0..16).map(|_| [0, 1, 2, 3, 9, 10, 14, 15, 16, 17][draw(10) as usize]).collect();
            let tiles = ranks.iter().map(|&rank| crate::board::tile_of(rank)).collect();
            let Ok(board) = Board::from_grid(crate::board::Grid::from_cells(Size::FOUR, tiles)) else {
                continue;
            };
            let before = ranks.clone();
            let largest_gap = |ranks: &[u8]| gaps(ranks.to_vec()).next_back();
            if downgrade(&mut ranks, |ranks| fits_within(ranks, 15), largest_gap).is_err() {
                continue;
            }
            assert_eq!(Packed::<4, 4>::from_ranks(&ranks).legal_moves(), board.legal_moves(), "{board:?}");
            lowered += usize::from(ranks != before);
        }
        assert!(lowered > 1000);
    }

    #[test]
    fn counting_and_capping_by_bits_is_what_cells_say() {
        let mut draw = draws(3);
        for _ in 0..20_000 {
            let bits = draw(1 << 32) << 32 | draw(1 << 32);
            for rank in 1..=15 {
                let large = ranks_of(bits).into_iter().filter(|&own| own >= rank).count();
                assert_eq!(count_at_least(bits, rank) as usize, large);
                let merged: Vec<u8> = ranks_of(bits).into_iter().map(|own| own.min(rank)).collect();
                assert_eq!(ranks_of(capped(bits, rank)), merged, "{bits:x} {rank}");
            }
        }
    }
}
