//! The plan of the merges that a finished endgame sets off.

use lab2048::board::{Board, Direction};
use lab2048::solve::merge_plan;

use super::support::board;

/// Follows the plan until it ends, without spawns.
fn followed(picture: &str, least: u64) -> (Vec<Direction>, Board) {
    follow(board(picture), least)
}

pub(crate) fn follow(mut board: Board, least: u64) -> (Vec<Direction>, Board) {
    let mut moves = Vec::new();
    while let Some(direction) = merge_plan(&board, least) {
        let slid = board.slide(direction).unwrap().expect("a plan consists of legal moves");
        board = Board::from_grid(slid.after.to_grid()).unwrap();
        moves.push(direction);
        assert!(moves.len() <= 20, "the plan does not end:\n{board:?}");
    }
    (moves, board)
}

#[test]
fn following_the_plan_merges_the_whole_chain() {
    // 4096 2048 1024    2
    //   16    8  512  512
    let (moves, end) = followed("4096 2048 1024 2/16 8 512 512/. 2 . ./. . . 4", 512);
    assert_eq!(moves[0], Direction::Left);
    assert!(moves.len() <= 5, "{moves:?}");
    assert_eq!(end.largest(), 8192);
    assert!(end.tiles().all(|tile| tile < 512 || tile == 8192), "nothing large is left:\n{end:?}");
}

/// A block of walls: 512 was made beside the inner wall, to its right or below it.
#[test]
fn a_block_merges_into_one_tile() {
    for last in ["2 . . 4/512 . . .", "2 . 512 4/. . . ."] {
        let (target, rest) = if last.contains("512 4") { (".", last) } else { ("512", "2 . . 4/. . . .") };
        let picture = format!("16384 2048 1024 2/8192 4096 512 {target}/{rest}");
        let (moves, end) = followed(&picture, 512);
        assert_eq!(end.largest(), 32768, "{moves:?}\n{end:?}");
        assert!(moves.len() <= 8, "{moves:?}");
    }
}

/// The walls of a snake in two rows.
#[test]
fn a_snake_merges_into_one_tile() {
    let (_, end) = followed("2048 4096 8192 16384/1024 512 512 2/4 . . ./. . . .", 512);
    assert_eq!(end.largest(), 32768, "{end:?}");
}

/// The pair has to be brought together first: the small tile leaves the way with another move.
#[test]
fn a_tile_in_the_way_is_a_detour() {
    let (moves, end) = followed(". . . ./512 2 512 ./4 . . ./. . . .", 512);
    assert!(moves.len() > 1, "{moves:?}");
    assert_eq!(end.largest(), 1024, "{end:?}");
    // The fewest moves: nothing is in the way here.
    let (moves, end) = followed(". . . ./512 . 512 ./4 . . ./. . . .", 512);
    assert_eq!((moves.len(), end.largest()), (1, 1024));
}

/// Of two plans with one merge, the one that allows a second merge is better.
#[test]
fn the_plan_with_the_most_points_is_chosen() {
    // The new 1024 must lie below the old one.
    let (moves, end) = followed("1024 2 4 8/512 512 . ./. . . ./. . . .", 512);
    assert_eq!((moves[0], end.largest()), (Direction::Left, 2048));
    let (moves, end) = followed("8 4 2 1024/512 512 . ./. . . ./. . . .", 512);
    assert_eq!((moves[0], end.largest()), (Direction::Right, 2048));
}

#[test]
fn without_a_pair_there_is_no_plan() {
    for picture in [
        "1024 512 256 128/. . . ./. . . ./2 2 4 4",
        ". . . ./. . . ./. . . ./. . . 2",
        "256 256 128 128/. . . ./. . . ./. . . .",
        // The pair can never meet: no move changes the board.
        "512 2 512 2/2 4 2 4/4 2 4 2/2 4 2 4",
    ] {
        assert_eq!(merge_plan(&board(picture), 512), None, "{picture}");
    }
    // Smaller tiles count only if they are asked for.
    assert!(merge_plan(&board("256 256 128 128/. . . ./. . . ./. . . ."), 128).is_some());
}

/// Points of 64-bit tiles and merges that overflow are no obstacle.
#[test]
fn tiles_of_any_size_can_merge() {
    let half = 1u64 << 62;
    let (_, end) = followed(&format!("{half} {half}/. 2"), 512);
    assert_eq!(end.largest(), 1 << 63);
    let full = 1u64 << 63;
    assert_eq!(merge_plan(&board(&format!("{full} {full}/. .")), 512), None);
}
