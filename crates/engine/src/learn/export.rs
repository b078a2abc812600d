//! From weights that learn to a network that plays.

use std::io;

use super::Trainer;
use super::rule::{Rule, load};
use crate::ntuple::{Codebook, Network};

/// How coarse the network that plays may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantisation {
    /// The step between neighbouring small weights, in points. Large weights have larger steps.
    pub step: f32,
    /// Weights whose absolute errors sum up to less than this are left out: too little is known about them.
    pub least_evidence: f32,
}

impl Default for Quantisation {
    fn default() -> Self {
        Quantisation { step: 1.0, least_evidence: 0.0 }
    }
}

/// Small weights are multiples of the step up to this many.
const EVEN_LEVELS: usize = 64;
const LEVELS: usize = 127;

/// Codes 1, 3, 5... are the levels upwards, 2, 4, 6... the same downwards. The levels are `step` apart at first, then grow by a
/// constant factor up to the largest weight.
fn codebook(step: f32, largest: f32) -> Codebook {
    let mut codebook = [0.0; 256];
    let even = step * EVEN_LEVELS as f32;
    let growth = (largest / even).ln() / (LEVELS - EVEN_LEVELS) as f32;
    for level in 1..=LEVELS {
        let beyond = level as f32 - EVEN_LEVELS as f32;
        let value = if largest <= step * LEVELS as f32 || beyond <= 0.0 {
            step * level as f32
        } else {
            even * (growth * beyond).exp()
        };
        (codebook[2 * level - 1], codebook[2 * level]) = (value, -value);
    }
    codebook
}

/// The code of the value nearest to a weight.
fn nearest(codebook: &Codebook, weight: f32) -> u8 {
    let level = |code: usize| codebook[code];
    // The first level at or above the size of the weight.
    let (mut low, mut high) = (0, LEVELS);
    while low < high {
        let middle = (low + high) / 2;
        let value = if middle == 0 { 0.0 } else { level(2 * middle - 1) };
        if value < weight.abs() {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let value = |level: usize| if level == 0 { 0.0 } else { codebook[2 * level - 1] };
    let level =
        if low > 0 && weight.abs() - value(low - 1) <= value(low) - weight.abs() { low - 1 } else { low };
    match level {
        0 => 0,
        level if weight > 0.0 => (2 * level - 1) as u8,
        level => (2 * level) as u8,
    }
}

impl<const R: usize, const C: usize, K: Rule> Trainer<R, C, K> {
    /// The network as it is now, for playing. Fails when there is not enough memory.
    pub fn network(&self, quantisation: Quantisation) -> io::Result<Network> {
        let shape = self.recipe.shape.clone();
        let words = self.tables.words().as_slice();
        let weight = |place: usize| {
            let words = &words[place * K::WORDS..(place + 1) * K::WORDS];
            // The last word of a temporal-coherence weight is the sum of its absolute errors.
            let known = K::WORDS < 3 || load(&words[K::WORDS - 1]) >= quantisation.least_evidence;
            if known { load(&words[0]) } else { 0.0 }
        };
        let mut ranges = Vec::new();
        let mut start = 0;
        for _ in 0..shape.stages.len() {
            for pattern in shape.patterns.list() {
                ranges.push(start..start + pattern.table_len());
                start += pattern.table_len();
            }
        }
        let books: Vec<Codebook> = ranges
            .iter()
            .map(|range| {
                let largest = range.clone().map(|place| weight(place).abs()).fold(0.0, f32::max);
                codebook(quantisation.step, largest)
            })
            .collect();
        let mut network = Network::new(shape, books.clone())?;
        let codes = network.codes_mut();
        for (range, book) in ranges.into_iter().zip(&books) {
            for place in range {
                let weight = weight(place);
                if weight != 0.0 {
                    codes[place] = nearest(book, weight);
                }
            }
        }
        Ok(network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_gets_the_nearest_code() {
        for largest in [50.0, 127.0, 500.0, 30_000.0] {
            let book = codebook(1.0, largest);
            for number in 0..2000 {
                let weight = (number as f32 / 1000.0 - 1.0) * largest;
                let chosen = book[nearest(&book, weight) as usize];
                let best = book.iter().map(|value| (value - weight).abs()).fold(f32::INFINITY, f32::min);
                assert_eq!((chosen - weight).abs(), best, "{weight} of {largest} became {chosen}");
            }
        }
    }
}
