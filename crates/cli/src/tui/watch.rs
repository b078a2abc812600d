//! The screen for watching a player.

mod view;

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};
use lab2048::game::Replay;
use lab2048::players::Registry;
use ratatui::Frame;

use super::Watching;
use super::ending::{Message, SaveAs};
use super::events::{self, Event};
use super::keymap;
use super::motion::Moving;
use super::pages::Page;
use super::parts;
use super::replay::ReplayScreen;
use super::runner::{Job, Picture, Runner, Saved};
use super::screen::{Next, Screen, Shared};
use super::thinker::{getting_ready, next_pace};
use crate::failure::Failure;
use crate::report::whole;
use crate::store::kind_of;

/// The default time between moves.
const PACE: Duration = Duration::from_millis(300);
/// How often the clock is updated while a player thinks.
const CLOCK: Duration = Duration::from_millis(250);
/// The time between two frames in turbo mode.
const FRAME: Duration = Duration::from_millis(33);

/// A player that is being watched.
pub(super) struct Watch {
    job: Job,
    runner: Option<Runner>,
    picture: Option<Picture>,
    pace: Duration,
    paused: bool,
    /// Whether the pause comes from a suspended program, so that playing resumes with it.
    goes_on: bool,
    /// The time since the last snapshot, without pauses.
    since: Stopwatch,
    moving: Option<Moving>,
    message: Option<Message>,
    saving: Option<SaveAs>,
    /// Whether the games have been added to the statistics.
    counted: bool,
}

/// A clock that can be stopped and resumed.
#[derive(Clone, Copy, Debug, Default)]
struct Stopwatch {
    before: Duration,
    from: Option<Instant>,
}

impl Stopwatch {
    fn time(&self) -> Duration {
        self.before + self.from.map_or(Duration::ZERO, |from| from.elapsed())
    }

    fn stop(&mut self) {
        *self = Stopwatch { before: self.time(), from: None };
    }

    fn go_on(&mut self) {
        self.from.get_or_insert_with(Instant::now);
    }
}

impl Watch {
    /// Opens the screen as requested on the command line.
    pub(super) fn open(watching: Watching, shared: &mut Shared) -> Watch {
        let Watching { spec, setup, games, pace, save } = watching;
        let first_seed = setup.seed_or_fresh();
        let pace = pace.unwrap_or(if shared.turbo { Duration::ZERO } else { PACE });
        Watch::start(Job { spec, setup: setup.game, first_seed, games, save }, pace, shared)
    }

    fn start(job: Job, pace: Duration, shared: &Shared) -> Watch {
        let runner = Runner::start(&shared.registry, job.clone(), pace, shared.mail.clone());
        Watch {
            job,
            runner: Some(runner),
            picture: None,
            pace,
            paused: false,
            goes_on: false,
            since: Stopwatch::default(),
            moving: None,
            message: None,
            saving: None,
            counted: false,
        }
    }

    fn is_over(&self) -> bool {
        self.picture.as_ref().is_some_and(|picture| picture.end.is_some())
    }

    /// Receives what the player has done.
    fn look(&mut self, shared: &mut Shared) {
        let Some(runner) = &self.runner else { return };
        if let Some(picture) = runner.take() {
            self.show(picture, shared);
        } else if runner.is_broken() && !self.is_over() {
            let broke_down = format!("the player {} crashed", self.job.spec);
            shared.failures.push(Failure::Failed(broke_down.clone()));
            let saved = self.break_off().map(|(sentence, _)| sentence);
            let said = [broke_down].into_iter().chain(saved).collect::<Vec<_>>().join("; ");
            self.runner = None;
            self.since.stop();
            self.message = Some((said, true));
        }
    }

    /// Stops the player. If games are saved, saves the current one and returns the message about
    /// all saved games.
    fn break_off(&self) -> Option<Message> {
        let broken_off = self.runner.as_ref().and_then(Runner::break_off);
        let written = broken_off.and_then(|broken_off| self.job.save_broken_off(broken_off));
        let mut saved = self.picture.as_ref().map_or_else(Saved::default, |picture| picture.saved.clone());
        written.into_iter().for_each(|written| saved.add(written));
        saved.message()
    }

    fn show(&mut self, picture: Picture, shared: &mut Shared) {
        let known = self.picture.as_ref().map(|picture| (picture.number, picture.game.turns()));
        let follows = known
            .is_some_and(|(number, turns)| (number, turns + 1) == (picture.number, picture.game.turns()));
        let slow = self.paused || self.pace >= Moving::TIME;
        self.moving = match &picture.last {
            Some((before, _, turn)) if follows && slow && shared.store.kept().animation => {
                Moving::start(before, turn)
            }
            _ => None,
        };
        let over = picture.end.is_some();
        // At the end, the box with the totals shows the failure.
        let failure = picture.failure.as_ref().filter(|_| !over);
        if let Some(failure) = failure {
            self.message = Some((failure.to_string(), true));
        } else if over {
            self.message = self.message.take().filter(|(_, bad)| !bad);
        }
        // A failure to save is shown at once. Saved games are reported at the end.
        if let Some((said, bad)) = picture.saved.message().filter(|(_, bad)| *bad || over) {
            let failure = failure.map(|failure| format!("{failure}; "));
            self.message = Some((failure.clone().unwrap_or_default() + &said, bad || failure.is_some()));
        }
        let runs = !self.paused && !over;
        self.since = Stopwatch { before: Duration::ZERO, from: runs.then_some(picture.made) };
        self.picture = Some(picture);
        if over {
            self.count(shared);
        }
    }

    /// Adds the finished games to the statistics, once. Games with limits or a custom board do not
    /// count.
    fn count(&mut self, shared: &mut Shared) {
        let counts = self.job.setup.board.is_none() && self.job.setup.limits.is_unlimited();
        let Some(picture) = self.picture.as_ref().filter(|_| counts && !self.counted) else { return };
        self.counted = true;
        let kind = kind_of(&self.job.setup.rules);
        shared.store.add_watched(&format!("{} on {kind}", self.job.spec), &picture.sound);
    }

    /// What the player is doing before its first decision.
    fn getting_ready(&self, registry: &Registry) -> Option<&'static str> {
        let ready = self.runner.as_ref().is_none_or(Runner::is_ready) || self.is_over();
        (!ready).then(|| getting_ready(registry, &self.job.spec))
    }

    fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
        if paused {
            self.since.stop();
        } else if self.runner.is_some() && !self.is_over() {
            self.since.go_on();
        }
        if let Some(runner) = &self.runner {
            runner.set_paused(paused);
        }
    }

    /// Pauses the player while another screen is open.
    fn wait_for_return(&mut self) {
        if !self.is_over() {
            self.set_paused(true);
        }
    }

    fn set_pace(&mut self, pace: Duration) {
        self.pace = pace;
        if let Some(runner) = &self.runner {
            runner.set_delay(pace);
            runner.want();
        }
    }

    fn again(&self, shared: &Shared) -> Next {
        let Some(first_seed) = self.job.first_seed.checked_add(self.job.games) else { return Next::Stay };
        let job = Job { first_seed, ..self.job.clone() };
        Next::Swap(Box::new(Watch::start(job, self.pace, shared)))
    }

    fn best_replay(&self) -> Result<Replay, String> {
        let best = self.picture.as_ref().and_then(|picture| picture.best.as_ref());
        best.map(|replay| replay.as_ref().clone()).ok_or_else(|| "no game has finished yet".to_owned())
    }

    fn press(&mut self, key: &KeyEvent, shared: &mut Shared) -> Next {
        let Some(code) = events::plain(key).and_then(|code| keymap::WATCH.find(code)) else {
            return Next::Stay;
        };
        match code {
            KeyCode::Char(' ') if !self.is_over() => self.set_paused(!self.paused),
            KeyCode::Right if !self.is_over() => {
                self.paused = true;
                self.since.stop();
                if let Some(runner) = &self.runner {
                    runner.step();
                }
            }
            KeyCode::Up | KeyCode::Char('+' | '=') => self.set_pace(next_pace(self.pace, true)),
            KeyCode::Down | KeyCode::Char('-') => self.set_pace(next_pace(self.pace, false)),
            KeyCode::Char('o') => self.message = Some((shared.toggle_animation().to_owned(), false)),
            KeyCode::Char('t') => {
                self.set_pace(if self.pace.is_zero() { PACE } else { Duration::ZERO });
                self.set_paused(false);
            }
            KeyCode::Char('n') if self.is_over() => return self.again(shared),
            KeyCode::Char('p') => match self.best_replay() {
                Ok(replay) => {
                    self.wait_for_return();
                    return Next::Push(Box::new(ReplayScreen::new(replay)));
                }
                Err(reason) => self.message = Some((reason, true)),
            },
            KeyCode::Char('v') => match self.best_replay() {
                Ok(replay) => self.saving = Some(SaveAs::new(replay.header().seed)),
                Err(reason) => self.message = Some((reason, true)),
            },
            KeyCode::Char('m') => return Next::Menu,
            KeyCode::Char('i') => {
                self.wait_for_return();
                return Next::Push(Box::new(Page::help(&keymap::WATCH)));
            }
            KeyCode::Char('q') => return Next::Back,
            _ => {}
        }
        Next::Stay
    }

    /// The current time of this game, and the player's share of it.
    fn times(&self, picture: &Picture) -> (Duration, Duration) {
        // The clock runs between snapshots too. Waiting time before a pause stays counted.
        let since = self.since.time();
        // In turbo mode most games end before the next snapshot. Only a long search is still
        // running then.
        let since = if self.pace.is_zero() && since < 3 * FRAME { Duration::ZERO } else { since };
        let thinks = since.saturating_sub(self.pace);
        (picture.time + since, picture.thinking + thinks)
    }

    /// The moves of all games per second of the player's time, up to the last move that is shown.
    fn rate(&self, picture: &Picture) -> String {
        let (moves, thinking) = match picture.end {
            Some(_) => (0, Duration::ZERO),
            None => (picture.game.moves(), picture.thinking),
        };
        let done = Duration::try_from_secs_f64(picture.done.seconds).unwrap_or_default();
        parts::per_second(picture.done.moves + moves, done + thinking)
    }
}

impl Screen for Watch {
    fn handle(&mut self, event: &Event, shared: &mut Shared) -> Next {
        self.look(shared);
        if self.moving.as_ref().is_some_and(Moving::is_over) {
            self.moving = None;
        }
        if let Some(saving) = self.saving.take() {
            let (saving, said) = saving.handle(event, || self.best_replay());
            self.saving = saving;
            self.message = said.or(self.message.take());
            return Next::Stay;
        }
        match event {
            Event::Tick => {
                if let Some(runner) = &self.runner {
                    runner.want();
                }
                Next::Stay
            }
            Event::Key(key) => self.press(key, shared),
            // The time while the program is stopped does not count.
            Event::Suspend if !self.paused => {
                self.wait_for_return();
                self.goes_on = self.paused;
                Next::Stay
            }
            Event::Continue => {
                if std::mem::take(&mut self.goes_on) {
                    self.set_paused(false);
                }
                Next::Stay
            }
            _ => Next::Stay,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, shared: &Shared) {
        self.view(frame, shared);
    }

    fn tick(&self) -> Option<Instant> {
        let frame = self.moving.as_ref().map(Moving::next_frame);
        let runs = self.runner.is_some() && !self.paused && !self.is_over();
        let clock = runs.then(|| Instant::now() + if self.pace.is_zero() { FRAME } else { CLOCK });
        frame.into_iter().chain(clock).min()
    }

    fn leave(&mut self, shared: &mut Shared) -> Option<String> {
        self.look(shared);
        self.count(shared);
        let saved = self.break_off().map_or_else(String::new, |(said, _)| format!("\n{said}"));
        let picture = self.picture.as_ref()?;
        shared.failures.extend(picture.failure.clone());
        let over = picture.end.is_some();
        if over && picture.done.games == 0 {
            // The player cannot play at all.
            return None;
        }
        // The unfinished game counts up to its current move.
        let (more_score, more_moves) =
            if over { (0, 0) } else { (picture.game.score(), picture.game.moves()) };
        let (time, thinking) = if over { (Duration::ZERO, Duration::ZERO) } else { self.times(picture) };
        let moves = picture.done.moves + more_moves;
        let thinking = Duration::try_from_secs_f64(picture.done.seconds).unwrap_or_default() + thinking;
        Some(format!(
            "{}: {}: total score {}, {} in {} (player time {}: {} moves/s){saved}",
            self.job.spec,
            parts::many(picture.done.games + u64::from(!over), "game"),
            whole((picture.done.points + more_score as f64) as u64),
            parts::many(moves, "move"),
            parts::seconds(picture.done_time + time),
            parts::seconds(thinking),
            parts::per_second(moves, thinking),
        ))
    }
}

#[cfg(test)]
mod tests;
