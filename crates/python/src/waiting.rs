//! Waiting for work in another thread. Other Python threads run meanwhile, and Ctrl-C works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use lab2048::parallel::in_thread;
use pyo3::prelude::*;

use crate::errors::failed;

/// How often a waiting call checks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// How long the work may take to end after Ctrl-C before it is abandoned.
const GRACE: Duration = Duration::from_millis(300);

/// Passes the messages of a thread to `take` until it returns a result. Python's signal handlers
/// run meanwhile. If a handler raises (Ctrl-C) or `take` fails, `cancel` is set, and messages that
/// still arrive soon are discarded. The second value says whether the last message of the thread,
/// recognised by `is_last`, has arrived.
pub(crate) fn listen<T: Send, E>(
    py: Python<'_>,
    mut news: Receiver<T>,
    cancel: &AtomicBool,
    broke_down: &str,
    is_last: impl Fn(&T) -> bool + Send,
    mut take: impl FnMut(T) -> PyResult<Option<E>>,
) -> (PyResult<E>, bool) {
    loop {
        // A message that is there already needs no waiting. Python functions in an arena ask often.
        let mut came = news.try_recv().map_err(|_| RecvTimeoutError::Timeout);
        if came.is_err() {
            (news, came) = py.detach(move || {
                let came = news.recv_timeout(LOOK);
                (news, came)
            });
        }
        let taken = match came {
            Ok(piece) => take(piece),
            Err(RecvTimeoutError::Disconnected) => return (Err(failed(broke_down)), false),
            Err(RecvTimeoutError::Timeout) => Ok(None),
        };
        match taken.and_then(|end| py.check_signals().map(|()| end)) {
            Ok(Some(end)) => return (Ok(end), true),
            Ok(None) => {}
            Err(stop) => {
                cancel.store(true, Ordering::Relaxed);
                let came = py.detach(move || {
                    let rest = std::iter::from_fn(|| news.recv_timeout(GRACE).ok());
                    rest.into_iter().any(|piece| is_last(&piece))
                });
                return (Err(stop), came);
            }
        }
    }
}

/// A message of a thread that says how far it is.
enum Report<P, T> {
    Progress(P),
    Done(T),
}

/// Runs something in another thread, which gets a flag that cancels it, and a function that passes
/// its progress to `tell`. After Ctrl-C, or if `tell` fails, it is cancelled and abandoned.
pub(crate) fn reporting<P: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    broke_down: &str,
    work: impl FnOnce(&AtomicBool, &(dyn Fn(P) + Sync)) -> T + Send + 'static,
    mut tell: impl FnMut(P) -> PyResult<()>,
) -> PyResult<T> {
    let (send, news) = mpsc::channel();
    let cancel = Arc::new(AtomicBool::new(false));
    let cancelled = Arc::clone(&cancel);
    let work = move || {
        // Sending fails if nobody waits any more.
        let done = work(&cancelled, &|progress| drop(send.send(Report::Progress(progress))));
        drop(send.send(Report::Done(done)));
    };
    if let Err(work) = in_thread("lab2048", work, |work| work()) {
        py.detach(work);
    }
    let is_last = |report: &Report<P, T>| matches!(report, Report::Done(_));
    let take = |report| match report {
        Report::Progress(progress) => tell(progress).map(|()| None),
        Report::Done(done) => Ok(Some(done)),
    };
    listen(py, news, &cancel, broke_down, is_last, take).0
}

/// Runs something in another thread. After Ctrl-C it is abandoned.
pub(crate) fn elsewhere<T: Send + 'static>(
    py: Python<'_>,
    broke_down: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    reporting(py, broke_down, |_, _: &(dyn Fn(()) + Sync)| work(), |()| Ok(()))
}
