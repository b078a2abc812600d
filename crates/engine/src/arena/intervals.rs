//! The formulas behind the statistics, with their sources. All intervals are two-sided at 95%.

use serde::Serialize;

/// The 97.5% point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Half its width: the number after a "+-".
    pub fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The mean and standard deviation of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The number of values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The standard deviation, with the divisor n - 1; 0 for a sample of one.
    pub deviation: f64,
}

impl Moments {
    /// The moments of a sample. `None` for an empty one.
    pub fn of(sample: impl Iterator<Item = f64>) -> Option<Moments> {
        let mut running = RunningMoments::default();
        sample.for_each(|value| running.add(value));
        running.moments()
    }

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.count as f64).sqrt()
    }

    /// The confidence interval of the mean by Student's t. `None` for a sample of one, whose spread
    /// is unknown.
    pub fn interval(&self) -> Option<Interval> {
        let half = student_t(self.count.checked_sub(1).filter(|&freedom| freedom > 0)?) * self.error();
        Some(Interval { low: self.mean - half, high: self.mean + half })
    }
}

/// The moments of a sample of which nothing else is kept. The squared distances from the mean are
/// corrected with each value, which loses no digits: B. P. Welford, Note on a method for
/// calculating corrected sums of squares and products, Technometrics 4 (1962).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunningMoments {
    count: u64,
    sum: f64,
    squares: f64,
}

impl RunningMoments {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: f64) {
        let before = if self.count == 0 { value } else { self.mean() };
        self.count += 1;
        self.sum += value;
        self.squares += (value - before) * (value - self.mean());
    }

    /// The number of values.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the values.
    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The moments so far; `None` without a value.
    pub(crate) fn moments(&self) -> Option<Moments> {
        let &RunningMoments { count, squares, .. } = self;
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        (count > 0).then(|| Moments { count, mean: self.mean(), deviation })
    }
}

/// The 97.5% point of Student's t distribution.
///
/// Up to 10 degrees of freedom it uses the usual table. Beyond that it uses the expansion in
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5, which is right to five digits
/// there and converges to the normal distribution.
fn student_t(freedom: u64) -> f64 {
    const TABLE: [f64; 10] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157,
        2.228_139,
    ];
    let index = usize::try_from(freedom.saturating_sub(1)).unwrap_or(usize::MAX);
    if let Some(&value) = TABLE.get(index) {
        return value;
    }
    let v = freedom as f64;
    let odd = |power: i32| Z.powi(power);
    Z + (odd(3) + Z) / (4.0 * v)
        + (5.0 * odd(5) + 16.0 * odd(3) + 3.0 * Z) / (96.0 * v.powi(2))
        + (3.0 * odd(7) + 19.0 * odd(5) + 17.0 * odd(3) - 15.0 * Z) / (384.0 * v.powi(3))
        + (79.0 * odd(9) + 776.0 * odd(7) + 1482.0 * odd(5) - 1920.0 * odd(3) - 945.0 * Z)
            / (92160.0 * v.powi(4))
}

/// The confidence interval of the difference of the means of two independent samples: B. L. Welch,
/// The generalization of "Student's" problem when several different population variances are
/// involved, Biometrika 34 (1947). The degrees of freedom are rounded down, which makes it a little
/// wider. `None` if a sample has a single value.
pub(crate) fn welch(first: &Moments, second: &Moments) -> Option<Interval> {
    let freedom = |sample: &Moments| sample.count.checked_sub(1).filter(|&freedom| freedom > 0);
    let (v, w) = (freedom(first)?, freedom(second)?);
    let (a, b) = (first.error().powi(2), second.error().powi(2));
    // Without any spread, the division gives no number, and no number of degrees matters.
    let together = (a + b).powi(2) / (a.powi(2) / v as f64 + b.powi(2) / w as f64);
    let half = student_t((together as u64).max(v.min(w))) * (a + b).sqrt();
    let mean = first.mean - second.mean;
    Some(Interval { low: mean - half, high: mean + half })
}

/// The point below which a share of the standard normal distribution lies, to seven digits: M. J.
/// Wichura, Algorithm AS 241: the percentage points of the normal distribution, Applied Statistics
/// 37 (1988), PPND7. `share` is between 0 and 1.
pub(crate) fn normal_point(share: f64) -> f64 {
    fn ratio(r: f64, above: [f64; 4], below: [f64; 3]) -> f64 {
        let [a, b, c, d] = above;
        let [f, g, h] = below;
        (((d * r + c) * r + b) * r + a) / (((h * r + g) * r + f) * r + 1.0)
    }
    let q = share - 0.5;
    if q.abs() <= 0.425 {
        let above = [3.387_132_717_9, 50.434_271_938, 159.291_132_02, 59.109_374_720];
        let below = [17.895_169_469, 78.757_757_664, 67.187_563_600];
        return q * ratio(0.180_625 - q * q, above, below);
    }
    let r = (-share.min(1.0 - share).ln()).sqrt();
    let point = if r <= 5.0 {
        let above = [1.423_437_277_7, 2.756_815_390_0, 1.306_728_481_6, 0.170_238_211_03];
        ratio(r - 1.6, above, [0.737_001_642_50, 0.120_211_329_75, 0.0])
    } else {
        let above = [6.657_905_115_0, 3.081_226_386_0, 0.428_682_943_37, 0.017_337_203_997];
        ratio(r - 5.0, above, [0.241_978_942_25, 0.012_258_202_635, 0.0])
    };
    point.copysign(q)
}

/// The confidence interval of a rate by the score method: E. B. Wilson, Probable inference, the law
/// of succession, and statistical inference, JASA 22 (1927). Unlike the textbook interval it is
/// also useful at 0% and 100%.
pub(crate) fn wilson(hits: u64, count: u64) -> Interval {
    let n = count as f64;
    let rate = hits as f64 / n;
    let square = Z * Z;
    let scale = 1.0 + square / n;
    let middle = (rate + square / (2.0 * n)) / scale;
    let half = Z / scale * (rate * (1.0 - rate) / n + square / (4.0 * n * n)).sqrt();
    // At the ends the formula is exact except for rounding, which must not leave the range of a
    // rate.
    let low = if hits == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if hits == count { 1.0 } else { (middle + half).min(1.0) };
    Interval { low, high }
}

/// The p-value of the two-sided sign test (Arbuthnot 1710): the probability that fair coins give a
/// result at least as uneven as these wins and losses. Ties are left out. 1 if there are no games.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let (games, fewer) = (wins + losses, wins.min(losses));
    // Uses logarithms of the binomial terms, because the terms themselves would underflow.
    let mut log_term = -(games as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for heads in 0..=fewer {
        tail += log_term.exp();
        log_term += ((games - heads) as f64 / (heads + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
    }

    #[test]
    fn moments_of_a_sample_done_by_hand() {
        // Mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7 = 4.571428...
        let sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let moments = Moments::of(sample.into_iter()).unwrap();
        assert_eq!((moments.count, moments.mean), (8, 5.0));
        near(moments.deviation, (32.0f64 / 7.0).sqrt(), 1e-12);
        near(moments.error(), (4.0f64 / 7.0).sqrt(), 1e-12);
        // t for 7 degrees of freedom is 2.365.
        near(moments.interval().unwrap().half(), 2.364_624 * (4.0f64 / 7.0).sqrt(), 1e-6);
        near(moments.interval().unwrap().low, 3.2125, 1e-3);
    }

    #[test]
    fn a_large_offset_loses_no_digits() {
        let sample = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        near(Moments::of(sample.into_iter()).unwrap().deviation, 30.0f64.sqrt(), 1e-9);
    }

    #[test]
    fn tiny_samples() {
        assert_eq!(Moments::of(std::iter::empty()), None);
        let one = Moments::of(std::iter::once(7.0)).unwrap();
        assert_eq!((one.mean, one.deviation, one.interval()), (7.0, 0.0, None));
    }

    /// Values from the standard table.
    #[test]
    fn student_t_is_that_of_the_tables() {
        let table = [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (5, 2.571),
            (10, 2.228),
            (11, 2.201),
            (15, 2.131),
            (20, 2.086),
            (25, 2.060),
            (30, 2.042),
            (40, 2.021),
            (60, 2.000),
            (120, 1.980),
            (1000, 1.962),
            (1_000_000_000, 1.960),
        ];
        for (freedom, value) in table {
            near(student_t(freedom), value, 0.000_6);
        }
    }

    #[test]
    fn student_t_falls_steadily_where_table_and_expansion_meet() {
        let values: Vec<f64> = (8..16).map(student_t).collect();
        let steps: Vec<f64> = values.windows(2).map(|pair| pair[0] - pair[1]).collect();
        assert!(steps.windows(2).all(|pair| pair[0] > pair[1] && pair[1] > 0.0), "{values:?}");
    }

    /// Known values: Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn wilson_intervals_are_those_of_the_literature() {
        for (hits, count, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(hits, count);
            near(interval.low, low, 0.000_06);
            near(interval.high, high, 0.000_06);
            let mirrored = wilson(count - hits, count);
            near(mirrored.low, 1.0 - interval.high, 1e-12);
            near(mirrored.high, 1.0 - interval.low, 1e-12);
        }
    }

    /// Values of Python's `statistics.NormalDist().inv_cdf`.
    #[test]
    fn normal_points_are_those_of_the_tables() {
        for (share, point) in [
            (0.5, 0.0),
            (0.8, 0.841_621_233_6),
            (0.9, 1.281_551_565_5),
            (0.975, Z),
            (0.999, 3.090_232_306_2),
            (0.001, -3.090_232_306_2),
            (1e-15, -7.941_345_326_2),
        ] {
            near(normal_point(share), point, 2e-6);
        }
    }

    #[test]
    fn samples_without_spread_or_with_one_value_do_not_break_the_interval() {
        let same = Moments::of([4.0, 4.0, 4.0].into_iter()).unwrap();
        let other = Moments::of([1.0, 1.0].into_iter()).unwrap();
        assert_eq!(welch(&same, &other), Some(Interval { low: 3.0, high: 3.0 }));
        let one = Moments::of([4.0].into_iter()).unwrap();
        assert_eq!(welch(&one, &other), None);
    }

    #[test]
    fn coins_come_out_lopsided_as_often_as_the_binomial_says() {
        near(sign_test(10, 0), 2.0 / 1024.0, 1e-12);
        near(sign_test(1, 9), 22.0 / 1024.0, 1e-12);
        near(sign_test(25, 0), 2.0 / f64::from(1 << 25), 1e-15);
        assert_eq!([sign_test(0, 0), sign_test(5, 5), sign_test(1, 0)], [1.0, 1.0, 1.0]);
        // For many games compare with the normal distribution: 1030 of 2000 is 1.3 standard
        // deviations (with continuity correction) from the middle.
        near(sign_test(1030, 970), 0.187, 0.002);
    }
}
