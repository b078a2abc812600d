//! The transposition table of minimax: what is known about the value of a board.

use std::hash::{Hash, Hasher};

use super::super::NoMemory;
use super::super::share::BoardHasher;
use crate::board::Direction;

/// How a remembered value stands to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known about a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) value: f64,
    pub(super) bound: Bound,
    /// The best move that was found.
    pub(super) best: Option<Direction>,
}

/// A board and the turns left to look ahead from it. A value is given for exactly this and nothing else, and only within
/// one level of the search, in which the same board with the same turns left has the same score (see
/// [`walk`](super::super::walk)). That is why the table cannot change a value.
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

/// The table: one slot for each value of the hash, the newer entry replacing the older.
#[derive(Clone, Debug)]
pub(super) struct Bounds<B> {
    slots: Vec<Option<Slot<B>>>,
    /// How many slots there may be: a power of two, or 0 for no table.
    most: usize,
    /// The number of the level that is going on, counted over all searches; values of others do not count.
    level: u32,
    /// The number of the first level of this search; entries before it do not exist.
    oldest: u32,
}

impl<B: Clone + Eq + Hash> Bounds<B> {
    /// A table in at most so many bytes; `board_bytes` is what a board takes beyond its own type.
    pub(super) fn with_bytes(bytes: usize, board_bytes: usize) -> Result<Bounds<B>, NoMemory> {
        let most = bytes / (size_of::<Option<Slot<B>>>() + board_bytes);
        let most = most.checked_ilog2().map_or(0, |log| 1 << log);
        let mut slots = Vec::new();
        slots.try_reserve_exact(most).map_err(|_| NoMemory { bytes })?;
        Ok(Bounds { slots, most, level: 0, oldest: 0 })
    }

    /// No table: nothing is remembered.
    pub(super) fn none() -> Bounds<B> {
        Bounds { slots: Vec::new(), most: 0, level: 0, oldest: 0 }
    }

    /// What the table takes when it is full, with `board_bytes` as above.
    #[cfg(test)]
    pub(super) fn bytes(&self, board_bytes: usize) -> usize {
        self.slots.capacity() * size_of::<Option<Slot<B>>>() + self.slots.len() * board_bytes
    }

    /// Forgets everything. The memory is reserved before, and first used here.
    pub(super) fn start_search(&mut self) {
        // No search has as many levels as are left here.
        if self.slots.is_empty() || self.level > u32::MAX / 2 {
            self.slots.clear();
            self.slots.resize(self.most, None);
            self.level = 0;
        }
        self.oldest = self.level + 1;
    }

    /// Forgets the values but not the best moves.
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

    /// What is known about a board.
    pub(super) fn get(&self, key: &Key<B>) -> Option<Known> {
        self.slot(key).filter(|slot| slot.level == self.level).map(|slot| slot.known)
    }

    /// A move that was best on a board, in whatever level.
    pub(super) fn best(&self, key: &Key<B>) -> Option<Direction> {
        self.slot(key).and_then(|slot| slot.known.best)
    }

    /// Remembers what was found.
    pub(super) fn put(&mut self, key: Key<B>, known: Known) {
        if self.most > 0 {
            let place = self.place(&key);
            self.slots[place] = Some(Slot { key, level: self.level, known });
        }
    }
}
