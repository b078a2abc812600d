//! Long work that Ctrl-C or a deadline stops. It runs in its own thread, which is abandoned.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use lab2048::game::{
    Action, Decision, ForeignProgram, Game, GameStart, Player, PlayerError, PlayerFacts, PlayerFile,
    PlayerFilesError, Refusal, Situation,
};
use lab2048::parallel::{Apart, in_thread};

use crate::failure::{Failure, Outcome};
use crate::interrupt;

/// How long work that reacts to Ctrl-C itself, such as a bot, may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// How often we check for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(20);

/// The outcome of work in another thread.
enum Waited<T> {
    /// It finished.
    Done(T),
    /// Ctrl-C was pressed, or the deadline passed. The thread runs until the process ends.
    LeftBehind,
    /// It panicked.
    BrokeDown,
}

/// Runs something in its own thread. After Ctrl-C the thread is abandoned if it does not end soon.
/// `name` is used in the error message if the work panics.
pub(crate) fn work<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
    let (answer, answered) = mpsc::channel();
    // If the thread cannot start, the channel closes, which counts as a crash. Sending fails if
    // nobody waits for the answer any more.
    let _ = in_thread("work", (), move |()| drop(answer.send(work())));
    match wait(&answered, None) {
        Waited::Done(done) => Ok(done),
        Waited::LeftBehind => Err(Failure::interrupted("interrupted")),
        Waited::BrokeDown => Err(Failure::Failed(format!("{name} crashed"))),
    }
}

/// Waits for the answer of another thread until Ctrl-C or the deadline.
fn wait<T>(answered: &Receiver<T>, until: Option<Instant>) -> Waited<T> {
    let mut interrupted: Option<Instant> = None;
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        match answered.recv_timeout(left.map_or(GLANCE, |left| left.min(GLANCE))) {
            Ok(done) => return Waited::Done(done),
            Err(RecvTimeoutError::Disconnected) => return Waited::BrokeDown,
            Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left.is_zero()) => {
                return Waited::LeftBehind;
            }
            Err(RecvTimeoutError::Timeout) if interrupt::raised() => {
                if interrupted.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    return Waited::LeftBehind;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Where a player runs.
enum Seat<P> {
    /// In its thread.
    Thread(Apart<P>),
    /// The thread could not be started.
    NoThread,
    /// In its thread, but abandoned.
    LeftBehind,
}

/// A player that thinks in its own thread, because any move can take much longer than the one
/// before. It quits the game after Ctrl-C or its deadline.
pub(crate) struct Interruptible<P: Player + 'static> {
    seat: Seat<P>,
    until: Option<Instant>,
    /// Its facts, copied before it moved to its thread. An abandoned player cannot be asked.
    repeatable: bool,
    needs_future: bool,
    is_foreign: bool,
    /// Its fingerprint on the first board of the game.
    fingerprint: Option<String>,
}

impl<P: Player + 'static> Interruptible<P> {
    pub(crate) fn new(mut player: P) -> Interruptible<P> {
        let is_foreign = player.foreign().is_some();
        let PlayerFacts { repeatable, needs_future, .. } = player.facts();
        let seat = Apart::new("player", player).map_or(Seat::NoThread, Seat::Thread);
        Interruptible { seat, until: None, repeatable, needs_future, is_foreign, fingerprint: None }
    }

    /// Sets the deadline.
    pub(crate) fn give_time_until(&mut self, end: Instant) {
        self.until = Some(end);
    }

    /// Runs `act` in the player's thread. Returns `None` if the player was abandoned, now or
    /// before.
    fn elsewhere<T: Send + 'static>(
        &mut self,
        act: impl FnOnce(&mut P) -> T + Send + 'static,
    ) -> Option<Result<T, &'static str>> {
        let thread = match &self.seat {
            Seat::Thread(thread) => thread,
            Seat::NoThread => return Some(Err("cannot start a thread for the player")),
            Seat::LeftBehind => return None,
        };
        match wait(&thread.ask(act), self.until) {
            Waited::Done(done) => Some(Ok(done)),
            Waited::LeftBehind => {
                self.seat = Seat::LeftBehind;
                None
            }
            Waited::BrokeDown => Some(Err("the player crashed")),
        }
    }
}

impl<P: Player + 'static> Drop for Interruptible<P> {
    /// Waits until the player is dropped in its thread: it may have to end a program.
    fn drop(&mut self) {
        if let Seat::Thread(thread) = std::mem::replace(&mut self.seat, Seat::LeftBehind) {
            thread.join();
        }
    }
}

/// It offers no quick player and no remarks, because the player is in another thread.
impl<P: Player + 'static> Player for Interruptible<P> {
    /// May load networks. A player that is abandoned here quits at its first move.
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        let (rules, board, future) = (game.rules.clone(), game.board.clone(), game.future);
        let started = self.elsewhere(move |player| {
            let started = player.start(&GameStart { rules: &rules, board: &board, future });
            started.map(|()| player.facts().fingerprint.on(&board))
        });
        self.fingerprint = match started {
            Some(started) => started.unwrap_or_else(|why| Err(Refusal::new(why)))?,
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
        // A player that crashed or was abandoned does not need to know.
        let _ = self.elsewhere(move |player| player.end(&game));
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts {
            repeatable: self.repeatable,
            needs_future: self.needs_future,
            fingerprint: self.fingerprint.as_deref().into(),
            ..PlayerFacts::default()
        }
    }

    fn foreign(&mut self) -> Option<&mut dyn ForeignProgram> {
        self.is_foreign.then_some(self as &mut dyn ForeignProgram)
    }
}

/// Why a foreign program cannot be asked about its files.
const LEFT: &str = "the player is still thinking";

/// Asks the player in its thread.
impl<P: Player + 'static> ForeignProgram for Interruptible<P> {
    fn files(&mut self) -> Result<Vec<PlayerFile>, PlayerFilesError> {
        let asked =
            self.elsewhere(|player| player.foreign().map_or(Ok(Vec::new()), |program| program.files()));
        asked.unwrap_or(Err(LEFT)).unwrap_or_else(|why| Err(PlayerFilesError::NoAnswer(why)))
    }

    fn pin(&mut self, files: &[PlayerFile]) {
        let files = files.to_vec();
        // A player that broke down or was left behind starts no program any more.
        let _ = self.elsewhere(move |player| player.foreign().map(|program| program.pin(&files)));
    }

    fn change(&mut self) -> Option<String> {
        self.elsewhere(|player| player.foreign()?.change())?.ok()?
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::mpsc::Sender;
    use std::thread;

    use super::*;
    use lab2048::game::{Future, Rules};

    /// Passes this number of times at once, then thinks until the process ends.
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

    /// Panics when asked for a move.
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
            player.choose(&Situation::of(&game, player, Future::Hidden)).expect("a decision").action
        };
        // A player that was quick before may hang at the next move.
        assert_eq!([choose(&mut player), choose(&mut player)], [Action::Pass; 2]);
        player.give_time_until(Instant::now() + Duration::from_millis(5));
        assert_eq!([choose(&mut player), choose(&mut player)], [Action::Quit; 2]);
        let start = GameStart::of(&game, Future::Hidden);
        assert!(player.start(&start).is_ok(), "an abandoned player still starts and quits at its first move");
    }

    #[test]
    fn a_player_that_breaks_down_is_an_error() {
        let game = Game::new(Rules::COURSE, 1);
        let mut player = Interruptible::new(Fragile);
        for _ in 0..2 {
            assert!(player.choose(&Situation::of(&game, &player, Future::Hidden)).is_err());
        }
    }

    /// A foreign program whose pinned files have changed.
    #[derive(Default)]
    pub(crate) struct Foreign(Vec<PlayerFile>);

    impl Player for Foreign {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            Ok(Decision::of(Action::Quit))
        }

        fn foreign(&mut self) -> Option<&mut dyn ForeignProgram> {
            Some(self)
        }
    }

    impl ForeignProgram for Foreign {
        fn files(&mut self) -> Result<Vec<PlayerFile>, PlayerFilesError> {
            Ok(self.0.clone())
        }

        fn pin(&mut self, files: &[PlayerFile]) {
            self.0 = files.to_vec();
        }

        fn change(&mut self) -> Option<String> {
            Some(format!("{} files", self.0.len()))
        }
    }

    #[test]
    fn a_foreign_program_can_be_pinned_in_its_thread() {
        let mut player = Interruptible::new(Box::new(Foreign::default()) as Box<dyn Player>);
        let file = PlayerFile { file: "bot.py".to_owned(), sha256: "5eed".to_owned() };
        let program = player.foreign().expect("it is one");
        program.pin(std::slice::from_ref(&file));
        assert_eq!(program.files().expect("they can be read"), [file]);
        assert_eq!(program.change().as_deref(), Some("1 files"));
        assert!(Interruptible::new(Endless(1)).foreign().is_none());
    }

    /// Reports when it has been dropped.
    struct Leaving(Sender<()>);

    impl Drop for Leaving {
        fn drop(&mut self) {
            thread::sleep(Duration::from_millis(20));
            self.0.send(()).expect("the receiver is alive");
        }
    }

    impl Player for Leaving {
        fn choose(&mut self, _: &Situation<'_>) -> Result<Decision, PlayerError> {
            Ok(Decision::of(Action::Quit))
        }
    }

    #[test]
    fn dropping_waits_until_the_player_is_dropped() {
        let (gone, is_gone) = mpsc::channel();
        drop(Interruptible::new(Leaving(gone)));
        assert!(is_gone.try_recv().is_ok());
    }
}
