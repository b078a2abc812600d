//! Plays the games of a grading and computes the grade.

use std::fmt;
use std::time::{Duration, Instant};

use lab2048::course;
use lab2048::game::{Action, Ending, Future, Game, GameResult, GameStart, Player, Refusal, Situation};
use lab2048::text::one_line;
use serde::{Deserialize, Serialize, Serializer};

use super::marks;
use super::python::Python;
use super::sources::Source;
use super::submission::{NoAnswer, ResourceLimits, Submission};
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::interruptible::Interruptible;
use crate::progress::Progress;

/// The minimum time between two progress updates.
const BETWEEN_NEWS: Duration = Duration::from_millis(100);

/// The maximum number of characters of a name that are shown.
pub(super) const LONGEST_NAME: usize = 200;

/// The conditions that are the same for every submission.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct GradingPlan {
    /// The seed of the first game.
    pub(super) seed: u64,
    /// The number of games.
    pub(super) games: u64,
    /// The limits of a submission.
    pub(super) limits: ResourceLimits,
}

impl GradingPlan {
    /// The games with their numbers, counted from 1.
    pub(super) fn all_games(&self) -> impl Iterator<Item = (u64, Game)> {
        (1..).zip(course::games(self.seed)).take(self.games as usize)
    }
}

/// How a game of a grading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum GradedEnd {
    /// The game ended by its rules.
    Over(Ending),
    /// An exception, or an answer that is not an integer.
    Error,
    /// The process exited or was killed.
    Gone,
    /// The time for all games ran out.
    Time,
    /// The game was not started.
    NotPlayed,
    /// The user stopped the grading.
    Interrupted,
}

impl GradedEnd {
    /// The word used in JSON.
    const fn word(self) -> &'static str {
        match self {
            GradedEnd::Over(ending) => ending.word(),
            GradedEnd::Error => "error",
            GradedEnd::Gone => "gone",
            GradedEnd::Time => "time",
            GradedEnd::NotPlayed => "not-played",
            GradedEnd::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for GradedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GradedEnd::Over(ending) => ending.fmt(f),
            GradedEnd::Error => f.write_str("error"),
            GradedEnd::Gone => f.write_str("the process is gone"),
            GradedEnd::Time => f.write_str("out of time"),
            GradedEnd::NotPlayed => f.write_str("not played"),
            GradedEnd::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// One game of a grading.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GradedGame {
    pub(super) game: u64,
    pub(super) seed: u64,
    /// All zero for a game that was not started. The largest tile is the score of the course.
    pub(super) result: GameResult,
    pub(super) end: GradedEnd,
    /// What happened, if the game did not end by its rules.
    pub(super) reason: Option<String>,
}

impl Serialize for GradedGame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            game: u64,
            seed: u64,
            largest: u64,
            moves: u64,
            points: u64,
            end: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<&'a str>,
        }
        let GameResult { score: points, largest, moves, .. } = self.result;
        let (end, reason) = (self.end.word(), self.reason.as_deref());
        Row { game: self.game, seed: self.seed, largest, moves, points, end, reason }.serialize(serializer)
    }
}

/// The result of a submission.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Grade {
    pub(super) name: String,
    /// The mean of the largest tiles. 0 if the time ran out.
    pub(super) game_score: f64,
    /// The percentage for play.
    pub(super) play: f64,
    /// The percentage for executable code that matches the specification: 100 if all games ended by
    /// the rules and in time, otherwise 0.
    pub(super) code: f64,
    /// The total time.
    pub(super) seconds: f64,
    /// What went wrong, if anything.
    pub(super) reason: Option<String>,
    /// What the submission printed, with tracebacks, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<String>,
    pub(super) games: Vec<GradedGame>,
}

impl Grade {
    /// The grade for these games. `trouble` is what went wrong, if the games do not tell.
    pub(super) fn new(
        name: &str,
        plan: &GradingPlan,
        time: Duration,
        games: Vec<GradedGame>,
        trouble: Option<String>,
    ) -> Grade {
        let is_late = games.iter().any(|game| game.end == GradedEnd::Time);
        let sum: u64 = games.iter().map(|game| game.result.largest).sum();
        let game_score = if is_late { 0.0 } else { sum as f64 / plan.games as f64 };
        let reason = trouble.or_else(|| summary(plan, &games));
        Grade {
            name: name.to_owned(),
            game_score,
            play: marks::play_percent(game_score),
            code: if reason.is_none() { 100.0 } else { 0.0 },
            seconds: time.as_secs_f64(),
            reason,
            output: None,
            games,
        }
    }

    /// The grade of a submission that could not be run.
    pub(super) fn without_games(name: &str, plan: &GradingPlan, time: Duration, reason: String) -> Grade {
        let games = plan.all_games().map(|(number, game)| not_played(number, &game)).collect();
        Grade::new(name, plan, time, games, Some(reason))
    }

    /// Whether the user interrupted the grading.
    pub(super) fn is_interrupted(&self) -> bool {
        self.games.iter().any(|game| game.end == GradedEnd::Interrupted)
    }
}

/// What went wrong, in one sentence.
fn summary(plan: &GradingPlan, games: &[GradedGame]) -> Option<String> {
    let with = |end: GradedEnd| games.iter().find(|game| game.end == end);
    if with(GradedEnd::Time).is_some() {
        return Some(format!(
            "its games did not end within {}, so it gets 0",
            time_in_words(plan.limits.time)
        ));
    }
    if with(GradedEnd::Interrupted).is_some() {
        return Some("the grading was interrupted".to_owned());
    }
    if let Some(game) = with(GradedEnd::Gone) {
        let reason = game.reason.as_deref().unwrap_or_default();
        return Some(format!("in game {}: {reason}", game.game));
    }
    let first = with(GradedEnd::Error)?;
    let errors = games.iter().filter(|game| game.end == GradedEnd::Error).count();
    let (total, reason) = (games.len(), first.reason.as_deref().unwrap_or_default());
    Some(format!("an error ended {errors} of {total} games, first in game {}: {reason}", first.game))
}

/// A time in minutes or seconds.
pub(super) fn time_in_words(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 60 && time == Duration::from_secs(seconds / 60 * 60) => {
            format!("{} min", seconds / 60)
        }
        _ => format!("{} s", time.as_millis() as f64 / 1000.0),
    }
}

fn not_played(number: u64, game: &Game) -> GradedGame {
    let (seed, result, end) = (game.seed(), GameResult::default(), GradedEnd::NotPlayed);
    GradedGame { game: number, seed, result, end, reason: None }
}

/// Where the progress of a grading is told: the number of games that are done, and a few words.
type Listener<'a> = Box<dyn FnMut(u64, &str) + 'a>;

/// Tells the progress of a grading.
pub(super) struct News<'a> {
    listener: Listener<'a>,
    done: u64,
    next: Instant,
}

impl<'a> News<'a> {
    /// The progress of this total number of games, shown on standard error.
    pub(super) fn shown(games: u64) -> News<'a> {
        let mut progress = Progress::new(games, "games");
        News::told(move |done, words| progress.set(done, words))
    }

    /// Progress that is told to a listener.
    pub(super) fn told(listener: impl FnMut(u64, &str) + 'a) -> News<'a> {
        News { listener: Box::new(listener), done: 0, next: Instant::now() }
    }

    /// Updates the progress if enough time has passed.
    fn tell(&mut self, words: impl FnOnce() -> String) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + BETWEEN_NEWS;
            (self.listener)(self.done, &words());
        }
    }
}

/// A participant that plays the games.
trait Entrant {
    /// Chooses the action in this game. `waiting` is called while the participant thinks.
    fn answer(&mut self, game: &Game, waiting: &mut dyn FnMut()) -> Result<Action, NoAnswer>;

    /// Called when a game is over.
    fn end(&mut self, _game: &Game) {}
}

/// Plays all games. `name` must be safe to show on a terminal.
fn play(name: &str, plan: &GradingPlan, news: &mut News<'_>, entrant: &mut dyn Entrant) -> Vec<GradedGame> {
    let mut rows = Vec::new();
    let mut goes_on = true;
    for (number, mut game) in plan.all_games() {
        if !goes_on {
            rows.push(not_played(number, &game));
            continue;
        }
        let (end, reason) = loop {
            if let Some(ending) = game.ending() {
                break (GradedEnd::Over(ending), None);
            }
            // Only waiting checks for Ctrl-C, and a fast participant never makes us wait.
            if interrupt::raised() {
                break (GradedEnd::Interrupted, None);
            }
            let mut waiting = || {
                news.tell(|| {
                    let (step, largest) = (game.turns() + 1, game.board().largest());
                    format!("{name}: game {number}, step {step}, largest tile {largest}")
                });
            };
            waiting();
            let played = entrant.answer(&game, &mut waiting).and_then(|action| {
                game.play(action).map(drop).map_err(|error| NoAnswer::Error(error.to_string()))
            });
            match played {
                Ok(()) => {}
                Err(NoAnswer::Error(reason)) => break (GradedEnd::Error, Some(reason)),
                Err(NoAnswer::Gone(reason)) => break (GradedEnd::Gone, Some(reason)),
                Err(NoAnswer::Late) => break (GradedEnd::Time, None),
                Err(NoAnswer::Interrupted) => break (GradedEnd::Interrupted, None),
            }
        };
        entrant.end(&game);
        goes_on = !matches!(end, GradedEnd::Gone | GradedEnd::Time | GradedEnd::Interrupted);
        let (seed, result) = (game.seed(), game.result());
        rows.push(GradedGame { game: number, seed, result, end, reason });
        news.done += 1;
    }
    rows
}

impl Entrant for Submission {
    fn answer(&mut self, game: &Game, waiting: &mut dyn FnMut()) -> Result<Action, NoAnswer> {
        self.next_move(game.board(), game.turns() + 1, waiting).map(course::action)
    }
}

/// A submission that ran out of time, or was interrupted, before its first move.
struct Stopped(NoAnswer);

impl Entrant for Stopped {
    fn answer(&mut self, _: &Game, _: &mut dyn FnMut()) -> Result<Action, NoAnswer> {
        Err(self.0.clone())
    }
}

/// Grades a submission in a new process.
pub(super) fn grade_source(
    source: &Source,
    python: &Python,
    plan: &GradingPlan,
    news: &mut News<'_>,
) -> Outcome<Grade> {
    let all_done = news.done + plan.games;
    let files = match &source.files {
        Ok(files) => files,
        Err(reason) => {
            news.done = all_done;
            return Ok(Grade::without_games(&source.name, plan, Duration::ZERO, reason.clone()));
        }
    };
    // File names may contain terminal control characters.
    let shown = one_line(&source.name, LONGEST_NAME);
    let mut submission = Submission::start(python, files, source.file_name(), plan.limits)
        .inspect_err(|_| news.done = all_done)?;
    let imported = submission.import(&mut || news.tell(|| format!("importing {shown}")));
    let (games, trouble) = match imported {
        Ok(()) => (play(&shown, plan, news, &mut submission), None),
        Err(NoAnswer::Error(reason)) => {
            let hint = source.hint(&reason).unwrap_or_default();
            (Vec::new(), Some(format!("{reason}{hint}")))
        }
        Err(NoAnswer::Gone(reason)) => (Vec::new(), Some(format!("during import: {reason}"))),
        Err(none) => {
            let time = time_in_words(plan.limits.time);
            let trouble = (none == NoAnswer::Late)
                .then(|| format!("its import did not end within {time}, so it gets 0"));
            (play(&shown, plan, news, &mut Stopped(none)), trouble)
        }
    };
    news.done = all_done;
    let time = submission.elapsed();
    let (ended, output) = submission.end();
    let grade = match trouble {
        Some(reason) if games.is_empty() => Grade::without_games(&source.name, plan, time, reason),
        trouble => {
            let trouble = trouble.or_else(|| ended.err().map(|error| error.to_string()));
            Grade::new(&source.name, plan, time, games, trouble)
        }
    };
    Ok(Grade { output, ..grade })
}

/// A lab2048 player. It has the same time limit and does not know the coming tiles.
struct OurPlayer {
    player: Interruptible<Box<dyn Player>>,
    until: Instant,
}

impl OurPlayer {
    fn start(&mut self, game: &Game) -> Result<(), Refusal> {
        let start = GameStart::of(game, Future::Hidden);
        self.player.start(&start)
    }
}

impl Entrant for OurPlayer {
    fn answer(&mut self, game: &Game, _: &mut dyn FnMut()) -> Result<Action, NoAnswer> {
        if game.turns() == 0 {
            self.start(game).map_err(|refusal| NoAnswer::Error(refusal.to_string()))?;
        }
        let decision = self.player.choose(&Situation::of(game, &self.player, Future::Hidden));
        if interrupt::raised() {
            return Err(NoAnswer::Interrupted);
        }
        if Instant::now() >= self.until {
            return Err(NoAnswer::Late);
        }
        decision.map(|decision| decision.action).map_err(|error| NoAnswer::Error(error.to_string()))
    }

    fn end(&mut self, game: &Game) {
        self.player.end(game);
    }
}

/// Grades a lab2048 player by the same rules and time limit. The clock starts after the player has
/// loaded what it needs.
pub(super) fn grade_player(
    name: &str,
    player: Box<dyn Player>,
    plan: &GradingPlan,
    news: &mut News<'_>,
) -> Outcome<Grade> {
    let mut entrant = OurPlayer { player: Interruptible::new(player), until: Instant::now() };
    // A game is started and ended at once, because some players load their network only at the
    // start. The arena does the same.
    if let Some(game) = course::games(plan.seed).next() {
        entrant.start(&game).map_err(|refusal| Failure::BadInput(format!("{name}: {refusal}")))?;
        entrant.end(&game);
    }
    let started = Instant::now();
    entrant.until = started + plan.limits.time;
    entrant.player.give_time_until(entrant.until);
    let games = play(&one_line(name, LONGEST_NAME), plan, news, &mut entrant);
    Ok(Grade::new(name, plan, started.elapsed(), games, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_written_as_documented() {
        let result = GameResult { score: 12, largest: 8, sum: 20, moves: 3 };
        let row = |end, reason| GradedGame { game: 1, seed: 7, result, end, reason };
        let json = |row: &GradedGame| serde_json::to_string(row).unwrap();
        assert_eq!(
            json(&row(GradedEnd::Over(Ending::NoRoom), None)),
            r#"{"game":1,"seed":7,"largest":8,"moves":3,"points":12,"end":"no-room"}"#
        );
        assert_eq!(
            json(&row(GradedEnd::Error, Some("why".to_owned()))),
            r#"{"game":1,"seed":7,"largest":8,"moves":3,"points":12,"end":"error","reason":"why"}"#
        );
    }
}
