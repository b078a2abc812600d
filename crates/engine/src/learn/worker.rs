//! The training thread: plays episodes until a limit is reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::episode::{EpisodeEnd, Luck, Step, learn_backward, play};
use super::formations::formation;
use super::starts::Shelves;
use super::value_function::ValueFunction;
use super::{Order, Progress, Recipe};
use crate::board::{Packed, PackedAfter};
use crate::game::{Probability, Stream};
use crate::ntuple::{Instructions, Machine, Portable, WithMachine};

/// A finished whole game. A game that makes a tile larger than the network knows counts up to that
/// move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The final score.
    pub score: u32,
    /// The number of moves.
    pub moves: u32,
    /// The largest rank reached.
    pub largest: u8,
}

/// Limits of a run. It pauses at the end of the episode that reaches one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limit<'a> {
    /// The number of episodes, counted from the start of the run.
    pub episodes: Option<u64>,
    /// The number of games, counted from the start of the run.
    pub games: Option<u64>,
    /// The number of moves, counted from the start of the run.
    pub moves: Option<u64>,
    /// A deadline.
    pub until: Option<Instant>,
    /// Another thread sets this to pause the run.
    pub cancel: Option<&'a AtomicBool>,
}

/// The length of games from boards in order. Many short games teach more about such boards than a
/// few long ones. Other games teach what comes later.
const FORMATION_MOVES: usize = 500;

/// The length of the shortest opening. An opening has this many moves, or 2, 4, 8 or 16 times as
/// many, which is up to about a tile of 16384. A whole game has ten thousand moves or more. Its
/// opening is a small part of it, and its restarts train only its end. Restarts can be cut in the
/// same way. Without a cut, the restarts of one game, and their own restarts, took twenty times as
/// many moves as the game.
const SHORTEST_CUT: usize = 500;

/// The purpose of the random streams of training games ("training" in ASCII).
const TRAINING: u64 = 0x7472_6169_6e69_6e67;

/// The state of one thread between games.
#[derive(Debug)]
pub(super) struct Worker<const R: usize, const C: usize> {
    /// Where the next episode starts; `None` for a new game.
    pub(super) next: Option<PackedAfter<R, C>>,
    steps: Vec<Step<R, C>>,
    pub(super) finished: Vec<Finished>,
}

impl<const R: usize, const C: usize> Worker<R, C> {
    pub(super) fn new(next: Option<PackedAfter<R, C>>) -> Self {
        Worker { next, steps: Vec::new(), finished: Vec::new() }
    }

    /// Plays and learns on this thread until a limit is reached. Only 4x4 boards gain from special
    /// instructions.
    pub(super) fn work<V: ValueFunction<R, C>>(&mut self, shared: &Shared<'_, V>) {
        let episodes = Episodes { shared, worker: self };
        if const { R == 4 && C == 4 } {
            Instructions::detect().dispatch(episodes);
        } else {
            episodes.with_machine(Portable);
        }
    }

    /// Plays the episode of a seed and learns from it.
    #[inline(always)]
    fn episode<V: ValueFunction<R, C>>(&mut self, shared: &Shared<'_, V>, machine: impl Machine, seed: u64) {
        let Shared { recipe, network, .. } = *shared;
        let rate = recipe.rate.at(shared.moves.load(Relaxed));
        let mut luck = Luck::new(Stream::with_purpose(seed, TRAINING), recipe.four.get());
        let plan = Plan::new(shared, self.next.take(), seed);
        let start = plan.first_board(&mut luck);
        let steps = &mut self.steps;
        let end = play(network, machine, start, &mut luck, (recipe.order, rate), plan.most, steps);
        if recipe.order == Order::Backward {
            learn_backward(network, machine, steps, end, rate);
        }
        self.finish(shared, &plan, end);
    }

    /// Counts a finished episode, and keeps boards for later episodes to start from.
    fn finish<V: ValueFunction<R, C>>(
        &mut self,
        shared: &Shared<'_, V>,
        plan: &Plan<R, C>,
        end: EpisodeEnd<R, C>,
    ) {
        let recipe = shared.recipe;
        // The move that made a tile larger than the network knows is not among the steps.
        let moves = self.steps.len() as u64 + u64::from(matches!(end, EpisodeEnd::Beyond { .. }));
        shared.moves.fetch_add(moves, Relaxed);
        // Only whole games count. Of the openings only the lost ones would have a result.
        if plan.is_whole_game() {
            shared.games.fetch_add(1, Relaxed);
            self.finished.push(self.finished_game(recipe, end, moves));
        }
        if recipe.stage_starts > Probability::ZERO {
            keep_entries(shared, plan.from, &self.steps);
        }
        self.next = match end {
            EpisodeEnd::Beyond { after, .. } => Some(after),
            EpisodeEnd::Over if recipe.restart > 0 && moves >= u64::from(recipe.restart) => {
                Some(self.steps[self.steps.len() / 2].after)
            }
            EpisodeEnd::Over | EpisodeEnd::Paused => None,
        };
    }

    fn finished_game(&self, recipe: &Recipe, end: EpisodeEnd<R, C>, moves: u64) -> Finished {
        let score: u32 = self.steps.iter().map(|step| step.reward).sum();
        let moves = moves as u32;
        match end {
            EpisodeEnd::Beyond { reward, .. } => {
                Finished { score: score + reward, moves, largest: recipe.shape.top + 1 }
            }
            EpisodeEnd::Over | EpisodeEnd::Paused => {
                let largest = self.steps.last().map_or(0, |step| step.after.max_rank());
                Finished { score, moves, largest }
            }
        }
    }
}

/// The state that all threads share.
pub(super) struct Shared<'a, V> {
    recipe: &'a Recipe,
    network: &'a V,
    shelves: &'a Shelves,
    limit: Limit<'a>,
    episodes: AtomicU64,
    games: AtomicU64,
    moves: AtomicU64,
}

impl<'a, V> Shared<'a, V> {
    pub(super) fn new(
        recipe: &'a Recipe,
        network: &'a V,
        shelves: &'a Shelves,
        limit: Limit<'a>,
        progress: Progress,
    ) -> Self {
        let Progress { episodes, games, moves, .. } = progress;
        let [episodes, games, moves] = [episodes, games, moves].map(AtomicU64::new);
        Shared { recipe, network, shelves, limit, episodes, games, moves }
    }

    /// The progress of the run, given its total time in seconds.
    pub(super) fn progress(self, seconds: f64) -> Progress {
        let Shared { episodes, games, moves, .. } = self;
        let [episodes, games, moves] = [episodes, games, moves].map(AtomicU64::into_inner);
        Progress { episodes, games, moves, seconds }
    }

    /// Takes the number of the next episode. Returns `None` if a limit is reached.
    fn next_episode(&self) -> Option<u64> {
        let Limit { episodes, games, moves, until, cancel } = self.limit;
        let reached =
            |limit: Option<u64>, count: &AtomicU64| limit.is_some_and(|limit| count.load(Relaxed) >= limit);
        if reached(games, &self.games)
            || reached(moves, &self.moves)
            || until.is_some_and(|until| Instant::now() >= until)
            || cancel.is_some_and(|cancel| cancel.load(Relaxed))
        {
            return None;
        }
        let below_limit = |number: u64| episodes.is_none_or(|limit| number < limit).then_some(number + 1);
        self.episodes.fetch_update(Relaxed, Relaxed, below_limit).ok()
    }
}

/// The work of one thread, for [`Instructions::dispatch`].
struct Episodes<'a, const R: usize, const C: usize, V> {
    shared: &'a Shared<'a, V>,
    worker: &'a mut Worker<R, C>,
}

impl<const R: usize, const C: usize, V: ValueFunction<R, C>> WithMachine for Episodes<'_, R, C, V> {
    type Output = ();

    #[inline(always)]
    fn with_machine(self, machine: impl Machine) {
        let Episodes { shared, worker } = self;
        let seeds = Stream::with_purpose(shared.recipe.seed, TRAINING);
        while let Some(number) = shared.next_episode() {
            worker.episode(shared, machine, seeds.draw(number));
        }
    }
}

/// The start and the maximal length of an episode.
struct Plan<const R: usize, const C: usize> {
    /// The afterstate that it starts from; `None` for a new game.
    from: Option<PackedAfter<R, C>>,
    /// The maximal number of moves.
    most: usize,
}

impl<const R: usize, const C: usize> Plan<R, C> {
    /// The plan of the episode of a seed. It starts from `next` if that is given, otherwise
    /// according to the shares of the recipe.
    fn new<V: ValueFunction<R, C>>(
        shared: &Shared<'_, V>,
        next: Option<PackedAfter<R, C>>,
        seed: u64,
    ) -> Plan<R, C> {
        let recipe = shared.recipe;
        let restart = next.or_else(|| stage_start(shared, seed));
        let formation = if restart.is_none() { formation_start(recipe, seed) } else { None };
        let most = match formation {
            Some(_) => FORMATION_MOVES,
            None => cut_after(recipe, seed).unwrap_or(usize::MAX),
        };
        Plan { from: restart.or(formation), most }
    }

    /// Whether this is a game from the beginning that may run to its end.
    fn is_whole_game(&self) -> bool {
        self.from.is_none() && self.most == usize::MAX
    }

    fn first_board(&self, luck: &mut Luck) -> Packed<R, C> {
        match self.from {
            Some(after) => luck.spawn(Portable, after),
            None => luck.first_board(),
        }
    }
}

/// Whether a game belongs to a share of all games, decided by the first draw of its stream.
fn is_one_of(share: Probability, luck: Stream) -> bool {
    luck.unit(0) < share.get()
}

/// A board of a later stage to start from, for the share of games set by the recipe.
fn stage_start<const R: usize, const C: usize, V: ValueFunction<R, C>>(
    shared: &Shared<'_, V>,
    seed: u64,
) -> Option<PackedAfter<R, C>> {
    /// "stage" in ASCII.
    const PURPOSE: u64 = 0x73_7461_6765;
    let luck = Stream::with_purpose(seed, PURPOSE);
    let wanted = is_one_of(shared.recipe.stage_starts, luck);
    wanted.then(|| shared.shelves.pick(luck, 1)).flatten().and_then(startable)
}

/// A board with its large tiles in order, for the share of games set by the recipe.
fn formation_start<const R: usize, const C: usize>(recipe: &Recipe, seed: u64) -> Option<PackedAfter<R, C>> {
    /// "forms" in ASCII.
    const PURPOSE: u64 = 0x66_6f72_6d73;
    let luck = Stream::with_purpose(seed, PURPOSE);
    let wanted = is_one_of(recipe.formations, luck);
    wanted.then(|| formation(Stream::with_purpose(luck.draw(1), PURPOSE), recipe.shape.top))
}

/// The number of moves after which an episode is cut, for the share of games set by the recipe.
fn cut_after(recipe: &Recipe, seed: u64) -> Option<usize> {
    /// "opening" in ASCII.
    const PURPOSE: u64 = 0x6f_7065_6e69_6e67;
    let luck = Stream::with_purpose(seed, PURPOSE);
    is_one_of(recipe.openings, luck).then(|| SHORTEST_CUT << luck.below(1, 5))
}

/// The afterstate of packed cells, if a game can start from it. A checkpoint may contain anything.
pub(super) fn startable<const R: usize, const C: usize>(bits: u64) -> Option<PackedAfter<R, C>> {
    PackedAfter::from_bits(bits).filter(|after| after.empty_mask() != 0)
}

/// Keeps the afterstates on which a game first entered a later stage.
fn keep_entries<const R: usize, const C: usize, V: ValueFunction<R, C>>(
    shared: &Shared<'_, V>,
    start: Option<PackedAfter<R, C>>,
    steps: &[Step<R, C>],
) {
    let mut highest = start.map_or(0, |after| shared.network.stage(after));
    for step in steps {
        let stage = shared.network.stage(step.after);
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
    use crate::ntuple::{Patterns, Shape, Stages};

    #[test]
    fn cuts_have_five_lengths() {
        let patterns = Patterns::parse(Size::FOUR, "0123").unwrap();
        let shape = Shape { patterns, stages: Stages::one(), top: 14, start_value: 0.0 };
        let cut = |openings| {
            let recipe = Recipe { openings, ..Recipe::new(shape.clone()) };
            (0..200).map(|seed| cut_after(&recipe, seed)).collect::<BTreeSet<_>>()
        };
        assert_eq!(cut(Probability::ONE), [500, 1000, 2000, 4000, 8000].map(Some).into());
        assert_eq!(cut(Probability::ZERO), [None].into());
    }
}
