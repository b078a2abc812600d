//! The player `minimax` of the second source document: the best move against the worst spawn.
//!
//! It deepens iteratively, starting with two full turns. In the document it starts another level
//! while less than 0.3 s have passed. The levels, the time limit, a node limit and a fixed depth
//! are options. In the document a level always completes, however long it takes. Without `finish`
//! it is aborted when a limit is reached, and the last completed level counts.
//!
//! The values are preferences, even if the evaluator counts points to come. The points left after
//! the worst spawns are not an expectation and cannot be compared with one.

mod alphabeta;
mod bounds;
mod judge;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::alphabeta::AlphaBeta;
use self::bounds::Bounds;
use self::judge::{AnyJudge, Judge, PackedSmooth, move_value};
use super::NoMemory;
use super::limits::{CancelCheck, Meter, SearchLimits, TimeLimit, Timer};
use super::share::cell_bytes;
use super::tree::{ChanceSearch, ChanceStyle, Tree, TreeView, chance_tree};
use super::walk::{NewTile, Walk, packed_as_is};
use crate::board::{Board, Packed, Size};
use crate::eval::{Evaluator, Smooth};
use crate::game::{
    Decision, DependsOn, GameStart, MoveValue, Player, PlayerError, PlayerFacts, Probability, Refusal,
    Situation, Unit,
};

/// The maximal number of full turns to look ahead.
const MOST_TURNS: u32 = 60;

/// The limits of minimax.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimaxOptions {
    /// The first level, in full turns. It always completes.
    pub first: u32,
    /// The last level, or the only one if neither nodes nor time are limited.
    pub depth: Option<u32>,
    /// Another level starts only while fewer nodes have been visited.
    pub nodes: Option<u64>,
    /// Another level starts only while less time has passed.
    pub time: Option<TimeLimit>,
    /// Whether a started level completes even after a limit is reached.
    pub finish: bool,
    /// The maximal memory for the transposition table, in bytes.
    pub table_bytes: usize,
    /// Ends a search whose result is no longer needed.
    pub cancel: CancelCheck,
}

impl MinimaxOptions {
    /// Always this number of full turns.
    pub fn with_depth(depth: u32) -> MinimaxOptions {
        let depth = Some(depth);
        MinimaxOptions {
            first: 2,
            depth,
            nodes: None,
            time: None,
            finish: true,
            table_bytes: 1 << 22,
            cancel: CancelCheck::default(),
        }
    }

    fn deepens(&self) -> bool {
        self.nodes.is_some() || self.time.is_some()
    }

    /// The levels to search.
    fn levels(&self) -> std::ops::RangeInclusive<u32> {
        let last = match self.depth {
            Some(depth) => depth,
            None if self.deepens() => MOST_TURNS,
            None => self.first,
        };
        let last = last.clamp(1, MOST_TURNS);
        let first = if self.deepens() { self.first.clamp(1, last) } else { last };
        first..=last
    }
}

/// The player `minimax`.
pub struct Minimax {
    evaluation: Evaluation,
    options: MinimaxOptions,
    tables: Tables,
}

/// The transposition table, for packed boards or for exact boards of one size. Only one exists at a
/// time, so that both stay within the same memory. A game rarely switches between them.
struct Tables {
    bytes: usize,
    packed: Option<Bounds<Packed>>,
    exact: Option<(Size, Bounds<Board>)>,
}

impl Tables {
    /// Tables of at most `bytes` bytes. Most games start with packed boards.
    fn with_bytes(bytes: usize) -> Result<Tables, NoMemory> {
        Ok(Tables { bytes, packed: Some(Bounds::with_bytes(bytes, 0)?), exact: None })
    }

    /// The table for packed boards. If there is not enough memory, it stores nothing, which does
    /// not change any value.
    fn packed(&mut self) -> &mut Bounds<Packed> {
        self.exact = None;
        self.packed
            .get_or_insert_with(|| Bounds::with_bytes(self.bytes, 0).unwrap_or_else(|_| Bounds::none()))
    }

    /// The table for exact boards of a size.
    fn exact(&mut self, size: Size) -> &mut Bounds<Board> {
        self.packed = None;
        self.exact.take_if(|(known, _)| *known != size);
        let table = || Bounds::with_bytes(self.bytes, cell_bytes(size)).unwrap_or_else(|_| Bounds::none());
        &mut self.exact.get_or_insert_with(|| (size, table())).1
    }
}

enum Evaluation {
    /// The evaluator of the document, with a fast path for packed boards.
    Smooth,
    /// Any other evaluator.
    Any(Arc<dyn Evaluator>),
}

impl Minimax {
    /// The player of the document.
    pub fn with_smooth(options: MinimaxOptions) -> Result<Minimax, NoMemory> {
        Minimax::new(Evaluation::Smooth, options)
    }

    /// The same search with another evaluator.
    pub fn with_evaluator(
        evaluator: Arc<dyn Evaluator>,
        options: MinimaxOptions,
    ) -> Result<Minimax, NoMemory> {
        Minimax::new(Evaluation::Any(evaluator), options)
    }

    fn new(evaluation: Evaluation, options: MinimaxOptions) -> Result<Minimax, NoMemory> {
        Ok(Minimax { evaluation, options, tables: Tables::with_bytes(options.table_bytes)? })
    }

    /// The tree for drawing, with the best moves and worst spawns of each node.
    pub(crate) fn tree(&mut self, situation: &Situation<'_>, view: TreeView) -> Result<Tree, PlayerError> {
        let Situation { board, score, four, .. } = *situation;
        chance_tree(&mut Drawn { minimax: self, four, before: score }, board, score, four, view)
    }

    fn evaluator(&self) -> &dyn Evaluator {
        match &self.evaluation {
            Evaluation::Smooth => &Smooth,
            Evaluation::Any(evaluator) => &**evaluator,
        }
    }

    /// The values of the four directions, the depth in turns and the number of nodes.
    fn values(&mut self, board: &Board, score: u64, four: Probability, options: &MinimaxOptions) -> Values {
        self.values_since(score, board, score, four, options)
    }

    /// The same below the root of a tree that started with the score `before`.
    fn values_since(
        &mut self,
        before: u64,
        board: &Board,
        score: u64,
        four: Probability,
        options: &MinimaxOptions,
    ) -> Values {
        let tiles = NewTile::possible(four);
        let packed = packed_as_is(board, *options.levels().end());
        match (&self.evaluation, packed) {
            (Evaluation::Smooth, Some(packed)) => {
                deepen(PackedSmooth::new(four), &packed, score, tiles, self.tables.packed(), options)
            }
            (Evaluation::Smooth, None) => {
                let judge = AnyJudge { evaluator: &Smooth, before };
                deepen(judge, board, score, tiles, self.tables.exact(board.size()), options)
            }
            (Evaluation::Any(evaluator), Some(packed)) => {
                let judge = AnyJudge { evaluator: &**evaluator, before };
                deepen(judge, &packed, score, tiles, self.tables.packed(), options)
            }
            (Evaluation::Any(evaluator), None) => {
                let judge = AnyJudge { evaluator: &**evaluator, before };
                deepen(judge, board, score, tiles, self.tables.exact(board.size()), options)
            }
        }
    }
}

/// The result of a search.
struct Values {
    values: [MoveValue; 4],
    turns: u32,
    nodes: u64,
}

/// Searches level by level until a limit is reached.
fn deepen<B: Walk, J: Judge<B>>(
    judge: J,
    board: &B,
    score: u64,
    tiles: &'static [NewTile],
    table: &mut Bounds<B>,
    options: &MinimaxOptions,
) -> Values {
    let timer = options.time.map(Timer::start);
    let limits = match options.finish {
        true => SearchLimits::default(),
        false => SearchLimits { nodes: options.nodes, time: options.time, ..SearchLimits::default() },
    };
    let limits = SearchLimits { cancel: options.cancel, ..limits };
    let mut search = AlphaBeta::new(judge, tiles, table, Meter::new(&limits, J::CLOCK_INTERVAL));
    let mut levels = options.levels();
    let mut turns = levels.next().unwrap_or(1);
    let mut values = search.values(board, score, turns);
    search.meter.arm();
    for level in levels {
        let nodes = search.meter.counts().nodes;
        let spent =
            options.nodes.is_some_and(|most| nodes >= most) || timer.is_some_and(|timer| timer.is_over());
        if spent {
            break;
        }
        let deeper = search.values(board, score, level);
        if search.meter.stopped() {
            break;
        }
        (values, turns) = (deeper, level);
    }
    let value = |number: Option<f64>| number.map_or(MoveValue::Illegal, |number| move_value(number, turns));
    Values { values: values.map(value), turns, nodes: search.meter.counts().nodes }
}

/// The search behind a drawn tree.
struct Drawn<'a> {
    minimax: &'a mut Minimax,
    four: Probability,
    /// The score at the root, so that points gained since then count in every node as in the
    /// search.
    before: u64,
}

impl ChanceSearch for Drawn<'_> {
    fn style(&self) -> ChanceStyle {
        ChanceStyle::Worst
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
        let table_bytes = self.minimax.options.table_bytes;
        let options = MinimaxOptions { table_bytes, ..MinimaxOptions::with_depth(depth) };
        Ok(self.minimax.values_since(self.before, board, score, self.four, &options).values)
    }

    fn worth(
        &mut self,
        board: &Board,
        score: u64,
        _: Option<u64>,
        values: [MoveValue; 4],
        depth: u32,
    ) -> MoveValue {
        let judge = AnyJudge { evaluator: self.minimax.evaluator(), before: self.before };
        if depth == 0 && board.has_moves() {
            return MoveValue::Worth(judge.value(board, score));
        }
        let judged = values.into_iter().filter(|value| value.is_judged());
        judged.max_by(MoveValue::total_cmp).unwrap_or(MoveValue::Lost { turns: 0 })
    }
}

impl Player for Minimax {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.evaluator().accepts(game.board)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let Situation { board, score, four, .. } = *situation;
        let options = self.options;
        let Values { values, turns, nodes } = self.values(board, score, four, &options);
        Decision::best_of(values, Unit::Preference, turns, nodes).ok_or_else(PlayerError::no_move)
    }

    fn facts(&self) -> PlayerFacts<'_> {
        let fingerprint = self.evaluator().fingerprint().into();
        let repeatable = self.options.time.is_none();
        let depends_on = DependsOn::board_if(repeatable && !self.evaluator().reads_score());
        PlayerFacts { repeatable, depends_on, fingerprint, ..PlayerFacts::default() }
    }
}
