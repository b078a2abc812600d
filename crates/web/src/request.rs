//! The form of requests. Numbers that may exceed 2^53, which JavaScript cannot hold, are texts.

use lab2048::board::{Board, Direction, Size};
use lab2048::game::{Action, Future, Game, Probability, Rules, Spawn};
use serde::{Deserialize, Deserializer};

use crate::Failure;

/// A request, named by its field `do`.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// The version and the commit of the program.
    Version,
    /// Starts a game.
    New(NewGame),
    /// Forgets a game.
    Drop {
        /// Its number.
        game: u32,
    },
    /// The state of a game.
    State {
        /// Its number.
        game: u32,
    },
    /// The position of a game, as players need it.
    Position {
        /// Its number.
        game: u32,
    },
    /// Plays a turn.
    Play {
        /// The number of the game.
        game: u32,
        /// What to do.
        #[serde(rename = "move", deserialize_with = "action")]
        action: Action,
        /// The tile that appears, instead of that of the seed.
        spawn: Option<NewTile>,
    },
    /// Slides without playing, to place the new tile by hand.
    Slide {
        /// The number of the game.
        game: u32,
        /// Where to.
        #[serde(rename = "move")]
        direction: Direction,
    },
    /// Takes back the last turn.
    Undo {
        /// The number of the game.
        game: u32,
    },
    /// Plays the last undone turn again.
    Redo {
        /// The number of the game.
        game: u32,
    },
    /// The state of a game after some turns.
    At {
        /// The number of the game.
        game: u32,
        /// The number of turns.
        turn: usize,
    },
    /// Forgets everything after some turns.
    Cut {
        /// The number of the game.
        game: u32,
        /// The number of turns.
        turn: usize,
    },
    /// The replay of a game.
    Save {
        /// The number of the game.
        game: u32,
        /// Who played it.
        player: Option<String>,
        /// A note for the replay.
        note: Option<String>,
        /// The hash of the player's network.
        network: Option<String>,
    },
    /// Makes a game from a replay, from the replay text of 2048verse, or from a link.
    Load {
        /// The text.
        text: String,
    },
    /// A whole game as a short text.
    Link {
        /// The number of the game.
        game: u32,
    },
    /// Reads a board in any text form.
    Board {
        /// The text.
        text: String,
        /// Its size, if known.
        size: Option<Size>,
    },
    /// The players, the evaluators and their parameters.
    Players,
    /// Checks a spec.
    Check {
        /// The spec.
        spec: String,
        /// The board to play on, 4x4 if not given.
        board: Option<Board>,
    },
    /// Takes over a network, whose file is the data of the request.
    Network {
        /// Its name.
        name: String,
    },
    /// Makes a player for a game.
    Player {
        /// Its spec.
        spec: String,
        /// Where the game stands.
        position: Position,
    },
    /// Forgets a player.
    Leave {
        /// Its number.
        player: u32,
    },
    /// Continues a thought.
    Think {
        /// The number of the player.
        player: u32,
        /// The position to think about.
        position: Position,
        /// About how many nodes to visit.
        #[serde(default = "default_nodes")]
        nodes: u64,
    },
    /// Plays on.
    Run {
        /// The number of the player.
        player: u32,
        /// Where the game stands.
        position: Position,
        /// For about how long, in milliseconds.
        #[serde(default = "default_ms")]
        ms: u64,
        /// At most this many moves.
        most: Option<u64>,
        /// Until this tile.
        until: Option<u64>,
    },
    /// Begins the review of a replay.
    Review {
        /// The replay, in any form that `load` reads.
        text: String,
        /// The spec of the judge.
        spec: String,
    },
    /// Judges the next moves of a review.
    Judge {
        /// The number of the review.
        review: u32,
        /// For about how long, in milliseconds.
        #[serde(default = "default_ms")]
        ms: u64,
    },
    /// The summary of the moves that were judged, and the end of the review.
    Summary {
        /// The number of the review.
        review: u32,
    },
    /// Draws a position to practise.
    PracticeDraw(WantedDraw),
    /// Judges a board that is practised.
    PracticeJudge {
        /// What is practised.
        #[serde(flatten)]
        wanted: WantedTable,
        /// The board.
        board: Board,
    },
    /// A search tree.
    Tree(WantedTree),
    /// A search tree as a picture.
    TreePicture {
        /// The tree.
        #[serde(flatten)]
        wanted: WantedTree,
        /// The title of the picture.
        title: Option<String>,
    },
    /// A board as a picture.
    Picture {
        /// The board.
        board: Board,
    },
    /// A replay as an animation.
    Gif(WantedGif),
    /// The summary of arena records.
    Records {
        /// The file.
        text: String,
    },
    /// An evolved program with its values on a board.
    Program {
        /// The program.
        text: String,
        /// The board.
        board: Board,
    },
}

fn default_nodes() -> u64 {
    20_000
}

fn default_ms() -> u64 {
    20
}

/// How a game starts.
#[derive(Debug, Deserialize)]
pub struct NewGame {
    /// The size of the board.
    size: Option<Size>,
    /// The seed, as a text.
    #[serde(deserialize_with = "seed")]
    seed: u64,
    /// The chance of a 4.
    four: Option<Probability>,
    /// The winning tile.
    goal: Option<u64>,
    /// The rules, instead of size, chance and goal.
    rules: Option<Rules>,
    /// The first board, instead of two spawns.
    board: Option<Board>,
    /// The score on that board.
    #[serde(default)]
    score: u64,
    /// The turns that led to that board.
    #[serde(default)]
    turns: u64,
}

impl NewGame {
    /// The game.
    pub(crate) fn game(self) -> Game {
        let mut rules = self.rules.unwrap_or_default();
        rules.size = self.size.unwrap_or(rules.size);
        rules.four = self.four.unwrap_or(rules.four);
        rules.goal = self.goal.unwrap_or(rules.goal);
        match self.board {
            Some(board) => Game::resumed(rules, self.seed, board, self.score, self.turns),
            None => Game::new(rules, self.seed),
        }
    }
}

/// The place of a game that another instance holds.
#[derive(Debug, Deserialize)]
pub struct Position {
    rules: Rules,
    board: Board,
    score: u64,
    turns: u64,
    #[serde(deserialize_with = "seed")]
    seed: u64,
    /// Whether the coming spawns are those of the seed.
    future: bool,
}

impl Position {
    /// Whether players may know the coming spawns.
    pub(crate) fn told(&self) -> Future {
        if self.future { Future::Told } else { Future::Hidden }
    }

    /// The game, which continues from here.
    pub(crate) fn game(self) -> Game {
        Game::resumed(self.rules, self.seed, self.board, self.score, self.turns)
    }
}

/// A new tile.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct NewTile {
    cell: usize,
    tile: u64,
}

impl NewTile {
    /// The spawn, if such a tile can appear.
    pub(crate) fn spawn(self) -> Result<Spawn, Failure> {
        let NewTile { cell, tile } = self;
        match tile {
            2 | 4 => Ok(Spawn { cell, tile }),
            _ => Err(Failure(format!("a tile {tile} cannot appear, only 2 and 4 can"))),
        }
    }
}

/// A small board that is practised.
#[derive(Debug, Deserialize)]
pub struct WantedTable {
    /// Its size.
    pub(crate) size: Size,
    /// The tile to make; for points if not given.
    pub(crate) tile: Option<u64>,
}

/// A position to practise.
#[derive(Debug, Deserialize)]
pub struct WantedDraw {
    /// What is practised.
    #[serde(flatten)]
    pub(crate) table: WantedTable,
    /// The seed, as a text.
    #[serde(deserialize_with = "seed")]
    pub(crate) seed: u64,
    /// The least value of the best move.
    #[serde(default)]
    pub(crate) from: f64,
    /// Its largest value.
    pub(crate) to: Option<f64>,
}

/// A search tree to draw.
#[derive(Debug, Deserialize)]
pub struct WantedTree {
    /// The player.
    pub(crate) spec: String,
    /// Where it stands.
    pub(crate) position: Position,
    /// The depth, if not that of the spec.
    pub(crate) depth: Option<u32>,
    /// The number of branches of each board in a tree with chance.
    pub(crate) top: Option<usize>,
}

/// An animation of a replay.
#[derive(Debug, Deserialize)]
pub struct WantedGif {
    /// The replay, in any form that `load` reads.
    pub(crate) text: String,
    /// Every how many moves are shown; by default as many as make about 300 pictures.
    pub(crate) every: Option<u64>,
    /// The time between shown moves.
    #[serde(default = "default_delay")]
    pub(crate) delay_ms: u64,
    /// The frames of sliding tiles for each move.
    pub(crate) smooth: Option<u16>,
    /// The size of the pictures; at 1 a tile has 64 pixels.
    pub(crate) scale: Option<f32>,
}

fn default_delay() -> u64 {
    200
}

/// An action by its name: a direction, `pass` or `quit`.
fn action<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Action, D::Error> {
    let name = String::deserialize(deserializer)?;
    match name.as_str() {
        "pass" => Ok(Action::Pass),
        "quit" => Ok(Action::Quit),
        name => name.parse().map(Action::Move).map_err(serde::de::Error::custom),
    }
}

/// A seed as a text.
fn seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = |_| serde::de::Error::custom("a seed is a whole number below 2^64");
    text.trim().parse().map_err(wrong)
}
