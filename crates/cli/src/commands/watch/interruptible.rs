//! Long work that Ctrl-C or a deadline stops: it is done in a thread of its own, which is left behind.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use lab2048::board::Board;
use lab2048::game::{Action, Cannot, Decision, Game, GameStart, Player, PlayerError, Situation};

use crate::interrupt;

/// After a decision that took less than this the next one is not expected to take long.
const QUICK: Duration = Duration::from_millis(1);

/// How long work that heeds Ctrl-C itself, such as a bot's, may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// How often we look whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// What became of work in a thread of its own.
pub(crate) enum Worked<T> {
    /// It is done.
    Done(T),
    /// The user pressed Ctrl-C, or the time was over. What still works ends with the process.
    LeftBehind,
    /// It panicked.
    BrokeDown,
}

/// Does something until the user presses Ctrl-C, or until then.
pub(crate) fn work<T: Send + 'static>(
    until: Option<Instant>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Worked<T> {
    let (answer, answered) = mpsc::channel();
    thread::spawn(move || {
        // Nobody may be waiting any more.
        let _ = answer.send(work());
    });
    let mut interrupted: Option<Instant> = None;
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        match answered.recv_timeout(left.map_or(GLANCE, |left| left.min(GLANCE))) {
            Ok(done) => return Worked::Done(done),
            Err(RecvTimeoutError::Disconnected) => return Worked::BrokeDown,
            Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left.is_zero()) => {
                return Worked::LeftBehind;
            }
            Err(RecvTimeoutError::Timeout) if interrupt::raised() => {
                if interrupted.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    return Worked::LeftBehind;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// A player that thinks in a thread of its own where its thoughts may be long. After Ctrl-C or its deadline it quits.
pub(crate) struct Interruptible<P> {
    /// None after it was left behind.
    player: Option<P>,
    until: Option<Instant>,
    /// What it answered when the game began; also a player that was left behind can be asked.
    uses_future: bool,
    is_repeatable: bool,
    network: Option<String>,
    is_quick: bool,
}

impl<P: Player + 'static> Interruptible<P> {
    pub(crate) fn new(player: P) -> Interruptible<P> {
        let (uses_future, is_repeatable) = (player.uses_future(), player.is_repeatable());
        let player = Some(player);
        Interruptible { player, until: None, uses_future, is_repeatable, network: None, is_quick: false }
    }

    /// A player that has time until then.
    pub(crate) fn until(player: P, end: Instant) -> Interruptible<P> {
        Interruptible { until: Some(end), ..Interruptible::new(player) }
    }

    /// Lets the player do something elsewhere; none if it was left behind, now or before.
    fn elsewhere<T: Send + 'static>(
        &mut self,
        act: impl FnOnce(&mut P) -> T + Send + 'static,
    ) -> Option<Result<T, &'static str>> {
        let mut player = self.player.take()?;
        let acted = work(self.until, move || {
            let done = act(&mut player);
            (player, done)
        });
        match acted {
            Worked::Done((player, done)) => {
                self.player = Some(player);
                Some(Ok(done))
            }
            Worked::LeftBehind => None,
            Worked::BrokeDown => Some(Err("the player broke down")),
        }
    }

    /// The decision of the player, thought out elsewhere.
    fn think(&mut self, situation: &Situation<'_>) -> Option<Result<Decision, PlayerError>> {
        let Situation { board, score, turns, four, luck, future } = *situation;
        let board = board.clone();
        let decided = self.elsewhere(move |player| {
            player.choose(&Situation { board: &board, score, turns, four, luck, future })
        })?;
        Some(decided.unwrap_or_else(|why| Err(PlayerError(why.to_owned()))))
    }
}

impl<P: Player + 'static> Player for Interruptible<P> {
    /// Loads networks, perhaps. One that is left behind at it quits when it is asked.
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.is_quick = false;
        let (rules, board, knows_future) = (game.rules.clone(), game.board.clone(), game.knows_future);
        let started = self.elsewhere(move |player| {
            let started = player.start(&GameStart { rules: &rules, board: &board, knows_future });
            started.map(|()| player.network(&board))
        });
        self.network = match started {
            Some(started) => started.unwrap_or_else(|why| Err(Cannot(why.to_owned())))?,
            None => None,
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use lab2048::game::Rules;

    /// One that thinks until the process ends.
    struct Endless;

    impl Player for Endless {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            loop {
                thread::park();
            }
        }
    }

    /// One that breaks down.
    struct Fragile;

    impl Player for Fragile {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            panic!("a test")
        }
    }

    #[test]
    fn a_thought_ends_with_the_deadline() {
        let game = Game::new(Rules::COURSE, 1);
        let mut player = Interruptible::until(Endless, Instant::now() + Duration::from_millis(5));
        for _ in 0..2 {
            let decision = player.choose(&Situation::of(&game)).expect("it quits");
            assert_eq!(decision.action, Action::Quit);
        }
        let start = GameStart { rules: &Rules::COURSE, board: game.board(), knows_future: false };
        assert!(player.start(&start).is_ok(), "it quits when it is asked");
    }

    #[test]
    fn a_player_that_breaks_down_is_an_error() {
        let game = Game::new(Rules::COURSE, 1);
        assert!(Interruptible::new(Fragile).choose(&Situation::of(&game)).is_err());
    }
}
