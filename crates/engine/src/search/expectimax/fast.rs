//! Expectimax on packed 4x4 boards, compiled for each fast evaluator.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::packing::packed_or_lowered;
use super::pausing::{Deep, First, Journal, Ply};
use super::{Deepening, Expectimax, ExpectimaxOptions, Progress, decide};
use crate::board::{Board, Direction, Packed, PackedAfter, Slides};
use crate::eval::{FastEvaluator, Layer, MOST_AFTERS};
use crate::game::{
    Decision, GameStart, MoveValue, Player, PlayerError, PlayerFacts, Probability, QuickPlayer, Refusal,
    Situation, Thought, Unit, number_beats,
};
use crate::search::limits::{Counts, Meter, SearchLimits};
use crate::search::table::{NoMemory, Table};

/// The number of nodes between two readings of the clock: about ten microseconds.
const CLOCK_INTERVAL: u64 = 1024;

/// Exact boards are searched instead if a packed search could not reach this depth.
const PACKED_DEPTH: u32 = 4;

/// The player that searches with a fast evaluator.
///
/// If the tiles of a 4x4 board are, or could become, too large for a packed board, it is searched
/// with its large tiles downgraded. If that is impossible, and on other sizes, the search runs on
/// exact boards.
pub struct FastExpectimax<E> {
    evaluator: Arc<E>,
    options: ExpectimaxOptions,
    /// `None` while exact boards are searched, and if the depth is always 1.
    table: Option<Table>,
    exact: Expectimax,
    counts: Counts,
    /// The thought that has paused.
    paused: Option<Paused>,
}

/// A thought between two steps.
struct Paused {
    board: Board,
    four: Probability,
    /// The board at the depth that is searched.
    packed: Packed,
    meter: Meter,
    depth_mattered: bool,
    journal: Journal,
    progress: Progress,
}

impl<E: FastEvaluator + 'static> FastExpectimax<E> {
    /// A player with this evaluator.
    pub fn new(evaluator: Arc<E>, options: ExpectimaxOptions) -> Result<FastExpectimax<E>, NoMemory> {
        // A search of depth 1 has nothing to cache.
        let bytes = if options.is_one_move() { 0 } else { options.table_bytes };
        Ok(FastExpectimax {
            table: Table::with_bytes(bytes)?,
            exact: Expectimax::new(evaluator.clone(), options),
            evaluator,
            options,
            counts: Counts::default(),
            paused: None,
        })
    }

    /// The packed board, the depths to search and a table to search them with. `None` if the board
    /// needs the exact search.
    fn prepare(&mut self, board: &Board) -> Result<Option<(Packed, RangeInclusive<u32>)>, PlayerError> {
        let depths = self.options.depths(board);
        let worthwhile = (*depths.end()).min(PACKED_DEPTH).max(*depths.start());
        let mut packed = packed_or_lowered(board, worthwhile);
        if worthwhile != *depths.start() {
            packed = packed.and(packed_or_lowered(board, *depths.start()));
        }
        let Some(packed) = packed else {
            // The exact search uses the same memory for its own cache.
            self.table = None;
            return Ok(None);
        };
        if self.table.is_none() && !self.options.is_one_move() {
            let table = Table::with_bytes(self.options.table_bytes);
            self.table = table.map_err(PlayerError::because)?;
        }
        Ok(Some((packed, depths)))
    }

    /// A search that has no limits yet.
    fn search<'a>(&'a mut self, board: &'a Board, four: Probability, packed: Packed) -> Search<'a, E> {
        Search {
            board,
            packed,
            evaluator: &*self.evaluator,
            chances: chances(four),
            costs: [1, self.options.fours],
            cut: self.options.cut as f32,
            table: self.table.as_mut(),
            meter: Meter::new(&SearchLimits::default(), CLOCK_INTERVAL),
            depth_mattered: false,
            journal: None,
        }
    }

    /// The work of the last decision. Quick decisions are not counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

impl<E: FastEvaluator + 'static> Player for FastExpectimax<E> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.exact.start(game)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let options = &self.options;
        if options.is_one_move()
            && let Ok(packed) = Packed::pack(situation.board)
        {
            // A fast player takes a fraction of a microsecond here, so this path does only what is
            // necessary.
            let judged = Judged::new(&*self.evaluator, &packed.slide_all());
            let moves = judged.count as u64;
            self.counts = Counts { nodes: 1 + moves, evaluations: moves };
            let decision = Decision::best_of(judged.by_direction(), self.evaluator.unit(), 1, 1 + moves);
            return decision.ok_or_else(PlayerError::no_move);
        }
        self.paused = None;
        let Some((packed, depths)) = self.prepare(situation.board)? else {
            let decision = self.exact.choose(situation);
            self.counts = self.exact.counts();
            return decision;
        };
        let (unit, meter) = (self.evaluator.unit(), Meter::new(&self.options.limits, CLOCK_INTERVAL));
        let mut search = Search { meter, ..self.search(situation.board, situation.four, packed) };
        let decision = decide(&mut search, depths, unit);
        self.counts = search.meter.counts();
        decision
    }

    fn think(&mut self, situation: &Situation<'_>, nodes: u64) -> Result<Thought, PlayerError> {
        let (board, four) = (situation.board, situation.four);
        let continued = self.paused.take().filter(|paused| paused.board == *board && paused.four == four);
        let mut paused = match continued {
            Some(paused) => paused,
            None => {
                let Some((packed, depths)) = self.prepare(board)? else {
                    return self.choose(situation).map(Thought::Decided);
                };
                Paused {
                    board: board.clone(),
                    four,
                    packed,
                    meter: Meter::new(&self.options.limits, CLOCK_INTERVAL),
                    depth_mattered: false,
                    journal: Journal::default(),
                    progress: Progress::new(depths),
                }
            }
        };
        paused.journal.begin_step(paused.meter.counts(), nodes);
        let mut search = Search {
            meter: paused.meter,
            depth_mattered: paused.depth_mattered,
            journal: Some(&mut paused.journal),
            ..self.search(board, four, paused.packed)
        };
        let ended = paused.progress.advance(&mut search);
        let (counts, unit) = (search.meter.counts(), search.evaluator.unit());
        (paused.packed, paused.depth_mattered) = (search.packed, search.depth_mattered);
        paused.meter = search.meter;
        self.counts = counts;
        let decision = paused.progress.decision(unit, counts.nodes);
        if ended {
            return decision.map(Thought::Decided).ok_or_else(PlayerError::no_move);
        }
        self.paused = Some(paused);
        Ok(Thought::Unfinished(decision))
    }

    fn facts(&self) -> PlayerFacts<'_> {
        self.exact.facts()
    }

    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        if self.options.is_one_move() { Some(self) } else { None }
    }
}

impl<E: FastEvaluator + 'static> QuickPlayer for FastExpectimax<E> {
    fn choose_quickly(&mut self, slides: &Slides) -> Direction {
        Judged::new(&*self.evaluator, slides).best()
    }
}

/// The probabilities of a 2 and of a 4.
fn chances(four: Probability) -> [f32; 2] {
    [(1.0 - four.get()) as f32, four.get() as f32]
}

/// The moves of a board, evaluated together.
struct Judged {
    /// The number of moves.
    count: usize,
    /// Their directions, in the order of [`Direction::ALL`].
    directions: [Direction; 4],
    /// Their values.
    values: [f64; 4],
}

impl Judged {
    #[inline(always)]
    fn new(evaluator: &impl FastEvaluator, slides: &Slides) -> Judged {
        let mut judged = Judged { count: 0, directions: Direction::ALL, values: [0.0; 4] };
        let mut afters = [PackedAfter::EMPTY; 4];
        for direction in Direction::ALL {
            if let Some(after) = slides.afters[direction.index()] {
                afters[judged.count] = after;
                judged.directions[judged.count] = direction;
                judged.count += 1;
            }
        }
        let mut judgements = [0.0; 4];
        evaluator.evaluate_many(&afters[..judged.count], &mut judgements[..judged.count]);
        let points = evaluator.unit() == Unit::Points;
        for (place, judgement) in judgements.into_iter().enumerate().take(judged.count) {
            let reward = if points { f64::from(slides.reward(judged.directions[place])) } else { 0.0 };
            judged.values[place] = reward + f64::from(judgement);
        }
        judged
    }

    /// The values of all directions.
    fn by_direction(&self) -> [MoveValue; 4] {
        let mut values = [MoveValue::Illegal; 4];
        for (direction, &value) in self.directions.iter().zip(&self.values).take(self.count) {
            values[direction.index()] = MoveValue::Worth(value);
        }
        values
    }

    /// The best direction, by the rule of [`Decision::best_of`].
    #[inline(always)]
    fn best(&self) -> Direction {
        let mut best = 0;
        for place in 1..self.count {
            if number_beats(self.values[place], self.values[best]) {
                best = place;
            }
        }
        self.directions[best]
    }
}

/// The search of one position.
struct Search<'a, E> {
    board: &'a Board,
    /// The same board, packed for the current depth.
    packed: Packed,
    evaluator: &'a E,
    /// The probabilities of a 2 and of a 4.
    chances: [f32; 2],
    /// The number of remaining moves that a 2 and a 4 use up.
    costs: [u32; 2],
    cut: f32,
    table: Option<&'a mut Table>,
    meter: Meter,
    /// Whether an evaluation was due to the depth limit and not only to the cut.
    depth_mattered: bool,
    /// What was completed, if the search can pause.
    journal: Option<&'a mut Journal>,
}

impl<E: FastEvaluator> Search<'_, E> {
    /// The value of an afterstate, as [`Search::expected`], taken from the journal if the ply has
    /// one.
    fn noted<P: Ply>(&mut self, after: PackedAfter, moves_left: u32, probability: f32) -> f32 {
        let (Some(ply), Some(journal)) = (P::JOURNAL, &mut self.journal) else {
            return self.expected::<P>(after, moves_left, probability);
        };
        if let Some(value) = journal.next(ply, &mut self.meter) {
            return value;
        }
        let before = self.meter.counts();
        let value = self.expected::<P>(after, moves_left, probability);
        if !self.has_ended::<P>()
            && let Some(journal) = &mut self.journal
        {
            journal.complete(ply, value, before, self.meter.counts());
        }
        value
    }

    /// Whether values are invalid from now on: a limit is reached, or the step of a thought ends.
    #[inline]
    fn has_ended<P: Ply>(&self) -> bool {
        let is_paused =
            || P::JOURNAL.is_some() && self.journal.as_ref().is_some_and(|journal| journal.is_paused());
        self.meter.stopped() || is_paused()
    }

    /// The value of an afterstate with `moves_left` more moves of search. `probability` is the
    /// probability of all spawns on the path to it.
    fn expected<P: Ply>(&mut self, after: PackedAfter, moves_left: u32, probability: f32) -> f32 {
        if moves_left == 0 {
            self.depth_mattered = true;
            self.meter.judge(1);
            return self.evaluator.evaluate_packed(after);
        }
        let depth = moves_left as u8;
        if let Some(value) = self.table.as_ref().and_then(|table| table.get(after, depth)) {
            return value;
        }
        let share = probability / after.empty_count() as f32;
        let mut value = 0.0;
        let mut judged_at_once = [0.0; 2];
        for (tile, chance) in self.chances.into_iter().enumerate() {
            let probability = share * chance;
            let further = moves_left.saturating_sub(self.costs[tile]);
            let cut = probability < self.cut;
            if further == 0 || cut {
                self.depth_mattered |= !cut;
                judged_at_once[tile] = chance;
            } else if chance > 0.0 {
                value += chance * self.mean_of_best::<P>(after, tile as u8 + 1, further, probability);
            }
        }
        if judged_at_once != [0.0; 2] {
            if self.has_ended::<P>() {
                return 0.0;
            }
            let replies = self.evaluator.best_replies(after, judged_at_once);
            self.meter.visit(u64::from(replies.boards + replies.moves));
            self.meter.judge(u64::from(replies.moves));
            value += replies.value;
        }
        let has_ended = self.has_ended::<P>();
        if let Some(table) = self.table.as_mut().filter(|_| !has_ended) {
            table.put(after, depth, value);
        }
        value
    }

    /// The mean value of the boards with a tile of `rank` on each of the empty cells. Each board is
    /// reached with `probability`. After its best move, `moves_left` more moves are searched.
    fn mean_of_best<P: Ply>(
        &mut self,
        after: PackedAfter,
        rank: u8,
        moves_left: u32,
        probability: f32,
    ) -> f32 {
        if self.has_ended::<P>() {
            return 0.0;
        }
        let layer = Layer::new(after, rank);
        self.meter.visit(u64::from(layer.boards() + layer.moves()));
        if let Some(table) = &self.table {
            table.touch(layer.afters());
        }
        let mut values = [0.0; MOST_AFTERS];
        for (value, &after) in values.iter_mut().zip(layer.afters()) {
            *value = self.noted::<P::Below>(after, moves_left, probability);
            if self.has_ended::<P>() {
                return 0.0;
            }
        }
        layer.mean_of_best(&values, self.evaluator.unit(), |board| self.evaluator.evaluate_lost_packed(board))
    }
}

impl<E: FastEvaluator> Search<'_, E> {
    /// On a downgraded board the reward of the first move is corrected to that of the original
    /// board.
    fn with_exact_rewards(&self, slides: &Slides, mut values: [MoveValue; 4]) -> [MoveValue; 4] {
        let is_lowered = Packed::pack(self.board) != Ok(self.packed);
        if is_lowered && self.evaluator.unit() == Unit::Points {
            for (direction, value) in Direction::ALL.into_iter().zip(&mut values) {
                if let (Ok(Some(slid)), MoveValue::Worth(value)) = (self.board.slide(direction), value) {
                    *value += slid.reward as f64 - f64::from(slides.reward(direction));
                }
            }
        }
        values
    }
}

impl<E: FastEvaluator> Search<'_, E> {
    /// The values of a completed depth.
    fn completed(&mut self, values: [MoveValue; 4]) -> Option<[MoveValue; 4]> {
        if let Some(journal) = &mut self.journal {
            journal.leave_depth();
        }
        Some(values)
    }
}

impl<E: FastEvaluator> Deepening for Search<'_, E> {
    fn values_at(&mut self, depth: u32) -> Option<[MoveValue; 4]> {
        let begins = self.journal.as_mut().is_none_or(|journal| journal.enter_depth(&mut self.meter));
        if begins {
            self.depth_mattered = false;
            if let Some(table) = &mut self.table {
                table.start_search(depth);
            }
        }
        let slides = self.packed.slide_all();
        self.meter.visit(1);
        if depth == 1 {
            let judged = Judged::new(self.evaluator, &slides);
            self.depth_mattered = true;
            self.meter.visit(judged.count as u64);
            self.meter.judge(judged.count as u64);
            let values = self.with_exact_rewards(&slides, judged.by_direction());
            return self.completed(values);
        }
        let points = self.evaluator.unit() == Unit::Points;
        let mut values = [MoveValue::Illegal; 4];
        for direction in Direction::ALL {
            let Some(after) = slides.afters[direction.index()] else { continue };
            self.meter.visit(1);
            let reward = if points { f64::from(slides.reward(direction)) } else { 0.0 };
            let expected = match self.journal {
                Some(_) => self.noted::<First>(after, depth - 1, 1.0),
                None => self.expected::<Deep>(after, depth - 1, 1.0),
            };
            if self.has_ended::<First>() && !self.meter.stopped() {
                return None;
            }
            let expected = f64::from(expected);
            values[direction.index()] = MoveValue::Worth(reward + expected);
        }
        let values = self.with_exact_rewards(&slides, values);
        self.completed(values)
    }

    fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    fn can_deepen(&mut self, depth: u32) -> bool {
        let packed = packed_or_lowered(self.board, depth).filter(|_| self.depth_mattered);
        self.packed = packed.unwrap_or(self.packed);
        packed.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::{Rows, RowsWeights};
    use crate::game::{Game, Rules};

    #[test]
    fn one_move_ahead_needs_no_table() {
        let options = ExpectimaxOptions::with_depth(1);
        let mut player = FastExpectimax::new(Arc::new(Rows::new(RowsWeights::default())), options).unwrap();
        assert!(player.table.is_none());
        // Two tiles of 32768 are downgraded before packing, which takes the longer path to a
        // decision.
        let board = parse_board("32768 32768 0 0/0 0 0 0/0 0 0 0/2 0 0 0", None).unwrap();
        player.choose(&Situation::with_future(&Game::from_board(Rules::ORIGINAL, 1, board))).unwrap();
        assert!(player.table.is_none());
    }

    #[test]
    fn there_is_no_packed_table_beside_the_memory_of_an_exact_search() {
        let options = ExpectimaxOptions::with_depth(3);
        let mut player = FastExpectimax::new(Arc::new(Rows::new(RowsWeights::default())), options).unwrap();
        let mut choose = |text| {
            let game = Game::from_board(Rules::ORIGINAL, 1, parse_board(text, None).unwrap());
            let decision = player.choose(&Situation::with_future(&game)).unwrap();
            (player.table.is_some(), decision)
        };
        let (packed, exact) = ("2 4 8 16/2 0 0 0/4 0 0 0/8 0 0 0", "2 4 8/16 2 0/4 0 0");
        let first = choose(packed);
        assert!(first.0);
        assert!(!choose(exact).0);
        assert_eq!(choose(packed), first, "a new table must give the same decision");
    }
}
