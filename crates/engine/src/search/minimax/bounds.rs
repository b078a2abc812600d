//! The transposition table of minimax: known bounds on the values of boards.

use std::hash::{Hash, Hasher};

use super::super::NoMemory;
use super::super::share::BoardHasher;
use crate::board::Direction;

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// A stored result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) value: f64,
    pub(super) bound: Bound,
    /// The best move found.
    pub(super) best: Option<Direction>,
}

/// A board and the remaining turns. A stored value is returned only for the same key on the same
/// level of the search. On one level a board with the same remaining turns always has the same
/// score (see [`walk`](super::super::walk)). So the table cannot change a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key<B> {
    pub(super) board: B,
    pub(super) turns_left: u32,
}

#[derive(Clone, Debug)]
struct Slot<B> {
    key: Key<B>,
    level: u32,
    known: Known,
}

/// The table. Each hash value has one slot, and a new entry replaces the old one.
#[derive(Clone, Debug)]
pub(super) struct Bounds<B> {
    slots: Vec<Option<Slot<B>>>,
    /// The number of slots: a power of two, or 0 for no table.
    most: usize,
    /// The number of the current level, counted over all searches. Values of other levels are
    /// ignored.
    level: u32,
    /// The number of the first level of this search. Earlier entries are ignored.
    oldest: u32,
}

impl<B: Clone + Eq + Hash> Bounds<B> {
    /// A table of at most `bytes` bytes. `board_bytes` is the heap memory of a board.
    pub(super) fn with_bytes(bytes: usize, board_bytes: usize) -> Result<Bounds<B>, NoMemory> {
        let most = bytes / (size_of::<Option<Slot<B>>>() + board_bytes);
        let most = most.checked_ilog2().map_or(0, |log| 1 << log);
        let mut slots = Vec::new();
        slots.try_reserve_exact(most).map_err(|_| NoMemory { bytes })?;
        Ok(Bounds { slots, most, level: 0, oldest: 0 })
    }

    /// A table that stores nothing.
    pub(super) fn none() -> Bounds<B> {
        Bounds { slots: Vec::new(), most: 0, level: 0, oldest: 0 }
    }

    /// The memory of the full table, with `board_bytes` as above.
    #[cfg(test)]
    pub(super) fn bytes(&self, board_bytes: usize) -> usize {
        self.slots.capacity() * size_of::<Option<Slot<B>>>() + self.slots.len() * board_bytes
    }

    /// Invalidates all entries. The memory was reserved earlier, but is first used here.
    pub(super) fn start_search(&mut self) {
        // No search has more levels than remain before an overflow.
        if self.slots.is_empty() || self.level > u32::MAX / 2 {
            self.slots.clear();
            self.slots.resize(self.most, None);
            self.level = 0;
        }
        self.oldest = self.level + 1;
    }

    /// Invalidates the values, but keeps the best moves.
    pub(super) fn start_level(&mut self) {
        self.level += 1;
    }

    fn place(&self, key: &Key<B>) -> usize {
        let mut hasher = BoardHasher::default();
        key.hash(&mut hasher);
        hasher.finish() as usize & (self.most - 1)
    }

    fn slot(&self, key: &Key<B>) -> Option<&Slot<B>> {
        let slots = Some(&self.slots).filter(|slots| !slots.is_empty())?;
        let slot = slots[self.place(key)].as_ref()?;
        (slot.level >= self.oldest && slot.key == *key).then_some(slot)
    }

    /// The stored result for a board.
    pub(super) fn get(&self, key: &Key<B>) -> Option<Known> {
        self.slot(key).filter(|slot| slot.level == self.level).map(|slot| slot.known)
    }

    /// The best move of a board, found on any level of this search.
    pub(super) fn best(&self, key: &Key<B>) -> Option<Direction> {
        self.slot(key).and_then(|slot| slot.known.best)
    }

    /// Stores a result.
    pub(super) fn put(&mut self, key: Key<B>, known: Known) {
        if self.most > 0 {
            let place = self.place(&key);
            self.slots[place] = Some(Slot { key, level: self.level, known });
        }
    }
}
