//! Stateless random numbers: each is a pure function of a seed, a purpose and an index.
//!
//! This file must never change its results: a seed always means the same game. Draw `k` (from 0) of
//! a stream is `mix(mix(seed ^ purpose) + (k + 1) * 0x9e3779b97f4a7c15)`, all modulo 2^64, where
//!
//! ```text
//! mix(z):  z ^= z >> 30;  z *= 0xbf58476d1ce4e5b9;
//!          z ^= z >> 27;  z *= 0x94d049bb133111eb;  z ^= z >> 31
//! ```
//!
//! This is output `k` of the generator SplitMix64 (Steele, Lea, Flood 2014) started at
//! `mix(seed ^ purpose)`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::shortened;

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random sequence with random access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream that decides a game's spawns (purpose 0).
    pub const fn spawns(seed: u64) -> Stream {
        Stream(mix(seed))
    }

    /// The stream for a player's own random choices in that game (purpose: "player" in ASCII).
    pub const fn player(seed: u64) -> Stream {
        Stream(mix(seed ^ 0x706c_6179_6572))
    }

    /// A stream for another purpose. The same seed and purpose always give the same stream.
    pub const fn with_purpose(seed: u64, purpose: u64) -> Stream {
        Stream(mix(seed ^ purpose))
    }

    /// The 64 random bits at an index of the sequence.
    pub const fn draw(self, place: u64) -> u64 {
        mix(self.0.wrapping_add(place.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA)))
    }

    /// A number below `bound`: the high 64 bits of the 128-bit product of the draw and the bound.
    pub const fn below(self, place: u64, bound: usize) -> usize {
        ((self.draw(place) as u128 * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to but not including 1: the high 53 bits of the draw, times 2^-53.
    pub const fn unit(self, place: u64) -> f64 {
        (self.draw(place) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Probability(f64);

/// Not a probability.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("'{}' is not a probability: a number from 0 to 1", shortened(.0))]
pub struct ProbabilityError(pub String);

impl Probability {
    /// A checked probability.
    pub fn new(value: f64) -> Result<Probability, ProbabilityError> {
        // Adding 0.0 turns -0.0 into 0.0, so that equal probabilities are written the same way.
        if (0.0..=1.0).contains(&value) {
            Ok(Probability(value + 0.0))
        } else {
            Err(ProbabilityError(value.to_string()))
        }
    }

    /// Never.
    pub const ZERO: Probability = Probability(0.0);
    /// Always.
    pub const ONE: Probability = Probability(1.0);
    /// One in ten, the chance of a 4 in the original game.
    pub const TENTH: Probability = Probability(0.1);

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Probability {
    type Error = ProbabilityError;

    fn try_from(value: f64) -> Result<Self, Self::Error> {
        Probability::new(value)
    }
}

impl From<Probability> for f64 {
    fn from(probability: Probability) -> f64 {
        probability.0
    }
}

impl FromStr for Probability {
    type Err = ProbabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let value = text.parse::<f64>().map_err(|_| ProbabilityError(text.to_owned()))?;
        Probability::new(value)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
