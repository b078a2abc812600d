//! The transposition table of minimax: what is known about the value of a board.

use std::hash::{Hash, Hasher};

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

/// A board, the turns left to look ahead from it, and the score where the value depends on it. An answer is given for
/// exactly this and nothing else, which is why the table cannot change a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key<B> {
    pub(super) board: B,
    pub(super) score: u64,
    pub(super) turns_left: u32,
}

#[derive(Clone, Debug)]
struct Slot<B> {
    key: Key<B>,
    search: u32,
    known: Known,
}

/// The table: one slot for each value of the hash, the newer entry replacing the older.
#[derive(Clone, Debug)]
pub(super) struct Bounds<B> {
    slots: Vec<Option<Slot<B>>>,
    /// How many slots there may be: a power of two, or 0 for no table.
    most: usize,
    /// The number of the search that is going on; entries of others do not count.
    search: u32,
}

impl<B: Clone + Eq + Hash> Bounds<B> {
    /// A table in at most so many bytes; `board_bytes` is what a board takes beyond its own type.
    pub(super) fn with_bytes(bytes: usize, board_bytes: usize) -> Bounds<B> {
        let slots = bytes / (size_of::<Option<Slot<B>>>() + board_bytes);
        let most = slots.checked_ilog2().map_or(0, |log| 1 << log);
        Bounds { slots: Vec::new(), most, search: 0 }
    }

    /// Forgets what earlier searches found. The memory is taken at the first search.
    pub(super) fn start_search(&mut self) {
        if self.slots.is_empty() || self.search == u32::MAX {
            self.slots.clear();
            self.slots.resize(self.most, None);
            self.search = 0;
        }
        self.search += 1;
    }

    fn place(&self, key: &Key<B>) -> usize {
        let mut hasher = BoardHasher::default();
        key.hash(&mut hasher);
        hasher.finish() as usize & (self.most - 1)
    }

    /// What is known about a board.
    pub(super) fn get(&self, key: &Key<B>) -> Option<Known> {
        if self.most == 0 {
            return None;
        }
        let slot = self.slots[self.place(key)].as_ref()?;
        (slot.search == self.search && slot.key == *key).then_some(slot.known)
    }

    /// Remembers what was found.
    pub(super) fn put(&mut self, key: Key<B>, known: Known) {
        if self.most > 0 {
            let place = self.place(&key);
            self.slots[place] = Some(Slot { key, search: self.search, known });
        }
    }
}
