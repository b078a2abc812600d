//! The limits of a search, and its work so far.

use std::time::Duration;

use crate::clock::Clock;

/// The limits of a search. All that are given apply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchLimits {
    /// The maximal number of own moves to look ahead.
    pub depth: Option<u32>,
    /// The maximal number of nodes to visit.
    pub nodes: Option<u64>,
    /// The maximal time.
    pub time: Option<TimeLimit>,
    /// Ends a search whose result is no longer needed.
    pub cancel: CancelCheck,
}

/// A function that a search calls now and then, whatever its limits are. If nobody needs the result
/// any more, the function unwinds ([`std::panic::resume_unwind`]), and the search with it. The
/// player must be dropped then.
#[derive(Clone, Copy, Debug, Default)]
pub struct CancelCheck(Option<fn()>);

impl CancelCheck {
    /// A check by this function.
    pub const fn new(check: fn()) -> CancelCheck {
        CancelCheck(Some(check))
    }
}

impl Eq for CancelCheck {}

/// A check limits no search, so all are equal.
impl PartialEq for CancelCheck {
    fn eq(&self, _: &CancelCheck) -> bool {
        true
    }
}

/// The number of nodes between two calls of a [`CancelCheck`]: some milliseconds.
const CANCEL_INTERVAL: u64 = 1 << 14;

/// A time limit and the clock that measures it.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimit {
    /// The maximal time.
    pub most: Duration,
    /// The clock.
    pub clock: Clock,
}

impl From<Duration> for TimeLimit {
    /// A limit measured by the system clock.
    fn from(most: Duration) -> TimeLimit {
        TimeLimit { most, clock: Clock::system() }
    }
}

/// Limits are equal if they allow the same time.
impl PartialEq for TimeLimit {
    fn eq(&self, other: &TimeLimit) -> bool {
        self.most == other.most
    }
}

/// A running timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    limit: TimeLimit,
    started: Duration,
}

impl Timer {
    /// Starts now.
    pub(super) fn start(limit: TimeLimit) -> Timer {
        Timer { limit, started: limit.clock.now() }
    }

    /// The elapsed share of the limit.
    pub(super) fn spent(&self) -> f64 {
        self.limit.clock.since(self.started).as_secs_f64() / self.limit.most.as_secs_f64()
    }

    /// Whether the limit is reached.
    pub(super) fn is_over(&self) -> bool {
        self.limit.clock.since(self.started) >= self.limit.most
    }
}

/// The work of a search. See the [module](super) for what counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Boards and afterstates visited.
    pub nodes: u64,
    /// Evaluations by the evaluator.
    pub evaluations: u64,
}

/// Counts the work of one search and says when it must stop.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    counts: Counts,
    most_nodes: u64,
    /// Without a time limit the clock is never read. Reading it would take 6% of the time of a fast
    /// player.
    time: Option<Timer>,
    /// The number of nodes between two readings of the clock.
    clock_interval: u64,
    cancel: CancelCheck,
    /// Whether the limits are enforced.
    armed: bool,
    /// The number of nodes at which the limits are checked next.
    next_look: u64,
    stopped: bool,
}

impl Meter {
    /// A meter that starts now and reads the clock every `clock_interval` nodes. The limits apply
    /// only after [`Meter::arm`].
    pub(super) fn new(limits: &SearchLimits, clock_interval: u64) -> Meter {
        Meter {
            counts: Counts::default(),
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            time: limits.time.map(Timer::start),
            clock_interval,
            cancel: limits.cancel,
            armed: false,
            next_look: limits.cancel.0.map_or(u64::MAX, |_| CANCEL_INTERVAL),
            stopped: false,
        }
    }

    /// Enforces the limits from now on.
    pub(super) fn arm(&mut self) {
        self.armed = true;
        self.look();
    }

    /// Adds visited nodes.
    #[inline]
    pub(super) fn visit(&mut self, nodes: u64) {
        self.counts.nodes += nodes;
        if self.counts.nodes >= self.next_look {
            self.look();
        }
    }

    /// Adds evaluations.
    #[inline]
    pub(super) fn judge(&mut self, evaluations: u64) {
        self.counts.evaluations += evaluations;
    }

    #[cold]
    fn look(&mut self) {
        self.next_look = u64::MAX;
        if let Some(check) = self.cancel.0 {
            check();
            self.next_look = self.counts.nodes + CANCEL_INTERVAL;
        }
        if !self.armed {
            return;
        }
        let late = self.time.is_some_and(|timer| timer.is_over());
        self.stopped |= late || self.counts.nodes >= self.most_nodes;
        let next_reading = self.time.map_or(u64::MAX, |_| self.counts.nodes + self.clock_interval);
        self.next_look = self.next_look.min(self.most_nodes).min(next_reading);
    }

    /// Whether a limit has been reached. The results of the search from then on are invalid.
    #[inline]
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }

    /// The used share of the nearest limit, or 0 without limits.
    pub(super) fn spent(&self) -> f64 {
        let nodes = self.counts.nodes as f64 / self.most_nodes as f64;
        nodes.max(self.time.map_or(0.0, |timer| timer.spent()))
    }

    /// Whether to start a step that is expected to take this share of the limit. If only the time
    /// is limited, a step that may take twice the remaining time is also allowed. Searches grow
    /// more slowly at larger depths, so forecasts tend to be too high, and unused time is wasted.
    pub(super) fn allows(&self, share: f64) -> bool {
        let left = 1.0 - self.spent();
        let trust = if self.most_nodes == u64::MAX { 2.0 } else { 1.0 };
        share <= trust * left
    }

    /// Sets the work back to an earlier state, for a search that repeats a part of it.
    pub(super) fn set_counts(&mut self, counts: Counts) {
        self.counts = counts;
    }

    /// The work so far.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stops_before_the_limits_hold() {
        let mut meter = Meter::new(&SearchLimits { nodes: Some(10), ..SearchLimits::default() }, 1);
        meter.visit(50);
        assert!(!meter.stopped());
        meter.arm();
        assert!(meter.stopped());
        assert_eq!(meter.counts().nodes, 50);
    }

    #[test]
    fn the_node_limit_strikes_when_it_is_reached() {
        let mut meter = Meter::new(&SearchLimits { nodes: Some(10), ..SearchLimits::default() }, 1);
        meter.arm();
        meter.visit(9);
        assert!(!meter.stopped());
        meter.visit(1);
        assert!(meter.stopped());
    }

    #[test]
    fn a_search_is_cancelled_even_without_limits() {
        let cancel = CancelCheck::new(|| std::panic::resume_unwind(Box::new(())));
        let searched = std::panic::catch_unwind(|| {
            let mut meter = Meter::new(&SearchLimits { cancel, ..SearchLimits::default() }, 1);
            meter.visit(CANCEL_INTERVAL - 1);
            assert!(!meter.stopped());
            meter.visit(1);
        });
        assert_eq!(searched.unwrap_err().downcast_ref(), Some(&()));
    }

    #[test]
    fn a_deadline_that_has_passed_strikes_at_the_next_look() {
        let mut meter =
            Meter::new(&SearchLimits { time: Some(Duration::ZERO.into()), ..SearchLimits::default() }, 100);
        meter.visit(1);
        assert!(!meter.stopped());
        meter.arm();
        assert!(meter.stopped());
    }
}
