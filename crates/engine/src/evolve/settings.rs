//! What an evolution is: everything that decides its course, by name.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::node_set::{NodeSet, NodeSetError};
use super::operators::{Bounds, Garden, Mutation};
use super::program::{Dialect, MOST_ADFS, Node, NodeKind, Program, Style};
use crate::game::GameResult;

/// What programs look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Genome {
    /// A program says a direction, as in the document (see `directions.rs`).
    Directions,
    /// A program values afterstates.
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

/// What programs are selected by. All are means over the games of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fitness {
    /// The score.
    Score,
    /// The largest tile.
    Tile,
    /// The sum of the tiles at the end, the document's stated goal.
    Sum,
    /// Half of the parents by score, the other half by largest tile (Schaffer 1985, the vector evaluated genetic algorithm).
    Vega,
    /// The geometric mean of score and largest tile: the square root of their product.
    Combined,
}

impl Fitness {
    /// What one game counts.
    pub(super) fn of(self, game: &GameResult) -> f64 {
        match self {
            Fitness::Score | Fitness::Vega => game.score as f64,
            Fitness::Tile => game.largest as f64,
            Fitness::Sum => game.sum as f64,
            Fitness::Combined => (game.score as f64 * game.largest as f64).sqrt(),
        }
    }
}

/// Everything that decides the course of an evolution; the number of threads and generations does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionSettings {
    /// What programs look like.
    pub genome: Genome,
    /// How programs of directions are read.
    pub dialect: Dialect,
    /// The ADFs: 0 or 4 of directions, up to 4 functions of an evaluator.
    pub adfs: usize,
    /// The nodes, by family.
    pub nodes: Vec<String>,
    /// Whether evaluators are sums over lines, which compile to rows.
    pub rows: bool,
    /// How many programs a generation has.
    pub population: usize,
    /// How many programs are drawn for each parent; the best of them is it.
    pub tournament: usize,
    /// The chance that a child is mutated.
    pub mutation: f64,
    /// What a mutation changes.
    pub mutate: Mutation,
    /// The chance that two children are crossed.
    pub crossover: f64,
    /// How deep and large trees may be.
    pub bounds: Bounds,
    /// How many of the best programs live on unchanged.
    pub elite: usize,
    /// How many games judge a program.
    pub games: u64,
    /// Whether all programs of a generation play the same seeds.
    pub common: bool,
    /// What programs are selected by.
    pub fitness: Fitness,
    /// What every node costs: in selection, fitness is divided by 1 + parsimony x nodes. Bloat control.
    pub parsimony: f64,
    /// Whether a child that another one equals is mutated until it does not.
    pub distinct: bool,
    /// How many variants of the best program, with other constants, are tried in each generation.
    pub tuning: usize,
    /// How many further games the best program of a generation plays to become champion; with 0 its fitness decides.
    pub proof: u64,
    /// Decides all that is left to chance.
    pub seed: u64,
}

/// Settings that make no sense.
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
    /// As in the document: population 65, tournaments of 5, every child mutated in one function, no crossover, depths 3 to 7, one
    /// game, half of the population by score and half by largest tile.
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

    /// Evaluators, with what has been found to work.
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
            "a tournament is from 1 to the whole population",
        )?;
        range(rate(self.mutation) && rate(self.crossover), "mutation and crossover are chances from 0 to 1")?;
        let Bounds { least, most, size } = self.bounds;
        range(1 <= least && least <= most && most <= 17, "depths are from 1 to 17, the least first")?;
        range((1..=5_000).contains(&size), "the most nodes of a tree must be from 1 to 5,000")?;
        range(self.elite < self.population, "the elite must be smaller than the population")?;
        range((1..=100_000).contains(&self.games), "the games must be from 1 to 100,000")?;
        range(rate(self.parsimony), "the cost of a node must be from 0 to 1")?;
        range(self.tuning <= 10_000 && self.proof <= 1_000_000, "tuning or proof is too large")?;
        match self.genome {
            Genome::Directions => {
                range(matches!(self.adfs, 0 | 4), "programs of directions have 0 or 4 ADFs")?;
                range(matches!(self.dialect.modulo, 3 | 4), "the modulus must be 3 or 4")?;
                range(!self.rows, "programs of directions are no sums over rows")?;
                range(least < 13, "programs of directions are at most 12 deep at the least")?;
                let nodes = NodeSet::only(&self.nodes)?;
                nodes.check_use(&[NodeKind::Code], "programs of directions")?;
                nodes.check(&[NodeKind::Code])?;
            }
            Genome::Evaluator => {
                range(self.adfs <= MOST_ADFS, "an evaluator has at most 4 ADFs")?;
                range(least <= 4, "evaluators need a least depth of at most 4")?;
                let nodes = NodeSet::only(&self.nodes)?;
                nodes.check_use(&[NodeKind::Board, NodeKind::Line], "evaluators")?;
                nodes.check(&[if self.rows { NodeKind::Line } else { NodeKind::Board }])?;
                if self.adfs > 0 {
                    nodes.check(&[NodeKind::Line])?;
                    range(nodes.has(Node::Call(0)), "without the node 'adf' no ADF would ever be called")?;
                }
                range(!self.rows || most > 1, "sums over rows are at least two deep")?;
            }
        }
        // A tree must be able to be as deep and as small as the bounds want it.
        let garden = self.unchecked_garden()?;
        for tree in 0..garden.trees {
            match garden.smallest(tree, garden.root_kind(tree), least - 1) {
                None => range(false, &format!("no tree of these nodes is {least} levels deep"))?,
                Some(smallest) => range(
                    smallest <= size,
                    &format!(
                        "a tree whose branches are {least} levels deep has at least {smallest} nodes, and at most {size} are allowed"
                    ),
                )?,
            }
        }
        Ok(())
    }

    /// Where programs of these settings are made.
    pub fn garden(&self) -> Result<Garden, SettingsError> {
        self.check()?;
        self.unchecked_garden()
    }

    /// Whether an evolution with these settings could have bred a program.
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
            (EvolutionSettings { tournament: 66, ..document() }, "a tournament is"),
            (EvolutionSettings { mutation: 1.5, ..document() }, "are chances from 0 to 1"),
            (EvolutionSettings { parsimony: -0.1, ..document() }, "the cost of a node"),
            (EvolutionSettings { adfs: 2, ..document() }, "have 0 or 4 ADFs"),
            (EvolutionSettings { elite: 65, ..document() }, "the elite must be smaller"),
            (EvolutionSettings { nodes: names(&["up"]), ..document() }, "no function is left"),
            (EvolutionSettings { nodes: names(&["nothing"]), ..document() }, "there is no node 'nothing'"),
            (
                EvolutionSettings { nodes: names(&["add", "up", "empty"]), ..document() },
                "'empty' is no node of programs of directions",
            ),
            (
                EvolutionSettings { nodes: names(&["add", "empty", "up"]), ..evaluator() },
                "'up' is no node of evaluators",
            ),
            (EvolutionSettings { bounds: bounds(4, 3, 9), ..document() }, "the least first"),
            // A full tree of three levels has 1 + 2 + 4 nodes.
            (
                EvolutionSettings { bounds: bounds(3, 7, 6), ..document() },
                "has at least 7 nodes, and at most 6 are allowed",
            ),
            (EvolutionSettings { bounds: bounds(9, 10, 255), ..document() }, "has at least 511 nodes"),
            (
                EvolutionSettings { nodes: names(&["lines", "corner"]), rows: false, ..evaluator() },
                "no tree of these nodes is 2 levels deep",
            ),
            (
                EvolutionSettings { nodes: names(&["if-less", "empty"]), adfs: 1, ..evaluator() },
                "without the node 'adf' no ADF would ever be called",
            ),
            (
                EvolutionSettings {
                    nodes: names(&["if-less", "empty", "adf"]),
                    bounds: bounds(3, 9, 20),
                    adfs: 1,
                    ..evaluator()
                },
                "has at least 21 nodes",
            ),
        ] {
            let said = refused(settings).expect_err(says);
            assert!(said.contains(says), "{says}: {said}");
        }
        assert_eq!(refused(EvolutionSettings { bounds: bounds(3, 7, 7), ..document() }), Ok(()));
    }
}
