//! Compares the searches with a naive twin and with each other, and checks their invariants.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::*;
use crate::arena;
use crate::board::{Board, Direction, Grid, Size, Symmetry, parse_board};
use crate::eval::testing::assert_chosen;
use crate::eval::{Evaluator, FastEvaluator, Judges, Neighbours, Product, Rows, RowsWeights, Smooth, View};
use crate::game::{Action, Game, Player, Probability, Rules, Situation, Stream, Turn, outcomes};

mod large;
mod limits;
mod pauses;

/// A plain evaluator with a configurable kind and unit. It uses every cell and the score.
struct Plain {
    judges: Judges,
    unit: Unit,
}

impl Evaluator for Plain {
    fn judges(&self) -> Judges {
        self.judges
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn lost(&self, value: f64) -> f64 {
        value - 5.0
    }

    fn evaluate(&self, view: &View) -> f64 {
        let cells = view.tiles().iter().enumerate();
        let places: f64 = cells.map(|(cell, &tile)| (cell as f64 + 1.0).sqrt() * tile as f64).sum();
        places + 0.25 * view.score() as f64
    }
}

fn plain(judges: Judges, unit: Unit) -> Arc<dyn Evaluator> {
    Arc::new(Plain { judges, unit })
}

fn fast<E: FastEvaluator + 'static>(evaluator: Arc<E>, options: ExpectimaxOptions) -> FastExpectimax<E> {
    FastExpectimax::new(evaluator, options).unwrap()
}

fn rows() -> Arc<Rows> {
    Arc::new(Rows::new(RowsWeights::default()))
}

/// The board with these tiles, rows separated by slashes.
fn board(text: &str) -> Board {
    parse_board(text, None).unwrap()
}

/// Games after some random moves.
fn positions(size: Size, count: u64) -> Vec<Game> {
    let rules = Rules { size, ..Rules::ORIGINAL };
    let position = |seed: u64| {
        let mut game = Game::new(rules.clone(), seed);
        let luck = Stream::player(seed);
        let wanted = luck.below(u64::MAX, 25 * size.cells() / 4) as u64;
        while game.turns() < wanted {
            let legal = game.board().legal_moves();
            let direction = legal.nth(luck.below(game.turns(), legal.len())).unwrap();
            let mut next = game.clone();
            next.play(Action::Move(direction)).unwrap();
            if next.ending().is_some() {
                break;
            }
            game = next;
        }
        game
    };
    (0..count).map(position).collect()
}

/// Expectimax by its definition, without optimisations. Returns the values and the number of nodes.
fn naive(game: &Game, evaluator: &dyn Evaluator, options: &ExpectimaxOptions) -> ([Option<f64>; 4], u64) {
    struct Naive<'a> {
        evaluator: &'a dyn Evaluator,
        four: Probability,
        cut: f64,
        fours: u32,
        nodes: u64,
    }
    impl Naive<'_> {
        fn values(&mut self, board: &Board, score: u64, moves_left: u32, chance: f64) -> [Option<f64>; 4] {
            self.nodes += 1;
            Direction::ALL.map(|direction| {
                let slid = board.slide(direction).unwrap()?;
                self.nodes += 1;
                let score = score + slid.reward;
                let reward = if self.evaluator.unit() == Unit::Points { slid.reward as f64 } else { 0.0 };
                if moves_left == 0 && self.evaluator.judges() == Judges::Afterstates {
                    return Some(reward + self.evaluator.evaluate(&View::of_after(&slid.after, score)));
                }
                let mut value = reward;
                for outcome in outcomes(&slid.after, self.four) {
                    let board = slid.after.spawn(outcome.spawn.cell, outcome.spawn.tile).unwrap();
                    let chance = chance * outcome.probability;
                    let below = if moves_left == 0 {
                        self.nodes += 1;
                        board.has_moves().then(|| self.evaluator.evaluate(&View::of_board(&board, score)))
                    } else {
                        let cost = if outcome.spawn.tile == 4 { self.fours } else { 1 };
                        let further =
                            if chance < self.cut || moves_left < cost { 0 } else { moves_left - cost };
                        let values = self.values(&board, score, further, chance);
                        values.into_iter().flatten().reduce(f64::max)
                    };
                    let lost = || self.evaluator.evaluate_lost(&View::of_board(&board, score));
                    value += outcome.probability * below.unwrap_or_else(lost);
                }
                Some(value)
            })
        }
    }
    let ExpectimaxOptions { cut, fours, .. } = *options;
    let mut naive = Naive { evaluator, four: game.rules().four, cut, fours, nodes: 0 };
    let depth = options.limits.depth.unwrap();
    let values = naive.values(game.board(), game.score(), depth - 1, 1.0);
    (values, naive.nodes)
}

fn assert_close(found: [MoveValue; 4], expected: [Option<f64>; 4], tolerance: f64, what: &str) {
    assert_closer(found, expected, tolerance, 1.0, what);
}

/// The tables of `rows` hold integer multiples of a fraction of the largest value of a line. The
/// error of a packed value is at most about that fraction, however small the value is.
fn assert_close_for_rows(found: [MoveValue; 4], expected: [Option<f64>; 4], what: &str) {
    assert_closer(found, expected, 1e-6, 1e5, what);
}

/// The maximal error of a packed value of `rows`, see [`assert_close_for_rows`].
fn rows_tolerance(values: [Option<f64>; 4]) -> f64 {
    1e-6 * values.into_iter().flatten().map(f64::abs).fold(1e5, f64::max)
}

/// Asserts that values are equal up to a tolerance, relative to their size but at least to `least`.
fn assert_closer(found: [MoveValue; 4], expected: [Option<f64>; 4], tolerance: f64, least: f64, what: &str) {
    for (found, expected) in found.into_iter().zip(expected.map(MoveValue::if_legal)) {
        match (found, expected) {
            (MoveValue::Worth(found), MoveValue::Worth(expected)) => {
                let scale = expected.abs().max(least);
                assert!((found - expected).abs() <= tolerance * scale, "{what}: {found}, not {expected}");
            }
            _ => assert_eq!(found, expected, "{what}"),
        }
    }
}

fn options(depth: u32, cut: f64, table_bytes: usize) -> ExpectimaxOptions {
    ExpectimaxOptions { cut, table_bytes, ..ExpectimaxOptions::with_depth(depth) }
}

#[test]
fn exact_boards_of_any_size_give_the_values_of_the_naive_twin() {
    let sizes = [(2, 2, 4), (2, 3, 4), (3, 3, 3), (3, 5, 2), (4, 4, 2), (8, 8, 1)];
    let (mut decided, mut all) = (0, 0);
    for (rows, cols, most_depth) in sizes {
        for (index, game) in positions(Size::new(rows, cols).unwrap(), 6).iter().enumerate() {
            for judges in [Judges::Boards, Judges::Afterstates] {
                for unit in [Unit::Points, Unit::Preference] {
                    let evaluator = plain(judges, unit);
                    let depth = 1 + index as u32 % most_depth;
                    let cut = [0.0, 0.02][index % 2];
                    let options = ExpectimaxOptions { fours: 1 + index as u32 % 3, ..options(depth, cut, 0) };
                    let (values, nodes) = naive(game, &*evaluator, &options);
                    let mut player = Expectimax::new(evaluator, options);
                    let decision = player.choose(&Situation::with_future(game)).unwrap();
                    assert_close(decision.values, values, 1e-12, "exact");
                    let largest = values.into_iter().flatten().map(f64::abs).fold(1.0, f64::max);
                    decided += u32::from(assert_chosen(decision.action, values, 1e-12 * largest));
                    all += 1;
                    assert_eq!((decision.nodes, decision.unit, decision.depth), (nodes, unit, depth));
                }
            }
        }
    }
    assert!(2 * decided > all, "usually one move is the best: {decided} of {all}");
}

#[test]
fn packed_boards_give_the_values_of_the_naive_twin() {
    let mut decided = 0;
    for (index, game) in positions(Size::FOUR, 20).iter().enumerate() {
        let depth = 1 + index as u32 % 3;
        let cut = [0.0, 0.004][index % 2];
        let options = ExpectimaxOptions { fours: 1 + index as u32 % 2, ..options(depth, cut, 0) };
        let (values, nodes) = naive(game, &*rows(), &options);
        let decision = fast(rows(), options).choose(&Situation::with_future(game)).unwrap();
        assert_close_for_rows(decision.values, values, "packed");
        decided += u32::from(assert_chosen(decision.action, values, rows_tolerance(values)));
        // From depth 3 on, afterstates that occur more than once in a layer are searched only once.
        assert!(decision.nodes == nodes || (decision.nodes < nodes && depth > 2));
    }
    assert!(decided > 10, "usually one move is the best: {decided} of 20");
}

#[test]
fn a_table_of_any_size_changes_no_value_while_nothing_is_cut() {
    for game in positions(Size::FOUR, 8) {
        let choose = |table_bytes| {
            let options =
                ExpectimaxOptions { fours: 1 + game.turns() as u32 % 2, ..options(4, 0.0, table_bytes) };
            fast(rows(), options).choose(&Situation::with_future(&game)).unwrap()
        };
        let without = choose(0);
        for bytes in [128, 1 << 14, 1 << 22] {
            let with = choose(bytes);
            assert_eq!(with.values, without.values);
            assert!(with.nodes < without.nodes || bytes == 128, "the table must save nodes");
        }
    }
    let mut saved = 0;
    for game in positions(Size::new(3, 3).unwrap(), 8) {
        let choose = |table_bytes| {
            let evaluator = plain(Judges::Boards, Unit::Points);
            let options =
                ExpectimaxOptions { fours: 1 + game.turns() as u32 % 2, ..options(4, 0.0, table_bytes) };
            Expectimax::new(evaluator, options).choose(&Situation::with_future(&game)).unwrap()
        };
        let (without, with) = (choose(0), choose(1 << 22));
        assert_eq!(with.values, without.values);
        saved += without.nodes - with.nodes;
    }
    assert!(saved > 0);
}

#[test]
fn one_player_decides_alike_whatever_it_saw_before() {
    let games = positions(Size::FOUR, 6);
    let mut player = fast(rows(), options(3, 0.001, 1 << 16));
    let first: Vec<_> =
        games.iter().map(|game| player.choose(&Situation::with_future(game)).unwrap()).collect();
    for (game, decision) in games.iter().zip(first).rev() {
        assert_eq!(player.choose(&Situation::with_future(game)).unwrap(), decision);
    }
}

/// A quick game bypasses the call for each move. The slow twin makes it.
#[test]
fn quick_games_are_those_that_are_played_move_by_move() {
    let mut player = fast(rows(), ExpectimaxOptions::with_depth(1));
    let mut compare = |game: Game, limits: &arena::GameLimits| {
        let (mut quick, mut slow) = (game.clone(), game);
        let result = arena::play_game(&mut quick, &mut player, limits).unwrap();
        let watch = |_: &Game, _: &Decision, _: &Turn| ControlFlow::<()>::Continue(());
        let watched = arena::play_watched(&mut slow, &mut player, limits, watch).unwrap();
        assert_eq!(ControlFlow::Continue(result), watched);
        assert_eq!(quick, slow);
        quick
    };
    let unlimited = arena::GameLimits::default();
    for seed in 0..30 {
        compare(Game::new(Rules::ORIGINAL, seed), &unlimited);
        let short = arena::GameLimits { max_moves: Some(1 + 2 * seed), until: None };
        assert_eq!(compare(Game::new(Rules::ORIGINAL, seed), &short).turns(), 1 + 2 * seed);
        let until = arena::GameLimits { max_moves: None, until: Some(128) };
        assert_eq!(compare(Game::new(Rules::ORIGINAL, seed), &until).board().largest(), 128);
    }
    // 32768 16384 8192 8192      A move along the row makes a second 16384, the next one a
    //   0     0     0    0       second 32768, and the next 65536. Packed boards end before
    //   0     0     0    0       that, the game does not.
    //   2     0     0    0
    let mut largest = 0;
    for seed in 0..30 {
        let near = board("32768 16384 8192 8192/0 0 0 0/0 0 0 0/2 0 0 0");
        largest =
            largest.max(compare(Game::from_board(Rules::ORIGINAL, seed, near), &unlimited).board().largest());
    }
    assert_eq!(largest, 65536);
    // More turns than one batch, other sizes, other rules, other tiles, and a score close to
    // overflow.
    let long = arena::GameLimits { max_moves: Some(300), until: None };
    let turns = (0..30).map(|seed| compare(Game::new(Rules::ORIGINAL, seed), &long).turns());
    assert_eq!(turns.max(), Some(300));
    compare(Game::new(Rules { size: Size::new(3, 3).unwrap(), ..Rules::ORIGINAL }, 1), &unlimited);
    compare(Game::new(Rules::COURSE, 1), &unlimited);
    compare(Game::from_board(Rules::ORIGINAL, 1, board("3 6 0 0/0 0 0 0/0 0 0 0/2 0 0 0")), &unlimited);
    let rich = Game::resumed(Rules::ORIGINAL, 1, board("2 2 0 0/0 0 0 0/0 0 0 0/4 0 0 0"), u64::MAX - 2, 7);
    assert!(compare(rich, &unlimited).ending().is_none(), "the game stops at the first merge");
    let full = board("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2");
    assert_eq!(compare(Game::from_board(Rules::ORIGINAL, 1, full), &unlimited).turns(), 0);
    assert!(fast(rows(), ExpectimaxOptions::with_depth(2)).quick().is_none());
}

#[test]
fn turning_a_position_turns_its_values() {
    for game in positions(Size::FOUR, 2) {
        let choose = |board: &Board| {
            let game = Game::from_board(Rules::ORIGINAL, 1, board.clone());
            fast(rows(), options(3, 0.0, 1 << 16)).choose(&Situation::with_future(&game)).unwrap().values
        };
        let values = choose(game.board());
        for symmetry in Symmetry::ALL {
            let grid = game.board().to_grid();
            let mut turned = vec![0; 16];
            for (cell, &tile) in grid.cells().iter().enumerate() {
                let (row, col) = symmetry.position(Size::FOUR, cell / 4, cell % 4);
                turned[4 * row + col] = tile;
            }
            let turned = choose(&Board::from_grid(Grid::from_cells(Size::FOUR, turned)).unwrap());
            let expected = Direction::ALL.map(|direction| turned[symmetry.direction(direction).index()]);
            assert_close(values, expected.map(MoveValue::worth), 1e-5, "turned");
        }
    }
}

/// Only 4s spawn. After a move to the left the 4 spawns next to a 2 and a 16, and the game is lost.
/// After a move to the right it spawns below a 4.
///
/// ```text
///  4  2  4  2
///  2  4  2  4
///  4  2  4  2
///  2  4  8  8
/// ```
#[test]
fn a_certain_loss_has_the_value_of_the_lost_board() {
    let rules = Rules { four: Probability::new(1.0).unwrap(), ..Rules::ORIGINAL };
    let game = Game::from_board(rules, 1, board("4 2 4 2/2 4 2 4/4 2 4 2/2 4 8 8"));
    let lost = rows().evaluate_lost(&View::of_board(&board("4 2 4 2/2 4 2 4/4 2 4 2/2 4 16 4"), 0));
    for depth in 2..5 {
        let fast = fast(rows(), options(depth, 0.0, 1 << 16)).choose(&Situation::with_future(&game)).unwrap();
        let exact = Expectimax::new(rows(), options(depth, 0.0, 1 << 16))
            .choose(&Situation::with_future(&game))
            .unwrap();
        for decision in [fast, exact] {
            assert_eq!(decision.action, Action::Move(Direction::Right));
            assert_close_for_rows([decision.values[Direction::Left.index()]; 4], [Some(lost); 4], "left");
        }
        let mut points = Expectimax::new(plain(Judges::Boards, Unit::Points), options(depth, 0.0, 0));
        let values = points.choose(&Situation::with_future(&game)).unwrap().values;
        assert_eq!(values[Direction::Left.index()], MoveValue::Worth(16.0), "no points follow the merge");
    }
}

/// Boards full of large tiles in no order, with the directions that always leave another move.
/// Every other direction always loses.
const SAFE: [(&str, &[Direction]); 4] = [
    ("16 32768 512 512/256 65536 131072 1024/8192 8 2048 32/16384 128 4096 64", &[Direction::Right]),
    (
        "4194304 2097152 1048576 524288 262144/8192 16384 32768 65536 131072/4096 2048 1024 512 2/4 32 4 0 4/16 8 32 8 32",
        &[Direction::Right, Direction::Left],
    ),
    (
        "8192 65536 1048576 128 262144/8 2097152 65536 524288 2097152/65536 8 262144 32 4096/2097152 64 128 65536 64/\
         1024 128 16 0 1048576",
        &[Direction::Right],
    ),
    (
        "8388608 256 128 8388608 4096 8388608/4194304 128 65536 2048 65536 262144/8 256 131072 2097152 1024 8192/\
         2097152 524288 0 1048576 524288 1048576/32 4096 512 2048 131072 256/8 262144 8 512 8192 2048",
        &[Direction::Down],
    ),
];

#[test]
fn a_way_on_is_better_than_a_certain_loss() {
    let evaluators: [Arc<dyn Evaluator>; 4] =
        [rows(), Arc::new(Smooth), Arc::new(Product), Arc::new(Neighbours)];
    for (text, safe) in SAFE {
        let is_safe =
            |decision: &Decision| safe.iter().any(|&direction| decision.action == Action::Move(direction));
        let game = Game::from_board(Rules::ORIGINAL, 1, board(text));
        for evaluator in &evaluators {
            // Just deep enough to see the spawns after the first move. After the next move every
            // game may be lost.
            let depth = if evaluator.judges() == Judges::Boards { 1 } else { 2 };
            let mut player = Expectimax::new(evaluator.clone(), options(depth, 0.0, 1 << 20));
            let decision = player.choose(&Situation::with_future(&game)).unwrap();
            assert!(is_safe(&decision), "{text}: {:?}", decision.values);
        }
        let decision = fast(rows(), options(2, 0.0, 0)).choose(&Situation::with_future(&game)).unwrap();
        assert!(is_safe(&decision), "{text}: {:?}", decision.values);
    }
}

#[test]
fn a_board_without_moves_is_refused() {
    let board = board("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2");
    let game = Game::from_board(Rules::ORIGINAL, 1, board);
    assert!(fast(rows(), ExpectimaxOptions::with_depth(2)).choose(&Situation::with_future(&game)).is_err());
    assert!(
        Expectimax::new(rows(), ExpectimaxOptions::with_depth(2))
            .choose(&Situation::with_future(&game))
            .is_err()
    );
}

#[test]
fn games_without_4_tiles_and_with_nothing_else_can_be_searched() {
    for four in [0.0, 1.0] {
        let rules = Rules { four: Probability::new(four).unwrap(), ..Rules::ORIGINAL };
        let game = Game::new(rules, 3);
        let (values, nodes) = naive(&game, &*rows(), &options(2, 0.0, 0));
        let decision = fast(rows(), options(2, 0.0, 0)).choose(&Situation::with_future(&game)).unwrap();
        assert_close_for_rows(decision.values, values, "one kind of spawn");
        assert_eq!(decision.nodes, nodes);
    }
}
