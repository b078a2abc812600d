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

/// Why a run cannot begin or go on.
#[derive(Debug, Error)]
pub enum TrainingError {
    /// A size that nothing is compiled for.
    #[error("networks are trained for boards of 2x2, 2x3, 2x4, 3x3, 3x4 and 4x4, not {0}")]
    Size(Size),
    /// A run for boards that fast players do not play.
    #[error("the run is for boards of {0}; only the weights of runs for 4x4 can be played with as they are")]
    NotFour(Size),
    /// A tile that no packed board holds.
    #[error("the largest tile a network knows is from 2 to 32768 (rank 1 to 15), not rank {0}")]
    Top(u8),
    /// A network to mix in that does not fit.
    #[error("the network to mix in has {0}")]
    OtherShape(&'static str),
    /// The same network again, otherwise.
    #[error("the network to mix in is mixed in already, with a share of {0}; leave the option out to go on")]
    OtherMix(Probability),
    /// The system has not enough.
    #[error("there is not enough memory for the network: {0}")]
    Memory(#[source] io::Error),
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A stage for nothing.
    #[error(transparent)]
    EmptyStage(#[from] EmptyStage),
    /// Stages that would leave learned weights behind.
    #[error("the network has --stages {0}; others can follow, but none can be changed or taken away")]
    OtherStages(Stages),
}

/// A training run, for any size of boards and any update rule. [`start`], [`start_from`],
/// [`resume`] and [`resume_or_before`] give one. It pauses whenever [`run`](Training::run) returns
/// and continues where it was. On one thread the same recipe always gives the same weights, however
/// often it was paused.
pub trait Training: Send {
    /// What is done.
    fn recipe(&self) -> &Recipe;
    /// How far it has come.
    fn progress(&self) -> Progress;
    /// Plays and learns on a number of threads until a limit is reached. Returns the games that
    /// were finished.
    fn run(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished>;
    /// Changes the recipe from now on. If the changes are refused, or there is not enough memory,
    /// nothing changes.
    fn apply(&mut self, changes: Changes) -> Result<(), TrainingError>;
    /// Moves the weights a part of the way to those of a network of the run's shape, which was
    /// rounded so. Of a network that has only the first of the run's stages, the weights of the
    /// others stay. A network that was mixed in before is not mixed in again.
    ///
    /// Values are sums of weights, so for boards of these stages this is the same as asking both
    /// and taking the mean: what each of them has learned by chance alone counts less. A mean of
    /// earlier weights is forgotten.
    fn mix(
        &mut self,
        network: &Network,
        quantisation: Quantisation,
        share: Probability,
    ) -> Result<(), TrainingError>;
    /// Adds the weights as they are now to a mean, which the network to play with has from then on.
    /// Checkpoints do not keep it.
    fn add_to_mean(&mut self) -> Result<(), TrainingError>;
    /// The value of an afterstate by the weights as they are now; `None` for a board of another
    /// size.
    fn value(&self, view: &View) -> Option<f64>;
    /// Writes a checkpoint, keeping the one before as `.previous`.
    fn save(&self, path: &Path) -> Result<(), CheckpointError>;
    /// The network for playing: the weights as they are now, or their mean.
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

/// Where the run comes from.
enum Source<'a> {
    /// A recipe alone.
    Recipe(Recipe),
    /// A recipe, and a network that it begins with.
    Network(Recipe, &'a Network, Quantisation, NewStages),
    /// The checkpoint of this recipe.
    Checkpoint(Recipe, &'a Path),
}

impl Source<'_> {
    /// The run, compiled for the size and the rule of its recipe.
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
        // A high board is a wide one turned: nothing is compiled for it.
        if const { R > C } {
            return Err(TrainingError::Size(recipe.shape.patterns.size()));
        }
        match recipe.rule {
            UpdateRule::Tc => self.trainer::<R, C, Tc>(),
            UpdateRule::Td => self.trainer::<R, C, Td>(),
        }
    }
}

/// Whether a network can get these stages. What it has already is left alone.
fn check_more_stages(shape: &Shape, stages: &Stages) -> Result<(), TrainingError> {
    if *stages == shape.stages {
        return Ok(());
    }
    if !stages.go_on_from(&shape.stages) {
        return Err(TrainingError::OtherStages(shape.stages.clone()));
    }
    check_stages(&Shape { stages: stages.clone(), ..shape.clone() })
}

/// Whether every stage of a network has boards.
fn check_stages(shape: &Shape) -> Result<(), TrainingError> {
    Ok(shape.stages.check(shape.patterns.size().cells(), shape.top)?)
}

/// Whether packed boards can hold the largest tile of a network.
fn check_top(shape: &Shape) -> Result<(), TrainingError> {
    if (1..=15).contains(&shape.top) { Ok(()) } else { Err(TrainingError::Top(shape.top)) }
}

/// Begins a run with nothing known.
pub fn start(recipe: Recipe) -> Result<Box<dyn Training>, TrainingError> {
    check_top(&recipe.shape)?;
    check_stages(&recipe.shape)?;
    Source::Recipe(recipe).begin()
}

/// Begins a run with the weights of a network. The run has the network's shape, whatever the recipe
/// says, but may have more stages, which begin as `new` says.
///
/// The network's hash is kept, if it was read from a file. All threads play from the first game on.
/// How the network was rounded tells how much its weights were used, and so how fast they should go
/// on learning.
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

/// Continues the run of a checkpoint.
pub fn resume(path: &Path) -> Result<Box<dyn Training>, TrainingError> {
    let file = TrainingFile::open(path)?;
    Source::Checkpoint(file.recipe, path).begin()
}

/// Continues the run of a checkpoint or, if that is missing or damaged, of the one before it. Then
/// the second value tells why. A damaged checkpoint is kept beside it as `.damaged`, `-2.damaged`
/// and so on.
pub fn resume_or_before(path: &Path) -> Result<(Box<dyn Training>, Option<CheckpointError>), TrainingError> {
    with_this_or_before(path, resume, |error| match error {
        TrainingError::Checkpoint(error) => Ok(error),
        other => Err(other),
    })
}
