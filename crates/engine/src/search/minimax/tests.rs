//! Compares minimax with its plain twin.

use super::judge::lost;
use super::*;
use crate::board::{Direction, Symmetry, parse_board};
use crate::eval::testing::{STARTS, TenEach, boards_from, turned};
use crate::eval::{PositionEvaluator, PositionWeights, Product, Rows, RowsWeights, View};
use crate::game::{Action, Future, Game, Rules};

/// Plain minimax on exact boards, without pruning and without a table.
struct Plain<'a> {
    /// The value of a board, including the score gained since the root.
    value: &'a dyn Fn(&Board, u64) -> f64,
    tiles: &'a [u64],
}

impl Plain<'_> {
    fn values(&self, board: &Board, score: u64, turns: u32) -> [MoveValue; 4] {
        Direction::ALL.map(|direction| {
            let Some(slid) = board.slide(direction).unwrap() else { return MoveValue::Illegal };
            let spawns =
                slid.after.empty_cells().flat_map(|cell| self.tiles.iter().map(move |&tile| (cell, tile)));
            let boards = spawns.map(|(cell, tile)| slid.after.spawn(cell, tile).unwrap());
            let values = boards.map(|board| self.board(&board, score + slid.reward, turns - 1));
            match values.min_by(MoveValue::total_cmp).unwrap() {
                MoveValue::Lost { turns } => MoveValue::Lost { turns: turns + 1 },
                value => value,
            }
        })
    }

    fn board(&self, board: &Board, score: u64, turns: u32) -> MoveValue {
        if !board.has_moves() {
            return MoveValue::Lost { turns: 0 };
        }
        if turns == 0 {
            return MoveValue::Worth((self.value)(board, score));
        }
        self.values(board, score, turns).into_iter().max_by(MoveValue::total_cmp).unwrap()
    }
}

const NO_TABLE: usize = 0;
const TINY_TABLE: usize = 1 << 10;
const TABLE: usize = 1 << 20;

fn options(depth: u32, table_bytes: usize) -> MinimaxOptions {
    MinimaxOptions { table_bytes, ..MinimaxOptions::with_depth(depth) }
}

fn compare(
    make: &dyn Fn(MinimaxOptions) -> Minimax,
    value: &dyn Fn(&Board, u64) -> f64,
    cases: &[(&str, u32, usize)],
) {
    for &(start, turns, count) in cases {
        for (index, board) in boards_from(start, count).iter().enumerate() {
            let (four, tiles): (f64, &[u64]) = [(0.1, &[2, 4][..]), (0.0, &[2]), (1.0, &[4])][index % 3];
            let four = Probability::new(four).unwrap();
            let slow = Plain { value, tiles }.values(board, 100, turns);
            for bytes in [NO_TABLE, TINY_TABLE, TABLE] {
                let options = options(turns, bytes);
                let found = make(options).values(board, 100, four, &options);
                assert_eq!(found.values, slow, "{turns} turns on {board:?}");
                let game = Game::from_board(Rules { four, ..Rules::default() }, 1, board.clone());
                let situation = Situation { score: 100, ..Situation::with_future(&game) };
                let best = Decision::best_of(slow, Unit::Preference, turns, 0);
                let action = make(options).choose(&situation).ok().map(|decision| decision.action);
                assert_eq!(action, best.map(|best| best.action), "{turns} turns on {board:?}");
            }
        }
    }
}

#[test]
fn smooth_has_the_values_of_plain_minimax() {
    let value = |board: &Board, _| Smooth.evaluate(&View::of_board(board, 0));
    let cases = [
        (STARTS[0], 1, 100),
        (STARTS[0], 2, 20),
        (STARTS[1], 3, 6),
        (STARTS[2], 2, 10),
        (STARTS[3], 2, 10),
        ("2 0/0 4", 6, 20),
    ];
    compare(&|options| Minimax::with_smooth(options).unwrap(), &value, &cases);
}

#[test]
fn full_boards_are_searched_deeper() {
    // Few empty cells, near the end of a game, where lost positions decide.
    let value = |board: &Board, _| Smooth.evaluate(&View::of_board(board, 0));
    let ends = boards_from(STARTS[0], 3000).into_iter().filter(|board| board.empty_count() <= 1).take(40);
    let mut stuck = 0;
    for board in ends {
        let slow = Plain { value: &value, tiles: &[2, 4] }.values(&board, 0, 3);
        let options = options(3, TABLE);
        let found = Minimax::with_smooth(options).unwrap().values(&board, 0, Probability::TENTH, &options);
        assert_eq!(found.values, slow, "{board:?}");
        stuck += u32::from(slow.into_iter().any(|value| matches!(value, MoveValue::Lost { .. })));
    }
    assert!(stuck > 5, "some boards must be losing");
}

#[test]
fn an_evaluator_that_uses_the_score_has_the_values_of_plain_minimax() {
    let value = |board: &Board, score| Product.evaluate(&View::of_board(board, score));
    let make = |options| Minimax::with_evaluator(Arc::new(Product), options).unwrap();
    compare(&make, &value, &[(STARTS[0], 2, 10), (STARTS[1], 3, 6), ("2 0/0 4", 6, 10)]);
}

#[test]
fn points_made_on_the_way_are_added() {
    let value = |board: &Board, score| {
        let moves = board.legal_moves();
        let gain = |direction| {
            let slid = board.slide(direction).unwrap().unwrap();
            slid.reward as f64 + TenEach.evaluate(&View::of_after(&slid.after, 0))
        };
        (score - 100) as f64 + moves.iter().map(gain).fold(f64::NEG_INFINITY, f64::max)
    };
    let make = |options| Minimax::with_evaluator(Arc::new(TenEach), options).unwrap();
    compare(&make, &value, &[(STARTS[0], 2, 10), (STARTS[2], 2, 6), ("2 0/0 4", 6, 10)]);
}

#[test]
fn turning_the_board_turns_the_values() {
    let evaluators: [Arc<dyn Evaluator>; 3] = [
        Arc::new(Smooth),
        Arc::new(PositionEvaluator::new(PositionWeights::default())),
        Arc::new(Rows::new(RowsWeights::default())),
    ];
    for evaluator in evaluators {
        let options = options(2, TABLE);
        let mut minimax = Minimax::with_evaluator(evaluator, options).unwrap();
        for start in &STARTS[..4] {
            for board in boards_from(start, 4) {
                let values = minimax.values(&board, 0, Probability::TENTH, &options).values;
                for &symmetry in Symmetry::of(board.size()) {
                    let image =
                        minimax.values(&turned(&board, symmetry), 0, Probability::TENTH, &options).values;
                    for direction in Direction::ALL {
                        let (a, b) =
                            (values[direction.index()], image[symmetry.direction(direction).index()]);
                        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs();
                        let both = a.worth().zip(b.worth());
                        assert!(a == b || both.is_some_and(|(a, b)| close(a, b)), "{a:?} {b:?}");
                    }
                }
            }
        }
    }
}

/// Left makes room in the middle of the last column, where a 4 ends the game. Up merges the 8s.
///
/// ```text
///  8 16  8
///  .  4  2
///  8 32 64
/// ```
#[test]
fn a_lost_game_is_worse_than_anything() {
    let board = parse_board("8 16 8/0 4 2/8 32 64", None).unwrap();
    let options = options(1, TABLE);
    let mut minimax = Minimax::with_smooth(options).unwrap();
    let values = minimax.values(&board, 0, Probability::TENTH, &options).values;
    assert_eq!(values[Direction::Left.index()], MoveValue::Lost { turns: 1 });
    assert!(values[Direction::Up.index()].worth().unwrap() < 0.0);
    assert!(lost(1) < lost(0), "an earlier loss is worse");
}

#[test]
fn the_table_keeps_to_its_memory_whatever_boards_it_is_for() {
    let options = options(2, TABLE);
    let mut minimax = Minimax::with_smooth(options).unwrap();
    for start in [STARTS[0], STARTS[3], STARTS[4], STARTS[1], STARTS[0]] {
        let board = parse_board(start, None).unwrap();
        minimax.values(&board, 0, Probability::TENTH, &options);
        let Tables { packed, exact, .. } = &minimax.tables;
        let packed = packed.as_ref().map(|table| table.bytes(0));
        let exact = exact.as_ref().map(|(size, table)| table.bytes(cell_bytes(*size)));
        let bytes = packed.unwrap_or_default() + exact.unwrap_or_default();
        assert!((TABLE / 3..=TABLE).contains(&bytes), "{packed:?} and {exact:?} for {start}");
    }
}

#[test]
fn a_board_without_moves_has_no_decision() {
    let game = Game::from_board(Rules::default(), 1, parse_board("2 4/4 2", None).unwrap());
    assert!(Minimax::with_smooth(options(2, TABLE)).unwrap().choose(&Situation::with_future(&game)).is_err());
}

#[test]
fn limits_by_nodes_decide_how_deep_it_looks() {
    let board = boards_from(STARTS[0], 1).remove(0);
    let game = Game::from_board(Rules::default(), 1, board);
    let decision = |nodes, finish| {
        let options = MinimaxOptions { depth: None, nodes: Some(nodes), finish, ..options(1, TABLE) };
        Minimax::with_smooth(options).unwrap().choose(&Situation::with_future(&game)).unwrap()
    };
    let fixed = |depth| {
        Minimax::with_smooth(options(depth, TABLE)).unwrap().choose(&Situation::with_future(&game)).unwrap()
    };
    assert_eq!(decision(1, true).depth, 2, "the first level always completes");
    assert_eq!(decision(1, true).values, fixed(2).values);
    // One node more than the first level takes: the second level starts, and completes or is
    // aborted.
    let first = decision(1, true).nodes;
    let (finished, given_up) = (decision(first + 1, true), decision(first + 1, false));
    assert_eq!((finished.depth, finished.values), (3, fixed(3).values));
    assert_eq!((given_up.depth, given_up.values), (2, fixed(2).values));
    assert_eq!(decision(50_000, false), decision(50_000, false), "every run must be the same");
    assert!(matches!(finished.action, Action::Move(_)));
}

/// The same board can occur on two levels with different scores. A result of one level must not be
/// used on the next.
#[test]
fn deepening_comes_to_the_values_of_the_last_level() {
    let evaluators: [Arc<dyn Evaluator>; 3] = [Arc::new(Smooth), Arc::new(Product), Arc::new(TenEach)];
    for evaluator in evaluators {
        for start in [STARTS[0], STARTS[1], "2 0/0 4"] {
            for board in boards_from(start, 10) {
                let make = || Minimax::with_evaluator(evaluator.clone(), options(3, TABLE)).unwrap();
                let deepening = MinimaxOptions { first: 1, nodes: Some(u64::MAX), ..options(3, TABLE) };
                let fixed = options(3, NO_TABLE);
                let found = make().values(&board, 100, Probability::TENTH, &deepening);
                let plain = make().values(&board, 100, Probability::TENTH, &fixed);
                assert_eq!((found.values, found.turns), (plain.values, 3), "{board:?}");
            }
        }
    }
}

#[test]
fn a_matrix_of_another_size_is_refused_at_the_start() {
    let position = PositionEvaluator::with_matrix("1 2/3 4".parse().unwrap());
    let mut minimax = Minimax::with_evaluator(Arc::new(position), options(2, TABLE)).unwrap();
    let game = Game::new(Rules::default(), 1);
    let start = GameStart::of(&game, Future::Hidden);
    assert!(minimax.start(&start).unwrap_err().to_string().contains("2x2"));
}
