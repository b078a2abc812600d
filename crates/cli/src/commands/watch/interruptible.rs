//! A player that Ctrl-C stops in the middle of a long thought.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use lab2048::board::Board;
use lab2048::game::{Action, Cannot, Decision, Game, GameStart, Player, PlayerError, Situation};

use crate::interrupt;

/// After a decision that took less than this the next one is not expected to take long.
const QUICK: Duration = Duration::from_millis(1);

/// How long a player that heeds Ctrl-C itself, such as a bot, may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// A player that thinks in a thread of its own where its thoughts may be long. After Ctrl-C it quits: what still thinks is
/// left behind, and ends with the process.
pub(super) struct Interruptible<P> {
    /// Nothing after it was left behind.
    player: Option<P>,
    /// What it answered when the game began; also a player that was left behind can be asked.
    uses_future: bool,
    is_repeatable: bool,
    network: Option<String>,
    is_quick: bool,
}

impl<P: Player + 'static> Interruptible<P> {
    pub(super) fn new(player: P) -> Interruptible<P> {
        let (uses_future, is_repeatable) = (player.uses_future(), player.is_repeatable());
        Interruptible { player: Some(player), uses_future, is_repeatable, network: None, is_quick: false }
    }

    /// The decision of the player, thought out elsewhere; none if it was left behind.
    fn think(&mut self, situation: &Situation<'_>) -> Option<Result<Decision, PlayerError>> {
        let mut player = self.player.take()?;
        let Situation { board, score, turns, four, luck, future } = *situation;
        let board = board.clone();
        let (answer, answered) = mpsc::channel();
        thread::spawn(move || {
            let decision = player.choose(&Situation { board: &board, score, turns, four, luck, future });
            // Nobody may be waiting any more.
            let _ = answer.send((player, decision));
        });
        let mut interrupted: Option<Instant> = None;
        loop {
            match answered.recv_timeout(Duration::from_millis(20)) {
                Ok((player, decision)) => {
                    self.player = Some(player);
                    return Some(decision);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(PlayerError("the player broke down".to_owned())));
                }
                Err(RecvTimeoutError::Timeout) if interrupt::raised() => {
                    if interrupted.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                        return None;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl<P: Player + 'static> Player for Interruptible<P> {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.is_quick = false;
        let player = self.player.as_mut().ok_or_else(|| Cannot("the player was interrupted".to_owned()))?;
        player.start(game)?;
        self.network = player.network(game.board);
        Ok(())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let decision = match &mut self.player {
            Some(player) if self.is_quick => Some(player.choose(situation)),
            _ => self.think(situation),
        };
        let decision = decision.unwrap_or(Ok(Decision::of(Action::Quit)))?;
        self.is_quick = decision.time < QUICK;
        Ok(decision)
    }

    fn end(&mut self, game: &Game) {
        if let Some(player) = &mut self.player {
            player.end(game);
        }
    }

    fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    fn network(&self, _: &Board) -> Option<String> {
        self.network.clone()
    }

    fn uses_future(&self) -> bool {
        self.uses_future
    }
}
