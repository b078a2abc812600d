//! Tests of sliding, scoring and undo, with pictures.

use lab2048::board::{Direction, Motion, Packed};
use lab2048::game::{Action, Ending, Game, History, IllegalTurn, Rules, Spawn};

use super::support::{before_and_after, board};
use Direction::{Down, Left, Right, Up};

/// Slides the left picture and expects the right one, on the exact board, the grid and the packed
/// board.
fn slides(direction: Direction, reward: u64, picture: &str) {
    let (before, after) = before_and_after(picture);
    let slid = before.slide(direction).unwrap().expect("the picture shows a legal move");
    assert_eq!(slid.after.to_grid(), after.to_grid(), "{direction}");
    assert_eq!(slid.reward, reward, "{direction}");

    let grid = before.to_grid().slide(direction).unwrap();
    assert_eq!((grid.grid, grid.reward), (after.to_grid(), reward), "{direction} on the grid");

    let packed = Packed::<4, 4>::pack(&before).unwrap();
    let (packed_after, packed_reward) = packed.slide(direction).expect("the picture shows a legal move");
    assert_eq!(packed_after.to_grid(), after.to_grid(), "{direction} packed");
    assert_eq!(u64::from(packed_reward), reward, "{direction} packed");
}

#[test]
fn tiles_slide_as_far_as_they_go() {
    let left = "
        . . . 2  =>  2 . . .
        . 4 . 2  =>  4 2 . .
        8 . 2 4  =>  8 2 4 .
        . 2 4 .  =>  2 4 . .
    ";
    let down = "
        2 . 8 .  =>  . . . .
        . 4 . 2  =>  . . . .
        . . 2 4  =>  . 4 8 2
        . 2 . .  =>  2 2 2 4
    ";
    slides(Left, 0, left);
    slides(Down, 0, down);
}

#[test]
fn a_pair_merges_across_a_gap_but_not_across_a_tile() {
    let right = "
        2 . . 2  =>  . . . 4
        2 4 2 .  =>  . 2 4 2
        8 8 . .  =>  . . . 16
        2 . 4 2  =>  . 2 4 2
    ";
    slides(Right, 4 + 16, right);
}

#[test]
fn three_in_a_row_merge_at_the_far_end() {
    let left = "
        2 2 2 .  =>  4 2 . .
        . 2 2 2  =>  4 2 . .
        4 . 4 4  =>  8 4 . .
        . . . .  =>  . . . .
    ";
    let right = "
        2 2 2 .  =>  . . 2 4
        . 2 2 2  =>  . . 2 4
        4 . 4 4  =>  . . 4 8
        . . . .  =>  . . . .
    ";
    let up = "
        2 . . .  =>  4 4 . .
        2 2 . .  =>  2 2 . .
        2 2 . .  =>  . . . .
        . 2 . .  =>  . . . .
    ";
    let down = "
        2 . . .  =>  . . . .
        2 2 . .  =>  . . . .
        2 2 . .  =>  2 2 . .
        . 2 . .  =>  4 4 . .
    ";
    slides(Left, 4 + 4 + 8, left);
    slides(Right, 4 + 4 + 8, right);
    slides(Up, 4 + 4, up);
    slides(Down, 4 + 4, down);
}

#[test]
fn four_in_a_row_make_two_pairs() {
    let left = "
        2 2 2 2  =>  4 4 . .
        8 8 8 8  =>  16 16 . .
        2 2 4 4  =>  4 8 . .
        . . . .  =>  . . . .
    ";
    let down = "
        2 4 . .  =>  . . . .
        2 4 . .  =>  . . . .
        2 2 . .  =>  4 8 . .
        2 2 . .  =>  4 4 . .
    ";
    slides(Left, 4 + 4 + 16 + 16 + 4 + 8, left);
    slides(Down, 4 + 4 + 8 + 4, down);
}

#[test]
fn a_merged_tile_does_not_merge_again_in_the_same_move() {
    let left = "
        2 2 4 .  =>  4 4 . .
        4 2 2 8  =>  4 4 8 .
        2 2 4 8  =>  4 4 8 .
        8 4 2 2  =>  8 4 4 .
    ";
    let right = "
        . 4 2 2  =>  . . 4 4
        8 2 2 4  =>  . 8 4 4
        8 4 2 2  =>  . 8 4 4
        . . . .  =>  . . . .
    ";
    slides(Left, 16, left);
    slides(Right, 12, right);
}

#[test]
fn equal_tiles_of_any_value_merge_into_their_sum() {
    let (before, after) = before_and_after(
        "
        3 3 1 1  =>  6 2 . .
        7 . 7 5  =>  14 5 . .
        ",
    );
    let slid = before.slide(Left).unwrap().unwrap();
    assert_eq!((slid.after.to_grid(), slid.reward), (after.to_grid(), 6 + 2 + 14));
}

#[test]
fn a_board_without_a_move_is_recognised() {
    let stuck = board("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2");
    assert!(!stuck.has_moves() && stuck.legal_moves().is_empty());
    assert!(Direction::ALL.into_iter().all(|direction| stuck.slide(direction) == Ok(None)));
    let game = Game::from_board(Rules::default(), 1, stuck);
    assert_eq!(game.ending(), Some(Ending::NoMoves));
    // Only the two 8-tiles in the last column can merge, up or down.
    let alive = board("2 4 2 4/4 2 4 2/2 4 2 8/4 2 4 8");
    assert_eq!(alive.legal_moves().iter().collect::<Vec<_>>(), [Up, Down]);
    assert!(alive.has_moves());
}

#[test]
fn one_tile_in_a_corner_moves_only_away_from_it() {
    let corner = board("2 . .\n. . .");
    assert_eq!(corner.legal_moves().iter().collect::<Vec<_>>(), [Right, Down]);
}

#[test]
fn motions_tell_every_tiles_way() {
    //   2 2 2 .        4 2 . .
    //   . 8 . .   ->   8 . . .
    let motions = board("2 2 2 ./. 8 . .").motions(Left).unwrap();
    let motion = |from, to, tile, merged| Motion { from, to, tile, merged };
    assert_eq!(
        motions,
        [motion(0, 0, 2, true), motion(1, 0, 2, true), motion(2, 1, 2, false), motion(5, 4, 8, false)]
    );
    //   2 . 4        . . .
    //   2 . .   ->   4 . 4   (down: the upper 2 merges into the lower one)
    let motions = board("2 . 4/2 . .").motions(Down).unwrap();
    assert_eq!(motions, [motion(3, 3, 2, true), motion(0, 3, 2, true), motion(2, 5, 4, false)]);
}

#[test]
fn the_score_is_the_sum_of_the_merged_tiles() {
    //   2 2 .        4 . 2        8 . .
    //   4 . .   ->   4 . .   ->   2 . 2 (up, with a 2 at the lower left)
    let mut game = Game::from_board(Rules::default(), 1, board("2 2 ./4 . ."));
    let place = |cell| move |_: &_| Some(Spawn { cell, tile: 2 });
    assert_eq!(game.play_with(Action::Move(Left), place(2)).unwrap().reward, 4);
    assert_eq!(game.board(), &board("4 . 2/4 . ."));
    assert_eq!(game.play_with(Action::Move(Up), place(3)).unwrap().reward, 8);
    assert_eq!((game.board(), game.score(), game.turns()), (&board("8 . 2/2 . ."), 12, 2));
}

#[test]
fn an_idle_move_a_pass_and_a_finished_game_are_refused_and_change_nothing() {
    let mut game = Game::from_board(Rules::default(), 1, board("2 4/. ."));
    let before = game.clone();
    assert_eq!(game.play(Action::Move(Left)), Err(IllegalTurn::Idle(Left)));
    assert_eq!(game.play(Action::Move(Up)), Err(IllegalTurn::Idle(Up)));
    assert_eq!(game.play(Action::Pass), Err(IllegalTurn::NoPass));
    assert_eq!(game, before);

    let quit = game.play(Action::Quit).unwrap();
    assert_eq!((quit.reward, quit.spawn, game.ending()), (0, None, Some(Ending::Quit)));
    assert_eq!((game.board(), game.score(), game.turns()), (before.board(), 0, 1));
    let over = game.clone();
    for action in [Action::Move(Down), Action::Pass, Action::Quit] {
        assert_eq!(game.play(action), Err(IllegalTurn::Over(Ending::Quit)));
    }
    assert_eq!(game, over);
}

#[test]
fn a_foreign_spawn_must_be_possible() {
    //   2 2        4 .
    //   . .   ->   . .   free: 1, 2, 3
    let mut game = Game::from_board(Rules::default(), 1, board("2 2/. ."));
    let before = game.clone();
    for (cell, tile) in [(0, 2), (4, 2), (usize::MAX, 2), (1, 0)] {
        let error = game.play_with(Action::Move(Left), |_| Some(Spawn { cell, tile })).unwrap_err();
        assert!(
            matches!(error, IllegalTurn::Spawn(wrong) if (wrong.cell, wrong.tile) == (cell, tile)),
            "{error}"
        );
    }
    assert_eq!(game.play_with(Action::Move(Left), |_| None), Err(IllegalTurn::NoSpawn));
    assert_eq!(game, before);
    game.play_with(Action::Move(Left), |_| Some(Spawn { cell: 3, tile: 2 })).unwrap();
    assert_eq!((game.board(), game.score()), (&board("4 ./. 2"), 4));
}

#[test]
fn the_goal_is_announced_and_the_game_goes_on() {
    let rules = Rules { goal: 16, ..Rules::default() };
    let mut game = Game::from_board(rules, 1, board("8 8/. ."));
    assert!(!game.has_won());
    game.play(Action::Move(Left)).unwrap();
    assert!(game.has_won());
    assert_eq!(game.ending(), None);
    let more = game.board().legal_moves().iter().next().unwrap();
    assert!(game.play(Action::Move(more)).is_ok());
}

#[test]
fn what_is_taken_back_can_be_played_again_with_the_same_tiles() {
    let mut history = History::new(Game::new(Rules::default(), 5));
    let mut games = vec![history.game().clone()];
    for _ in 0..20 {
        let direction = history.game().board().legal_moves().iter().last().unwrap();
        history.play(Action::Move(direction)).unwrap();
        games.push(history.game().clone());
    }
    let turns: Vec<_> = history.turns().copied().collect();
    assert_eq!(history.before(7), Some(&games[7]));
    assert_eq!(history.before(20), None);
    for index in (0..20).rev() {
        assert_eq!(history.undo(), Some(turns[index]));
        assert_eq!(history.game(), &games[index]);
    }
    assert_eq!(history.undo(), None);
    for (turn, game) in turns.iter().zip(&games[1..]) {
        assert_eq!(history.redo(), Some(*turn));
        assert_eq!(history.game(), game);
    }
    assert_eq!(history.redo(), None);
}

#[test]
fn a_new_move_forgets_what_could_be_redone_and_a_refused_one_does_not() {
    let mut history = History::new(Game::from_board(Rules::default(), 3, board("2 ./. .")));
    history.play(Action::Move(Right)).unwrap();
    history.undo().unwrap();
    assert!(history.play(Action::Move(Left)).is_err(), "the tile is already there");
    let mut other = history.clone();
    assert!(history.redo().is_some());
    other.play(Action::Move(Down)).unwrap();
    assert_eq!(other.redo(), None);
}

#[test]
fn the_end_of_a_game_can_be_taken_back() {
    let mut history = History::new(Game::from_board(Rules::default(), 3, board("2 2/. .")));
    let before = history.game().clone();
    history.play(Action::Quit).unwrap();
    assert!(history.game().ending().is_some());
    history.undo().unwrap();
    assert_eq!(history.game(), &before);
    assert!(history.play(Action::Move(Left)).is_ok());
}
