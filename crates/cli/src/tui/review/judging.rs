//! Judging the moves of a game in threads of its own. It goes on while nobody looks, and ends with its last owner.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

use lab2048::arena::MakePlayer;
use lab2048::game::{Cannot, Replay};
use lab2048::parallel;
use lab2048::players::{Registry, Spec};
use lab2048::review::{JudgedMove, Review, ReviewSummary, review};

use super::super::events::Mail;
use super::super::screen::Shared;
use super::super::thinker::{AtWork, WakeAtTheEnd};

/// So many of the worst mistakes are listed.
const WORST: usize = 5;

/// What a judge has said of a game so far.
pub(super) struct Judging {
    pub(super) judge: String,
    /// The moves judged so far, from the first on.
    pub(super) moves: Vec<JudgedMove>,
    pub(super) summary: ReviewSummary,
    /// The worst mistakes, the worst one first.
    pub(super) worst: Vec<JudgedMove>,
    pub(super) work: Work,
}

/// Where the judging stands.
pub(super) enum Work {
    /// It goes on.
    Judging { news: Receiver<News>, cancel: Arc<AtomicBool> },
    /// It is done, or a sentence says why it is not.
    Over(Result<(), String>),
}

/// What the judge has to tell.
pub(super) enum News {
    Moves(Vec<JudgedMove>),
    End(Result<(), String>),
}

impl Judging {
    /// Begins to judge a game.
    pub(super) fn begin(judge: &str, replay: &Replay, shared: &Shared) -> Judging {
        match shared.registry.parse(judge) {
            Ok(spec) => {
                let spec = shared.registry.resolve(&spec, &replay.header().start);
                let name = spec.to_string();
                Judging::with(&name, start(&shared.registry, spec, replay.clone(), shared.mail.clone()))
            }
            Err(error) => Judging::with(judge, Work::Over(Err(error.to_string()))),
        }
    }

    /// With nothing judged so far.
    pub(super) fn with(judge: &str, work: Work) -> Judging {
        let (moves, worst) = (Vec::new(), Vec::new());
        Judging { judge: judge.to_owned(), moves, summary: ReviewSummary::default(), worst, work }
    }

    fn cancel(&self) {
        if let Work::Judging { cancel, .. } = &self.work {
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Takes what the judge has to tell.
    pub(super) fn look(&mut self) {
        while let Work::Judging { news, .. } = &self.work {
            match news.try_recv() {
                Ok(News::Moves(moves)) => self.add(moves),
                Ok(News::End(end)) => self.work = Work::Over(end),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.work = Work::Over(Err(format!("the judge {} broke down", self.judge)));
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

/// Judges in threads of their own; each has a judge of its own.
fn start(registry: &Registry, spec: Spec, replay: Replay, mail: Mail) -> Work {
    let (sender, news) = mpsc::channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let registry = registry.clone();
    let (flag, wake) = (Arc::clone(&cancel), WakeAtTheEnd(mail, AtWork::new()));
    // Without a thread nothing is told, which is told as a judge that broke down.
    let _ = thread::Builder::new().name("judge".to_owned()).spawn(move || {
        let wake = wake;
        // Dropped before that: whoever is woken finds out that there is no more to come.
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
    let judges: MakePlayer<'_> = Box::new(|| registry.build(spec).map_err(Cannot::because));
    let end = review(replay, &judges, parallel::cores(), cancel, &mut |moves| {
        // Without anybody to hear it, the flag is raised too.
        let _ = news.send(News::Moves(moves.to_vec()));
        mail.wake();
    });
    let end = end.map(drop).map_err(|error| format!("{spec} cannot be the judge: {error}"));
    let _ = news.send(News::End(end));
}
