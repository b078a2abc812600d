//! The RNG of evolution. Every number is a pure function of the run's seed, the generation and the
//! number of the child, so the number of threads does not matter.

use crate::game::Stream;

/// The purpose of the random streams of evolution: "evolve" in ASCII.
const PURPOSE: u64 = 0x6576_6f6c_7665;

/// Draws random numbers one after another.
#[derive(Clone, Debug)]
pub struct Dice {
    stream: Stream,
    place: u64,
}

impl Dice {
    /// The RNG for one child of one generation.
    pub fn new(seed: u64, generation: u64, number: u64) -> Dice {
        let of_generation = Stream::with_purpose(seed, PURPOSE).draw(generation);
        Dice { stream: Stream::with_purpose(of_generation, number.wrapping_add(1)), place: 0 }
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.place += 1;
        self.stream.below(self.place, bound)
    }

    /// A number from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        self.place += 1;
        self.stream.unit(self.place)
    }

    /// True with this probability.
    pub fn chance(&mut self, chance: f64) -> bool {
        self.unit() < chance
    }

    /// A random element; `None` if the slice is empty.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        if of.is_empty() { None } else { Some(&of[self.below(of.len())]) }
    }

    /// A standard normal number (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }
}
