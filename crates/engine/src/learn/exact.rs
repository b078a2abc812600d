//! The unrounded weights of a checkpoint as an evaluator. Comparing it with an exported network
//! shows how much the quantisation costs.

use std::path::Path;

use super::checkpoint::{CheckpointError, TrainingFile};
use super::rule::{Tc, Td};
use super::tables::Tables;
use super::trainer::Trainer;
use super::value_function::ValueFunction as _;
use super::{TrainingError, UpdateRule};
use crate::board::{Board, PackedAfter, Size};
use crate::eval::{Evaluator, FastEvaluator, Judges, View};
use crate::files::hash_of;
use crate::game::{Refusal, Unit};
use crate::ntuple::{Instructions, Machine, WithMachine, check_board};

/// The weights of a training run on 4x4 boards.
#[derive(Debug)]
pub struct CheckpointNetwork {
    weights: Weights,
    instructions: Instructions,
    hash: String,
}

/// The weights, by the update rule of the run.
#[derive(Debug)]
enum Weights {
    Tc(Tables<Tc>),
    Td(Tables<Td>),
}

impl CheckpointNetwork {
    /// Reads the weights of a checkpoint.
    pub fn read(path: &Path) -> Result<CheckpointNetwork, TrainingError> {
        let recipe = TrainingFile::open(path)?.recipe;
        let size = recipe.shape.patterns.size();
        if size != Size::FOUR {
            return Err(TrainingError::NotFour(size));
        }
        let weights = match recipe.rule {
            UpdateRule::Tc => Weights::Tc(Trainer::<4, 4, Tables<Tc>>::load(path)?.tables),
            UpdateRule::Td => Weights::Td(Trainer::<4, 4, Tables<Td>>::load(path)?.tables),
        };
        let hash = hash_of(path).map_err(|error| CheckpointError::Io { path: path.to_owned(), error })?;
        Ok(CheckpointNetwork { weights, instructions: Instructions::detect(), hash })
    }

    /// Whether a file starts like a checkpoint.
    pub fn is_checkpoint(path: &Path) -> bool {
        !matches!(TrainingFile::open(path), Err(CheckpointError::Foreign(_) | CheckpointError::Io { .. }))
    }
}

/// The value of an afterstate by these weights.
struct Value<'a> {
    weights: &'a Weights,
    after: PackedAfter,
}

impl WithMachine for Value<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_machine(self, machine: impl Machine) -> f32 {
        match self.weights {
            Weights::Tc(tables) => tables.value(&tables.active(machine, self.after)),
            Weights::Td(tables) => tables.value(&tables.active(machine, self.after)),
        }
    }
}

impl Evaluator for CheckpointNetwork {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Points
    }

    fn accepts(&self, board: &Board) -> Result<(), Refusal> {
        check_board(Size::FOUR, board)
    }

    fn fingerprint(&self) -> Option<&str> {
        Some(&self.hash)
    }

    fn evaluate(&self, view: &View) -> f64 {
        let shape = match &self.weights {
            Weights::Tc(tables) => tables.shape(),
            Weights::Td(tables) => tables.shape(),
        };
        PackedAfter::from_bits(shape.known_cells(view))
            .map_or(0.0, |after| f64::from(self.evaluate_packed(after)))
    }
}

impl FastEvaluator for CheckpointNetwork {
    #[inline]
    fn evaluate_packed(&self, after: PackedAfter) -> f32 {
        self.instructions.dispatch(Value { weights: &self.weights, after })
    }
}
