//! A value on its own thread, for callers that must not block: screens, and commands that handle
//! Ctrl-C during a long move.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;

/// A value (usually a player) on its own thread, which runs one job after another.
///
/// Dropping this does not wait. The thread finishes the running job and the queued ones, drops the
/// value and ends. A job that panics drops the value and ends the thread.
///
/// ```
/// use lab2048::parallel::Apart;
///
/// let counter = Apart::new("counter", 0).expect("the thread starts");
/// counter.tell(|count| *count += 2);
/// assert_eq!(counter.ask(|count| *count + 1).recv(), Ok(3));
/// ```
#[derive(Debug)]
pub struct Apart<T> {
    jobs: Sender<Job<T>>,
    thread: JoinHandle<()>,
}

impl<T: Send + 'static> Apart<T> {
    /// Moves a value to a new thread. Returns the value if no thread can be started.
    pub fn new(name: &str, value: T) -> Result<Apart<T>, T> {
        let (jobs, waiting) = mpsc::channel::<Job<T>>();
        let work = |(mut value, waiting): (T, Receiver<Job<T>>)| {
            waiting.into_iter().for_each(|job| job(&mut value));
        };
        match in_thread(name, (value, waiting), work) {
            Ok(thread) => Ok(Apart { jobs, thread }),
            Err((value, _)) => Err(value),
        }
    }

    /// Queues a job. If the thread has ended, the job is dropped.
    pub fn tell(&self, job: impl FnOnce(&mut T) + Send + 'static) {
        let _ = self.jobs.send(Box::new(job));
    }

    /// Queues a job and returns the channel of its result. The channel disconnects without a result
    /// if this job or an earlier one panicked.
    pub fn ask<R: Send + 'static>(&self, job: impl FnOnce(&mut T) -> R + Send + 'static) -> Receiver<R> {
        let (answer, answered) = mpsc::channel();
        // The caller may have dropped the receiver.
        self.tell(move |value| drop(answer.send(job(value))));
        answered
    }

    /// Waits until all jobs are done and the value is dropped.
    pub fn join(self) {
        drop(self.jobs);
        // A panic is not passed on: the channel of its job has no result.
        let _ = self.thread.join();
    }
}

/// Starts a thread that works on `what`. Returns `what` if no thread can be started.
pub fn in_thread<W: Send + 'static>(
    name: &str,
    what: W,
    work: impl FnOnce(W) + Send + 'static,
) -> Result<JoinHandle<()>, W> {
    let shared = Arc::new(Mutex::new(Some(what)));
    let take = |shared: &Mutex<Option<W>>| shared.lock().unwrap_or_else(PoisonError::into_inner).take();
    let theirs = Arc::clone(&shared);
    let started = thread::Builder::new().name(name.to_owned()).spawn(move || {
        if let Some(what) = take(&theirs) {
            work(what);
        }
    });
    started.map_err(|_| take(&shared).expect("only the thread takes the value, and it was not started"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a message when it is dropped.
    #[derive(Debug)]
    struct Leaving(Sender<()>);

    impl Drop for Leaving {
        fn drop(&mut self) {
            self.0.send(()).expect("the test listens");
        }
    }

    #[test]
    fn jobs_are_done_in_order() {
        let list = Apart::new("list", Vec::new()).expect("the thread starts");
        (0..100).for_each(|number| list.tell(move |list| list.push(number)));
        assert_eq!(list.ask(|list| list.clone()).recv(), Ok((0..100).collect()));
    }

    #[test]
    fn a_panic_drops_the_value_and_leaves_no_answer() {
        let (gone, is_gone) = mpsc::channel();
        let broken = Apart::new("fragile", Leaving(gone)).expect("the thread starts");
        assert!(broken.ask(|_| panic!("a test")).recv().is_err());
        assert!(is_gone.recv().is_ok());
        assert!(broken.ask(|_| ()).recv().is_err(), "later jobs have no result either");
        broken.join();
    }

    #[test]
    fn the_value_is_dropped_when_join_returns() {
        let (gone, is_gone) = mpsc::channel();
        let (begin, begun) = mpsc::channel::<()>();
        let leaving = Apart::new("leaving", Leaving(gone)).expect("the thread starts");
        leaving.tell(move |_| assert!(begun.recv().is_err()));
        assert!(is_gone.try_recv().is_err());
        drop(begin);
        leaving.join();
        assert!(is_gone.try_recv().is_ok());
    }
}
