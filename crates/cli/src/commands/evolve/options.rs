//! The options of an evolution, and the settings made from them.

use clap::{Args, ValueEnum};
use lab2048::evolve::{EvolutionSettings, Fitness, Genome, Mutation, NodeSet, Otherwise, Sensing};

use crate::failure::{Failure, Outcome};
use crate::numbers::{number, whole};
use crate::report::Table;

/// The form of a table of results.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct TableFormat {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

impl TableFormat {
    /// The table, where JSON is not asked for.
    pub(super) fn write(self, table: &Table) -> String {
        if self.markdown { table.to_markdown() } else { table.to_text() }
    }
}

/// What programs look like and how they evolve, as typed. Missing options get the default of the
/// genome.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Evolution")]
pub(super) struct SettingsOptions {
    /// Kind of program: evaluator, or directions as in the paper (see docs/reference/programs.md)
    /// [default: evaluator]
    #[arg(long, value_enum)]
    genome: Option<GenomeName>,
    /// Programs per generation [default: 200; directions: 65]
    #[arg(long, value_name = "N", value_parser = whole(2, 100_000))]
    population: Option<u64>,
    /// Tournament size: programs drawn to choose a parent [default: 5]
    #[arg(long, value_name = "N", value_parser = whole(1, 100_000))]
    tournament: Option<u64>,
    /// Probability that a child is mutated [default: 0.8; directions: 1]
    #[arg(long, value_name = "P", value_parser = chance)]
    mutation: Option<f64>,
    /// What a mutation changes [default: mixed; directions: function]
    #[arg(long, value_enum)]
    mutate: Option<MutationName>,
    /// Probability that two parents are crossed [default: 0.5; directions: 0]
    #[arg(long, value_name = "P", value_parser = chance)]
    crossover: Option<f64>,
    /// Minimum depth of a tree; a single terminal has depth 1 [default: 2; directions: 3]
    #[arg(long, value_name = "N", value_parser = whole(1, 17))]
    min_depth: Option<u64>,
    /// Maximum depth of a tree [default: 9; directions: 7]
    #[arg(long, value_name = "N", value_parser = whole(1, 17))]
    max_depth: Option<u64>,
    /// Maximum number of nodes in a tree [default: 60; directions: 255]
    #[arg(long, value_name = "N", value_parser = whole(1, 5_000))]
    max_size: Option<u64>,
    /// Number of best programs that survive unchanged [default: 4; directions: 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 100_000))]
    elite: Option<u64>,
    /// Games per program in each generation [default: 10; directions: 1]
    #[arg(long, value_name = "N", value_parser = whole(1, 100_000))]
    games: Option<u64>,
    /// Whether all programs of a generation play the same seeds [default: true; directions: false]
    #[arg(long, value_name = "BOOL")]
    common: Option<bool>,
    /// Fitness by which programs are selected [default: score; directions: vega]
    #[arg(long, value_enum)]
    fitness: Option<FitnessName>,
    /// Cost of each node: fitness is divided by 1 + P x nodes [default: 0.0002; directions: 0]
    #[arg(long, value_name = "P", value_parser = chance)]
    parsimony: Option<f64>,
    /// Whether a child that equals another one is mutated until it differs [default: true;
    /// directions: false]
    #[arg(long, value_name = "BOOL")]
    distinct: Option<bool>,
    /// Number of variants of the best program, with different constants, to try in each generation
    /// [default: 20; directions: 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 10_000))]
    tuning: Option<u64>,
    /// Additional games for the best program of each generation; they decide which one is the
    /// champion [default: 100; directions: 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 1_000_000))]
    proof: Option<u64>,
    /// Number of automatically defined functions (ADFs): 0 or 4 trees in directions programs, up to
    /// 4 functions in evaluators [default: 0]
    #[arg(long, value_name = "N", value_parser = whole(0, 4))]
    adfs: Option<u64>,
    /// Whether evaluators are sums over rows and columns, which compile to row tables; false lets
    /// them read the whole board [default: true]
    #[arg(long, value_name = "BOOL")]
    rows: Option<bool>,
    /// Use only these nodes, separated by commas (see docs/reference/programs.md)
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    nodes: Vec<String>,
    /// Add these nodes
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    with: Vec<String>,
    /// Remove these nodes
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    without: Vec<String>,
    /// Modulus of add and subtract in directions programs: 3 as in the paper, or 4 [default: 3]
    #[arg(long, value_name = "N", value_parser = whole(3, 4))]
    modulo: Option<u64>,
    /// When a terminal returns its own direction: if that move merges tiles (merge), or if it
    /// changes the board (slide) [default: merge]
    #[arg(long, value_enum)]
    sense: Option<SenseName>,
    /// What a terminal returns otherwise: any direction (any), or any but its own if that move is
    /// impossible (others) [default: any]
    #[arg(long, value_enum)]
    otherwise: Option<OtherwiseName>,
    /// Seed of all random choices [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX))]
    seed: Option<u64>,
}

/// Declares an enum for the command line with the variants of an engine enum.
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
    /// Programs return a direction, as in the paper
    Directions,
    /// Programs evaluate afterstates
    Evaluator,
});
names!(FitnessName for Fitness {
    /// Mean score
    Score,
    /// Mean largest tile
    Tile,
    /// Mean sum of the tiles
    Sum,
    /// Select half of the parents by score, half by largest tile
    Vega,
    /// Mean of sqrt(score x largest tile)
    Combined,
});
names!(MutationName for Mutation {
    /// One function
    Function,
    /// One terminal
    Terminal,
    /// One node of either kind
    Either,
    /// One subtree, which is regrown
    Subtree,
    /// Nodes, subtrees or constants
    Mixed,
});
names!(SenseName for Sensing { Merge, Slide });
names!(OtherwiseName for Otherwise { Any, Others });

pub(super) fn chance(text: &str) -> Result<f64, String> {
    number(0.0, 1.0)(text)
}

impl SettingsOptions {
    /// The settings for these options.
    pub(super) fn settle(&self) -> Outcome<EvolutionSettings> {
        SettingsOptions::settle_all(&[self])
    }

    /// The settings for several sets of options. Later sets override earlier ones.
    pub(super) fn settle_all(all: &[&SettingsOptions]) -> Outcome<EvolutionSettings> {
        let genome = all.iter().rev().find_map(|options| options.genome).unwrap_or(GenomeName::Evaluator);
        let mut settings = match genome {
            GenomeName::Directions => EvolutionSettings::document(),
            GenomeName::Evaluator => EvolutionSettings::evaluator(),
        };
        for options in all {
            options.check_genome(genome)?;
            options.apply(&mut settings);
        }
        // The nodes depend on the other settings, so they are chosen last.
        for options in all {
            options.choose_nodes(&mut settings)?;
        }
        settings.check().map_err(Failure::bad_input)?;
        Ok(settings)
    }

    /// Refuses options that have no effect with a genome.
    fn check_genome(&self, genome: GenomeName) -> Outcome<()> {
        let useless = match genome {
            GenomeName::Directions => [
                ("tuning", self.tuning.is_some_and(|tuning| tuning > 0), "have no constants to tune"),
                ("rows", self.rows == Some(true), "are not sums over rows"),
                ("", false, ""),
            ],
            GenomeName::Evaluator => [
                ("modulo", self.modulo.is_some(), "add without a modulus"),
                ("sense", self.sense.is_some(), "do not sense directions"),
                ("otherwise", self.otherwise.is_some(), "do not sense directions"),
            ],
        };
        let programs = if genome == GenomeName::Directions { "directions programs" } else { "evaluators" };
        match useless.into_iter().find(|(_, typed, _)| *typed) {
            Some((name, _, why)) => Err(Failure::BadInput(format!("--{name}: {programs} {why}"))),
            None => Ok(()),
        }
    }

    /// Changes the settings for which an option was typed.
    fn apply(&self, settings: &mut EvolutionSettings) {
        fn set<T, U: From<T>>(place: &mut U, given: Option<T>) {
            if let Some(value) = given {
                *place = value.into();
            }
        }
        let size = |given: Option<u64>| given.map(|number| number as usize);
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
    }

    /// Changes the set of nodes, if some were typed.
    fn choose_nodes(&self, settings: &mut EvolutionSettings) -> Outcome<()> {
        if self.nodes.is_empty() && self.with.is_empty() && self.without.is_empty() {
            return Ok(());
        }
        let wrong = |text: String| Err(Failure::BadInput(text));
        let wanted = || self.nodes.iter().chain(&self.with);
        if let Some(name) = wanted().find(|name| self.without.contains(name)) {
            return wrong(format!("the node {name} cannot be both added and removed"));
        }
        let first = if self.nodes.is_empty() { &settings.nodes } else { &self.nodes };
        let set = NodeSet::only(first).and_then(|set| set.with(&self.with)?.without(&self.without));
        settings.nodes = set.map_err(Failure::bad_input)?.names();
        if settings.rows {
            if let Some(name) = wanted().find(|name| NodeSet::is_of_the_board(name)) {
                return wrong(format!("{name} reads the whole board; use it with --rows false"));
            }
            if self.without.iter().any(|name| name == "lines") {
                return wrong(
                    "sums over rows need the node lines; remove it only with --rows false".to_owned(),
                );
            }
        }
        Ok(())
    }

    /// The names of the options that were typed.
    pub(super) fn typed(&self) -> Vec<&'static str> {
        let all = [
            ("genome", self.genome.is_some()),
            ("population", self.population.is_some()),
            ("tournament", self.tournament.is_some()),
            ("mutation", self.mutation.is_some()),
            ("mutate", self.mutate.is_some()),
            ("crossover", self.crossover.is_some()),
            ("min-depth", self.min_depth.is_some()),
            ("max-depth", self.max_depth.is_some()),
            ("max-size", self.max_size.is_some()),
            ("elite", self.elite.is_some()),
            ("games", self.games.is_some()),
            ("common", self.common.is_some()),
            ("fitness", self.fitness.is_some()),
            ("parsimony", self.parsimony.is_some()),
            ("distinct", self.distinct.is_some()),
            ("tuning", self.tuning.is_some()),
            ("proof", self.proof.is_some()),
            ("adfs", self.adfs.is_some()),
            ("rows", self.rows.is_some()),
            ("nodes", !self.nodes.is_empty()),
            ("with", !self.with.is_empty()),
            ("without", !self.without.is_empty()),
            ("modulo", self.modulo.is_some()),
            ("sense", self.sense.is_some()),
            ("otherwise", self.otherwise.is_some()),
            ("seed", self.seed.is_some()),
        ];
        all.into_iter().filter(|(_, typed)| *typed).map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, CommandFactory, Parser};

    use super::*;

    #[derive(Parser)]
    struct All {
        #[command(flatten)]
        settings: SettingsOptions,
    }

    /// Every option is in the list of `typed`.
    #[test]
    fn every_option_is_known_by_its_name() {
        let command: Command = SettingsOptions::augment_args(All::command());
        for argument in command.get_arguments().filter(|argument| argument.get_id() != "help") {
            let name = argument.get_long().expect("every setting has a name");
            let value = ["1", "3", "0.5", "true", "up", "directions", "score", "function", "merge", "any"]
                .into_iter()
                .find_map(|value| All::try_parse_from(["evolve", &format!("--{name}"), value]).ok());
            let typed = value.map(|all| all.settings.typed());
            assert_eq!(typed, Some(vec![name]));
        }
    }
}
