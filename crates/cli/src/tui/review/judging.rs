//! Reviews the moves of a game in background threads. The review continues while its screen is
//! closed, and is cancelled when its last owner is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use lab2048::game::Replay;
use lab2048::parallel;
use lab2048::players::{Registry, Spec};
use lab2048::review::{JudgedMove, Review, ReviewSummary, review};

use super::super::events::Mail;
use super::super::screen::Shared;
use super::super::thinker::{AtWork, WakeAtTheEnd};
use crate::commands::review::why_no_judge;

/// The number of worst mistakes that are listed.
const WORST: usize = 5;

/// The results of a review so far.
pub(super) struct Judging {
    pub(super) judge: String,
    /// The moves judged so far, in order.
    pub(super) moves: Vec<JudgedMove>,
    pub(super) summary: ReviewSummary,
    /// The worst mistakes, the worst one first.
    pub(super) worst: Vec<JudgedMove>,
    pub(super) work: Work,
}

/// The state of the review.
pub(super) enum Work {
    /// It is running.
    Judging { news: Receiver<News>, cancel: Arc<AtomicBool> },
    /// It is finished, or failed with a reason.
    Over(Result<(), String>),
}

/// A message from the judge.
pub(super) enum News {
    Moves(Vec<JudgedMove>),
    End(Result<(), String>),
}

impl Judging {
    /// Starts the review of a game.
    pub(super) fn begin(judge: &str, replay: &Replay, shared: &Shared) -> Judging {
        match shared.registry.parse(judge) {
            Ok(spec) => {
                let spec = shared.registry.resolve(&spec, &replay.header().start, replay.header().rules.four);
                let name = spec.to_string();
                Judging::with(&name, start(&shared.registry, spec, replay.clone(), shared.mail.clone()))
            }
            Err(error) => Judging::with(judge, Work::Over(Err(error.to_string()))),
        }
    }

    /// A review without results.
    pub(super) fn with(judge: &str, work: Work) -> Judging {
        let (moves, worst) = (Vec::new(), Vec::new());
        Judging { judge: judge.to_owned(), moves, summary: ReviewSummary::default(), worst, work }
    }

    /// Whether no more moves will be judged.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.work, Work::Over(_))
    }

    fn cancel(&self) {
        if let Work::Judging { cancel, .. } = &self.work {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Receives the new results.
    pub(super) fn look(&mut self) {
        while let Work::Judging { news, .. } = &self.work {
            match news.try_recv() {
                Ok(News::Moves(moves)) => self.add(moves),
                Ok(News::End(end)) => self.work = Work::Over(end),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.work = Work::Over(Err(format!("the judge {} crashed", self.judge)));
                }
            }
        }
    }

    pub(super) fn add(&mut self, moves: Vec<JudgedMove>) {
        moves.iter().for_each(|judged| self.summary.add(judged));
        let mut worst = std::mem::take(&mut self.worst);
        worst.extend(moves.iter().cloned());
        let review = Review { moves: worst, complete: false };
        self.worst = review.worst(WORST).into_iter().cloned().collect();
        self.moves.extend(moves);
    }
}

impl Drop for Judging {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Starts the review in background threads. Each thread has its own judge.
fn start(registry: &Registry, spec: Spec, replay: Replay, mail: Mail) -> Work {
    let (sender, news) = mpsc::channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let registry = registry.clone();
    let (flag, wake) = (Arc::clone(&cancel), WakeAtTheEnd(mail, AtWork::new()));
    // If no thread can be started, the channel is closed, which is reported as a crash.
    let _ = thread::Builder::new().name("judge".to_owned()).spawn(move || {
        let wake = wake;
        // The sender is dropped before `wake`, so that the woken screen finds the channel closed.
        let sender = sender;
        judge(&registry, &spec, &replay, &flag, &sender, &wake.0);
    });
    Work::Judging { news, cancel }
}

fn judge(
    registry: &Registry,
    spec: &Spec,
    replay: &Replay,
    cancel: &AtomicBool,
    news: &Sender<News>,
    mail: &Mail,
) {
    let end = review(replay, &registry.maker(spec), parallel::cores(), cancel, &mut |moves| {
        // If the receiver is gone, the review has been cancelled as well.
        let _ = news.send(News::Moves(moves.to_vec()));
        mail.wake();
    });
    let end = end.map(drop).map_err(|error| {
        format!("{spec} cannot be the judge: {}", why_no_judge(&error, replay, registry.tables()))
    });
    let _ = news.send(News::End(end));
}
