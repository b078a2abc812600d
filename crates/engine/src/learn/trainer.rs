//! A training run: threads that play and learn on the same tables.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::average::Average;
use super::episode::{End, Luck, Step, learn_backward, play};
use super::formations::formation;
use super::rule::Rule;
use super::starts::Shelves;
use super::tables::Tables;
use super::{Mixed, NewStages, Order, Progress, Quantisation, Recipe, Schedule};
use crate::board::PackedAfter;
use crate::eval::Evaluator as _;
use crate::game::Stream;
use crate::ntuple::{Instructions, Machine, Network, Portable, Shape, Stages, WithMachine};
use crate::parallel;

/// A whole game that is over, or has reached a tile beyond the network's largest (and counts up to there).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The score.
    pub score: u32,
    /// The moves.
    pub moves: u32,
    /// The largest rank made.
    pub largest: u8,
}

/// When to pause: at the end of the game during which a limit is reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limit<'a> {
    /// Not beyond this number of episodes, counted from the beginning of the run.
    pub episodes: Option<u64>,
    /// Not beyond this number of games, counted from the beginning of the run.
    pub games: Option<u64>,
    /// Not beyond this number of moves, counted from the beginning of the run.
    pub moves: Option<u64>,
    /// Not beyond this moment.
    pub until: Option<Instant>,
    /// Set from outside.
    pub cancel: Option<&'a AtomicBool>,
}

/// Games from boards in order are played so far: many short ones teach more about such boards than few long ones, and what
/// comes later is known from the games that start there.
const FORMATION_MOVES: usize = 500;

/// Openings are played so far, or up to sixteen times as far: up to a tile of 16384 or so. A whole game takes ten thousand
/// moves and more, of which its opening is a small part, and its restarts see only its end. A restart may be cut in the same way:
/// played to their ends, the restarts of restarts of one game took twenty times as many moves as the game.
const SHORTEST_CUT: usize = 500;

/// What one thread carries from game to game.
#[derive(Debug)]
struct Worker<const R: usize, const C: usize> {
    /// Where the next game starts; anew if nowhere.
    next: Option<PackedAfter<R, C>>,
    steps: Vec<Step<R, C>>,
    finished: Vec<Finished>,
}

/// Trains one network. Pauses whenever it is told to and goes on where it was; on one thread the same recipe always
/// gives the same weights, however often it was paused.
#[derive(Debug)]
pub struct Trainer<const R: usize, const C: usize, K: Rule> {
    pub(super) recipe: Recipe,
    pub(super) tables: Tables<K>,
    pub(super) progress: Progress,
    pub(super) shelves: Shelves,
    pub(super) average: Option<Average>,
    workers: Vec<Worker<R, C>>,
}

/// What threads share.
struct Shared<'a, K: Rule> {
    recipe: &'a Recipe,
    tables: &'a Tables<K>,
    shelves: &'a Shelves,
    limit: Limit<'a>,
    episodes: AtomicU64,
    games: AtomicU64,
    moves: AtomicU64,
}

impl<const R: usize, const C: usize, K: Rule> Trainer<R, C, K> {
    /// A new run; fails when there is not enough memory.
    ///
    /// # Panics
    /// If the recipe is for another size of boards or another rule.
    pub fn new(recipe: Recipe) -> io::Result<Self> {
        assert_eq!(recipe.rule, K::NAME, "the recipe is for this rule");
        let size = recipe.shape.patterns.size();
        assert_eq!((size.rows(), size.cols()), (R, C), "the recipe is for this size");
        let tables = Tables::new(recipe.shape.clone())?;
        let shelves = Shelves::new(recipe.shape.stages.len());
        Ok(Trainer {
            recipe,
            tables,
            progress: Progress::default(),
            shelves,
            average: None,
            workers: Vec::new(),
        })
    }

    /// The same, but the weights are at first those of a network of the recipe's shape, or of one that has only the first of its
    /// stages, which was rounded so.
    ///
    /// # Panics
    /// If the network has neither the shape nor the first stages of it, or the recipe is for another size of boards or rule.
    pub fn from_network(
        recipe: Recipe,
        network: &Network,
        quantisation: Quantisation,
        new: NewStages,
    ) -> io::Result<Self> {
        let trainer = Self::new(recipe)?;
        trainer.tables.begin_with(network, quantisation, new);
        Ok(trainer)
    }

    /// What is done.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Changes the learning rate from now on.
    pub fn set_rate(&mut self, rate: Schedule) {
        self.recipe.rate = rate;
    }

    /// Gives the network more stages. A share of the games starts from boards of the later stages.
    pub fn set_stages(&mut self, stages: Stages, new: NewStages, share: f64) -> io::Result<()> {
        self.recipe.stage_starts = share;
        if stages == self.recipe.shape.stages {
            return Ok(());
        }
        let shape = Shape { stages, ..self.recipe.shape.clone() };
        let tables = self.tables.with_stages(shape.clone(), new)?;
        let shelves = Shelves::new(shape.stages.len());
        shelves.restore(&self.shelves.contents());
        (self.tables, self.shelves, self.average) = (tables, shelves, None);
        self.recipe.shape = shape;
        Ok(())
    }

    /// Changes the share of games that start on a board with its large tiles in order.
    pub fn set_formations(&mut self, share: f64) {
        self.recipe.formations = share;
    }

    /// Changes the share of games and restarts that are cut after the length of an opening.
    pub fn set_openings(&mut self, share: f64) {
        self.recipe.openings = share;
    }

    /// Moves the weights a part of the way to those of a network of the run's shape, or of one that has only the first of its stages;
    /// then the weights of the others stay. Values are sums of weights, so for boards of these stages this is the same as asking both
    /// and taking the mean: what each of them has learned by chance alone counts less. A mean of earlier weights is forgotten.
    ///
    /// # Panics
    /// If the network has neither the shape nor the first stages of it.
    pub fn mix(&mut self, network: &Network, quantisation: Quantisation, share: f64) {
        self.tables.mix(network, quantisation, share as f32);
        self.average = None;
        let moves = self.progress.moves;
        let hash = network.fingerprint().map(str::to_owned);
        self.recipe.mixed.extend(hash.map(|network| Mixed { network, share, moves }));
    }

    /// Adds the weights as they are now to a mean, which the network to play with has from then on.
    pub fn add_to_mean(&mut self) -> io::Result<()> {
        let average = match &mut self.average {
            Some(average) => average,
            None => self.average.insert(Average::new(&self.tables)?),
        };
        average.add(&self.tables);
        Ok(())
    }

    /// The value of an afterstate so far.
    pub fn value(&self, after: PackedAfter<R, C>) -> f32 {
        self.tables.value(&self.tables.sight(Portable, after))
    }

    /// Where the threads will start their next games: the afterstates of restarts.
    pub(super) fn pending(&self) -> Vec<u64> {
        self.workers.iter().map(|worker| worker.next.map_or(0, PackedAfter::bits)).collect()
    }

    /// Sets what [`Trainer::pending`] told.
    pub(super) fn set_pending(&mut self, pending: &[u64]) {
        let next = |bits: u64| startable(bits).filter(|after| after.bits() != 0);
        self.workers = pending.iter().map(|&bits| Worker::new(next(bits))).collect();
    }

    /// Plays and learns on a number of threads until a limit is reached; returns the games that were finished.
    pub fn run(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished> {
        let begin = Instant::now();
        let threads = if self.progress.games < self.recipe.single_games { 1 } else { threads.max(1) };
        while self.workers.len() < threads {
            self.workers.push(Worker::new(None));
        }
        let shared = Shared {
            recipe: &self.recipe,
            tables: &self.tables,
            shelves: &self.shelves,
            limit,
            episodes: self.progress.episodes.into(),
            games: self.progress.games.into(),
            moves: self.progress.moves.into(),
        };
        let workers = self.workers[..threads].iter_mut();
        parallel::for_each(workers, threads, || |worker| work(&shared, worker));
        let Shared { episodes, games, moves, .. } = shared;
        self.progress = Progress {
            episodes: episodes.into_inner(),
            games: games.into_inner(),
            moves: moves.into_inner(),
            seconds: self.progress.seconds + begin.elapsed().as_secs_f64(),
        };
        self.workers.iter_mut().flat_map(|worker| std::mem::take(&mut worker.finished)).collect()
    }
}

impl<const R: usize, const C: usize> Worker<R, C> {
    fn new(next: Option<PackedAfter<R, C>>) -> Self {
        Worker { next, steps: Vec::new(), finished: Vec::new() }
    }
}

/// The work of one thread.
struct Episodes<'a, const R: usize, const C: usize, K: Rule> {
    shared: &'a Shared<'a, K>,
    worker: &'a mut Worker<R, C>,
}

impl<const R: usize, const C: usize, K: Rule> WithMachine for Episodes<'_, R, C, K> {
    type Output = ();

    #[inline(always)]
    fn with_machine(self, machine: impl Machine) {
        episodes(self.shared, machine, self.worker);
    }
}

/// Plays and learns on one thread. Small boards need no particular instructions.
fn work<const R: usize, const C: usize, K: Rule>(shared: &Shared<'_, K>, worker: &mut Worker<R, C>) {
    let episodes = Episodes { shared, worker };
    if const { R == 4 && C == 4 } {
        Instructions::detect().dispatch(episodes);
    } else {
        episodes.with_machine(Portable);
    }
}

#[inline(always)]
fn episodes<const R: usize, const C: usize, K: Rule>(
    shared: &Shared<'_, K>,
    machine: impl Machine,
    worker: &mut Worker<R, C>,
) {
    /// "training" in ASCII.
    const PURPOSE: u64 = 0x7472_6169_6e69_6e67;
    let Shared { recipe, tables, limit, .. } = shared;
    let stream = Stream::with_purpose(recipe.seed, PURPOSE);
    loop {
        let reached =
            |limit: Option<u64>, count: &AtomicU64| limit.is_some_and(|limit| count.load(Relaxed) >= limit);
        let late = limit.until.is_some_and(|until| Instant::now() >= until);
        if reached(limit.games, &shared.games) || reached(limit.moves, &shared.moves) || late {
            return;
        }
        if limit.cancel.is_some_and(|cancel| cancel.load(Relaxed)) {
            return;
        }
        let below_limit =
            |number: u64| limit.episodes.is_none_or(|limit| number < limit).then_some(number + 1);
        let Ok(number) = shared.episodes.fetch_update(Relaxed, Relaxed, below_limit) else {
            return;
        };
        let rate = recipe.rate.at(shared.moves.load(Relaxed));
        let seed = stream.draw(number);
        let mut luck = Luck::new(Stream::with_purpose(seed, PURPOSE), recipe.four.get());
        let restart = worker.next.take().or_else(|| stage_start(shared, seed));
        let formation = if restart.is_none() { formation_start(recipe, seed) } else { None };
        let restart = restart.or(formation);
        let start = match restart {
            Some(after) => luck.spawn(Portable, after),
            None => luck.first_board(),
        };
        let steps = &mut worker.steps;
        let most = match formation {
            Some(_) => FORMATION_MOVES,
            None => cut_after(recipe, seed).unwrap_or(usize::MAX),
        };
        let end = play(tables, machine, start, &mut luck, (recipe.order, rate), most, steps);
        if recipe.order == Order::Backward {
            learn_backward(tables, machine, steps, end, rate);
        }
        let extra = match end {
            End::Over | End::Paused => None,
            End::Beyond { reward, after } => Some((reward, after)),
        };
        let moves = steps.len() as u64 + u64::from(extra.is_some());
        shared.moves.fetch_add(moves, Relaxed);
        // Of openings only those that were lost would be counted.
        if restart.is_none() && most == usize::MAX {
            shared.games.fetch_add(1, Relaxed);
            let last = steps.last().map_or(0, |step| step.after.max_rank());
            worker.finished.push(Finished {
                score: steps.iter().map(|step| step.reward).sum::<u32>()
                    + extra.map_or(0, |(reward, _)| reward),
                moves: moves as u32,
                largest: if extra.is_some() { recipe.shape.top + 1 } else { last },
            });
        }
        if recipe.stage_starts > 0.0 {
            keep_entries(shared, restart, steps);
        }
        worker.next = match extra {
            Some((_, after)) => Some(after),
            None if end == End::Paused => None,
            None if recipe.restart > 0 && moves >= u64::from(recipe.restart) => {
                Some(steps[steps.len() / 2].after)
            }
            None => None,
        };
    }
}

/// A board of a later stage to start from, for the share of games that the recipe gives to them.
fn stage_start<const R: usize, const C: usize, K: Rule>(
    shared: &Shared<'_, K>,
    seed: u64,
) -> Option<PackedAfter<R, C>> {
    /// "stage" in ASCII.
    const PURPOSE: u64 = 0x73_7461_6765;
    let luck = Stream::with_purpose(seed, PURPOSE);
    let wanted = shared.recipe.stage_starts > 0.0 && luck.unit(0) < shared.recipe.stage_starts;
    wanted.then(|| shared.shelves.pick(luck, 1)).flatten().and_then(startable)
}

/// A board with its large tiles in order, for the share of games that the recipe gives to them.
fn formation_start<const R: usize, const C: usize>(recipe: &Recipe, seed: u64) -> Option<PackedAfter<R, C>> {
    /// "forms" in ASCII.
    const PURPOSE: u64 = 0x66_6f72_6d73;
    let luck = Stream::with_purpose(seed, PURPOSE);
    let wanted = recipe.formations > 0.0 && luck.unit(0) < recipe.formations;
    wanted.then(|| formation(Stream::with_purpose(luck.draw(1), PURPOSE), recipe.shape.top))
}

/// How many moves a game or a restart is played, if it is one of those that are cut.
fn cut_after(recipe: &Recipe, seed: u64) -> Option<usize> {
    /// "opening" in ASCII.
    const PURPOSE: u64 = 0x6f_7065_6e69_6e67;
    let luck = Stream::with_purpose(seed, PURPOSE);
    let wanted = recipe.openings > 0.0 && luck.unit(0) < recipe.openings;
    wanted.then(|| SHORTEST_CUT << luck.below(1, 5))
}

/// The afterstate of packed cells, if a game can go on from there: a checkpoint may hold anything.
fn startable<const R: usize, const C: usize>(bits: u64) -> Option<PackedAfter<R, C>> {
    PackedAfter::from_bits(bits).filter(|after| after.empty_mask() != 0)
}

/// Keeps the afterstates on which a game entered a later stage for the first time.
fn keep_entries<const R: usize, const C: usize, K: Rule>(
    shared: &Shared<'_, K>,
    start: Option<PackedAfter<R, C>>,
    steps: &[Step<R, C>],
) {
    let stage = |after: PackedAfter<R, C>| shared.tables.stage(after.bits());
    let mut highest = start.map_or(0, stage);
    for step in steps {
        let stage = stage(step.after);
        if stage > highest {
            highest = stage;
            shared.shelves.put(stage, step.after.bits());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::board::Size;
    use crate::game::Probability;
    use crate::learn::Td;
    use crate::ntuple::Patterns;

    fn recipe(openings: f64) -> Recipe {
        let patterns = Patterns::parse(Size::FOUR, "0123 4567 0145 1256").unwrap();
        Recipe {
            shape: Shape { patterns, stages: Stages::one(), top: 14, start_value: 0.0 },
            rule: Td::NAME.to_owned(),
            order: Order::Backward,
            rate: "0.5".parse().unwrap(),
            restart: 100,
            stage_starts: 0.0,
            formations: 0.0,
            openings,
            four: Probability::TENTH,
            seed: 3,
            from: None,
            mixed: Vec::new(),
            single_games: 0,
        }
    }

    #[test]
    fn cuts_have_five_lengths() {
        let lengths: BTreeSet<_> = (0..200).map(|seed| cut_after(&recipe(1.0), seed)).collect();
        assert_eq!(lengths, [500, 1000, 2000, 4000, 8000].map(Some).into());
        assert!((0..200).all(|seed| cut_after(&recipe(0.0), seed).is_none()));
    }

    /// A game that is lost is played again from its middle; that one is cut as well, and then nothing is left of it.
    #[test]
    fn restarts_are_cut_like_openings() {
        let mut trainer = Trainer::<4, 4, Td>::new(recipe(1.0)).unwrap();
        let (mut cut_openings, mut cut_restarts) = (0, 0);
        for episode in 0..6000 {
            let restarts = trainer.pending().first().is_some_and(|&bits| bits != 0);
            let before = trainer.progress.moves;
            trainer.run(1, Limit { episodes: Some(episode + 1), ..Limit::default() });
            let moves = trainer.progress.moves - before;
            assert!(moves <= 8000, "{moves}");
            if moves == 500 && trainer.pending() == [0] {
                *(if restarts { &mut cut_restarts } else { &mut cut_openings }) += 1;
            }
        }
        assert!(cut_openings > 0 && cut_restarts > 0, "{cut_openings} {cut_restarts}");
        assert_eq!(trainer.progress.games, 0, "none of them was a whole game");
    }
}
