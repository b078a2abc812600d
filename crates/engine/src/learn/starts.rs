//! Start boards for training games: the boards on which earlier games entered a later stage.
//!
//! Few games reach a late stage, and only after many moves. So each stage keeps the newest boards
//! on which games entered it, and a share of all games starts from them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::game::Stream;

/// The number of boards kept for each stage.
const KEPT: usize = 4096;

/// The kept boards of all stages after the first. Threads read and write concurrently. A read
/// during a write returns either the old board or the new one.
#[derive(Debug)]
pub(crate) struct Shelves {
    shelves: Vec<Shelf>,
}

#[derive(Debug)]
struct Shelf {
    boards: Vec<AtomicU64>,
    /// The number of boards ever added.
    put: AtomicU64,
}

impl Shelves {
    /// Empty shelves for `stages` stages.
    pub(crate) fn new(stages: usize) -> Shelves {
        let shelf =
            |_| Shelf { boards: (0..KEPT).map(|_| AtomicU64::new(0)).collect(), put: AtomicU64::new(0) };
        Shelves { shelves: (1..stages).map(shelf).collect() }
    }

    /// Adds an afterstate of a stage (1 or later). It replaces the oldest one if the shelf is full.
    pub(crate) fn put(&self, stage: usize, after: u64) {
        let shelf = &self.shelves[stage - 1];
        let number = shelf.put.fetch_add(1, Relaxed);
        shelf.boards[number as usize % KEPT].store(after, Relaxed);
    }

    /// Picks a stage that has boards, then one of its boards, both uniformly. Uses the draws
    /// `place` and `place + 1`.
    pub(crate) fn pick(&self, luck: Stream, place: u64) -> Option<u64> {
        let filled = |shelf: &&Shelf| shelf.put.load(Relaxed) > 0;
        let stages = self.shelves.iter().filter(filled).count();
        let shelf = self.shelves.iter().filter(filled).nth(luck.below(place, stages))?;
        let kept = (shelf.put.load(Relaxed) as usize).min(KEPT);
        let after = shelf.boards[luck.below(place + 1, kept)].load(Relaxed);
        (after != 0).then_some(after)
    }

    /// The kept afterstates of each stage, the oldest first.
    pub(crate) fn contents(&self) -> Vec<Vec<u64>> {
        let list = |shelf: &Shelf| {
            let put = shelf.put.load(Relaxed) as usize;
            (put.saturating_sub(KEPT)..put).map(|number| shelf.boards[number % KEPT].load(Relaxed)).collect()
        };
        self.shelves.iter().map(list).collect()
    }

    /// Restores the result of [`Shelves::contents`]. Boards of stages that do not exist are
    /// ignored.
    pub(crate) fn restore(&self, contents: &[Vec<u64>]) {
        for (place, boards) in contents.iter().enumerate().take(self.shelves.len()) {
            boards.iter().for_each(|&after| self.put(place + 1, after));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_boards_are_kept_and_restored() {
        let shelves = Shelves::new(3);
        let luck = Stream::with_purpose(1, 1);
        assert_eq!(shelves.pick(luck, 0), None);
        (1..=KEPT as u64 + 10).for_each(|after| shelves.put(2, after));
        let contents = shelves.contents();
        assert_eq!(contents, [vec![], (11..=KEPT as u64 + 10).collect::<Vec<_>>()]);
        assert!((0..100).all(|place| shelves.pick(luck, place).is_some_and(|after| after > 10)));
        let again = Shelves::new(3);
        again.restore(&contents);
        assert_eq!(again.contents(), contents);
    }
}
