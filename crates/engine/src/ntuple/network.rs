//! A trained network, ready to play: one byte a weight.
//!
//! A byte names one of 256 values of its table's codebook. That is as exact as play needs (the loss is measured when a
//! network is made), a quarter of the memory of floating-point weights, and so four times as many of them in the caches.

use std::fmt;
use std::io;

use super::downgrade::{downgraded, pack_within};
use super::{Codebook, Gathers, HugeBytes, Shape};
use crate::board::{PackedAfter, Size, rank_of};
use crate::eval::{Evaluator, FastEvaluator, Judges, View};
use crate::game::{Cannot, Unit};

/// A trained network.
pub struct Network {
    shape: Shape,
    gathers: Gathers,
    /// For every stage and pattern.
    codebooks: Vec<Codebook>,
    codes: HugeBytes,
    /// Whether the machine has the vector instructions that [`Network::evaluate_packed`] is also compiled for.
    has_avx2: bool,
}

impl Network {
    /// A network whose tables are still to be filled.
    ///
    /// # Panics
    /// If there is not one codebook for each stage and pattern.
    pub(crate) fn new(shape: Shape, codebooks: Vec<Codebook>) -> io::Result<Network> {
        assert_eq!(codebooks.len(), shape.stages.len() * shape.patterns.list().len());
        let gathers = Gathers::new(&shape.patterns);
        let codes = HugeBytes::zeroed(shape.weights())?;
        #[cfg(target_arch = "x86_64")]
        let has_avx2 = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2");
        #[cfg(not(target_arch = "x86_64"))]
        let has_avx2 = false;
        Ok(Network { shape, gathers, codebooks, codes, has_avx2 })
    }

    /// What it looks like.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// All codes: stage by stage, pattern by pattern.
    pub(crate) fn codes(&self) -> &[u8] {
        &self.codes.as_slice()[..self.shape.weights()]
    }

    pub(crate) fn codes_mut(&mut self) -> &mut [u8] {
        let weights = self.shape.weights();
        &mut self.codes.as_mut_slice()[..weights]
    }

    /// The value of packed cells that the network knows.
    #[inline(always)]
    fn value<const R: usize, const C: usize>(&self, known: u64) -> f32 {
        let (stage, seen) = self.shape.stages.of(known);
        let codes = &self.codes.as_slice()[stage * self.gathers.weights..];
        let codebooks = &self.codebooks[stage * self.gathers.list.len()..];
        let sum = self
            .gathers
            .sum::<R, C>(seen, |pattern, start, index| codebooks[pattern].value(codes[start + index]));
        self.shape.start_value + sum
    }

    /// The same for a size that is known only at run time.
    fn value_of_size(&self, known: u64) -> f32 {
        let size = self.shape.patterns.size();
        match (size.rows(), size.cols()) {
            (2, 2) => self.value::<2, 2>(known),
            (2, 3) => self.value::<2, 3>(known),
            (2, 4) => self.value::<2, 4>(known),
            (3, 2) => self.value::<3, 2>(known),
            (3, 3) => self.value::<3, 3>(known),
            (3, 4) => self.value::<3, 4>(known),
            (4, 2) => self.value::<4, 2>(known),
            (4, 3) => self.value::<4, 3>(known),
            _ => self.value::<4, 4>(known),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn value_with_avx2(&self, known: u64) -> f32 {
        self.value::<4, 4>(known)
    }
}

impl Evaluator for Network {
    fn judges(&self) -> Judges {
        Judges::Afterstates
    }

    fn unit(&self) -> Unit {
        Unit::Points
    }

    fn accepts(&self, size: Size) -> Result<(), Cannot> {
        let own = self.shape.patterns.size();
        if size == own {
            Ok(())
        } else {
            Err(Cannot(format!("the network is for boards of {own}, not {size}")))
        }
    }

    fn evaluate(&self, view: &View) -> f64 {
        // Tiles that are no powers of two have no rank; a board with such a tile is not one that the rules make.
        let ranks: Vec<u8> = view.tiles().iter().map(|&tile| rank_of(tile).unwrap_or(0)).collect();
        f64::from(self.value_of_size(pack_within(&ranks, view.size().cols(), self.shape.top)))
    }
}

impl FastEvaluator for Network {
    #[inline]
    fn evaluate_packed(&self, after: PackedAfter) -> f32 {
        let known = downgraded(after.bits(), self.shape.top);
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 {
            // SAFETY: `has_avx2` is set only where the machine has these instructions.
            #[allow(unsafe_code)]
            return unsafe { self.value_with_avx2(known) };
        }
        self.value::<4, 4>(known)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").field("shape", &self.shape).finish_non_exhaustive()
    }
}
