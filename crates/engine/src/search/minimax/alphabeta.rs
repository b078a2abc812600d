//! Alpha-beta: the value of plain minimax, without searching positions that cannot change it.
//!
//! A full turn is a move and the spawn after it. With `T` turns left:
//!
//! - The value of a board is that of its best afterstate.
//! - The value of an afterstate is that of the worst board after a spawn, with `T - 1` turns left.
//! - With no turns left, the evaluator gives the value of a board.
//! - A board without moves is lost, see [`lost`].
//!
//! Cutoffs, move ordering and the table only change which positions are searched, never a value.
//! The result is exact inside the window and a true bound outside it (Knuth and Moore, An analysis
//! of alpha-beta pruning, 1975). The table answers only for the same board with the same number of
//! turns left on the same level of the search.

use super::super::limits::Meter;
use super::super::walk::{NewTile, Walk};
use super::bounds::{Bound, Bounds, Key, Known};
use super::judge::{Judge, lost};
use crate::board::Direction;

/// One search from one position.
pub(super) struct AlphaBeta<'a, B: Walk, J> {
    judge: J,
    tiles: &'static [NewTile],
    table: &'a mut Bounds<B>,
    /// Counts the nodes and stops the search.
    pub(super) meter: Meter,
}

/// The values that still matter. Below `alpha` the player has a better choice, above `beta` the
/// spawns have one.
#[derive(Clone, Copy)]
struct Window {
    alpha: f64,
    beta: f64,
}

impl Window {
    const FULL: Window = Window { alpha: f64::NEG_INFINITY, beta: f64::INFINITY };
}

/// A legal move.
struct Move<A> {
    direction: Direction,
    after: A,
    score: u64,
    glance: f64,
}

impl<'a, B: Walk, J: Judge<B>> AlphaBeta<'a, B, J> {
    /// A search that ignores earlier entries of the table.
    pub(super) fn new(judge: J, tiles: &'static [NewTile], table: &'a mut Bounds<B>, meter: Meter) -> Self {
        table.start_search();
        AlphaBeta { judge, tiles, table, meter }
    }

    /// The value of each direction, this number of full turns ahead (at least one). Each value is
    /// exact: no direction is cut off because another one is better. Invalid once the meter has
    /// stopped.
    pub(super) fn values(&mut self, board: &B, score: u64, turns: u32) -> [Option<f64>; 4] {
        self.table.start_level();
        self.meter.visit(1);
        Direction::ALL.map(|direction| {
            let (after, reward) = board.slide(direction)?;
            Some(self.after(&after, score.saturating_add(reward), turns, Window::FULL))
        })
    }

    /// The value of a board with this number of turns left.
    fn board(&mut self, board: &B, score: u64, turns_left: u32, window: Window) -> f64 {
        self.meter.visit(1);
        if turns_left == 0 {
            return if board.has_moves() { self.judge.value(board, score) } else { lost(0) };
        }
        if turns_left == 1 {
            return self.last_move(board, score, window);
        }
        let mut key = Key { board: board.clone(), turns_left: turns_left - 1 };
        // The best move of a search one turn shallower is probably best again.
        let promising = self.table.best(&key);
        key.turns_left = turns_left;
        let known = self.table.get(&key);
        if let Some(value) = known.and_then(|known| answer(known, window)) {
            return value;
        }
        let moves = self.moves(board, score, known.and_then(|known| known.best).or(promising));
        if moves.is_empty() {
            return lost(turns_left);
        }
        let (mut most, mut best) = (f64::NEG_INFINITY, None);
        for step in moves {
            let window = Window { alpha: window.alpha.max(most), beta: window.beta };
            let value = self.after(&step.after, step.score, turns_left, window);
            if self.meter.stopped() {
                return 0.0;
            }
            if best.is_none() || value > most {
                (most, best) = (value, Some(step.direction));
            }
            if most >= window.beta {
                break;
            }
        }
        let bound = if most >= window.beta {
            Bound::AtLeast
        } else if most <= window.alpha {
            Bound::AtMost
        } else {
            Bound::Exact
        };
        self.table.put(key, Known { value: most, bound, best });
        most
    }

    /// The value of a board with one turn left. It is too cheap to be cached or ordered.
    fn last_move(&mut self, board: &B, score: u64, window: Window) -> f64 {
        let mut most = None;
        for direction in Direction::ALL {
            let Some((after, reward)) = board.slide(direction) else { continue };
            let so_far = most.unwrap_or(f64::NEG_INFINITY);
            let window = Window { alpha: window.alpha.max(so_far), beta: window.beta };
            let value = self.after(&after, score.saturating_add(reward), 1, window).max(so_far);
            most = Some(value);
            if value >= window.beta {
                break;
            }
        }
        most.unwrap_or_else(|| lost(1))
    }

    /// The legal moves, the most promising first.
    fn moves(&self, board: &B, score: u64, first: Option<Direction>) -> Vec<Move<B::After>> {
        let legal = Direction::ALL.into_iter().filter_map(|direction| {
            let (after, reward) = board.slide(direction)?;
            let score = score.saturating_add(reward);
            let glance =
                if first == Some(direction) { f64::INFINITY } else { self.judge.glance(&after, score) };
            Some(Move { direction, after, score, glance })
        });
        let mut moves: Vec<_> = legal.collect();
        moves.sort_by(|a, b| b.glance.total_cmp(&a.glance));
        moves
    }

    /// The value of an afterstate. Its spawn belongs to the first of the remaining turns.
    fn after(&mut self, after: &B::After, score: u64, turns_left: u32, window: Window) -> f64 {
        self.meter.visit(1);
        if turns_left == 1 {
            return self.last_spawn(after, score, window);
        }
        let mut least = f64::INFINITY;
        for board in self.spawns(after, score) {
            let window = Window { alpha: window.alpha, beta: window.beta.min(least) };
            least = least.min(self.board(&board, score, turns_left - 1, window));
            if least <= window.alpha || self.meter.stopped() {
                break;
            }
        }
        least
    }

    /// The value of an afterstate whose spawn ends the search.
    fn last_spawn(&mut self, after: &B::After, score: u64, window: Window) -> f64 {
        // A board with an empty cell always has a move. Only a spawn on the last empty cell can end
        // the game.
        if B::empty_count(after) > 1
            && let Some(value) = self.judge.worst_spawn(after, score)
        {
            return value;
        }
        let mut least = f64::INFINITY;
        for &tile in self.tiles {
            for board in B::spawned(after, tile) {
                let window = Window { alpha: window.alpha, beta: window.beta.min(least) };
                least = least.min(self.board(&board, score, 0, window));
                if least <= window.alpha || self.meter.stopped() {
                    return least;
                }
            }
        }
        least
    }

    /// The boards after each spawn, the worst first.
    fn spawns(&self, after: &B::After, score: u64) -> Vec<B> {
        let value =
            |board: B| (if board.has_moves() { self.judge.value(&board, score) } else { lost(0) }, board);
        let mut boards: Vec<(f64, B)> =
            self.tiles.iter().flat_map(|&tile| B::spawned(after, tile).map(value)).collect();
        boards.sort_by(|a, b| a.0.total_cmp(&b.0));
        boards.into_iter().map(|(_, board)| board).collect()
    }
}

/// The value of a stored result, if it is sufficient for the window.
fn answer(known: Known, window: Window) -> Option<f64> {
    let enough = match known.bound {
        Bound::Exact => true,
        Bound::AtLeast => known.value >= window.beta,
        Bound::AtMost => known.value <= window.alpha,
    };
    enough.then_some(known.value)
}
