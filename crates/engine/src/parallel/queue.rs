//! The queue of work items. It keeps workers from running too far ahead.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The maximum number of undelivered results. A slow item holds back all later results, so this
/// bounds the memory: 65,536 game records are about 8 MB.
const WINDOW: u64 = 65_536;

/// The items that no worker has taken yet, handed out in ranges.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    closed: AtomicBool,
    workers: u64,
    window: u64,
}

struct State {
    /// The first item that has not been handed out.
    next: u64,
    /// The end of the items. `close` sets it to `next`.
    end: u64,
    /// The first item that has not been delivered.
    delivered: u64,
}

impl Queue {
    pub(super) fn new(places: Range<u64>, workers: usize) -> Queue {
        Queue::with_window(places, workers, WINDOW)
    }

    fn with_window(places: Range<u64>, workers: usize, window: u64) -> Queue {
        let state = State { next: places.start, end: places.end, delivered: places.start };
        Queue {
            state: Mutex::new(state),
            changed: Condvar::new(),
            closed: AtomicBool::new(false),
            workers: workers as u64,
            window,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock, so a poisoned state is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next items, about `wish` of them. Waits while they are too far ahead of the delivered
    /// ones. `None` when nothing is left.
    pub(super) fn take(&self, wish: u64) -> Option<Range<u64>> {
        let mut state = self.lock();
        while state.next < state.end && state.next - state.delivered >= self.window {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let left = state.end - state.next;
        let room = self.window.saturating_sub(state.next - state.delivered);
        // Ranges shrink towards the end, so that all workers finish at about the same time.
        let fair = left.div_ceil(2 * self.workers);
        let count = wish.min(fair).min(room);
        let start = state.next;
        state.next += count;
        (count > 0).then(|| start..start + count)
    }

    /// Reports that everything before `place` has been delivered.
    pub(super) fn delivered(&self, place: u64) {
        self.lock().delivered = place;
        self.changed.notify_all();
    }

    /// Hands out nothing more. Work in progress can be abandoned.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let mut state = self.lock();
        state.end = state.next;
        self.changed.notify_all();
    }

    /// True once the queue is closed.
    pub(super) fn closed(&self) -> &AtomicBool {
        &self.closed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn every_place_is_handed_out_once_and_in_order() {
        let queue = Queue::new(5..1000, 3);
        let mut next = 5;
        while let Some(piece) = queue.take(64) {
            assert_eq!(piece.start, next);
            assert!(!piece.is_empty() && piece.end - piece.start <= 64);
            next = piece.end;
        }
        assert_eq!(next, 1000);
        assert_eq!(queue.take(1), None);
    }

    #[test]
    fn nobody_gets_more_than_a_window_ahead() {
        let queue = Queue::with_window(0..100, 1, 10);
        let mut taken = 0;
        while taken < 10 {
            taken = queue.take(4).unwrap().end;
        }
        assert_eq!(taken, 10);
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let queue = &queue;
                let tell = tell;
                while let Some(piece) = queue.take(4) {
                    tell.send(piece).unwrap();
                }
            });
            // Each delivery lets the worker take one more item.
            for delivered in 1..=5 {
                queue.delivered(delivered);
                assert_eq!(told.recv().unwrap(), delivered + 9..delivered + 10);
            }
            queue.close();
            assert!(told.recv().is_err());
        });
    }
}
