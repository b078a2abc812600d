//! The number of positions. The counts were found by others or by other programs. They depend on
//! the rules, the spawns and the canonical form together.
//!
//! Boards are counted if the player is to move and they can be reached from two start tiles (each a
//! 2 or a 4, in any two cells). Start boards are included. Afterstates are the results of their
//! legal moves. A terminal board has no legal move.

use std::collections::HashSet;

use lab2048::board::{Direction, Packed, PackedAfter, tile_of};

#[derive(Debug, PartialEq)]
struct Counts {
    boards: usize,
    boards_up_to_symmetry: usize,
    afterstates_up_to_symmetry: usize,
    terminal_up_to_symmetry: usize,
}

/// The boards after every possible spawn.
fn spawned<const R: usize, const C: usize>(after: PackedAfter<R, C>) -> impl Iterator<Item = Packed<R, C>> {
    after.empty_bits().flat_map(move |bit| [1, 2].map(|rank| after.spawned(bit, rank)))
}

/// All boards that can be reached through boards for which `within` holds, and all afterstates on
/// the way.
struct Reachable<const R: usize, const C: usize> {
    boards: HashSet<Packed<R, C>>,
    afterstates: HashSet<PackedAfter<R, C>>,
}

fn reachable<const R: usize, const C: usize>(within: impl Fn(Packed<R, C>) -> bool) -> Reachable<R, C> {
    let empty = PackedAfter::from_bits(0).unwrap();
    let one_tile = spawned::<R, C>(empty).map(|board| PackedAfter::from_bits(board.bits()).unwrap());
    let mut open: Vec<Packed<R, C>> = one_tile.flat_map(spawned).filter(|&board| within(board)).collect();
    let mut boards: HashSet<Packed<R, C>> = open.iter().copied().collect();
    let mut afterstates = HashSet::new();
    while let Some(board) = open.pop() {
        for (after, _) in Direction::ALL.into_iter().filter_map(|direction| board.slide(direction)) {
            if afterstates.insert(after) {
                open.extend(spawned(after).filter(|&next| within(next) && boards.insert(next)));
            }
        }
    }
    Reachable { boards, afterstates }
}

fn count<const R: usize, const C: usize>(reachable: &Reachable<R, C>) -> Counts {
    let boards: HashSet<Packed<R, C>> = reachable.boards.iter().map(|board| board.canonical()).collect();
    assert!(boards.is_subset(&reachable.boards), "an image of a reachable board is reachable");
    let afterstates: HashSet<PackedAfter<R, C>> =
        reachable.afterstates.iter().map(|after| after.canonical()).collect();
    Counts {
        boards: reachable.boards.len(),
        boards_up_to_symmetry: boards.len(),
        afterstates_up_to_symmetry: afterstates.len(),
        terminal_up_to_symmetry: boards.iter().filter(|board| !board.has_moves()).count(),
    }
}

fn tile_sum(board: Packed<4, 4>) -> u64 {
    (0..16).map(|cell| tile_of(board.rank(cell / 4, cell % 4))).sum()
}

#[test]
fn all_positions_of_2x2() {
    let counts = Counts {
        boards: 662,
        boards_up_to_symmetry: 110,
        afterstates_up_to_symmetry: 67,
        terminal_up_to_symmetry: 36,
    };
    assert_eq!(count(&reachable::<2, 2>(|_| true)), counts);
}

#[test]
fn all_positions_of_2x3_and_3x2() {
    let counts = Counts {
        boards: 85_844,
        boards_up_to_symmetry: 21_752,
        afterstates_up_to_symmetry: 14_883,
        terminal_up_to_symmetry: 4_484,
    };
    assert_eq!(count(&reachable::<2, 3>(|_| true)), counts);
    assert_eq!(count(&reachable::<3, 2>(|_| true)), counts);
}

#[test]
fn positions_of_4x4_up_to_a_tile_sum_of_24() {
    let counts = count(&reachable::<4, 4>(|board| tile_sum(board) <= 24));
    assert_eq!((counts.boards_up_to_symmetry, counts.boards), (67_104, 535_148));
}

#[test]
fn positions_of_4x4_before_the_first_8() {
    let counts = count(&reachable::<4, 4>(|board| board.max_rank() < 3));
    assert_eq!((counts.boards_up_to_symmetry, counts.boards), (84_660, 675_154));
}
