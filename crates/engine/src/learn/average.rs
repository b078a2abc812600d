//! The mean of the weights over time (Polyak averaging).
//!
//! Learning weights follow the randomness of the last games. Their mean over many games does so
//! much less. It behaves like the result of a low learning rate, while the weights themselves still
//! learn at full speed (Polyak and Juditsky 1992).

use std::io;

use super::rule::{Rule, load, store};
use super::tables::Tables;
use crate::ntuple::SharedWords;

/// The sum of each weight over all additions, and the number of additions.
#[derive(Debug)]
pub(super) struct Average {
    sums: SharedWords,
    count: u16,
}

impl Average {
    /// An empty mean. Fails if there is not enough memory.
    pub(super) fn new<K: Rule>(tables: &Tables<K>) -> io::Result<Average> {
        Ok(Average { sums: SharedWords::zeroed(tables.words().len() / K::WORDS)?, count: 0 })
    }

    /// Adds the current weights. Does nothing after 65,535 additions.
    pub(super) fn add<K: Rule>(&mut self, tables: &Tables<K>) {
        let Some(count) = self.count.checked_add(1) else { return };
        self.count = count;
        for (sum, record) in self.sums.as_slice().iter().zip(K::records(tables.words())) {
            let weight = load(K::weight(record));
            // Skipping zeros leaves untouched pages unallocated.
            if weight != 0.0 {
                store(sum, load(sum) + weight);
            }
        }
    }

    /// The mean of the weight with index `place`.
    pub(super) fn of(&self, place: usize) -> f32 {
        load(&self.sums.as_slice()[place]) / f32::from(self.count.max(1))
    }
}
