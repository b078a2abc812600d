//! A clock that the caller can replace.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// A monotonic clock: it returns the time since some fixed moment. Games and searches read no other
/// clock. A host without a system clock, such as a web page, can pass in its own.
///
/// ```
/// use std::time::Duration;
/// use lab2048::Clock;
///
/// let stopped = Clock::new(|| Duration::ZERO);
/// assert_eq!(stopped.now(), Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock(fn() -> Duration);

impl Clock {
    /// A clock that calls this function.
    pub const fn new(now: fn() -> Duration) -> Clock {
        Clock(now)
    }

    /// The system clock. WebAssembly without a host has none and panics when it is read.
    pub const fn system() -> Clock {
        Clock(|| {
            static START: LazyLock<Instant> = LazyLock::new(Instant::now);
            START.elapsed()
        })
    }

    /// The time since a fixed moment.
    #[inline]
    pub fn now(self) -> Duration {
        (self.0)()
    }

    /// The time since an earlier result of [`Clock::now`].
    #[inline]
    pub fn since(self, earlier: Duration) -> Duration {
        self.now().saturating_sub(earlier)
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::system()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_system_never_goes_back() {
        let clock = Clock::default();
        let earlier = clock.now();
        assert!(clock.now() >= earlier && clock.since(clock.now() + Duration::from_secs(9)).is_zero());
    }
}
