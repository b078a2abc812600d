//! CPU features: the operations that depend on them, and the one place that chooses.
//!
//! Work that gains from vector instructions is a [`WithMachine`]. [`Instructions::dispatch`] runs
//! it, compiled for the best instructions that the processor has.

use super::Gather;

/// How a processor extracts bits from a word.
///
/// # Safety
/// A value of the type exists only if the processor has all instructions that its methods use.
/// [`Machine::indices`] must be below 16 to the power of the pattern's cells, because
/// `ntuple/block.rs` reads weights at these indices without a bounds check.
#[allow(unsafe_code)]
pub(crate) unsafe trait Machine: Copy {
    /// Whether computing many images at once is no faster than one after the other.
    const ONE_BY_ONE: bool;

    /// The index of a pattern in several images, below 16 to the power of the pattern's cells.
    fn indices<const N: usize>(self, gather: &Gather, images: &[u64; N]) -> [u64; N];

    /// Bit number `number` of the set bits of a mask, counted from 0 at the lowest. 0 if the mask
    /// has fewer.
    fn nth_bit(self, mask: u64, number: u32) -> u64;
}

/// Any processor. Uses masks and shifts, the same for all images. The loop has no branches and no
/// lookups, so the compiler can vectorise it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

// SAFETY: it uses no special instructions. `Gather::close_up` keeps one bit for each cell of the
// pattern in each of the four planes.
#[allow(unsafe_code)]
unsafe impl Machine for Portable {
    const ONE_BY_ONE: bool = false;

    #[inline(always)]
    fn indices<const N: usize>(self, gather: &Gather, images: &[u64; N]) -> [u64; N] {
        let mut indices = [0; N];
        for run in gather.runs() {
            for (index, image) in indices.iter_mut().zip(images) {
                *index |= (image & run.mask) >> run.shift;
            }
        }
        for index in &mut indices {
            *index = gather.close_up(*index);
        }
        indices
    }

    #[inline(always)]
    fn nth_bit(self, mask: u64, number: u32) -> u64 {
        let mut rest = mask;
        for _ in 0..number {
            rest &= rest.wrapping_sub(1);
        }
        rest & rest.wrapping_neg()
    }
}

/// A processor with fast `pext` and `pdep` instructions.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extracting(());

// SAFETY: only `Instructions::detect` creates an `Extracting`, if the processor has BMI2. The mask
// of a gather has four bits for each cell of the pattern, so that many bits are extracted.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
unsafe impl Machine for Extracting {
    const ONE_BY_ONE: bool = true;

    #[inline(always)]
    fn indices<const N: usize>(self, gather: &Gather, images: &[u64; N]) -> [u64; N] {
        let mut indices = [0; N];
        for (index, &image) in indices.iter_mut().zip(images) {
            // SAFETY: the processor has BMI2.
            *index = unsafe { std::arch::x86_64::_pext_u64(image, gather.mask()) };
        }
        indices
    }

    #[inline(always)]
    fn nth_bit(self, mask: u64, number: u32) -> u64 {
        // SAFETY: the processor has BMI2.
        unsafe { std::arch::x86_64::_pdep_u64(1 << number, mask) }
    }
}

/// The instructions of this processor that networks use beyond the baseline of the target, in
/// words.
pub fn instructions() -> &'static str {
    match Instructions::detect().0 {
        Found::Plain => "baseline instructions",
        #[cfg(target_arch = "x86_64")]
        Found::Vector => "AVX2",
        #[cfg(target_arch = "x86_64")]
        Found::VectorAndExtract(_) => "AVX2 and BMI2",
    }
}

/// Work that is compiled for every kind of processor.
pub(crate) trait WithMachine {
    /// The result.
    type Output;

    /// Does the work. Implementations and everything they call must be `#[inline(always)]`. Only
    /// code inlined into [`Instructions::dispatch`] is compiled with the detected instructions.
    fn with_machine(self, machine: impl Machine) -> Self::Output;
}

/// The instructions of the processor that runs the program. Only [`Instructions::detect`] returns
/// more than [`Found::Plain`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions(Found);

#[derive(Clone, Copy, Debug)]
enum Found {
    /// The baseline of the target.
    Plain,
    /// AVX2, BMI1, BMI2, POPCNT and LZCNT.
    #[cfg(target_arch = "x86_64")]
    Vector,
    /// The same, with fast bit extraction.
    #[cfg(target_arch = "x86_64")]
    VectorAndExtract(Extracting),
}

impl Instructions {
    /// The baseline instructions.
    #[cfg(test)]
    pub(crate) const PLAIN: Instructions = Instructions(Found::Plain);

    /// Detects the features of this processor. AMD processors before family 19h have the `pext`
    /// instruction, but take up to 250 cycles for it (Agner Fog, Instruction tables).
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn detect() -> Instructions {
        use std::arch::x86_64::__cpuid;
        // Every processor with AVX2 and BMI2 has the others too.
        if !(std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2")) {
            return Instructions(Found::Plain);
        }
        let vendor = __cpuid(0);
        let is_amd =
            [vendor.ebx, vendor.edx, vendor.ecx] == [*b"Auth", *b"enti", *b"cAMD"].map(u32::from_le_bytes);
        let version = __cpuid(1).eax;
        let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
        if is_amd && family < 0x19 {
            Instructions(Found::Vector)
        } else {
            Instructions(Found::VectorAndExtract(Extracting(())))
        }
    }

    /// Detects the features of this processor.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn detect() -> Instructions {
        Instructions(Found::Plain)
    }

    /// Does work with the best of these instructions.
    #[inline(always)]
    #[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
    pub(crate) fn dispatch<W: WithMachine>(self, work: W) -> W::Output {
        match self.0 {
            Found::Plain => work.with_machine(Portable),
            // SAFETY: `detect` found these instructions.
            #[cfg(target_arch = "x86_64")]
            Found::Vector => unsafe { with_avx2(work, Portable) },
            // SAFETY: `detect` found these instructions.
            #[cfg(target_arch = "x86_64")]
            Found::VectorAndExtract(machine) => unsafe { with_avx2(work, machine) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn with_avx2<W: WithMachine>(work: W, machine: impl Machine) -> W::Output {
    work.with_machine(machine)
}
