//! The player interface.

use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::value::MoveValue;
use super::{Action, Game, PlayerError, Probability, Refusal, Rules, SpawnSource, Stream};
use crate::board::{Board, Direction, Slides};
use crate::clock::Clock;
use crate::text::in_words;

/// Anything that chooses moves. A player plays one game at a time, and any number of games one
/// after another.
///
/// A player that adds something to another one returns that one in [`Player::inner`] and
/// [`Player::inner_mut`]. Methods that it does not implement are then those of the inner player.
pub trait Player: Send {
    /// The player that this one is built around.
    fn inner(&self) -> Option<&dyn Player> {
        None
    }

    /// The same player as [`Player::inner`].
    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        None
    }

    /// Called before the first move of each game. A player that cannot play it returns an error
    /// here. An arena also calls this once before its first game, followed by [`Player::end`], to
    /// find out whether the player accepts the game.
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.inner_mut().map_or(Ok(()), |inner| inner.start(game))
    }

    /// Chooses an action on a board that has at least one legal move. The game refuses a slide
    /// whose merge does not fit in 64 bits, although [`Board::legal_moves`] contains it.
    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError>;

    /// Thinks about a situation in steps, so that the caller can do something else in between. A
    /// step visits about `nodes` nodes. While the thought is unfinished, the caller asks again with
    /// the same situation; another situation begins a new thought. The last step decides as
    /// [`Player::choose`] does. A player that cannot stop in between decides in one step.
    fn think(&mut self, situation: &Situation<'_>, nodes: u64) -> Result<Thought, PlayerError> {
        let _ = nodes;
        self.choose(situation).map(Thought::Decided)
    }

    /// Called after each successful [`Player::start`], when the game is over or given up.
    fn end(&mut self, game: &Game) {
        if let Some(inner) = self.inner_mut() {
            inner.end(game);
        }
    }

    /// Static facts about the player. This is called at every turn, so it must be cheap.
    fn facts(&self) -> PlayerFacts<'_> {
        self.inner().map_or_else(PlayerFacts::default, Player::facts)
    }

    /// The foreign program that the player asks, if there is one.
    fn foreign(&mut self) -> Option<&mut dyn ForeignProgram> {
        self.inner_mut()?.foreign()
    }

    /// An explanation of the last choice in words, for viewers.
    fn remark(&self) -> Option<String> {
        self.inner()?.remark()
    }

    /// The same player for packed boards, for players that need nothing else and are so fast that
    /// the rest of a turn matters. It chooses the same moves. A player with an inner one that acts
    /// on every choice must return `None`, because it would be bypassed.
    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        self.inner_mut()?.quick()
    }
}

/// A program outside of this one that chooses the moves of a player; see [`Player::foreign`].
pub trait ForeignProgram {
    /// The files that the program consists of, as far as they are known.
    fn files(&mut self) -> Result<Vec<PlayerFile>, PlayerFilesError>;

    /// Pins the files. From now on the program is started only while [`ForeignProgram::files`]
    /// equals `files`; otherwise the game fails and [`ForeignProgram::change`] says why.
    fn pin(&mut self, files: &[PlayerFile]);

    /// How the pinned files differed at the last attempt to start the program, if they did.
    fn change(&mut self) -> Option<String>;
}

/// A file of a foreign program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerFile {
    /// Its name in the command of the program.
    pub file: String,
    /// The SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

/// The files of a foreign program are not known.
#[derive(Debug, Error)]
pub enum PlayerFilesError {
    /// One of them cannot be read.
    #[error("cannot read '{}' for its hash: {}", path.display(), in_words(source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The player cannot be asked.
    #[error("{0}")]
    NoAnswer(&'static str),
}

impl PlayerFile {
    /// The first difference between two file lists of one command, in words: a file is missing, is
    /// new, or has changed.
    pub fn difference(before: &[PlayerFile], now: &[PlayerFile]) -> Option<String> {
        let gone = before.iter().find(|&old| !now.iter().any(|new| new.file == old.file));
        let new = now.iter().find(|&new| !before.iter().any(|old| old.file == new.file));
        let other = before.iter().zip(now).find(|(old, new)| old != new).map(|(old, _)| old);
        gone.map(|file| format!("the file '{}' is gone", file.file))
            .or_else(|| new.map(|file| format!("the file '{}' is new", file.file)))
            .or_else(|| other.map(|file| format!("the file '{}' has changed", file.file)))
    }
}

/// A player that only needs the packed board; see [`Player::quick`].
pub trait QuickPlayer {
    /// Chooses a legal direction, given all four slides. There is at least one.
    fn choose_quickly(&mut self, slides: &Slides) -> Direction;
}

/// Facts about a player.
#[derive(Clone, Copy)]
pub struct PlayerFacts<'a> {
    /// Whether the same seed always gives the same moves. False for people, bots and time limits.
    pub repeatable: bool,
    /// What its moves depend on.
    pub depends_on: DependsOn,
    /// Whether it needs the coming spawns. Only such a player gets them.
    pub needs_future: bool,
    /// The source of its moves, for records and replays.
    pub fingerprint: Fingerprint<'a>,
}

impl Default for PlayerFacts<'_> {
    fn default() -> Self {
        PlayerFacts {
            repeatable: true,
            depends_on: DependsOn::More,
            needs_future: false,
            fingerprint: Fingerprint::None,
        }
    }
}

/// What the moves of a player depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependsOn {
    /// On nothing but the board and the chance of a 4.
    Board,
    /// On nothing: all legal moves are equally likely, whatever the board.
    Nothing,
    /// On more than the board: on luck, on the score, on the moves before.
    More,
}

impl DependsOn {
    /// The board alone, or more than the board.
    pub fn board_if(is_all: bool) -> DependsOn {
        if is_all { DependsOn::Board } else { DependsOn::More }
    }
}

/// The hash of a player's network, evolved program or bot.
#[derive(Clone, Copy)]
pub enum Fingerprint<'a> {
    /// The player uses none.
    None,
    /// The same on all boards.
    Of(&'a str),
    /// It depends on the board.
    ByBoard(&'a dyn FingerprintByBoard),
}

/// A player that uses different networks on different boards.
pub trait FingerprintByBoard {
    /// The hash for a board, if there is one. This may load a network.
    fn fingerprint_on(&self, board: &Board) -> Option<String>;
}

impl Fingerprint<'_> {
    /// The hash for a board, if there is one. This may load a network.
    pub fn on(&self, board: &Board) -> Option<String> {
        match self {
            Fingerprint::None => None,
            Fingerprint::Of(hash) => Some((*hash).to_owned()),
            Fingerprint::ByBoard(player) => player.fingerprint_on(board),
        }
    }
}

impl<'a> From<Option<&'a str>> for Fingerprint<'a> {
    fn from(hash: Option<&'a str>) -> Self {
        hash.map_or(Fingerprint::None, Fingerprint::Of)
    }
}

/// Whether the coming spawns are told to a player that needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Future {
    /// They are told.
    Told,
    /// They are hidden, for example because nobody knows them.
    Hidden,
}

/// The data for a player before a game.
#[derive(Clone, Copy, Debug)]
pub struct GameStart<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The first board.
    pub board: &'a Board,
    /// Whether the situations will contain the coming spawns, for a player that needs them.
    pub future: Future,
}

impl<'a> GameStart<'a> {
    /// The start of a game at the board where it stands.
    #[inline]
    pub fn of(game: &'a Game, future: Future) -> GameStart<'a> {
        GameStart { rules: game.rules(), board: game.board(), future }
    }
}

/// The data for a player before each move.
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
    /// Random numbers for the player's own use, independent of the spawns.
    pub luck: Stream,
    /// The coming spawns, for a player that is meant to know them. The next one has the number
    /// `turns + SpawnSource::AFTER_FIRST_MOVE`.
    pub future: Option<SpawnSource>,
}

impl<'a> Situation<'a> {
    /// The situation of a running game for this player. `future` is that of the [`GameStart`]. The
    /// situation contains the coming spawns if they are told and the player needs them.
    #[inline]
    pub fn of<P: Player + ?Sized>(game: &'a Game, player: &P, future: Future) -> Situation<'a> {
        let is_told = future == Future::Told && player.facts().needs_future;
        Situation::with_spawns(game, is_told.then(|| game.spawns()))
    }

    #[inline]
    fn with_spawns(game: &'a Game, future: Option<SpawnSource>) -> Situation<'a> {
        Situation {
            board: game.board(),
            score: game.score(),
            turns: game.turns(),
            four: game.rules().four,
            luck: Stream::player(game.seed()),
            future,
        }
    }

    /// The situation of a running game with the coming spawns, for any player.
    #[cfg(test)]
    pub(crate) fn with_future(game: &'a Game) -> Situation<'a> {
        Situation::with_spawns(game, Some(game.spawns()))
    }
}

/// What the values of a decision mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Expected points to come. Only these are comparable between players.
    Points,
    /// The chance to make a certain tile, from 0 to 1. It only ranks moves for that aim.
    Chance,
    /// Larger is better; the numbers have no other meaning.
    Preference,
}

/// The decision of a player, with its reasons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The chosen action.
    pub action: Action,
    /// The value of each direction, in the order of [`Direction::ALL`].
    pub values: [MoveValue; 4],
    /// What the values mean.
    pub unit: Unit,
    /// The search depth in own moves.
    pub depth: u32,
    /// The number of visited positions.
    pub nodes: u64,
    /// The time it took; zero unless measured, see [`choose_timed`].
    pub time: Duration,
}

impl Decision {
    /// A decision without values.
    pub const fn of(action: Action) -> Decision {
        Decision {
            action,
            values: [MoveValue::Unknown; 4],
            unit: Unit::Preference,
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }

    /// The decision for the best value. The first one in the order of [`Direction::ALL`] wins ties.
    /// `None` if no move is judged. See [`MoveValue::beats`] for the order.
    #[inline]
    pub fn best_of(values: [MoveValue; 4], unit: Unit, depth: u32, nodes: u64) -> Option<Decision> {
        let mut best = (Direction::Up, MoveValue::Unknown);
        for (direction, value) in Direction::ALL.into_iter().zip(values) {
            if value.beats(best.1) {
                best = (direction, value);
            }
        }
        let of = |direction| Decision::of(Action::Move(direction));
        best.1.is_judged().then(|| Decision { values, unit, depth, nodes, ..of(best.0) })
    }

    /// Whether any move has a value.
    pub fn has_values(&self) -> bool {
        self.values.into_iter().any(MoveValue::is_judged)
    }
}

/// The result of a step of [`Player::think`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thought {
    /// More steps are needed. The decision as far as the player has come, if it has one.
    Unfinished(Option<Decision>),
    /// The decision.
    Decided(Decision),
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn inner(&self) -> Option<&dyn Player> {
        (**self).inner()
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        (**self).inner_mut()
    }

    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        (**self).start(game)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        (**self).choose(situation)
    }

    fn think(&mut self, situation: &Situation<'_>, nodes: u64) -> Result<Thought, PlayerError> {
        (**self).think(situation, nodes)
    }

    fn end(&mut self, game: &Game) {
        (**self).end(game);
    }

    fn facts(&self) -> PlayerFacts<'_> {
        (**self).facts()
    }

    fn foreign(&mut self) -> Option<&mut dyn ForeignProgram> {
        (**self).foreign()
    }

    fn remark(&self) -> Option<String> {
        (**self).remark()
    }

    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        (**self).quick()
    }
}

/// Asks a player for its decision and measures the time. Players are usually not timed, because
/// reading the clock would cost fast players a third of their speed.
pub fn choose_timed<P: Player + ?Sized>(
    player: &mut P,
    situation: &Situation<'_>,
    clock: Clock,
) -> Result<Decision, PlayerError> {
    let started = clock.now();
    let decision = player.choose(situation)?;
    Ok(Decision { time: clock.since(started), ..decision })
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Points => "points to come",
            Unit::Chance => "chance of the tile",
            Unit::Preference => "preference",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Implements all optional methods.
    struct Seer;

    impl Player for Seer {
        fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
            let told = situation.future.is_some();
            Ok(Decision::of(if told { Action::Move(Direction::Left) } else { Action::Quit }))
        }

        fn facts(&self) -> PlayerFacts<'_> {
            PlayerFacts {
                repeatable: false,
                depends_on: DependsOn::More,
                needs_future: true,
                fingerprint: Fingerprint::Of("5eer"),
            }
        }

        fn foreign(&mut self) -> Option<&mut dyn ForeignProgram> {
            Some(self)
        }

        fn remark(&self) -> Option<String> {
            Some("seen".to_owned())
        }

        fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
            Some(self)
        }
    }

    impl ForeignProgram for Seer {
        fn files(&mut self) -> Result<Vec<PlayerFile>, PlayerFilesError> {
            Ok(Vec::new())
        }

        fn pin(&mut self, _: &[PlayerFile]) {}

        fn change(&mut self) -> Option<String> {
            None
        }
    }

    impl QuickPlayer for Seer {
        fn choose_quickly(&mut self, _: &Slides) -> Direction {
            Direction::Left
        }
    }

    struct Plain;

    impl Player for Plain {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            Err(PlayerError::no_move())
        }
    }

    #[test]
    fn only_who_is_meant_to_is_told_the_coming_spawns() {
        let game = Game::new(Rules::default(), 1);
        let is_told = |player: &dyn Player, future| Situation::of(&game, player, future).future.is_some();
        assert!(is_told(&Seer, Future::Told));
        assert!(!is_told(&Seer, Future::Hidden));
        assert!(!is_told(&Plain, Future::Told));
    }

    #[test]
    fn a_player_in_a_box_is_the_same_player() {
        let game = Game::new(Rules::default(), 1);
        let player: &mut Box<dyn Player> = &mut (Box::new(Seer) as Box<dyn Player>);
        let decision =
            choose_timed(player, &Situation::of(&game, player, Future::Told), Clock::system()).unwrap();
        assert_eq!(decision.action, Action::Move(Direction::Left));
        let facts = Player::facts(player);
        assert!(!facts.repeatable && facts.needs_future);
        assert_eq!(facts.fingerprint.on(game.board()).as_deref(), Some("5eer"));
        assert_eq!(Player::remark(player).as_deref(), Some("seen"));
        assert!(Player::quick(player).is_some());
        assert!(Player::foreign(player).is_some());
        assert!(Player::inner(player).is_none() && Player::inner_mut(player).is_none());
    }

    /// Adds nothing to a player.
    struct Around(Box<dyn Player>);

    impl Player for Around {
        fn inner(&self) -> Option<&dyn Player> {
            Some(&*self.0)
        }

        fn inner_mut(&mut self) -> Option<&mut dyn Player> {
            Some(&mut *self.0)
        }

        fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
            self.0.choose(situation)
        }
    }

    /// Counts its games, and refuses the second one.
    #[derive(Default)]
    struct Counting(Arc<AtomicU32>);

    impl Player for Counting {
        fn start(&mut self, _: &GameStart<'_>) -> Result<(), Refusal> {
            let before = self.0.load(Ordering::Relaxed);
            if before > 0 { Err(Refusal::new("one is enough")) } else { Ok(()) }
        }

        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            Err(PlayerError::no_move())
        }

        fn end(&mut self, _: &Game) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_a_player_does_not_implement_its_inner_player_does() {
        let game = Game::new(Rules::default(), 1);
        let mut seer = Around(Box::new(Seer));
        let facts = seer.facts();
        assert!(!facts.repeatable && facts.needs_future);
        assert_eq!(facts.fingerprint.on(game.board()).as_deref(), Some("5eer"));
        assert_eq!(seer.remark().as_deref(), Some("seen"));
        assert!(seer.quick().is_some() && seer.foreign().is_some());
        let counting = Counting::default();
        let games = Arc::clone(&counting.0);
        let mut boxed: Box<dyn Player> = Box::new(Around(Box::new(counting)));
        let start = GameStart::of(&game, Future::Hidden);
        assert_eq!(boxed.start(&start), Ok(()));
        boxed.end(&game);
        assert_eq!(games.load(Ordering::Relaxed), 1);
        assert_eq!(boxed.start(&start), Err(Refusal::new("one is enough")));
        assert!(Around(Box::new(Plain)).quick().is_none());
    }

    #[test]
    fn the_first_of_the_best_moves_is_chosen() {
        use MoveValue::{Illegal, Lost, Unknown, Worth};
        let chosen =
            |values| Decision::best_of(values, Unit::Preference, 1, 4).map(|decision| decision.action);
        assert_eq!(
            chosen([Illegal, Worth(1.0), Worth(2.0), Worth(2.0)]),
            Some(Action::Move(Direction::Down))
        );
        let lost = [Unknown, Lost { turns: 1 }, Illegal, Lost { turns: 2 }];
        assert_eq!(chosen(lost), Some(Action::Move(Direction::Left)), "the later loss");
        assert_eq!(chosen([Illegal, Unknown, Unknown, Illegal]), None);
        assert!(!Decision::of(Action::Pass).has_values());
    }
}
