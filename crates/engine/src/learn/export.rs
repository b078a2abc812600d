//! From weights that learn to a network that plays.

use std::io;
use std::ops::Range;

use super::Trainer;
use super::rule::{Rule, load};
use crate::ntuple::{Codebook, Network};

/// How exact the network that plays is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantisation {
    /// The step between neighbouring small weights, in points; if nothing is said, the one with the smallest error for
    /// each table. Large weights have larger steps.
    pub step: Option<f32>,
    /// What a bit of the file may cost in exactness: the squared error of a weight times the sum of its absolute errors in
    /// training (which says how often it is used), in points cubed. 0 for the nearest level always; the larger, the
    /// shorter the file.
    pub thrift: f32,
}

impl<const R: usize, const C: usize, K: Rule> Trainer<R, C, K> {
    /// The network as it is now, for playing. Fails when there is not enough memory.
    pub fn network(&self, quantisation: Quantisation) -> io::Result<Network> {
        let shape = self.recipe.shape.clone();
        let words = self.tables.words();
        let weight = |place: usize| load(&words[place * K::WORDS]);
        // The last word of a temporal-coherence weight is the sum of its absolute errors.
        let use_of = |place: usize| if K::WORDS < 3 { 1.0 } else { load(&words[(place + 1) * K::WORDS - 1]) };
        let mut ranges = Vec::new();
        let mut start = 0;
        for _ in 0..shape.stages.len() {
            for pattern in shape.patterns.list() {
                ranges.push(start..start + pattern.table_len());
                start += pattern.table_len();
            }
        }
        let book = |range: &Range<usize>| {
            let largest = range.clone().map(|place| weight(place).abs()).fold(0.0, f32::max);
            match quantisation.step {
                Some(step) => Codebook::new(step, largest),
                None => best_codebook(largest, || range.clone().map(|place| (weight(place), use_of(place)))),
            }
        };
        let books: Vec<Codebook> = ranges.iter().map(book).collect();
        let mut network = Network::new(shape, books.clone())?;
        // Weights that learn and codes lie in the same order.
        let codes = network.codes_mut();
        for (range, book) in ranges.into_iter().zip(&books) {
            for place in range {
                let weight = weight(place);
                if weight != 0.0 {
                    codes[place] = thrifty(book, weight, use_of(place), quantisation.thrift);
                }
            }
        }
        Ok(network)
    }
}

/// The codebook with the smallest squared error, each weight counted as often as it is used.
fn best_codebook<I: Iterator<Item = (f32, f32)>>(largest: f32, weights: impl Fn() -> I) -> Codebook {
    /// Parts of the largest weight that the step may be; with the first one all steps are equal.
    const PARTS: [f32; 5] = [127.0, 250.0, 500.0, 1000.0, 2000.0];
    // A table that knows nothing has no largest weight, and needs no step.
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let error = |book: &Codebook| -> f64 {
        let known = weights().filter(|&(weight, _)| weight != 0.0);
        known
            .map(|(weight, use_of)| f64::from(use_of * (weight - book.value(book.nearest(weight))).powi(2)))
            .sum()
    };
    let books = PARTS.map(|parts| Codebook::new(largest / parts, largest));
    let errors = books.each_ref().map(error);
    let best = (0..PARTS.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    books[best].clone()
}

/// The code that is best in view of its length: the nearest one, the one below it, or none at all.
fn thrifty(book: &Codebook, weight: f32, use_of: f32, thrift: f32) -> u8 {
    let nearest = book.nearest(weight);
    if thrift == 0.0 || nearest == 0 {
        return nearest;
    }
    let level = (nearest as usize).div_ceil(2);
    // About what the file format needs for a level: the sign, and its binary digits told by their number. Nothing known
    // is told in less than a bit.
    let bits = |level: usize| if level == 0 { 0.5 } else { 2.0 + 1.5 * (level as f32).log2() };
    let cost = |level: usize| {
        let error = weight - book.value(Codebook::code(level, weight < 0.0));
        use_of * error * error + thrift * bits(level)
    };
    let best = [level, level - 1, 0].into_iter().min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    Codebook::code(best.unwrap_or(level), weight < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codebook_fits_what_is_used() {
        // Used where it is small, and one large weight that hardly counts: small steps. The other way round: equal steps.
        let small = || (1..100).map(|number| (number as f32 / 10.0, 100.0)).chain([(1000.0, 1.0)]);
        let large = || (1..100).map(|number| (10.0 * number as f32, 100.0));
        let error = |book: &Codebook, weight: f32| (book.value(book.nearest(weight)) - weight).abs();
        assert!(error(&best_codebook(1000.0, small), 3.3) < 0.26);
        assert!(error(&best_codebook(990.0, large), 930.0) < 4.0);
        assert_eq!(best_codebook(0.0, std::iter::empty).nearest(0.0), 0);
    }

    #[test]
    fn thrift_drops_what_is_hardly_used() {
        let book = Codebook::new(1.0, 1000.0);
        let level = |use_of, thrift| book.value(thrifty(&book, -20.4, use_of, thrift));
        assert_eq!(level(1.0, 0.0), -20.0);
        assert_eq!(level(1e6, 1.0), -20.0);
        assert_eq!(level(1.0, 1e6), 0.0);
    }
}
