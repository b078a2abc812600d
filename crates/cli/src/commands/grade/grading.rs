//! The games of a grading and what they come to.

use std::time::{Duration, Instant};

use lab2048::course;
use lab2048::game::{Action, Ending, Game, GameStart, Player, Rules, Situation};
use serde::Serialize;

use super::sources::Source;
use super::submission::{Limits, NoAnswer, Python, Submission};
use crate::commands::watch::interruptible::Interruptible;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::progress::Progress;

/// How often the progress is told.
const BETWEEN_NEWS: Duration = Duration::from_millis(100);

/// What every submission is graded by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The seed of the first game.
    pub(super) seed: u64,
    /// The games.
    pub(super) games: u64,
    /// What a submission may use.
    pub(super) limits: Limits,
}

/// How a game of a grading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum End {
    /// No direction changes anything.
    NoMoves,
    /// No cell was empty for the new tile after a move that did nothing.
    NoRoom,
    /// The program quit.
    Quit,
    /// An exception, or an answer that is no integer.
    Error,
    /// The process ended, or had to be ended.
    Gone,
    /// The time for all games was over.
    Time,
    /// It never began.
    NotPlayed,
    /// The user stopped the grading.
    Interrupted,
}

impl End {
    pub(super) fn in_words(self) -> &'static str {
        match self {
            End::NoMoves => "no moves left",
            End::NoRoom => "no room for a tile",
            End::Quit => "quit",
            End::Error => "error",
            End::Gone => "the process is gone",
            End::Time => "out of time",
            End::NotPlayed => "not played",
            End::Interrupted => "interrupted",
        }
    }
}

impl From<Ending> for End {
    fn from(ending: Ending) -> End {
        match ending {
            Ending::NoMoves => End::NoMoves,
            Ending::NoRoom => End::NoRoom,
            Ending::Quit => End::Quit,
        }
    }
}

/// One game of a grading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Played {
    pub(super) game: u64,
    pub(super) seed: u64,
    /// The score of the course: the largest tile; 0 for a game that never began.
    pub(super) largest: u64,
    /// The calls that were answered by a move or by one that does nothing.
    pub(super) moves: u64,
    /// The points of the original game.
    pub(super) points: u64,
    pub(super) end: End,
    /// What happened, where it is not the game's own end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// What a submission came to.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Grade {
    pub(super) name: String,
    /// The mean of the largest tiles; 0 if the time was not enough.
    pub(super) game_score: f64,
    /// The percentage for play.
    pub(super) play: f64,
    /// The percentage for executable code that matches the specification: all games were played to an end of the
    /// rules and in time, or not.
    pub(super) code: f64,
    /// How long all took.
    pub(super) seconds: f64,
    /// What happened, where it was not as it should be.
    pub(super) reason: Option<String>,
    pub(super) games: Vec<Played>,
}

impl Grade {
    fn new(name: &str, plan: &Plan, time: Duration, games: Vec<Played>, trouble: Option<String>) -> Grade {
        let is_late = games.iter().any(|game| game.end == End::Time);
        let sum: u64 = games.iter().map(|game| game.largest).sum();
        let game_score = if is_late { 0.0 } else { sum as f64 / plan.games as f64 };
        let reason = trouble.or_else(|| summary(plan, &games));
        Grade {
            name: name.to_owned(),
            game_score,
            play: course::play_percent(game_score),
            code: if reason.is_none() { 100.0 } else { 0.0 },
            seconds: time.as_secs_f64(),
            reason,
            games,
        }
    }

    /// A submission that there was no way to run.
    pub(super) fn without_games(name: &str, plan: &Plan, time: Duration, reason: String) -> Grade {
        let games = (1..).zip(course::games(plan.seed)).take(plan.games as usize);
        let games = games.map(|(number, game)| not_played(number, &game)).collect();
        Grade::new(name, plan, time, games, Some(reason))
    }

    /// Whether the user stopped it.
    pub(super) fn is_interrupted(&self) -> bool {
        self.games.iter().any(|game| game.end == End::Interrupted)
    }
}

/// What was not as it should be, in one sentence.
fn summary(plan: &Plan, games: &[Played]) -> Option<String> {
    let with = |end: End| games.iter().find(|game| game.end == end);
    if with(End::Time).is_some() {
        return Some(format!(
            "its games did not end within {}, so it gets 0",
            time_in_words(plan.limits.time)
        ));
    }
    if with(End::Interrupted).is_some() {
        return Some("the grading was interrupted".to_owned());
    }
    if let Some(game) = with(End::Gone) {
        let reason = game.reason.as_deref().unwrap_or_default();
        return Some(format!("in game {}: {reason}", game.game));
    }
    let first = with(End::Error)?;
    let errors = games.iter().filter(|game| game.end == End::Error).count();
    let (total, reason) = (games.len(), first.reason.as_deref().unwrap_or_default());
    Some(format!("an error ended {errors} of {total} games, first in game {}: {reason}", first.game))
}

/// A time as people say it.
pub(super) fn time_in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 60 && time == Duration::from_secs(seconds / 60 * 60) => {
            format!("{} min", seconds / 60)
        }
        _ => format!("{} s", time.as_millis() as f64 / 1000.0),
    }
}

fn not_played(number: u64, game: &Game) -> Played {
    let (seed, end) = (game.seed(), End::NotPlayed);
    Played { game: number, seed, largest: 0, moves: 0, points: 0, end, reason: None }
}

/// Tells how far the grading is.
pub(super) struct News {
    progress: Progress,
    done: u64,
    next: Instant,
}

impl News {
    /// A grading of so many games in all.
    pub(super) fn new(games: u64) -> News {
        News { progress: Progress::new(games, "games"), done: 0, next: Instant::now() }
    }

    /// Says how it stands, if it is time to.
    fn tell(&mut self, words: impl FnOnce() -> String) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + BETWEEN_NEWS;
            self.progress.set(self.done, &words());
        }
    }
}

/// Whoever answers: what to do in this game. While it waits it calls back.
type Ask<'a> = dyn FnMut(&Game, &mut dyn FnMut()) -> Result<Action, NoAnswer> + 'a;

/// Plays all games with whoever answers.
fn play(name: &str, plan: &Plan, news: &mut News, ask: &mut Ask<'_>) -> Vec<Played> {
    let mut rows = Vec::new();
    let mut goes_on = true;
    for (number, mut game) in (1..).zip(course::games(plan.seed)).take(plan.games as usize) {
        if !goes_on {
            rows.push(not_played(number, &game));
            continue;
        }
        let (end, reason) = loop {
            if let Some(ending) = game.ending() {
                break (End::from(ending), None);
            }
            let mut waiting = || {
                news.tell(|| {
                    let (step, largest) = (game.turns() + 1, game.board().largest());
                    format!("{name}: game {number}, step {step}, largest tile {largest}")
                });
            };
            waiting();
            let played = ask(&game, &mut waiting).and_then(|action| {
                game.play(action).map(drop).map_err(|error| NoAnswer::Error(error.to_string()))
            });
            match played {
                Ok(()) => {}
                Err(NoAnswer::Error(reason)) => break (End::Error, Some(reason)),
                Err(NoAnswer::Gone(reason)) => break (End::Gone, Some(reason)),
                Err(NoAnswer::Late) => break (End::Time, None),
                Err(NoAnswer::Interrupted) => break (End::Interrupted, None),
            }
        };
        goes_on = !matches!(end, End::Gone | End::Time | End::Interrupted);
        let (largest, moves, points) = (game.board().largest(), game.moves(), game.score());
        rows.push(Played { game: number, seed: game.seed(), largest, moves, points, end, reason });
        news.done += 1;
    }
    rows
}

/// Grades a submission in a process of its own.
pub(super) fn grade_source(source: &Source, python: &Python, plan: &Plan, news: &mut News) -> Outcome<Grade> {
    let all_done = news.done + plan.games;
    let files = match &source.files {
        Ok(files) => files,
        Err(reason) => {
            news.done = all_done;
            return Ok(Grade::without_games(&source.name, plan, Duration::ZERO, reason.clone()));
        }
    };
    let mut submission =
        Submission::start(python, files, plan.limits).inspect_err(|_| news.done = all_done)?;
    let (games, trouble) = match submission
        .import(&mut || news.tell(|| format!("{} is imported", source.name)))
    {
        Ok(()) => {
            let mut ask = |game: &Game, waiting: &mut dyn FnMut()| {
                let code = submission.next_move(game.board(), game.turns() + 1, waiting)?;
                Ok(course::action(code))
            };
            (play(&source.name, plan, news, &mut ask), None)
        }
        Err(NoAnswer::Error(reason)) => (Vec::new(), Some(format!("search.py cannot be imported: {reason}"))),
        Err(NoAnswer::Gone(reason)) => (Vec::new(), Some(format!("when it was imported: {reason}"))),
        Err(none @ (NoAnswer::Late | NoAnswer::Interrupted)) => {
            (play(&source.name, plan, news, &mut |_, _| Err(none.clone())), None)
        }
    };
    news.done = all_done;
    let time = submission.elapsed();
    let left = submission.end().err();
    Ok(match trouble {
        Some(reason) => Grade::without_games(&source.name, plan, time, reason),
        None => Grade::new(&source.name, plan, time, games, left.map(|error| error.to_string())),
    })
}

/// Grades a player of ours under the same rules, the clock included. It is not told the coming tiles.
pub(super) fn grade_player(
    name: &str,
    player: Box<dyn Player>,
    plan: &Plan,
    news: &mut News,
) -> Outcome<Grade> {
    let started = Instant::now();
    let mut player = Interruptible::until(player, started + plan.limits.time);
    let mut cannot = None;
    let mut ask = |game: &Game, _: &mut dyn FnMut()| {
        if game.turns() == 0 {
            let start = GameStart { rules: &Rules::COURSE, board: game.board(), knows_future: false };
            if let Err(refusal) = player.start(&start) {
                cannot = Some(refusal);
                return Err(NoAnswer::Interrupted);
            }
        }
        let decision = player.choose(&Situation { future: None, ..Situation::of(game) });
        if interrupt::raised() {
            return Err(NoAnswer::Interrupted);
        }
        if started.elapsed() >= plan.limits.time {
            return Err(NoAnswer::Late);
        }
        decision.map(|decision| decision.action).map_err(|error| NoAnswer::Error(error.to_string()))
    };
    let games = play(name, plan, news, &mut ask);
    match cannot {
        Some(refusal) => Err(Failure::BadInput(format!("{name}: {refusal}"))),
        None => Ok(Grade::new(name, plan, started.elapsed(), games, None)),
    }
}
