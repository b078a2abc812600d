//! Tests the fast boards against the grid: every size, on random games and random boards.

use lab2048::board::{Board, Direction, Grid, Packed, PackedAfter};
use lab2048::game::{Action, Game, Rules, SpawnSource, Stream, outcomes};

use super::support::{Dice, all_sizes, for_packed_sizes, grid_moves, random_grid, size, tiles_of};

/// Compares everything that both board and grid provide.
fn compare_exact(board: &Board, grid: &Grid) {
    assert_eq!(&board.to_grid(), grid);
    assert_eq!(board.size(), grid.size());
    assert_eq!(board.tiles().collect::<Vec<_>>(), grid.cells());
    assert_eq!(board.empty_count(), grid.empty_cells().count());
    assert_eq!(board.largest(), grid.largest());
    assert_eq!(board.tile_sum(), grid.tile_sum());
    assert_eq!(board.to_string(), grid.to_string());
    let legal = grid_moves(grid);
    assert_eq!(board.legal_moves().iter().collect::<Vec<_>>(), legal, "{board:?}");
    assert_eq!(board.has_moves(), !legal.is_empty(), "{board:?}");
    for direction in Direction::ALL {
        let slide = grid.slide(direction).unwrap();
        assert_eq!(grid.can_slide(direction), slide.grid != *grid, "{direction} {grid:?}");
        match board.slide(direction).unwrap() {
            None => assert_eq!(&slide.grid, grid, "{direction} {board:?}"),
            Some(slid) => {
                assert_eq!(slid.after.to_grid(), slide.grid, "{direction} {board:?}");
                assert_eq!(slid.reward, slide.reward, "{direction} {board:?}");
                assert_ne!(&slide.grid, grid, "{direction} {board:?}");
                let empty: Vec<usize> = slide.grid.empty_cells().collect();
                assert_eq!(slid.after.empty_cells().collect::<Vec<_>>(), empty);
                assert_eq!(slid.after.empty_count(), empty.len());
                let nth: Vec<usize> = (0..16).map_while(|n| slid.after.nth_empty(n)).collect();
                assert_eq!(nth, empty.iter().copied().take(16).collect::<Vec<_>>());
                assert_eq!(slid.after.nth_empty(empty.len()), None);
                assert_eq!(slid.after.nth_empty(usize::MAX), None);
            }
        }
        assert_eq!(board.motions(direction).unwrap(), slide.motions);
    }
}

/// Compares a packed board with a grid of ranks up to 14, so that no slide makes a rank above 15.
fn compare_packed<const R: usize, const C: usize>(packed: Packed<R, C>, grid: &Grid) {
    assert_eq!(&packed.to_grid(), grid);
    assert_eq!(Packed::from_bits(packed.bits()), Some(packed));
    assert_eq!(packed.empty_count() as usize, grid.empty_cells().count());
    assert_eq!(
        1u64.checked_shl(packed.max_rank().into()).filter(|&tile| tile > 1).unwrap_or(0),
        grid.largest()
    );
    let legal = grid_moves(grid);
    assert_eq!(packed.legal_moves().iter().collect::<Vec<_>>(), legal, "{packed:?}");
    assert_eq!(packed.has_moves(), !legal.is_empty(), "{packed:?}");
    let all = packed.slide_all();
    for direction in Direction::ALL {
        let slide = grid.slide(direction).unwrap();
        let together = all.afters[direction.index()].map(|after| (after, all.reward(direction)));
        assert_eq!(together, packed.slide(direction), "{direction} {packed:?}");
        match packed.slide(direction) {
            None => assert_eq!(&slide.grid, grid, "{direction} {packed:?}"),
            Some((after, reward)) => {
                assert_eq!(after.to_grid(), slide.grid, "{direction} {packed:?}");
                assert_eq!(u64::from(reward), slide.reward, "{direction} {packed:?}");
                compare_empty_cells(after, &slide.grid);
            }
        }
    }
}

fn compare_empty_cells<const R: usize, const C: usize>(after: PackedAfter<R, C>, grid: &Grid) {
    let bit = |cell: usize| 1u64 << (4 * (4 * (cell / C) + cell % C));
    assert_eq!(after.empty_bits().collect::<Vec<_>>(), grid.empty_cells().map(bit).collect::<Vec<_>>());
    assert_eq!(after.empty_mask(), grid.empty_cells().map(bit).sum::<u64>());
}

#[test]
fn random_boards_of_every_packed_size_behave_like_the_grid() {
    fn check<const R: usize, const C: usize>() {
        let mut dice = Dice::new((10 * R + C) as u64);
        // Few different tiles make pairs frequent; many let all ranks occur.
        for tiles in [tiles_of(0..=2), tiles_of(0..=14), tiles_of(1..=3), tiles_of([13, 14])] {
            for _ in 0..1500 {
                let grid = random_grid(&mut dice, size(R, C), &tiles);
                let Ok(board) = Board::from_grid(grid.clone()) else { continue };
                compare_packed(Packed::<R, C>::pack(&board).unwrap(), &grid);
                compare_exact(&board, &grid);
            }
        }
    }
    for_packed_sizes!(check);
}

#[test]
fn random_boards_of_every_size_behave_like_the_grid() {
    for (seed, size) in (100..).zip(all_sizes()) {
        let mut dice = Dice::new(seed);
        let mixed = [0, 0, 1, 2, 2, 3, 4, 6, 8, 12, 65_536, 131_072, 1 << 31, 1 << 32, 1 << 40];
        for tiles in [tiles_of(0..=3), mixed.to_vec()] {
            for _ in 0..60 {
                let grid = random_grid(&mut dice, size, &tiles);
                compare_exact(&Board::from_grid(grid.clone()).unwrap(), &grid);
            }
        }
    }
}

#[test]
fn one_seed_is_one_game_on_every_kind_of_board() {
    fn check<const R: usize, const C: usize>() {
        for seed in 0..30 {
            play_on_all_boards::<R, C>(seed);
        }
    }
    for_packed_sizes!(check);
}

/// Plays one game with random moves on the exact board, the packed board and the grid at once.
fn play_on_all_boards<const R: usize, const C: usize>(seed: u64) {
    let rules = Rules { size: size(R, C), ..Rules::default() };
    let mut game = Game::new(rules.clone(), seed);
    let mut grid = game.board().to_grid();
    let mut packed = Packed::<R, C>::pack(game.board()).unwrap();
    let spawns = SpawnSource::new(&rules, seed);
    assert_eq!(game.spawns(), spawns);
    while game.ending().is_none() {
        compare_packed(packed, &grid);
        compare_exact(game.board(), &grid);
        let number = game.turns() + SpawnSource::AFTER_FIRST_MOVE;
        let legal = game.board().legal_moves();
        let direction = legal.nth(Stream::player(seed).below(game.turns(), legal.len())).unwrap();

        let after = game.board().slide(direction).unwrap().unwrap().after;
        let (board, spawn) = spawns.apply(number, &after).unwrap();
        let likely: Vec<_> = outcomes(&after, rules.four).filter(|outcome| outcome.spawn == spawn).collect();
        assert_eq!(likely.len(), 1, "the spawn is one of the possible ones");

        grid = grid.slide(direction).unwrap().grid;
        assert_eq!(grid.get(spawn.cell), 0);
        grid.set(spawn.cell, spawn.tile);

        let (packed_after, _) = packed.slide(direction).unwrap();
        packed = spawns.apply_packed(number, packed_after).unwrap();

        let turn = game.play(Action::Move(direction)).unwrap();
        assert_eq!((game.board(), turn.spawn), (&board, Some(spawn)));
    }
    assert!(grid_moves(&grid).is_empty());
    compare_packed(packed, &grid);
}

#[test]
fn games_on_large_boards_follow_the_grid() {
    for (rows, cols) in [(5, 5), (2, 8), (8, 3), (6, 4)] {
        let size = size(rows, cols);
        let mut game = Game::new(Rules { size, ..Rules::default() }, 11);
        for _ in 0..150 {
            compare_exact(game.board(), &game.board().to_grid());
            let legal = game.board().legal_moves();
            let Some(direction) = legal.nth(Stream::player(11).below(game.turns(), legal.len().max(1)))
            else {
                break;
            };
            game.play(Action::Move(direction)).unwrap();
        }
        assert!(game.turns() > 15, "{size}: {game:?}");
    }
}

#[test]
fn packed_bits_outside_the_size_are_refused() {
    fn check<const R: usize, const C: usize>() {
        for cell in 0..16 {
            let inside = cell / 4 < R && cell % 4 < C;
            assert_eq!(
                Packed::<R, C>::from_bits(0xf << (4 * cell)).is_some(),
                inside,
                "{R}x{C}, cell {cell}"
            );
            assert_eq!(
                PackedAfter::<R, C>::from_bits(1 << (4 * cell)).is_some(),
                inside,
                "{R}x{C}, cell {cell}"
            );
        }
    }
    for_packed_sizes!(check);
}

#[test]
fn boards_of_another_size_are_not_packed() {
    let board = Board::from_grid(Grid::from_cells(size(3, 4), vec![2; 12])).unwrap();
    assert!(Packed::<4, 3>::pack(&board).is_err());
    assert!(Packed::<4, 4>::pack(&board).is_err());
    assert!(Packed::<3, 4>::pack(&board).is_ok());
}

#[test]
fn a_packed_board_does_not_merge_two_tiles_of_the_top_rank() {
    //  32768 32768 2 2   ->   32768 32768 4 .
    let packed = Packed::<2, 4>::from_ranks(&[15, 15, 1, 1, 0, 0, 0, 0]);
    let (after, reward) = packed.slide(Direction::Left).unwrap();
    assert_eq!(after.to_grid().cells(), [32768, 32768, 4, 0, 0, 0, 0, 0]);
    assert_eq!(reward, 4);
    let full = Packed::<2, 2>::from_ranks(&[15, 15, 15, 15]);
    assert!(full.slide(Direction::Up).is_none() && full.legal_moves().is_empty() && !full.has_moves());
}
