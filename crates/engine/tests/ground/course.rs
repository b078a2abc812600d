//! Tests of the rules of the course assignment. An idle move is a pass, after which a tile appears.
//! A full board ends the game only if the player passes or nothing can move.

use lab2048::board::Direction;
use lab2048::game::{Action, Ending, Game, History, IllegalTurn, Rules, Spawn};

use super::support::board;

#[test]
fn the_course_starts_with_two_twos() {
    for seed in 0..200 {
        let game = Game::new(Rules::COURSE, seed);
        let tiles: Vec<u64> = game.board().tiles().filter(|&tile| tile != 0).collect();
        assert_eq!(tiles, [2, 2], "seed {seed}");
        // The cells are the same as in the original game; only the values differ.
        let original = Game::new(Rules::ORIGINAL, seed);
        let same = game.board().tiles().zip(original.board().tiles()).all(|(a, b)| (a == 0) == (b == 0));
        assert!(same, "seed {seed}");
    }
}

#[test]
fn an_idle_move_is_a_pass_and_gets_a_tile() {
    //   2 4        2 4
    //   . .   ->   . 2   after Left, which moves nothing
    let mut game = Game::from_board(Rules::COURSE, 1, board("2 4/. ."));
    let spawn = Spawn { cell: 3, tile: 2 };
    let turn = game.play_with(Action::Move(Direction::Left), |_| Some(spawn)).unwrap();
    assert_eq!((turn.action, turn.reward, turn.spawn), (Action::Pass, 0, Some(spawn)));
    assert_eq!((game.board(), game.score(), game.turns()), (&board("2 4/. 2"), 0, 1));
    assert_eq!(game.ending(), None);
}

#[test]
fn a_pass_is_the_same_as_an_idle_move() {
    let mut idle = Game::from_board(Rules::COURSE, 9, board("2 4 8/. . ."));
    let mut pass = idle.clone();
    assert_eq!(idle.play(Action::Move(Direction::Up)), pass.play(Action::Pass));
    assert_eq!(idle, pass);
}

#[test]
fn a_pass_on_a_full_board_ends_the_game() {
    // Left and Right would merge the 2-tiles. Up and Down do nothing, and the board is full.
    //   2 2
    //   4 8
    let full = Game::from_board(Rules::COURSE, 1, board("2 2/4 8"));
    for action in [Action::Pass, Action::Move(Direction::Up)] {
        let mut game = full.clone();
        let turn = game.play(action).unwrap();
        assert_eq!((turn.action, turn.reward, turn.spawn), (Action::Pass, 0, None));
        assert_eq!((game.ending(), game.board()), (Some(Ending::NoRoom), full.board()));
        assert_eq!(game.play(action), Err(IllegalTurn::Over(Ending::NoRoom)));
    }
    let mut game = full.clone();
    game.play(Action::Move(Direction::Left)).unwrap();
    assert_eq!(game.score(), 4, "a move that merges on a full board continues the game");
}

#[test]
fn a_pass_can_fill_the_last_cell_and_so_end_the_game() {
    let mut game = Game::from_board(Rules::COURSE, 1, board("2 4/8 ."));
    game.play_with(Action::Pass, |_| Some(Spawn { cell: 3, tile: 2 })).unwrap();
    assert_eq!(game.ending(), Some(Ending::NoMoves));
}

#[test]
fn passes_and_quits_can_be_taken_back_and_played_again() {
    let mut history = History::new(Game::from_board(Rules::COURSE, 4, board("2 4 ./. . .")));
    let turns =
        [Action::Move(Direction::Up), Action::Pass, Action::Quit].map(|action| history.play(action).unwrap());
    assert_eq!(turns.map(|turn| turn.action), [Action::Pass, Action::Pass, Action::Quit]);
    let end = history.game().clone();
    while history.undo().is_some() {}
    assert_eq!(history.game().turns(), 0);
    while history.redo().is_some() {}
    assert_eq!(history.game(), &end);
}

#[test]
fn under_the_original_rules_the_same_idle_move_is_refused() {
    let mut game = Game::from_board(Rules::ORIGINAL, 1, board("2 4/. ."));
    assert_eq!(game.play(Action::Move(Direction::Left)), Err(IllegalTurn::Idle(Direction::Left)));
}
