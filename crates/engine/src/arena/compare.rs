//! Comparisons of two players by their scores.

use serde::Serialize;

use super::intervals::{Interval, Moments, normal_point, welch};

/// The power of a comparison that is usually planned for: the chance of showing a true difference.
pub const USUAL_POWER: f64 = 0.8;

/// The scores of a player, one after another by seed: game `i` has the seed `seed + i`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeededScores<'a> {
    pub(super) player: &'a str,
    pub(super) seed: u64,
    pub(super) scores: &'a [u64],
}

/// How two players were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// Over the seeds that both played. Games of the same seed have related luck, which cancels
    /// out, so fewer games may be needed than with two separate means.
    Paired,
    /// By their means over all games of each, as independent samples.
    Unpaired,
}

/// The difference between two players: paired by seed, if at least half of the games of one of them
/// have seeds that the other played too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The first player.
    pub first: String,
    /// The second player.
    pub second: String,
    /// How they were compared.
    pub pairing: Pairing,
    /// The number of pairs; without pairs, the games of the player that has fewer.
    pub games: u64,
    /// The mean of the first player's score minus the second player's.
    pub mean: f64,
    /// The standard deviation of one game's difference. Without pairs it is the root of the sum of
    /// both variances.
    pub deviation: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The confidence interval of that mean; `None` if a sample has a single game.
    pub interval: Option<Interval>,
    /// The better player, if the interval does not contain 0.
    pub better: Option<String>,
}

impl Difference {
    /// The difference of two players; `None` if one of them has no games.
    pub(super) fn between(first: &SeededScores<'_>, second: &SeededScores<'_>) -> Option<Difference> {
        let (mine, theirs) = shared(first, second);
        let fewer = first.scores.len().min(second.scores.len());
        let floats = |scores: &[u64]| Moments::of(scores.iter().map(|&score| score as f64));
        let (a, b) = (floats(first.scores)?, floats(second.scores)?);
        let is_paired = !mine.is_empty() && 2 * mine.len() >= fewer;
        let (pairing, games, mean, deviation, error, interval) = if is_paired {
            let pairs = mine.iter().zip(theirs);
            let moments = Moments::of(pairs.map(|(&a, &b)| a as f64 - b as f64))?;
            let Moments { count, mean, deviation } = moments;
            (Pairing::Paired, count, mean, deviation, moments.error(), moments.interval())
        } else {
            let deviation = a.deviation.hypot(b.deviation);
            let error = a.error().hypot(b.error());
            let mean = a.mean - b.mean;
            (Pairing::Unpaired, fewer as u64, mean, deviation, error, welch(&a, &b))
        };
        let better = interval.and_then(|interval| {
            let better = if interval.low > 0.0 {
                first
            } else if interval.high < 0.0 {
                second
            } else {
                return None;
            };
            Some(better.player.to_owned())
        });
        let (first, second) = (first.player.to_owned(), second.player.to_owned());
        Some(Difference { first, second, pairing, games, mean, deviation, error, interval, better })
    }

    /// Whether both players had the same score in every pair.
    pub fn is_none_at_all(&self) -> bool {
        self.pairing == Pairing::Paired && self.mean == 0.0 && self.deviation == 0.0
    }

    /// The number of games of each player that shows a true difference of this size with this
    /// chance, in a two-sided test at 95%. `None` if the difference is 0 or its spread is unknown.
    ///
    /// For a normal distribution it is ((z(0.975) + z(power)) · deviation / mean)², the usual
    /// formula, for example in J. Cohen, Statistical Power Analysis for the Behavioral Sciences,
    /// 2nd edition (1988), chapter 2. The second term corrects it for the t distribution: W. C.
    /// Guenther, Sample size formulas for normal theory t tests, The American Statistician 35
    /// (1981).
    pub fn games_needed(&self, power: f64) -> Option<u64> {
        self.interval.filter(|_| self.mean != 0.0)?;
        let z = normal_point(0.975);
        let samples = match self.pairing {
            Pairing::Paired => 1.0,
            Pairing::Unpaired => 2.0,
        };
        let games = ((z + normal_point(power)) * self.deviation / self.mean).powi(2);
        Some(((games + z * z / (2.0 * samples)).ceil() as u64).max(2))
    }

    /// The result in words.
    pub fn verdict(&self) -> String {
        match &self.better {
            Some(player) => format!("{player} is better"),
            None if self.is_none_at_all() => "the same scores".to_owned(),
            None => "no difference shown".to_owned(),
        }
    }
}

/// The scores of both players for the seeds that both played, in the order of the seeds.
fn shared<'a>(first: &SeededScores<'a>, second: &SeededScores<'a>) -> (&'a [u64], &'a [u64]) {
    let from = first.seed.max(second.seed);
    let part = |scores: &SeededScores<'a>| {
        let before = usize::try_from(from - scores.seed).unwrap_or(usize::MAX);
        scores.scores.get(before..).unwrap_or_default()
    };
    let (mine, theirs) = (part(first), part(second));
    let count = mine.len().min(theirs.len());
    (&mine[..count], &theirs[..count])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
    }

    fn between(first: (u64, &[u64]), second: (u64, &[u64])) -> Difference {
        let named = |player, (seed, scores): (u64, &'static [u64])| SeededScores { player, seed, scores };
        let leak = |(seed, scores): (u64, &[u64])| (seed, &*scores.to_vec().leak());
        Difference::between(&named("a", leak(first)), &named("b", leak(second))).unwrap()
    }

    /// A difference with this mean and this deviation of one game's difference.
    fn effect(pairing: Pairing, mean: f64, deviation: f64) -> Difference {
        let games = 10;
        let interval = Some(Interval { low: mean - 1.0, high: mean + 1.0 });
        let names = ["a", "b"].map(str::to_owned);
        let [first, second] = names;
        Difference { first, second, pairing, games, mean, deviation, error: 0.1, interval, better: None }
    }

    /// The differences are 2, 5, -1, 6 and 1: their squared distances from 2.6 add up to 33.2, and
    /// t for 4 degrees of freedom is 2.776445.
    #[test]
    fn pairs_of_the_same_seed_are_compared_one_by_one() {
        let difference = between((7, &[5, 9, 4, 8, 7]), (7, &[3, 4, 5, 2, 6]));
        assert_eq!((difference.pairing, difference.games), (Pairing::Paired, 5));
        near(difference.mean, 2.6, 1e-12);
        near(difference.interval.unwrap().low, 2.6 - 2.776_445 * (33.2f64 / 20.0).sqrt(), 1e-6);
        near(difference.interval.unwrap().high, 6.177_203, 1e-5);
        assert_eq!(difference.verdict(), "no difference shown");
    }

    #[test]
    fn only_the_shared_seeds_are_paired() {
        // Seeds 10 to 13 against 12 to 14: 12 and 13 are shared, most of the second player's games.
        let difference = between((10, &[1, 2, 30, 40]), (12, &[5, 5, 999]));
        assert_eq!((difference.pairing, difference.games, difference.mean), (Pairing::Paired, 2, 30.0));
        let turned = between((12, &[5, 5, 999]), (10, &[1, 2, 30, 40]));
        assert_eq!((turned.games, turned.mean), (2, -30.0));
        // One shared seed of four is too few.
        let apart = between((1, &[1, 2, 3, 4]), (4, &[5, 6, 7, 8]));
        assert_eq!((apart.pairing, apart.games), (Pairing::Unpaired, 4));
        assert_eq!(between((1, &[1, 2]), (u64::MAX, &[5])).pairing, Pairing::Unpaired);
    }

    /// The reaction times of R's `sleep` data as if they were independent, times ten and moved by
    /// 20: t.test(extra ~ group, data = sleep) gives -3.365483 to 0.205483 for 17.776 degrees of
    /// freedom. Whole degrees are used here, which makes the interval a little wider.
    #[test]
    fn without_shared_seeds_the_means_are_compared_by_welch() {
        let first = [27, 4, 18, 8, 19, 54, 57, 28, 20, 40];
        let second = [39, 28, 31, 21, 19, 64, 75, 36, 66, 54];
        let difference = between((1, &first), (100, &second));
        assert_eq!(difference.pairing, Pairing::Unpaired);
        near(difference.mean, -15.8, 1e-9);
        near(difference.error, 8.4909, 1e-3);
        near(difference.interval.unwrap().low, -33.654_83, 0.1);
        near(difference.interval.unwrap().high, 2.054_83, 0.1);
    }

    #[test]
    fn the_same_scores_are_no_difference_at_all() {
        let difference = between((1, &[5, 9, 4]), (1, &[5, 9, 4]));
        assert_eq!(difference.verdict(), "the same scores");
        assert_eq!(difference.games_needed(USUAL_POWER), None);
    }

    /// The usual table, as G*Power 3.1 and Cohen (1988, tables 2.3 and 2.4) have it: small, medium
    /// and large effects. An effect of two samples is counted in deviations of one of them.
    #[test]
    fn the_number_of_games_is_that_of_the_tables() {
        for (size, paired, unpaired) in [(0.2, 199, 394), (0.5, 34, 64), (0.8, 15, 26)] {
            let needed = effect(Pairing::Paired, size, 1.0).games_needed(0.8);
            assert_eq!(needed, Some(paired), "{size}");
            let needed = effect(Pairing::Unpaired, size, 2f64.sqrt()).games_needed(0.8);
            assert_eq!(needed, Some(unpaired), "{size}");
        }
        assert_eq!(effect(Pairing::Paired, -0.5, 1.0).games_needed(0.95), Some(54));
        assert_eq!(effect(Pairing::Unpaired, 0.5, 2f64.sqrt()).games_needed(0.95), Some(105));
        assert_eq!(effect(Pairing::Paired, 0.0, 1.0).games_needed(0.8), None);
        assert_eq!(
            Difference { interval: None, ..effect(Pairing::Paired, 1.0, 1.0) }.games_needed(0.8),
            None
        );
    }
}
