//! The options about the positions to practise, whatever table they come from.

use std::ops::RangeInclusive;
use std::sync::Arc;

use clap::Args;
use lab2048::solve::{Table, Tables};

use super::{Mistakes, Session, Source};
use crate::failure::{Failure, Outcome};
use crate::game_options::fresh_seed;
use crate::numbers::{number, whole};

/// Which positions, and how many.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct PositionOptions {
    /// Least chance (or points) of a position at its start; if the default range has no position,
    /// any is used [default: 0.3; 10% of the points of the whole game]
    #[arg(long, value_name = "P", value_parser = number(0.0, 1e12), allow_hyphen_values = true, conflicts_with = "mistakes")]
    pub(crate) from: Option<f64>,
    /// Largest chance (or points) of a position at its start [default: 0.95; no limit for points]
    #[arg(long, value_name = "P", value_parser = number(0.0, 1e12), allow_hyphen_values = true, conflicts_with = "mistakes")]
    pub(crate) to: Option<f64>,
    /// Seed of the positions and the spawns [default: random, and shown]
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX), allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// End after N positions
    #[arg(long, value_name = "N", value_parser = whole(1, u64::MAX), allow_hyphen_values = true)]
    pub(crate) games: Option<u64>,
}

impl PositionOptions {
    /// Whether a range of values was given. Mistakes have none.
    pub(crate) fn has_range(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// Random positions of a table, in the range.
    pub(crate) fn drawn(&self, table: Arc<Table>) -> Outcome<Source> {
        let values = self.values(&table)?;
        Ok(Source::Drawn { table, values })
    }

    /// The range of values. `None` if neither end was given.
    fn values(&self, table: &Table) -> Outcome<Option<RangeInclusive<f64>>> {
        let most = if table.counts_points() { f64::MAX } else { 1.0 };
        for (option, value) in [("--from", self.from), ("--to", self.to)] {
            if let Some(value) = value.filter(|value| *value > most) {
                return Err(Failure::BadInput(format!("{option} is a chance from 0 to 1, not {value}")));
            }
        }
        if !self.has_range() {
            return Ok(None);
        }
        let (from, to) = (self.from.unwrap_or(0.0), self.to.unwrap_or(most));
        if from > to {
            return Err(Failure::BadInput(format!("--from {from} is larger than --to {to}")));
        }
        Ok(Some(from..=to))
    }

    /// Begins to practise the positions of a source.
    pub(crate) fn begin(&self, source: Source, tables: Arc<Tables>, mistakes: Mistakes) -> Outcome<Session> {
        Session::begin(source, tables, mistakes, self.seed.unwrap_or_else(fresh_seed), self.games)
    }
}
