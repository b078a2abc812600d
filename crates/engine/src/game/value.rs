//! The value of a move, as judged by a player.

use std::cmp::Ordering;

/// The value of a move, or of a node in a search tree.
///
/// ```
/// use lab2048::game::MoveValue;
///
/// let (lost, bad) = (MoveValue::Lost { turns: 3 }, MoveValue::Worth(-1e300));
/// assert!(bad.beats(lost), "a lost game is worse than every number");
/// assert!(lost.beats(MoveValue::Lost { turns: 2 }), "a later loss is better");
/// assert_eq!((bad.worth(), lost.worth()), (Some(-1e300), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveValue {
    /// The move is illegal.
    Illegal,
    /// The player did not judge it, or pruned it.
    Unknown,
    /// The game is lost for certain within the depth of the search.
    Lost {
        /// The number of the player's own moves until it is stuck, including this one.
        turns: u32,
    },
    /// The player's number for it. [`Unit`](super::Unit) tells what the number means.
    Worth(f64),
}

impl MoveValue {
    /// The value of a judged move, or `Illegal` for `None`.
    #[inline]
    pub fn if_legal(value: Option<f64>) -> MoveValue {
        value.map_or(MoveValue::Illegal, MoveValue::Worth)
    }

    /// The number, if the move has one.
    #[inline]
    pub fn worth(self) -> Option<f64> {
        match self {
            MoveValue::Worth(value) => Some(value),
            MoveValue::Illegal | MoveValue::Unknown | MoveValue::Lost { .. } => None,
        }
    }

    /// Whether the player judged the move.
    #[inline]
    pub fn is_judged(self) -> bool {
        matches!(self, MoveValue::Lost { .. } | MoveValue::Worth(_))
    }

    /// Whether a player prefers this move to the best one so far. A number beats a lost game, a
    /// later loss beats an earlier one, and a move that is not judged beats nothing. NaN loses
    /// against every number.
    #[inline]
    pub fn beats(self, best: MoveValue) -> bool {
        match (self, best) {
            (MoveValue::Worth(value), MoveValue::Worth(most)) => number_beats(value, most),
            (MoveValue::Lost { turns }, MoveValue::Lost { turns: most }) => turns > most,
            (MoveValue::Worth(_), _) => true,
            (MoveValue::Lost { .. }, MoveValue::Illegal | MoveValue::Unknown) => true,
            _ => false,
        }
    }

    /// A total order for sorting, from the worst to the best. Numbers are ordered by
    /// [`f64::total_cmp`].
    pub fn total_cmp(&self, other: &MoveValue) -> Ordering {
        match (self, other) {
            (MoveValue::Worth(a), MoveValue::Worth(b)) => a.total_cmp(b),
            (MoveValue::Lost { turns: a }, MoveValue::Lost { turns: b }) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    /// The rank of the kind of value, from the worst to the best.
    fn kind(self) -> u8 {
        match self {
            MoveValue::Illegal => 0,
            MoveValue::Unknown => 1,
            MoveValue::Lost { .. } => 2,
            MoveValue::Worth(_) => 3,
        }
    }
}

/// The rule of [`MoveValue::beats`] for two numbers, for code that only has numbers.
#[inline]
pub(crate) fn number_beats(value: f64, most: f64) -> bool {
    value > most || most.is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;
    use MoveValue::{Illegal, Lost, Unknown, Worth};

    /// From the worst to the best.
    const VALUES: [MoveValue; 7] = [
        Illegal,
        Unknown,
        Lost { turns: 1 },
        Lost { turns: 9 },
        Worth(f64::MIN),
        Worth(0.0),
        Worth(f64::MAX),
    ];

    #[test]
    fn values_are_sorted_from_the_worst_to_the_best() {
        for (a, worse) in VALUES.iter().enumerate() {
            for (b, better) in VALUES.iter().enumerate() {
                assert_eq!(worse.total_cmp(better), a.cmp(&b), "{worse:?} and {better:?}");
            }
        }
    }

    #[test]
    fn a_player_takes_the_better_of_two_judged_moves() {
        for (a, value) in VALUES.iter().enumerate() {
            for (b, best) in VALUES.iter().enumerate() {
                assert_eq!(value.beats(*best), value.is_judged() && a > b, "{value:?} and {best:?}");
            }
        }
        assert!(Worth(f64::MIN).beats(Worth(f64::NAN)) && !Worth(f64::NAN).beats(Worth(f64::MIN)));
        assert!(Worth(f64::NAN).beats(Lost { turns: 9 }) && !Lost { turns: 9 }.beats(Worth(f64::NAN)));
    }
}
