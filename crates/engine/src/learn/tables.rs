//! The weights during training.

use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::NewStages;
use super::export::{Quantisation, ROW};
use super::rule::{Rule, load, store};
use super::value_function::ValueFunction;
use crate::board::PackedAfter;
use crate::ntuple::{
    Gathers, IMAGES, Machine, Network, Pattern, Patterns, Shape, SharedWords, Table, add_up, images_of_all,
    lanes, prefetch,
};

/// Weights that any number of threads read and update at once.
#[derive(Debug)]
pub(crate) struct Tables<K: Rule> {
    words: SharedWords,
    gathers: Gathers,
    shape: Shape,
    share: f32,
    rule: PhantomData<K>,
}

/// Copies words. Skipping zeros leaves untouched pages unallocated.
fn copy(from: &[AtomicU32], to: &[AtomicU32]) {
    for (from, to) in from.iter().zip(to) {
        let word = from.load(Relaxed);
        if word != 0 {
            to.store(word, Relaxed);
        }
    }
}

impl<K: Rule> Tables<K> {
    /// Tables of zeros. Fails if there is not enough memory.
    pub(crate) fn new(shape: Shape) -> io::Result<Tables<K>> {
        let gathers = Gathers::new(&shape.patterns);
        let words = SharedWords::zeroed(gathers.weights * shape.stages.len() * K::WORDS)?;
        let share = 1.0 / shape.patterns.features() as f32;
        Ok(Tables { words, gathers, shape, share, rule: PhantomData })
    }

    /// A copy of the weights for a network with more stages.
    pub(crate) fn with_stages(&self, shape: Shape, new: NewStages) -> io::Result<Tables<K>> {
        let tables = Tables::<K>::new(shape)?;
        let known = self.shape.stages.len();
        for stage in 0..known {
            copy(self.words_of(stage), tables.words_of(stage));
        }
        tables.begin_stages(known, new);
        Ok(tables)
    }

    /// Initialises the stages from number `known` on.
    fn begin_stages(&self, known: usize, new: NewStages) {
        match new {
            NewStages::Copy => {
                for stage in known..self.shape.stages.len() {
                    copy(self.words_of(known - 1), self.words_of(stage));
                }
            }
            // Tables start with zeros.
            NewStages::Fresh => {}
        }
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Takes over the nonzero weights of a network that has the same shape or fewer stages. A
    /// weight of 0 was either never learned or not worth its place in the file.
    pub(crate) fn begin_with(&self, network: &Network, quantisation: Quantisation, new: NewStages) {
        for (place, weight, used) in self.weights_of(network, quantisation) {
            if weight != 0.0 {
                K::begin_with(self.record(place), weight, used);
            }
        }
        self.begin_stages(network.shape().stages.len(), new);
    }

    /// Moves the weights towards those of a network by `share` of the distance. The network has the
    /// same shape or fewer stages. A weight that only the network knows keeps the use that it had
    /// there.
    pub(crate) fn mix(&self, network: &Network, quantisation: Quantisation, share: f32) {
        for (place, theirs, used) in self.weights_of(network, quantisation) {
            let weight = K::weight(self.record(place));
            let own = load(weight);
            if own != 0.0 {
                store(weight, own + share * (theirs - own));
            } else if theirs != 0.0 {
                K::begin_with(self.record(place), share * theirs, used);
            }
        }
    }

    /// The weights of a network that has the same shape or fewer stages. Each comes with its place
    /// here and its estimated use.
    fn weights_of(
        &self,
        network: &Network,
        quantisation: Quantisation,
    ) -> impl Iterator<Item = (usize, f32, f32)> {
        assert_eq!(self.shape.difference_from(network.shape()), None, "the network must fit the shape");
        let unit = network.weight_scale();
        // Every table consists of whole rows. The smallest table is one row.
        let mut weights = network.tables().flatten();
        let mut next_row = move || weights.by_ref().take(ROW).collect::<Vec<i16>>();
        let rows = std::iter::from_fn(move || Some(next_row()).filter(|row| !row.is_empty()));
        let known = rows.flat_map(move |row| {
            let used = quantisation.use_of(&row, unit);
            row.into_iter().map(move |weight| (f32::from(weight) * unit, used))
        });
        self.places_from(0).zip(known).map(|(place, (weight, used))| (place, weight, used))
    }

    /// The record of the weight at a place.
    fn record(&self, place: usize) -> &K::Record {
        &K::records(self.words.as_slice())[place]
    }

    /// The words of the weights of all stages in file order, starting with this weight.
    pub(crate) fn weights_from(&self, number: usize) -> impl Iterator<Item = &[AtomicU32]> {
        self.places_from(number).map(|place| self.words_at(place))
    }

    /// The places of the weights of all stages in file order, starting with this weight.
    pub(crate) fn places_from(&self, number: usize) -> impl Iterator<Item = usize> {
        let all = self.gathers.weights * self.shape.stages.len();
        self.gathers.places_from(number).take(all.saturating_sub(number))
    }

    /// The words of the weight at a place.
    pub(crate) fn words_at(&self, place: usize) -> &[AtomicU32] {
        &self.words.as_slice()[place * K::WORDS..(place + 1) * K::WORDS]
    }

    /// The words of all weights of a stage.
    fn words_of(&self, stage: usize) -> &[AtomicU32] {
        let len = self.gathers.weights * K::WORDS;
        &self.words.as_slice()[stage * len..(stage + 1) * len]
    }

    /// The words of all weights of all stages.
    pub(crate) fn words(&self) -> &[AtomicU32] {
        self.words.as_slice()
    }

    /// Whether no weight is infinite or not a number.
    pub(crate) fn are_finite(&self) -> bool {
        K::records(self.words()).iter().all(|record| load(K::weight(record)).is_finite())
    }

    /// The tables of a stage.
    #[inline(always)]
    fn tables_of(&self, stage: usize) -> impl Iterator<Item = (&Table, &[K::Record])> {
        let start = stage * self.gathers.weights;
        let mut rest = &K::records(self.words.as_slice())[start..];
        self.gathers.tables.iter().map(move |table| {
            let (records, others) = rest.split_at(table.len);
            rest = others;
            (table, records)
        })
    }

    /// The tables of the stage of an afterstate, each with the places of its active weights.
    #[inline(always)]
    fn found<'a, const R: usize, const C: usize>(
        &'a self,
        active: &'a Active<R, C>,
    ) -> impl Iterator<Item = (&'a [K::Record], &'a [u32; IMAGES])> {
        self.tables_of(active.stage).zip(&active.places).map(|((_, records), places)| (records, places))
    }
}

impl<const R: usize, const C: usize, K: Rule> ValueFunction<R, C> for Tables<K> {
    type Active = Active<R, C>;

    const NONE: Active<R, C> = Active { stage: 0, places: [[0; IMAGES]; Patterns::MAX] };

    #[inline(always)]
    fn find_active<const N: usize>(
        &self,
        machine: impl Machine,
        afters: [PackedAfter<R, C>; N],
        active: &mut [Active<R, C>],
    ) {
        let (mut stages, mut cells) = ([0; N], [0; N]);
        for place in 0..N {
            (stages[place], cells[place]) = self.shape.stages.of(self.shape.known(afters[place].bits()));
        }
        let images = images_of_all::<R, C, N>(cells);
        for ((active, &stage), images) in active.iter_mut().zip(&stages).zip(&images) {
            active.stage = stage;
            for ((table, records), places) in self.tables_of(stage).zip(&mut active.places) {
                *places = machine.indices(&table.gather, images).map(|index| index as u32);
                for &place in &places[..lanes::<R, C>()] {
                    prefetch(records.as_ptr().wrapping_add(place as usize));
                }
            }
        }
    }

    /// Copies only the patterns that the network has.
    #[inline(always)]
    fn copy_active(&self, from: &Active<R, C>, to: &mut Active<R, C>) {
        let patterns = self.gathers.tables.len();
        to.stage = from.stage;
        to.places[..patterns].copy_from_slice(&from.places[..patterns]);
    }

    #[inline(always)]
    fn value(&self, active: &Active<R, C>) -> f32 {
        // One sum for each image: eight short chains of additions instead of one long chain.
        let mut sums = [0f32; IMAGES];
        for (records, places) in self.found(active) {
            for lane in 0..lanes::<R, C>() {
                sums[lane] += load(K::weight(&records[places[lane] as usize]));
            }
        }
        self.shape.start_value + add_up(&sums)
    }

    /// On a near-empty or symmetric board several images find the same weight. It is updated only
    /// once. So the value moves by exactly `rate * error`, not further.
    #[inline(always)]
    fn learn(&self, active: &Active<R, C>, target: f32, rate: f32) -> f32 {
        let value = self.value(active);
        let (error, share) = (target - value, rate * self.share);
        let mut changes = [0f32; IMAGES];
        for (records, places) in self.found(active) {
            if R == C && !repeats(places) {
                let found = std::array::from_fn(|lane| &records[places[lane] as usize]);
                K::change_all(found, error, share, &mut changes);
            } else {
                changes[0] += change_each::<K>(records, &places[..lanes::<R, C>()], error, share);
            }
        }
        value + add_up(&changes)
    }

    #[inline(always)]
    fn beyond(&self, after: PackedAfter<R, C>) -> Option<PackedAfter<R, C>> {
        let known = || PackedAfter::from_bits(self.shape.known(after.bits()));
        self.shape.is_beyond(after.bits()).then(|| known().expect("downgrading keeps the cells in place"))
    }

    #[inline(always)]
    fn stage(&self, after: PackedAfter<R, C>) -> usize {
        self.shape.stages.of(self.shape.known(after.bits())).0
    }
}

/// Whether any two of eight places are equal. Comparing the places with themselves rotated by 1 to
/// 4 covers every pair. `(differs - 1) & !differs` has its highest bit set only if `differs` is 0.
/// Unlike comparisons, this compiles to vector instructions.
#[inline(always)]
fn repeats(places: &[u32; IMAGES]) -> bool {
    let mut equal = [0; IMAGES];
    for turn in 1..=IMAGES / 2 {
        let turned: [u32; IMAGES] = std::array::from_fn(|place| places[(place + turn) % IMAGES]);
        for place in 0..IMAGES {
            let differs = places[place] ^ turned[place];
            equal[place] |= differs.wrapping_sub(1) & !differs;
        }
    }
    equal.iter().fold(0, |all, equal| all | equal) >> 31 != 0
}

/// Updates weights that may repeat, each only once. Returns the total change of the value.
fn change_each<K: Rule>(records: &[K::Record], indices: &[u32], error: f32, share: f32) -> f32 {
    let mut changed = 0.0;
    for (lane, &index) in indices.iter().enumerate() {
        if !indices[..lane].contains(&index) {
            let times = indices[lane..].iter().filter(|&&other| other == index).count();
            changed += times as f32 * K::change(&records[index as usize], error, share);
        }
    }
    changed
}

/// The active features of an afterstate: the weights that its value is the sum of.
#[derive(Clone, Debug)]
pub(crate) struct Active<const R: usize, const C: usize> {
    stage: usize,
    /// For each pattern and image, the place of the weight in the pattern's table.
    places: [[u32; IMAGES]; Patterns::MAX],
}

const _: () = assert!(4 * Pattern::MAX_CELLS <= u32::BITS as usize, "the place of a weight fits 32 bits");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Size;
    use crate::learn::rule::{Tc, Td};
    use crate::ntuple::{Portable, Stages};

    fn tables<K: Rule>(size: &str, patterns: &str, start_value: f32) -> Tables<K> {
        let patterns = Patterns::parse(size.parse::<Size>().unwrap(), patterns).unwrap();
        Tables::new(Shape { patterns, stages: Stages::one(), top: 15, start_value }).unwrap()
    }

    /// Learns an error instead of a target. Returns the change of the value.
    fn learn<const R: usize, const C: usize, K: Rule>(
        tables: &Tables<K>,
        after: PackedAfter<R, C>,
        error: f32,
        rate: f32,
    ) -> f32 {
        let value = value(tables, after);
        let new = tables.learn(&tables.active(Portable, after), value + error, rate);
        assert!((new - self::value(tables, after)).abs() < 1e-4, "learn must return the new value");
        new - value
    }

    fn value<const R: usize, const C: usize, K: Rule>(tables: &Tables<K>, after: PackedAfter<R, C>) -> f32 {
        tables.value(&tables.active(Portable, after))
    }

    // 2 4      The pattern sees only the first row. The eight images of the board show eight
    // 8 16     different pairs there: 24, 42, 816, 168, 28, 82, 416, 164.
    fn different() -> PackedAfter<2, 2> {
        PackedAfter::from_ranks(&[1, 2, 3, 4])
    }

    #[test]
    fn td_moves_the_value_by_rate_times_error() {
        let tables = tables::<Td>("2x2", "01", 0.0);
        assert_eq!(value(&tables, different()), 0.0);
        // Each of the eight weights moves by 0.5 * 80 / 8 = 5.
        assert_eq!(learn(&tables, different(), 80.0, 0.5), 40.0);
        assert_eq!(value(&tables, different()), 40.0);
        // A board that shows the pairs 24 and 42 shares two of these weights.
        assert_eq!(value(&tables, PackedAfter::<2, 2>::from_ranks(&[1, 2, 0, 0])), 10.0);
    }

    #[test]
    fn a_weight_that_is_found_several_times_is_moved_once() {
        // 2 0      The pairs 20 and 02 are found twice each (from row and column), the pair 00
        // 0 0      four times: three weights.
        let tables = tables::<Td>("2x2", "01", 0.0);
        let corner = PackedAfter::<2, 2>::from_ranks(&[1, 0, 0, 0]);
        assert_eq!(learn(&tables, corner, 16.0, 1.0), 16.0);
        // Each of the three weights is now 16 / 8 = 2, and the value 2 * 2 + 2 * 2 + 4 * 2. That is
        // the whole error and not more.
        assert_eq!(value(&tables, corner), 16.0);
        assert_eq!(value(&tables, PackedAfter::<2, 2>::from_ranks(&[0, 0, 0, 0])), 16.0);
    }

    #[test]
    fn tc_gives_every_weight_its_own_rate() {
        let tables = tables::<Tc>("2x2", "01", 100.0);
        assert_eq!(value(&tables, different()), 100.0);
        // First error 8: all rates are 1, and each of the eight weights moves by 1.
        assert_eq!(learn(&tables, different(), 8.0, 1.0), 8.0);
        // Second error -4: E = 8, A = 8, so the rate is still 1. Each weight moves by -0.5.
        assert_eq!(learn(&tables, different(), -4.0, 1.0), -4.0);
        // Third error 12: E = 8 - 4, A = 8 + 4, so the rate is 1/3. Each weight moves by 12 / 8 / 3
        // = 0.5.
        assert_eq!(learn(&tables, different(), 12.0, 1.0), 4.0);
        assert_eq!(value(&tables, different()), 108.0);
        // This board shares two weights. For them E = 4 + 12 and A = 12 + 12, so the pairs 24 and
        // 42 move by 8 / 8 * 16 / 24. The other pairs, 20 (twice), 40 (twice), 02, 04 and so on,
        // are new and move by 1.
        let other = PackedAfter::<2, 2>::from_ranks(&[1, 2, 0, 0]);
        let changed = learn(&tables, other, 8.0, 1.0);
        assert!((changed - (2.0 * 2.0 / 3.0 + 6.0)).abs() < 1e-5, "{changed}");
    }

    #[test]
    fn rectangles_have_four_images() {
        // 2  4  8      The images show the first row as 248 and 842, and the second row as
        // 16 32 64     16 32 64 and reversed.
        let tables = tables::<Td>("2x3", "012", 0.0);
        let after = PackedAfter::<2, 3>::from_ranks(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(learn(&tables, after, 8.0, 1.0), 8.0);
        assert_eq!(value(&tables, PackedAfter::<2, 3>::from_ranks(&[1, 2, 3, 0, 0, 0])), 4.0);
    }

    #[test]
    fn equal_places_are_found_wherever_they_are() {
        assert!(!repeats(&[0, 1, 2, 3, 4, 5, 1 << 27, u32::MAX]));
        for (first, second) in
            (0..IMAGES).flat_map(|first| (first + 1..IMAGES).map(move |second| (first, second)))
        {
            let mut places = [7, 0, 2, 1 << 20, u32::MAX, 5, 6, 9];
            places[second] = places[first];
            assert!(repeats(&places), "{places:?}");
        }
    }

    #[test]
    fn new_stages_start_with_the_weights_of_the_last_one_and_their_rates() {
        let one = tables::<Tc>("2x2", "01", 0.0);
        learn(&one, different(), 120.0, 1.0);
        learn(&one, different(), -40.0, 1.0);
        let shape = Shape { stages: "8".parse::<Stages>().unwrap(), ..one.shape().clone() };
        let two = one.with_stages(shape.clone(), NewStages::Copy).unwrap();
        // 2 4 8 16 belongs to the second stage, 2 4 0 0 to the first.
        let low = PackedAfter::<2, 2>::from_ranks(&[1, 2, 0, 0]);
        assert_eq!((value(&two, different()), value(&two, low)), (80.0, 20.0));
        // After the errors 120 and -40 the rate is 1/2.
        learn(&two, different(), 8.0, 1.0);
        assert_eq!((value(&two, different()), value(&two, low)), (84.0, 20.0));
        // A fresh second stage knows nothing. The first stage stays.
        let two = one.with_stages(shape, NewStages::Fresh).unwrap();
        assert_eq!((value(&two, different()), value(&two, low)), (0.0, 20.0));
    }
}
