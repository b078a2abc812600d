//! From weights that learn to a network that plays.

use std::io;

use super::Trainer;
use super::rule::{Rule, load};
use crate::ntuple::{Codebook, Network};

/// How exact the network that plays is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantisation {
    /// The step between neighbouring small weights, in points; if nothing is said, a thousandth of the table's largest
    /// weight. Large weights have larger steps.
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
        let words = self.tables.words().as_slice();
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
        let largest = |range: &std::ops::Range<usize>| {
            range.clone().map(|place| weight(place).abs()).fold(0.0, f32::max)
        };
        let book = |range| {
            let largest: f32 = largest(range);
            // A table that knows nothing has no largest weight, and needs no step.
            let step = quantisation.step.unwrap_or(if largest > 0.0 { largest / 1000.0 } else { 1.0 });
            Codebook::new(step, largest)
        };
        let books: Vec<Codebook> = ranges.iter().map(book).collect();
        let mut network = Network::new(shape, books.clone())?;
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
    fn thrift_drops_what_is_hardly_used() {
        let book = Codebook::new(1.0, 1000.0);
        let level = |use_of, thrift| book.value(thrifty(&book, -20.4, use_of, thrift));
        assert_eq!(level(1.0, 0.0), -20.0);
        assert_eq!(level(1e6, 1.0), -20.0);
        assert_eq!(level(1.0, 1e6), 0.0);
    }
}
