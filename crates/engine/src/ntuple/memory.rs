//! Large zeroed memory for the tables, in huge pages where the system has them.
//!
//! A move looks at hundreds of weights all over tables of a gigabyte. With pages of 4 KB nearly each look misses the
//! processor's address cache too; with pages of 2 MB hardly one does.

use std::io;
use std::sync::atomic::AtomicU32;

use memmap2::MmapMut;

/// Words shared by threads, all zero at first. Pages that are never written take no memory.
#[derive(Debug)]
pub(crate) struct SharedWords {
    map: MmapMut,
    len: usize,
}

impl SharedWords {
    pub(crate) fn zeroed(len: usize) -> io::Result<SharedWords> {
        let bytes = len.checked_mul(4).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(SharedWords { map: huge_pages(bytes)?, len })
    }

    /// The words.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn as_slice(&self) -> &[AtomicU32] {
        // SAFETY: the map is `4 * len` bytes long, page-aligned, zeroed (a valid AtomicU32), owned by `self` and never
        // handed out in any other way, so all access for the life of `&self` is through these atomics. There is no safe
        // way to memory in huge pages.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU32>(), self.len) }
    }
}

/// Bytes, all zero at first; pages that are never written take no memory.
#[derive(Debug)]
pub(crate) struct HugeBytes(MmapMut);

impl HugeBytes {
    pub(crate) fn zeroed(len: usize) -> io::Result<HugeBytes> {
        huge_pages(len).map(HugeBytes)
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Zeroed anonymous memory; huge pages are asked for, and done without where there are none.
fn huge_pages(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes.max(1))?;
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    Ok(map)
}

/// Asks for the memory of a value that will be needed soon, without waiting for it. A place where there is none does no harm.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and changes nothing that a program can see, wherever it points to, and the instruction (SSE) is part of x86-64. There is no
    // safe name for it; it makes training faster by a tenth to a fifth.
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
