//! Expectimax on exact boards of any size with any tiles, for any evaluator.

use std::sync::Arc;

use super::{Deepening, ExpectimaxOptions, decide};
use crate::board::{Afterstate, Board, Direction};
use crate::eval::{Evaluator, Judges, View};
use crate::game::{
    Decision, DependsOn, GameStart, MoveValue, Player, PlayerError, PlayerFacts, Probability, Refusal,
    Situation, Unit, outcomes,
};
use crate::search::limits::{Counts, Meter};
use crate::search::share::{BoardMap, cell_bytes, map_room};
use crate::search::tree::{ChanceSearch, ChanceStyle, Tree, TreeView, chance_tree};

/// The number of nodes between two readings of the clock: about ten microseconds with a slow
/// evaluator.
const CLOCK_INTERVAL: u64 = 32;

/// The key of a cached value: the afterstate, the score and the remaining moves.
type Key = (Afterstate, u64, u32);

/// The player that searches exact boards.
///
/// If the evaluator judges boards, the leaves are the boards after each spawn on the last
/// afterstate, and their expectation counts.
pub struct Expectimax {
    evaluator: Arc<dyn Evaluator>,
    options: ExpectimaxOptions,
    counts: Counts,
}

impl Expectimax {
    /// A player with this evaluator.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: ExpectimaxOptions) -> Expectimax {
        Expectimax { evaluator, options, counts: Counts::default() }
    }

    /// The work of the last decision.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

impl Expectimax {
    fn search<'a>(&'a self, situation: &Situation<'a>) -> Search<'a> {
        Search {
            board: situation.board,
            score: situation.score,
            four: situation.four,
            evaluator: &*self.evaluator,
            cut: self.options.cut,
            fours: self.options.fours,
            known: BoardMap::default(),
            most_known: map_room::<Key, f64>(self.options.table_bytes, cell_bytes(situation.board.size())),
            meter: Meter::new(&self.options.limits, CLOCK_INTERVAL),
            depth_mattered: false,
        }
    }

    /// The search tree, with the most important branches of each node.
    pub(crate) fn tree(&self, situation: &Situation<'_>, view: TreeView) -> Result<Tree, PlayerError> {
        let mut search = self.search(situation);
        if search.cut > 0.0 {
            // With a cut, the value of a board depends on the probability of the path to it.
            search.most_known = 0;
        }
        let Situation { board, score, four, .. } = *situation;
        chance_tree(&mut Drawn(search), board, score, four, view)
    }
}

impl Player for Expectimax {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.evaluator.accepts(game.board)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let mut search = self.search(situation);
        let depths = self.options.depths(situation.board);
        let decision = decide(&mut search, depths, self.evaluator.unit());
        self.counts = search.meter.counts();
        decision
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = self.evaluator.fingerprint().into();
        let repeatable = self.options.is_repeatable();
        let depends_on = DependsOn::board_if(repeatable && !self.evaluator.reads_score());
        PlayerFacts { repeatable, depends_on, fingerprint, ..PlayerFacts::default() }
    }
}

/// The search of one position.
struct Search<'a> {
    board: &'a Board,
    score: u64,
    four: Probability,
    evaluator: &'a dyn Evaluator,
    cut: f64,
    fours: u32,
    known: BoardMap<Key, f64>,
    most_known: usize,
    meter: Meter,
    /// Whether an evaluation was due to the depth limit and not only to the cut.
    depth_mattered: bool,
}

impl Search<'_> {
    /// The value of an afterstate with `moves_left` more moves of search.
    fn expected(&mut self, after: &Afterstate, score: u64, moves_left: u32, probability: f64) -> f64 {
        if moves_left == 0 {
            return self.judge(after, score);
        }
        let key = (after.clone(), score, moves_left);
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let mut value = 0.0;
        for outcome in outcomes(after, self.four) {
            let board =
                after.spawn(outcome.spawn.cell, outcome.spawn.tile).expect("every outcome is possible");
            let probability = probability * outcome.probability;
            let further = self.further(moves_left, outcome.spawn.tile, probability);
            self.depth_mattered |= further == 0 && probability >= self.cut;
            value += outcome.probability * self.best(&board, score, further, probability);
            if self.meter.stopped() {
                return 0.0;
            }
        }
        // If the memory is used up, cached values stay and the others are computed again.
        if self.known.len() < self.most_known && self.known.try_reserve(1).is_ok() {
            self.known.insert(key, value);
        }
        value
    }

    /// The number of remaining moves after a spawn that is reached with this probability.
    fn further(&self, moves_left: u32, tile: u64, probability: f64) -> u32 {
        if probability < self.cut {
            return 0;
        }
        moves_left.saturating_sub(if tile == 4 { self.fours } else { 1 })
    }

    /// The value of the best move, or of a lost game.
    fn best(&mut self, board: &Board, score: u64, moves_left: u32, probability: f64) -> f64 {
        self.meter.visit(1);
        let values = self.values(board, score, moves_left, probability);
        let best = values.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY {
            self.evaluator.evaluate_lost(&View::of_board(board, score))
        } else {
            best
        }
    }

    /// The values of the legal directions. A move whose merge does not fit 64 bits is not legal.
    fn values(&mut self, board: &Board, score: u64, moves_left: u32, probability: f64) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| {
            let slid = board.slide(direction).ok().flatten()?;
            self.meter.visit(1);
            let reward = if self.evaluator.unit() == Unit::Points { slid.reward as f64 } else { 0.0 };
            let score = score.saturating_add(slid.reward);
            Some(reward + self.expected(&slid.after, score, moves_left, probability))
        })
    }

    /// The value of an afterstate by the evaluator.
    fn judge(&mut self, after: &Afterstate, score: u64) -> f64 {
        if self.evaluator.judges() == Judges::Afterstates {
            self.meter.judge(1);
            return self.evaluator.evaluate(&View::of_after(after, score));
        }
        let mut value = 0.0;
        for outcome in outcomes(after, self.four) {
            let board =
                after.spawn(outcome.spawn.cell, outcome.spawn.tile).expect("every outcome is possible");
            self.meter.visit(1);
            self.meter.judge(u64::from(board.has_moves()));
            value += outcome.probability * self.judge_board(&board, score);
        }
        value
    }
}

impl Search<'_> {
    /// The value of a board by the evaluator.
    fn judge_board(&self, board: &Board, score: u64) -> f64 {
        let view = View::of_board(board, score);
        if board.has_moves() { self.evaluator.evaluate(&view) } else { self.evaluator.evaluate_lost(&view) }
    }
}

impl Deepening for Search<'_> {
    fn values_at(&mut self, depth: u32) -> Option<[MoveValue; 4]> {
        self.depth_mattered = depth == 1;
        self.known.clear();
        self.meter.visit(1);
        Some(self.values(self.board, self.score, depth - 1, 1.0).map(MoveValue::if_legal))
    }

    fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    fn can_deepen(&mut self, _: u32) -> bool {
        self.depth_mattered
    }
}

/// A search whose tree is drawn.
struct Drawn<'a>(Search<'a>);

impl ChanceSearch for Drawn<'_> {
    fn style(&self) -> ChanceStyle {
        ChanceStyle::Average
    }

    fn unit(&self) -> Unit {
        self.0.evaluator.unit()
    }

    fn values(
        &mut self,
        board: &Board,
        score: u64,
        depth: u32,
        chance: f64,
    ) -> Result<[MoveValue; 4], PlayerError> {
        Ok(self.0.values(board, score, depth - 1, chance).map(MoveValue::if_legal))
    }

    /// Even after a spawn below the cut, the best move of the board is evaluated, if any moves
    /// remain.
    fn after_spawn(&self, depth: u32, tile: u64, chance: f64) -> u32 {
        if depth > 1 { self.0.further(depth - 1, tile, chance) + 1 } else { 0 }
    }

    fn worth(
        &mut self,
        board: &Board,
        score: u64,
        _: Option<u64>,
        values: [MoveValue; 4],
        depth: u32,
    ) -> MoveValue {
        let best = values.into_iter().filter_map(MoveValue::worth).reduce(f64::max);
        match self.0.evaluator.judges() {
            Judges::Afterstates if depth == 0 => MoveValue::Unknown,
            _ => MoveValue::Worth(best.unwrap_or_else(|| self.0.judge_board(board, score))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Grid, Size};
    use crate::eval::testing::TenEach;
    use crate::game::{Game, Rules};
    use crate::search::share::tests::map_bytes;

    /// The cells of a large board take most of the memory of a cached value.
    #[test]
    fn what_is_remembered_keeps_to_its_memory_on_the_largest_board() {
        let size = Size::new(8, 8).unwrap();
        // Eight cells are empty.
        let cells = (0..64).map(|cell| if cell % 8 == cell / 8 { 0 } else { 2 << ((cell + cell / 8) % 2) });
        let board = Board::from_grid(Grid::from_cells(size, cells.collect())).unwrap();
        let game = Game::from_board(Rules::default(), 1, board);
        let options = ExpectimaxOptions { table_bytes: 1 << 15, ..ExpectimaxOptions::with_depth(3) };
        let player = Expectimax::new(Arc::new(TenEach), options);
        let mut search = player.search(&Situation::with_future(&game));
        search.values_at(3);
        assert!(search.known.len() == search.most_known && search.most_known > 20);
        let bytes = map_bytes(&search.known, size.cells() * size_of::<u64>());
        assert!(bytes <= options.table_bytes, "{bytes}");
    }
}
