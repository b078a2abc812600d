//! Axes of values: linear, or logarithmic if the players differ too much.

use crate::chart::nice;

use super::Sample;

/// If the medians of two players differ by this factor, a linear axis would show only one of them.
const FAR_APART: f64 = 12.0;

/// A horizontal axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    from: f64,
    to: f64,
    step: f64,
    is_log: bool,
    left: f64,
    right: f64,
}

impl Axis {
    /// An axis for the scores of all samples.
    pub(super) fn of(samples: &[Sample<'_>], left: f64, right: f64) -> Axis {
        let all = || samples.iter().flat_map(|sample| sample.scores.iter().copied());
        let least = all().min().unwrap_or(0) as f64;
        let most = (all().max().unwrap_or(0) as f64).max(least + 1.0);
        let middles = || samples.iter().map(|sample| median(sample.scores));
        let (lowest, highest) = (middles().fold(f64::INFINITY, f64::min), middles().fold(0.0, f64::max));
        // Zero has no logarithm. Scores of 0 stand at the left end.
        let positive = all().filter(|&score| score > 0).min();
        if let Some(least) = positive.filter(|_| highest / lowest > FAR_APART) {
            return Axis { from: least as f64, to: most * 1.02, step: 0.0, is_log: true, left, right };
        }
        let step = nice((most - least) / 10.0);
        let from = (least / step).floor() * step;
        // The largest score lies before the end.
        let to = ((most / step).floor() + 1.0) * step;
        Axis { from, to, step, is_log: false, left, right }
    }

    /// A linear axis that contains 0 and all values.
    pub(super) fn around_zero(values: impl Iterator<Item = f64>, left: f64, right: f64) -> Axis {
        let (least, most) =
            values.fold((0.0, 0.0), |(least, most): (f64, f64), value| (least.min(value), most.max(value)));
        let room = (0.06 * (most - least)).max(1e-9);
        let most = if most - least > 0.0 { most } else { 1.0 };
        let step = nice((most - least) / 8.0);
        Axis { from: least - room, to: most + room, step, is_log: false, left, right }
    }

    /// The coordinate of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = if self.is_log {
            (value.max(self.from) / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.left + (self.right - self.left) * share
    }

    /// Round values along the axis.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.is_log {
            let decades = (self.to / self.from).log10();
            let digits: &[f64] = if decades > 4.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let first = self.from.log10().floor() as i32;
            let powers = (first..).take(24).map(|power| 10f64.powi(power));
            let values = powers.flat_map(|power| digits.iter().map(move |digit| digit * power));
            return values.filter(|value| (self.from..=self.to).contains(value)).collect();
        }
        let first = (self.from / self.step).ceil();
        let count = ((self.to / self.step).floor() - first).max(0.0) as u32 + 1;
        // A zero that is not exact would get a sign.
        (0..count).map(|number| (first + f64::from(number)) * self.step + 0.0).collect()
    }

    /// The edges of bins for a histogram of this many games: more games allow narrower bins.
    pub(super) fn edges(&self, games: usize) -> Vec<f64> {
        let wanted = (1.5 * (games as f64).sqrt()).clamp(8.0, 60.0);
        if self.is_log {
            let factor = (self.to / self.from).powf(1.0 / wanted.round());
            return (0..=wanted.round() as i32).map(|number| self.from * factor.powi(number)).collect();
        }
        // Bins divide the steps of the axis. All scores are multiples of 4, so narrower bins would
        // stay empty.
        let parts = [10.0, 5.0, 4.0, 2.0, 1.0];
        let steps = ((self.to - self.from) / self.step).round();
        let fits = |parts: &f64| steps * parts <= wanted && self.step / parts >= 4.0;
        let width = self.step / parts.into_iter().find(fits).unwrap_or(1.0);
        let count = ((self.to - self.from) / width).round() as u32;
        (0..=count).map(|number| self.from + f64::from(number) * width).collect()
    }
}

/// The upper median of a sample.
fn median(scores: &[u64]) -> f64 {
    let mut scores = scores.to_vec();
    if scores.is_empty() {
        return 0.0;
    }
    let middle = scores.len() / 2;
    (*scores.select_nth_unstable(middle).1 as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(samples: &[&[u64]]) -> Axis {
        let sample = |scores: &&'static [u64]| Sample { name: "", scores, mean: 0.0, words: "" };
        let samples: Vec<&'static [u64]> = samples.iter().map(|scores| &*scores.to_vec().leak()).collect();
        Axis::of(&samples.iter().map(sample).collect::<Vec<_>>(), 0.0, 100.0)
    }

    #[test]
    fn ticks_are_round_and_hold_all_scores() {
        let axis = axis(&[&[104, 800], &[500]]);
        assert_eq!(axis.ticks(), [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0, 900.0]);
        assert_eq!((axis.place(100.0), axis.place(500.0), axis.place(900.0)), (0.0, 50.0, 100.0));
        let edges = axis.edges(1000);
        assert_eq!((edges[0], edges[1], edges.last()), (100.0, 120.0, Some(&900.0)));
        assert_eq!(axis.edges(10).len(), 9, "few games have few bins");
    }

    #[test]
    fn players_far_apart_have_a_logarithmic_axis() {
        let axis = axis(&[&[100, 200, 300], &[10_000, 20_000]]);
        assert_eq!(axis.ticks(), [100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0]);
        let edges = axis.edges(16);
        assert_eq!(edges.len(), 9);
        assert!(edges.windows(2).all(|pair| pair[0] < pair[1]) && edges[8] > 20_000.0);
        assert!((axis.place(1428.3) - 50.0).abs() < 0.1, "{}", axis.place(1428.3));
    }

    #[test]
    fn scores_of_zero_stand_at_the_left_end_of_a_logarithmic_axis() {
        let axis = axis(&[&[0, 100, 200, 300], &[10_000, 20_000]]);
        assert_eq!(axis.ticks(), [100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0]);
        assert_eq!((axis.place(0.0), axis.place(100.0)), (0.0, 0.0));
    }

    #[test]
    fn one_score_and_no_score_are_no_problem() {
        for samples in [&[&[0u64][..]][..], &[&[1_000_000]], &[&[]], &[]] {
            let axis = axis(samples);
            assert!(axis.place(0.0).is_finite() && !axis.ticks().is_empty(), "{samples:?}");
            assert!(axis.edges(1).len() > 1);
        }
    }

    #[test]
    fn zero_lies_on_the_axis_of_differences() {
        let axis = Axis::around_zero([-30.0, 10.0].into_iter(), 0.0, 100.0);
        assert!(axis.ticks().contains(&0.0) && axis.ticks().contains(&-30.0), "{:?}", axis.ticks());
        assert!((1.0..99.0).contains(&axis.place(0.0)));
        let none = Axis::around_zero(std::iter::empty(), 0.0, 100.0);
        assert!(none.place(0.0).is_finite() && none.ticks().len() < 20);
    }
}
