//! Reviews: every move of a replay before a judge.
//!
//! The judge is any player whose values are expected points to come. A move loses what its value is below that of the best
//! move. Its grade is about the whole game: the final score to expect after it (the score so far and the points to come)
//! as a share of the one to expect after the best move.
//!
//! | part | owns |
//! |---|---|
//! | this file | a whole replay: the work on several threads, and what it comes to |
//! | `judge` | one move |
//! | `grade` | the words for how good a move was |
//! | `summary` | all moves together |

mod grade;
mod judge;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

pub use grade::Grade;
pub use judge::{Judge, JudgedMove, ReviewError, Verdict};
pub use summary::{Summary, Tally};

use crate::arena::MakePlayer;
use crate::game::replay::{Position, Positions};
use crate::game::{Action, Replay};

/// The moves that a worker fetches at a time: few, so that progress is seen and the last piece is no long wait.
const PIECE: usize = 16;

/// The moves of a replay, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The steps from the first on, all of them unless the review was cancelled.
    pub moves: Vec<JudgedMove>,
    /// Whether all steps were judged.
    pub complete: bool,
}

impl Review {
    /// What all moves come to.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.moves)
    }

    /// The moves that lost most, the worst first, at most `count`. Those that lost nothing are not among them.
    pub fn worst(&self, count: usize) -> Vec<&JudgedMove> {
        let lost = |judged: &JudgedMove| judged.grade().and(judged.loss()).unwrap_or(0.0);
        let mut moves: Vec<&JudgedMove> = self.moves.iter().filter(|judged| lost(judged) > 0.0).collect();
        moves.sort_by(|one, other| lost(other).total_cmp(&lost(one)).then(one.number.cmp(&other.number)));
        moves.truncate(count);
        moves
    }
}

/// Judges all moves of a replay on several threads, each with a judge of its own. `progress` hears of the moves in their order.
/// When `cancel` is raised, what is judged up to the first gap is returned.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use lab2048::arena::MakePlayer;
/// use lab2048::board::Direction;
/// use lab2048::game::{Action, Decision, Game, Player, PlayerError, Recorder, Rules, Situation, Unit};
/// use lab2048::review::review;
///
/// /// Expects the points of the move itself and no others.
/// struct Shortsighted;
///
/// impl Player for Shortsighted {
///     fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
///         let points = |direction| situation.board.slide(direction).ok().flatten().map(|slid| slid.reward as f64);
///         let values = Direction::ALL.map(points);
///         Decision::best_of(values, Unit::Points, 1, 4).ok_or_else(|| PlayerError("no move".to_owned()))
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
    // An impossible step is found before the long work, not after it.
    replay.positions().try_for_each(|position| position.map(drop))?;
    let desk = Desk { positions: Mutex::new(replay.positions()), replay, stop: AtomicBool::new(false) };
    let pieces = replay.steps().len().div_ceil(PIECE);
    let mut moves: Vec<JudgedMove> = Vec::new();
    let mut failure: Option<(usize, ReviewError)> = None;
    thread::scope(|scope| {
        let (done, all_done) = mpsc::channel();
        for _ in 0..threads.clamp(1, pieces.max(1)) {
            let (done, desk) = (done.clone(), &desk);
            scope.spawn(move || desk.work(judges, cancel, &done));
        }
        drop(done);
        // Pieces that came before those in front of them, by the number of their first move.
        let mut early = BTreeMap::new();
        for (first, piece) in all_done {
            match piece {
                Ok(piece) => drop(early.insert(first, piece)),
                Err(error) => {
                    desk.stop.store(true, Ordering::Relaxed);
                    if failure.as_ref().is_none_or(|(step, _)| first < *step) {
                        failure = Some((first, error));
                    }
                }
            }
            while let Some(piece) = early.remove(&moves.len()) {
                progress(&piece);
                moves.extend(piece);
            }
        }
    });
    match failure {
        Some((_, error)) => Err(error),
        None => Ok(Review { complete: moves.len() == replay.steps().len(), moves }),
    }
}

/// Where workers fetch the next moves.
struct Desk<'a> {
    positions: Mutex<Positions<'a>>,
    replay: &'a Replay,
    /// Another worker failed.
    stop: AtomicBool,
}

/// A few moves that were judged, with the number of moves before them.
type Piece = (usize, Result<Vec<JudgedMove>, ReviewError>);

impl Desk<'_> {
    /// Judges moves until none are left.
    fn work(&self, judges: &MakePlayer<'_>, cancel: &AtomicBool, done: &mpsc::Sender<Piece>) {
        let stopped = || cancel.load(Ordering::Relaxed) || self.stop.load(Ordering::Relaxed);
        // Whoever reads the answers reads them to the end.
        let send = |piece| drop(done.send(piece));
        let mut player = match judges() {
            Ok(player) => player,
            Err(cannot) => return send((0, Err(cannot.into()))),
        };
        let mut judge = match Judge::new(&mut *player, self.replay) {
            Ok(judge) => judge,
            Err(error) => return send((0, Err(error))),
        };
        while !stopped() {
            let todo = self.fetch();
            let Some((first, _)) = todo.first() else { return };
            let first = first.number;
            let mut piece = Vec::with_capacity(todo.len());
            for (position, played) in &todo {
                if stopped() {
                    break;
                }
                match judge.judge(position, *played) {
                    Ok(judged) => piece.push(judged),
                    Err(error) => return send((position.number, Err(error))),
                }
            }
            send((first, Ok(piece)));
        }
    }

    /// The next positions with what was done there; none when all are given out.
    fn fetch(&self) -> Vec<(Position, Action)> {
        // A panic of another worker leaves the positions as they were.
        let mut positions = match self.positions.lock() {
            Ok(positions) => positions,
            Err(poisoned) => poisoned.into_inner(),
        };
        let steps = self.replay.steps();
        let with_step = |position: Position| Some((steps.get(position.number)?.action(), position));
        let next = positions.by_ref().map_while(Result::ok).map_while(with_step).take(PIECE);
        next.map(|(action, position)| (position, action)).collect()
    }
}
