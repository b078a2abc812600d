//! Boards whose tiles do not fit a packed board.

use super::*;
use crate::board::PackedAfter;

/// A fast evaluator that downgrading does not affect: it sees only which cells are filled and which
/// tiles could merge.
struct Places;

impl Places {
    fn value(tiles: &[u64]) -> f64 {
        let equal = |a: usize, b: usize| tiles[a] != 0 && tiles[a] == tiles[b];
        let across = (0..16).filter(|cell| cell % 4 < 3 && equal(*cell, cell + 1));
        let down = (0..12).filter(|&cell| equal(cell, cell + 4));
        let pairs: usize =
            across.map(|cell| 3 + cell).sum::<usize>() + down.map(|cell| 5 + cell).sum::<usize>();
        let empty: usize = (0..16).filter(|&cell| tiles[cell] == 0).map(|cell| 40 + cell).sum();
        (pairs + empty) as f64
    }
}

impl Evaluator for Places {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn evaluate(&self, view: &View) -> f64 {
        Places::value(view.tiles())
    }
}

impl FastEvaluator for Places {
    fn evaluate_packed(&self, after: PackedAfter) -> f32 {
        Places::value(after.to_grid().cells()) as f32
    }
}

/// Boards on which a packed 32768 could meet another one, so that a packed search would miss their
/// merge. Some have two tiles of 32768 already, and some have larger tiles.
const LARGE: [&str; 8] = [
    "32768 16384 8192 8192/2 4 2 4/4 2 4 2/2 4 2 0",
    "32768 16384 16384 2/4 8 4 16/2 4 8 2/4 2 0 0",
    "32768 16384 8192 4096/4 8 64 4096/2 4 8 2/4 2 0 0",
    "32768 32768 2 4/4 8 4 16/2 4 8 2/4 2 4 0",
    "32768 16384 4096 4096/4 8 4096 4096/2 4 8 2/4 2 4 0",
    "65536 32768 16384 16384/4 8 4 16/2 4 8 2/4 2 4 0",
    "65536 65536 131072 2/4 8 4 16/2 4 8 2/4 2 4 0",
    "16384 16384 16384 16384/4 8 4 16/2 4 8 2/4 2 4 0",
];

#[test]
fn large_tiles_are_merged_as_on_exact_boards() {
    for text in LARGE {
        let game = Game::from_board(Rules::ORIGINAL, 1, board(text));
        for depth in 1..=4 {
            let options = options(depth, 0.0, 1 << 16);
            let fast_decision =
                fast(Arc::new(Places), options).choose(&Situation::with_future(&game)).unwrap();
            let exact =
                Expectimax::new(Arc::new(Places), options).choose(&Situation::with_future(&game)).unwrap();
            assert_close(fast_decision.values, exact.values.map(MoveValue::worth), 1e-5, text);
            assert!(
                packing::packed_or_lowered(game.board(), depth).is_some(),
                "{text}: the search must run on packed boards"
            );
            let by_rows = fast(rows(), options).choose(&Situation::with_future(&game)).unwrap();
            let exact = Expectimax::new(rows(), options).choose(&Situation::with_future(&game)).unwrap();
            assert_eq!(by_rows.action, exact.action, "{text}: {:?} and {:?}", by_rows.values, exact.values);
        }
    }
}

/// An evaluator in points that returns 0, so that only rewards count.
struct Nothing;

impl Evaluator for Nothing {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Points
    }

    fn evaluate(&self, _: &View) -> f64 {
        0.0
    }
}

impl FastEvaluator for Nothing {
    fn evaluate_packed(&self, _: PackedAfter) -> f32 {
        0.0
    }
}

#[test]
fn a_merge_of_tiles_that_were_lowered_counts_in_full() {
    for (text, reward) in [
        ("32768 32768 4 0/0 0 0 0/0 0 0 0/0 0 0 2", 65_536.0),
        ("1048576 1048576 4 0/0 0 0 0/0 0 0 0/0 0 0 2", 2_097_152.0),
        ("16384 16384 4 0/0 0 0 0/0 0 0 0/0 0 0 2", 32_768.0),
    ] {
        let game = Game::from_board(Rules::ORIGINAL, 1, board(text));
        let decision = fast(Arc::new(Nothing), ExpectimaxOptions::with_depth(1))
            .choose(&Situation::with_future(&game))
            .unwrap();
        assert_eq!(decision.values, [0.0, reward, 0.0, reward].map(MoveValue::Worth), "{text}");
        let deeper = fast(Arc::new(Nothing), ExpectimaxOptions::with_depth(2))
            .choose(&Situation::with_future(&game))
            .unwrap();
        assert!(
            deeper.values[Direction::Left.index()].worth().unwrap() >= reward,
            "{text}: {:?}",
            deeper.values
        );
    }
}

#[test]
fn each_depth_of_a_limited_search_is_packed_for_itself() {
    let limits = SearchLimits { nodes: Some(100_000), ..SearchLimits::default() };
    for text in LARGE {
        let game = Game::from_board(Rules::ORIGINAL, 1, board(text));
        let choose = |options| fast(rows(), options).choose(&Situation::with_future(&game)).unwrap();
        let decision = choose(ExpectimaxOptions { limits, ..ExpectimaxOptions::with_depth(1) });
        assert!(decision.depth > 3, "{text}");
        assert_eq!(decision.values, choose(ExpectimaxOptions::with_depth(decision.depth)).values, "{text}");
    }
}

#[test]
fn a_limited_search_that_could_not_look_far_on_packed_boards_looks_further_on_exact_ones() {
    // The board can be packed for depth 1. But two moves can make a second 32768, and no rank is
    // missing.
    let text = "32768 16384 16384 8192/512 1024 2048 4096/256 128 64 32/8 16 0 0";
    assert!(
        packing::packed_or_lowered(&board(text), 1).is_some()
            && packing::packed_or_lowered(&board(text), 3).is_none()
    );
    let game = Game::from_board(Rules::ORIGINAL, 1, board(text));
    let limits = SearchLimits { nodes: Some(100_000), ..SearchLimits::default() };
    let decision = fast(rows(), ExpectimaxOptions { limits, ..ExpectimaxOptions::with_depth(1) })
        .choose(&Situation::with_future(&game));
    assert!(decision.unwrap().depth >= 3);
}

#[test]
fn what_cannot_be_packed_is_searched_exactly() {
    let boards = [
        "2 4 8 16/32 64 128 256/512 1024 2048 4096/8192 16384 32768 0",
        "4 8 16 0/32 64 128 256/512 1024 2048 4096/8192 16384 32768 65536",
        "3 3 2 4/0 0 0 0/0 0 0 0/0 0 0 0",
    ];
    for (text, packable) in boards.into_iter().zip([true, false, false]) {
        let game = Game::from_board(Rules::ORIGINAL, 1, board(text));
        assert_eq!(packing::packed_or_lowered(game.board(), 2).is_some(), packable, "{text}");
        let decision = fast(rows(), options(2, 0.0, 0)).choose(&Situation::with_future(&game)).unwrap();
        let (values, _) = naive(&game, &*rows(), &options(2, 0.0, 0));
        assert_close_for_rows(decision.values, values, text);
    }
}
