//! The settings that determine the course of an evolution.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::node_set::{NodeSet, NodeSetError};
use super::operators::{Bounds, Garden, Mutation};
use super::program::{Dialect, MOST_ADFS, Node, NodeKind, Program, Style};
use crate::game::GameResult;

/// The representation of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Genome {
    /// A program returns a direction, as in the document (see `directions.rs`).
    Directions,
    /// A program evaluates afterstates.
    Evaluator,
}

impl Genome {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Genome::Directions => "directions",
            Genome::Evaluator => "evaluator",
        }
    }
}

/// The measure that programs are selected by: the mean over the games of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fitness {
    /// The score.
    Score,
    /// The largest tile.
    Tile,
    /// The tile sum at the end, the stated goal of the document.
    Sum,
    /// Half of the parents by score, half by largest tile (Schaffer 1985, the vector evaluated
    /// genetic algorithm).
    Vega,
    /// The geometric mean of score and largest tile: the square root of their product.
    Combined,
}

impl Fitness {
    /// The contribution of one game.
    pub(super) fn of(self, game: &GameResult) -> f64 {
        match self {
            Fitness::Score | Fitness::Vega => game.score as f64,
            Fitness::Tile => game.largest as f64,
            Fitness::Sum => game.sum as f64,
            Fitness::Combined => (game.score as f64 * game.largest as f64).sqrt(),
        }
    }
}

/// Everything that determines the course of an evolution. The numbers of threads and generations do
/// not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionSettings {
    /// The representation of programs.
    pub genome: Genome,
    /// How programs of directions are interpreted.
    pub dialect: Dialect,
    /// The number of ADFs: 0 or 4 for directions, up to 4 for an evaluator.
    pub adfs: usize,
    /// The allowed nodes, by family.
    pub nodes: Vec<String>,
    /// Whether evaluators are sums over lines, which compile to tables of rows.
    pub rows: bool,
    /// The number of programs in a generation.
    pub population: usize,
    /// The number of programs drawn for each parent. The best of them becomes the parent.
    pub tournament: usize,
    /// The chance that a child is mutated.
    pub mutation: f64,
    /// What a mutation changes.
    pub mutate: Mutation,
    /// The chance that two parents are crossed.
    pub crossover: f64,
    /// The bounds on the depth and size of trees.
    pub bounds: Bounds,
    /// The number of best programs that are kept unchanged.
    pub elite: usize,
    /// The number of games that a program is judged by.
    pub games: u64,
    /// Whether all programs of a generation play the same seeds.
    pub common: bool,
    /// The measure that programs are selected by.
    pub fitness: Fitness,
    /// The cost of a node, against bloat: for selection, fitness is divided by 1 + parsimony x
    /// nodes.
    pub parsimony: f64,
    /// Whether a duplicate child is mutated again, up to 5 times.
    pub distinct: bool,
    /// The number of variants of the best program, with changed constants, tried per generation.
    pub tuning: usize,
    /// The number of further games that the best program of a generation plays to become champion.
    /// With 0 its fitness decides.
    pub proof: u64,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Invalid settings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A number is out of its range.
    #[error("{0}")]
    Range(String),
    /// No program can be made of the nodes.
    #[error(transparent)]
    Nodes(#[from] NodeSetError),
}

impl EvolutionSettings {
    /// The settings of the document: population 65, tournaments of 5, one function of every child
    /// mutated, no crossover, depths 3 to 7, one game, half of the parents selected by score and
    /// half by largest tile.
    pub fn document() -> EvolutionSettings {
        EvolutionSettings {
            genome: Genome::Directions,
            dialect: Dialect::DOCUMENT,
            adfs: 0,
            nodes: NodeSet::directions().names(),
            rows: false,
            population: 65,
            tournament: 5,
            mutation: 1.0,
            mutate: Mutation::Function,
            crossover: 0.0,
            bounds: Bounds { least: 3, most: 7, size: 255 },
            elite: 0,
            games: 1,
            common: false,
            fitness: Fitness::Vega,
            parsimony: 0.0,
            distinct: false,
            tuning: 0,
            proof: 0,
            seed: 1,
        }
    }

    /// The settings that work best for evaluators.
    pub fn evaluator() -> EvolutionSettings {
        EvolutionSettings {
            genome: Genome::Evaluator,
            nodes: NodeSet::evaluator().names(),
            rows: true,
            population: 200,
            tournament: 5,
            mutation: 0.8,
            mutate: Mutation::Mixed,
            crossover: 0.5,
            bounds: Bounds { least: 2, most: 9, size: 60 },
            elite: 4,
            games: 10,
            common: true,
            fitness: Fitness::Score,
            parsimony: 0.0002,
            distinct: true,
            tuning: 20,
            proof: 100,
            ..EvolutionSettings::document()
        }
    }

    /// Checks every number.
    pub fn check(&self) -> Result<(), SettingsError> {
        let range = |good: bool, text: &str| {
            if good { Ok(()) } else { Err(SettingsError::Range(text.to_owned())) }
        };
        let rate = |rate: f64| (0.0..=1.0).contains(&rate);
        range((2..=100_000).contains(&self.population), "the population must be from 2 to 100,000")?;
        range(
            (1..=self.population).contains(&self.tournament),
            "the tournament size must be from 1 to the population size",
        )?;
        range(rate(self.mutation) && rate(self.crossover), "mutation and crossover must be from 0 to 1")?;
        let Bounds { least, most, size } = self.bounds;
        range(
            1 <= least && least <= most && most <= 17,
            "depths must be from 1 to 17, the least not above the greatest",
        )?;
        range((1..=5_000).contains(&size), "the node limit of a tree must be from 1 to 5,000")?;
        range(self.elite < self.population, "the elite must be smaller than the population")?;
        range((1..=100_000).contains(&self.games), "the number of games must be from 1 to 100,000")?;
        range(rate(self.parsimony), "the cost of a node must be from 0 to 1")?;
        range(self.tuning <= 10_000 && self.proof <= 1_000_000, "tuning or proof is too large")?;
        match self.genome {
            Genome::Directions => {
                range(matches!(self.adfs, 0 | 4), "a program of directions must have 0 or 4 ADFs")?;
                range(matches!(self.dialect.modulo, 3 | 4), "the modulus must be 3 or 4")?;
                range(!self.rows, "a program of directions cannot be a sum over rows")?;
                range(least < 13, "the least depth of programs of directions must be at most 12")?;
                let nodes = NodeSet::only(&self.nodes)?;
                nodes.check_use(&[NodeKind::Code], "programs of directions")?;
                nodes.check(&[NodeKind::Code])?;
            }
            Genome::Evaluator => {
                range(self.adfs <= MOST_ADFS, "an evaluator can have at most 4 ADFs")?;
                range(least <= 4, "the least depth of evaluators must be at most 4")?;
                let nodes = NodeSet::only(&self.nodes)?;
                nodes.check_use(&[NodeKind::Board, NodeKind::Line], "evaluators")?;
                nodes.check(&[if self.rows { NodeKind::Line } else { NodeKind::Board }])?;
                if self.adfs > 0 {
                    nodes.check(&[NodeKind::Line])?;
                    range(nodes.has(Node::Call(0)), "ADFs need the node 'adf', which calls them")?;
                }
                range(!self.rows || most > 1, "a sum over rows needs a greatest depth of at least 2")?;
            }
        }
        // The node set must allow trees of the least depth within the size bound.
        let garden = self.unchecked_garden()?;
        for tree in 0..garden.trees {
            match garden.smallest(tree, garden.root_kind(tree), least - 1) {
                None => range(false, &format!("these nodes cannot make a tree of depth {least}"))?,
                Some(smallest) => range(
                    smallest <= size,
                    &format!(
                        "a tree of least depth {least} needs at least {smallest} nodes, but only {size} are allowed"
                    ),
                )?,
            }
        }
        Ok(())
    }

    /// The garden that makes programs of these settings.
    pub(super) fn garden(&self) -> Result<Garden, SettingsError> {
        self.check()?;
        self.unchecked_garden()
    }

    /// Whether an evolution with these settings could have produced a program.
    pub fn could_breed(&self, program: &Program) -> bool {
        self.garden().is_ok_and(|garden| garden.holds(program))
    }

    fn unchecked_garden(&self) -> Result<Garden, SettingsError> {
        let (style, trees) = match self.genome {
            Genome::Directions => (Style::Directions(self.dialect), self.adfs.max(1)),
            Genome::Evaluator => (Style::Evaluator, self.adfs + 1),
        };
        Ok(Garden { style, trees, nodes: NodeSet::only(&self.nodes)?, bounds: self.bounds, rows: self.rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_game_counts() {
        let game = GameResult { score: 900, largest: 64, sum: 130, moves: 80 };
        let counts = |fitness: Fitness| fitness.of(&game);
        assert_eq!((counts(Fitness::Score), counts(Fitness::Vega)), (900.0, 900.0));
        assert_eq!((counts(Fitness::Tile), counts(Fitness::Sum)), (64.0, 130.0));
        assert_eq!(counts(Fitness::Combined), 240.0, "the square root of 900 x 64");
    }

    #[test]
    fn settings_without_sense_are_refused() {
        let refused = |settings: EvolutionSettings| settings.check().map_err(|error| error.to_string());
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let bounds = |least, most, size| Bounds { least, most, size };
        let (document, evaluator) = (EvolutionSettings::document, EvolutionSettings::evaluator);
        assert_eq!((refused(document()), refused(evaluator())), (Ok(()), Ok(())));
        for (settings, says) in [
            (EvolutionSettings { population: 1, ..document() }, "the population must be"),
            (EvolutionSettings { tournament: 66, ..document() }, "the tournament size must be"),
            (EvolutionSettings { mutation: 1.5, ..document() }, "mutation and crossover must be"),
            (EvolutionSettings { parsimony: -0.1, ..document() }, "the cost of a node"),
            (EvolutionSettings { adfs: 2, ..document() }, "must have 0 or 4 ADFs"),
            (EvolutionSettings { elite: 65, ..document() }, "the elite must be smaller"),
            (
                EvolutionSettings { nodes: names(&["up"]), ..document() },
                "needs a function that returns a direction",
            ),
            (EvolutionSettings { nodes: names(&["nothing"]), ..document() }, "unknown node 'nothing'"),
            (
                EvolutionSettings { nodes: names(&["add", "up", "empty"]), ..document() },
                "'empty' is not a node of programs of directions",
            ),
            (
                EvolutionSettings { nodes: names(&["add", "empty", "up"]), ..evaluator() },
                "'up' is not a node of evaluators",
            ),
            (EvolutionSettings { bounds: bounds(4, 3, 9), ..document() }, "the least not above the greatest"),
            // A full tree of three levels has 1 + 2 + 4 nodes.
            (
                EvolutionSettings { bounds: bounds(3, 7, 6), ..document() },
                "needs at least 7 nodes, but only 6 are allowed",
            ),
            (EvolutionSettings { bounds: bounds(9, 10, 255), ..document() }, "needs at least 511 nodes"),
            (
                EvolutionSettings { nodes: names(&["lines", "corner"]), rows: false, ..evaluator() },
                "these nodes cannot make a tree of depth 2",
            ),
            (
                EvolutionSettings { nodes: names(&["if-less", "empty"]), adfs: 1, ..evaluator() },
                "ADFs need the node 'adf'",
            ),
            (
                EvolutionSettings {
                    nodes: names(&["if-less", "empty", "adf"]),
                    bounds: bounds(3, 9, 20),
                    adfs: 1,
                    ..evaluator()
                },
                "needs at least 21 nodes",
            ),
        ] {
            let said = refused(settings).expect_err(says);
            assert!(said.contains(says), "{says}: {said}");
        }
        assert_eq!(refused(EvolutionSettings { bounds: bounds(3, 7, 7), ..document() }), Ok(()));
    }
}
