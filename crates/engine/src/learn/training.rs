//! The interface of training runs. Board size and update rule are known only at run time.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::average::Average;
use super::checkpoint::{CheckpointError, TrainingFile, with_this_or_before};
use super::rule::{Rule, Tc, Td};
use super::starts::Shelves;
use super::tables::Tables;
use super::trainer::Trainer;
use super::value_function::ValueFunction as _;
use super::{Changes, Finished, Limit, Mixed, NewStages, Progress, Quantisation, Recipe, UpdateRule};
use crate::board::{PackedAfter, Size, WithSides};
use crate::eval::{Evaluator as _, View};
use crate::game::Probability;
use crate::ntuple::{EmptyStage, Network, Portable, Shape, Stages};
use crate::text::in_words;

/// Why a run cannot start or resume.
#[derive(Debug, Error)]
pub enum TrainingError {
    /// Training does not support this board size.
    #[error("networks can be trained for 2x2, 2x3, 2x4, 3x3, 3x4 and 4x4 boards, not {0}")]
    Size(Size),
    /// The checkpoint is not for 4x4 boards, so it cannot be played directly.
    #[error("the checkpoint is for {0} boards; only checkpoints for 4x4 boards can be played directly")]
    NotFour(Size),
    /// The largest tile does not fit a packed board.
    #[error("the largest tile of a network must be 2 to 32768 (rank 1 to 15), not rank {0}")]
    Top(u8),
    /// The network to mix in does not fit the run.
    #[error("the network to mix in has {0}")]
    OtherShape(&'static str),
    /// The network is already mixed in, with a different share.
    #[error("this network is already mixed in, with a share of {0}; omit the option to resume")]
    OtherMix(Probability),
    /// There is not enough memory.
    #[error("not enough memory for the network: {}", in_words(.0))]
    Memory(#[source] io::Error),
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A stage contains no boards.
    #[error(transparent)]
    EmptyStage(#[from] EmptyStage),
    /// The new stages would drop learned weights.
    #[error("the network has --stages {0}; you can add later stages, but not change or remove one")]
    OtherStages(Stages),
}

/// A training run, for any board size and any update rule. [`start`], [`start_from`], [`resume`]
/// and [`resume_or_before`] return one. A run pauses when [`run`](Training::run) returns, and the
/// next call continues it. On one thread the same recipe always gives the same weights, however
/// often the run was paused.
pub trait Training: Send {
    /// The settings of the run.
    fn recipe(&self) -> &Recipe;
    /// The progress of the run.
    fn progress(&self) -> Progress;
    /// Plays and learns on a number of threads until a limit is reached. Returns the finished
    /// games.
    fn run(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished>;
    /// Changes the recipe from now on. If the changes are refused, or memory runs out, nothing
    /// changes.
    fn apply(&mut self, changes: Changes) -> Result<(), TrainingError>;
    /// Moves the weights towards those of a network by `share` of the distance. The network has the
    /// run's shape, or only the first of its stages; the weights of the other stages stay.
    /// `quantisation` says how the network was rounded. A network that is already mixed in is not
    /// mixed in again.
    ///
    /// Values are sums of weights, so for boards of these stages mixing equals averaging the values
    /// of both networks. Random errors of each then count less. Resets the mean of the weights.
    fn mix(
        &mut self,
        network: &Network,
        quantisation: Quantisation,
        share: Probability,
    ) -> Result<(), TrainingError>;
    /// Adds the current weights to a mean. From then on [`network`](Training::network) exports the
    /// mean. Checkpoints do not store it.
    fn add_to_mean(&mut self) -> Result<(), TrainingError>;
    /// The value of an afterstate by the current weights. `None` for a board of another size.
    fn value(&self, view: &View) -> Option<f64>;
    /// Writes a checkpoint and keeps the previous one as `.previous`.
    fn save(&self, path: &Path) -> Result<(), CheckpointError>;
    /// The network for playing, from the mean of the weights if there is one, otherwise from the
    /// current weights.
    fn network(&self, quantisation: Quantisation) -> io::Result<Network>;
}

impl<const R: usize, const C: usize, K: Rule> Training for Trainer<R, C, Tables<K>> {
    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn run(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished> {
        self.play(threads, limit)
    }

    fn apply(&mut self, changes: Changes) -> Result<(), TrainingError> {
        let new = changes.new_stages;
        let recipe = self.recipe.clone().changed(changes);
        let stages = &recipe.shape.stages;
        if *stages != self.recipe.shape.stages {
            check_more_stages(&self.recipe.shape, stages)?;
            let tables = self.tables.with_stages(recipe.shape.clone(), new).map_err(TrainingError::Memory)?;
            let shelves = Shelves::new(stages.len());
            shelves.restore(&self.shelves.contents());
            (self.tables, self.shelves, self.average) = (tables, shelves, None);
        }
        self.recipe = recipe;
        Ok(())
    }

    fn mix(
        &mut self,
        network: &Network,
        quantisation: Quantisation,
        share: Probability,
    ) -> Result<(), TrainingError> {
        let Recipe { shape, mixed, .. } = &self.recipe;
        if let Some(difference) = shape.difference_from(network.shape()) {
            return Err(TrainingError::OtherShape(difference));
        }
        match mixed.iter().find(|mixed| Some(mixed.network.as_str()) == network.fingerprint()) {
            Some(before) if before.share != share => return Err(TrainingError::OtherMix(before.share)),
            Some(_) => return Ok(()),
            None => {}
        }
        self.tables.mix(network, quantisation, share.get() as f32);
        self.average = None;
        let moves = self.progress.moves;
        let hash = network.fingerprint().map(str::to_owned);
        self.recipe.mixed.extend(hash.map(|network| Mixed { network, share, moves }));
        Ok(())
    }

    fn add_to_mean(&mut self) -> Result<(), TrainingError> {
        let average = match &mut self.average {
            Some(average) => average,
            None => self.average.insert(Average::new(&self.tables).map_err(TrainingError::Memory)?),
        };
        average.add(&self.tables);
        Ok(())
    }

    fn value(&self, view: &View) -> Option<f64> {
        let shape = &self.recipe.shape;
        let known = (view.size() == shape.patterns.size()).then(|| shape.known_cells(view))?;
        let active = self.tables.active(Portable, PackedAfter::<R, C>::from_bits(known)?);
        Some(self.tables.value(&active).into())
    }

    fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        self.write_checkpoint(path)
    }

    fn network(&self, quantisation: Quantisation) -> io::Result<Network> {
        self.export(quantisation)
    }
}

/// The origin of a run.
enum Source<'a> {
    /// Only a recipe.
    Recipe(Recipe),
    /// A recipe and a network to start from.
    Network(Recipe, &'a Network, Quantisation, NewStages),
    /// The recipe and path of a checkpoint.
    Checkpoint(Recipe, &'a Path),
}

impl Source<'_> {
    /// Creates the run, compiled for the board size and update rule of its recipe.
    fn begin(self) -> Result<Box<dyn Training>, TrainingError> {
        let (Source::Recipe(recipe) | Source::Network(recipe, ..) | Source::Checkpoint(recipe, _)) = &self;
        let size = recipe.shape.patterns.size();
        size.with_sides(self).unwrap_or(Err(TrainingError::Size(size)))
    }

    fn trainer<const R: usize, const C: usize, K: Rule>(self) -> Result<Box<dyn Training>, TrainingError> {
        let memory = TrainingError::Memory;
        let trainer: Trainer<R, C, Tables<K>> = match self {
            Source::Recipe(recipe) => Trainer::new(recipe).map_err(memory)?,
            Source::Network(recipe, network, quantisation, new) => {
                Trainer::from_network(recipe, network, quantisation, new).map_err(memory)?
            }
            Source::Checkpoint(_, path) => Trainer::load(path)?,
        };
        Ok(Box::new(trainer))
    }
}

impl WithSides for Source<'_> {
    type Output = Result<Box<dyn Training>, TrainingError>;

    fn with_sides<const R: usize, const C: usize>(self) -> Self::Output {
        let (Source::Recipe(recipe) | Source::Network(recipe, ..) | Source::Checkpoint(recipe, _)) = &self;
        // A board with more rows than columns can be transposed, so no code is compiled for it.
        if const { R > C } {
            return Err(TrainingError::Size(recipe.shape.patterns.size()));
        }
        match recipe.rule {
            UpdateRule::Tc => self.trainer::<R, C, Tc>(),
            UpdateRule::Td => self.trainer::<R, C, Td>(),
        }
    }
}

/// Checks that a network can get these stages. Existing stages are not checked.
fn check_more_stages(shape: &Shape, stages: &Stages) -> Result<(), TrainingError> {
    if *stages == shape.stages {
        return Ok(());
    }
    if !stages.go_on_from(&shape.stages) {
        return Err(TrainingError::OtherStages(shape.stages.clone()));
    }
    check_stages(&Shape { stages: stages.clone(), ..shape.clone() })
}

/// Checks that every stage of a network contains boards.
fn check_stages(shape: &Shape) -> Result<(), TrainingError> {
    Ok(shape.stages.check(shape.patterns.size().cells(), shape.top)?)
}

/// Checks that packed boards can hold the largest tile of a network.
fn check_top(shape: &Shape) -> Result<(), TrainingError> {
    if (1..=15).contains(&shape.top) { Ok(()) } else { Err(TrainingError::Top(shape.top)) }
}

/// Starts a run with zero weights.
pub fn start(recipe: Recipe) -> Result<Box<dyn Training>, TrainingError> {
    check_top(&recipe.shape)?;
    check_stages(&recipe.shape)?;
    Source::Recipe(recipe).begin()
}

/// Starts a run with the weights of a network. The run has the network's shape, whatever the recipe
/// says, except for `recipe.shape.stages`. These may add stages, which start as `new` says.
///
/// If the network was read from a file, the recipe keeps its hash. All threads play from the first
/// game. `quantisation` says how the network was rounded. The rounding tells how much each weight
/// was used, and so how fast it should continue to learn.
pub fn start_from(
    network: &Network,
    quantisation: Quantisation,
    recipe: Recipe,
    new: NewStages,
) -> Result<Box<dyn Training>, TrainingError> {
    let from = network.fingerprint().map(str::to_owned);
    let shape = Shape { stages: recipe.shape.stages, ..network.shape().clone() };
    check_more_stages(network.shape(), &shape.stages)?;
    check_top(&shape)?;
    let recipe = Recipe { shape, from, single_games: 0, ..recipe };
    Source::Network(recipe, network, quantisation, new).begin()
}

/// Resumes the run of a checkpoint.
pub fn resume(path: &Path) -> Result<Box<dyn Training>, TrainingError> {
    let file = TrainingFile::open(path)?;
    Source::Checkpoint(file.recipe, path).begin()
}

/// Resumes the run of a checkpoint or, if that is missing or damaged, of the previous one. In that
/// case the second value says why. The damaged file is renamed to `.damaged`, `-2.damaged` and so
/// on.
pub fn resume_or_before(path: &Path) -> Result<(Box<dyn Training>, Option<CheckpointError>), TrainingError> {
    with_this_or_before(path, resume, |error| match error {
        TrainingError::Checkpoint(error) => Ok(error),
        other => Err(other),
    })
}
