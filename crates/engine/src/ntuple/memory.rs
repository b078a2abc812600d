//! Large zeroed memory for the tables, in huge pages if the system has them.
//!
//! A move reads hundreds of weights scattered over a gigabyte of tables. With 4 KB pages nearly
//! every read also misses the TLB. With 2 MB pages almost none does. Without the feature `files`
//! the memory comes from the heap.

use std::io;
#[cfg(feature = "train")]
use std::sync::atomic::AtomicU32;

#[cfg(feature = "files")]
type Bytes = memmap2::MmapMut;
#[cfg(not(feature = "files"))]
type Bytes = Vec<u8>;

/// Zeroed memory.
fn zeroed(bytes: usize) -> io::Result<Bytes> {
    #[cfg(feature = "files")]
    return Bytes::map_anon(bytes.max(1));
    #[cfg(not(feature = "files"))]
    {
        let mut memory = Bytes::new();
        memory.try_reserve_exact(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        memory.resize(bytes, 0);
        Ok(memory)
    }
}

/// Words shared by threads, initially zero. Pages that are never written take no memory.
#[cfg(feature = "train")]
#[derive(Debug)]
pub(crate) struct SharedWords {
    map: Bytes,
    len: usize,
}

#[cfg(feature = "train")]
impl SharedWords {
    pub(crate) fn zeroed(len: usize) -> io::Result<SharedWords> {
        let bytes = len.checked_mul(4).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = zeroed(bytes)?;
        advise_huge_pages(&map, 0, bytes);
        Ok(SharedWords { map, len })
    }

    /// The words.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn as_slice(&self) -> &[AtomicU32] {
        // SAFETY: the map is `4 * len` bytes long, page-aligned and zeroed (a valid AtomicU32).
        // `self` owns it and exposes it only here, so for the life of `&self` all access goes
        // through these atomics. There is no safe interface to huge pages.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU32>(), self.len) }
    }
}

/// A 16-bit integer as its bytes, so that bytes from the system can be viewed as a slice of them.
pub(crate) type Short = [u8; 2];

/// 16-bit integers, initially zero. Regions that stay zero take almost no memory.
#[derive(Debug)]
pub(crate) struct Shorts {
    map: Bytes,
    len: usize,
}

impl Shorts {
    pub(crate) fn zeroed(len: usize) -> io::Result<Shorts> {
        let bytes = len.checked_mul(2).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Shorts { map: zeroed(bytes)?, len })
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Short] {
        &self.map.as_chunks().0[..self.len]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Short] {
        &mut self.map.as_chunks_mut().0[..self.len]
    }

    /// Prepares for writes to the places noted by `note`. Requests huge pages where more than a
    /// third of the small pages will be used, and leaves small pages elsewhere.
    pub(crate) fn expect(&self, note: impl FnOnce(&mut Pages)) {
        let start = self.map.as_ptr().addr() % Pages::HUGE;
        let count = (start + self.map.len()).div_ceil(Pages::HUGE) * Pages::SMALL_IN_HUGE;
        let mut pages = Pages { start, used: vec![false; count] };
        note(&mut pages);
        for (number, small) in pages.used.chunks(Pages::SMALL_IN_HUGE).enumerate() {
            let from = (number * Pages::HUGE).saturating_sub(start);
            let to = ((number + 1) * Pages::HUGE - start).min(self.map.len());
            if 3 * small.iter().filter(|&&used| used).count() > small.len() {
                advise_huge_pages(&self.map, from, to - from);
            }
        }
    }
}

/// The memory pages that will be used.
pub(crate) struct Pages {
    /// The offset of the memory within a huge page.
    start: usize,
    used: Vec<bool>,
}

impl Pages {
    const SMALL: usize = 4096;
    const SMALL_IN_HUGE: usize = 512;
    const HUGE: usize = Self::SMALL * Self::SMALL_IN_HUGE;

    /// Marks the page of a place as used.
    #[inline(always)]
    pub(crate) fn note(&mut self, place: usize) {
        self.used[(self.start + size_of::<Short>() * place) / Self::SMALL] = true;
    }
}

/// Requests huge pages for a part of the memory. If the system has none, small pages are used.
fn advise_huge_pages(map: &Bytes, from: usize, len: usize) {
    #[cfg(all(feature = "files", target_os = "linux"))]
    let _ = map.advise_range(memmap2::Advice::HugePage, from, len);
    #[cfg(not(all(feature = "files", target_os = "linux")))]
    let _ = (map, from, len);
}

/// Tells the system that these bytes are not needed soon. Their content does not change: bytes that
/// belong to the program's file are read from there again on the next access. A shipped network is
/// parsed only once, and paging it out saves 16 MB of resident memory during play. Linux honours
/// this only for users who own the program's file or may write to it.
pub(crate) fn let_go(bytes: &[u8]) {
    #[cfg(all(feature = "files", target_os = "linux"))]
    {
        const PAGE: usize = Pages::SMALL;
        let start = bytes.as_ptr().addr().next_multiple_of(PAGE) - bytes.as_ptr().addr();
        let Some(whole) = bytes.get(start..) else { return };
        let whole = &whole[..whole.len() / PAGE * PAGE];
        // SAFETY: the range is within one slice. MADV_PAGEOUT is a hint and does not change the
        // content, so all threads read the same bytes as before. If the call fails (older kernel,
        // larger pages, file of another user), nothing happens.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(whole.as_ptr().cast_mut().cast(), whole.len(), libc::MADV_PAGEOUT);
        }
    }
    #[cfg(not(all(feature = "files", target_os = "linux")))]
    let _ = bytes;
}

/// Prefetches a value that will be needed soon. An invalid address does no harm.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no visible effect for any address, and the instruction (SSE) is part
    // of x86-64. There is no safe wrapper. It makes training 10% to 20% faster.
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_let_go_stay_what_they_are() {
        let bytes: Vec<u8> = (0..5 * Pages::SMALL).map(|place| (place % 251) as u8).collect();
        let copy = bytes.clone();
        for (from, to) in [(0, 0), (7, 9), (1, Pages::SMALL + 3), (5, 4 * Pages::SMALL), (0, bytes.len())] {
            let_go(&bytes[from..to]);
            assert!(bytes == copy, "{from} to {to}");
        }
    }
}
