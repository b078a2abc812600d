//! Positions and assertions for the tests of evaluators and searches.

use super::{Evaluator, Judges, View};
use crate::board::{Afterstate, Board, PackedAfter, Symmetry, parse_board};
use crate::game::{Action, Game, Rules, Stream, Unit};

/// Start boards of several shapes, one of them with tiles that are not powers of two.
pub(crate) const STARTS: [&str; 5] = [
    "2 0 0 0/0 0 0 0/0 0 2 0/0 0 0 0",
    "0 2 0/0 0 4/0 0 0",
    "0 0 2 0 0/0 0 0 0 0/0 4 0 0 0",
    "3 0 0 6/0 2 0 0/0 3 0 0/12 0 0 1",
    "2 0 0 0 0 0/0 4 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 8 0 0/0 0 0 0 0 0",
];

/// About `count` boards from random games from one start, from all phases of the games, including
/// the last board.
pub(crate) fn boards_from(start: &str, count: usize) -> Vec<Board> {
    let start = parse_board(start, None).expect("the start is a valid board");
    let mut boards = Vec::new();
    for seed in 0.. {
        let mut game = Game::from_board(Rules::default(), seed, start.clone());
        let luck = Stream::player(seed);
        while game.ending().is_none() {
            // Skip most boards, so that several games are needed.
            if luck.below(2 * game.turns(), 20) == 0 {
                boards.push(game.board().clone());
            }
            let legal = game.board().legal_moves();
            let direction = legal.nth(luck.below(2 * game.turns() + 1, legal.len()));
            game.play(Action::Move(direction.expect("the game is not over"))).expect("the move is legal");
        }
        boards.push(game.board().clone());
        if boards.len() >= count {
            return boards;
        }
    }
    unreachable!("games do not run out")
}

/// About `count` boards from each start.
pub(crate) fn boards(count: usize) -> Vec<Board> {
    STARTS.iter().flat_map(|start| boards_from(start, count)).collect()
}

/// The afterstates of all moves on those boards.
pub(crate) fn afterstates(count: usize) -> Vec<Afterstate> {
    let slide =
        |board: &Board, direction| board.slide(direction).expect("small tiles").map(|slid| slid.after);
    boards(count)
        .iter()
        .flat_map(|board| {
            board.legal_moves().iter().filter_map(|direction| slide(board, direction)).collect::<Vec<_>>()
        })
        .collect()
}

/// Packed afterstates with large and small ranks, and with many or few empty cells, but at least
/// one.
pub(crate) fn packed_afterstates(count: u64) -> impl Iterator<Item = PackedAfter> {
    let stream = Stream::with_purpose(1, 2);
    (0..count).map(move |n| {
        let draw = |k: u64| stream.draw(4 * n + k);
        let keep = draw(0) | if n % 3 == 0 { draw(1) } else { 0 };
        let small = if n % 2 == 0 { 0x3333_3333_3333_3333 } else { u64::MAX };
        let one_empty = !(0xf << (4 * (n % 16)));
        let bits = draw(2) & small & ((keep & 0x1111_1111_1111_1111) * 0xf) & one_empty;
        PackedAfter::from_bits(bits).expect("the bits are a valid afterstate")
    })
}

/// Points to come, judged on afterstates: ten points for each empty cell.
pub(crate) struct TenEach;

impl Evaluator for TenEach {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Points
    }

    fn evaluate(&self, view: &View) -> f64 {
        10.0 * view.tiles().iter().filter(|&&tile| tile == 0).count() as f64
    }
}

/// Asserts that the chosen move has the largest value that a slow twin found, up to a tolerance.
/// Returns whether it is the only such move.
#[track_caller]
pub(crate) fn assert_chosen(action: Action, slow: [Option<f64>; 4], tolerance: f64) -> bool {
    let Action::Move(direction) = action else { panic!("{action:?} is not a move") };
    let chosen = slow[direction.index()].expect("the move is legal");
    let most = slow.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
    assert!(chosen >= most - tolerance, "{direction:?} has {chosen}, the best {most}: {slow:?}");
    slow.into_iter().flatten().filter(|&value| value >= most - tolerance).count() == 1
}

/// Asserts that two values are equal up to rounding.
#[track_caller]
pub(crate) fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9), "{a} and {b}");
}

/// Asserts that a board has the same value as its images under all symmetries of its shape.
pub(crate) fn assert_turning_keeps_the_value(evaluator: &dyn Evaluator) {
    for board in boards(40) {
        let value = evaluator.evaluate(&View::of_board(&board, 1234));
        for &symmetry in Symmetry::of(board.size()) {
            let image = turned(&board, symmetry);
            assert_close(evaluator.evaluate(&View::of_board(&image, 1234)), value);
        }
    }
}

/// The image of a board.
pub(crate) fn turned(board: &Board, symmetry: Symmetry) -> Board {
    Board::from_grid(board.to_grid().transformed(symmetry)).expect("the image of a board is a valid board")
}
