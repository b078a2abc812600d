//! Practice: positions to play, judged move by move.

use std::sync::Arc;

use lab2048::board::{Board, Direction, Symmetry};
use lab2048::solve::{Goal, Outcome, Place, Practice, PracticeError, Table, draw_position};

use super::support::{TENTH, board, endgame, on_board, table, tile};

/// Six free cells.
fn ten_walls() -> Arc<Table> {
    table(&endgame("0,1,2,3,7,6,5,4,8,9", 32, Place::Beside))
}

/// The target slides into the inner wall and merges with it, so the board does not show it.
#[test]
fn a_target_that_merges_with_the_inner_wall_at_once_is_made() {
    const TRANSPOSE: Symmetry = Symmetry { transpose: true, ..Symmetry::IDENTITY };
    let table = ten_walls();
    let row = board("16384 8192 4096 2048/128 256 512 1024/64 32 . 32/2 . . .").to_grid();
    for (symmetry, played) in [(Symmetry::IDENTITY, Direction::Left), (TRANSPOSE, Direction::Up)] {
        let start = Board::from_grid(row.transformed(symmetry)).unwrap();
        let exact = table.judge(&start, TENTH).unwrap().unwrap();
        assert_eq!(exact.makes.iter().collect::<Vec<_>>(), [played]);
        let mut practice = Practice::new(Arc::clone(&table), start, 1).unwrap();
        assert_eq!(practice.play(played).unwrap().kept, 1.0);
        assert_eq!(practice.outcome(), Outcome::Made);
        assert!(!table.game().is_made(practice.game().board()), "the two tiles have merged");
    }
}

/// Plays the best move until the end.
fn played_best(table: &Arc<Table>, seed: u64) -> Practice {
    let start = draw_position(table, seed, 0.3..=0.9).unwrap().unwrap();
    let mut practice = Practice::new(Arc::clone(table), start, seed).unwrap();
    while practice.outcome() == Outcome::Open {
        let best = practice.exact().best_direction().unwrap();
        let judged = practice.play(best).unwrap();
        assert_eq!((judged.kept, judged.played), (judged.before, judged.best));
    }
    practice
}

#[test]
fn best_moves_keep_everything_and_make_the_tile_as_often_as_the_table_says() {
    for table in [ten_walls(), table(&on_board("2x3", tile(64)))] {
        let (mut made, mut expected, games) = (0.0, 0.0, 300);
        for seed in 0..games {
            let practice = played_best(&table, seed);
            assert_eq!((practice.kept_share(), practice.mistakes().len()), (1.0, 0));
            expected += practice.moves()[0].before;
            let last = practice.game().board();
            match practice.outcome() {
                Outcome::Made => {
                    made += 1.0;
                    assert!(last.tiles().any(|tile| tile == table.game().target().unwrap()), "{last:?}");
                }
                Outcome::Over => {
                    let exact = table.judge(last, TENTH).unwrap();
                    assert!(exact.is_none_or(|exact| exact.best() == 0.0), "nothing can be won\n{last:?}");
                }
                Outcome::Open => unreachable!("it was played to the end"),
            }
        }
        // Four standard deviations of 300 games are at most 0.5 * 4 * sqrt(300) = 35.
        assert!(f64::abs(made - expected) < 35.0, "{made} for {expected}");
        assert!(made > 50.0 && made < 280.0, "{made}");
    }
}

#[test]
fn points_are_practised_until_the_game_is_over() {
    let table = table(&on_board("2x2", Goal::Score));
    let start = draw_position(&table, 3, 20.0..=80.0).unwrap().unwrap();
    let mut practice = Practice::new(table, start, 3).unwrap();
    while practice.outcome() == Outcome::Open {
        let best = practice.exact().best_direction().unwrap();
        practice.play(best).unwrap();
    }
    assert_eq!(practice.kept_share(), 1.0);
    let last = practice.game().board();
    assert!(!last.has_moves() || practice.outcome() == Outcome::Over, "{last:?}");
}

#[test]
fn a_wrong_move_is_reported() {
    let table = ten_walls();
    // A position on which another move keeps something, but less.
    let (start, wrong) = (0..500)
        .find_map(|seed| {
            let start = draw_position(&table, seed, 0.5..=1.0).unwrap()?;
            let exact = table.judge(&start, TENTH).unwrap()?;
            let is_worse = |value: f64| value > 0.0 && value < 0.9 * exact.best();
            let wrong = Direction::ALL.into_iter().find(|&way| is_worse(exact.value(way)))?;
            Some((start, wrong))
        })
        .unwrap();
    let exact = table.judge(&start, TENTH).unwrap().unwrap();
    let mut practice = Practice::new(table, start.clone(), 1).unwrap();
    let judged = practice.play(wrong).unwrap().clone();
    assert_eq!((&judged.board, judged.played), (&start, wrong));
    assert_eq!((judged.before, judged.kept), (exact.best(), exact.value(wrong)));
    assert_eq!(exact.value(judged.best), exact.best());
    assert!((judged.share() - judged.kept / judged.before).abs() < 1e-12 && judged.share() < 0.9);
    assert!((judged.lost() - (judged.before - judged.kept)).abs() < 1e-12);
    // The rest is played well, so the product is the share of this move.
    while practice.outcome() == Outcome::Open {
        let best = practice.exact().best_direction().unwrap();
        practice.play(best).unwrap();
    }
    assert_eq!(practice.mistakes(), [&judged]);
    assert_eq!(practice.kept_share(), judged.share());
}

/// A move that shifts a wall keeps nothing and ends the practice.
#[test]
fn a_move_that_shifts_a_wall_ends_it() {
    let table = ten_walls();
    // Down shifts the first four columns of walls.
    let start = board("16384 8192 4096 2048/128 256 512 1024/64 32 2 ./2 . 4 8");
    let mut practice = Practice::new(table, start, 1).unwrap();
    assert!(practice.play(Direction::Down).is_ok());
    let judged = &practice.moves()[0];
    assert!(judged.kept == 0.0 && judged.before > 0.0, "{judged:?}");
    assert_eq!((practice.outcome(), practice.kept_share()), (Outcome::Over, 0.0));
    // Nothing more can be played.
    for direction in Direction::ALL {
        assert!(matches!(practice.play(direction), Err(PracticeError::Unknown(_))));
    }
    assert_eq!(practice.moves().len(), 1);
}

#[test]
fn an_illegal_move_is_refused_and_changes_nothing() {
    let table = ten_walls();
    let start = board("16384 8192 4096 2048/128 256 512 1024/64 32 2 4/8 2 . .");
    let mut practice = Practice::new(table, start.clone(), 1).unwrap();
    let (exact, illegal) = (*practice.exact(), Direction::Left);
    assert!(matches!(practice.play(illegal), Err(PracticeError::Turn(_))));
    assert_eq!((practice.game().board(), practice.exact(), practice.moves()), (&start, &exact, &[][..]));
    assert_eq!(practice.outcome(), Outcome::Open);
}

#[test]
fn boards_that_cannot_be_won_are_refused() {
    let table = ten_walls();
    for picture in [
        // Full, without a move.
        "16384 8192 4096 2048/128 256 512 1024/64 32 2 4/2 4 8 2",
        // The target is made.
        "16384 8192 4096 2048/128 256 512 1024/64 32 32 ./2 . . .",
        // No walls.
        "2 . . ./. . . ./. . . ./. . . 2",
    ] {
        assert_eq!(table.judge(&board(picture), TENTH).unwrap(), None, "{picture}");
        let refused = Practice::new(Arc::clone(&table), board(picture), 1).unwrap_err();
        let expected = "the table walls-0123765489-32 does not know this board, or the board cannot be won";
        assert_eq!(refused.to_string(), expected);
    }
    let small = board("2 2/. .");
    assert_eq!(table.judge(&small, TENTH).unwrap(), None);
    let refused = Practice::new(table, small, 1).unwrap_err();
    assert_eq!(refused.to_string(), "the table walls-0123765489-32 is of a board of 4x4, not 2x2");
}

#[test]
fn drawn_positions_lie_in_the_range_and_follow_the_seed() {
    for (table, ranges) in [
        (ten_walls(), [0.0..=1.0, 0.2..=0.4, 0.9..=0.99]),
        (table(&on_board("2x3", Goal::Score)), [0.0..=1e6, 100.0..=150.0, 300.0..=400.0]),
    ] {
        for range in ranges {
            let drawn: Vec<_> = (0..40)
                .map(|seed| {
                    let start = draw_position(&table, seed, range.clone()).unwrap().unwrap();
                    let exact = table.judge(&start, TENTH).unwrap().unwrap();
                    assert!(exact.best() > 0.0 && range.contains(&exact.best()), "{range:?} {exact:?}");
                    assert_eq!(draw_position(&table, seed, range.clone()).unwrap().as_ref(), Some(&start));
                    start
                })
                .collect();
            let different: std::collections::HashSet<_> = drawn.iter().collect();
            assert!(different.len() > 15, "{} of {range:?}", different.len());
        }
    }
}

#[test]
fn a_range_without_positions_gives_none() {
    let table = ten_walls();
    assert_eq!(draw_position(&table, 1, 2.0..=3.0).unwrap(), None);
    #[allow(clippy::reversed_empty_ranges)]
    let empty = 0.9..=0.1;
    assert_eq!(draw_position(&table, 1, empty).unwrap(), None);
}
