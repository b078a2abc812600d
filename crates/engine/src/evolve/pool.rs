//! Pieces of work shared out among threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Does `count` pieces of work, each known by its number, and returns what they came to in the order of the numbers, whatever the
/// number of threads. `None` if `cancel` was raised before all of them were done.
pub(super) fn all<T: Send>(
    count: usize,
    threads: usize,
    cancel: &AtomicBool,
    piece: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while !cancel.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            done.push((number, piece(number)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // With fewer threads than asked for, the same pieces are done, only later.
        let helpers: Vec<_> = (1..threads.min(count))
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut done = work();
        for helper in helpers {
            match helper.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    if done.len() < count {
        return None;
    }
    done.sort_unstable_by_key(|(number, _)| *number);
    Some(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let go_on = AtomicBool::new(false);
        for threads in [0, 1, 3, 100] {
            let squares = all(20, threads, &go_on, |number| number * number);
            assert_eq!(squares, Some((0..20).map(|number| number * number).collect()), "{threads}");
        }
        assert_eq!(all(0, 4, &go_on, |number| number), Some(Vec::new()));
    }

    #[test]
    fn whoever_cancels_gets_nothing() {
        let cancel = AtomicBool::new(false);
        let stopped = all(20, 2, &cancel, |number| cancel.fetch_or(number == 5, Ordering::Relaxed));
        assert_eq!(stopped, None);
    }
}
