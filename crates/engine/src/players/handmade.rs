//! Registry entries for evaluators with simple formulas: those of the source documents, and new
//! ones.

use super::evaluators::params_of;
use super::{AnyEvaluator, BuildError, EvaluatorEntry, Kind, Param, Settings};
use crate::eval::{
    Corner, CornerWeights, Neighbours, PositionEvaluator, PositionWeights, Product, Smooth, Weighted,
    WeightedWeights,
};

pub(super) fn entries() -> Vec<EvaluatorEntry> {
    vec![
        EvaluatorEntry {
            name: "corner",
            summary: "tiles are worth more on the edge, in corners and next to equal or large tiles",
            params: &CORNER_PARAMS,
            build: |settings| Ok(AnyEvaluator::dynamic(corner(settings))),
        },
        EvaluatorEntry {
            name: "smooth",
            summary: "the negative sum of the differences between adjacent cells, times the number of tiles",
            params: &[],
            build: |_| Ok(AnyEvaluator::dynamic(Smooth)),
        },
        EvaluatorEntry {
            name: "product",
            summary: "score times largest tile times empty cells",
            params: &[],
            build: |_| Ok(AnyEvaluator::dynamic(Product)),
        },
        EvaluatorEntry {
            name: "weighted",
            summary: "score, largest tile, empty cells and duplicate tiles, each with a weight",
            params: &WEIGHTED_PARAMS,
            build: |settings| {
                let weights = WeightedWeights::from_names(|name| settings.number(name));
                Ok(AnyEvaluator::dynamic(Weighted(weights)))
            },
        },
        EvaluatorEntry {
            name: "position",
            summary: "every tile times the weight of its cell",
            params: &POSITION_PARAMS,
            build: position,
        },
        EvaluatorEntry {
            name: "neighbours",
            summary: "the sum of the products of adjacent tiles",
            params: &[],
            build: |_| Ok(AnyEvaluator::dynamic(Neighbours)),
        },
    ]
}

static CORNER_PARAMS: [Param; CornerWeights::ALL.len()] = params_of(CornerWeights::ALL);
static WEIGHTED_PARAMS: [Param; WeightedWeights::ALL.len()] = params_of(WeightedWeights::ALL);
static POSITION_PARAMS: [Param; PositionWeights::ALL.len() + 1] = {
    let [edge, inside] = params_of(PositionWeights::ALL);
    [edge, inside, MATRIX]
};

const MATRIX: Param = Param {
    name: "matrix",
    default: Some("none"),
    kind: Kind::Text,
    unit: None,
    help: "one weight per cell instead of edge and inside, like 10 10 10/10 5 10/10 10 10; or none",
};

/// The evaluator `corner` with the weights of a spec.
pub(super) fn corner(settings: &Settings) -> Corner {
    Corner::new(CornerWeights::from_names(|name| settings.number(name)))
}

fn position(settings: &Settings) -> Result<AnyEvaluator, BuildError> {
    let position = match settings.text(MATRIX.name) {
        "none" => PositionEvaluator::new(PositionWeights::from_names(|name| settings.number(name))),
        _ if PositionWeights::ALL.iter().any(|weight| settings.is_given(weight.name)) => {
            let words = "position: a matrix replaces edge and inside; give one or the other";
            return Err(BuildError::impossible(words));
        }
        text => PositionEvaluator::with_matrix(
            text.parse().map_err(|error| BuildError::impossible(format!("position: {error}")))?,
        ),
    };
    Ok(AnyEvaluator::dynamic(position))
}
