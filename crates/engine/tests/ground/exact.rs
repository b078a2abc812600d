//! Tests of the exact 4x4 board beyond 32768, of its change of form, of the limits of the packed
//! board, and of overflow.

use lab2048::board::{Board, Direction, Grid, NotPackable, Overflow, Packed, Size, tile_of};
use lab2048::game::{Action, Game, IllegalTurn, Rules, Spawn};

use super::support::{Dice, before_and_after, board, random_grid, size};

#[test]
fn merges_beyond_32768_are_exact() {
    let (before, after) = before_and_after(
        "
        32768 32768 65536 65536  =>  65536 131072 . .
        131072 . . 131072        =>  262144 . . .
        16384 16384 32768 .      =>  32768 32768 . .
        1073741824 1073741824 2147483648 2147483648  =>  2147483648 4294967296 . .
        ",
    );
    let slid = before.slide(Direction::Left).unwrap().unwrap();
    assert_eq!(slid.after.to_grid(), after.to_grid());
    assert_eq!(slid.reward, 65536 + 131_072 + 262_144 + 32768 + (1 << 31) + (1 << 32));
    assert!(before.has_moves());
}

#[test]
fn ranks_of_every_height_follow_the_grid_and_may_overflow() {
    let mut dice = Dice::new(7);
    // Ranks around each limit: 4 bits, 5 bits, 32 bits, 64 bits.
    let tiles: Vec<u64> = [0, 0, 1, 14, 15, 16, 17, 30, 31, 32, 62, 63].map(tile_of).to_vec();
    let (mut moved, mut overflowed) = (0, 0);
    for round in 0..20_000 {
        // Half of the boards use only three kinds of tiles, so that pairs are frequent.
        let few = [dice.pick(&tiles), dice.pick(&tiles), dice.pick(&tiles)];
        let grid = random_grid(&mut dice, Size::FOUR, if round % 2 == 0 { &tiles } else { &few });
        let Ok(board) = Board::from_grid(grid.clone()) else { continue };
        for direction in Direction::ALL {
            match grid.slide(direction) {
                Ok(slide) if slide.grid == grid => assert_eq!(board.slide(direction), Ok(None)),
                Ok(slide) => {
                    let slid = board.slide(direction).unwrap().unwrap();
                    assert_eq!((slid.after.to_grid(), slid.reward), (slide.grid.clone(), slide.reward));
                    // Equal cells have the same form, wherever they come from.
                    assert_eq!(slid.after, Board::from_grid(slide.grid).unwrap().pass());
                    moved += 1;
                }
                Err(overflow) => {
                    assert_eq!(board.slide(direction), Err(overflow));
                    assert!(
                        board.legal_moves().contains(direction),
                        "a move that overflows still counts as legal"
                    );
                    overflowed += 1;
                }
            }
        }
    }
    assert!(moved > 10_000 && overflowed > 1_000, "{moved} {overflowed}");
}

#[test]
fn spawns_and_merges_change_the_form_and_equal_boards_stay_equal() {
    // A custom board with 1-tiles becomes a board of powers of two once they have merged.
    let custom = board("1 1 . ./. . . ./. . . ./. . . .");
    let after = custom.slide(Direction::Left).unwrap().unwrap().after;
    let plain = board("2 . . ./. . . ./. . . ./. . . .");
    assert_eq!(after, plain.pass());
    assert_eq!(after.spawn(5, 4).unwrap(), plain.pass().spawn(5, 4).unwrap());
    // A foreign spawn can be any number.
    for tile in [3, 65536, 1 << 31, 1 << 32, u64::MAX] {
        let spawned = plain.pass().spawn(15, tile).unwrap();
        assert_eq!(spawned.tile(15), tile);
        let mut grid = plain.to_grid();
        grid.set(15, tile);
        assert_eq!(spawned, Board::from_grid(grid).unwrap());
    }
}

#[test]
#[should_panic(expected = "a 4x4 board has no cell 16")]
fn there_is_no_cell_beyond_the_last() {
    board("2 . . ./. . . ./. . . ./. . . .").tile(16);
}

#[test]
fn a_tile_beyond_64_bits_is_an_error_and_the_game_is_as_before() {
    //   2^63 2^63
    //    .    .
    let top = 1u64 << 63;
    let grid = Grid::from_cells(size(2, 2), vec![top, top, 0, 0]);
    let mut game = Game::from_board(Rules::default(), 1, Board::from_grid(grid).unwrap());
    let before = game.clone();
    assert_eq!(game.play(Action::Move(Direction::Left)), Err(IllegalTurn::Overflow(Overflow::Tile(top))));
    assert_eq!(game, before);
    assert!(game.play(Action::Move(Direction::Down)).is_ok(), "a move without a merge is possible");
}

#[test]
fn points_beyond_64_bits_are_an_error_and_the_game_is_as_before() {
    let half = 1u64 << 62;
    // Overflow in one move: two merges of 2^63 each.
    let grid = Grid::from_cells(size(2, 2), vec![half; 4]);
    let mut game = Game::from_board(Rules::default(), 1, Board::from_grid(grid).unwrap());
    let before = game.clone();
    assert_eq!(game.play(Action::Move(Direction::Up)), Err(IllegalTurn::Overflow(Overflow::Score)));
    assert_eq!(game, before);

    // Overflow in two moves: the second merge of 2^63 is too much.
    let grid = Grid::from_cells(size(2, 3), vec![half, half, 3, half, 5, half]);
    let mut game = Game::from_board(Rules::default(), 1, Board::from_grid(grid).unwrap());
    game.play_with(Action::Move(Direction::Left), |_| Some(Spawn { cell: 2, tile: half })).unwrap();
    assert_eq!(game.score(), 1 << 63);
    let before = game.clone();
    assert_eq!(game.play(Action::Move(Direction::Up)), Err(IllegalTurn::Overflow(Overflow::Score)));
    assert_eq!(game, before);
}

#[test]
fn one_32768_is_packed_and_two_are_not() {
    let one = board("32768 16384 16384 ./2 . . ./. . . ./. . . 4");
    assert_eq!(Packed::<4, 4>::pack(&one).unwrap().to_grid(), one.to_grid());
    let two = board("32768 . . ./2 . . ./. . . ./. . . 32768");
    assert_eq!(Packed::<4, 4>::pack(&two), Err(NotPackable::TooLarge));
    let more = board("65536 . . ./2 . . ./. . . ./. . . 4");
    assert_eq!(Packed::<4, 4>::pack(&more), Err(NotPackable::TooLarge));
    let odd = board("6 . . ./2 . . ./. . . ./. . . 4");
    assert_eq!(Packed::<4, 4>::pack(&odd), Err(NotPackable::Tile(6)));
    let small = board("32768 32768/. 2");
    assert_eq!(Packed::<2, 2>::pack(&small), Err(NotPackable::TooLarge));
}
