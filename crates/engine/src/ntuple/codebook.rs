//! What the codes of a table stand for.

/// The levels above 0; there are as many below.
pub(super) const LEVELS: usize = 127;
/// Small weights are multiples of the step up to this many.
const EVEN_LEVELS: usize = 64;

/// The values of the 256 codes of one table. Code 0 is 0: nothing is known. Codes 1, 3, 5... are the levels upwards, 2, 4,
/// 6... the same downwards; 255 is not used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Codebook {
    values: [f32; 256],
}

impl Codebook {
    /// Levels that are `step` apart at first, then grow by a constant factor up to the largest weight.
    pub(crate) fn new(step: f32, largest: f32) -> Codebook {
        let even = step * EVEN_LEVELS as f32;
        let growth = (largest / even).ln() / (LEVELS - EVEN_LEVELS) as f32;
        let value = |level: usize| {
            if largest <= step * LEVELS as f32 || level <= EVEN_LEVELS {
                step * level as f32
            } else {
                even * (growth * (level - EVEN_LEVELS) as f32).exp()
            }
        };
        Codebook::from_levels((1..=LEVELS).map(value).collect()).expect("the levels ascend")
    }

    /// The codebook with these levels; `None` if they are not [`LEVELS`] ascending positive numbers.
    pub(super) fn from_levels(levels: Vec<f32>) -> Option<Codebook> {
        let ascends = levels.first().is_some_and(|&first| first > 0.0) && levels.is_sorted_by(|a, b| a < b);
        if levels.len() != LEVELS || !ascends || !levels.iter().all(|level| level.is_finite()) {
            return None;
        }
        let mut values = [0.0; 256];
        for (place, level) in levels.into_iter().enumerate() {
            (values[2 * place + 1], values[2 * place + 2]) = (level, -level);
        }
        Some(Codebook { values })
    }

    /// The levels above 0, ascending.
    pub(super) fn levels(&self) -> impl Iterator<Item = f32> {
        (0..LEVELS).map(|place| self.values[2 * place + 1])
    }

    /// The value of a code.
    #[inline(always)]
    pub(crate) fn value(&self, code: u8) -> f32 {
        self.values[code as usize]
    }

    /// The code of the value nearest to a weight; of the smaller one between two.
    pub(crate) fn nearest(&self, weight: f32) -> u8 {
        let size = weight.abs();
        let value = |level: usize| if level == 0 { 0.0 } else { self.values[2 * level - 1] };
        // The first level at or above the size of the weight.
        let (mut low, mut high) = (0, LEVELS);
        while low < high {
            let middle = (low + high) / 2;
            if value(middle) < size {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let level = if low > 0 && size - value(low - 1) <= value(low) - size { low - 1 } else { low };
        Codebook::code(level, weight < 0.0)
    }

    /// The code of a level, 0 to [`LEVELS`].
    pub(crate) fn code(level: usize, negative: bool) -> u8 {
        match level {
            0 => 0,
            level => (2 * level - usize::from(!negative)) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_gets_the_nearest_code() {
        for largest in [50.0, 127.0, 500.0, 30_000.0] {
            let book = Codebook::new(1.0, largest);
            for number in 0..2000 {
                let weight = (number as f32 / 1000.0 - 1.0) * largest;
                let chosen = book.value(book.nearest(weight));
                let best =
                    book.values.iter().map(|value| (value - weight).abs()).fold(f32::INFINITY, f32::min);
                assert_eq!((chosen - weight).abs(), best, "{weight} of {largest} became {chosen}");
            }
        }
    }

    #[test]
    fn levels_come_back() {
        let book = Codebook::new(0.25, 1000.0);
        assert_eq!(Codebook::from_levels(book.levels().collect()), Some(book));
        assert_eq!(Codebook::from_levels(vec![1.0; LEVELS]), None);
        assert_eq!(Codebook::from_levels(vec![f32::NAN; LEVELS]), None);
    }
}
