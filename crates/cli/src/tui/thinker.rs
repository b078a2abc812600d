//! A player that thinks in a background thread, so that the screen never waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use lab2048::Clock;
use lab2048::game::{Decision, Future, Game, GameStart, Player, Situation, choose_timed};
use lab2048::parallel::Apart;
use lab2048::players::{BuildError, Registry, Spec};
use lab2048::solve::{Judgement, Tables};

use super::events::Mail;
use crate::exact;

/// A player that can be asked for moves. Dropping it does not wait for a search that is still
/// running.
pub(super) struct Thinker {
    spec: String,
    /// `None` if no thread could be started.
    mind: Option<Apart<Mind>>,
    /// The channel for the answer to the last question, if it is still wanted.
    answer: Option<Receiver<Answer>>,
    /// The number of the last question. The thread skips earlier ones.
    asked: Arc<AtomicU64>,
    network: Option<String>,
    exact: Option<Judgement>,
    ready: Arc<AtomicBool>,
}

struct Answer {
    thought: Result<Decision, String>,
    /// The hash of the player's network on this board.
    network: Option<String>,
    /// What a table says about the board.
    exact: Option<Judgement>,
}

impl Thinker {
    /// Creates a player from its spec. It is built in the thread too, because loading a network
    /// takes a while.
    pub(super) fn new(registry: &Registry, spec: Spec, mail: Mail) -> Thinker {
        let name = spec.to_string();
        let ready = Arc::new(AtomicBool::new(false));
        let mind = Mind {
            tables: Arc::clone(registry.tables()),
            player: Err(BuildError::impossible("the player is not made yet")),
            told: None,
            ready: Arc::clone(&ready),
            // The end of the thread, even by a panic, must wake the screens too.
            mail: WakeAtTheEnd(mail, AtWork::new()),
        };
        // Without a thread there is no answer, which is reported as a crash of the player.
        let mind = Apart::new("player", mind).ok();
        if let Some(mind) = &mind {
            let registry = registry.clone();
            mind.tell(move |mind| mind.player = registry.build(&spec));
        }
        Thinker { spec: name, mind, answer: None, asked: Arc::default(), network: None, exact: None, ready }
    }

    /// Asks for a move. An earlier unanswered question is dropped.
    pub(super) fn ask(&mut self, game: &Game) {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let (send, answer) = mpsc::channel();
        self.answer = Some(answer);
        let (newest, game) = (Arc::clone(&self.asked), game.clone());
        // If the thread has ended, `answer` notices.
        if let Some(mind) = &self.mind {
            mind.tell(move |mind| {
                if newest.load(Ordering::Relaxed) == number && send.send(mind.think(&game)).is_ok() {
                    mind.mail.0.wake();
                }
            });
        }
    }

    /// Drops the question.
    pub(super) fn forget(&mut self) {
        self.answer = None;
        // A question that is still queued is skipped.
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether an answer is pending.
    pub(super) fn is_thinking(&self) -> bool {
        self.answer.is_some()
    }

    /// Whether the player has been built and can think. Before that, it may have to load a network.
    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    /// The hash of the network that found the last answer.
    pub(super) fn network(&self) -> Option<&str> {
        self.network.as_deref()
    }

    /// What a table says about the board of the last answer.
    pub(super) fn exact(&self) -> Option<&Judgement> {
        self.exact.as_ref()
    }

    /// The answer to the last question, if it has arrived: a decision, or the reason why there is
    /// none.
    pub(super) fn answer(&mut self) -> Option<Result<Decision, String>> {
        let came = self.answer.as_ref()?.try_recv();
        if matches!(came, Err(TryRecvError::Empty)) {
            return None;
        }
        self.answer = None;
        let Ok(Answer { thought, network, exact }) = came else {
            return Some(Err(format!("the player {} crashed", self.spec)));
        };
        (self.network, self.exact) = (network, exact);
        Some(thought)
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Wakes the screens when the thread ends, even by a panic. Its fields are dropped after that.
pub(super) struct WakeAtTheEnd(pub(super) Mail, pub(super) AtWork);

impl Drop for WakeAtTheEnd {
    fn drop(&mut self) {
        self.0.wake();
    }
}

/// The player in its thread.
struct Mind {
    tables: Arc<Tables>,
    player: Result<Box<dyn Player>, BuildError>,
    /// The game that the player has started.
    told: Option<Game>,
    ready: Arc<AtomicBool>,
    /// The last field, so that it is dropped after the player.
    mail: WakeAtTheEnd,
}

impl Mind {
    fn think(&mut self, game: &Game) -> Answer {
        let player = match &mut self.player {
            Ok(player) => player,
            Err(error) => return Answer { thought: Err(error.to_string()), network: None, exact: None },
        };
        let thought = decide(player, &mut self.told, game, || {
            if !self.ready.swap(true, Ordering::Relaxed) {
                self.mail.0.wake();
            }
        });
        let exact = exact::judgements(&self.tables, game.board(), game.rules().four).into_iter().next();
        Answer { thought, network: player.facts().fingerprint.on(game.board()), exact }
    }
}

impl Drop for Mind {
    fn drop(&mut self) {
        if let (Ok(player), Some(game)) = (&mut self.player, &self.told)
            && !thread::panicking()
        {
            player.end(game);
        }
    }
}

/// Starts a new game for the player if needed, calls `is_ready`, and asks for a decision.
fn decide(
    player: &mut impl Player,
    told: &mut Option<Game>,
    game: &Game,
    is_ready: impl FnOnce(),
) -> Result<Decision, String> {
    let same = |known: &Game| known.seed() == game.seed() && known.rules() == game.rules();
    if !told.as_ref().is_some_and(same) {
        if let Some(earlier) = told.take() {
            player.end(&earlier);
        }
        let start = GameStart::of(game, Future::Told);
        player.start(&start).map_err(|error| error.to_string())?;
    }
    *told = Some(game.clone());
    is_ready();
    choose_timed(player, &Situation::of(game, player, Future::Told), Clock::system())
        .map_err(|error| error.to_string())
}

/// What a player is doing before its first decision.
pub(super) fn getting_ready(registry: &Registry, spec: &Spec) -> &'static str {
    if registry.may_load_network(spec) { "loads its network…" } else { "gets ready…" }
}

/// The number of threads in which players think.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Counts a thread in which a player thinks, as long as this value lives.
pub(super) struct AtWork(());

impl AtWork {
    pub(super) fn new() -> AtWork {
        AT_WORK.fetch_add(1, Ordering::SeqCst);
        AtWork(())
    }

    /// Gives players a moment to end with the program: a bot has to end its process. It does not
    /// wait for long searches.
    pub(super) fn wait_for_all(most: Duration) {
        let started = Instant::now();
        while AT_WORK.load(Ordering::SeqCst) > 0 && started.elapsed() < most {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The times between two moves of a player, from slow to fast. The last one is as fast as possible.
pub(super) const PACES: [Duration; 9] = [
    Duration::from_millis(2000),
    Duration::from_millis(1000),
    Duration::from_millis(500),
    Duration::from_millis(300),
    Duration::from_millis(200),
    Duration::from_millis(100),
    Duration::from_millis(50),
    Duration::from_millis(20),
    Duration::ZERO,
];

/// The next faster or slower pace.
pub(super) fn next_pace(pace: Duration, faster: bool) -> Duration {
    let next = match faster {
        true => PACES.into_iter().find(|next| *next < pace),
        false => PACES.into_iter().rev().find(|next| *next > pace),
    };
    next.unwrap_or(pace)
}

#[cfg(test)]
mod tests {
    use lab2048::game::{Action, Rules};

    use super::super::events::Event;
    use super::*;

    #[test]
    fn the_last_question_is_answered_and_earlier_ones_are_forgotten() {
        let (mail, queue) = Mail::new();
        let registry = Registry::built_in();
        let mut thinker = Thinker::new(&registry, registry.parse("greedy").unwrap(), mail);
        assert!(thinker.answer().is_none());
        let games = [Game::new(Rules::default(), 1), Game::new(Rules::default(), 2)];
        games.iter().for_each(|game| thinker.ask(game));
        let decision = loop {
            assert_eq!(queue.next(None), Event::Wake);
            if let Some(answer) = thinker.answer() {
                break answer.unwrap();
            }
        };
        let Action::Move(direction) = decision.action else { panic!("greedy moves") };
        assert!(games[1].board().legal_moves().contains(direction));
        assert!(!thinker.is_thinking());
        thinker.ask(&games[0]);
        thinker.forget();
        assert!(thinker.answer().is_none());
    }

    #[test]
    fn a_network_is_said_to_be_loaded_before_the_first_thought() {
        let (mail, queue) = Mail::new();
        let registry = crate::players::registry();
        let spec = |text: &str| registry.parse(text).unwrap();
        assert_eq!(getting_ready(&registry, &spec("expectimax:eval=ntuple")), "loads its network…");
        assert_eq!(getting_ready(&registry, &spec("greedy")), "gets ready…");
        let mut thinker = Thinker::new(&registry, spec("greedy"), mail);
        assert!(!thinker.is_ready(), "no question has been asked yet");
        thinker.ask(&Game::new(Rules::default(), 1));
        while thinker.answer().is_none() {
            assert_eq!(queue.next(None), Event::Wake);
        }
        assert!(thinker.is_ready());
    }

    #[test]
    fn a_player_that_cannot_be_had_says_why() {
        let (mail, queue) = Mail::new();
        let registry = Registry::built_in();
        let spec = registry.parse("program:file=no-such-file").unwrap();
        let mut thinker = Thinker::new(&registry, spec, mail);
        thinker.ask(&Game::new(Rules::default(), 1));
        let said = loop {
            assert_eq!(queue.next(None), Event::Wake);
            if let Some(answer) = thinker.answer() {
                break answer.unwrap_err();
            }
        };
        assert!(said.contains("no-such-file"), "{said}");
    }

    #[test]
    fn paces_end_at_both_ends() {
        assert_eq!(next_pace(Duration::ZERO, true), Duration::ZERO);
        assert_eq!(next_pace(Duration::ZERO, false), Duration::from_millis(20));
        assert_eq!(next_pace(Duration::from_millis(150), true), Duration::from_millis(100));
        assert_eq!(next_pace(Duration::from_secs(60), false), Duration::from_secs(60));
    }
}
