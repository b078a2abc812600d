//! The scheduler of the engine: work on several threads, with results in order.
//!
//! - `in_order` delivers results to the calling thread as soon as they are ready.
//! - `map` collects the results.
//! - `for_each` runs jobs without results.
//! - `Apart` is different: it keeps a value on its own thread, for callers that must not block.
//!
//! Without the Cargo feature `threads`, or if no thread can be started, the calling thread does all
//! the work. The results are the same.

#[cfg(feature = "threads")]
mod apart;
#[cfg(feature = "threads")]
mod queue;
#[cfg(feature = "threads")]
mod threaded;

#[cfg(feature = "threads")]
pub use apart::{Apart, in_thread};

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of CPU cores, at least 1. Without the feature `threads` it is 1.
pub fn cores() -> usize {
    #[cfg(feature = "threads")]
    return std::thread::available_parallelism().map_or(1, usize::from);
    #[cfg(not(feature = "threads"))]
    1
}

/// Tells a worker that its result is not needed any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop<'a> {
    cancel: &'a AtomicBool,
    /// Another worker failed.
    failed: &'a AtomicBool,
}

impl Stop<'_> {
    /// Whether to stop.
    pub(crate) fn is_raised(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }
}

/// The outcome of a worker for one item: a result, a break if it was told to stop, or an error that
/// ends all work.
pub(crate) type ItemResult<T, E> = Result<ControlFlow<(), T>, E>;

/// Works on all items of a range and passes the results to `sink` on the calling thread, in batches
/// and in order. Every thread has its own worker. Returns the number after the last delivered item.
///
/// If `cancel` is set or a worker fails, no new item is started. Of several errors, the one of the
/// earliest item is returned.
pub(crate) fn in_order<T, E, W>(
    places: Range<u64>,
    threads: usize,
    cancel: &AtomicBool,
    mut make: impl FnMut() -> W,
    sink: &mut dyn FnMut(Vec<T>) -> Result<(), E>,
) -> Result<u64, E>
where
    T: Send,
    E: Send,
    W: FnMut(u64, Stop<'_>) -> ItemResult<T, E> + Send,
{
    #[cfg(feature = "threads")]
    {
        let mut first = make();
        match threaded::in_order(places.clone(), threads, cancel, &mut first, &mut make, sink) {
            Ok(outcome) => outcome,
            // Not a single thread could be started.
            Err(_) => alone(places, cancel, first, sink),
        }
    }
    #[cfg(not(feature = "threads"))]
    {
        let _ = threads;
        alone(places, cancel, make(), sink)
    }
}

/// [`in_order`] on the calling thread.
fn alone<T, E, W>(
    places: Range<u64>,
    cancel: &AtomicBool,
    mut worker: W,
    sink: &mut dyn FnMut(Vec<T>) -> Result<(), E>,
) -> Result<u64, E>
where
    W: FnMut(u64, Stop<'_>) -> ItemResult<T, E>,
{
    let stop = Stop { cancel, failed: &AtomicBool::new(false) };
    for place in places.clone() {
        if stop.is_raised() {
            return Ok(place);
        }
        match worker(place, stop)? {
            ControlFlow::Continue(result) => sink(vec![result])?,
            ControlFlow::Break(()) => return Ok(place),
        }
    }
    Ok(places.end)
}

/// The results of `piece` for all numbers below `count`. `None` if `cancel` was set before all of
/// them were done.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: usize,
    cancel: &AtomicBool,
    piece: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let mut results = Vec::with_capacity(count);
    let piece = &piece;
    let worker =
        || move |place: u64, _: Stop<'_>| Ok::<_, Infallible>(ControlFlow::Continue(piece(place as usize)));
    let Ok(_) = in_order(0..count as u64, threads, cancel, worker, &mut |batch| {
        results.extend(batch);
        Ok(())
    });
    (results.len() == count).then_some(results)
}

/// Runs all jobs. Every thread has its own worker; the calling thread is one of them.
pub(crate) fn for_each<J, W>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    make: impl Fn() -> W + Sync,
) where
    W: FnMut(J),
{
    #[cfg(feature = "threads")]
    threaded::for_each(jobs, threads, make);
    #[cfg(not(feature = "threads"))]
    {
        let _ = threads;
        jobs.for_each(make());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let never = AtomicBool::new(false);
        for threads in [0, 1, 3, 100] {
            let squares = map(20, threads, &never, |number| number * number);
            assert_eq!(squares, Some((0..20).map(|number| number * number).collect()), "{threads}");
        }
        assert_eq!(map(0, 4, &never, |number| number), Some(Vec::new()));
    }

    #[test]
    fn cancelled_work_has_no_result() {
        let cancel = AtomicBool::new(false);
        let stopped = map(20, 2, &cancel, |number| cancel.fetch_or(number == 5, Ordering::Relaxed));
        assert_eq!(stopped, None);
    }

    /// Item 30 and all later ones fail. The results before the failure are delivered in order.
    #[test]
    fn the_earliest_failure_ends_the_work() {
        let never = AtomicBool::new(false);
        for threads in [1, 2, 7] {
            let worker = || {
                |place: u64, _: Stop<'_>| {
                    if place < 30 { Ok(ControlFlow::Continue(place)) } else { Err(place) }
                }
            };
            let mut delivered = Vec::new();
            let outcome = in_order(10..1_000_000, threads, &never, worker, &mut |batch| {
                delivered.extend(batch);
                Ok(())
            });
            assert!(outcome.is_err_and(|place| place >= 30), "{threads}");
            assert!(delivered.iter().copied().eq((10..).take(delivered.len())), "{delivered:?}");
        }
    }

    #[test]
    fn a_sink_that_fails_ends_the_work() {
        let worker = || |place: u64, _: Stop<'_>| Ok(ControlFlow::Continue(place));
        let outcome = in_order(0..u64::MAX, 3, &AtomicBool::new(false), worker, &mut |_| Err("full"));
        assert_eq!(outcome, Err("full"));
    }

    #[test]
    #[should_panic(expected = "place 77")]
    fn a_panic_reaches_the_caller_with_its_message() {
        map(1_000_000, 3, &AtomicBool::new(false), |number| assert_ne!(number, 77, "place 77"));
    }

    #[test]
    fn every_job_is_done_once() {
        for threads in [0, 1, 5] {
            let (workers, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
            for_each(0..100, threads, || {
                workers.fetch_add(1, Ordering::Relaxed);
                |job: i32| done.lock().unwrap().push(job)
            });
            let mut done = done.into_inner().unwrap();
            done.sort_unstable();
            assert!(done.into_iter().eq(0..100));
            assert!((1..=threads.max(1)).contains(&workers.into_inner()));
        }
    }
}
