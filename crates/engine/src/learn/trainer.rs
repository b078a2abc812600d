//! A training run: threads that play and learn on the same weights.

use std::io;
use std::time::Instant;

use super::average::Average;
use super::rule::Rule;
use super::starts::Shelves;
use super::tables::Tables;
use super::value_function::ValueFunction;
use super::worker::{Shared, Worker, startable};
use super::{Finished, Limit, NewStages, Progress, Quantisation, Recipe};
use crate::board::PackedAfter;
use crate::ntuple::Network;
use crate::parallel;

/// Trains one network. A run can be paused and resumed at any time. On one thread the same recipe
/// always gives the same weights, however often the run was paused. [`Training`](super::Training)
/// is the public interface.
#[derive(Debug)]
pub(super) struct Trainer<const R: usize, const C: usize, V> {
    pub(super) recipe: Recipe,
    pub(super) tables: V,
    pub(super) progress: Progress,
    pub(super) shelves: Shelves,
    pub(super) average: Option<Average>,
    workers: Vec<Worker<R, C>>,
}

impl<const R: usize, const C: usize, K: Rule> Trainer<R, C, Tables<K>> {
    /// A new run. The recipe must be for this board size and this update rule. Fails if there is
    /// not enough memory.
    pub(super) fn new(recipe: Recipe) -> io::Result<Self> {
        assert_eq!(recipe.rule, K::RULE, "the recipe must be for this update rule");
        let size = recipe.shape.patterns.size();
        assert_eq!((size.rows(), size.cols()), (R, C), "the recipe must be for this board size");
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

    /// A new run that starts with the weights of a network. The network has the recipe's shape, or
    /// only the first of its stages. `quantisation` says how the network was rounded.
    pub(super) fn from_network(
        recipe: Recipe,
        network: &Network,
        quantisation: Quantisation,
        new: NewStages,
    ) -> io::Result<Self> {
        let trainer = Self::new(recipe)?;
        trainer.tables.begin_with(network, quantisation, new);
        Ok(trainer)
    }
}

impl<const R: usize, const C: usize, V: ValueFunction<R, C>> Trainer<R, C, V> {
    /// Where the threads start their next games: the afterstates of restarts as packed bits, 0 for
    /// a new game.
    pub(super) fn pending(&self) -> Vec<u64> {
        self.workers.iter().map(|worker| worker.next.map_or(0, PackedAfter::bits)).collect()
    }

    /// Restores the result of [`Trainer::pending`].
    pub(super) fn set_pending(&mut self, pending: &[u64]) {
        let next = |bits: u64| startable(bits).filter(|after| after.bits() != 0);
        self.workers = pending.iter().map(|&bits| Worker::new(next(bits))).collect();
    }

    /// Plays and learns on a number of threads until a limit is reached. Returns the finished
    /// games.
    pub(super) fn play(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished> {
        let begin = Instant::now();
        let threads = if self.progress.games < self.recipe.single_games { 1 } else { threads.max(1) };
        while self.workers.len() < threads {
            self.workers.push(Worker::new(None));
        }
        let shared = Shared::new(&self.recipe, &self.tables, &self.shelves, limit, self.progress);
        let workers = self.workers[..threads].iter_mut();
        parallel::for_each(workers, threads, || |worker| worker.work(&shared));
        self.progress = shared.progress(self.progress.seconds + begin.elapsed().as_secs_f64());
        self.workers.iter_mut().flat_map(|worker| std::mem::take(&mut worker.finished)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::game::Probability;
    use crate::learn::rule::Td;
    use crate::learn::{Training as _, UpdateRule};
    use crate::ntuple::{Patterns, Shape, Stages};

    /// A lost opening restarts from its middle. The restart is cut like the opening, and then the
    /// next episode is a new game.
    #[test]
    fn restarts_are_cut_like_openings() {
        let patterns = Patterns::parse(Size::FOUR, "0123 4567 0145 1256").unwrap();
        let shape = Shape { patterns, stages: Stages::one(), top: 14, start_value: 0.0 };
        let recipe = Recipe {
            rule: UpdateRule::Td,
            rate: "0.5".parse().unwrap(),
            openings: Probability::ONE,
            seed: 3,
            ..Recipe::new(shape)
        };
        let mut trainer = Trainer::<4, 4, Tables<Td>>::new(recipe).unwrap();
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
        assert_eq!(trainer.progress.games, 0, "no episode was a whole game");
    }
}
