//! The packed board for a search.
//!
//! Packed boards end at 32768, and two tiles of 32768 do not merge. If the search could reach two
//! of them, the board is downgraded (`board/packing.rs`) until it cannot. Downgraded tiles are
//! evaluated, and their merges rewarded, by their new value.

use crate::board::{Board, Packed, Size, TOP_PACKED_RANK, downgrade, gaps, rank_of};

/// Spawns create these ranks, so the gaps at these ranks cannot be closed.
const SPAWNED_RANKS: u8 = 2;

/// The packed board on which a search of `depth` own moves merges the same tiles as on the board
/// itself.
///
/// A downgrade closes a gap: a rank that is missing on the board. It takes the largest gap that the
/// search cannot fill. If every gap can be filled, it takes the one that takes longest. Only then
/// may the far end of the search merge a new tile with a downgraded one. Exact boards would avoid
/// that, but on them the search would not get as far.
///
/// `None` if there is no gap to close, for other sizes than 4x4, and for tiles that are not powers
/// of two.
pub(super) fn packed_or_lowered(board: &Board, depth: u32) -> Option<Packed> {
    if board.size() != Size::FOUR {
        return None;
    }
    let turns = depth.saturating_sub(1);
    // Nearly every board is decided here. Two tiles of 32768 need this tile sum.
    if let Ok(packed) = Packed::pack(board)
        && (turns == 0 || board.tile_sum() + 4 * u128::from(turns) < 2 << TOP_PACKED_RANK)
    {
        return Some(packed);
    }
    let mut ranks: Vec<u8> = board.tiles().map(rank_of).collect::<Option<_>>()?;
    downgrade(&mut ranks, |ranks| fits(ranks, turns), |ranks| last_filled_gap(ranks, depth)).ok()?;
    Some(Packed::from_ranks(&ranks))
}

/// The gap that stays a gap for the most turns within the depth. The largest one wins a tie.
fn last_filled_gap(ranks: &[u8], depth: u32) -> Option<u8> {
    let closable = gaps(ranks.iter().copied()).filter(|&gap| gap > SPAWNED_RANKS);
    closable.max_by_key(|&gap| (turns_without(ranks, gap, depth), gap))
}

/// Whether there is never more than one tile of the top rank before the last move, and none above
/// it.
fn fits(ranks: &[u8], turns: u32) -> bool {
    ranks.iter().all(|&rank| rank <= TOP_PACKED_RANK)
        && most_from(ranks, TOP_PACKED_RANK, turns) < 2 << TOP_PACKED_RANK
}

/// The number of turns, at most `most`, for which a missing rank cannot be made.
fn turns_without(ranks: &[u8], missing: u8, most: u32) -> u32 {
    let above = most_from(ranks, missing, 0);
    (1..=most).take_while(|&turns| most_from(ranks, missing, turns) == above).count() as u32
}

/// An upper bound, after `turns` turns, on the sum of all tiles of at least this rank.
///
/// A tile of rank r after a turn either existed before or was merged from two tiles of rank r - 1.
/// So everything in tiles of at least rank r was in tiles of at least rank r - 1 before, and the
/// sum is a multiple of 2^r. Only spawns add to the sum: a 2 or a 4 each turn.
fn most_from(ranks: &[u8], rank: u8, turns: u32) -> u128 {
    let climb = turns.min(u32::from(rank) - 1);
    let lowest = rank - climb as u8;
    let there: u128 = ranks.iter().filter(|&&rank| rank >= lowest).map(|&rank| 1 << rank).sum();
    let mut most = there + 4 * u128::from(turns - climb);
    for reached in lowest + 1..=rank {
        if reached == SPAWNED_RANKS {
            most += 4;
        }
        most &= !((1 << reached) - 1);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Direction, parse_board};

    fn board(text: &str) -> Board {
        parse_board(text, None).unwrap()
    }

    fn ranks(text: &str) -> Vec<u8> {
        board(text).tiles().map(|tile| rank_of(tile).unwrap()).collect()
    }

    /// The packed ranks of the first row.
    fn first_row(text: &str, depth: u32) -> Option<[u8; 4]> {
        packed_or_lowered(&board(text), depth).map(|packed| [0, 1, 2, 3].map(|col| packed.rank(0, col)))
    }

    #[test]
    fn boards_stay_as_they_are_while_no_second_32768_can_be_made() {
        // Two moves can make a second 32768, and a third could merge it.
        let near = "32768 16384 8192 8192/0 0 0 0/0 0 0 0/2 0 0 0";
        assert_eq!(first_row(near, 1), Some([15, 14, 13, 13]));
        assert_eq!(first_row(near, 2), Some([15, 14, 13, 13]));
        assert_eq!(
            first_row(near, 3),
            Some([14, 13, 12, 12]),
            "rank 12 is missing and cannot be made in three moves"
        );
        let far = "32768 16384 8192 4096/2048 0 0 0/0 0 0 0/2 0 0 0";
        assert_eq!(first_row(far, 100), Some([15, 14, 13, 12]));
        // The tile sum alone shows that it takes some turns. The chain of merges shows that it
        // takes more.
        let chain = "32768 16384 8192 4096/256 512 1024 2048/128 64 32 16/0 4 4 8";
        assert_eq!(board(chain).tile_sum(), 65536);
        assert_eq!(first_row(chain, 12), Some([15, 14, 13, 12]));
        assert_eq!(first_row(chain, 14), None, "no rank above the spawned ones is missing");
    }

    #[test]
    fn what_is_too_large_is_lowered_where_it_does_no_harm() {
        assert_eq!(first_row("32768 32768 0 0/0 0 0 0/0 0 0 0/2 0 0 0", 1), Some([14, 14, 0, 0]));
        assert_eq!(first_row("65536 131072 2 4/0 0 0 0/0 0 0 0/0 0 0 0", 2), Some([14, 15, 1, 2]));
        // 8192 is missing, but the next move can make it. Closing that gap would merge it with
        // 16384.
        let made = "32768 16384 4096 4096/4096 4096 0 0/0 0 0 0/2 0 0 0";
        assert_eq!(first_row(made, 3), Some([15, 14, 12, 12]), "the second 32768 takes three moves");
        assert_eq!(first_row(made, 4), Some([14, 13, 11, 11]), "2048 cannot be made");
        // No rank from 8 to 65536 is missing, so there is no packed board.
        let full = "65536 32768 16384 8192/512 1024 2048 4096/256 128 64 32/8 16 0 0";
        assert_eq!(first_row(full, 2), None);
        assert_eq!(first_row("3 0 0 0/0 0 0 0/0 0 0 0/2 0 0 0", 2), None);
        assert_eq!(packed_or_lowered(&board("2 0 0/0 0 0/0 2 0"), 2), None);
    }

    #[test]
    fn if_every_missing_tile_can_be_made_the_one_that_takes_longest_is_closed() {
        // 8 and 1024 are missing. The next move can make 1024. Making 8 takes a spawn and a move.
        let text = "32768 16384 8192 4096/4096 2048 512 512/256 128 64 32/16 4 0 0";
        let list = ranks(text);
        assert_eq!([3, 10].map(|rank| turns_without(&list, rank, 9)), [1, 0]);
        let packed = packed_or_lowered(&board(text), 9).unwrap();
        assert_eq!([packed.rank(1, 3), packed.rank(2, 3), packed.rank(3, 1)], [8, 4, 2]);
    }

    /// Tries all moves and spawns to find the tiles that can be made.
    #[test]
    fn no_play_makes_more_than_the_bound() {
        fn grow(boards: &[Board]) -> Vec<Board> {
            let mut next = Vec::new();
            for board in boards {
                for after in Direction::ALL.into_iter().filter_map(|way| board.slide(way).unwrap()) {
                    for cell in after.after.empty_cells() {
                        next.extend([2, 4].map(|tile| after.after.spawn(cell, tile).unwrap()));
                    }
                }
            }
            next.sort_by_key(|board| board.tiles().collect::<Vec<_>>());
            next.dedup();
            next
        }
        for text in
            ["4 2 2 8/16 8 4 4/2 4 8 2/4 16 2 0", "2 2 4 8/16 32 64 128/2 4 8 16/4 16 2 4", "4 4 8/2 0 0"]
        {
            let start: Vec<u8> = ranks(text);
            let mut boards = vec![board(text)];
            for turns in 1..=3 {
                boards = grow(&boards);
                for rank in 1..=8 {
                    let sum = |board: &Board| -> u128 {
                        board.tiles().filter(|&tile| tile >= 1 << rank).map(u128::from).sum()
                    };
                    let most = boards.iter().map(sum).max().unwrap();
                    assert!(most <= most_from(&start, rank, turns), "{text}: {turns} turns, rank {rank}");
                }
            }
        }
    }
}
