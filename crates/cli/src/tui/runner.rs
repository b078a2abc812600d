//! A player that plays whole games in a background thread, at an adjustable pace, to be watched.
//!
//! In turbo mode nothing slows the thread down: after a move it checks two flags, and takes a
//! snapshot of the game only when one is wanted. Waiting and pauses never count as the player's
//! time.

mod recording;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lab2048::arena::{GameSetup, StopReason, play_watched};
use lab2048::board::Board;
use lab2048::game::{Decision, Game, Player, Replay, Turn};
use lab2048::parallel::in_thread;
use lab2048::players::{Registry, Spec};

pub(super) use recording::Saved;
use recording::{Noting, Recorded};

use super::events::Mail;
use super::thinker::AtWork;
use crate::failure::Failure;
use crate::replay_file::SaveFile;
use crate::show::failed_games;
use crate::store::GameTally;

/// The games to play.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) spec: Spec,
    pub(super) setup: GameSetup,
    pub(super) first_seed: u64,
    pub(super) games: u64,
    /// Where every game is saved.
    pub(super) save: Option<SaveFile>,
}

/// A snapshot of the games at one moment.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    /// The game's number, counted from 1.
    pub(super) number: u64,
    /// Whether the player knows the coming tiles.
    pub(super) needs_future: bool,
    pub(super) game: Game,
    /// The last move, and the board before it.
    pub(super) last: Option<(Board, Decision, Turn)>,
    pub(super) curve: Curve,
    /// The time of the game, without pauses.
    pub(super) time: Duration,
    /// The player's share of that time.
    pub(super) thinking: Duration,
    /// The finished games. Their time is the player's time.
    pub(super) done: GameTally,
    /// The finished games in which the player did not fail.
    pub(super) sound: GameTally,
    /// The time of the finished games, without pauses.
    pub(super) done_time: Duration,
    /// Why the player cannot play, or why games failed.
    pub(super) failure: Option<Failure>,
    /// The saved games.
    pub(super) saved: Saved,
    /// Why the last game ended. Set when all games are finished.
    pub(super) end: Option<String>,
    /// The best finished game.
    pub(super) best: Option<Arc<Replay>>,
    /// When the snapshot was taken.
    pub(super) made: Instant,
}

/// The score over the moves, in a limited number of points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve {
    points: Vec<u64>,
    /// The number of moves between two points.
    stride: u64,
}

impl Curve {
    const MOST: usize = 256;

    fn new() -> Curve {
        Curve { points: Vec::new(), stride: 1 }
    }

    fn push(&mut self, moves: u64, score: u64) {
        if !moves.is_multiple_of(self.stride) {
            return;
        }
        self.points.push(score);
        if self.points.len() == Curve::MOST {
            // Keep every second point, at the multiples of the new stride. The first point is at
            // move 1 times the stride.
            self.points = self.points.iter().copied().skip(1).step_by(2).collect();
            self.stride *= 2;
        }
    }

    /// The whole curve in `width` points.
    pub(super) fn resampled(&self, width: usize) -> Vec<u64> {
        let length = self.points.len();
        if length == 0 {
            Vec::new()
        } else {
            (0..width).map(|place| self.points[place * length / width]).collect()
        }
    }
}

/// What slows the player down.
#[derive(Clone, Copy, Debug)]
struct Pace {
    delay: Duration,
    paused: bool,
    /// The number of single moves allowed while paused.
    steps: u32,
}

struct Control {
    /// Nothing slows the player down.
    free: AtomicBool,
    /// A snapshot is wanted.
    wanted: AtomicBool,
    /// The screen is gone.
    stop: AtomicBool,
    pace: Mutex<Pace>,
    changed: Condvar,
    latest: Mutex<Option<Picture>>,
    /// The recorded game. Whoever takes it out saves it.
    recorded: Mutex<Option<Recorded>>,
    broken: AtomicBool,
    /// The player has been built and has started its first game, so everything it needs is loaded.
    ready: AtomicBool,
}

/// The time spent waiting.
#[derive(Clone, Copy, Default)]
struct Waited {
    delayed: Duration,
    paused: Duration,
}

impl Control {
    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Pace)) {
        let mut pace = self.pace();
        change(&mut pace);
        self.free.store(pace.delay.is_zero() && !pace.paused, Ordering::Relaxed);
        drop(pace);
        self.changed.notify_all();
    }

    /// Stops the thread. The lock is held meanwhile, so a thread that is about to wait either sees
    /// the flag or is woken.
    fn end(&self) {
        self.change(|_| self.stop.store(true, Ordering::Relaxed));
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits as long as the pace requires, or until the thread is stopped.
    fn wait(&self) -> Waited {
        let mut waited = Waited::default();
        let mut pace = self.pace();
        while !self.stops() {
            let started = Instant::now();
            if pace.paused {
                if pace.steps > 0 {
                    pace.steps -= 1;
                    break;
                }
                pace = self.changed.wait(pace).unwrap_or_else(PoisonError::into_inner);
                waited.paused += started.elapsed();
            } else {
                let Some(left) = pace.delay.checked_sub(waited.delayed).filter(|left| !left.is_zero()) else {
                    break;
                };
                (pace, _) = self.changed.wait_timeout(pace, left).unwrap_or_else(PoisonError::into_inner);
                waited.delayed += started.elapsed();
            }
        }
        waited
    }

    fn recorded(&self) -> MutexGuard<'_, Option<Recorded>> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a move. A game that becomes too long for a replay continues without a recording.
    fn record(&self, turn: &Turn, game: Option<&Game>) {
        let mut slot = self.recorded();
        let Some(recorded) = slot.as_mut() else { return };
        if !recorded.push(turn, game) {
            *slot = None;
        }
    }

    fn show(&self, picture: Picture, mail: &Mail) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(picture);
        mail.wake();
    }
}

/// A running player. Dropping this value stops it after the current move.
pub(super) struct Runner {
    control: Arc<Control>,
}

impl Runner {
    pub(super) fn start(registry: &Registry, job: Job, pace: Duration, mail: Mail) -> Runner {
        let control = Arc::new(Control {
            free: AtomicBool::new(pace.is_zero()),
            wanted: AtomicBool::new(true),
            stop: AtomicBool::new(false),
            pace: Mutex::new(Pace { delay: pace, paused: false, steps: 0 }),
            changed: Condvar::new(),
            latest: Mutex::new(None),
            recorded: Mutex::new(None),
            broken: AtomicBool::new(false),
            ready: AtomicBool::new(false),
        });
        let registry = registry.clone();
        let worker = Worker { control: Arc::clone(&control), mail, job };
        let end = EndOfThread { control: Arc::clone(&control), mail: worker.mail.clone(), done: false };
        let at_work = AtWork::new();
        // Not an `Apart`: all games are one job that lasts as long as the runner. If the thread
        // panics or cannot be started, `end` is dropped and reports it.
        let _ = in_thread("player", (worker, end, at_work), move |(worker, mut end, at_work)| {
            worker.work(&registry);
            end.done = true;
            drop(at_work);
        });
        Runner { control }
    }

    /// The newest snapshot, unless it has been taken already.
    pub(super) fn take(&self) -> Option<Picture> {
        self.control.latest.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks for a snapshot after the next move.
    pub(super) fn want(&self) {
        self.control.wanted.store(true, Ordering::Relaxed);
    }

    /// Whether the player has crashed.
    pub(super) fn is_broken(&self) -> bool {
        self.control.broken.load(Ordering::Relaxed)
    }

    /// Whether the player can think. Before that, it may have to load a network.
    pub(super) fn is_ready(&self) -> bool {
        self.control.ready.load(Ordering::Relaxed)
    }

    pub(super) fn set_delay(&self, delay: Duration) {
        self.control.change(|pace| pace.delay = delay);
    }

    pub(super) fn set_paused(&self, paused: bool) {
        self.control.change(|pace| {
            pace.paused = paused;
            pace.steps = 0;
        });
    }

    /// Stops the player and returns the current game. It does not wait for a long search.
    pub(super) fn break_off(&self) -> Option<Recorded> {
        self.control.end();
        self.control.recorded().take()
    }

    /// Lets the player make one move, then pauses it.
    pub(super) fn step(&self) {
        self.control.change(|pace| {
            pace.paused = true;
            pace.steps += 1;
        });
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.control.end();
    }
}

/// Reports when the thread ends before its work is done.
struct EndOfThread {
    control: Arc<Control>,
    mail: Mail,
    done: bool,
}

impl Drop for EndOfThread {
    fn drop(&mut self) {
        if !self.done {
            self.control.broken.store(true, Ordering::Relaxed);
            self.mail.wake();
        }
    }
}

struct Worker {
    control: Arc<Control>,
    mail: Mail,
    job: Job,
}

/// The results of the games so far.
#[derive(Default)]
struct SoFar {
    needs_future: bool,
    done: GameTally,
    sound: GameTally,
    done_time: Duration,
    /// Why the player cannot play at all.
    unfit: Option<Failure>,
    /// The error of the first game that failed.
    first_error: Option<String>,
    saved: Saved,
    best: Option<Arc<Replay>>,
}

impl SoFar {
    fn failure(&self) -> Option<Failure> {
        let failed = |first: &String| {
            let games = self.done.games;
            Failure::Failed(failed_games(games - self.sound.games, games, first))
        };
        self.unfit.clone().or_else(|| self.first_error.as_ref().map(failed))
    }
}

/// The current game.
struct UnderWay {
    number: u64,
    started: Instant,
    waited: Waited,
    curve: Curve,
    last: Option<(Board, Decision, Turn)>,
}

impl Worker {
    fn work(&self, registry: &Registry) {
        let mut so_far = SoFar::default();
        let mut player = match registry.build(&self.job.spec) {
            Ok(player) => player,
            Err(error) => {
                let game = self.job.setup.start(self.job.first_seed);
                let end = error.to_string();
                so_far.unfit = Some(Failure::bad_input(error));
                return self.finish(&UnderWay::new(1), &game, &so_far, end);
            }
        };
        so_far.needs_future = player.facts().needs_future;
        for number in 1..=self.job.games {
            let seed = self.job.first_seed.saturating_add(number - 1);
            let mut game = self.job.setup.start(seed);
            let mut under_way = UnderWay::new(number);
            // In turbo mode, games may be too short to be seen.
            let free = self.control.free.load(Ordering::Relaxed);
            if number == 1 || !free || self.control.wanted.swap(false, Ordering::Relaxed) {
                self.control.show(under_way.picture(&game, &so_far, None), &self.mail);
            }
            let end = self.play(&mut *player, &mut game, &mut under_way, &mut so_far);
            let Some(end) = end else { return };
            if number == self.job.games || so_far.unfit.is_some() {
                return self.finish(&under_way, &game, &so_far, end);
            }
        }
    }

    /// Plays a game and returns why it ended. `None` if the thread was stopped.
    fn play(
        &self,
        player: &mut dyn Player,
        game: &mut Game,
        under_way: &mut UnderWay,
        so_far: &mut SoFar,
    ) -> Option<String> {
        *self.control.recorded() = Recorded::begin(game);
        let mut before = game.board().clone();
        let limits = self.job.setup.limits;
        let saves = self.job.save.is_some();
        let mut player = Noting { player, control: &self.control, mail: &self.mail };
        let played = play_watched(game, &mut player, &limits, |game, decision, turn| {
            self.control.record(turn, saves.then_some(game));
            under_way.curve.push(game.turns(), game.score());
            under_way.last = Some((std::mem::replace(&mut before, game.board().clone()), *decision, *turn));
            let free = self.control.free.load(Ordering::Relaxed);
            if !free || self.control.wanted.swap(false, Ordering::Relaxed) {
                self.control.show(under_way.picture(game, so_far, None), &self.mail);
            }
            if !free {
                let waited = self.control.wait();
                under_way.waited.delayed += waited.delayed;
                under_way.waited.paused += waited.paused;
            }
            if self.control.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let end = match played {
            Ok(ControlFlow::Continue(played)) => played.end,
            // The thread was stopped by someone who has taken the recorded game.
            Ok(ControlFlow::Break(())) => return None,
            // A player that refuses the first game cannot play at all.
            Err(refusal) if under_way.number == 1 => {
                *self.control.recorded() = None;
                let end = refusal.to_string();
                so_far.unfit = Some(Failure::bad_input(refusal));
                return Some(end);
            }
            Err(refusal) => StopReason::Failed(refusal.to_string()),
        };
        let (time, thinking) = under_way.times();
        so_far.done_time += time;
        let best = so_far.done.games == 0 || game.score() > so_far.done.best;
        so_far.done.add(game, thinking);
        match &end {
            StopReason::Failed(error) => {
                so_far.first_error.get_or_insert_with(|| error.clone());
            }
            _ => so_far.sound.add(game, thinking),
        }
        let recorded = self.control.recorded().take();
        if let Some(recorded) = recorded.filter(|_| best || saves) {
            let replay = self.job.replay(recorded, game, end.error());
            if let Some(written) = self.job.save(&replay) {
                so_far.saved.add(written);
            }
            if best {
                so_far.best = Some(Arc::new(replay));
            }
        }
        Some(end.to_string())
    }

    fn finish(&self, under_way: &UnderWay, game: &Game, so_far: &SoFar, end: String) {
        self.control.show(under_way.picture(game, so_far, Some(end)), &self.mail);
    }
}

impl UnderWay {
    fn new(number: u64) -> UnderWay {
        UnderWay {
            number,
            started: Instant::now(),
            waited: Waited::default(),
            curve: Curve::new(),
            last: None,
        }
    }

    /// The time of the game, and the player's share of it.
    fn times(&self) -> (Duration, Duration) {
        let time = self.started.elapsed().saturating_sub(self.waited.paused);
        (time, time.saturating_sub(self.waited.delayed))
    }

    fn picture(&self, game: &Game, so_far: &SoFar, end: Option<String>) -> Picture {
        let (time, thinking) = self.times();
        Picture {
            number: self.number,
            game: game.clone(),
            last: self.last.clone(),
            curve: self.curve.clone(),
            needs_future: so_far.needs_future,
            time,
            thinking,
            done: so_far.done.clone(),
            sound: so_far.sound.clone(),
            done_time: so_far.done_time,
            failure: so_far.failure(),
            saved: so_far.saved.clone(),
            end,
            best: so_far.best.clone(),
            made: Instant::now(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
