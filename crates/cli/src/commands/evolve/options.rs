//! What can be typed about an evolution, and the settings that it comes to.

use clap::{Args, ValueEnum};
use lab2048::evolve::{Fitness, Genome, Mutation, NodeSet, Otherwise, Sensing, Settings};

use crate::failure::{Failure, Outcome};
use crate::numbers::whole;

/// What programs look like and how they are bred: as typed. What is not typed is the default of the genome.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Evolution")]
pub(super) struct SettingsOptions {
    /// What programs look like: directions as in the source document, or evaluator [default: evaluator]
    #[arg(long, value_enum)]
    genome: Option<GenomeName>,
    /// The programs of a generation [default: 65; evaluators 200]
    #[arg(long, value_name = "N", value_parser = whole(2, 100_000))]
    population: Option<u64>,
    /// The programs drawn for each parent [default: 5]
    #[arg(long, value_name = "N", value_parser = whole(1, 100_000))]
    tournament: Option<u64>,
    /// The chance that a child is mutated [default: 1; evaluators 0.8]
    #[arg(long, value_name = "P", value_parser = chance)]
    mutation: Option<f64>,
    /// What a mutation changes [default: function; evaluators mixed]
    #[arg(long, value_enum)]
    mutate: Option<MutationName>,
    /// The chance that two children are crossed [default: 0; evaluators 0.5]
    #[arg(long, value_name = "P", value_parser = chance)]
    crossover: Option<f64>,
    /// The least depth of a tree; a single terminal has depth 1 [default: 3; evaluators 2]
    #[arg(long, value_name = "N", value_parser = whole(1, 17))]
    min_depth: Option<u64>,
    /// The greatest depth of a tree [default: 7; evaluators 9]
    #[arg(long, value_name = "N", value_parser = whole(1, 17))]
    max_depth: Option<u64>,
    /// The most nodes of a tree [default: 255; evaluators 60]
    #[arg(long, value_name = "N", value_parser = whole(1, 5_000))]
    max_size: Option<u64>,
    /// The programs that live on unchanged [default: 0; evaluators 4]
    #[arg(long, value_name = "N", value_parser = whole(0, 100_000))]
    elite: Option<u64>,
    /// The games that judge a program [default: 1; evaluators 10]
    #[arg(long, value_name = "N", value_parser = whole(1, 100_000))]
    games: Option<u64>,
    /// Whether all programs of a generation play the same seeds [default: false; evaluators true]
    #[arg(long, value_name = "BOOL")]
    common: Option<bool>,
    /// What programs are selected by [default: vega; evaluators score]
    #[arg(long, value_enum)]
    fitness: Option<FitnessName>,
    /// What every node costs, as a part of the fitness [default: 0; evaluators 0.0002]
    #[arg(long, value_name = "P", value_parser = chance)]
    parsimony: Option<f64>,
    /// Whether a child that another one equals is mutated until it does not [default: false; evaluators true]
    #[arg(long, value_name = "BOOL")]
    distinct: Option<bool>,
    /// The variants of the best program with other constants that are tried in each generation [default: 0; evaluators 20]
    #[arg(long, value_name = "N", value_parser = whole(0, 10_000))]
    tuning: Option<u64>,
    /// The further games of the best of each generation to become champion [default: 0; evaluators 100]
    #[arg(long, value_name = "N", value_parser = whole(0, 1_000_000))]
    proof: Option<u64>,
    /// ADFs: 0 or 4 trees for the directions, up to 4 functions of an evaluator [default: 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 4))]
    adfs: Option<u64>,
    /// Whether evaluators are sums over rows and columns, which compile to rows; false lets them read the whole board [default: true]
    #[arg(long, value_name = "BOOL")]
    rows: Option<bool>,
    /// Use only these nodes, separated by commas (see docs/evolution.md)
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    nodes: Vec<String>,
    /// Use these nodes too
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    with: Vec<String>,
    /// Do without these nodes
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    without: Vec<String>,
    /// The modulus of add and subtract of directions: 3 as in the document, or 4 [default: 3]
    #[arg(long, value_name = "N", value_parser = whole(3, 4))]
    modulo: Option<u64>,
    /// When a terminal says its direction: where tiles merge, or where they slide [default: merge]
    #[arg(long, value_enum)]
    sense: Option<SenseName>,
    /// What it says otherwise: any direction, or any but its own where that is impossible [default: any]
    #[arg(long, value_enum)]
    otherwise: Option<OtherwiseName>,
    /// Decides all that is left to chance [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX))]
    seed: Option<u64>,
}

/// Declares an enum of the command line that stands for one of the engine's.
macro_rules! names {
    ($name:ident for $engine:ident { $($(#[$help:meta])* $word:ident),* $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        enum $name { $($(#[$help])* $word,)* }

        impl From<$name> for $engine {
            fn from(name: $name) -> $engine {
                match name { $($name::$word => $engine::$word,)* }
            }
        }
    };
}

names!(GenomeName for Genome {
    /// A program says a direction, as in the source document
    Directions,
    /// A program values afterstates
    Evaluator,
});
names!(FitnessName for Fitness {
    /// The mean score
    Score,
    /// The mean largest tile
    Tile,
    /// The mean sum of the tiles
    Sum,
    /// Half of the parents by score, half by largest tile
    Vega,
    /// The square root of score times largest tile
    Combined,
});
names!(MutationName for Mutation {
    /// One function
    Function,
    /// One terminal
    Terminal,
    /// One node of either kind
    Either,
    /// One subtree is grown anew
    Subtree,
    /// Nodes, subtrees or constants
    Mixed,
});
names!(SenseName for Sensing { Merge, Slide });
names!(OtherwiseName for Otherwise { Any, Others });

pub(super) fn chance(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| "it must be a number from 0 to 1".to_owned())
}

impl SettingsOptions {
    /// The settings that the options come to.
    pub(super) fn settle(&self) -> Outcome<Settings> {
        let mut settings = match self.genome.unwrap_or(GenomeName::Evaluator) {
            GenomeName::Directions => Settings::document(),
            GenomeName::Evaluator => Settings::evaluator(),
        };
        self.apply(&mut settings)?;
        settings.check().map_err(Failure::bad_input)?;
        Ok(settings)
    }

    /// Changes settings where something was typed.
    pub(super) fn apply(&self, settings: &mut Settings) -> Outcome<()> {
        fn set<T, U: From<T>>(place: &mut U, given: Option<T>) {
            if let Some(value) = given {
                *place = value.into();
            }
        }
        let size = |given: Option<u64>| given.map(|number| number as usize);
        set(&mut settings.genome, self.genome);
        set(&mut settings.population, size(self.population));
        set(&mut settings.tournament, size(self.tournament));
        set(&mut settings.mutation, self.mutation);
        set(&mut settings.mutate, self.mutate);
        set(&mut settings.crossover, self.crossover);
        set(&mut settings.bounds.least, size(self.min_depth));
        set(&mut settings.bounds.most, size(self.max_depth));
        set(&mut settings.bounds.size, size(self.max_size));
        set(&mut settings.elite, size(self.elite));
        set(&mut settings.games, self.games);
        set(&mut settings.common, self.common);
        set(&mut settings.fitness, self.fitness);
        set(&mut settings.parsimony, self.parsimony);
        set(&mut settings.distinct, self.distinct);
        set(&mut settings.tuning, size(self.tuning));
        set(&mut settings.proof, self.proof);
        set(&mut settings.adfs, size(self.adfs));
        set(&mut settings.rows, self.rows);
        set(&mut settings.dialect.modulo, self.modulo.map(|modulo| modulo as u8));
        set(&mut settings.dialect.sense, self.sense);
        set(&mut settings.dialect.otherwise, self.otherwise);
        set(&mut settings.seed, self.seed);
        let mut nodes = if self.nodes.is_empty() { &settings.nodes } else { &self.nodes }.clone();
        if !(self.nodes.is_empty() && self.with.is_empty() && self.without.is_empty()) {
            let set = NodeSet::only(&nodes).and_then(|set| set.with(&self.with)?.without(&self.without));
            nodes = set.map_err(Failure::bad_input)?.names();
        }
        let of_the_board = |name: &&String| !NodeSet::is_of_lines(name);
        if let Some(name) = self.nodes.iter().chain(&self.with).find(of_the_board).filter(|_| settings.rows) {
            return Err(Failure::BadInput(format!(
                "{name} is of the whole board; with --rows false it can be used"
            )));
        }
        settings.nodes = nodes;
        Ok(())
    }
}
