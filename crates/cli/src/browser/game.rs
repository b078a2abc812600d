//! One game on a page. Every move is checked: the board after it must follow from the board before.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use lab2048::arena::{GameLimits, StopReason};
use lab2048::board::{Board, Direction};
use lab2048::game::{
    Action, Decision, Ending, Future, Game, GameStart, Inconsistent, Player, Recorder, Refusal, Rules,
    Situation, Turn,
};

use super::page::{Input, Page, PageEnd, PageFault, Seen};
use super::transport::Transport;
use crate::interrupt;

/// The pause before a board that cannot be is read again.
const SECOND_LOOK: Duration = Duration::from_millis(200);
/// How long a page that has not moved yet is waited for before the key is pressed again.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long a page may take to start a new game, or to continue after the winning tile.
const STARTING: Duration = Duration::from_secs(5);
/// How long a page may take to answer one request for that.
const ANSWERING: Duration = Duration::from_secs(1);

/// How games on a page are played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// How moves are made.
    pub(crate) input: Input,
    /// Where games stop.
    pub(crate) limits: GameLimits,
}

/// One in this many moves is followed by a bare one, to compare.
const BARE_EVERY: u64 = 32;

/// Where the time of a game went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// The player's.
    pub(crate) thinking: Duration,
    /// The page's, the browser's and the driver's.
    pub(crate) browser: Duration,
    /// That of bare moves: the calls of a move, without a game. They are measured between the
    /// moves, so that both see the same machine.
    pub(crate) bare: Duration,
    /// The number of bare moves.
    pub(crate) bare_moves: u32,
}

/// A game on a page, finished or not.
pub(crate) struct PageGame {
    /// The game as the rules have it.
    pub(crate) game: Game,
    /// Its moves. None if a replay cannot hold them.
    pub(crate) recorder: Option<Recorder>,
    /// Where the time went.
    pub(crate) times: Times,
    /// The page's score when the game was taken over.
    score_before: u64,
}

/// Why a game stopped before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The page, the browser or the driver failed.
    Fault(PageFault),
    /// The page showed something that the rules do not allow, twice.
    Impossible(Box<Impossible>),
    /// The page did not react to a move.
    NoReaction(Direction),
    /// The page made two moves, because a key was pressed again before it had reacted.
    TooSlow,
    /// The page says that the game is over, but there are moves left.
    EarlyEnd,
    /// The page does not continue after its winning tile.
    NoContinuation,
    /// The page does not start a new game.
    NoNewGame,
    /// The user wants to stop.
    Interrupted,
}

impl From<PageFault> for Stop {
    fn from(fault: PageFault) -> Stop {
        if matches!(fault, PageFault::Interrupted) { Stop::Interrupted } else { Stop::Fault(fault) }
    }
}

/// A board that cannot follow from the one before.
#[derive(Debug)]
pub(crate) struct Impossible {
    /// The board before the move.
    pub(crate) before: Board,
    /// The move.
    pub(crate) direction: Direction,
    /// The board that the page showed.
    pub(crate) seen: Board,
    /// What is wrong with it.
    pub(crate) why: Inconsistent,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the page does not play by the rules: after {}, {}", self.direction, self.why)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Fault(fault) => fault.fmt(f),
            Stop::Impossible(impossible) => impossible.fmt(f),
            Stop::NoReaction(direction) => write!(f, "the page does not react to {direction}"),
            Stop::TooSlow => f.write_str("the page reacts too slowly: it made two moves at once"),
            Stop::EarlyEnd => f.write_str("the page says that the game is over, but there are moves left"),
            Stop::NoContinuation => f.write_str("the page does not continue after its winning tile"),
            Stop::NoNewGame => f.write_str("the page did not start a new game"),
            Stop::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl PageGame {
    /// Takes over the game on the page, or starts a new one. `seed` is for the player's own luck.
    pub(crate) fn begin<T: Transport>(page: &mut Page<T>, resume: bool, seed: u64) -> Result<PageGame, Stop> {
        let mut times = Times::default();
        let seen = timed(&mut times.browser, || ready(page, resume))?;
        let game = Game::from_board(Rules::default(), seed, seen.board);
        let recorder = Recorder::foreign(&game).ok();
        Ok(PageGame { game, recorder, times, score_before: seen.score.unwrap_or(0) })
    }

    /// Plays to the end or to a limit. `watch` sees every move.
    pub(crate) fn play<T: Transport>(
        &mut self,
        page: &mut Page<T>,
        player: &mut dyn Player,
        style: &Style,
        mut watch: impl FnMut(&PageGame, &Decision, &Turn),
    ) -> Result<StopReason, Stop> {
        loop {
            if let Some(end) = style.limits.reached(&self.game) {
                return Ok(end);
            }
            if interrupt::raised() {
                return Err(Stop::Interrupted);
            }
            let started = Instant::now();
            let decided = player.choose(&Situation::of(&self.game, player, Future::Hidden));
            self.times.thinking += started.elapsed();
            let decision = match decided {
                Ok(decision) => decision,
                Err(error) => return Ok(StopReason::Failed(error.to_string())),
            };
            let direction = match decision.action {
                Action::Move(direction) => direction,
                // A player that was interrupted quits too.
                Action::Quit if interrupt::raised() => return Err(Stop::Interrupted),
                Action::Quit => return Ok(StopReason::Over(Ending::Quit)),
                Action::Pass => return Ok(StopReason::Failed("a page does not allow a pass".to_owned())),
            };
            if !self.game.board().legal_moves().contains(direction) {
                return Ok(StopReason::Failed(format!("{direction} does not change the board")));
            }
            let started = Instant::now();
            let moved = self.make_move(page, direction, style.input);
            self.times.browser += started.elapsed();
            let (turn, seen) = moved?;
            if self.recorder.as_mut().is_some_and(|recorder| recorder.push(&turn).is_err()) {
                self.recorder = None;
            }
            watch(self, &decision, &turn);
            if self.game.moves() % BARE_EVERY == BARE_EVERY / 2 {
                self.times.bare += page.bare_move(style.input)?;
                self.times.bare_moves += 1;
            }
            if let Some(end) = self.after(page, &seen, style)? {
                return Ok(end);
            }
        }
    }

    /// Makes a move on the page and in the game.
    fn make_move<T: Transport>(
        &mut self,
        page: &mut Page<T>,
        direction: Direction,
        input: Input,
    ) -> Result<(Turn, Seen), Stop> {
        let mut answer = page.play(direction, input);
        let mut looked_again = false;
        let mut pressed_again = false;
        loop {
            let (unmoved, stop) = match answer {
                Ok(seen) => {
                    // A score below that of the start is wrong, whatever it is.
                    let score = seen.score.map(|score| score.checked_sub(self.score_before).unwrap_or(score));
                    match self.game.observe(direction, &seen.board, score) {
                        Ok(turn) => return Ok((turn, seen)),
                        Err(why) => {
                            let before = self.game.board().clone();
                            let impossible = Impossible { before, direction, seen: seen.board, why };
                            (impossible.seen == impossible.before, Stop::Impossible(Box::new(impossible)))
                        }
                    }
                }
                // A dialog may be in the way.
                Err(fault @ PageFault::Unreadable(_)) => (false, Stop::Fault(fault)),
                Err(fault) => return Err(fault.into()),
            };
            answer = match (unmoved, looked_again, pressed_again) {
                (false, false, _) => {
                    thread::sleep(SECOND_LOOK);
                    page.read()
                }
                // A dialog may have taken the key, or the page is slow.
                (true, false, _) => {
                    page.clear()?;
                    page.changed(PATIENCE)
                }
                (true, true, false) => {
                    pressed_again = true;
                    looked_again = false;
                    answer = page.play(direction, input);
                    continue;
                }
                (true, true, true) => return Err(Stop::NoReaction(direction)),
                (false, true, true) => return Err(Stop::TooSlow),
                (false, true, false) => return Err(stop),
            };
            looked_again = true;
        }
    }

    /// What follows from what the page says about the end of the game.
    fn after<T: Transport>(
        &mut self,
        page: &mut Page<T>,
        seen: &Seen,
        style: &Style,
    ) -> Result<Option<StopReason>, Stop> {
        match seen.end {
            PageEnd::Playing => Ok(None),
            PageEnd::Over if self.game.ending().is_some() => Ok(None),
            PageEnd::Over => Err(Stop::EarlyEnd),
            // The tile that was asked for is the end anyway.
            PageEnd::Won if style.limits.reached(&self.game).is_some() => Ok(None),
            PageEnd::Won => timed(&mut self.times.browser, || continued(page)).map(|_| None),
        }
    }

    /// Tells a player about the game that comes. A player that cannot play it says so.
    pub(crate) fn introduce(&self, player: &mut dyn Player) -> Result<(), Refusal> {
        player.start(&GameStart::of(&self.game, Future::Hidden))
    }
}

/// A page on which a game can be played: a new one, or the one that is there.
fn ready<T: Transport>(page: &mut Page<T>, resume: bool) -> Result<Seen, Stop> {
    let found = match page.read() {
        // The tab may have gone elsewhere since the last game.
        Err(PageFault::Unknown { .. }) => {
            page.reopen()?;
            page.read()?
        }
        found => found?,
    };
    let tiles = found.board.tiles().filter(|&tile| tile != 0).count();
    match found.end {
        PageEnd::Playing if resume || tiles <= 2 && found.score.unwrap_or(0) == 0 => return Ok(found),
        PageEnd::Won if resume => return continued(page),
        _ => {}
    }
    let is_new = |seen: &Seen| {
        seen.end == PageEnd::Playing && seen.score.unwrap_or(0) == 0 && seen.board != found.board
    };
    asked(page, Page::restart, is_new)?.ok_or(Stop::NoNewGame)
}

/// Continues after the winning tile.
fn continued<T: Transport>(page: &mut Page<T>) -> Result<Seen, Stop> {
    asked(page, Page::resume, |seen| seen.end != PageEnd::Won)?.ok_or(Stop::NoContinuation)
}

/// Asks a page for something until it is done, for a limited time. It is asked again only if it had
/// time to answer: a second new game would replace the first one.
fn asked<T: Transport>(
    page: &mut Page<T>,
    ask: impl Fn(&mut Page<T>) -> Result<bool, PageFault>,
    is_done: impl Fn(&Seen) -> bool,
) -> Result<Option<Seen>, Stop> {
    let started = Instant::now();
    while started.elapsed() < STARTING && ask(page)? {
        let asked = Instant::now();
        while asked.elapsed() < ANSWERING {
            match page.read() {
                Ok(seen) if is_done(&seen) => return Ok(Some(seen)),
                Ok(_) | Err(PageFault::Unreadable(_)) => thread::sleep(SECOND_LOOK),
                Err(fault) => return Err(fault.into()),
            }
        }
        page.clear()?;
    }
    Ok(None)
}

/// Adds the time that something takes.
fn timed<R>(total: &mut Duration, act: impl FnOnce() -> R) -> R {
    let started = Instant::now();
    let done = act();
    *total += started.elapsed();
    done
}
