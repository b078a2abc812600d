//! The options of `lab2048 train`, and the recipe made from them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use lab2048::board::{Size, rank_of, tile_of};
use lab2048::game::Probability;
use lab2048::learn::{
    Changes, NewStages, Order, Quantisation, Recipe, Schedule, Training, UpdateRule, start, start_from,
};
use lab2048::ntuple::{NetworkFile, Patterns, Shape, Stages};
use lab2048::players::ShippedNetwork;
use lab2048_nets::NETWORKS;

use crate::failure::{Failure, Outcome};
use crate::interruptible::work;
use crate::numbers::{Threads, number, positive, whole, whole_as};

const RECIPES: &str = "\
Recipes (for two threads):
  ten minutes  lab2048 train first --patterns \"4x6 5x4\" --start-value 40000 --formations 0.8 --minutes 10
  an hour      lab2048 train hour --patterns \"8x6 5x4\" --start-value 40000 --formations 0.8 --minutes 50
               lab2048 train hour --rate 0.1 --minutes 10
  a night      lab2048 train night --patterns \"8x6 5x4\" --start-value 40000 --formations 0.8 --minutes 60
               lab2048 train night --formations 0.94 --minutes 300
               lab2048 train night --rate 0.1 --minutes 60
  continue     lab2048 train more --from default --formations 0.7 --openings 0.9
               starts from a network: a shipped one (default, full) or a file

Run the same command to resume. Options are stored in the checkpoint.

Files in the folder:
  training.checkpoint  the run; training.previous is the previous checkpoint
  curve.csv            the learning curve
  curve.svg            its picture
  network.net          the network to play with, written at the end of every session:
                       lab2048 watch ntuple:net=first/network.net

If a checkpoint or the curve cannot be written, the training continues and a warning says so. The
exit code is 1 if something is still missing at the end.

If network.net is missing or older than the checkpoint, the same command writes it again. A
network.net that does not come from this run is renamed to network-2.net and kept. The mean of
--average is not stored in the checkpoint: if it is lost, network.net gets the last weights instead,
and the exit code is 1.";

/// The note of a network file that records its thrift.
pub(super) const THRIFT: &str = "thrift";

#[derive(Args, Debug)]
#[command(after_help = RECIPES)]
pub(crate) struct Arguments {
    /// Folder of the run; an existing run is resumed
    pub(super) folder: PathBuf,
    /// Stop after N minutes of this session
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) minutes: Option<f64>,
    /// Stop when the run has N complete games; restarts, formations and openings do not count
    #[arg(long, value_name = "N", value_parser = whole(1, u64::MAX))]
    pub(super) games: Option<u64>,
    /// Stop when the run has N moves, like 3e9
    #[arg(long, value_name = "N", value_parser = whole(1, u64::MAX))]
    pub(super) moves: Option<u64>,
    #[command(flatten)]
    pub(super) threads: Threads,
    /// Minutes between checkpoints
    #[arg(long, value_name = "MINUTES", default_value_t = 5.0, value_parser = positive)]
    pub(super) checkpoint_every: f64,
    /// How much precision of network.net to give up for a smaller file, like 1.2e7 for 4x4; 0 for
    /// none. Rarely used weights lose the most
    #[arg(long, value_name = "N", default_value_t = 0.0, value_parser = number(0.0, 1e30))]
    thrift: f64,
    /// Make network.net from the mean of the weights, sampled every minute and at the end of this
    /// session, instead of from the last weights. The result is not reproducible from the seed. The
    /// checkpoint holds only the last weights
    #[arg(long)]
    pub(super) average: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    recipe: RecipeOptions,
}

/// The recipe as typed. Missing options get the default of a new run, or the value of the network
/// or run that it continues.
#[derive(Args, Debug)]
#[command(next_help_heading = "Recipe")]
struct RecipeOptions {
    /// Start from the weights and shape of a network: a file, or default or full for a shipped one.
    /// You can add stages to it
    #[arg(long, value_name = "NETWORK")]
    from: Option<String>,
    /// Move all weights part of the way to those of another network of the same shape, like
    /// old.net:0.4. If that network has fewer stages, only the weights of those stages move. Done
    /// once for each network, at the start of a session
    #[arg(long, value_name = "NETWORK:SHARE")]
    mix: Option<Mix>,
    /// Board size, rows x columns, up to 4x4 [default: 4x4]
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Patterns: 4x6, 5x6 or 8x6, small ones to add (5x4), or hex cells, like "8x6 5x4" or "012345
    /// 456789" [default: 4x6, or all cells of a small board]
    #[arg(long, value_name = "PATTERNS")]
    patterns: Option<String>,
    /// Stages of the game: one, or where the later stages begin, like "16384" or "4096*2 4096*3".
    /// "/8192" after a stage, or alone for the first stage, makes that stage treat all tiles from
    /// 8192 on as equal. You can append stages to a run [default: one]
    #[arg(long, value_name = "STAGES")]
    stages: Option<Stages>,
    /// Initial weights of added stages: copy takes those of the last stage before them, fresh
    /// starts with none [default: copy]
    #[arg(long, value_name = "HOW", requires = "stages")]
    new_stages: Option<NewStagesName>,
    /// Share of games that start from boards of the later stages [default: 0]
    #[arg(long, value_name = "SHARE")]
    stage_starts: Option<Probability>,
    /// Share of games that start with the large tiles in order, so that the network learns such
    /// boards [default: 0]
    #[arg(long, value_name = "SHARE")]
    formations: Option<Probability>,
    /// Share of the games without a formation, wherever they start, that end after 500 to 8000
    /// moves, so that the network learns openings and no game has too many restarts [default: 0]
    #[arg(long, value_name = "SHARE")]
    openings: Option<Probability>,
    /// Largest tile that the network knows; boards with larger tiles are downgraded [default:
    /// 16384]
    #[arg(long, value_name = "TILE", value_parser = tile)]
    largest: Option<u8>,
    /// Initial value of an unknown afterstate; a large value is optimistic [default: 0]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    start_value: Option<f32>,
    /// Update rule [default: tc]
    #[arg(long, value_name = "RULE")]
    rule: Option<RuleName>,
    /// Order of updates: forward, after every move, or backward, after the game [default: backward]
    #[arg(long, value_name = "ORDER")]
    order: Option<OrderName>,
    /// Learning rate, or a schedule: "1 0.1@2e9" is 1, and 0.1 from 2e9 moves on. It may change
    /// when you resume [default: 1; td: 0.1]
    #[arg(long, value_name = "RATE")]
    rate: Option<Schedule>,
    /// After a game of at least MOVES moves, play another one from its middle; 0 for never
    /// [default: 100]
    #[arg(long, value_name = "MOVES", value_parser = whole_as::<u32>(0, u32::MAX.into()))]
    restart: Option<u32>,
    /// Probability of a 4 [default: 0.1]
    #[arg(long, value_name = "P")]
    four: Option<Probability>,
    /// Seed of all random choices; on one thread the same seed gives the same network [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX))]
    seed: Option<u64>,
}

/// A network to mix in, and its share.
#[derive(Clone, Debug)]
struct Mix {
    name: String,
    share: Probability,
}

impl FromStr for Mix {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Mix, &'static str> {
        let wrong = "a network and a share above 0, at most 1, like old.net:0.4";
        let (name, share) = text.rsplit_once(':').filter(|(name, _)| !name.is_empty()).ok_or(wrong)?;
        let share = share.parse().ok().filter(|share| *share > Probability::ZERO).ok_or(wrong)?;
        Ok(Mix { name: name.to_owned(), share })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// Temporal coherence: every weight has its own learning rate
    Tc,
    /// Plain temporal-difference learning
    Td,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderName {
    /// After every move
    Forward,
    /// After the game, from its end to its beginning
    Backward,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NewStagesName {
    /// The weights of the last stage before them
    Copy,
    /// Nothing learned yet: every board has the start value
    Fresh,
}

impl From<NewStagesName> for NewStages {
    fn from(name: NewStagesName) -> NewStages {
        match name {
            NewStagesName::Copy => NewStages::Copy,
            NewStagesName::Fresh => NewStages::Fresh,
        }
    }
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Order {
        match name {
            OrderName::Forward => Order::Forward,
            OrderName::Backward => Order::Backward,
        }
    }
}

impl From<RuleName> for UpdateRule {
    fn from(name: RuleName) -> UpdateRule {
        match name {
            RuleName::Tc => UpdateRule::Tc,
            RuleName::Td => UpdateRule::Td,
        }
    }
}

fn tile(text: &str) -> Result<u8, String> {
    let rank = text.parse().ok().and_then(rank_of).filter(|rank| (1..=15).contains(rank));
    rank.ok_or_else(|| "a tile from 2 to 32768".to_owned())
}

impl Arguments {
    /// Refuses a goal that can never be reached.
    pub(super) fn check_goal(&self, recipe: &Recipe) -> Outcome<()> {
        let whole_games = recipe.formations < Probability::ONE && recipe.openings < Probability::ONE;
        if self.games.is_some() && self.moves.is_none() && self.minutes.is_none() && !whole_games {
            let words = "--games counts whole games, but this run has only formations or openings; use --moves or --minutes";
            return Err(Failure::BadInput(words.to_owned()));
        }
        Ok(())
    }

    /// The precision of network.net.
    pub(super) fn quantisation(&self) -> Quantisation {
        Quantisation { thrift: self.thrift as f32 }
    }

    /// The file of the network that the run starts from.
    pub(super) fn from(&self) -> Outcome<Option<Cow<'static, [u8]>>> {
        self.recipe.from.as_deref().map(read).transpose()
    }

    /// The network to mix in.
    pub(super) fn mix(&self) -> Outcome<Option<Mixture>> {
        let load = |Mix { name, share }: &Mix| {
            let file = network(name, "mix in", &read(name)?)?;
            Ok(Mixture { file, share: *share })
        };
        self.recipe.mix.as_ref().map(load).transpose()
    }

    /// Starts a run with an untrained network.
    pub(super) fn start(&self) -> Outcome<Box<dyn Training>> {
        let typed = &self.recipe;
        let size = typed.size.unwrap_or(Size::FOUR);
        let patterns =
            Patterns::parse(size, &typed.patterns.clone().unwrap_or_else(|| default_patterns(size)));
        let start_value = typed.start_value.unwrap_or(0.0);
        if !start_value.is_finite() {
            return Err(Failure::BadInput("--start-value must be a finite number".to_owned()));
        }
        let shape = Shape {
            patterns: patterns.map_err(Failure::bad_input)?,
            stages: Stages::one(),
            top: typed.largest.unwrap_or(14),
            start_value,
        };
        start(self.recipe(shape)).map_err(Failure::bad_input)
    }

    /// Starts a run with the weights of a network file.
    pub(super) fn start_from(&self, file: &[u8]) -> Outcome<Box<dyn Training>> {
        let name = self.recipe.from.as_deref().unwrap_or_default();
        let NetworkFile { network, notes } = network(name, "start from", file)?;
        let shape = network.shape();
        if let Some((option, value)) = self.other_than(shape)? {
            return Err(Failure::BadInput(format!(
                "the network to start from has {option} {value}; leave the option out"
            )));
        }
        let recipe = self.recipe(shape.clone());
        start_from(&network, quantisation_of(&notes), recipe, self.new_stages()).map_err(Failure::bad_input)
    }

    /// The initial weights of added stages.
    fn new_stages(&self) -> NewStages {
        self.recipe.new_stages.map(NewStages::from).unwrap_or_default()
    }

    /// The typed options that may change in a run.
    fn changes(&self) -> Changes {
        let typed = &self.recipe;
        Changes {
            rate: typed.rate.clone(),
            stages: typed.stages.clone(),
            new_stages: self.new_stages(),
            stage_starts: typed.stage_starts,
            formations: typed.formations,
            openings: typed.openings,
        }
    }

    /// The recipe of a new run. `shape` does not include the typed stages yet.
    fn recipe(&self, shape: Shape) -> Recipe {
        let typed = &self.recipe;
        let usual = Recipe::new(shape);
        let rule = typed.rule.map_or(usual.rule, UpdateRule::from);
        let recipe = Recipe {
            rule,
            order: typed.order.map_or(usual.order, Order::from),
            rate: rule.usual_rate(),
            restart: typed.restart.unwrap_or(usual.restart),
            four: typed.four.unwrap_or(usual.four),
            seed: typed.seed.unwrap_or(usual.seed),
            ..usual
        };
        recipe.changed(self.changes())
    }

    /// The first typed option about the shape that differs from `shape`, with the value that it has
    /// there.
    fn other_than(&self, shape: &Shape) -> Outcome<Option<(&'static str, String)>> {
        let typed = &self.recipe;
        let size = shape.patterns.size();
        let patterns = typed.patterns.as_ref().map(|text| Patterns::parse(size, text)).transpose();
        let patterns = patterns.map_err(Failure::bad_input)?;
        let differs = [
            ("--size", typed.size.is_some_and(|size| size != shape.patterns.size()), size.to_string()),
            (
                "--patterns",
                patterns.is_some_and(|it| it != shape.patterns),
                format!("\"{}\"", shape.patterns),
            ),
            (
                "--largest",
                typed.largest.is_some_and(|rank| rank != shape.top),
                tile_of(shape.top).to_string(),
            ),
            (
                "--start-value",
                typed.start_value.is_some_and(|value| value != shape.start_value),
                shape.start_value.to_string(),
            ),
        ];
        let first = differs.into_iter().find(|(_, differs, _)| *differs);
        Ok(first.map(|(option, _, value)| (option, value)))
    }

    /// Applies the typed options to a resumed run. Only the rate, the stages and the starts may
    /// change; any other difference is an error.
    pub(super) fn apply_to(&self, training: &mut dyn Training, from: Option<&[u8]>) -> Outcome<()> {
        let typed = &self.recipe;
        let recipe = training.recipe().clone();
        let shape = &recipe.shape;
        let began_with = recipe.from.clone().unwrap_or_else(|| "none".to_owned());
        let differs = [
            ("--from", from.is_some_and(|file| Some(NetworkFile::hash(file)) != recipe.from), began_with),
            (
                "--rule",
                typed.rule.is_some_and(|rule| UpdateRule::from(rule) != recipe.rule),
                recipe.rule.to_string(),
            ),
            (
                "--order",
                typed.order.is_some_and(|order| Order::from(order) != recipe.order),
                format!("{:?}", recipe.order).to_lowercase(),
            ),
            (
                "--restart",
                typed.restart.is_some_and(|restart| restart != recipe.restart),
                recipe.restart.to_string(),
            ),
            ("--four", typed.four.is_some_and(|four| four != recipe.four), recipe.four.to_string()),
            ("--seed", typed.seed.is_some_and(|seed| seed != recipe.seed), recipe.seed.to_string()),
        ];
        let first = differs.into_iter().find(|(_, differs, _)| *differs);
        let other = self.other_than(shape)?.or(first.map(|(option, _, value)| (option, value)));
        if let Some((option, value)) = other {
            let folder = self.folder.display();
            return Err(Failure::BadInput(format!(
                "the run in {folder} has {option} {value}; leave the option out to resume, or choose another folder"
            )));
        }
        training.apply(self.changes()).map_err(Failure::bad_input)
    }
}

/// A network to mix in.
pub(super) struct Mixture {
    file: NetworkFile,
    share: Probability,
}

impl Mixture {
    /// Mixes it in.
    pub(super) fn into(self, training: &mut dyn Training) -> Outcome<()> {
        let NetworkFile { network, notes } = &self.file;
        training.mix(network, quantisation_of(notes), self.share).map_err(Failure::bad_input)
    }
}

/// The precision of a network file, from its notes.
fn quantisation_of(notes: &BTreeMap<String, String>) -> Quantisation {
    let thrift = notes.get(THRIFT).and_then(|thrift| thrift.parse::<f32>().ok());
    Quantisation { thrift: thrift.filter(|thrift| thrift.is_finite()).unwrap_or(0.0) }
}

/// The bytes of a network file or of a shipped network. The file may be a pipe without a writer, so
/// Ctrl-C ends the wait.
fn read(name: &str) -> Outcome<Cow<'static, [u8]>> {
    let theirs = name.to_owned();
    work(&format!("reading {name}"), move || match ShippedNetwork::named(NETWORKS, &theirs) {
        Some(network) => network.bytes().map_err(Failure::bad_input),
        None => NetworkFile::read_bytes(Path::new(&theirs)).map(Cow::Owned).map_err(Failure::bad_input),
    })?
}

/// Parses a network file. `purpose` is used in the error message.
fn network(name: &str, purpose: &str, bytes: &[u8]) -> Outcome<NetworkFile> {
    NetworkFile::from_bytes(bytes)
        .map_err(|error| Failure::bad_input(error).at(&format!("cannot {purpose} the network {name}: ")))
}

/// The default patterns: 4x6 on the 4x4 board, otherwise one pattern of the first cells, at most 6.
fn default_patterns(size: Size) -> String {
    if size == Size::FOUR {
        return "4x6".to_owned();
    }
    (0..size.cells().min(6)).map(|cell| format!("{cell:x}")).collect()
}
