//! Long work that Ctrl-C or a deadline stops: it is done in a thread of its own, which is left behind.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use lab2048::game::{Action, Cannot, Decision, Game, GameStart, Player, PlayerError, PlayerFacts, Situation};
use lab2048::parallel::{Apart, in_thread};

use crate::failure::{Failure, Outcome};
use crate::interrupt;

/// How long work that heeds Ctrl-C itself, such as a bot's, may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// How often we look whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// What became of work in a thread of its own.
enum Worked<T> {
    /// It is done.
    Done(T),
    /// The user pressed Ctrl-C, or the time was over. What still works ends with the process.
    LeftBehind,
    /// It panicked.
    BrokeDown,
}

/// Does something in a thread of its own. After Ctrl-C it is left behind if it does not end soon; `name` is what broke down if it
/// panics.
pub(crate) fn work<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
    let (answer, answered) = mpsc::channel();
    // Without a thread there is no answer, which is told as work that broke down. Nobody may be waiting any more for one.
    let _ = in_thread("work", (), move |()| drop(answer.send(work())));
    match wait(&answered, None) {
        Worked::Done(done) => Ok(done),
        Worked::LeftBehind => Err(Failure::Interrupted("interrupted".to_owned())),
        Worked::BrokeDown => Err(Failure::Failed(format!("{name} broke down"))),
    }
}

/// Waits for the answer of another thread until the user presses Ctrl-C, or until then.
fn wait<T>(answered: &Receiver<T>, until: Option<Instant>) -> Worked<T> {
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

/// Where a player is.
enum Seat<P> {
    /// In its thread.
    Thread(Apart<P>),
    /// No thread was to be had.
    NoThread,
    /// In its thread, where nobody waits for it any more.
    LeftBehind,
}

/// A player that thinks in a thread of its own: how long its next thought takes, the one before does not tell. After Ctrl-C or its
/// deadline it quits.
pub(crate) struct Interruptible<P: Player + 'static> {
    seat: Seat<P>,
    until: Option<Instant>,
    /// Its facts as they were before it went to its thread: a player that was left behind cannot be
    /// asked.
    repeatable: bool,
    knows_future: bool,
    /// Its fingerprint on the first board of the game.
    fingerprint: Option<String>,
}

impl<P: Player + 'static> Interruptible<P> {
    pub(crate) fn new(player: P) -> Interruptible<P> {
        let PlayerFacts { repeatable, knows_future, .. } = player.facts();
        let seat = Apart::new("player", player).map_or(Seat::NoThread, Seat::Thread);
        Interruptible { seat, until: None, repeatable, knows_future, fingerprint: None }
    }

    /// From now on it has time until then.
    pub(crate) fn give_time_until(&mut self, end: Instant) {
        self.until = Some(end);
    }

    /// Lets the player do something elsewhere; none if it was left behind, now or before.
    fn elsewhere<T: Send + 'static>(
        &mut self,
        act: impl FnOnce(&mut P) -> T + Send + 'static,
    ) -> Option<Result<T, &'static str>> {
        let thread = match &self.seat {
            Seat::Thread(thread) => thread,
            Seat::NoThread => return Some(Err("there is no thread for the player")),
            Seat::LeftBehind => return None,
        };
        match wait(&thread.ask(act), self.until) {
            Worked::Done(done) => Some(Ok(done)),
            Worked::LeftBehind => {
                self.seat = Seat::LeftBehind;
                None
            }
            Worked::BrokeDown => Some(Err("the player broke down")),
        }
    }
}

impl<P: Player + 'static> Drop for Interruptible<P> {
    /// Waits until the player has taken its leave: it may be a program that has to be ended.
    fn drop(&mut self) {
        if let Seat::Thread(thread) = std::mem::replace(&mut self.seat, Seat::LeftBehind) {
            thread.join();
        }
    }
}

/// It lends no quick player and has no remarks: the player is in another thread.
impl<P: Player + 'static> Player for Interruptible<P> {
    /// Loads networks, perhaps. One that is left behind at it quits when it is asked.
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        let (rules, board, knows_future) = (game.rules.clone(), game.board.clone(), game.knows_future);
        let started = self.elsewhere(move |player| {
            let started = player.start(&GameStart { rules: &rules, board: &board, knows_future });
            started.map(|()| player.facts().fingerprint.on(&board))
        });
        self.fingerprint = match started {
            Some(started) => started.unwrap_or_else(|why| Err(Cannot::new(why)))?,
            None => None,
        };
        Ok(())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let Situation { board, score, turns, four, luck, future } = *situation;
        let board = board.clone();
        let decided = self.elsewhere(move |player| {
            player.choose(&Situation { board: &board, score, turns, four, luck, future })
        });
        match decided {
            Some(decided) => decided.unwrap_or_else(|why| Err(PlayerError::new(why))),
            None => Ok(Decision::of(Action::Quit)),
        }
    }

    fn end(&mut self, game: &Game) {
        let game = game.clone();
        // One that broke down or was left behind needs not be told.
        let _ = self.elsewhere(move |player| player.end(&game));
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts {
            repeatable: self.repeatable,
            knows_future: self.knows_future,
            fingerprint: self.fingerprint.as_deref().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Sender;
    use std::thread;

    use super::*;
    use lab2048::game::Rules;

    /// One that passes at once so many times, and then thinks until the process ends.
    struct Endless(u32);

    impl Player for Endless {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            if self.0 == 0 {
                loop {
                    thread::park();
                }
            }
            self.0 -= 1;
            Ok(Decision::of(Action::Pass))
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
        let mut player = Interruptible::new(Endless(2));
        let choose = |player: &mut Interruptible<Endless>| {
            player.choose(&Situation::of(&game, player)).expect("it always has an answer").action
        };
        // What was quick before may take for ever the next time.
        assert_eq!([choose(&mut player), choose(&mut player)], [Action::Pass; 2]);
        player.give_time_until(Instant::now() + Duration::from_millis(5));
        assert_eq!([choose(&mut player), choose(&mut player)], [Action::Quit; 2]);
        let start = GameStart { rules: &Rules::COURSE, board: game.board(), knows_future: false };
        assert!(player.start(&start).is_ok(), "it quits when it is asked");
    }

    #[test]
    fn a_player_that_breaks_down_is_an_error() {
        let game = Game::new(Rules::COURSE, 1);
        let mut player = Interruptible::new(Fragile);
        for _ in 0..2 {
            assert!(player.choose(&Situation::of(&game, &player)).is_err());
        }
    }

    /// One that says when it is gone.
    struct Leaving(Sender<()>);

    impl Drop for Leaving {
        fn drop(&mut self) {
            thread::sleep(Duration::from_millis(20));
            self.0.send(()).expect("the test listens");
        }
    }

    impl Player for Leaving {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            Ok(Decision::of(Action::Quit))
        }
    }

    #[test]
    fn a_player_has_taken_its_leave_when_it_is_dropped() {
        let (gone, is_gone) = mpsc::channel();
        drop(Interruptible::new(Leaving(gone)));
        assert!(is_gone.try_recv().is_ok());
    }
}
