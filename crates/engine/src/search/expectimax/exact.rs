//! Expectimax on exact boards of any size and any tiles, for any evaluator.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Deepening, Options, decide};
use crate::board::{Afterstate, Board, Direction};
use crate::eval::{Evaluator, Judges, View};
use crate::game::{Cannot, Decision, GameStart, Player, PlayerError, Probability, Situation, Unit, outcomes};
use crate::search::limits::{Counts, Meter};

/// How many nodes pass between two looks at the clock: some ten microseconds with a slow evaluator.
const CLOCK_INTERVAL: u64 = 32;

/// What one remembered value costs: the afterstate, the cells of a large board, and the map's own share.
const ENTRY_BYTES: usize = 256;

/// The player that searches exact boards.
///
/// An evaluator that judges boards is asked for every spawn after the last move, and the expectation counts.
pub struct Expectimax {
    evaluator: Arc<dyn Evaluator>,
    options: Options,
    counts: Counts,
}

impl Expectimax {
    /// A player with this evaluator.
    pub fn new(evaluator: Arc<dyn Evaluator>, options: Options) -> Expectimax {
        Expectimax { evaluator, options, counts: Counts::default() }
    }

    /// What the last decision took.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

impl Player for Expectimax {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.evaluator.accepts(game.board)
    }

    fn network(&self, _: &Board) -> Option<String> {
        self.evaluator.network().map(str::to_owned)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let mut search = Search {
            board: situation.board,
            score: situation.score,
            four: situation.four,
            evaluator: &*self.evaluator,
            cut: self.options.cut,
            fours: self.options.fours,
            known: HashMap::new(),
            most_known: self.options.table_bytes / ENTRY_BYTES,
            meter: Meter::new(&self.options.limits, CLOCK_INTERVAL),
            depth_mattered: false,
        };
        let depths = self.options.depths(situation.board);
        let decision = decide(&mut search, depths, self.evaluator.unit());
        self.counts = search.meter.counts();
        decision
    }

    fn is_repeatable(&self) -> bool {
        self.options.is_repeatable()
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
    /// By afterstate, score and moves to come.
    known: HashMap<(Afterstate, u64, u32), f64>,
    most_known: usize,
    meter: Meter,
    /// Whether the depth was the reason for a judgement, and not only the cut.
    depth_mattered: bool,
}

impl Search<'_> {
    /// What an afterstate is worth when `moves_left` more moves are looked ahead.
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
            let board = after.spawn(outcome.spawn.cell, outcome.spawn.tile).expect("outcomes are possible");
            let probability = probability * outcome.probability;
            let further = moves_left.saturating_sub(if outcome.spawn.tile == 4 { self.fours } else { 1 });
            let cut = probability < self.cut;
            self.depth_mattered |= further == 0 && !cut;
            let further = if cut { 0 } else { further };
            value += outcome.probability * self.best(&board, score, further, probability);
            if self.meter.stopped() {
                return 0.0;
            }
        }
        // Without memory for more, what is known stays and the rest is worked out again.
        if self.known.len() < self.most_known && self.known.try_reserve(1).is_ok() {
            self.known.insert(key, value);
        }
        value
    }

    /// The value of the best move, or of a lost game.
    fn best(&mut self, board: &Board, score: u64, moves_left: u32, probability: f64) -> f64 {
        self.meter.visit(1);
        let values = self.values(board, score, moves_left, probability);
        let best = values.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY { self.evaluator.game_over() } else { best }
    }

    /// The values of all four directions. A move whose merge does not fit 64 bits cannot be played.
    fn values(&mut self, board: &Board, score: u64, moves_left: u32, probability: f64) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| {
            let slid = board.slide(direction).ok().flatten()?;
            self.meter.visit(1);
            let reward = if self.evaluator.unit() == Unit::Points { slid.reward as f64 } else { 0.0 };
            let score = score.saturating_add(slid.reward);
            Some(reward + self.expected(&slid.after, score, moves_left, probability))
        })
    }

    /// The evaluator's own word on an afterstate.
    fn judge(&mut self, after: &Afterstate, score: u64) -> f64 {
        if self.evaluator.judges() == Judges::Afterstates {
            self.meter.judge(1);
            return self.evaluator.evaluate(&View::of_after(after, score));
        }
        let mut value = 0.0;
        for outcome in outcomes(after, self.four) {
            let board = after.spawn(outcome.spawn.cell, outcome.spawn.tile).expect("outcomes are possible");
            self.meter.visit(1);
            let judged = if board.has_moves() {
                self.meter.judge(1);
                self.evaluator.evaluate(&View::of_board(&board, score))
            } else {
                self.evaluator.game_over()
            };
            value += outcome.probability * judged;
        }
        value
    }
}

impl Deepening for Search<'_> {
    fn values_at(&mut self, depth: u32) -> [Option<f64>; 4] {
        self.depth_mattered = depth == 1;
        self.known.clear();
        self.meter.visit(1);
        self.values(self.board, self.score, depth - 1, 1.0)
    }

    fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    fn can_deepen(&mut self, _: u32) -> bool {
        self.depth_mattered
    }
}
