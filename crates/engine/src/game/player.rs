//! What plays the game.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Action, Game, Probability, Rules, SpawnSource, Stream};
use crate::board::{Board, Direction, Slides};

/// Anything that chooses moves. One player value plays one game at a time, and any number of games one after another.
pub trait Player: Send {
    /// Told before the first move of each game. A player that cannot play it says so here, before the game starts.
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        let _ = game;
        Ok(())
    }

    /// Chooses what to do on a board that has at least one legal move.
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError>;

    /// Told when a game is over.
    fn end(&mut self, game: &Game) {
        let _ = game;
    }

    /// Whether the same seed always gives the same moves: not so for people, foreign programs and limits by time.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// The hash of the network or evolved program that it asks on a board, if it asks one; records and replays keep it.
    fn network(&self, board: &Board) -> Option<String> {
        let _ = board;
        None
    }

    /// The files that a foreign program consists of, as far as they are known; records keep them.
    /// `Cannot` if one cannot be read.
    fn files(&self) -> Result<Vec<PlayerFile>, Cannot> {
        Ok(Vec::new())
    }

    /// What it can say in words about its last choice, for those who watch.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Whether it is meant to know the coming spawns. Only such a player is told them.
    fn uses_future(&self) -> bool {
        false
    }

    /// The same player for packed boards, if it needs to see nothing else and chooses in so little time that the rest of a
    /// turn matters. It chooses the same moves.
    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        None
    }
}

/// A file of a foreign program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerFile {
    /// Its name in the command that starts the program.
    pub file: String,
    /// The SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

/// A player that chooses by the packed board alone; see [`Player::quick`].
pub trait QuickPlayer {
    /// Chooses a direction in which the board changes, given all four slides. There is at least one.
    fn choose_quickly(&mut self, slides: &Slides) -> Direction;
}

/// What a player is told before a game.
#[derive(Clone, Copy, Debug)]
pub struct GameStart<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The first board.
    pub board: &'a Board,
    /// Whether the coming spawns will be told.
    pub knows_future: bool,
}

/// What a player is told before each move.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The board to move on.
    pub board: &'a Board,
    /// The score so far.
    pub score: u64,
    /// The turns played so far.
    pub turns: u64,
    /// The chance of a 4.
    pub four: Probability,
    /// Random numbers for the player's own use; they say nothing about the spawns.
    pub luck: Stream,
    /// The coming spawns, for the player that is meant to know them; the next one has the number
    /// `turns + SpawnSource::AFTER_FIRST_MOVE`.
    pub future: Option<SpawnSource>,
}

impl<'a> Situation<'a> {
    /// The situation of a running game as this player is told it: without the coming spawns, unless it is meant to know
    /// them.
    pub fn told<P: Player + ?Sized>(game: &'a Game, player: &P) -> Situation<'a> {
        let situation = Situation::of(game);
        Situation { future: situation.future.filter(|_| player.uses_future()), ..situation }
    }

    /// The situation of a running game with everything that is known about it.
    pub fn of(game: &'a Game) -> Situation<'a> {
        Situation {
            board: game.board(),
            score: game.score(),
            turns: game.turns(),
            four: game.rules().four,
            luck: Stream::player(game.seed()),
            future: Some(game.spawns()),
        }
    }
}

/// What the values of a decision mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Expected points to come. Only these are comparable between players.
    Points,
    /// The larger the better, and nothing else.
    Preference,
}

/// What a player chose, and what it can say about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// The value of each direction, in the order of [`Direction::ALL`]; `None` where a direction is illegal or was given up
    /// before it was judged, or where the player has no values.
    pub values: [Option<f64>; 4],
    /// What the values mean.
    pub unit: Unit,
    /// How many own moves were looked ahead.
    pub depth: u32,
    /// How many positions were visited.
    pub nodes: u64,
    /// How long it took; zero unless somebody measured it, see [`Timed`].
    pub time: Duration,
}

impl Decision {
    /// A bare choice.
    pub const fn of(action: Action) -> Decision {
        Decision {
            action,
            values: [None; 4],
            unit: Unit::Preference,
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }

    /// Whether a value beats the largest one so far. A value that is no number loses against every number.
    #[inline]
    pub(crate) fn beats(value: f64, most: f64) -> bool {
        value > most || most.is_nan()
    }

    /// The choice of the largest value, the first one in the order of [`Direction::ALL`] among equals; `None` if there is
    /// no value. A value that is no number loses against every number.
    #[inline]
    pub fn best_of(values: [Option<f64>; 4], unit: Unit, depth: u32, nodes: u64) -> Option<Decision> {
        let mut best: Option<(Direction, f64)> = None;
        for (direction, value) in Direction::ALL.into_iter().zip(values) {
            let Some(value) = value else { continue };
            if best.is_none_or(|(_, most)| Decision::beats(value, most)) {
                best = Some((direction, value));
            }
        }
        let of = |direction| Decision::of(Action::Move(direction));
        best.map(|(direction, _)| Decision { values, unit, depth, nodes, ..of(direction) })
    }
}

/// A player cannot play this game at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Cannot(pub String);

/// A player failed in the middle of a game; the game ends there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PlayerError(pub String);

impl PlayerError {
    /// The board has no legal move: a player is not asked there.
    pub fn no_move() -> PlayerError {
        PlayerError("there is no move to choose".to_owned())
    }
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        (**self).start(game)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        (**self).choose(situation)
    }

    fn end(&mut self, game: &Game) {
        (**self).end(game);
    }

    fn is_repeatable(&self) -> bool {
        (**self).is_repeatable()
    }

    fn network(&self, board: &Board) -> Option<String> {
        (**self).network(board)
    }

    fn files(&self) -> Result<Vec<PlayerFile>, Cannot> {
        (**self).files()
    }

    fn remark(&self) -> Option<String> {
        (**self).remark()
    }

    fn uses_future(&self) -> bool {
        (**self).uses_future()
    }

    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        (**self).quick()
    }
}

/// A player whose decisions say how long they took. Players are not timed as a rule: looking at the clock would cost the
/// fast ones a third of their speed.
#[derive(Clone, Debug)]
pub struct Timed<P>(pub P);

impl<P: Player> Player for Timed<P> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.0.start(game)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let started = Instant::now();
        let decision = self.0.choose(situation)?;
        Ok(Decision { time: started.elapsed(), ..decision })
    }

    fn end(&mut self, game: &Game) {
        self.0.end(game);
    }

    fn is_repeatable(&self) -> bool {
        self.0.is_repeatable()
    }

    fn remark(&self) -> Option<String> {
        self.0.remark()
    }

    fn network(&self, board: &Board) -> Option<String> {
        self.0.network(board)
    }

    fn files(&self) -> Result<Vec<PlayerFile>, Cannot> {
        self.0.files()
    }

    fn uses_future(&self) -> bool {
        self.0.uses_future()
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Points => "points to come",
            Unit::Preference => "preference",
        })
    }
}
