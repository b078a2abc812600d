//! The scheduler with threads.

use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::queue::Queue;
use super::{ItemResult, Stop};

/// Workers send their results at this interval. It is short enough for a progress bar and for a log
/// that loses little when the process is killed, and long enough to cost nothing.
const BATCH_TIME: Duration = Duration::from_millis(20);
/// The maximum number of items that a worker takes at once.
const MOST_AT_ONCE: u64 = 1024;

/// [`super::in_order`] on new threads. The error tells why not even one thread could be started;
/// then nothing has been done.
pub(super) fn in_order<T, E, W>(
    places: Range<u64>,
    threads: usize,
    cancel: &AtomicBool,
    first: &mut W,
    make: &mut dyn FnMut() -> W,
    sink: &mut dyn FnMut(Vec<T>) -> Result<(), E>,
) -> io::Result<Result<u64, E>>
where
    T: Send,
    E: Send,
    W: FnMut(u64, Stop<'_>) -> ItemResult<T, E> + Send,
{
    let count = places.end.saturating_sub(places.start);
    let threads = (threads.max(1) as u64).min(count) as usize;
    let queue = Queue::new(places.clone(), threads);
    let mut others: Vec<W> = (1..threads).map(|_| make()).collect();
    let workers = [first].into_iter().chain(&mut others).take(threads);
    thread::scope(|scope| {
        let _closing = CloseAtEnd(&queue);
        let (sender, receiver) = mpsc::channel();
        let mut handles = Vec::new();
        for worker in workers {
            let worker = Worker { queue: &queue, cancel, sender: sender.clone(), work: worker };
            let name = format!("work-{}", handles.len());
            match thread::Builder::new().name(name).spawn_scoped(scope, move || worker.run()) {
                Ok(handle) => handles.push(handle),
                // Fewer threads do the same work, only slower.
                Err(_) if !handles.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        drop(sender);
        let mut order = Order { waiting: BTreeMap::new(), next: places.start };
        let mut failure: Option<(u64, E)> = None;
        // The loop ends when the last worker has dropped its sender.
        for (place, message) in receiver {
            let taken = match message {
                Ok(batch) if failure.is_none() => order.take(place, batch, sink),
                Ok(_) => continue,
                Err(error) => Err(error),
            };
            match taken {
                Ok(()) => queue.delivered(order.next),
                Err(error) => {
                    queue.close();
                    if failure.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
                        failure = Some((place, error));
                    }
                }
            }
        }
        for handle in handles {
            handle.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        Ok(failure.map_or(Ok(order.next), |(_, error)| Err(error)))
    })
}

/// Closes the queue if the sink or a worker panics. Otherwise the other workers would wait forever
/// for room in the queue.
struct CloseAtEnd<'a>(&'a Queue);

impl Drop for CloseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Puts batches in order.
struct Order<T> {
    waiting: BTreeMap<u64, Vec<T>>,
    next: u64,
}

impl<T> Order<T> {
    /// Stores a batch and delivers everything that is next in order.
    fn take<E>(
        &mut self,
        place: u64,
        batch: Vec<T>,
        sink: &mut dyn FnMut(Vec<T>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.waiting.insert(place, batch);
        while let Some(batch) = self.waiting.remove(&self.next) {
            self.next += batch.len() as u64;
            sink(batch)?;
        }
        Ok(())
    }
}

/// The first item and the results of consecutive items, or a failed item and its error.
type Message<T, E> = (u64, Result<Vec<T>, E>);

struct Worker<'a, W, T, E> {
    queue: &'a Queue,
    cancel: &'a AtomicBool,
    sender: Sender<Message<T, E>>,
    work: &'a mut W,
}

impl<T, E, W: FnMut(u64, Stop<'_>) -> ItemResult<T, E>> Worker<'_, W, T, E> {
    /// Works until nothing is left or until it is told to stop.
    fn run(mut self) {
        let unwinding = CloseAtEnd(self.queue);
        let mut wish = 1;
        while let Some(places) = self.queue.take(wish) {
            let count = places.end - places.start;
            let started = Instant::now();
            if self.work_on(places).is_break() {
                return;
            }
            wish = next_wish(count, started.elapsed());
        }
        // Nothing is left to take, but other workers may still be busy: do not close the queue.
        std::mem::forget(unwinding);
    }

    /// Works on some items and sends the results; breaks if all work is to end.
    fn work_on(&mut self, places: Range<u64>) -> ControlFlow<()> {
        let stop = Stop { cancel: self.cancel, failed: self.queue.closed() };
        let (mut start, mut batch) = (places.start, Vec::new());
        let mut sent = Instant::now();
        for place in places {
            let worked = if stop.is_raised() { Ok(ControlFlow::Break(())) } else { (self.work)(place, stop) };
            match worked {
                Ok(ControlFlow::Continue(result)) => batch.push(result),
                Ok(ControlFlow::Break(())) => {
                    self.send(start, Ok(batch));
                    return ControlFlow::Break(());
                }
                Err(error) => {
                    self.send(start, Ok(batch));
                    self.send(place, Err(error));
                    return ControlFlow::Break(());
                }
            }
            if sent.elapsed() >= BATCH_TIME {
                self.send(start, Ok(std::mem::take(&mut batch)));
                (start, sent) = (place + 1, Instant::now());
            }
        }
        self.send(start, Ok(batch));
        ControlFlow::Continue(())
    }

    fn send(&self, place: u64, message: Result<Vec<T>, E>) {
        if !matches!(&message, Ok(batch) if batch.is_empty()) {
            // The receiver outlives all workers.
            let _ = self.sender.send((place, message));
        }
    }
}

/// The number of items to take after `count` of them took `time`. It changes by at most a factor of
/// two, because some items may take far longer than others.
fn next_wish(count: u64, time: Duration) -> u64 {
    let wish = if time * 2 <= BATCH_TIME {
        count * 2
    } else if time > BATCH_TIME * 2 {
        count / 2
    } else {
        count
    };
    wish.clamp(1, MOST_AT_ONCE)
}

/// [`super::for_each`] on as many threads as can be started.
pub(super) fn for_each<J, W: FnMut(J)>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    make: impl Fn() -> W + Sync,
) {
    let jobs = Mutex::new(jobs);
    // A panic in a job does not touch the iterator.
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut worker = make();
        while let Some(job) = next() {
            worker(job);
        }
    };
    thread::scope(|scope| {
        let helpers: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        work();
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_places_follows_the_time_they_take() {
        let ms = Duration::from_millis;
        assert_eq!(next_wish(8, ms(1)), 16);
        assert_eq!(next_wish(8, ms(20)), 8);
        assert_eq!(next_wish(8, ms(100)), 4);
        assert_eq!(next_wish(1, ms(100)), 1);
        assert_eq!(next_wish(MOST_AT_ONCE, ms(0)), MOST_AT_ONCE);
    }
}
