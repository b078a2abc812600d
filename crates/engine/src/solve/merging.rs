//! The merges that a finished endgame sets off: the target merges with the smallest wall, that tile
//! with the next wall, and so on.

use crate::board::{Board, Direction};

/// The most moves that a plan has.
const MOST_MOVES: u32 = 7;

/// The first move of the best plan to merge the tiles of at least `least`; `None` if no plan of up
/// to seven moves merges any of them.
///
/// A plan is a sequence of moves as if no tile appeared. The best one merges the most points of
/// such tiles with the fewest moves. It is made anew at every turn, so a tile that appears in the
/// way is only a detour.
///
/// ```
/// use lab2048::Direction;
/// use lab2048::solve::merge_plan;
///
/// let board = "4096 2048 1024 2/16 8 512 512/0 2 0 0/0 0 0 4".parse().unwrap();
/// assert_eq!(merge_plan(&board, 512), Some(Direction::Left), "then up and left twice");
/// ```
pub fn merge_plan(board: &Board, least: u64) -> Option<Direction> {
    let mut best = Plan::default();
    let mut tried = Plan::default();
    extend(board, least, MOST_MOVES, &mut tried, &mut best);
    best.first
}

/// A sequence of moves.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    first: Option<Direction>,
    moves: u32,
    /// The points of its large merges.
    points: u64,
}

/// Tries all plans that begin with `tried`.
fn extend(board: &Board, least: u64, left: u32, tried: &mut Plan, best: &mut Plan) {
    // Without two equal large tiles, no large merge can follow.
    if left == 0 || !has_pair(board, least) {
        return;
    }
    for direction in Direction::ALL {
        let Ok(Some(slid)) = board.slide(direction) else { continue };
        let before = *tried;
        let next = Board::from_grid(slid.after.to_grid()).expect("tiles stay valid");
        tried.first = before.first.or(Some(direction));
        tried.moves += 1;
        tried.points += large_points(board, &next, least);
        if (tried.points, best.moves) > (best.points, tried.moves) && tried.points > 0 {
            *best = *tried;
        }
        extend(&next, least, left - 1, tried, best);
        *tried = before;
    }
}

fn has_pair(board: &Board, least: u64) -> bool {
    let large: Vec<u64> = board.tiles().filter(|&tile| tile >= least).collect();
    large.iter().enumerate().any(|(index, tile)| large[..index].contains(tile))
}

/// The points that a move makes by merging tiles of at least `least`.
fn large_points(before: &Board, after: &Board, least: u64) -> u64 {
    let count = |board: &Board, tile: u64| board.tiles().filter(|&other| other == tile).count() as u64;
    let mut points = 0;
    // Merges of one size change the count of the next, so they are followed upwards.
    let (mut tile, mut made) = (least, 0);
    let most = after.largest();
    while tile < most {
        // Before: b tiles, `made` more came from below; after: a tiles. The rest was merged.
        let merged = (count(before, tile) + made).saturating_sub(count(after, tile)) / 2;
        points += merged * 2 * tile;
        (tile, made) = (2 * tile, merged);
    }
    points
}
