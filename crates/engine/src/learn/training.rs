//! Training runs whose board size and update rule are known only at run time.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::checkpoint::{CheckpointError, TrainingFile, with_this_or_before};
use super::{Finished, Limit, NewStages, Progress, Quantisation, Recipe, Rule, Schedule, Tc, Td, Trainer};
use crate::board::Size;
use crate::eval::Evaluator as _;
use crate::ntuple::{EmptyStage, Network, Shape, Stages};

/// Why a run cannot begin or go on.
#[derive(Debug, Error)]
pub enum TrainingError {
    /// A size that nothing is compiled for.
    #[error("networks are trained for boards of 2x2, 2x3, 2x4, 3x3, 3x4 and 4x4, not {0}")]
    Size(Size),
    /// A run for boards that fast players do not play.
    #[error("the run is for boards of {0}; only the weights of runs for 4x4 can be played with as they are")]
    NotFour(Size),
    /// An unknown update rule.
    #[error("there is no update rule '{0}'; there are td and tc")]
    Rule(String),
    /// A tile that no packed board holds.
    #[error("the largest tile a network knows is from 2 to 32768 (rank 1 to 15), not rank {0}")]
    Top(u8),
    /// A share that is none.
    #[error("a share is a number from 0 to 1, not {0}")]
    Share(f64),
    /// A network to mix in that does not fit.
    #[error("the network to mix in has {0}")]
    OtherShape(&'static str),
    /// The same network again, otherwise.
    #[error("the network to mix in is mixed in already, with a share of {0}; leave the option out to go on")]
    OtherMix(f64),
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

/// A training run: what [`Trainer`] does, for any size and rule.
pub trait Training: Send {
    /// What is done.
    fn recipe(&self) -> &Recipe;
    /// How far it has come.
    fn progress(&self) -> Progress;
    /// Plays and learns on a number of threads until a limit is reached; returns the games that were finished.
    fn run(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished>;
    /// Changes the learning rate from now on.
    fn set_rate(&mut self, rate: Schedule);
    /// Gives the network more stages; a new one starts with the weights of the last one that was there before.
    fn set_stages(&mut self, stages: Stages, new: NewStages, share: f64) -> Result<(), TrainingError>;
    /// Changes the share of games that start on a board with its large tiles in order.
    fn set_formations(&mut self, share: f64) -> Result<(), TrainingError>;
    /// Changes the share of the other games, restarts included, that are cut after the length of an opening.
    fn set_openings(&mut self, share: f64) -> Result<(), TrainingError>;
    /// Moves the weights a part of the way to those of a network of the run's shape or of its first stages, which was rounded so; where that was done
    /// before, nothing.
    fn mix(&mut self, network: &Network, quantisation: Quantisation, share: f64)
    -> Result<(), TrainingError>;
    /// Adds the weights as they are now to a mean, which the network to play with has from then on; checkpoints do not keep it.
    fn add_to_mean(&mut self) -> Result<(), TrainingError>;
    /// Writes a checkpoint.
    fn save(&self, path: &Path) -> Result<(), CheckpointError>;
    /// The network for playing: the weights as they are now, or their mean.
    fn network(&self, quantisation: Quantisation) -> io::Result<Network>;
}

impl<const R: usize, const C: usize, K: Rule> Training for Trainer<R, C, K> {
    fn recipe(&self) -> &Recipe {
        Trainer::recipe(self)
    }

    fn progress(&self) -> Progress {
        Trainer::progress(self)
    }

    fn run(&mut self, threads: usize, limit: Limit<'_>) -> Vec<Finished> {
        Trainer::run(self, threads, limit)
    }

    fn set_rate(&mut self, rate: Schedule) {
        Trainer::set_rate(self, rate);
    }

    fn set_stages(&mut self, stages: Stages, new: NewStages, share: f64) -> Result<(), TrainingError> {
        check_share(share)?;
        check_more_stages(&Trainer::recipe(self).shape, &stages)?;
        Trainer::set_stages(self, stages, new, share).map_err(TrainingError::Memory)
    }

    fn set_formations(&mut self, share: f64) -> Result<(), TrainingError> {
        check_share(share)?;
        Trainer::set_formations(self, share);
        Ok(())
    }

    fn set_openings(&mut self, share: f64) -> Result<(), TrainingError> {
        check_share(share)?;
        Trainer::set_openings(self, share);
        Ok(())
    }

    fn mix(
        &mut self,
        network: &Network,
        quantisation: Quantisation,
        share: f64,
    ) -> Result<(), TrainingError> {
        check_share(share)?;
        let Recipe { shape, mixed, .. } = Trainer::recipe(self);
        if let Some(difference) = shape.difference_from(network.shape()) {
            return Err(TrainingError::OtherShape(difference));
        }
        match mixed.iter().find(|mixed| Some(mixed.network.as_str()) == network.fingerprint()) {
            Some(before) if before.share != share => Err(TrainingError::OtherMix(before.share)),
            Some(_) => Ok(()),
            None => {
                Trainer::mix(self, network, quantisation, share);
                Ok(())
            }
        }
    }

    fn add_to_mean(&mut self) -> Result<(), TrainingError> {
        Trainer::add_to_mean(self).map_err(TrainingError::Memory)
    }

    fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        Trainer::save(self, path)
    }

    fn network(&self, quantisation: Quantisation) -> io::Result<Network> {
        Trainer::network(self, quantisation)
    }
}

/// Calls a function that is compiled for sizes and rules with those of a recipe.
macro_rules! for_recipe {
    ($recipe:expr, $make:ident($($argument:expr),*)) => {{
        let size = $recipe.shape.patterns.size();
        match ($recipe.rule.as_str(), size.rows(), size.cols()) {
            ("tc", 2, 2) => $make::<2, 2, Tc>($($argument),*),
            ("tc", 2, 3) => $make::<2, 3, Tc>($($argument),*),
            ("tc", 2, 4) => $make::<2, 4, Tc>($($argument),*),
            ("tc", 3, 3) => $make::<3, 3, Tc>($($argument),*),
            ("tc", 3, 4) => $make::<3, 4, Tc>($($argument),*),
            ("tc", 4, 4) => $make::<4, 4, Tc>($($argument),*),
            ("td", 2, 2) => $make::<2, 2, Td>($($argument),*),
            ("td", 2, 3) => $make::<2, 3, Td>($($argument),*),
            ("td", 2, 4) => $make::<2, 4, Td>($($argument),*),
            ("td", 3, 3) => $make::<3, 3, Td>($($argument),*),
            ("td", 3, 4) => $make::<3, 4, Td>($($argument),*),
            ("td", 4, 4) => $make::<4, 4, Td>($($argument),*),
            ("tc" | "td", _, _) => Err(TrainingError::Size(size)),
            (other, _, _) => Err(TrainingError::Rule(other.to_owned())),
        }
    }};
}

fn begin<const R: usize, const C: usize, K: Rule>(
    recipe: Recipe,
    from: Option<(&Network, Quantisation, NewStages)>,
) -> Result<Box<dyn Training>, TrainingError> {
    let trainer = match from {
        Some((network, quantisation, new)) => {
            Trainer::<R, C, K>::from_network(recipe, network, quantisation, new)
        }
        None => Trainer::new(recipe),
    };
    Ok(Box::new(trainer.map_err(TrainingError::Memory)?))
}

fn go_on<const R: usize, const C: usize, K: Rule>(path: &Path) -> Result<Box<dyn Training>, TrainingError> {
    Ok(Box::new(Trainer::<R, C, K>::load(path)?))
}

fn check_share(share: f64) -> Result<(), TrainingError> {
    if (0.0..=1.0).contains(&share) { Ok(()) } else { Err(TrainingError::Share(share)) }
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
    start_with(recipe, None)
}

/// Begins a run with the weights of a network, whose shape is that of the run, whatever the recipe says, but for stages that follow its
/// own, which begin as `new` says. Its hash is kept, if it was read from a file. Its weights are not shared by all boards any more, so all threads play from the first game on. How it was
/// rounded tells how much the weights were used, and so how fast they should go on learning.
pub fn start_from(
    network: &Network,
    quantisation: Quantisation,
    recipe: Recipe,
    new: NewStages,
) -> Result<Box<dyn Training>, TrainingError> {
    let from = network.fingerprint().map(str::to_owned);
    let shape = Shape { stages: recipe.shape.stages, ..network.shape().clone() };
    check_more_stages(network.shape(), &shape.stages)?;
    let recipe = Recipe { shape, from, single_games: 0, ..recipe };
    start_with(recipe, Some((network, quantisation, new)))
}

fn start_with(
    recipe: Recipe,
    from: Option<(&Network, Quantisation, NewStages)>,
) -> Result<Box<dyn Training>, TrainingError> {
    check_top(&recipe.shape)?;
    check_share(recipe.stage_starts)?;
    check_share(recipe.formations)?;
    check_share(recipe.openings)?;
    for_recipe!(recipe, begin(recipe, from))
}

/// Goes on with the run of a checkpoint.
pub fn resume(path: &Path) -> Result<Box<dyn Training>, TrainingError> {
    let file = TrainingFile::open(path)?;
    for_recipe!(file.recipe, go_on(path))
}

/// Goes on with the run of a checkpoint or, if that is missing or damaged, of the one before it; then the second value tells
/// why. What is damaged is kept beside it as `.damaged`.
pub fn resume_or_before(path: &Path) -> Result<(Box<dyn Training>, Option<CheckpointError>), TrainingError> {
    with_this_or_before(path, resume, |error| match error {
        TrainingError::Checkpoint(error) => Ok(error),
        other => Err(other),
    })
}
