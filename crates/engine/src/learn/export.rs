//! Export of the learned weights to a network for playing.

use std::io;

use super::rule::{Rule, Tc, load};
use super::tables::Tables;
use super::trainer::Trainer;
use crate::ntuple::{Network, Pattern, Shape, unit_for};

/// How accurately an exported network keeps the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantisation {
    /// How much accuracy one bit of the file is worth. A bit is saved if that costs at most this
    /// much: the squared error of the weight times its use, in points cubed. The use of a weight is
    /// the sum of its absolute errors in training. 0 keeps weights as exact as 16 bits allow. A
    /// larger value gives a smaller file.
    pub thrift: f32,
}

/// The number of weights in a row of a network file: see the file format of [`crate::ntuple`].
pub(super) const ROW: usize = 16;

impl Quantisation {
    /// Estimates the use of the weights of a row: the largest sum of absolute errors in it.
    /// [`round`] chose the step of the row by this use, so the use follows from the step. In a row
    /// with few nonzero weights the step can look larger than it was, and the estimate is then far
    /// too low. Such weights learn too fast for a while. Without thrift the step says nothing.
    pub(super) fn use_of(self, row: &[i16], unit: f32) -> f32 {
        /// About a hundred errors.
        const UNKNOWN: f32 = 100.0 * Tc::ERROR;
        let known = row.iter().filter(|&&weight| weight != 0);
        match known.map(|weight| weight.trailing_zeros()).min() {
            Some(shift) if self.thrift > 0.0 => {
                let step = (1u32 << shift) as f32 * unit;
                // At least one error, and at most what the precision of a sum of this size allows.
                (STEP * STEP * self.thrift / (step * step)).clamp(Tc::ERROR, 1e10)
            }
            _ => UNKNOWN,
        }
    }
}

/// The best step for a weight, in units of sqrt(thrift / use): see [`round`].
const STEP: f32 = 4.0;

/// The largest rounded weight.
const MOST: f32 = i16::MAX as f32;

impl<const R: usize, const C: usize, K: Rule> Trainer<R, C, Tables<K>> {
    /// The network for playing, from the mean of the weights if there is one, otherwise from the
    /// current weights. Fails if there is not enough memory.
    pub(super) fn export(&self, quantisation: Quantisation) -> io::Result<Network> {
        let shape = self.recipe.shape.clone();
        let weights = self.tables.words().len() / K::WORDS;
        let largest = (0..weights).map(|place| self.weight(place).abs());
        let unit = unit_for(largest.fold(0.0, f32::max));
        let patterns = shape.patterns.list().len();
        let table = |number| self.rounded(number / patterns, number % patterns, unit, quantisation);
        Network::from_weights(shape, unit, table)
    }

    /// The weight at a place for export: its mean if there is one, otherwise its current value.
    fn weight(&self, place: usize) -> f32 {
        let now = || load(&self.tables.words_at(place)[0]);
        self.average.as_ref().map_or_else(now, |average| average.of(place))
    }

    /// The weights of a table as rounded multiples of `unit`.
    fn rounded(&self, stage: usize, pattern: usize, unit: f32, quantisation: Quantisation) -> Vec<i16> {
        let Shape { patterns, stages, .. } = &self.recipe.shape;
        let lens: Vec<usize> = patterns.list().iter().map(Pattern::table_len).collect();
        let before = stage * lens.iter().sum::<usize>() + lens[..pattern].iter().sum::<usize>();
        let places = self.tables.places_from(before).take(lens[pattern]);
        let exact = places.enumerate().map(|(number, place)| {
            // The digits of a weight's number are the ranks of its cells. If these ranks alone put
            // a board into a later stage, no board of this stage uses the weight.
            let asked = stages.of(number as u64).0 <= stage;
            // The last word of a temporal-coherence record is the sum of absolute errors.
            let use_of = if K::WORDS < 3 { 1.0 } else { load(&self.tables.words_at(place)[K::WORDS - 1]) };
            let weight = if asked { self.weight(place) / unit } else { 0.0 };
            Exact { weight, use_of: use_of * unit * unit }
        });
        let exact: Vec<Exact> = exact.collect();
        let mut weights = vec![0; exact.len()];
        for (exact, weights) in exact.chunks(ROW).zip(weights.chunks_mut(ROW)) {
            if exact.iter().any(|exact| exact.weight != 0.0) {
                round(exact, quantisation.thrift, weights);
            }
        }
        weights
    }
}

/// A weight in units, and its use in the unit of the thrift.
#[derive(Clone, Copy, Debug)]
struct Exact {
    weight: f32,
    use_of: f32,
}

/// Rounds the weights of a row to multiples of one power of two, and small ones to 0. Minimises the
/// rounding error plus the cost of the bits in the file.
fn round(row: &[Exact], thrift: f32, rounded: &mut [i16]) {
    let most_used = row.iter().map(|exact| exact.use_of).fold(0.0, f32::max);
    // Halving the step takes one bit more and removes three quarters of the squared error (step^2 /
    // 12). The step is right for the most used weight if that gain is worth one bit. A larger step
    // may be better for the other weights.
    let step = if most_used > 0.0 { STEP * (thrift / most_used).sqrt() } else { MOST };
    let right = (step.max(1.0).log2() as u32).min(14);
    let shifts = if thrift == 0.0 { 0..=0 } else { right.saturating_sub(1)..=(right + 2).min(14) };
    /// The bits that a row takes before its weights: a flag that it exists, and its step.
    const ROW_BITS: f32 = 6.0;
    let squared: f32 = row.iter().map(|exact| exact.use_of * exact.weight * exact.weight).sum();
    let mut least = if thrift == 0.0 { f32::INFINITY } else { squared };
    for shift in shifts {
        let mut cost = thrift * ROW_BITS;
        let mut candidate = [0; ROW];
        for (place, exact) in candidate.iter_mut().zip(row).filter(|(_, exact)| exact.weight != 0.0) {
            let (level, cost_of_level) = best_level(*exact, shift, thrift);
            cost += cost_of_level;
            *place = (level << shift) as i16;
        }
        if cost < least {
            least = cost;
            rounded.copy_from_slice(&candidate[..row.len()]);
        }
    }
}

/// The best multiple of a power of two for a weight, and its cost. The candidates are the nearest
/// multiple, the next one towards 0, and 0.
fn best_level(exact: Exact, shift: u32, thrift: f32) -> (i32, f32) {
    let step = (1u32 << shift) as f32;
    let sign = if exact.weight < 0.0 { -1 } else { 1 };
    let nearest = (exact.weight.abs() / step).round().min((MOST / step).floor()) as u32;
    let cost = |level: u32| {
        let error = exact.weight.abs() - level as f32 * step;
        exact.use_of * error * error + thrift * bits(level)
    };
    let mut best = (nearest, cost(nearest));
    if thrift > 0.0 {
        for level in [nearest.saturating_sub(1), 0] {
            let cost = cost(level);
            if cost < best.1 {
                best = (level, cost);
            }
        }
    }
    (sign * best.0 as i32, best.1)
}

/// About how many bits a file needs for a level: its sign, the number of its binary digits, and the
/// digits. A 0 takes less than one bit.
fn bits(level: u32) -> f32 {
    match level {
        0 => 0.5,
        1 => 2.0,
        2..4 => 3.9,
        _ => 2.75 + 1.5 * level.ilog2() as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::game::Probability;
    use crate::learn::rule::Td;
    use crate::learn::{Changes, Limit, Order, Recipe, Training as _, UpdateRule};
    use crate::ntuple::{Patterns, Shape, Stages};

    fn rounded(row: &[(f32, f32)], thrift: f32) -> Vec<i16> {
        let row: Vec<Exact> = row.iter().map(|&(weight, use_of)| Exact { weight, use_of }).collect();
        let mut rounded = vec![0; row.len()];
        round(&row, thrift, &mut rounded);
        rounded
    }

    /// A run that has played 200 games.
    fn trainer() -> Trainer<2, 2, Tables<Td>> {
        let patterns = Patterns::parse(Size::new(2, 2).unwrap(), "01").unwrap();
        let shape = Shape { patterns, stages: Stages::one(), top: 15, start_value: 0.0 };
        let recipe = Recipe {
            rule: UpdateRule::Td,
            order: Order::Forward,
            restart: 0,
            single_games: 0,
            ..Recipe::new(shape)
        };
        let mut trainer = Trainer::new(recipe).unwrap();
        trainer.run(1, Limit { games: Some(200), ..Limit::default() });
        trainer
    }

    #[test]
    fn a_network_has_the_mean_of_the_weights_that_were_added_to_it() {
        let mut trainer = trainer();
        let places = 0..trainer.tables.words().len();
        let weights =
            |trainer: &Trainer<2, 2, Tables<Td>>| places.clone().map(|place| trainer.weight(place)).collect();
        let first: Vec<f32> = weights(&trainer);
        trainer.add_to_mean().unwrap();
        trainer.run(1, Limit { games: Some(400), ..Limit::default() });
        assert_eq!(weights(&trainer), first, "weights count only when they are added");
        let mean = trainer.average.take();
        let second: Vec<f32> = weights(&trainer);
        assert_ne!(first, second);
        trainer.average = mean;
        trainer.add_to_mean().unwrap();
        let both = weights(&trainer);
        assert!(
            both.iter().zip(first.iter().zip(&second)).all(|(mean, (one, two))| *mean == (one + two) / 2.0)
        );
        let network = trainer.network(Quantisation::default()).unwrap();
        let exported = network.tables().flatten().map(|weight| f32::from(weight) * network.weight_scale());
        let exact = trainer.tables.places_from(0).map(|place| both[place]);
        assert!(
            exported
                .zip(exact)
                .all(|(rounded, exact)| (rounded - exact).abs() <= network.weight_scale() / 2.0)
        );
    }

    #[test]
    fn a_network_is_mixed_in_by_its_share() {
        let (mut trainer, mut other) = (trainer(), trainer());
        other.run(1, Limit { games: Some(400), ..Limit::default() });
        let other = other.network(Quantisation::default()).unwrap();
        let places: Vec<usize> = trainer.tables.places_from(0).collect();
        let before: Vec<f32> = places.iter().map(|&place| trainer.weight(place)).collect();
        trainer.mix(&other, Quantisation::default(), Probability::new(0.25).unwrap()).unwrap();
        let theirs = other.tables().flatten().map(|weight| f32::from(weight) * other.weight_scale());
        let mut moved = 0;
        for ((place, before), theirs) in places.into_iter().zip(before).zip(theirs) {
            let mixed = trainer.weight(place);
            assert!((mixed - (0.75 * before + 0.25 * theirs)).abs() < 1e-3);
            moved += u32::from(mixed != before);
        }
        assert!(moved > 10);
    }

    #[test]
    fn a_network_with_fewer_stages_is_mixed_into_those_that_it_has() {
        let (mut trainer, mut other) = (trainer(), trainer());
        other.run(1, Limit { games: Some(400), ..Limit::default() });
        let other = other.network(Quantisation::default()).unwrap();
        trainer.apply(Changes { stages: "8".parse().ok(), ..Changes::default() }).unwrap();
        let weights = |trainer: &Trainer<2, 2, Tables<Td>>| -> Vec<f32> {
            trainer.tables.places_from(0).map(|place| trainer.weight(place)).collect()
        };
        let before = weights(&trainer);
        trainer.mix(&other, Quantisation::default(), Probability::ONE).unwrap();
        let (after, first) = (weights(&trainer), before.len() / 2);
        let theirs = other.tables().flatten().map(|weight| f32::from(weight) * other.weight_scale());
        assert!(after[..first].iter().zip(theirs).all(|(own, theirs)| (own - theirs).abs() < 1e-3));
        assert!(after[..first] != before[..first]);
        assert_eq!(after[first..], before[first..]);
    }

    /// Weights that only the other network knows must not look unused. Otherwise they would soon be
    /// relearned, and a small file would leave them out.
    #[test]
    fn weights_that_only_the_other_network_knows_keep_their_use() {
        let recipe = Recipe { rule: UpdateRule::Tc, ..trainer().recipe };
        let mut knows = Trainer::<2, 2, Tables<Tc>>::new(recipe.clone()).unwrap();
        knows.run(1, Limit { games: Some(3000), ..Limit::default() });
        let quantisation = Quantisation { thrift: 10.0 };
        let known = knows.network(quantisation).unwrap();
        let mut knows_nothing = Trainer::<2, 2, Tables<Tc>>::new(recipe).unwrap();
        knows_nothing.mix(&known, quantisation, Probability::new(0.5).unwrap()).unwrap();
        let mixed = knows_nothing.network(quantisation).unwrap();
        let sum = |network: &Network| {
            network
                .tables()
                .flatten()
                .map(|weight| f32::from(weight).abs() * network.weight_scale())
                .sum::<f32>()
        };
        let share = sum(&mixed) / sum(&known);
        assert!((0.4..0.6).contains(&share), "{share}");
    }

    #[test]
    fn weights_that_no_board_of_a_stage_asks_for_are_left_out() {
        let mut trainer = trainer();
        trainer.apply(Changes { stages: "8".parse().ok(), ..Changes::default() }).unwrap();
        let network = trainer.network(Quantisation::default()).unwrap();
        let mut tables = network.tables();
        let (low, high) = (tables.next().unwrap(), tables.next().unwrap());
        for (number, (low, high)) in low.zip(high).enumerate() {
            let shows_8 = number % 16 >= 3 || number / 16 >= 3;
            assert_eq!(low, if shows_8 { 0 } else { high }, "{number:02x}");
        }
    }

    #[test]
    fn without_thrift_the_nearest_whole_number_is_taken() {
        assert_eq!(
            rounded(&[(-20.4, 1.0), (0.0, 0.0), (0.6, 1e-9), (32767.0, 1.0)], 0.0),
            [-20, 0, 1, 32767]
        );
        assert_eq!((unit_for(32767.0), unit_for(32768.0), unit_for(10.0)), (1.0, 2.0, 2f32.powi(-11)));
    }

    #[test]
    fn how_a_row_is_rounded_tells_how_much_it_was_used() {
        let quantisation = Quantisation { thrift: 4e7 };
        let told = [1e5, 1e6, 1e7, 1e8].map(|used| {
            let row: Vec<_> = (0..16u8).map(|place| (997.0 * f32::from(place) - 7000.0, used)).collect();
            let told = quantisation.use_of(&rounded(&row, 4e7), 1.0);
            assert!((used / 16.0..used * 16.0).contains(&told), "{used} {told}");
            told
        });
        assert!(told.is_sorted(), "{told:?}");
        // 4 * 4 * 4e7 / 8^2. With a unit of 2 points the step is twice as long.
        assert_eq!(quantisation.use_of(&[0, 8, -24], 1.0), 1e7);
        assert_eq!(quantisation.use_of(&[0, 8, -24], 2.0), 2.5e6);
        assert_eq!(quantisation.use_of(&[1 << 14], 1e30), 300.0);
        assert_eq!(Quantisation { thrift: f32::MAX }.use_of(&[1], 1e-30), 1e10);
        assert_eq!(Quantisation::default().use_of(&[1, 2], 1.0), 30_000.0);
    }

    #[test]
    fn what_is_rarely_used_is_rounded_more_or_dropped() {
        assert_eq!(rounded(&[(-1020.4, 1e6)], 1.0), [-1020]);
        let coarse = rounded(&[(-1020.4, 1.0)], 1000.0)[0];
        assert!((-1100..-940).contains(&coarse) && coarse.trailing_zeros() >= 5, "{coarse}");
        assert_eq!(rounded(&[(-20.4, 1.0)], 1000.0), [0]);
        // Both weights get the same step, the one for the used weight.
        assert_eq!(rounded(&[(1001.0, 1e6), (7.0, 1e-3)], 1.0), [1001, 0]);
    }
}
