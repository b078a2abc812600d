//! The player `sum` of the first source document: a tree that adds up the points of all futures.
//!
//! For each direction and each spawn it takes the points of the resulting board, times the
//! probability of a 2 or a 4. That is only the probability of the board's own spawn. It is not
//! multiplied along the path and not divided by the number of empty cells. The points of all levels
//! add up to the value of a direction at the root, and the direction with the most points wins. `F`
//! is the sum below a board and `G` the sum below an afterstate, `d` levels deep:
//!
//! ```text
//! F(board, d) = sum over the legal directions of G(afterstate, d)
//! G(after, d) = sum over the empty cells and over t = 2, 4 of
//!               chance(t) * points(board after t) + F(board after t, d - 1)
//! F(board, 0) = 0
//! ```
//!
//! Many nodes are the same board. `G` depends only on the afterstate and the level, so each is
//! computed once and its sum is reused. No node is left out and none gets a different weight. Only
//! the order of the additions differs from the full tree. (An evaluator may also use the score, but
//! on one level below one root the afterstate determines the score, see [`walk`](super::walk).) The
//! sums are equal up to rounding. Rounding must not decide between equal directions, as on a
//! symmetric board. So the first direction within a billionth of the maximum is chosen.
//!
//! A visited afterstate and an expanded board count as nodes. The boards whose points are added up
//! together with their afterstate do not.

use std::sync::Arc;

use super::limits::{CancelCheck, Meter, SearchLimits};
use super::share::{BoardMap, cell_bytes, map_room};
use super::tree::{ChanceSearch, ChanceStyle, Tree, TreeView, chance_tree};
use super::walk::{NewTile, Walk, packed_as_is, worth};
use crate::board::{Board, Direction, Packed};
use crate::eval::{Corner, Evaluator, SpawnSums, View};
use crate::game::{
    Action, Decision, DependsOn, GameStart, MoveValue, Player, PlayerError, PlayerFacts, Probability,
    Refusal, Situation, Unit,
};

/// Directions whose points differ by less than this share of the maximum are equal.
const TIE: f64 = 1e-9;

/// The depth of the tree and the memory for its sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumOptions {
    /// The number of moves to look ahead.
    pub depth: u32,
    /// The maximal memory for cached sums, in bytes. Sums that do not fit are computed again.
    pub table_bytes: usize,
    /// Ends a search whose result is no longer needed.
    pub cancel: CancelCheck,
}

/// The player `sum`.
pub struct Sum {
    points: Points,
    options: SumOptions,
    packed: Shared<Packed>,
    exact: Shared<Board>,
}

/// The source of a board's points.
enum Points {
    /// The evaluation of the document, which sums over all spawns at once.
    Corner(Box<Corner>),
    /// Any other evaluator, board by board.
    Any(Arc<dyn Evaluator>),
}

/// The cached sums: for each level, those of its afterstates.
type Shared<B> = Vec<BoardMap<<B as Walk>::After, f64>>;

impl Sum {
    /// The player of the document.
    pub fn with_corner(corner: Corner, options: SumOptions) -> Sum {
        Sum::new(Points::Corner(Box::new(corner)), options)
    }

    /// The same tree with another evaluator.
    pub fn with_evaluator(evaluator: Arc<dyn Evaluator>, options: SumOptions) -> Sum {
        Sum::new(Points::Any(evaluator), options)
    }

    fn new(points: Points, options: SumOptions) -> Sum {
        Sum { points, options, packed: Vec::new(), exact: Vec::new() }
    }

    /// The tree for drawing, with the `top` largest branches of each node.
    pub(crate) fn tree(&mut self, situation: &Situation<'_>, top: usize) -> Result<Tree, PlayerError> {
        let Situation { board, score, four, .. } = *situation;
        let view = TreeView::whole(self.options.depth, top);
        chance_tree(&mut Drawn { sum: self, four, before: score }, board, score, four, view)
    }

    fn evaluator(&self) -> &dyn Evaluator {
        match &self.points {
            Points::Corner(corner) => &**corner,
            Points::Any(evaluator) => &**evaluator,
        }
    }

    /// The points of each direction, and the number of nodes.
    fn points(
        &mut self,
        board: &Board,
        score: u64,
        four: Probability,
        depth: u32,
    ) -> ([Option<f64>; 4], u64) {
        self.points_since(score, board, score, four, depth)
    }

    /// The same below the root of a tree that started with the score `before`.
    fn points_since(
        &mut self,
        before: u64,
        board: &Board,
        score: u64,
        four: Probability,
        depth: u32,
    ) -> ([Option<f64>; 4], u64) {
        let SumOptions { table_bytes, cancel, .. } = self.options;
        let plan = SumPlan { depth, four, table_bytes, cancel };
        let packed = packed_as_is(board, depth);
        // The sums for the other board representation are dropped to free memory.
        match packed {
            Some(_) => self.exact.clear(),
            None => self.packed.clear(),
        }
        let beside = cell_bytes(board.size());
        match (&self.points, packed) {
            (Points::Corner(corner), Some(packed)) => {
                let sums = |after: &_, _| corner.spawn_sums_packed(*after);
                Adding::new(sums, plan, 0, &mut self.packed).root(&packed, score)
            }
            (Points::Corner(corner), None) => {
                let sums = |after: &_, score| corner.spawn_sums(&View::of_after(after, score));
                Adding::new(sums, plan, beside, &mut self.exact).root(board, score)
            }
            (Points::Any(evaluator), Some(packed)) => {
                let sums = |after: &_, now| one_by_one::<Packed>(&**evaluator, after, now, before);
                Adding::new(sums, plan, 0, &mut self.packed).root(&packed, score)
            }
            (Points::Any(evaluator), None) => {
                let sums = |after: &_, now| one_by_one::<Board>(&**evaluator, after, now, before);
                Adding::new(sums, plan, beside, &mut self.exact).root(board, score)
            }
        }
    }
}

/// The sums over all spawns for an evaluator that must evaluate each board.
fn one_by_one<B: Walk>(evaluator: &dyn Evaluator, after: &B::After, score: u64, before: u64) -> SpawnSums {
    let sum = |tile| B::spawned(after, tile).map(|board| worth(evaluator, &board, score, before)).sum();
    SpawnSums { two: sum(NewTile::Two), four: sum(NewTile::Four) }
}

/// The parameters of one search.
#[derive(Clone, Copy)]
struct SumPlan {
    depth: u32,
    four: Probability,
    table_bytes: usize,
    cancel: CancelCheck,
}

/// One search.
struct Adding<'a, B: Walk, S> {
    sums: S,
    plan: SumPlan,
    tiles: &'static [NewTile],
    shared: &'a mut Shared<B>,
    /// The number of sums that can still be cached.
    room: usize,
    meter: Meter,
}

impl<'a, B: Walk, S: Fn(&B::After, u64) -> SpawnSums> Adding<'a, B, S> {
    /// `beside` is the heap memory of an afterstate in bytes.
    fn new(sums: S, plan: SumPlan, beside: usize, shared: &'a mut Shared<B>) -> Self {
        let room = map_room::<B::After, f64>(plan.table_bytes, beside);
        let limits = SearchLimits { cancel: plan.cancel, ..SearchLimits::default() };
        let meter = Meter::new(&limits, u64::MAX);
        Adding { sums, plan, tiles: NewTile::possible(plan.four), shared, room, meter }
    }

    fn root(mut self, board: &B, score: u64) -> ([Option<f64>; 4], u64) {
        let depth = self.plan.depth;
        // Every search fills the levels differently. The unused slots of several searches must not
        // add up.
        if self.shared.iter().map(BoardMap::capacity).sum::<usize>() > self.room / 4 {
            self.shared.clear();
        }
        self.shared.iter_mut().for_each(BoardMap::clear);
        self.shared.resize_with(depth as usize, BoardMap::default);
        self.meter.visit(1);
        let values = Direction::ALL.map(|direction| {
            let (after, reward) = board.slide(direction)?;
            Some(self.below_after(&after, score.saturating_add(reward), depth))
        });
        (values, self.meter.counts().nodes)
    }

    /// `F` of the module docs.
    fn below_board(&mut self, board: &B, score: u64, depth: u32) -> f64 {
        self.meter.visit(1);
        let mut sum = 0.0;
        for direction in Direction::ALL {
            if let Some((after, reward)) = board.slide(direction) {
                sum += self.below_after(&after, score.saturating_add(reward), depth);
            }
        }
        sum
    }

    /// `G` of the module docs.
    fn below_after(&mut self, after: &B::After, score: u64, depth: u32) -> f64 {
        self.meter.visit(1);
        let level = depth as usize - 1;
        if let Some(&sum) = self.shared[level].get(after) {
            return sum;
        }
        let SpawnSums { two, four } = (self.sums)(after, score);
        let chance = self.plan.four.get();
        let mut sum = (1.0 - chance) * two + chance * four;
        if depth > 1 {
            for &tile in self.tiles {
                for board in B::spawned(after, tile) {
                    sum += self.below_board(&board, score, depth - 1);
                }
            }
        }
        // If the memory is used up, cached sums stay and the others are computed again.
        if self.room > 0 && self.shared[level].try_reserve(1).is_ok() {
            self.room -= 1;
            self.shared[level].insert(after.clone(), sum);
        }
        sum
    }
}

/// The first direction that has the most points up to rounding.
fn first_of_most(values: [MoveValue; 4]) -> Option<Direction> {
    let values = values.map(MoveValue::worth);
    let most = values.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
    let is_most = |value: f64| value == most || value >= most - TIE * most.abs();
    let legal = || Direction::ALL.into_iter().filter(|direction| values[direction.index()].is_some());
    // NaN is never the maximum, but there must be a move anyway.
    legal().find(|direction| values[direction.index()].is_some_and(is_most)).or(legal().next())
}

/// The search behind a drawn tree. The value of a board is what it adds to the sum of its
/// afterstate. If all branches are drawn, their values add up.
struct Drawn<'a> {
    sum: &'a mut Sum,
    four: Probability,
    /// The score at the root.
    before: u64,
}

impl ChanceSearch for Drawn<'_> {
    fn style(&self) -> ChanceStyle {
        ChanceStyle::Sum
    }

    fn unit(&self) -> Unit {
        Unit::Preference
    }

    fn values(
        &mut self,
        board: &Board,
        score: u64,
        depth: u32,
        _: f64,
    ) -> Result<[MoveValue; 4], PlayerError> {
        let (points, _) = self.sum.points_since(self.before, board, score, self.four, depth);
        Ok(points.map(MoveValue::if_legal))
    }

    fn worth(
        &mut self,
        board: &Board,
        score: u64,
        appeared: Option<u64>,
        values: [MoveValue; 4],
        _: u32,
    ) -> MoveValue {
        let chance = match appeared {
            None => 0.0,
            Some(2) => 1.0 - self.four.get(),
            Some(_) => self.four.get(),
        };
        let own = chance * worth(self.sum.evaluator(), board, score, self.before);
        MoveValue::Worth(own + values.into_iter().filter_map(MoveValue::worth).sum::<f64>())
    }

    fn chosen(&self, values: [MoveValue; 4]) -> Option<Direction> {
        first_of_most(values)
    }
}

impl Player for Sum {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.evaluator().accepts(game.board)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let Situation { board, score, four, .. } = *situation;
        let (values, nodes) = self.points(board, score, four, self.options.depth);
        let values = values.map(MoveValue::if_legal);
        let best = first_of_most(values).ok_or_else(PlayerError::no_move)?;
        let action = Action::Move(best);
        Ok(Decision { values, depth: self.options.depth, nodes, ..Decision::of(action) })
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = self.evaluator().fingerprint().into();
        let depends_on = DependsOn::board_if(!self.evaluator().reads_score());
        PlayerFacts { depends_on, fingerprint, ..PlayerFacts::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Symmetry, parse_board};
    use crate::eval::testing::{STARTS, assert_chosen, assert_close, boards_from, turned};
    use crate::eval::{CornerWeights, Judges, Product, Rows, RowsWeights};
    use crate::game::{Game, Rules};
    use crate::search::share::tests::map_bytes;

    const OPTIONS: SumOptions =
        SumOptions { depth: 2, table_bytes: 1 << 20, cancel: CancelCheck::new(|| ()) };

    /// The full tree of the document: every board is a node, and nothing is shared.
    fn written_out(
        points: &dyn Fn(&Board, u64) -> f64,
        board: &Board,
        score: u64,
        four: f64,
        depth: u32,
    ) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| {
            let slid = board.slide(direction).unwrap()?;
            let score = score + slid.reward;
            let mut sum = 0.0;
            for cell in slid.after.empty_cells() {
                for (tile, chance) in
                    [(2, 1.0 - four), (4, four)].into_iter().filter(|(_, chance)| *chance > 0.0)
                {
                    let board = slid.after.spawn(cell, tile).unwrap();
                    sum += chance * points(&board, score);
                    if depth > 1 {
                        let below = written_out(points, &board, score, four, depth - 1);
                        sum += below.into_iter().flatten().sum::<f64>();
                    }
                }
            }
            Some(sum)
        })
    }

    fn assert_same(values: [Option<f64>; 4], others: [Option<f64>; 4]) {
        for (value, other) in values.into_iter().zip(others) {
            assert_eq!(value.is_some(), other.is_some());
            assert_close(value.unwrap_or(0.0), other.unwrap_or(0.0));
        }
    }

    /// Asserts that the player takes the move of the full tree. Returns whether the full tree has
    /// one best move.
    fn assert_same_move(sum: &mut Sum, board: &Board, score: u64, four: f64, slow: [Option<f64>; 4]) -> bool {
        let game = Game::from_board(Rules { four: chance(four), ..Rules::default() }, 1, board.clone());
        let decision = sum.choose(&Situation { score, ..Situation::with_future(&game) });
        let most = slow.into_iter().flatten().map(f64::abs).reduce(f64::max);
        assert_eq!(decision.is_ok(), most.is_some());
        let tolerance = 2.0 * TIE * most.unwrap_or_default();
        decision.is_ok_and(|decision| assert_chosen(decision.action, slow, tolerance))
    }

    fn corner() -> Corner {
        Corner::new(CornerWeights::default())
    }

    fn chance(four: f64) -> Probability {
        Probability::new(four).unwrap()
    }

    #[test]
    fn the_sums_are_those_of_the_tree_written_out() {
        let corner = corner();
        let points = |board: &Board, score| corner.evaluate(&View::of_board(board, score));
        let mut decided = 0;
        for (start, depth, count) in [
            (STARTS[0], 2, 30),
            (STARTS[1], 3, 8),
            (STARTS[2], 2, 30),
            (STARTS[3], 2, 30),
            ("2 0/0 4", 5, 10),
        ] {
            for (index, board) in boards_from(start, count).iter().enumerate() {
                let four = [0.1, 0.0, 1.0, 0.37][index % 4];
                let slow = written_out(&points, board, 10, four, depth);
                for table_bytes in [OPTIONS.table_bytes, 0, 2000] {
                    let mut sum =
                        Sum::with_corner(corner.clone(), SumOptions { depth, table_bytes, ..OPTIONS });
                    assert_same(sum.points(board, 10, chance(four), depth).0, slow);
                    decided += u32::from(assert_same_move(&mut sum, board, 10, four, slow));
                }
            }
        }
        assert!(decided > 150, "usually one direction has the most points: {decided}");
    }

    #[test]
    fn other_evaluators_are_asked_board_by_board_with_the_score_on_the_way() {
        let points = |board: &Board, score| Product.evaluate(&View::of_board(board, score));
        let mut sum = Sum::with_evaluator(Arc::new(Product), OPTIONS);
        for start in [STARTS[0], STARTS[2]] {
            for board in boards_from(start, 20) {
                let slow = written_out(&points, &board, 77, 0.1, 2);
                assert_same(sum.points(&board, 77, Probability::TENTH, 2).0, slow);
                assert_same_move(&mut sum, &board, 77, 0.1, slow);
            }
        }
    }

    #[test]
    fn an_evaluator_of_afterstates_is_asked_about_the_best_move() {
        let rows = Rows::new(RowsWeights::default());
        assert_eq!(rows.judges(), Judges::Afterstates);
        let points = |board: &Board, _| {
            let moves = board.legal_moves();
            let value = |direction| {
                rows.evaluate(&View::of_after(&board.slide(direction).unwrap().unwrap().after, 0))
            };
            moves
                .iter()
                .map(value)
                .reduce(f64::max)
                .unwrap_or_else(|| rows.evaluate_lost(&View::of_board(board, 0)))
        };
        let mut sum = Sum::with_evaluator(Arc::new(rows.clone()), OPTIONS);
        for board in boards_from(STARTS[1], 20) {
            let slow = written_out(&points, &board, 0, 0.1, 2);
            assert_same(sum.points(&board, 0, Probability::TENTH, 2).0, slow);
            assert_same_move(&mut sum, &board, 0, 0.1, slow);
        }
    }

    #[test]
    fn turning_the_board_turns_the_values() {
        let mut sum = Sum::with_corner(corner(), OPTIONS);
        for start in &STARTS[..4] {
            for board in boards_from(start, 5) {
                let values = sum.points(&board, 0, Probability::TENTH, 2).0;
                for &symmetry in Symmetry::of(board.size()) {
                    let image = sum.points(&turned(&board, symmetry), 0, Probability::TENTH, 2).0;
                    let back = Direction::ALL.map(|direction| image[symmetry.direction(direction).index()]);
                    assert_same(values, back);
                }
            }
        }
    }

    #[test]
    fn equal_directions_are_decided_by_their_order() {
        // The board looks the same from all four sides. Rounding must not decide.
        let board = parse_board("0 0 0/0 8 0/0 0 0", None).unwrap();
        let game = Game::from_board(Rules::default(), 1, board);
        let decision = Sum::with_corner(corner(), OPTIONS).choose(&Situation::with_future(&game)).unwrap();
        assert_eq!(decision.action, Action::Move(Direction::Up));
    }

    #[test]
    fn a_board_without_moves_has_no_decision() {
        let board = parse_board("2 4/4 2", None).unwrap();
        let game = Game::from_board(Rules::default(), 1, board);
        assert!(Sum::with_corner(corner(), OPTIONS).choose(&Situation::with_future(&game)).is_err());
    }

    /// Alternates between packed and exact boards, and between depths.
    #[test]
    fn the_sums_of_all_searches_together_keep_to_the_memory() {
        let options = SumOptions { depth: 3, table_bytes: 40_000, ..OPTIONS };
        let mut sum = Sum::with_corner(corner(), options);
        let mut most = [0, 0];
        for start in [STARTS[0], STARTS[3], STARTS[0], STARTS[2], STARTS[1], STARTS[0]] {
            let board = parse_board(start, None).unwrap();
            for depth in [3, 2, 1, 3] {
                sum.points(&board, 0, Probability::TENTH, depth);
                let packed: usize = sum.packed.iter().map(|map| map_bytes(map, 0)).sum();
                let cells = board.size().cells() * size_of::<u64>();
                let exact: usize = sum.exact.iter().map(|map| map_bytes(map, cells)).sum();
                assert!(packed + exact <= options.table_bytes, "{packed} and {exact} for {board:?}");
                most = [most[0].max(packed), most[1].max(exact)];
            }
        }
        assert!(most[0] + most[1] > options.table_bytes, "either can use most of the memory: {most:?}");
    }

    #[test]
    fn sharing_saves_the_more_the_deeper_the_tree() {
        let board = parse_board(STARTS[0], None).unwrap();
        let nodes = |depth, table_bytes| {
            let mut sum = Sum::with_corner(corner(), SumOptions { depth, table_bytes, ..OPTIONS });
            sum.points(&board, 0, Probability::TENTH, depth).1 as f64
        };
        let saved = |depth| nodes(depth, 0) / nodes(depth, 1 << 25);
        assert!(saved(3) > 4.0 * saved(2), "{} and {}", saved(2), saved(3));
    }
}
