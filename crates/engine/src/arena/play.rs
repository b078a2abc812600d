//! A game from its start to its end.

use std::convert::Infallible;
use std::fmt;
use std::ops::ControlFlow;

use crate::game::{Decision, Ending, Future, Game, GameResult, GameStart, Player, Refusal, Situation, Turn};

/// Conditions that stop a game early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameLimits {
    /// Stop when a tile of at least this value is on the board.
    pub until: Option<u64>,
    /// Stop after this many moves, passes included.
    pub max_moves: Option<u64>,
}

impl GameLimits {
    /// Whether there are no limits.
    pub fn is_unlimited(&self) -> bool {
        *self == GameLimits::default()
    }

    /// Why a game stops here: it is over, or a limit is reached. `None` if it continues.
    ///
    /// ```
    /// use lab2048::arena::{StopReason, GameLimits};
    /// use lab2048::game::{Game, Rules};
    ///
    /// let game = Game::new(Rules::default(), 1);
    /// assert_eq!(GameLimits::default().reached(&game), None);
    /// let limits = GameLimits { until: Some(2), max_moves: None };
    /// assert_eq!(limits.reached(&game), Some(StopReason::Until));
    /// ```
    pub fn reached(&self, game: &Game) -> Option<StopReason> {
        self.reached_after(game, None)
    }

    /// The same, given the last turn, if no limit was reached before it. Most turns then need no
    /// look at the board.
    fn reached_after(&self, game: &Game, last: Option<&Turn>) -> Option<StopReason> {
        let has = |tile| last.is_none_or(|turn| may_reach(turn, tile)) && game.board().largest() >= tile;
        if self.until.is_some_and(has) {
            return Some(StopReason::Until);
        }
        let too_long = || self.max_moves.is_some_and(|most| game.turns() >= most);
        game.ending().map(StopReason::Over).or_else(|| too_long().then_some(StopReason::MaxMoves))
    }
}

/// Why a game stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The game is over by its rules.
    Over(Ending),
    /// The requested tile was reached.
    Until,
    /// The maximum number of moves was played.
    MaxMoves,
    /// The player failed to choose a move or chose an illegal one; the text is the reason.
    Failed(String),
}

impl StopReason {
    /// The name of [`StopReason::Failed`] in records.
    pub(super) const FAILED: &'static str = "failed";

    /// Its name in records.
    pub const fn word(&self) -> &'static str {
        match self {
            StopReason::Over(ending) => ending.word(),
            StopReason::Until => "until",
            StopReason::MaxMoves => "max-moves",
            StopReason::Failed(_) => StopReason::FAILED,
        }
    }

    /// The reason, if the player failed.
    pub fn error(&self) -> Option<&str> {
        match self {
            StopReason::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// The end with this name in a record. Only a failed game has an error.
    pub(super) fn from_record(word: &str, error: Option<String>) -> Option<StopReason> {
        match (word, error) {
            ("until", None) => Some(StopReason::Until),
            ("max-moves", None) => Some(StopReason::MaxMoves),
            (StopReason::FAILED, Some(error)) => Some(StopReason::Failed(error)),
            (word, None) => Ending::from_word(word).map(StopReason::Over),
            _ => None,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Over(ending) => ending.fmt(f),
            StopReason::Until => f.write_str("the requested tile is reached"),
            StopReason::MaxMoves => f.write_str("the move limit is reached"),
            StopReason::Failed(error) => f.write_str(error),
        }
    }
}

/// A played game: its result and why it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// Its result.
    pub result: GameResult,
    /// Why it stopped.
    pub end: StopReason,
}

impl PlayedGame {
    /// A game that stopped in its current state.
    pub fn of(game: &Game, end: StopReason) -> PlayedGame {
        PlayedGame { result: game.result(), end }
    }
}

/// Plays a game until it ends, a limit is reached or the player fails. Returns an error only if the
/// player refuses the game before its first move.
///
/// ```
/// use lab2048::arena::{StopReason, GameLimits, play_game};
/// use lab2048::game::{Ending, Game, Rules};
/// use lab2048::players::Random;
///
/// let mut game = Game::new(Rules::default(), 1);
/// let played = play_game(&mut game, &mut Random, &GameLimits::default()).unwrap();
/// assert_eq!(played.end, StopReason::Over(Ending::NoMoves));
/// assert_eq!(played.result.score, game.score());
/// ```
pub fn play_game<P: Player + ?Sized>(
    game: &mut Game,
    player: &mut P,
    limits: &GameLimits,
) -> Result<PlayedGame, Refusal> {
    match play_unless(game, player, limits, || ControlFlow::<Infallible>::Continue(()))? {
        ControlFlow::Continue(result) => Ok(result),
        ControlFlow::Break(never) => match never {},
    }
}

/// Plays a game like [`play_game`], but `stop` can break it off. `stop` is called after every turn,
/// or after a batch of quick turns, which takes a few hundred microseconds.
pub fn play_unless<P: Player + ?Sized, B>(
    game: &mut Game,
    player: &mut P,
    limits: &GameLimits,
    stop: impl FnMut() -> ControlFlow<B>,
) -> Result<ControlFlow<B, PlayedGame>, Refusal> {
    player.start(&GameStart::of(game, Future::Told))?;
    Ok(play_to_end(game, player, |game, player| play_started(game, player, limits, stop)))
}

/// Plays a game like [`play_unless`], but the caller calls the player's `start` before it and `end`
/// after it.
pub(super) fn play_started<P: Player + ?Sized, B>(
    game: &mut Game,
    player: &mut P,
    limits: &GameLimits,
    mut stop: impl FnMut() -> ControlFlow<B>,
) -> ControlFlow<B, PlayedGame> {
    const AT_ONCE: u64 = 256;
    let mut last = None;
    // If a tile can end the game, every turn must be checked. Once quick play stops, for example
    // because a board cannot be packed, it stays off for the rest of the game.
    let mut is_quick = limits.until.is_none();
    loop {
        if let Some(end) = limits.reached_after(game, last.as_ref()) {
            return ControlFlow::Continue(PlayedGame::of(game, end));
        }
        let left = limits.max_moves.map_or(u64::MAX, |most| most.saturating_sub(game.turns()));
        let quick = player.quick().filter(|_| is_quick);
        is_quick = quick.is_some_and(|quick| game.play_quickly(quick, left.min(AT_ONCE)) > 0);
        if !is_quick {
            match take_turn(game, player) {
                Ok((_, turn)) => last = Some(turn),
                Err(end) => return ControlFlow::Continue(PlayedGame::of(game, end)),
            }
        }
        stop()?;
    }
}

/// Plays a game like [`play_game`] and calls `watch` after every turn, with the game, the player's
/// decision and the turn. `watch` can break the game off.
pub fn play_watched<P: Player + ?Sized, B>(
    game: &mut Game,
    player: &mut P,
    limits: &GameLimits,
    mut watch: impl FnMut(&Game, &Decision, &Turn) -> ControlFlow<B>,
) -> Result<ControlFlow<B, PlayedGame>, Refusal> {
    player.start(&GameStart::of(game, Future::Told))?;
    Ok(play_to_end(game, player, |game, player| {
        let mut last = None;
        loop {
            if let Some(end) = limits.reached_after(game, last.as_ref()) {
                return ControlFlow::Continue(PlayedGame::of(game, end));
            }
            let (decision, turn) = match take_turn(game, player) {
                Ok(taken) => taken,
                Err(end) => return ControlFlow::Continue(PlayedGame::of(game, end)),
            };
            watch(game, &decision, &turn)?;
            last = Some(turn);
        }
    }))
}

/// Plays a started game and calls the player's `end` after it.
fn play_to_end<P: Player + ?Sized, T>(
    game: &mut Game,
    player: &mut P,
    play: impl FnOnce(&mut Game, &mut P) -> T,
) -> T {
    let played = play(game, player);
    player.end(game);
    played
}

/// Asks the player and plays its action. An error ends the game.
#[inline]
fn take_turn<P: Player + ?Sized>(game: &mut Game, player: &mut P) -> Result<(Decision, Turn), StopReason> {
    let decision = player.choose(&Situation::of(game, player, Future::Told));
    let decision = decision.map_err(|error| StopReason::Failed(error.to_string()))?;
    let turn = game.play(decision.action).map_err(|error| StopReason::Failed(error.to_string()))?;
    Ok((decision, turn))
}

/// Whether a turn can have made a tile of at least this value. Only a merge, whose tile is part of
/// the reward, or a spawn can.
fn may_reach(turn: &Turn, tile: u64) -> bool {
    turn.reward >= tile || turn.spawn.is_some_and(|spawn| spawn.tile >= tile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::stand_ins::{Random, Refusing};
    use crate::board::{Board, Direction};
    use crate::game::{Action, PlayerError, Rules};

    /// Plays a fixed list of actions, then fails.
    struct Scripted(Vec<Action>);

    impl Player for Scripted {
        fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
            let action = self.0.get(situation.turns as usize).copied();
            action.map(Decision::of).ok_or_else(|| PlayerError::new("out of moves"))
        }
    }

    fn game_on(board: &str) -> Game {
        Game::from_board(Rules::default(), 5, board.parse::<Board>().unwrap())
    }

    #[test]
    fn random_games_end_without_moves() {
        for seed in 0..50 {
            let mut game = Game::new(Rules::default(), seed);
            let played = play_game(&mut game, &mut Random, &GameLimits::default()).unwrap();
            assert_eq!(played.end, StopReason::Over(Ending::NoMoves));
            assert!(!game.board().has_moves());
            assert_eq!(
                played.result,
                GameResult {
                    score: game.score(),
                    largest: game.board().largest(),
                    sum: game.board().tile_sum(),
                    moves: game.moves()
                }
            );
        }
    }

    /// Checking the last turn is a shortcut for checking the whole board.
    #[test]
    fn the_last_turn_tells_what_the_board_tells() {
        for seed in 0..50 {
            for tile in [4, 16, 64] {
                let limits = GameLimits { until: Some(tile), max_moves: Some(150) };
                let mut game = Game::new(Rules::default(), seed);
                if limits.reached(&game).is_some() {
                    continue;
                }
                let result = play_watched(&mut game, &mut Random, &GameLimits::default(), |game, _, turn| {
                    assert_eq!(limits.reached_after(game, Some(turn)), limits.reached(game));
                    match limits.reached(game) {
                        Some(end) => ControlFlow::Break(end),
                        None => ControlFlow::Continue(()),
                    }
                });
                let mut again = Game::new(Rules::default(), seed);
                let end = play_game(&mut again, &mut Random, &limits).unwrap().end;
                assert_eq!(result, Ok(ControlFlow::Break(end)));
            }
        }
    }

    #[test]
    fn a_tile_limit_stops_at_the_first_board_that_has_it() {
        for seed in 0..50 {
            let limits = GameLimits { until: Some(64), ..GameLimits::default() };
            let mut boards = Vec::new();
            let mut game = Game::new(Rules::default(), seed);
            let flow = play_watched(&mut game, &mut Random, &limits, |game, _, _| {
                boards.push(game.board().largest());
                ControlFlow::<Infallible>::Continue(())
            })
            .unwrap();
            let ControlFlow::Continue(played) = flow;
            let (last, before) = boards.split_last().unwrap();
            assert!(before.iter().all(|&largest| largest < 64));
            assert_eq!(played.end == StopReason::Until, *last >= 64, "seed {seed}");
        }
    }

    #[test]
    fn a_tile_that_is_there_already_stops_the_game_before_the_first_move() {
        let mut game = game_on("64 0 0 0/0 0 0 0/0 0 0 0/0 0 0 2");
        let limits = GameLimits { until: Some(32), max_moves: None };
        let played = play_game(&mut game, &mut Random, &limits).unwrap();
        assert_eq!((played.end, played.result.moves), (StopReason::Until, 0));
    }

    #[test]
    fn a_tile_that_spawns_can_be_the_one_asked_for() {
        // Only a spawned 4 can reach 4 here, because the first move cannot merge tiles.
        let rules = Rules { four: "1".parse().unwrap(), ..Rules::default() };
        let mut game = Game::from_board(rules, 1, "2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0".parse().unwrap());
        let limits = GameLimits { until: Some(4), max_moves: None };
        let played = play_game(&mut game, &mut Random, &limits).unwrap();
        assert_eq!((played.end, played.result.moves, played.result.score), (StopReason::Until, 1, 0));
    }

    #[test]
    fn a_move_limit_stops_after_as_many_moves() {
        let limits = GameLimits { until: None, max_moves: Some(10) };
        let mut game = Game::new(Rules::default(), 3);
        let played = play_game(&mut game, &mut Random, &limits).unwrap();
        assert_eq!((played.end, played.result.moves), (StopReason::MaxMoves, 10));
        let none = GameLimits { until: None, max_moves: Some(0) };
        let played = play_game(&mut Game::new(Rules::default(), 3), &mut Random, &none).unwrap();
        assert_eq!((played.end, played.result.moves), (StopReason::MaxMoves, 0));
    }

    #[test]
    fn an_illegal_move_ends_the_game_and_says_so() {
        // Left changes nothing here.
        let mut game = game_on("2 0 0 0/4 0 0 0/2 0 0 0/4 0 0 0");
        let mut player = Scripted(vec![Action::Move(Direction::Left)]);
        let played = play_game(&mut game, &mut player, &GameLimits::default()).unwrap();
        assert_eq!(played.end, StopReason::Failed("left does not change the board".to_owned()));
        assert_eq!(played.result.moves, 0);
    }

    #[test]
    fn a_player_without_an_answer_and_one_that_quits() {
        let board = "2 0 0 0/4 0 0 0/2 0 0 0/4 0 0 0";
        let mut player = Scripted(vec![Action::Move(Direction::Right)]);
        let played = play_game(&mut game_on(board), &mut player, &GameLimits::default()).unwrap();
        assert_eq!((played.end, played.result.moves), (StopReason::Failed("out of moves".to_owned()), 1));
        let mut player = Scripted(vec![Action::Move(Direction::Right), Action::Quit]);
        let played = play_game(&mut game_on(board), &mut player, &GameLimits::default()).unwrap();
        assert_eq!((played.end, played.result.moves), (StopReason::Over(Ending::Quit), 1));
    }

    #[test]
    fn a_refused_game_is_an_error_before_the_first_move() {
        let mut game = Game::new(Rules::default(), 1);
        let refusal = play_game(&mut game, &mut Refusing, &GameLimits::default()).unwrap_err();
        assert_eq!(refusal, Refusal::new("not on 4x4"));
        assert_eq!(game.turns(), 0);
    }

    #[test]
    fn a_watcher_can_break_a_game_off() {
        let mut game = Game::new(Rules::default(), 1);
        let flow = play_watched(&mut game, &mut Random, &GameLimits::default(), |game, decision, turn| {
            assert_eq!(decision.action, turn.action);
            if game.turns() == 7 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
        });
        assert_eq!(flow, Ok(ControlFlow::Break("enough")));
        assert_eq!(game.turns(), 7);
    }
}
