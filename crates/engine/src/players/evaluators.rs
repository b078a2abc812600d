//! The list of evaluators, and evaluators chosen at run time. The entry of a new evaluator
//! goes into `handmade.rs`.

use std::fmt;
use std::sync::Arc;

use super::{BuildError, Kind, Param, Settings, handmade, networks, program};
use crate::eval::{Evaluator, FastEvaluator, NamedWeight, Rows, RowsWeights};
use crate::game::Player;
use crate::search::{Expectimax, ExpectimaxOptions, FastExpectimax, NoMemory};

/// The engine's own evaluators.
pub(super) fn entries() -> Vec<EvaluatorEntry> {
    let rows = EvaluatorEntry {
        name: "rows",
        summary: "the weighted sum of the features of all rows and columns",
        params: &ROWS_PARAMS,
        build: |settings| {
            Ok(AnyEvaluator::fast(Rows::new(RowsWeights::from_names(|name| settings.number(name)))))
        },
    };
    let found = networks::evaluator_entries().into_iter().chain(program::evaluator_entries());
    std::iter::once(rows).chain(found).chain(handmade::entries()).collect()
}

static ROWS_PARAMS: [Param; RowsWeights::ALL.len()] = params_of(RowsWeights::ALL);

/// The parameters that set weights.
pub(super) const fn params_of<const N: usize>(weights: &[NamedWeight]) -> [Param; N] {
    let mut params = [weight_param(&weights[0]); N];
    let mut index = 1;
    while index < N {
        params[index] = weight_param(&weights[index]);
        index += 1;
    }
    params
}

const fn weight_param(weight: &NamedWeight) -> Param {
    let NamedWeight { name, default, least, most, help } = *weight;
    Param { name, default: Some(default), kind: Kind::Number(least, most), unit: None, help }
}

/// An evaluator that can be named in the spec of a player that uses one: `expectimax:eval=rows`.
#[derive(Clone, Debug)]
pub struct EvaluatorEntry {
    /// Its name.
    pub name: &'static str,
    /// What it measures, in one line.
    pub summary: &'static str,
    /// Its parameters. They are part of the player's spec, so they must not have the name of a
    /// parameter of a player that uses evaluators.
    pub params: &'static [Param],
    /// Builds one.
    pub build: fn(&Settings) -> Result<AnyEvaluator, BuildError>,
}

/// An evaluator chosen at run time.
#[derive(Clone)]
pub enum AnyEvaluator {
    /// With a fast path. Searches are compiled for it.
    Fast(Arc<dyn Searchable>),
    /// Called through dynamic dispatch.
    Dynamic(Arc<dyn Evaluator>),
}

/// A fast evaluator behind dynamic dispatch. Its search is still compiled for its type.
pub trait Searchable: FastEvaluator {
    /// The expectimax player compiled for this evaluator.
    fn expectimax(self: Arc<Self>, options: ExpectimaxOptions) -> Result<Box<dyn Player>, NoMemory>;
}

impl<E: FastEvaluator + 'static> Searchable for E {
    fn expectimax(self: Arc<Self>, options: ExpectimaxOptions) -> Result<Box<dyn Player>, NoMemory> {
        Ok(Box::new(FastExpectimax::new(self, options)?))
    }
}

impl AnyEvaluator {
    /// An evaluator with a fast path.
    pub fn fast(evaluator: impl FastEvaluator + 'static) -> AnyEvaluator {
        AnyEvaluator::Fast(Arc::new(evaluator))
    }

    /// An evaluator without a fast path.
    pub fn dynamic(evaluator: impl Evaluator + 'static) -> AnyEvaluator {
        AnyEvaluator::Dynamic(Arc::new(evaluator))
    }

    /// The expectimax player with this evaluator.
    pub fn expectimax(self, options: ExpectimaxOptions) -> Result<Box<dyn Player>, NoMemory> {
        match self {
            AnyEvaluator::Fast(evaluator) => evaluator.expectimax(options),
            AnyEvaluator::Dynamic(evaluator) => Ok(Box::new(Expectimax::new(evaluator, options))),
        }
    }

    /// The evaluator for players without a fast path.
    pub fn into_evaluator(self) -> Arc<dyn Evaluator> {
        match self {
            AnyEvaluator::Fast(evaluator) => evaluator,
            AnyEvaluator::Dynamic(evaluator) => evaluator,
        }
    }
}

impl fmt::Debug for AnyEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AnyEvaluator::Fast(_) => "AnyEvaluator::Fast",
            AnyEvaluator::Dynamic(_) => "AnyEvaluator::Dynamic",
        })
    }
}
