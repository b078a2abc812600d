//! The mean of the weights over a while.
//!
//! Weights that learn follow the luck of the last games. Their mean over many games follows it much less, as if they had learned at a
//! low rate all the time, but they learn as fast as ever (Polyak and Juditsky 1992).

use std::io;

use super::rule::{Rule, load, store};
use super::tables::Tables;
use crate::ntuple::SharedWords;

/// The sums of all weights, by their places, and how often they were added.
#[derive(Debug)]
pub(super) struct Average {
    sums: SharedWords,
    count: u16,
}

impl Average {
    /// Of nothing yet; fails when there is not enough memory.
    pub(super) fn new<K: Rule>(tables: &Tables<K>) -> io::Result<Average> {
        Ok(Average { sums: SharedWords::zeroed(tables.words().len() / K::WORDS)?, count: 0 })
    }

    /// Adds the weights as they are now; after 65,535 times no more.
    pub(super) fn add<K: Rule>(&mut self, tables: &Tables<K>) {
        let Some(count) = self.count.checked_add(1) else { return };
        self.count = count;
        for (sum, record) in self.sums.as_slice().iter().zip(K::records(tables.words())) {
            let weight = load(K::weight(record));
            // Untouched pages stay untouched.
            if weight != 0.0 {
                store(sum, load(sum) + weight);
            }
        }
    }

    /// The mean of the weight at a place.
    pub(super) fn of(&self, place: usize) -> f32 {
        load(&self.sums.as_slice()[place]) / f32::from(self.count.max(1))
    }
}
