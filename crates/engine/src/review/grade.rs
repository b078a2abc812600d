//! Grades of moves.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The grade of a move. It depends on the share of the expected final score that the move keeps,
/// compared with the best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// At least 0.999: practically as good as the best move.
    Excellent,
    /// At least 0.99.
    Good,
    /// At least 0.975.
    Inaccuracy,
    /// At least 0.9.
    Mistake,
    /// At least 0.75.
    Blunder,
    /// Less than 0.75.
    Disaster,
}

impl Grade {
    /// All grades, the best first.
    pub const ALL: [Grade; 6] =
        [Grade::Excellent, Grade::Good, Grade::Inaccuracy, Grade::Mistake, Grade::Blunder, Grade::Disaster];

    /// The grade of a move that keeps this share. The thresholds 0.999, 0.99, 0.975, 0.9 and 0.75
    /// are common in analysis tools for this game.
    pub fn of_ratio(ratio: f64) -> Grade {
        Grade::ALL.into_iter().find(|grade| ratio >= grade.least()).unwrap_or(Grade::Disaster)
    }

    /// The smallest share with this grade.
    pub const fn least(self) -> f64 {
        match self {
            Grade::Excellent => 0.999,
            Grade::Good => 0.99,
            Grade::Inaccuracy => 0.975,
            Grade::Mistake => 0.9,
            Grade::Blunder => 0.75,
            Grade::Disaster => 0.0,
        }
    }

    /// Its place in [`Grade::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The lower-case English word.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Excellent => "excellent",
            Grade::Good => "good",
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
            Grade::Disaster => "disaster",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_belong_to_the_better_grade() {
        let ratios = [1.0, 0.999, 0.9989, 0.99, 0.98, 0.975, 0.9, 0.8999, 0.75, 0.7499, 0.0];
        let names = ratios.map(|ratio| Grade::of_ratio(ratio).name());
        let expected = [
            "excellent",
            "excellent",
            "good",
            "good",
            "inaccuracy",
            "inaccuracy",
            "mistake",
            "blunder",
            "blunder",
            "disaster",
            "disaster",
        ];
        assert_eq!(names, expected);
        assert_eq!(Grade::of_ratio(f64::NAN), Grade::Disaster);
        for (index, grade) in Grade::ALL.into_iter().enumerate() {
            assert_eq!(grade.index(), index);
        }
    }
}
