//! Games from any board with any actions: an error changes nothing, and all turns can be undone and
//! redone.
#![no_main]

use lab2048::board::{Board, Direction, Grid, Size};
use lab2048::game::{Action, Game, History, IdleMove, Rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, bool, u64, Vec<u64>, Vec<u8>)| {
    let (rows, cols, idle, seed, tiles, actions) = input;
    let size = Size::new(2 + usize::from(rows % 7), 2 + usize::from(cols % 7)).expect("sides are 2 to 8");
    // Small numbers are ranks, so that powers of two and merges are frequent.
    let tile = |tile: u64| {
        if tile < 64 { 1u64.checked_shl(tile as u32).filter(|&tile| tile > 1).unwrap_or(0) } else { tile }
    };
    let cells = tiles.into_iter().map(tile).chain(std::iter::repeat(0)).take(size.cells()).collect();
    let Ok(board) = Board::from_grid(Grid::from_cells(size, cells)) else { return };
    let idle = if idle { IdleMove::Spawns } else { IdleMove::Refused };
    let mut history = History::new(Game::from_board(Rules { idle, ..Rules::ORIGINAL }, seed, board));
    let first = history.game().clone();
    for code in actions {
        let before = history.game().clone();
        let action = match code % 16 {
            14 => Action::Pass,
            15 => Action::Quit,
            code => Action::Move(Direction::ALL[usize::from(code % 4)]),
        };
        match history.play(action) {
            Err(_) => assert_eq!(history.game(), &before),
            Ok(turn) => {
                let spawned = turn.spawn.map_or(0, |spawn| spawn.tile);
                assert_eq!(
                    history.game().board().tile_sum(),
                    before.board().tile_sum() + u128::from(spawned)
                );
                assert_eq!(history.game().score(), before.score() + turn.reward);
                assert_eq!(history.game().turns(), before.turns() + 1);
            }
        }
    }
    let last = history.game().clone();
    while history.undo().is_some() {}
    assert_eq!(history.game(), &first);
    while history.redo().is_some() {}
    assert_eq!(history.game(), &last);
});
