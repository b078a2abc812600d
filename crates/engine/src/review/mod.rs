//! Reviews: a judge grades every move of a replay.
//!
//! The judge can be any player whose values are expected points to come. The loss of a move is the
//! difference of its value to that of the best move. The grade is relative to the whole game: the
//! expected final score after the move (score so far plus points to come) divided by the expected
//! final score after the best move.
//!
//! | part | owns |
//! |---|---|
//! | this file | a whole replay: the work on several threads, and the result |
//! | `judge` | one move |
//! | `grade` | the names and thresholds of grades |
//! | `accuracy` | what moves cost, compared with random ones |
//! | `summary` | all moves together |

mod accuracy;
mod grade;
mod judge;
mod summary;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

pub use grade::Grade;
pub use judge::{Judge, JudgedMove, ReviewError, Verdict};
pub use summary::{GradeTally, ReviewSummary};

use crate::arena::MakePlayer;
use crate::game::Replay;
use crate::game::replay::Position;
use crate::parallel::{self, Stop};

/// The judged moves of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The judged steps in order. These are all steps unless the review was cancelled.
    pub moves: Vec<JudgedMove>,
    /// Whether all steps were judged.
    pub complete: bool,
}

impl Review {
    /// The summary of all moves.
    pub fn summary(&self) -> ReviewSummary {
        ReviewSummary::of(&self.moves)
    }

    /// The moves with the largest losses, worst first, at most `count`. Moves without a loss are
    /// left out.
    pub fn worst(&self, count: usize) -> Vec<&JudgedMove> {
        places_of_worst(&self.moves, count).into_iter().map(|place| &self.moves[place]).collect()
    }
}

/// The places, from 0, of the moves with the largest losses, as [`Review::worst`] lists them.
pub fn places_of_worst<'a>(moves: impl IntoIterator<Item = &'a JudgedMove>, count: usize) -> Vec<usize> {
    let lost = |judged: &JudgedMove| judged.grade().and(judged.loss()).unwrap_or(0.0);
    let moves = moves.into_iter().enumerate().map(|(place, judged)| (lost(judged), judged.number, place));
    let mut moves: Vec<_> = moves.filter(|(lost, ..)| *lost > 0.0).collect();
    moves.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    moves.into_iter().take(count).map(|(.., place)| place).collect()
}

/// Judges all moves of a replay on several threads, each with its own judge. `progress` is called
/// with the moves in order. If `cancel` is set, the moves before the first unjudged one are
/// returned.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use lab2048::arena::MakePlayer;
/// use lab2048::board::Direction;
/// use lab2048::game::{
///     Action, Decision, Game, MoveValue, Player, PlayerError, Recorder, Rules, Situation, Unit,
/// };
/// use lab2048::review::review;
///
/// /// Expects only the points of the move itself.
/// struct Shortsighted;
///
/// impl Player for Shortsighted {
///     fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
///         let slide = |direction| situation.board.slide(direction).ok().flatten();
///         let points = |direction| slide(direction).map(|slid| slid.reward as f64);
///         let values = Direction::ALL.map(points).map(MoveValue::if_legal);
///         Decision::best_of(values, Unit::Points, 1, 4).ok_or_else(|| PlayerError::new("no move"))
///     }
/// }
///
/// let mut game = Game::from_board(Rules::default(), 7, "2 2/4 0".parse().unwrap());
/// let mut recorder = Recorder::new(&game).unwrap();
/// recorder.push(&game.play(Action::Move(Direction::Down)).unwrap()).unwrap();
/// let replay = recorder.finish(&game);
///
/// let judges: MakePlayer = Box::new(|| Ok(Box::new(Shortsighted)));
/// let review = review(&replay, &judges, 1, &AtomicBool::new(false), &mut |_| ()).unwrap();
/// assert_eq!(review.moves[0].loss(), Some(4.0), "left or right would have merged the 2s");
/// ```
pub fn review(
    replay: &Replay,
    judges: &MakePlayer<'_>,
    threads: usize,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(&[JudgedMove]),
) -> Result<Review, ReviewError> {
    // An impossible step is found before the long work starts.
    let positions: Vec<Position> = replay.positions().collect::<Result<_, _>>()?;
    let steps = replay.steps();
    let mut moves: Vec<JudgedMove> = Vec::new();
    let make = || {
        let mut player: Option<Judge> = None;
        let positions = &positions;
        move |place: u64, _: Stop<'_>| {
            let judge = match &mut player {
                Some(judge) => judge,
                none => none.insert(Judge::new(judges()?, replay)?),
            };
            let place = place as usize;
            Ok(ControlFlow::Continue(judge.judge(&positions[place], steps[place].action())?))
        }
    };
    parallel::in_order(0..steps.len() as u64, threads, cancel, make, &mut |judged| {
        progress(&judged);
        moves.extend(judged);
        Ok::<_, ReviewError>(())
    })?;
    Ok(Review { complete: moves.len() == steps.len(), moves })
}
