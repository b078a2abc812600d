//! The exact value of a policy: what a player that does not play perfectly is worth, and where it
//! loses.
//!
//! The probability of every position that the player reaches is computed forwards, layer by layer.
//! The value is the sum of the probabilities times the points of the chosen moves. No symmetry is
//! folded, because players break ties by direction. The order of additions is fixed, so the result
//! does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::ground::{Step, checked, image};
use super::leaks::{Leak, keep_worst};
use super::positions::Part;
use super::solver::{Layer, Solver};
use super::starts::clean_starts;
use super::{Goal, Job, PracticeError, Table, TableError};
use crate::board::{Board, Direction, Symmetry, WithSides};
use crate::game::{Action, Decision, DependsOn, Player, PlayerError, Probability, Situation, Stream};
use crate::parallel;

/// How a board is played, whatever happened before.
pub trait Policy: Send {
    /// The probability of each direction, in the order of [`Direction::ALL`]. They sum to 1 over
    /// legal moves. The board has a legal move.
    fn shares(&mut self, board: &Board, four: Probability) -> Result<[f64; 4], PlayerError>;
}

/// The policy of the player `random`: all legal moves are equally likely.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl Policy for Uniform {
    fn shares(&mut self, board: &Board, _: Probability) -> Result<[f64; 4], PlayerError> {
        let legal = board.legal_moves();
        let share = 1.0 / legal.len() as f64;
        Ok(Direction::ALL.map(|direction| if legal.contains(direction) { share } else { 0.0 }))
    }
}

/// A player whose moves depend on nothing but the board, see [`DependsOn::Board`].
impl Policy for Box<dyn Player> {
    fn shares(&mut self, board: &Board, four: Probability) -> Result<[f64; 4], PlayerError> {
        let luck = Stream::player(0);
        let Decision { action, .. } =
            self.choose(&Situation { board, score: 0, turns: 0, four, luck, future: None })?;
        let mut shares = [0.0; 4];
        match action {
            Action::Move(direction) => shares[direction.index()] = 1.0,
            Action::Pass | Action::Quit => return Err(PlayerError::new("the player chose no move")),
        }
        Ok(shares)
    }
}

/// A player as a policy; `None` if its moves depend on more than the board.
pub fn policy_of(player: Box<dyn Player>) -> Option<Box<dyn Policy>> {
    match player.facts().depends_on {
        DependsOn::Nothing => Some(Box::new(Uniform)),
        DependsOn::Board => Some(Box::new(player)),
        DependsOn::More => None,
    }
}

/// The exact value of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyValue {
    /// The expected score, or the chance to make the tile.
    pub value: f64,
    /// The value of perfect play from the same start.
    pub optimal: f64,
    /// The expected number of moves.
    pub moves: f64,
    /// The boards that are reached.
    pub boards: u64,
    /// Where most is lost, the worst first.
    pub worst: Vec<Leak>,
}

/// Why a policy cannot be evaluated.
#[derive(Debug, Error)]
pub enum PolicyError {
    /// The player failed.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The player chose a move that is not legal.
    #[error("the player chose {direction}, which is not a legal move, on this board:\n{board}")]
    Illegal {
        /// The move.
        direction: Direction,
        /// The board.
        board: Board,
    },
    /// The table is damaged.
    #[error("the table cannot be used: {0}")]
    Table(#[from] TableError),
    /// The player made a move that the game refuses.
    #[error(transparent)]
    Practice(#[from] PracticeError),
    /// Values are missing from the table, so that players would seem to lose where they do not.
    #[error("{name} leaves out chances of at most {keep}; solve it again with --keep 0 to compare players")]
    Incomplete {
        /// The name of the table.
        name: String,
        /// The chances that it leaves out.
        keep: f64,
    },
    /// The seeds of the games would exceed the largest number.
    #[error("there are no seeds left")]
    NoSeeds,
}

/// How to evaluate a policy.
pub struct PolicyJob<'a> {
    /// The number of threads.
    pub threads: usize,
    /// The number of entries in [`PolicyValue::worst`].
    pub worst: usize,
    /// Makes the policy for a thread.
    pub make: &'a (dyn Fn() -> Result<Box<dyn Policy>, PlayerError> + Sync),
    /// Ends the work early.
    pub cancel: &'a AtomicBool,
    /// Called after each layer with the estimated share of the work that is done and the number of
    /// boards so far.
    pub progress: &'a (dyn Fn(f64, u64) + Sync),
}

/// Computes the exact value of a policy in the sub-game of a table. `None` if it was cancelled.
/// Memory holds the boards of a layer and the afterstates of three, without folding.
///
/// ```
/// use lab2048::Size;
/// use lab2048::game::Probability;
/// use lab2048::solve::{Goal, PolicyJob, Tables, Uniform, evaluate_policy};
///
/// let table = Tables::default().solved(Size::new(2, 2)?, Goal::Score, Probability::TENTH)?;
/// let job = PolicyJob {
///     threads: 1,
///     worst: 3,
///     make: &|| Ok(Box::new(Uniform)),
///     cancel: &false.into(),
///     progress: &|_, _| {},
/// };
/// let random = evaluate_policy(&table, &job)?.expect("nobody cancels it");
/// assert!(random.value < random.optimal && random.boards == 662);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn evaluate_policy(table: &Table, job: &PolicyJob<'_>) -> Result<Option<PolicyValue>, PolicyError> {
    table.check_complete()?;
    let size = table.game().size();
    size.with_sides(Evaluate { table, job }).expect("a checked sub-game has a packed size")
}

struct Evaluate<'a> {
    table: &'a Table,
    job: &'a PolicyJob<'a>,
}

impl WithSides for Evaluate<'_> {
    type Output = Result<Option<PolicyValue>, PolicyError>;

    fn with_sides<const R: usize, const C: usize>(self) -> Self::Output {
        let Evaluate { table, job } = self;
        let solve =
            Job { threads: job.threads, keep: 0.0, asked: &[], cancel: job.cancel, progress: &|_| {} };
        let solver = Solver::<R, C>::unfolded(table.game(), &solve);
        let symmetries = table.game().symmetries();
        Evaluation { table, job, solver: &solver, symmetries, policies: Mutex::default() }.run()
    }
}

struct Evaluation<'a, const R: usize, const C: usize> {
    table: &'a Table,
    job: &'a PolicyJob<'a>,
    solver: &'a Solver<'a, R, C>,
    symmetries: Vec<Symmetry>,
    /// Policies that no thread uses now.
    policies: Mutex<Vec<Box<dyn Policy>>>,
}

/// The afterstates of a layer and their probabilities.
struct Reached {
    layer: Layer,
    chances: Vec<f64>,
}

/// What a part of the boards of a layer gives.
#[derive(Default)]
struct Flow {
    /// The packed afterstates and the probabilities that flow there.
    to: Vec<(u64, f64)>,
    /// The expected value that is gained.
    value: f64,
    moves: f64,
    leaks: Vec<Leak>,
}

impl Table {
    /// The number of boards that a policy can reach at most: all images of every board count.
    pub fn most_boards(&self) -> u64 {
        self.info().counts.boards.saturating_mul(self.game().symmetries().len() as u64)
    }

    /// An error if the table leaves out chances: players cannot be compared with it.
    pub fn check_complete(&self) -> Result<(), PolicyError> {
        match self.info().keep {
            keep if keep > 0.0 => Err(PolicyError::Incomplete { name: self.game().name(), keep }),
            _ => Ok(()),
        }
    }

    /// The clean start of an endgame with the best chance; `None` for a small board, whose start is
    /// a pair of tiles.
    pub(super) fn clean_start(&self) -> Result<Option<u64>, TableError> {
        let mut best: Option<(u64, f64)> = None;
        for bits in clean_starts(self.game()) {
            let value = self.value(self.moves.folded(bits))?.unwrap_or(0.0);
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((bits, value));
            }
        }
        Ok(best.map(|(bits, _)| bits))
    }
}

impl<const R: usize, const C: usize> Evaluation<'_, R, C> {
    fn run(&self) -> Result<Option<PolicyValue>, PolicyError> {
        // On small boards the start is a pair of tiles, which `boards` adds.
        let start = self.table.clean_start()?;
        let optimal = self.table.info().start;
        let last_start = self.solver.last_start();
        let layers: Vec<(u32, u64)> = self.table.layers().collect();
        let all: u64 = layers.iter().map(|&(_, count)| count).sum();
        let mut result = PolicyValue { value: 0.0, optimal, moves: 0.0, boards: 0, worst: Vec::new() };
        let nothing = || Reached { layer: self.solver.no_layer(), chances: Vec::new() };
        let [mut one, mut two] = [nothing(), nothing()];
        for sum in 0.. {
            let is_over = one.chances.is_empty() && two.chances.is_empty() && sum > last_start;
            if is_over || sum > self.solver.limit() {
                break;
            }
            let boards = self.solver.boards(sum, [&one.layer, &two.layer]);
            let flows = self.play(sum, &boards, [&one, &two], &result.worst)?;
            if self.job.cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            for flow in &flows {
                result.value += flow.value;
                result.moves += flow.moves;
            }
            result.boards += boards.len() as u64;
            let next = self.gather(sum, &flows, start);
            keep_worst(&mut result.worst, flows.into_iter().flat_map(|flow| flow.leaks), self.job.worst);
            two = std::mem::replace(&mut one, next);
            let done = layers.iter().filter(|&&(other, _)| other <= 2 * sum).map(|&(_, count)| count);
            (self.job.progress)(done.sum::<u64>() as f64 / all.max(1) as f64, result.boards);
        }
        Ok(Some(result))
    }

    /// Lets the policy play all boards of a layer.
    fn play(
        &self,
        sum: u32,
        boards: &Layer,
        before: [&Reached; 2],
        worst: &[Leak],
    ) -> Result<Vec<Flow>, PolicyError> {
        let parts: Vec<Part> = boards.parts().collect();
        let flows: Vec<Mutex<Option<Result<Flow, PolicyError>>>> =
            parts.iter().map(|_| Mutex::default()).collect();
        // A leak must cost more than this to be among the worst.
        let least =
            if worst.len() < self.job.worst { 0.0 } else { worst.last().map_or(0.0, |leak| leak.cost) };
        parallel::for_each(parts.into_iter().enumerate(), self.job.threads, || {
            |(index, part): (usize, Part)| {
                let flow = self.flow(sum, boards, &part, before, least);
                *flows[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(flow);
            }
        });
        let flows =
            flows.into_iter().filter_map(|flow| flow.into_inner().unwrap_or_else(PoisonError::into_inner));
        flows.collect()
    }

    fn flow(
        &self,
        sum: u32,
        boards: &Layer,
        part: &Part,
        before: [&Reached; 2],
        least: f64,
    ) -> Result<Flow, PolicyError> {
        let taken = self.policies.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut policy = match taken {
            Some(policy) => policy,
            None => (self.job.make)()?,
        };
        let mut flow = Flow::default();
        let mut failed = Ok(());
        self.solver.for_each(boards, part, |bits| {
            if failed.is_ok() && !self.job.cancel.load(Ordering::Relaxed) {
                failed = self.play_board(sum, bits, before, least, &mut *policy, &mut flow);
            }
        });
        self.policies.lock().unwrap_or_else(PoisonError::into_inner).push(policy);
        failed.map(|()| flow)
    }

    fn play_board(
        &self,
        sum: u32,
        bits: u64,
        before: [&Reached; 2],
        least: f64,
        policy: &mut dyn Policy,
        flow: &mut Flow,
    ) -> Result<(), PolicyError> {
        let steps = self.solver.steps(bits);
        let game = self.table.game();
        let board = self.board(bits);
        if !board.has_moves() {
            return Ok(());
        }
        let chance = self.chance(sum, bits, before);
        let shares = policy.shares(&board, game.four())?;
        let legal = board.legal_moves();
        flow.moves += chance;
        for direction in Direction::ALL {
            let share = shares[direction.index()];
            if share == 0.0 {
                continue;
            }
            if !legal.contains(direction) {
                return Err(PolicyError::Illegal { direction, board: board.clone() });
            }
            match steps[direction.index()] {
                // A wall was shifted: nothing more can be won.
                None => {}
                Some(Step::Made) => flow.value += chance * share,
                Some(Step::To(after, reward)) => {
                    if game.goal() == Goal::Score {
                        flow.value += chance * share * f64::from(reward);
                    }
                    flow.to.push((after.bits(), chance * share));
                }
            }
        }
        let most = if game.goal() == Goal::Score { MOST_POINTS } else { 1.0 };
        if self.job.worst > 0 && chance * most > least / IMAGES {
            let leak = self.leak(sum, bits, before, policy)?;
            flow.leaks.extend(leak.filter(|leak| leak.cost > least));
        }
        Ok(())
    }

    /// The probability of a board: the sum over the afterstates from which one spawn leads here.
    fn chance(&self, sum: u32, bits: u64, before: [&Reached; 2]) -> f64 {
        let mut chance = self.solver.start_chance(sum, bits);
        for (reached, (rank, share)) in before.into_iter().zip(self.solver.spawns()) {
            if share == 0.0 || reached.chances.is_empty() {
                continue;
            }
            for cell in 0..16 {
                if bits >> (4 * cell) & 15 != u64::from(rank) {
                    continue;
                }
                let after = bits & !(15 << (4 * cell));
                if let Some(place) = self.solver.find(&reached.layer, after) {
                    let empty = checked::<R, C>(after).empty_count();
                    chance += reached.chances[place] * share / f64::from(empty);
                }
            }
        }
        chance
    }

    /// The afterstates of a layer with their probabilities.
    fn gather(&self, sum: u32, flows: &[Flow], start: Option<u64>) -> Reached {
        let start = start.filter(|&bits| self.solver.sum_of(bits) == sum).map(|bits| (bits, 1.0));
        let all = || start.into_iter().chain(flows.iter().flat_map(|flow| flow.to.iter().copied()));
        let layer = self.solver.marked(sum, all().map(|(bits, _)| bits));
        let mut chances = vec![0.0; layer.len()];
        for (bits, chance) in all() {
            let place = self.solver.find(&layer, bits).expect("it was just marked");
            chances[place] += chance;
        }
        Reached { layer, chances }
    }

    /// What a board and its images cost the policy together; `None` if nothing. Only the image that
    /// comes up most often answers, so that they count once.
    fn leak(
        &self,
        sum: u32,
        bits: u64,
        before: [&Reached; 2],
        policy: &mut dyn Policy,
    ) -> Result<Option<Leak>, PolicyError> {
        let mut images: Vec<u64> =
            self.symmetries.iter().map(|&symmetry| image::<R, C>(bits, symmetry)).collect();
        images.sort_unstable();
        images.dedup();
        let visits = images.into_iter().map(|image| (image, self.chance(sum, image, before)));
        let visits: Vec<(u64, f64)> = visits.filter(|&(_, chance)| chance > 0.0).collect();
        let usual = visits.iter().copied().reduce(|most, next| if next.1 > most.1 { next } else { most });
        if usual.is_none_or(|(image, _)| image != bits) {
            return Ok(None);
        }
        let (game, mut worst) = (self.table.game(), None::<Leak>);
        let (mut chance, mut cost) = (0.0, 0.0);
        for (image, visits) in visits {
            let board = self.board(image);
            let Some(exact) = self.table.judge(&board, game.four())? else { continue };
            let shares = policy.shares(&board, game.four())?;
            chance += visits;
            let leak = Leak::of_visit(self.table, board, shares, exact).map(|leak| leak.times(visits));
            let Some(leak) = leak else { continue };
            cost += leak.cost;
            if worst.as_ref().is_none_or(|worst| leak.cost > worst.cost) {
                worst = Some(leak);
            }
        }
        Ok(worst.map(|worst| Leak { visits: chance, cost, ..worst }))
    }

    fn board(&self, bits: u64) -> Board {
        Board::from_grid(self.table.tiles(bits)).expect("a position is a board")
    }
}

/// More points than any position of a small board can still give: a chain of tiles up to 1024 on
/// nine cells is worth about 16,400.
const MOST_POINTS: f64 = 20_000.0;

/// The largest number of images of a board. The one that comes up most often has at least this
/// share of what all of them cost together at most.
const IMAGES: f64 = 8.0;

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::table::{head, tail};
    use super::super::{Place, PositionCounts, SubGame, TableInfo, Tables, ValueKind, solve_in_memory};
    use super::*;
    use crate::board::{Grid, Size};

    /// Perfect play from a table.
    struct Perfect<'a>(&'a Table);

    // A policy lives as long as its evaluation, but a boxed one must live longer.
    fn perfect(table: &'static Table) -> Result<Box<dyn Policy>, PlayerError> {
        Ok(Box::new(Perfect(table)))
    }

    impl Policy for Perfect<'_> {
        fn shares(&mut self, board: &Board, four: Probability) -> Result<[f64; 4], PlayerError> {
            let best = self.0.judge(board, four).unwrap().and_then(|exact| exact.best_direction());
            // Where nothing can be won, any move will do.
            let best = best.or_else(|| board.legal_moves().iter().next()).unwrap();
            let mut shares = [0.0; 4];
            shares[best.index()] = 1.0;
            Ok(shares)
        }
    }

    fn evaluated(
        table: &Table,
        threads: usize,
        make: &(dyn Fn() -> Result<Box<dyn Policy>, PlayerError> + Sync),
    ) -> PolicyValue {
        let job = PolicyJob { threads, worst: 5, make, cancel: &false.into(), progress: &|_, _| {} };
        evaluate_policy(table, &job).unwrap().unwrap()
    }

    fn solved(game: &SubGame) -> &'static Table {
        let job = Job { threads: 2, keep: 0.0, asked: &[], cancel: &false.into(), progress: &|_| {} };
        Box::leak(Box::new(solve_in_memory(game, &job).unwrap().unwrap().1))
    }

    #[test]
    fn perfect_play_is_worth_its_table() {
        let tile = |tile| Goal::Tile { tile, place: Place::Anywhere };
        let on_board = |size: &str, goal| SubGame::on_board(size.parse().unwrap(), goal).unwrap();
        let walls = |walls: &str, tile, place| SubGame::endgame(walls.parse().unwrap(), tile, place).unwrap();
        for game in [
            on_board("2x2", Goal::Score),
            on_board("2x3", Goal::Score),
            on_board("2x3", tile(64)),
            on_board("2x3", Goal::Score).with_four(Probability::new(0.5).unwrap()),
            walls("0,1,2,3,7,6,5,4", 32, Place::Beside),
            walls("0,1,2,3,4,5,6,7", 64, Place::Anywhere),
        ] {
            let table = solved(&game);
            let value = evaluated(table, 2, &|| perfect(table));
            let off = (value.value - value.optimal).abs() / value.optimal;
            assert!(off < 1e-4, "{game}: {} for {}", value.value, value.optimal);
            // What rounding costs.
            assert!(value.worst.iter().all(|leak| leak.cost < 1e-4), "{game}: {:?}", value.worst);
        }
    }

    /// A slow twin: the expected score of random play by recursion over the rules of the game.
    fn random_play(known: &mut HashMap<Grid, f64>, board: &Board) -> f64 {
        if let Some(&value) = known.get(&board.to_grid()) {
            return value;
        }
        let legal = board.legal_moves();
        let mut sum = 0.0;
        for direction in legal.iter() {
            let slid = board.slide(direction).unwrap().unwrap();
            let empty: Vec<usize> = slid.after.empty_cells().collect();
            let mut value = slid.reward as f64;
            for &cell in &empty {
                for (tile, chance) in [(2, 0.9), (4, 0.1)] {
                    let next = slid.after.spawn(cell, tile).unwrap();
                    value += chance / empty.len() as f64 * random_play(known, &next);
                }
            }
            sum += value;
        }
        let value = if legal.is_empty() { 0.0 } else { sum / legal.len() as f64 };
        known.insert(board.to_grid(), value);
        value
    }

    #[test]
    fn random_play_is_worth_what_recursion_says() {
        for size in ["2x2", "2x3"] {
            let size: Size = size.parse().unwrap();
            let tables = Tables::default();
            let table = tables.solved(size, Goal::Score, Probability::TENTH).unwrap();
            let known = &mut HashMap::new();
            let empty = crate::board::Afterstate::empty(size);
            let mut expected = 0.0;
            for (one, first) in [(2, 0.9), (4, 0.1)] {
                for cell in 0..size.cells() {
                    for (two, second) in [(2, 0.9), (4, 0.1)] {
                        for other in (0..size.cells()).filter(|&other| other != cell) {
                            let board = empty.set_out(cell, one).unwrap().spawn(other, two).unwrap();
                            let pairs = (size.cells() * (size.cells() - 1)) as f64;
                            expected += first * second / pairs * random_play(known, &board);
                        }
                    }
                }
            }
            let value = evaluated(&table, 1, &|| Ok(Box::new(Uniform)));
            assert!((value.value - expected).abs() < 1e-9, "{size}: {} for {expected}", value.value);
            assert_eq!(value.boards, known.len() as u64);
            assert_eq!(value, evaluated(&table, 3, &|| Ok(Box::new(Uniform))), "on several threads");
        }
    }

    /// All that a policy loses is the sum of what it loses on all boards.
    #[test]
    fn the_leaks_add_up_to_the_difference() {
        let table = Tables::default();
        let table = table.solved("2x2".parse().unwrap(), Goal::Score, Probability::TENTH).unwrap();
        let make = || Ok(Box::new(Uniform) as Box<dyn Policy>);
        let job =
            PolicyJob { threads: 1, worst: 1000, make: &make, cancel: &false.into(), progress: &|_, _| {} };
        let value = evaluate_policy(&table, &job).unwrap().unwrap();
        let lost: f64 = value.worst.iter().map(|leak| leak.cost).sum();
        assert!((value.optimal - value.value - lost).abs() < 1e-4, "{} {lost}", value.optimal - value.value);
    }

    /// The counts of a file may be any.
    #[test]
    fn a_table_with_too_many_boards_has_the_largest_number() {
        let game = SubGame::on_board("2x2".parse().unwrap(), Goal::Score).unwrap();
        let counts = PositionCounts { boards: u64::MAX / 2, ..PositionCounts::default() };
        let values = ValueKind::of(game.goal());
        let info = TableInfo { game, values, keep: 0.0, start: 0.0, counts, stored: 0 };
        let table = Table::from_bytes([&head()[..], &tail(info, Vec::new())].concat()).unwrap();
        assert_eq!(table.most_boards(), u64::MAX);
    }

    #[test]
    fn a_policy_that_chooses_no_legal_move_is_an_error() {
        struct Up;
        impl Policy for Up {
            fn shares(&mut self, _: &Board, _: Probability) -> Result<[f64; 4], PlayerError> {
                Ok([1.0, 0.0, 0.0, 0.0])
            }
        }
        let table = Tables::default();
        let table = table.solved("2x2".parse().unwrap(), Goal::Score, Probability::TENTH).unwrap();
        let make = || Ok(Box::new(Up) as Box<dyn Policy>);
        let job =
            PolicyJob { threads: 1, worst: 0, make: &make, cancel: &false.into(), progress: &|_, _| {} };
        assert!(matches!(evaluate_policy(&table, &job), Err(PolicyError::Illegal { .. })));
    }
}
