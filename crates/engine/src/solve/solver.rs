//! The solver: finds all positions forwards, layer by layer, and computes their values backwards.
//!
//! A move keeps the tile sum, and a spawn adds 2 or 4. So the afterstates of one sum lead to boards
//! of the next two, and those to afterstates of their own sum:
//!
//! - Forwards: boards of a sum = spawns after the afterstates of the two sums before; afterstates
//!   of the sum = moves of these boards. Only afterstates are kept.
//! - Backwards: the value of an afterstate is the mean over its spawns of the best move of the
//!   board. The boards of a layer are found again from the two layers below, which is cheaper than
//!   keeping them.
//!
//! All values are computed in `f64`. The order of additions is fixed, so the result does not depend
//! on the number of threads.

use std::io;
#[cfg(feature = "files")]
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use thiserror::Error;

#[cfg(feature = "files")]
use super::Tables;
use super::ground::{Ground, Step, checked};
use super::keys::{Keys, LayerKeys, shift_of, wall_bits};
use super::positions::{Marks, Part, Positions};
#[cfg(feature = "files")]
use super::work::{FolderError, Unfinished};
use super::work::{Plan, Work};
use super::{Goal, SubGame, Table};
use crate::board::{Packed, PackedAfter, WithSides};
use crate::parallel;
use crate::text::in_words;

/// How far a solution has come, for progress bars.
#[derive(Clone, Copy, Debug)]
pub struct SolveProgress {
    /// Finding positions, or computing values.
    pub phase: Phase,
    /// The tile sum of the layer that was just finished.
    pub sum: u32,
    /// The number of afterstates found so far.
    pub afterstates: u64,
    /// The estimated share of the whole work that is done, from 0 to 1.
    pub share: f64,
}

/// A phase of the solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Finding positions.
    Forwards,
    /// Computing values.
    Backwards,
}

/// The number of positions of a sub-game. Images under a symmetry of the sub-game count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionCounts {
    /// Boards with the player to move, including those without a legal move.
    pub boards: u64,
    /// Afterstates.
    pub afterstates: u64,
    /// Boards on which no move is allowed.
    pub terminal: u64,
}

/// What solving a sub-game gives besides the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The value of the start: the expected score, or the chance to make the tile. On small boards
    /// it is the mean over the two start tiles, in endgames it is that of the afterstate without
    /// free tiles.
    pub start: f64,
    /// The number of positions.
    pub counts: PositionCounts,
    /// The values of the afterstates that were asked for.
    pub asked: Vec<f64>,
}

/// Why a sub-game cannot be solved here.
#[derive(Debug, Error)]
pub enum SolveError {
    /// It has too many positions, whatever the memory.
    #[error("{name} has too many positions: a layer could have {count}")]
    TooLarge {
        /// The name of the table.
        name: String,
        /// The possible positions of the largest layer.
        count: u64,
    },
    /// Files in the folder of unfinished work.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Reading or writing what was found so far.
    #[error("cannot store the positions found so far: {}", in_words(.0))]
    Io(#[from] io::Error),
}

/// How to solve.
pub struct Job<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Chances of at most this are left out of the table. They are still computed.
    pub keep: f64,
    /// Packed afterstates whose values are wanted, as [`SubGame::packed`] gives them.
    pub asked: &'a [u64],
    /// Ends the work early.
    pub cancel: &'a AtomicBool,
    /// Called after each layer.
    pub progress: &'a (dyn Fn(&SolveProgress) + Sync),
}

/// What solving will need, before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Memory in bytes, at most.
    pub memory: u64,
    /// The number of positions that the numbering can tell apart. The real number is smaller.
    pub numbers: u64,
}

impl Estimate {
    /// The estimate for a sub-game; an error if it is too large for any machine.
    pub fn of(game: &SubGame) -> Result<Estimate, SolveError> {
        let (largest, numbers) = Keys::sizes(game, limit_of(game));
        if largest > u64::from(u32::MAX) {
            return Err(SolveError::TooLarge { name: game.name(), count: largest });
        }
        // Six sets of positions at a quarter of a byte for each number, and four arrays of values.
        // At most half of the numbers of a large layer are positions.
        let memory = Keys::bytes(game) + largest * 6 / 4 + largest / 2 * 4 * 8;
        Ok(Estimate { memory, numbers })
    }
}

/// The limit on the tile sum, in twos; the free cells may limit it further.
fn limit_of(game: &SubGame) -> u32 {
    game.max_sum().map_or(u32::MAX, |sum| sum / 2)
}

/// Solves a sub-game in memory. `None` if it was cancelled.
///
/// ```
/// use lab2048::Size;
/// use lab2048::solve::{Goal, Job, SubGame, solve_in_memory};
///
/// let game = SubGame::on_board(Size::new(2, 2)?, Goal::Score)?;
/// let job = Job { threads: 1, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
/// let (solution, _) = solve_in_memory(&game, &job)?.expect("nobody cancels it");
/// assert!((solution.start - 66.9641494571).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_in_memory(game: &SubGame, job: &Job<'_>) -> Result<Option<(Solution, Table)>, SolveError> {
    Estimate::of(game)?;
    let mut work = Work::in_memory(plan(game, job));
    let Some(solution) = solve(job, &mut work, Default::default())? else { return Ok(None) };
    let table = Table::from_bytes(work.into_bytes()).expect("a new table can be read");
    Ok(Some((solution, table)))
}

/// Solves a sub-game and writes its table. What was found so far is kept in a folder next to the
/// table, named like it with the ending `work`. After an interruption, the same call continues
/// there. `None` if it was cancelled.
#[cfg(feature = "files")]
pub fn solve_to_file(game: &SubGame, target: &Path, job: &Job<'_>) -> Result<Option<Solution>, SolveError> {
    Estimate::of(game)?;
    let Unfinished { mut work, best } = Work::in_folder(&Tables::work_of(target), plan(game, job))?;
    let solution = solve(job, &mut work, best)?;
    if solution.is_some() {
        work.finish(target)?;
    }
    Ok(solution)
}

fn plan(game: &SubGame, job: &Job<'_>) -> Plan {
    Plan { game: game.clone(), keep: job.keep, asked: job.asked.to_vec() }
}

/// Solves a sub-game. `None` if it was cancelled.
fn solve(job: &Job<'_>, work: &mut Work, best: [Vec<f64>; 2]) -> Result<Option<Solution>, SolveError> {
    let size = work.plan().game.size();
    size.with_sides(Solve { job, work, best }).expect("a checked sub-game has a packed size")
}

/// Where solving starts: boards with their chances, and afterstates.
#[derive(Debug, Default)]
struct Starts {
    boards: Vec<(u64, f64)>,
    afterstates: Vec<u64>,
}

struct Solve<'a, 'b> {
    job: &'a Job<'b>,
    work: &'a mut Work,
    best: [Vec<f64>; 2],
}

impl WithSides for Solve<'_, '_> {
    type Output = Result<Option<Solution>, SolveError>;

    fn with_sides<const R: usize, const C: usize>(self) -> Self::Output {
        Solver::<R, C>::new(&self.work.plan().game.clone(), self.job).solve(self.work, self.best)
    }
}

/// Everything that all layers need.
pub(super) struct Solver<'a, const R: usize, const C: usize> {
    ground: Ground<R, C>,
    keys: Keys,
    goal: Goal,
    four: f64,
    starts: Starts,
    /// Folded afterstates whose values are wanted.
    asked: Vec<u64>,
    /// The largest sum, in twos.
    limit: u32,
    /// The share of the numbers up to each sum.
    shares: Vec<f64>,
    job: &'a Job<'a>,
}

/// A layer of the board or afterstate positions.
pub(super) struct Layer {
    keys: LayerKeys,
    positions: Positions,
}

impl Layer {
    fn is_empty(&self) -> bool {
        self.positions.len() == 0
    }

    /// The number of positions.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Parts of about equal size for several threads.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> + Send {
        self.positions.parts()
    }
}

/// The boards of a layer and the value of the best move of each.
struct Best {
    layer: Layer,
    values: Vec<f64>,
}

impl<'a, const R: usize, const C: usize> Solver<'a, R, C> {
    fn new(game: &SubGame, job: &'a Job<'a>) -> Self {
        Solver::on(game, Ground::new(game), job)
    }

    /// The solver on this ground.
    fn on(game: &SubGame, ground: Ground<R, C>, job: &'a Job<'a>) -> Self {
        let keys = Keys::new(game);
        let limit = limit_of(game).min(keys.largest_sum());
        let asked: Vec<u64> = job.asked.iter().map(|&bits| ground.folded(bits)).collect();
        let sizes: Vec<f64> = (0..=limit).map(|sum| keys.count(sum) as f64).collect();
        let total: f64 = sizes.iter().sum();
        let shares = sizes.iter().scan(0.0, |before, size| {
            *before += size / total;
            Some(*before)
        });
        let (shares, starts) = (shares.collect(), starts_of(game, &ground));
        Solver { goal: game.goal(), four: game.four().get(), ground, keys, starts, asked, limit, shares, job }
    }

    fn solve(&self, work: &mut Work, best: [Vec<f64>; 2]) -> Result<Option<Solution>, SolveError> {
        if !work.all_found() && !self.forwards(work)? {
            return Ok(None);
        }
        self.backwards(work, best)
    }

    /// Finds the afterstates of all layers. False if it was cancelled.
    fn forwards(&self, work: &mut Work) -> Result<bool, SolveError> {
        let last_start = self.last_start();
        loop {
            let sum = work.found();
            let [one, two] = self.before(work, sum)?;
            let is_over = one.is_empty() && two.is_empty() && sum > last_start;
            if sum > self.limit || is_over {
                work.finish_layers();
                checkpoint(work, [&[], &[]], false)?;
                return Ok(true);
            }
            let boards = self.boards(sum, [&one, &two]);
            let (afterstates, terminal) = self.moves(&boards);
            if self.is_cancelled() {
                checkpoint(work, [&[], &[]], true)?;
                return Ok(false);
            }
            let counts = PositionCounts {
                boards: boards.positions.len() as u64,
                afterstates: afterstates.len() as u64,
                terminal,
            };
            work.add_layer(&afterstates, counts)?;
            checkpoint(work, [&[], &[]], false)?;
            self.report(work, Phase::Forwards, sum, FORWARDS * self.shares[sum as usize]);
        }
    }

    /// The largest sum of a start.
    pub(super) fn last_start(&self) -> u32 {
        let starts = self.starts.boards.iter().map(|&(bits, _)| bits);
        let starts = starts.chain(self.starts.afterstates.iter().copied()).chain(self.asked.iter().copied());
        starts.map(|bits| self.keys.sum_of(bits)).max().unwrap_or(0)
    }

    /// Computes the values of all layers. `None` if it was cancelled.
    fn backwards(&self, work: &mut Work, best: [Vec<f64>; 2]) -> Result<Option<Solution>, SolveError> {
        let counts = work.counts();
        let open = work.next_sum().map_or(0, |sum| sum + 1);
        let [next, after_next] = best;
        let mut next = self.best_again(work, open, next)?;
        let mut after_next = self.best_again(work, open + 1, after_next)?;
        while let Some(sum) = work.next_sum() {
            let layer = self.afterstates(work, sum)?;
            let values = self.mean_values(&layer, &next, &after_next);
            let [one, two] = self.before(work, sum)?;
            let boards = self.boards(sum, [&one, &two]);
            let best = self.best_values(&boards, &layer, &values);
            if self.is_cancelled() {
                checkpoint(work, [&next.values, &after_next.values], true)?;
                return Ok(None);
            }
            let best = Best { layer: boards, values: best };
            for (index, _) in
                self.asked.iter().enumerate().filter(|&(_, &bits)| self.keys.sum_of(bits) == sum)
            {
                work.answer(index, self.value(&layer, &values, self.asked[index]));
            }
            work.set_start(self.start(sum, work.start(), &layer, &values, &best));
            work.add_values(&layer.positions, &values)?;
            after_next = std::mem::replace(&mut next, best);
            checkpoint(work, [&next.values, &after_next.values], false)?;
            let done = work.valued() as f64 / counts.afterstates.max(1) as f64;
            self.report(work, Phase::Backwards, sum, FORWARDS + (1.0 - FORWARDS) * done);
        }
        Ok(Some(Solution { start: work.start(), counts, asked: work.answers() }))
    }

    /// The value of the start, now that a layer has values: the mean over the start boards, or the
    /// best of the clean starts.
    fn start(&self, sum: u32, before: f64, layer: &Layer, values: &[f64], best: &Best) -> f64 {
        let boards = self.starts.boards.iter().filter(|(bits, _)| self.keys.sum_of(*bits) == sum);
        let boards: f64 =
            boards.map(|&(bits, chance)| chance * self.value(&best.layer, &best.values, bits)).sum();
        let afterstates = self.starts.afterstates.iter().filter(|&&bits| self.keys.sum_of(bits) == sum);
        afterstates.map(|&bits| self.value(layer, values, bits)).fold(before + boards, f64::max)
    }

    fn report(&self, work: &Work, phase: Phase, sum: u32, share: f64) {
        let afterstates = work.counts().afterstates;
        (self.job.progress)(&SolveProgress { phase, sum: 2 * sum, afterstates, share });
    }

    fn is_cancelled(&self) -> bool {
        self.job.cancel.load(Ordering::Relaxed)
    }

    /// The value of a position of a layer.
    fn value(&self, layer: &Layer, values: &[f64], bits: u64) -> f64 {
        values[layer.positions.place(self.keys.number(&layer.keys, bits))]
    }

    /// The afterstates of a layer that was found before.
    fn afterstates(&self, work: &Work, sum: u32) -> Result<Layer, SolveError> {
        Ok(Layer { keys: self.keys.layer(sum), positions: work.layer(sum)? })
    }

    /// The afterstates of the two layers below, from which a 2 and a 4 lead to this sum.
    fn before(&self, work: &Work, sum: u32) -> Result<[Layer; 2], SolveError> {
        let below = |back: u32| match sum.checked_sub(back) {
            Some(sum) => self.afterstates(work, sum),
            None => Ok(self.no_layer()),
        };
        Ok([below(1)?, below(2)?])
    }

    /// The boards of a layer with the values that a checkpoint had; none if it had none.
    fn best_again(&self, work: &Work, sum: u32, values: Vec<f64>) -> Result<Best, SolveError> {
        let [one, two] = self.before(work, if values.is_empty() { 0 } else { sum })?;
        Ok(Best { layer: self.boards(sum, [&one, &two]), values })
    }

    /// All boards of a sum: the spawns of a 2 and of a 4, and the starts.
    pub(super) fn boards(&self, sum: u32, before: [&Layer; 2]) -> Layer {
        let keys = self.keys.layer(sum);
        let marks = Marks::none(keys.len());
        for (layer, (rank, _)) in
            before.into_iter().zip(self.spawns()).filter(|(_, (_, chance))| *chance > 0.0)
        {
            self.in_parts(&layer.positions, |part| {
                layer.positions.for_each(&part, &self.keys, &layer.keys, |bits| {
                    let after = checked::<R, C>(bits);
                    for bit in after.empty_bits() {
                        marks.mark(self.number(&keys, after.spawned(bit, rank).bits()));
                    }
                });
            });
        }
        for &(bits, _) in self.starts.boards.iter().filter(|(bits, _)| self.keys.sum_of(*bits) == sum) {
            marks.mark(self.keys.number(&keys, bits));
        }
        Layer { positions: marks.finish(), keys }
    }

    /// The afterstates of the moves of all boards, with the starts, and the number of boards
    /// without a move.
    fn moves(&self, boards: &Layer) -> (Positions, u64) {
        let marks = Marks::none(boards.keys.len());
        let terminal = AtomicU64::new(0);
        self.in_parts(&boards.positions, |part| {
            let mut without = 0;
            boards.positions.for_each(&part, &self.keys, &boards.keys, |bits| {
                let steps = self.ground.steps(board::<R, C>(bits));
                without += u64::from(steps == [None; 4]);
                for step in steps {
                    if let Some(Step::To(after, _)) = step {
                        marks.mark(self.number(&boards.keys, after.bits()));
                    }
                }
            });
            terminal.fetch_add(without, Ordering::Relaxed);
        });
        let sum = boards.keys.sum;
        let starts = self.starts.afterstates.iter().chain(&self.asked);
        for &bits in starts.filter(|&&bits| self.keys.sum_of(bits) == sum) {
            marks.mark(self.keys.number(&boards.keys, bits));
        }
        (marks.finish(), terminal.into_inner())
    }

    /// The ranks of spawned tiles with their chances.
    pub(super) fn spawns(&self) -> [(u8, f64); 2] {
        [(1, 1.0 - self.four), (2, self.four)]
    }

    /// The value of every afterstate: the mean over its spawns. Beyond the last layer it is 0.
    fn mean_values(&self, layer: &Layer, two: &Best, four: &Best) -> Vec<f64> {
        let spawns = [two, four].into_iter().zip(self.spawns());
        let spawns = spawns.filter(|(best, (_, chance))| *chance > 0.0 && !best.layer.is_empty());
        let spawns: Vec<_> = spawns.collect();
        self.values(layer, |bits| {
            let after = checked::<R, C>(bits);
            let mut sum = 0.0;
            for &(best, (rank, chance)) in &spawns {
                let mut own = 0.0;
                for bit in after.empty_bits() {
                    let number = self.number(&best.layer.keys, after.spawned(bit, rank).bits());
                    own += best.values[best.layer.positions.place(number)];
                }
                sum += chance * own;
            }
            // A full start has no spawns, and the sum is 0.
            sum / f64::from(after.empty_count().max(1))
        })
    }

    /// The value of the best move of every board; 0 without a move.
    fn best_values(&self, boards: &Layer, layer: &Layer, values: &[f64]) -> Vec<f64> {
        let with_points = self.goal == Goal::Score;
        self.values(boards, |bits| {
            let mut best = 0.0f64;
            for step in self.ground.steps(board::<R, C>(bits)).into_iter().flatten() {
                let value = match step {
                    Step::Made => 1.0,
                    Step::To(after, reward) => {
                        let value = values[layer.positions.place(self.number(&layer.keys, after.bits()))];
                        if with_points { value + f64::from(reward) } else { value }
                    }
                };
                best = best.max(value);
            }
            best
        })
    }

    /// A value for each position of a layer, in order of their places.
    fn values(&self, layer: &Layer, value: impl Fn(u64) -> f64 + Sync) -> Vec<f64> {
        let mut values = vec![0.0; layer.positions.len()];
        let mut rest = &mut values[..];
        let jobs: Vec<(Part, &mut [f64])> = layer
            .positions
            .parts()
            .map(|part| {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(part.places.len());
                rest = others;
                (part, own)
            })
            .collect();
        parallel::for_each(jobs.into_iter(), self.job.threads, || {
            |(part, own): (Part, &mut [f64])| {
                if self.is_cancelled() {
                    return;
                }
                let mut own = own.iter_mut();
                layer.positions.for_each(&part, &self.keys, &layer.keys, |bits| {
                    *own.next().expect("a part has a value for each position") = value(bits);
                });
            }
        });
        values
    }

    fn in_parts(&self, positions: &Positions, f: impl Fn(Part) + Sync) {
        parallel::for_each(positions.parts(), self.job.threads, || {
            |part| {
                if !self.is_cancelled() {
                    f(part);
                }
            }
        });
    }

    /// The number of the image that stands for a position.
    #[inline(always)]
    fn number(&self, layer: &LayerKeys, bits: u64) -> u32 {
        self.keys.number(layer, self.ground.folded(bits))
    }
}

/// What the evaluation of a policy needs: every image of a position is one of its own.
impl<'a, const R: usize, const C: usize> Solver<'a, R, C> {
    pub(super) fn unfolded(game: &SubGame, job: &'a Job<'a>) -> Self {
        Solver::on(game, Ground::new(game).unfolded(), job)
    }

    /// The largest sum, in twos.
    pub(super) fn limit(&self) -> u32 {
        self.limit
    }

    /// The sum of a position, in twos.
    pub(super) fn sum_of(&self, bits: u64) -> u32 {
        self.keys.sum_of(bits)
    }

    /// The steps of all moves that are allowed.
    pub(super) fn steps(&self, bits: u64) -> [Option<Step<R, C>>; 4] {
        self.ground.steps(board(bits))
    }

    /// The chance that the game starts with a board of this sum.
    pub(super) fn start_chance(&self, sum: u32, bits: u64) -> f64 {
        if sum > MOST_START {
            return 0.0;
        }
        self.starts.boards.iter().filter(|(other, _)| *other == bits).map(|&(_, chance)| chance).sum()
    }

    /// A layer without positions.
    pub(super) fn no_layer(&self) -> Layer {
        Layer { keys: self.keys.layer(0), positions: Positions::default() }
    }

    /// The layer of some positions of one sum.
    pub(super) fn marked(&self, sum: u32, positions: impl Iterator<Item = u64>) -> Layer {
        let keys = self.keys.layer(sum);
        let marks = Marks::none(keys.len());
        positions.for_each(|bits| marks.mark(self.keys.number(&keys, bits)));
        Layer { positions: marks.finish(), keys }
    }

    /// The place of a position in its layer.
    pub(super) fn find(&self, layer: &Layer, bits: u64) -> Option<usize> {
        layer.positions.find(self.keys.number(&layer.keys, bits))
    }

    /// Calls back with every position of a part.
    pub(super) fn for_each(&self, layer: &Layer, part: &Part, f: impl FnMut(u64)) {
        layer.positions.for_each(part, &self.keys, &layer.keys, f);
    }
}

/// The largest sum of two start tiles, in twos.
const MOST_START: u32 = 4;

#[inline(always)]
fn board<const R: usize, const C: usize>(bits: u64) -> Packed<R, C> {
    Packed::from_bits(bits).expect("positions have no tiles outside of the board")
}

/// The share of the work that finding positions takes.
const FORWARDS: f64 = 0.4;

/// The values of boards that a checkpoint needs are those of the two layers above the next one.
fn checkpoint(work: &mut Work, best: [&[f64]; 2], is_last: bool) -> Result<(), SolveError> {
    #[cfg(feature = "files")]
    work.checkpoint(best, is_last)?;
    #[cfg(not(feature = "files"))]
    let _ = (work, best, is_last);
    Ok(())
}

/// The clean starts of an endgame: the walls alone; and no free tiles but a 2 or a 4 in every free
/// cell of the lines with walls, so that moves along them cannot shift the walls (unless two equal
/// tiles merge). The lines are the rows or the columns, whichever have fewer free cells; both count
/// if they have equally many. None on a small board.
pub(super) fn clean_starts(game: &SubGame) -> Vec<u64> {
    let walls = wall_bits(game);
    if walls == 0 {
        return Vec::new();
    }
    let position = |cell: usize| game.size().position(cell);
    let with_walls = |is_in_line: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
        let has_wall = |&cell: &usize| game.walls().cells().iter().any(|&wall| is_in_line(cell, wall.into()));
        game.free_cells().filter(has_wall).collect()
    };
    let rows = with_walls(&|cell, wall| position(cell).0 == position(wall).0);
    let cols = with_walls(&|cell, wall| position(cell).1 == position(wall).1);
    let fewest = rows.len().min(cols.len());
    let fillings = [rows, cols].into_iter().filter(|cells| cells.len() == fewest).flat_map(|cells| {
        cells.into_iter().fold(vec![walls], |fillings, cell| {
            let with = |rank: u64| fillings.iter().map(move |bits| bits | rank << shift_of(game, cell));
            with(1).chain(with(2)).collect()
        })
    });
    fillings.chain([walls]).collect()
}

/// On a small board, every pair of start tiles. In an endgame the clean starts.
fn starts_of<const R: usize, const C: usize>(game: &SubGame, ground: &Ground<R, C>) -> Starts {
    let clean = clean_starts(game);
    if !clean.is_empty() {
        let afterstates = clean.into_iter().map(|bits| ground.folded(bits)).collect();
        return Starts { boards: Vec::new(), afterstates };
    }
    let four = game.four().get();
    let spawns = |after: PackedAfter<R, C>| {
        let share = 1.0 / f64::from(after.empty_count());
        let ranks = [(1, 1.0 - four), (2, four)];
        let bits: Vec<u64> = after.empty_bits().collect();
        let spawn = move |bit| ranks.map(|(rank, chance)| (after.spawned(bit, rank).bits(), chance * share));
        bits.into_iter().flat_map(spawn).filter(|&(_, chance)| chance > 0.0)
    };
    let second = |(one, chance)| spawns(checked(one)).map(move |(two, next)| (two, chance * next));
    let pairs = spawns(PackedAfter::EMPTY).flat_map(second);
    Starts {
        boards: pairs.map(|(bits, chance)| (ground.folded(bits), chance)).collect(),
        afterstates: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    /// The cells that are filled: those in the rows with walls, in the columns with walls, or both.
    #[test]
    fn clean_starts_fill_the_lines_with_the_fewest_free_cells() {
        let filled = |walls: &str| -> Vec<Vec<usize>> {
            let game = SubGame::endgame(walls.parse().unwrap(), 16, Place::Anywhere).unwrap();
            let has_tile = |bits: u64, cell: usize| bits >> shift_of(&game, cell) & 15 != 0;
            let cells =
                |bits| -> Vec<usize> { game.free_cells().filter(|&cell| has_tile(bits, cell)).collect() };
            let mut all: Vec<Vec<usize>> = clean_starts(&game).into_iter().map(cells).collect();
            all.dedup();
            all
        };
        assert_eq!(filled("block"), [vec![3, 7], vec![]]);
        assert_eq!(filled("snake"), [vec![6, 7], vec![]]);
        assert_eq!(filled("t"), [vec![1, 5], vec![]]);
        assert_eq!(filled("row"), [Vec::<usize>::new()]);
        assert_eq!(filled("0,4,8,1,5,9"), [vec![12, 13], vec![]]);
        assert_eq!(filled("0,1,4,5"), [vec![2, 3, 6, 7], vec![8, 9, 12, 13], vec![]]);
    }
}
